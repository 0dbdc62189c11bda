//go:build !no_duckdb

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/internal/arrowtable"
	"github.com/badger-eval/badger/internal/config"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/counterexample"
	"github.com/badger-eval/badger/scoring/custom"
)

// judgeSQL runs judges of kind sql on embedded engines in memory, without access to files or the network. Each
// engine runs in a child process of this program, because a process can be limited and killed: the engine's memory
// limit does not cover the values of a row (repeat('a', 4000000000) takes gigabytes), and a function that computes
// one value cannot be interrupted. Idle processes are reused.
var judgeSQL custom.SQLEngine = &sqlJudges{
	running: make(chan struct{}, max(2, runtime.GOMAXPROCS(0))),
	idle:    make(chan *sqlProcess, max(2, runtime.GOMAXPROCS(0))),
}

// smallDatabases searches counterexamples in the same child processes as judgeSQL.
var smallDatabases counterexample.Finder = judgeSQL.(*sqlJudges) //nolint:forcetypeassert // set above

const (
	// time limit of a query; a slower one is probably a cross join of all tables that would run for hours
	judgeSQLTime   = time.Minute
	judgeSQLEngine = "512MB" // limit of the engine's memory for tables and intermediate results
	judgeSQLBytes  = 1 << 30 // limit of the child process, including its code and stacks
	judgeSQLRows   = 1000    // maximum rows of a result
	judgeSQLResult = 1 << 20 // maximum bytes of a result
)

type sqlJudges struct {
	running chan struct{} // holds an element for each running query; its capacity limits them
	idle    chan *sqlProcess
}

// EvaluateSQL returns the result of query, which can read only tables, by name.
func (e *sqlJudges) EvaluateSQL(ctx context.Context, query string,
	tables map[string]*scoring.Table) (*scoring.Table, error) {
	q, err := newSQLQuestion(query, tables)
	if err != nil {
		return nil, err
	}
	answer, err := e.ask(ctx, q, e.process)
	if err != nil {
		return nil, err
	}
	return answer.table()
}

// Find searches a small database on which the two queries of p differ. If a process runs out of memory, which earlier
// queries may have used, it searches once more in a new process. Out of time or memory is an outcome, not an error.
func (e *sqlJudges) Find(ctx context.Context, p *counterexample.Problem) (*counterexample.Outcome, error) {
	q := &sqlQuestion{Pair: p}
	answer, err := e.ask(ctx, q, e.process)
	if outOfMemory(answer, err) && ctx.Err() == nil {
		answer, err = e.ask(ctx, q, startSQLProcess)
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errcode.Of(err) == errcode.DeadlineExceeded:
		return &counterexample.Outcome{Why: "the search took longer than " + judgeSQLTime.String()}, nil
	case outOfMemory(answer, err):
		return &counterexample.Outcome{
			Why: "the search needs more memory than it may take, or than the machine has left"}, nil
	case err != nil:
		return nil, err
	case answer.Code != errcode.OK:
		return nil, errcode.New(answer.Code, "%s", answer.Reason)
	}
	return answer.Found, nil
}

// outOfMemory reports whether answer or err has the code ResourceExhausted: the process ended early, or its engine
// exceeded its memory.
func outOfMemory(answer *sqlAnswer, err error) bool {
	return errcode.Of(err) == errcode.ResourceExhausted || answer != nil && answer.Code == errcode.ResourceExhausted
}

// ask returns the answer of a child process to q. It waits until fewer than the maximum number of queries run, and
// kills the process after judgeSQLTime or when ctx is done.
func (e *sqlJudges) ask(ctx context.Context, q *sqlQuestion, process func() (*sqlProcess, error)) (*sqlAnswer, error) {
	select {
	case e.running <- struct{}{}:
		defer func() { <-e.running }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	p, err := process()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, judgeSQLTime)
	defer cancel()
	stop := context.AfterFunc(ctx, p.kill)
	answer, err := p.ask(q)
	switch {
	case !stop():
		p.end()
		return nil, errcode.New(errcode.Of(ctx.Err()), "the query was stopped")
	case err != nil: // the process has ended
		p.end()
		return nil, errcode.New(errcode.ResourceExhausted, "the query exceeds the memory limit of judges")
	}
	select {
	case e.idle <- p:
	default:
		p.kill()
		p.end()
	}
	return answer, nil
}

func (e *sqlJudges) process() (*sqlProcess, error) {
	select {
	case p := <-e.idle:
		return p, nil
	default:
		return startSQLProcess()
	}
}

