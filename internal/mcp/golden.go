package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/unicode/norm"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
)

// goldenBytes is the maximum memory of a golden set.
const goldenBytes = 256 << 20

// golden is a golden set in memory.
type golden struct {
	byID       map[string]*question
	byQuestion map[string][]*question // by the question's text as folded returns it
	uncovered  []uncoveredCase        // in the order of the source
	snapshots  scoring.SnapshotReader
}

// question is a case without an answer.
type question struct {
	*scoring.Case
	topic string // what its limit is for
	hash  string // of the question and its accepted answers

	once  sync.Once
	golds []scoring.Query // with results in place of references
}

// uncoveredCase is a case without an accepted answer.
type uncoveredCase struct {
	CaseID   string `json:"case_id"`
	Question string `json:"question,omitempty"` // empty if it is not known
	Answers  int64  `json:"answers"`            // number of stored answers
}

// folded returns the text of a question or the ID of a case in a form that does not depend on letter case, blanks and
// ways to write the same character.
func folded(question string) string {
	return strings.ToLower(strings.Join(strings.Fields(norm.NFKC.String(question)), " "))
}

// topicOf returns what the limit of a case is for: its question, whichever cases ask it. It must not depend on gold,
// since callers see it reached.
func topicOf(id, question string) string {
	key := "case " + folded(id)
	if text := folded(question); text != "" {
		key = "question " + text
	}
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:12])
}

// readGolden reads a golden set. Items of the same case are answers to it, and must have the same accepted answers.
// warn is called with the place of each case that cannot be read.
func readGolden(ctx context.Context, items iter.Seq2[batch.Item, error], snapshots scoring.SnapshotReader,
	warn func(place string, err error)) (*golden, error) {
	g := &golden{byID: map[string]*question{}, byQuestion: map[string][]*question{}, snapshots: snapshots}
	bytes, without := int64(0), map[string]int{} // by case: index of uncovered
	for item, err := range items {
		if err != nil {
			return nil, err
		}
		c, err := item.Load(ctx)
		if err != nil {
			warn(item.Place, err)
			continue
		}
		q := &question{Case: unanswered(c), topic: topicOf(c.ID, c.Question), hash: c.GoldHash()}
		if was := g.byID[c.ID]; was != nil {
			if was.hash != q.hash {
				return nil, errcode.Usage("%s: the case %s has another question or accepted answer than before, expected the "+
					"same in all of its lines", item.Place, printable.Short(c.ID))
			}
			if i, is := without[c.ID]; is {
				g.uncovered[i].Answers++
			}
			continue
		}
		if bytes += item.Bytes; bytes > goldenBytes {
			return nil, errcode.New(errcode.ResourceExhausted, "%s: the accepted answers take more than %d MiB of memory; "+
				"name results by references, or serve fewer cases", item.Place, goldenBytes>>20)
		}
		g.byID[c.ID] = q
		if text := folded(c.Question); text != "" {
			g.byQuestion[text] = append(g.byQuestion[text], q)
		}
		if !analysis.Covered(c) {
			without[c.ID] = len(g.uncovered)
			g.uncovered = append(g.uncovered, uncoveredCase{CaseID: c.ID, Question: c.Question, Answers: 1})
		}
	}
	return g, nil
}

// unanswered returns a copy of a case without an answer and without labels.
func unanswered(c *scoring.Case) *scoring.Case {
	q := *c
	q.Human, q.Note, q.Votes = nil, "", nil
	q.Pred, q.Agent = scoring.Query{}, scoring.Agent{}
	return &q
}

// find returns the case with an ID, or the one with a question.
func (g *golden) find(id, text string) (*question, error) {
	if id != "" && text != "" {
		return nil, errcode.New(errcode.InvalidArgument, "case_id and question: expected one of the two")
	}
	if id != "" {
		for _, name := range []string{id, strings.TrimSpace(id)} {
			if q := g.byID[name]; q != nil {
				return q, nil
			}
		}
		return nil, errcode.New(errcode.NotFound, "case_id: unknown case %s", printable.Short(id))
	}
	if folded(text) == "" {
		return nil, errcode.New(errcode.InvalidArgument, "expected case_id, or question with the text of a question")
	}
	switch all := g.byQuestion[folded(text)]; len(all) {
	case 0:
		return nil, errcode.New(errcode.NotFound, "question: no case asks this question")
	case 1:
		return all[0], nil
	default:
		var ids []string
		for _, q := range all[:min(len(all), 5)] {
			ids = append(ids, printable.Short(q.ID))
		}
		return nil, errcode.New(errcode.InvalidArgument, "question: %d cases ask this question, expected case_id of one of "+
			"them: %s", len(all), strings.Join(ids, ", "))
	}
}

// accepted returns the accepted answers of a case with results in place of references. A result that cannot be read has
// an error.
func (g *golden) accepted(ctx context.Context, q *question) []scoring.Query {
	q.once.Do(func() {
		q.golds = slices.Clone(q.Golds)
		for i := range q.golds {
			r := &q.golds[i].Result
			if r.Ref == "" {
				continue
			}
			if g.snapshots == nil {
				r.Err = errcode.New(errcode.FailedPrecondition, "there is nothing to read references from")
			} else {
				r.Table, r.Err = g.snapshots.ReadSnapshot(context.WithoutCancel(ctx), r.Ref)
			}
			r.Ref = ""
		}
	})
	return q.golds
}
