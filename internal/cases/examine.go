package cases

import (
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
	"strings"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// Examined describes the cases of a source before a run: their number, and which parts are missing.
type Examined struct {
	Questions int64            // different questions; of a warehouse those of the golden set that the filter selects
	Answers   int64            // different answers, also those that cannot be read
	Batches   []examinedBatch  // sorted by agent, version and batch; at most maxExamined
	More      int              // batches that are not in Batches
	NoGold    int64            // answers whose question has no gold query or result, although it expects a result
	GoldUnrun int64            // answers whose question has a gold query without a result
	NoAnswer  int64            // answers without a query, a result, an error and a response
	Unrun     int64            // answers with a query that has neither a result nor an error
	QueryFail int64            // answers whose query failed
	Declines  int64            // answers to questions that expect a refusal or a question back
	Named     map[string]int64 // results that cases only refer to, by kind: file, table or query
	Duplicate Refused          // answers that several rows give
	Unread    Refused          // rows that cannot be read
	Ignored   Refused          // parts of rows that are ignored, such as unknown keys
}

// examinedBatch counts the answers of one version of an agent in a batch.
type examinedBatch struct {
	scoring.By
	Answers int64
	Missing int64 // questions of the source without an answer of this batch
}

// Refused counts rows, with the reasons for the first ones.
type Refused struct {
	Rows int64
	Why  []string // one for each of the first maxExamined rows, or kinds of rows
}

// maxExamined is the maximum number of batches and of reasons that are listed.
const maxExamined = 50

func (r *Refused) add(why string) {
	if r.Rows++; len(r.Why) < maxExamined {
		r.Why = append(r.Why, why)
	}
}

// Runnable reports whether a run over the cases would score at least one answer.
func (e *Examined) Runnable() bool { return e.Answers > e.Duplicate.Rows+e.Unread.Rows }

// examining is an examination at work. Questions are stored as hashes, to bound the memory.
type examining struct {
	Examined
	seed   maphash.Seed
	asked  map[uint64]bool                // questions
	golden bool                           // asked has all questions already: those of a golden set
	by     map[scoring.By]map[uint64]bool // questions that a batch answers
	seen   map[string]bool                // kinds of Ignored, by [scoring.Case.Unusual]
}

// Examine reads all cases of a source as a run does, and describes them. Results that cases refer to are not read. The
// error is that of reading the source.
func Examine(ctx context.Context, source batch.Source) (*Examined, error) {
	x := &examining{Examined: Examined{Named: map[string]int64{}}, seed: maphash.MakeSeed(), asked: map[uint64]bool{},
		by: map[scoring.By]map[uint64]bool{}, seen: map[string]bool{}}
	if w, ok := source.(*Warehouse); ok {
		ids, err := w.Tables.Questions(ctx, w.Filter)
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			x.asked[maphash.String(x.seed, id)] = true
		}
		x.golden = true
	}
	for item, err := range batch.Distinct(ctx, source) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		x.add(ctx, &item)
	}
	x.Questions = int64(len(x.asked))
	byName := slices.SortedFunc(maps.Keys(x.by), func(a, b scoring.By) int {
		return cmp.Or(cmp.Compare(a.Agent, b.Agent), cmp.Compare(a.Version, b.Version), cmp.Compare(a.Batch, b.Batch))
	})
	for _, by := range byName {
		if len(x.Batches) == maxExamined {
			x.More++
			continue
		}
		b := examinedBatch{By: by, Answers: int64(len(x.by[by])), Missing: x.Questions}
		for q := range x.by[by] {
			if x.asked[q] {
				b.Missing--
			}
		}
		x.Batches = append(x.Batches, b)
	}
	return &x.Examined, nil
}

// add examines an answer.
func (x *examining) add(ctx context.Context, item *batch.Item) {
	x.Answers++
	c, err := item.Load(ctx)
	switch {
	case errcode.Of(err) == errcode.AlreadyExists:
		x.Duplicate.add(err.Error())
	case err != nil:
		x.Unread.add(err.Error())
		if item.CaseID == item.Place { // not even its question is known
			return
		}
	}
	by := scoring.By{Agent: item.Agent, Version: item.Version, Batch: item.Batch}
	id := maphash.String(x.seed, item.CaseID)
	if x.by[by] == nil {
		x.by[by] = map[uint64]bool{}
	}
	x.by[by][id] = true
	if !x.golden {
		x.asked[id] = true
	}
	if err == nil {
		x.parts(c)
	}
}

// parts counts what a case has and lacks.
func (x *examining) parts(c *scoring.Case) {
	gold, run := false, false
	for i := range c.Golds {
		g := &c.Golds[i]
		gold = gold || g.SQL != "" || g.Error != "" || !g.Result.Absent()
		run = run || g.Error != "" || !g.Result.Absent()
		x.reference(g.Result)
	}
	x.reference(c.Pred.Result)
	pred := &c.Pred
	switch {
	case c.Expected.Behaviour != "" && c.Expected.Behaviour != scoring.BehaviourAnswer:
		x.Declines++
	case !gold:
		x.NoGold++
	case !run:
		x.GoldUnrun++
	}
	switch {
	case pred.Error != "":
		x.QueryFail++
	case pred.Result.Absent() && pred.SQL != "":
		x.Unrun++
	case pred.Result.Absent() && c.Agent.Response == "" && len(c.Agent.ToolCalls) == 0:
		x.NoAnswer++
	}
	if of := c.Unusual(); of != "" {
		x.Ignored.Rows++
		if !x.seen[of] && len(x.Ignored.Why) < maxExamined {
			x.seen[of] = true
			x.Ignored.Why = append(x.Ignored.Why, fmt.Sprintf("case %.60q: %s", c.ID, strings.Join(c.Unread(), "; ")))
		}
	}
}

// reference counts a result that the case only refers to, by the kind of the reference.
func (x *examining) reference(r scoring.Result) {
	if r.Ref == "" {
		return
	}
	kind := "unknown"
	if ref, err := driver.ParseRef(r.Ref); err == nil {
		kind = string(ref.Kind)
	}
	x.Named[kind]++
}
