// Package execution runs the queries of cases that have no result: the gold query and the agent's query, in the same
// warehouse at nearly the same time, so that both see the same data.
// Agents' queries are untrusted. Text is run only if it is a single query that badger can parse completely and that
// only calls functions known to be harmless ([metric.ReadQuery]). It runs on a read-only connection with limits of
// rows, bytes and time. The role in the URL determines which data is readable; it should have no other privileges.
//
// Results are stored in files named by the hash of their content, and an index maps queries to results ([Store]).
// Scores are computed from the stored form, so that a later computation gives the same scores.
package execution

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// Warehouse runs queries on a read-only connection.
type Warehouse interface {
	Dialect() string
	SQL() driver.Dialect
	QueryWithin(ctx context.Context, rows, bytes int64, query string, args ...any) (*scoring.Table, error)
}

// Limits limit one query.
type Limits struct {
	Rows    int64         // of its result
	Bytes   int64         // memory of its result in bytes
	Timeout time.Duration // time to run it and to read its result
}

// defaultLimits are the default limits of badger run.
var defaultLimits = Limits{Rows: 100_000, Bytes: 64 << 20, Timeout: time.Minute}

// concurrency is the number of queries that run concurrently.
const concurrency = 8

// Executor runs the queries of cases. It is safe for concurrent use.
type Executor struct {
	// Open opens the warehouse of a database; it is called once for each database.
	Open        func(ctx context.Context, database string) (Warehouse, error)
	PerDatabase bool // cases name their database; otherwise all use the same, whose name is ""

	Limits    Limits
	Functions []string // allowed functions in addition to those known for the dialect
	Store     *Store   // where results are stored; nil: nowhere
	KeptFirst bool     // use stored results instead of running queries again
	KeptOnly  bool     // use only stored results, run no query
	Forget    bool     // run a query again when it is needed again; concurrent cases that have it still share a run

	Clock *time.Time // replaces the current time in the queries of cases; nil: not replaced

	Schema     bool // add the definitions of the tables that its queries read to a case without a schema
	Statistics bool // and add statistics of the columns that they read
	Now        func() time.Time

	once  sync.Once
	slots chan struct{}

	mu      sync.Mutex
	opened  map[string]*opening
	flights map[string]*flight
	tally   tally
}

type opening struct {
	done chan struct{}
	w    Warehouse
	err  error
}

// flight is one query that runs once for all cases that have it.
type flight struct {
	done chan struct{}
	out  outcome
}

// outcome is what running a query gave.
type outcome struct {
	Record
	table *scoring.Table
}

// Outcomes of a query.
const (
	ran     = "ok"
	failed  = "error"   // the query's own error: the database rejected it, or it took too long
	refused = "refused" // not run: not a query, a missing function, or it would do more than read data
	unknown = "unknown" // not run: a function that it calls is unknown to badger
	unread  = "unread"  // it ran, but badger does not support the type of a returned value
	beyond  = "limit"   // it ran, but its result exceeds the limits
	away    = "away"    // the warehouse failed to run it; not the query's error
	notKept = "not kept"
)

// Side distinguishes gold queries from agents' queries.
type Side string

// The sides.
const (
	gold  Side = "gold"
	agent Side = "agent"
)

// tally counts the outcomes of queries. Ran counts a query that several cases share once.
type tally struct {
	Ran, Kept int // queries that were run, and queries whose result was stored
	Stated    int // cases that state a schema, so that no tables were described
	Outcomes  map[Side]map[string]int
	First     map[string]string // by side and outcome, the first such case and its message
}

// Source returns a source whose cases get the results that they lack.
func (e *Executor) Source(s batch.Source) batch.Source {
	if c, ok := s.(batch.Counter); ok {
		return countedSource{source{e, s}, c}
	}
	return source{e, s}
}

type source struct {
	e    *Executor
	from batch.Source
}

type countedSource struct {
	source
	batch.Counter
}

// Cases yields the cases of the source. A case's queries run when it is loaded.
func (s source) Cases(ctx context.Context) iter.Seq2[batch.Item, error] {
	return func(yield func(batch.Item, error) bool) {
		for item, err := range s.from.Cases(ctx) {
			if err == nil {
				load := item.Load
				item.Load = func(ctx context.Context) (*scoring.Case, error) {
					c, err := load(ctx)
					if err != nil {
						return nil, err
					}
					return c, s.e.Fill(ctx, c)
				}
			}
			if !yield(item, err) {
				return
			}
		}
	}
}

// Copies returns the duplicate answers of the source.
func (s source) Copies(ctx context.Context) (map[scoring.AnswerID]batch.Copies, error) {
	return batch.FindCopies(ctx, s.from)
}