// sqlProcess is a child process that runs an embedded engine.
type sqlProcess struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// sqlProcessVar is the environment variable that makes this program run as such a child process.
const sqlProcessVar = config.SQLProcess

// startSQLProcess starts a child process for SQL judges. It inherits no environment variables, which may hold keys,
// except TZ. It exits when its standard input is closed, so also when this process ends.
func startSQLProcess() (*sqlProcess, error) {
	failed := func(err error) (*sqlProcess, error) {
		return nil, errcode.New(errcode.Unavailable, "cannot start a process for the query: %w", err)
	}
	self, err := os.Executable()
	if err != nil {
		return failed(err)
	}
	p := &sqlProcess{cmd: exec.Command(self)} //nolint:gosec,noctx // this program; it is killed when its query's context ends
	p.cmd.Dir = filepath.Dir(self)            // the current folder may be removed while the process waits for more queries
	p.cmd.Env = []string{sqlProcessVar + "=1", "TZ=" + os.Getenv("TZ")}
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return failed(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return failed(err)
	}
	p.out = bufio.NewReader(out)
	if err := p.cmd.Start(); err != nil {
		return failed(err)
	}
	return p, nil
}

func (p *sqlProcess) kill() { _ = p.cmd.Process.Kill() }

// end closes the input of a process that was killed or has exited, and waits for it.
func (p *sqlProcess) end() {
	_ = p.in.Close()
	_ = p.cmd.Wait()
}

func (p *sqlProcess) ask(q *sqlQuestion) (*sqlAnswer, error) {
	if err := writeFrame(p.in, q); err != nil {
		return nil, err
	}
	a := new(sqlAnswer)
	return a, readFrame(p.out, a)
}

// sqlQuestion is the request to a child process: a query with its tables as Arrow streams, or in Pair two queries to
// find a counterexample for.
type sqlQuestion struct {
	Query  string
	Names  []string
	Tables [][]byte
	Pair   *counterexample.Problem
}

// sqlAnswer is the reply of a child process: the result as an Arrow stream, the outcome for a pair of queries, or an
// error.
type sqlAnswer struct {
	Result []byte
	Found  *counterexample.Outcome
	Code   errcode.Code
	Reason string
}

func newSQLQuestion(query string, tables map[string]*scoring.Table) (*sqlQuestion, error) {
	q := &sqlQuestion{Query: query}
	for _, name := range slices.Sorted(maps.Keys(tables)) { // names of fields
		stream, err := arrowStream(tables[name])
		if err != nil {
			return nil, errcode.New(errcode.Of(err), "table %s: %w", name, err)
		}
		q.Names, q.Tables = append(q.Names, name), append(q.Tables, stream)
	}
	return q, nil
}

func arrowStream(t *scoring.Table) ([]byte, error) {
	rows, err := arrowtable.NewReader(memory.DefaultAllocator, t, 10_000)
	if err != nil {
		return nil, err
	}
	defer rows.Release()
	var b bytes.Buffer
	w := ipc.NewWriter(&b, ipc.WithSchema(rows.Schema()))
	for rows.Next() {
		if err := w.Write(rows.Record()); err != nil {
			return nil, err
		}
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil { // writes the schema of an empty result, so b is read after it
		return nil, err
	}
	return b.Bytes(), nil
}

func (a *sqlAnswer) table() (*scoring.Table, error) {
	if a.Code != errcode.OK {
		return nil, errcode.New(a.Code, "%s", a.Reason)
	}
	r, err := ipc.NewReader(bytes.NewReader(a.Result))
	if err != nil {
		return nil, errcode.New(errcode.Internal, "the query's result cannot be read")
	}
	defer r.Release()
	return arrowtable.Read(r, arrowtable.Limits{Rows: judgeSQLRows})
}

// writeFrame writes v as JSON, preceded by its length in 8 bytes, little-endian.
func writeFrame(w io.Writer, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if err := binary.Write(w, binary.LittleEndian, uint64(len(b))); err != nil {
		return err
	}
	_, err = w.Write(b)
	return err
}

func readFrame(r io.Reader, v any) error {
	var n uint64
	if err := binary.Read(r, binary.LittleEndian, &n); err != nil {
		return err
	}
	b, err := io.ReadAll(io.LimitReader(r, int64(n))) //nolint:gosec // of our own making
	if err != nil {
		return err
	}
	return json.Unmarshal(b, v)
}
