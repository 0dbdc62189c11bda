package main

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/amount"
	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/natural"
	"github.com/badger-eval/badger/scoring"
)

// warehouses are the schemes this build can open. Connectors add themselves in connector_*.go
// files, each of which a build tag leaves out.
var warehouses = connectors.Mux{Program: version()}

// contacts are the hosts of the connectors of this build, by scheme.
var contacts = map[string]driver.Contacts{}

const (
	readOnly  = true
	readWrite = false
)

// openSparingly opens a warehouse that is there, for somebody who asks now and then.
func openSparingly(ctx context.Context, url string, only bool) (*connectors.Warehouse, error) {
	if err := checkBuilt(url); err != nil {
		return nil, err
	}
	return warehouses.Open(ctx, url, driver.Options{ReadOnly: only, MustExist: true, Sparing: true})
}

// openStore opens a warehouse for the scores of a run: an engine in this process is to leave memory and
// processors to scoring. must tells that it is not made where it is not there.
func openStore(ctx context.Context, url string, must bool) (*connectors.Warehouse, error) {
	if err := checkBuilt(url); err != nil {
		return nil, err
	}
	return warehouses.Open(ctx, url, driver.Options{MustExist: must, Sparing: true})
}

func openWarehouse(ctx context.Context, url string, only bool) (*connectors.Warehouse, error) {
	if err := checkBuilt(url); err != nil {
		return nil, err
	}
	return warehouses.Open(ctx, url, driver.Options{ReadOnly: only})
}

// openExisting opens a warehouse to read and write, which is not made where it is not there: a
// mistyped name must not become a new database.
func openExisting(ctx context.Context, url string) (*connectors.Warehouse, error) {
	if err := checkBuilt(url); err != nil {
		return nil, err
	}
	return warehouses.Open(ctx, url, driver.Options{MustExist: true})
}

// warehouseSource is the answers in a warehouse's tables.
type warehouseSource struct {
	w      *connectors.Warehouse
	filter connectors.Filter

	mu    sync.Mutex
	taken map[string]int64 // answers by the version of the golden set that their question was taken from
	loose int64            // answers to questions that the golden set lacks
}

// newWarehouseSource looks at the tables first, and says what they lack.
func newWarehouseSource(ctx context.Context, p process, w *connectors.Warehouse, f connectors.Filter) (*warehouseSource, error) {
	missing, err := w.Missing(ctx)
	if err != nil {
		return nil, err
	}
	if len(missing) > 0 {
		fmt.Fprintf(p.stderr, "note: the tables have no columns %s; they are read as NULL\n", strings.Join(missing, ", "))
	}
	if f.SetVersion != "" {
		sets, err := w.SetVersions(ctx)
		if err != nil {
			return nil, err
		}
		var there []string
		for _, s := range sets {
			there = append(there, s.Version)
		}
		if !slices.Contains(there, f.SetVersion) {
			return nil, usage("--set-version: badger.golden_set has no version %.60q; it has %s", f.SetVersion, strings.Join(there, ", "))
		}
	}
	return &warehouseSource{w: w, filter: f}, nil
}

// Cases yields the answers; their place is the row's key. It is an error if they are not as many as
// the rows of agent_runs that the filter chooses.
func (s *warehouseSource) Cases(ctx context.Context) iter.Seq2[batch.Item, error] {
	return func(yield func(batch.Item, error) bool) {
		before, err := s.w.Count(ctx, s.filter)
		if err != nil {
			yield(batch.Item{}, err)
			return
		}
		s.mu.Lock()
		s.taken, s.loose = map[string]int64{}, 0
		s.mu.Unlock()
		read, last := int64(0), scoring.AnswerID{}
		for a, err := range s.w.Cases(ctx, s.filter) {
			if err != nil {
				yield(batch.Item{}, err)
				return
			}
			if read++; read == 1 || a.AnswerID != last { // rows of one answer follow each other
				s.count(&a)
			}
			last = a.AnswerID
			if !yield(itemOf(&a), nil) {
				return
			}
		}
		if err := s.all(ctx, before, read); err != nil {
			yield(batch.Item{}, err)
		}
	}
}