// Fill runs the queries of c that have neither a result nor an error, and sets one of these. If the database rejects
// a query, it gets an error: an agent's query failed, and nothing can be compared with a failed gold query. If the
// query is not the cause, such as with an unreachable warehouse, it gets an unreadable result, whose scores are
// failed and can be computed again. Gold queries run only if the agent gave a query or result. Fill returns an error
// if ctx ends or a result cannot be stored.
func (e *Executor) Fill(ctx context.Context, c *scoring.Case) error {
	if err := e.describe(ctx, c, e.databaseOf(c)); err != nil {
		return err
	}
	answered := strings.TrimSpace(c.Pred.SQL) != "" || !c.Pred.Result.Absent()
	if answered {
		for i := range c.Golds {
			if err := e.fill(ctx, c, &c.Golds[i], gold); err != nil {
				return err
			}
		}
	}
	return e.fill(ctx, c, &c.Pred, agent)
}

// FillGolds is like Fill for the gold queries alone, also without an answer.
func (e *Executor) FillGolds(ctx context.Context, c *scoring.Case) error {
	for i := range c.Golds {
		if err := e.fill(ctx, c, &c.Golds[i], gold); err != nil {
			return err
		}
	}
	return nil
}

// databaseOf returns the database for the queries of a case, or "" if all cases use the same.
func (e *Executor) databaseOf(c *scoring.Case) string {
	if e.PerDatabase {
		return c.Database
	}
	return ""
}

func (e *Executor) fill(ctx context.Context, c *scoring.Case, q *scoring.Query, side Side) error {
	if strings.TrimSpace(q.SQL) == "" || q.Error != "" || !q.Result.Absent() {
		return nil
	}
	sql, _ := c.WrittenSQL(q) // the scores report the text around it
	out, err := e.outcome(ctx, e.databaseOf(c), sql, false)
	if err != nil {
		return err
	}
	e.count(c.ID, side, &out)
	q.Clock = out.Clock
	q.Ran = out.Outcome == ran || out.Outcome == failed || out.Outcome == beyond || out.Outcome == unread
	switch out.Outcome {
	case ran:
		q.Result.Table = out.table
	case failed, refused:
		q.Error, q.Ran = out.Message, true
	default:
		q.Result.Err = errcode.New(errcode.Named(out.Code), "%s", out.Message)
	}
	return nil
}

func (e *Executor) begin() {
	e.slots, e.opened, e.flights = make(chan struct{}, concurrency), map[string]*opening{}, map[string]*flight{}
}

// outcome runs a query, or waits for the concurrent call that runs it. own means that the query is badger's, not of a
// case.
func (e *Executor) outcome(ctx context.Context, database, sql string, own bool) (outcome, error) {
	e.once.Do(e.begin)
	clock := e.Clock
	if own {
		clock = nil
	}
	key := keyOf(database, sql, clock)
	for {
		e.mu.Lock()
		f := e.flights[key]
		first := f == nil
		if first {
			f = &flight{done: make(chan struct{})}
			e.flights[key] = f
		}
		e.mu.Unlock()
		if !first {
			select {
			case <-f.done:
			case <-ctx.Done():
				return outcome{}, ctx.Err()
			}
			if f.out.Outcome == "" {
				continue // its case was given up
			}
			return e.again(f.out)
		}
		out, err := e.run(ctx, key, database, sql, own)
		e.mu.Lock()
		f.out = out
		if e.Store != nil || err != nil {
			f.out.table = nil // it is read again from the store
		}
		if err != nil {
			f.out.Outcome = ""
		}
		if e.Forget || err != nil {
			delete(e.flights, key)
		}
		e.mu.Unlock()
		close(f.done)
		return out, err
	}
}

// again returns the outcome of a query that was run for another case, whose result it may have to read from the
// store.
func (e *Executor) again(out outcome) (outcome, error) {
	if out.Outcome == ran && out.table == nil {
		return e.read(out.Record), nil
	}
	return out, nil
}

// read reads the stored result of a record. If it cannot be read, the outcome is away.
func (e *Executor) read(r Record) outcome {
	out := outcome{Record: r}
	if r.Outcome != ran {
		return out
	}
	var err error
	if out.table, err = e.Store.Read(r.Snapshot); err != nil {
		out.Outcome, out.Code, out.Message = away, errcode.Of(err).String(), err.Error()
	}
	return out
}