func (s *warehouseSource) count(a *connectors.Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a.InSet {
		s.taken[a.SetVersion]++
	} else {
		s.loose++
	}
}

// all checks that every row was read. Rows may come and go meanwhile.
func (s *warehouseSource) all(ctx context.Context, before, read int64) error {
	after, err := s.w.Count(ctx, s.filter)
	if err != nil {
		return err
	}
	if read >= min(before, after) && read <= max(before, after) {
		return nil
	}
	return errcode.New(errcode.Internal, "badger.agent_runs has %d rows to score, and %d were read; this is a defect of badger", after, read)
}

func itemOf(a *connectors.Answer) batch.Item {
	if a.Case != nil {
		return batch.ItemOf(a.Case, placeOf(a.AnswerID))
	}
	return batch.Item{AnswerID: named(a.AnswerID), Place: placeOf(a.AnswerID), Question: func(context.Context) *scoring.Case { return a.Question }, Load: func(context.Context) (*scoring.Case, error) { return nil, a.Err }}
}

func placeOf(a scoring.AnswerID) string {
	return strings.Join([]string{"agent_runs", a.Agent, a.Version, a.Batch, a.CaseID}, " ")
}

// named is an answer with a case id to be reported under, where its row has none.
func named(a scoring.AnswerID) scoring.AnswerID {
	if a.CaseID == "" {
		a.CaseID = strings.TrimSpace(placeOf(a)) + ": no case_id"
	}
	return a
}

// Copies finds the answers that several rows of agent_runs give.
func (s *warehouseSource) Copies(ctx context.Context) (map[scoring.AnswerID]batch.Copies, error) {
	rows, err := s.w.Copies(ctx, s.filter)
	out := map[scoring.AnswerID]batch.Copies{}
	for a, n := range rows {
		out[named(a)] = batch.Copies{Items: int(n)}
	}
	return out, err
}

// Count is the number of answers.
func (s *warehouseSource) Count(ctx context.Context) (int64, error) { return s.w.Count(ctx, s.filter) }

// answersOf counts the answers by the version of the golden set that their question was taken from.
func (s *warehouseSource) answersOf() map[string]int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.taken)
}

// setVersions says which versions of the golden set the questions were taken from, the highest
// first.
func (s *warehouseSource) setVersions() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var parts []string
	for _, v := range slices.Backward(slices.SortedFunc(maps.Keys(s.taken), natural.Compare)) {
		parts = append(parts, fmt.Sprintf("version %s for %s", firstOf(v, "without a name"), amount.Of(int(s.taken[v]), "answer")))
	}
	if s.loose > 0 {
		parts = append(parts, fmt.Sprintf("no question for %s", amount.Of(int(s.loose), "answer")))
	}
	return strings.Join(parts, ", ")
}

// warehouseLedger keeps the scores of a run in a warehouse's tables.
type warehouseLedger struct {
	w     *connectors.ScoreWriter
	now   func() time.Time
	begin func(ctx context.Context, rows []batch.Row) error // is told of rows before they are stored
}

// Held yields what the run holds.
func (l warehouseLedger) Held(ctx context.Context, _ string) iter.Seq2[batch.Row, error] {
	return func(yield func(batch.Row, error) bool) {
		for r, err := range l.w.Held(ctx) {
			if !yield(batch.Row(r), err) {
				return
			}
		}
	}
}

// Append stores scores in place of those of the same key.
func (l warehouseLedger) Append(ctx context.Context, _ string, rows []batch.Row) error {
	if err := l.begin(ctx, rows); err != nil {
		return err
	}
	out := make([]connectors.ScoreRow, len(rows))
	for i, r := range rows {
		out[i] = connectors.ScoreRow(r)
	}
	return l.w.Write(ctx, l.now(), out)
}