// keyOf returns the key of a query in the store. The same query with another pinned time has another key.
func keyOf(database, sql string, clock *time.Time) string {
	text := database + "\x00" + sql
	if clock != nil {
		text += "\x00" + clock.Format(time.RFC3339)
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// run runs a query, or takes its stored result. An error means that ctx ended or the record could not be stored.
func (e *Executor) run(ctx context.Context, key, database, sql string, own bool) (outcome, error) {
	if r, ok := e.Store.find(key, e.KeptOnly); ok && (e.KeptFirst || e.KeptOnly) {
		e.mu.Lock()
		e.tally.Kept++
		e.mu.Unlock()
		return e.read(r), nil
	}
	if e.KeptOnly {
		return outcome{
			Record: Record{Outcome: notKept, Code: errcode.NotFound.String(), Message: "no result of this query is kept"}}, nil
	}
	r := Record{Key: key, Database: database, SQL: sql, RanAt: e.Now().UTC()}
	w, err := e.Warehouse(ctx, database)
	if err != nil {
		if ctx.Err() != nil {
			return outcome{}, ctx.Err()
		}
		r.Outcome, r.Code, r.Message = away, errcode.Of(err).String(), err.Error()
		return outcome{Record: r}, nil
	}
	if reading := metric.ReadQuery(sql, sqlparts.DialectOf(w.Dialect()), e.Functions...); !own && !reading.Reads() {
		r.Outcome, r.Code, r.Message = e.refuse(ctx, w, sql, &reading)
		if ctx.Err() != nil {
			return outcome{}, ctx.Err()
		}
		return outcome{Record: r}, e.keep(r)
	}
	if name := ofHost(sql, w.SQL(), e.Functions); !own && name != "" {
		r.Outcome, r.Code, r.Message = refused, errcode.PermissionDenied.String(),
			"the query was not run: "+name+" reports on the host or its settings, not on data"
		return outcome{Record: r}, e.keep(r)
	}
	send := sql
	if e.Clock != nil && !own {
		if send, r.Clock, r.Message = e.pin(sql, sqlparts.DialectOf(w.Dialect())); r.Message != "" {
			r.Outcome, r.Code = unknown, errcode.FailedPrecondition.String()
			return outcome{Record: r}, e.keep(r)
		}
		if r.Clock != nil {
			r.Pinned = send
		}
	}
	select {
	case e.slots <- struct{}{}:
		defer func() { <-e.slots }()
	case <-ctx.Done():
		return outcome{}, ctx.Err()
	}
	e.mu.Lock()
	e.tally.Ran++
	e.mu.Unlock()
	limited, cancel := context.WithTimeout(ctx, e.Limits.Timeout)
	defer cancel()
	start := e.Now()
	table, err := w.QueryWithin(limited, e.Limits.Rows, e.Limits.Bytes, send)
	r.LatencyMS = e.Now().Sub(start).Milliseconds()
	if ctx.Err() != nil {
		return outcome{}, ctx.Err()
	}
	if err != nil {
		r.Outcome, r.Message = e.classify(limited, err)
		r.Code = errcode.Of(err).String()
		return outcome{Record: r}, e.keep(r)
	}
	out := outcome{Record: r}
	text := table.AppendJSON(nil)
	if out.table, err = scoring.ParseResult(text); err != nil {
		return outcome{}, errcode.New(errcode.Internal, "a result cannot be written and read again: %w", err)
	}
	out.Outcome, out.Rows = ran, int64(out.table.Rows())
	if e.Store != nil {
		if out.Snapshot, err = e.Store.write(text); err != nil {
			return outcome{}, err
		}
	}
	return out, e.keep(out.Record)
}

// pin returns the query with the pinned time instead of the clock, and that time if the query reads the clock. why is
// the reason if the time cannot be pinned, or if the changed query may do more than read.
func (e *Executor) pin(sql string, d sqlparts.Dialect) (text string, at *time.Time, why string) {
	text, n, why := sqlparts.Parse(sql, d).PinClock(*e.Clock)
	if r := metric.ReadQuery(text, d, e.Functions...); why == "" && n > 0 && !r.Reads() {
		why = "the text with the pinned clock is not known to only read"
	}
	if why != "" {
		return "", nil, "the query was not run, since its clock cannot be pinned (--clock): " + why
	}
	if n == 0 {
		return sql, nil, ""
	}
	return text, e.Clock, ""
}

// classify returns the outcome of a query that gave an error, with a message.
func (e *Executor) classify(limited context.Context, err error) (what, message string) {
	switch code := errcode.Of(err); {
	case errcode.IsUnread(err):
		return unread, "the query ran, and badger does not read what it returned: " + err.Error()
	case limited.Err() != nil &&
		(code == errcode.DeadlineExceeded || code == errcode.Cancelled || code == errcode.Unknown):
		return failed, fmt.Sprintf("the query took longer than the %s that it may take", e.Limits.Timeout)
	case code == errcode.DeadlineExceeded: // a limit of the warehouse's own
		return failed, err.Error()
	case code == errcode.ResourceExhausted:
		return beyond, "the result is larger than what is read of one, or than the engine's memory: " + err.Error()
	case slices.Contains(
		[]errcode.Code{errcode.InvalidArgument, errcode.NotFound, errcode.AlreadyExists, errcode.Unimplemented}, code):
		return failed, err.Error()
	default:
		return away, err.Error()
	}
}

func (e *Executor) keep(r Record) error {
	if e.Store == nil {
		return nil
	}
	return e.Store.add(r)
}

// Warehouse returns the open warehouse of a database.
func (e *Executor) Warehouse(ctx context.Context, database string) (Warehouse, error) {
	e.once.Do(e.begin)
	e.mu.Lock()
	o := e.opened[database]
	own := o == nil
	if own {
		o = &opening{done: make(chan struct{})}
		e.opened[database] = o
	}
	e.mu.Unlock()
	if own {
		o.w, o.err = e.Open(context.WithoutCancel(ctx), database)
		if o.err != nil && e.Forget {
			e.mu.Lock()
			delete(e.opened, database)
			e.mu.Unlock()
		}
		close(o.done)
	}
	select {
	case <-o.done:
		return o.w, o.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Exposes reports whether queries can read a table of a database. name is SQL. The error says that this is not known,
// such as that the warehouse cannot be reached.
func (e *Executor) Exposes(ctx context.Context, database, name string) (bool, error) {
	w, err := e.Warehouse(ctx, database)
	if err != nil {
		return false, err
	}
	ctx, cancel := context.WithTimeout(ctx, e.Limits.Timeout)
	defer cancel()
	_, err = w.QueryWithin(ctx, 1, 1<<16, "SELECT 1 AS x FROM "+name+" WHERE 1 = 0")
	switch errcode.Of(err) {
	case errcode.InvalidArgument, errcode.NotFound, errcode.PermissionDenied:
		return false, nil
	}
	return err == nil, err
}

// count adds the outcome of a case's query to the tally.
func (e *Executor) count(id string, side Side, out *outcome) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.tally.Outcomes == nil {
		e.tally.Outcomes, e.tally.First = map[Side]map[string]int{gold: {}, agent: {}}, map[string]string{}
	}
	e.tally.Outcomes[side][out.Outcome]++
	if key := string(side) + " " + out.Outcome; out.Outcome != ran && e.tally.First[key] == "" {
		e.tally.First[key] = fmt.Sprintf("case %q: %s", id, out.Message)
	}
}

// NoneRan reports whether there were queries to run, and none of them reached a database or has a kept result.
func (e *Executor) NoneRan() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	unreached := 0
	for _, of := range e.tally.Outcomes {
		if of[ran] > 0 || of[failed] > 0 || of[beyond] > 0 || of[unread] > 0 {
			return false
		}
		unreached += of[away] + of[notKept]
	}
	return unreached > 0
}

// NoGoldRan reports whether gold queries failed in their database, and none of them ran.
func (e *Executor) NoGoldRan() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.noGoldRan()
}

func (e *Executor) noGoldRan() bool {
	of := e.tally.Outcomes[gold]
	return of[failed] > 0 && of[ran] == 0
}

// Lines describes the executed queries: a first line with their numbers, and then a line for each kind of query
// without a result, with an example.
func (e *Executor) Lines() (lines []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	line := "executed " + printable.Count(e.tally.Ran, "query")
	if e.tally.Kept > 0 {
		line += fmt.Sprintf(", took the kept results of %d", e.tally.Kept)
	}
	lines = append(lines, line)
	for _, side := range []Side{gold, agent} {
		for _, k := range []struct{ outcome, says string }{
			{failed, "failed"},
			{refused, "were rejected: each is not a query, calls a function that does not exist, or would do more than read"},
			{unknown, "were not run: they call unknown functions, or their clock cannot be pinned"},
			{beyond, "returned results above the limits"},
			{unread, "returned values of unsupported types, which is not an error of the queries"},
			{away, "could not be run or kept"}, {notKept, "have no kept result"},
		} {
			if n := e.tally.Outcomes[side][k.outcome]; n > 0 {
				lines = append(lines,
					fmt.Sprintf("%d of the %s queries %s, such as %s", n, side, k.says, e.tally.First[string(side)+" "+k.outcome]))
			}
		}
	}
	if n := e.tally.Stated; n > 0 {
		what := "the definitions were not read"
		if e.Statistics {
			what = "neither the definitions nor statistics were read"
		}
		lines = append(lines, fmt.Sprintf("cases that state schema_ddl: %d; of their tables %s", n, what))
	}
	if e.noGoldRan() {
		lines = append(lines, "!! no gold query ran: are the database and the role the right ones?")
	}
	return lines
}
