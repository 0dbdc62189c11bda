//go:build !no_duckdb

package hosting_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/duckdb"
	fakepostgres "github.com/badger-eval/badger/connectors/fake/postgres"
	"github.com/badger-eval/badger/connectors/postgres"
	"github.com/badger-eval/badger/internal/hosting"
	"github.com/badger-eval/badger/internal/judging"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
	"github.com/badger-eval/badger/udf"
	"github.com/badger-eval/badger/udf/server"
)

// TestTrust sends batches to two replicas that share a ledger and are killed by turns. A fifth of
// the replies is lost after processing; what is lost is sent again as it was, in another order, or
// in other batches, to either replica. No question may be asked of the judge twice, but those that
// a killed replica had asked and whose answer was not yet in the ledger; every row's result is the
// same in every reply, byte for byte; and no answer is in the ledger twice.
//
// BADGER_TRUST_BATCHES sets the number of batches (make trust: 10,000), BADGER_TRUST_STORE the
// ledger: duckdb or postgres.
func TestTrust(t *testing.T) {
	batches, kills := 300, 2
	if n, err := strconv.Atoi(os.Getenv("BADGER_TRUST_BATCHES")); err == nil {
		batches, kills = n, n/250
	}
	w := trustWarehouse(t)
	if err := w.Install(t.Context()); err != nil {
		t.Fatal(err)
	}
	c := &campaign{judge: &countingJudge{asked: map[string]int{}, excused: map[string]int{}}, rows: map[string]string{}, w: w}
	for i := range c.replicas {
		c.replicas[i] = c.start(t)
	}
	var sent atomic.Int64
	var wg sync.WaitGroup
	for caller := range 8 {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(7, uint64(caller))) //nolint:gosec // a test
			for sent.Add(1) <= int64(batches) {
				if !c.batch(t, random, batches) {
					return
				}
			}
		})
	}
	for k := range kills { // by turns, while batches are on their way
		for sent.Load() < int64((k+1)*batches/(kills+1)) && !t.Failed() {
			time.Sleep(time.Millisecond)
		}
		c.kill(t, k%2)
	}
	wg.Wait()
	for i := range c.replicas {
		c.replica(i).kill()
	}
	c.check(t)
}

func trustWarehouse(t *testing.T) *store.Store {
	var m connectors.Mux
	m.Register(duckdb.Scheme, duckdb.Open)
	m.Register(postgres.Scheme, postgres.Open)
	url := "duckdb:" + t.TempDir() + "/w.duckdb"
	if os.Getenv("BADGER_TRUST_STORE") == "postgres" {
		s, err := fakepostgres.Start(nil)
		if err != nil {
			t.Skipf("there is no PostgreSQL server to test with: %v", err)
		}
		t.Cleanup(s.Remove)
		url = s.URL("postgres", s.Port)
	}
	w, err := m.Open(t.Context(), url, driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return store.New(w)
}

// campaign is what the callers know.
type campaign struct {
	w     *store.Store
	judge *countingJudge

	mu       sync.Mutex
	replicas [2]*replica
	rows     map[string]string // result by question
	ids      atomic.Int64
	lost     atomic.Int64
	resent   atomic.Int64
}

func (c *campaign) replica(i int) *replica {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.replicas[i]
}

// batch sends one batch until its reply has come, and reports whether to continue.
func (c *campaign) batch(t *testing.T, random *rand.Rand, batches int) bool {
	questions := make([]string, 1+random.IntN(12))
	for i := range questions {
		questions[i] = fmt.Sprintf("question %d", random.IntN(batches/2))
	}
	pending := [][]string{questions}
	for len(pending) > 0 {
		rows := pending[0]
		pending = pending[1:]
		id := fmt.Sprintf("batch %d", c.ids.Add(1))
		var lost []byte
		for {
			reply, err := c.send(t, random, id, rows)
			if err != nil {
				if t.Failed() {
					return false
				}
				c.resent.Add(1)
				time.Sleep(5 * time.Millisecond)
				continue // the replica was killed: the same again
			}
			if lost != nil && !bytes.Equal(lost, reply) {
				t.Errorf("a batch that was sent again has another reply:\n%s\n%s", lost, reply)
				return false
			}
			if !c.same(t, rows, reply) {
				return false
			}
			if random.IntN(5) > 0 {
				break
			}
			c.lost.Add(1) // the reply does not arrive
			switch random.IntN(3) {
			case 0: // sent again as it was
				lost = reply
				continue
			case 1: // in another order
				random.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
				pending = append(pending, rows)
			default: // in other batches
				at := random.IntN(len(rows) + 1)
				for _, part := range [][]string{rows[:at], rows[at:]} {
					if len(part) > 0 {
						pending = append(pending, part)
					}
				}
			}
			break
		}
	}
	return true
}

// send sends a batch as Snowflake does: again with the same id, and with GETs after a 202.
func (c *campaign) send(t *testing.T, random *rand.Rand, id string, rows []string) ([]byte, error) {
	data := make([][]any, len(rows))
	for i, q := range rows {
		data[i] = []any{i, q, "the answer to " + q}
	}
	body, _ := json.Marshal(map[string]any{"data": data})
	method := http.MethodPost
	for {
		var content io.Reader = http.NoBody
		if method == http.MethodPost {
			content = bytes.NewReader(body)
		}
		req, _ := http.NewRequestWithContext(t.Context(), method, c.replica(random.IntN(2)).url+"/v1/snowflake/graded_json", content)
		req.Header.Set("sf-external-function-query-batch-id", id)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return nil, err
		}
		reply, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		switch {
		case err != nil:
			return nil, err
		case resp.StatusCode == http.StatusAccepted:
			method = http.MethodGet
		case resp.StatusCode == http.StatusServiceUnavailable || resp.StatusCode == http.StatusTooManyRequests:
			return nil, errors.New("try again")
		case resp.StatusCode != http.StatusOK:
			t.Errorf("%s: status %d: %s", method, resp.StatusCode, reply)
			return nil, errors.New("refused")
		default:
			return reply, nil
		}
	}
}

// same checks a reply against all earlier ones, row by row.
func (c *campaign) same(t *testing.T, rows []string, reply []byte) bool {
	var out struct{ Data [][2]json.RawMessage }
	if err := json.Unmarshal(reply, &out); err != nil || len(out.Data) != len(rows) {
		t.Errorf("%d rows came back as %s", len(rows), reply)
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, q := range rows {
		got := string(out.Data[i][1])
		was, known := c.rows[q]
		c.rows[q] = got
		if !strings.Contains(got, `"status":"ok"`) || known && was != got {
			t.Errorf("%s: %s, and before %s", q, got, was)
			return false
		}
	}
	return true
}

func (c *campaign) check(t *testing.T) {
	c.judge.mu.Lock()
	defer c.judge.mu.Unlock()
	calls, again := 0, 0
	for hash, n := range c.judge.asked {
		calls += n
		again += n - 1
		if n > 1+c.judge.excused[hash] {
			t.Errorf("a question was asked %d times; %d replicas were killed before its answer was kept", n, c.judge.excused[hash])
		}
	}
	if len(c.judge.asked) != len(c.rows) {
		t.Errorf("%d questions were asked for %d rows", len(c.judge.asked), len(c.rows))
	}
	for query, want := range map[string]int64{
		"SELECT COUNT(*) FROM badger.assessments":                     int64(len(c.rows)),
		"SELECT COUNT(DISTINCT request_hash) FROM badger.assessments": int64(len(c.rows)),
		"SELECT COUNT(*) - COUNT(DISTINCT call_id) FROM badger.calls": 0,
	} {
		got, err := c.w.Query(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		if n := got.Columns[0].Value(0).Int(); n != want {
			t.Errorf("%s: %d, want %d", query, n, want)
		}
	}
	t.Logf("%d batches, %d replies lost, %d sent again to another replica; %d rows, %d questions asked, %d of them again because a replica was killed before the answer was kept",
		c.ids.Load(), c.lost.Load(), c.resent.Load(), len(c.rows), calls, again)
}

// countingJudge answers what it is asked, and counts.
type countingJudge struct {
	mu      sync.Mutex
	asked   map[string]int
	excused map[string]int // replicas killed between asking and keeping
}

var trustIdentity = judgebackend.Identity{Backend: "fake", Model: "judge"}

// replica is one server.
type replica struct {
	url   string
	table *table
	stop  context.CancelFunc
	conns *conns
	judge *countingJudge

	mu       sync.Mutex
	inFlight map[string]bool // asked, and not yet kept
}

func (r *replica) Identity() judgebackend.Identity { return trustIdentity }

func (r *replica) Complete(ctx context.Context, q judgebackend.Request) (judgebackend.Response, error) {
	hash := q.Hash(trustIdentity)
	r.mu.Lock()
	if r.table.dead.Load() { // nobody is there any more who could ask
		r.mu.Unlock()
		return judgebackend.Response{}, context.Canceled
	}
	r.inFlight[hash] = true
	r.judge.mu.Lock()
	r.judge.asked[hash]++
	r.judge.mu.Unlock()
	r.mu.Unlock()
	select {
	case <-time.After(time.Duration(1+len(q.Messages[0].Content)%5) * time.Millisecond):
	case <-ctx.Done():
		return judgebackend.Response{}, ctx.Err()
	}
	return judgebackend.Response{Reply: `{"score":0.5}`, TokensIn: 10, TokensOut: 2, FinishReason: judgebackend.FinishStop}, nil
}

// graded is a metric that asks the judge one question.
func graded() scoring.Metric {
	return scoring.Metric{
		Name: "graded", Version: 1, Group: "test", Summary: "what the judge says", Range: "0 to 1",
		Needs: scoring.FieldQuestion | scoring.FieldResponse | scoring.FieldJudge, Branch: scoring.BranchAgentic,
		Score: func(ctx context.Context, in *scoring.Input) (scoring.Score, error) {
			var out struct{ Score float64 }
			err := in.Ask(ctx, judgebackend.Request{
				Purpose: "graded", Schema: json.RawMessage(`{"type":"object","properties":{"score":{"type":"number"}},"required":["score"],"additionalProperties":false}`),
				Messages: []judgebackend.Message{{Role: judgebackend.User, Content: in.Case.Question + "\n" + in.Case.Agent.Response}},
			}, &out)
			return scoring.OK(out.Score, "as the judge says"), err
		},
	}
}

func (c *campaign) start(t *testing.T) *replica {
	t.Helper()
	r := &replica{judge: c.judge, inFlight: map[string]bool{}}
	r.table = &table{w: c.w, kept: r.kept}
	ledger := judging.NewLedgerWithLease(r.table, 3*time.Second, time.Now, nil)
	stack, err := judgebackend.NewStack(r, &judgebackend.StackOptions{Store: ledger})
	if err != nil {
		t.Fatal(err)
	}
	engine, err := scoring.NewEngine([]scoring.Metric{graded()}, &scoring.EngineOptions{Judge: stack})
	if err != nil {
		t.Fatal(err)
	}
	catalogue, err := udf.NewCatalogue(engine, &udf.CatalogueOptions{Calls: hosting.NewCallStore(r.table, time.Now)})
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.New(catalogue, &server.Options{
		Limits: server.Limits{StopGrace: time.Millisecond}, Timeouts: map[string]time.Duration{"snowflake": 10 * time.Millisecond}, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r.conns = &conns{Listener: l}
	r.url = "http://" + l.Addr().String()
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); _ = s.Serve(ctx, nil, r.conns) }()
	r.stop = func() { stop(); <-done }
	return r
}

func (r *replica) kept(hashes []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.table.dead.Load() {
		return
	}
	for _, h := range hashes {
		delete(r.inFlight, h)
	}
}

// kill ends a replica at once: nothing of it reaches the warehouse, the judge or a caller any more.
// Only the memory is this process's.
func (r *replica) kill() {
	r.conns.cut() // first: a caller must not read that the ledger is gone
	r.mu.Lock()
	r.table.dead.Store(true)
	r.judge.mu.Lock()
	for h := range r.inFlight {
		r.judge.excused[h]++
	}
	r.judge.mu.Unlock()
	r.mu.Unlock()
	r.stop()
}

// kill kills a replica and starts another in its place.
func (c *campaign) kill(t *testing.T, i int) {
	c.replica(i).kill()
	r := c.start(t)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.replicas[i] = r
}

// conns is a listener whose connections can be cut.
type conns struct {
	net.Listener
	mu   sync.Mutex
	all  []net.Conn
	gone bool
}

func (c *conns) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	if err == nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.gone {
			_ = conn.Close()
		}
		c.all = append(c.all, conn)
	}
	return conn, err
}

func (c *conns) cut() {
	_ = c.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gone = true
	for _, conn := range c.all {
		_ = conn.Close()
	}
}

// table is the warehouse as a replica reaches it while it lives.
type table struct {
	w    *store.Store
	dead atomic.Bool
	kept func(hashes []string)
}

var errDead = errors.New("the replica was killed")

func (f *table) live(do func() error) error {
	if f.dead.Load() {
		return errDead
	}
	return do()
}

func (f *table) Assessments(ctx context.Context, filter store.AssessmentFilter) iter.Seq2[judgebackend.Assessment, error] {
	if f.dead.Load() {
		return func(yield func(judgebackend.Assessment, error) bool) { yield(judgebackend.Assessment{}, errDead) }
	}
	return f.w.Assessments(ctx, filter)
}

func (f *table) WriteAssessments(ctx context.Context, rows ...judgebackend.Assessment) error {
	err := f.live(func() error { return f.w.WriteAssessments(ctx, rows...) })
	if err == nil {
		hashes := make([]string, len(rows))
		for i := range rows {
			hashes[i] = rows[i].RequestHash
		}
		f.kept(hashes)
	}
	return err
}

func (f *table) Claim(ctx context.Context, owner string, now, until time.Time, keys ...string) (held []string, err error) {
	err = f.live(func() (err error) { held, err = f.w.Claim(ctx, owner, now, until, keys...); return err })
	return held, err
}

func (f *table) RenewClaims(ctx context.Context, owner string, until time.Time) error {
	return f.live(func() error { return f.w.RenewClaims(ctx, owner, until) })
}

func (f *table) ReleaseClaims(ctx context.Context, owner string, keys ...string) error {
	return f.live(func() error { return f.w.ReleaseClaims(ctx, owner, keys...) })
}

func (f *table) ForgetClaims(ctx context.Context, before time.Time) error {
	return f.live(func() error { return f.w.ForgetClaims(ctx, before) })
}

func (f *table) VoidClaims(ctx context.Context, kind, mine string) error {
	return f.live(func() error { return f.w.VoidClaims(ctx, kind, mine) })
}

func (f *table) WriteCalls(ctx context.Context, calls ...store.Call) error {
	return f.live(func() error { return f.w.WriteCalls(ctx, calls...) })
}

func (f *table) Calls(ctx context.Context, ids ...string) (out []store.Call, err error) {
	err = f.live(func() (err error) { out, err = f.w.Calls(ctx, ids...); return err })
	return out, err
}

func (f *table) AnswerCall(ctx context.Context, id, reply string) error {
	return f.live(func() error { return f.w.AnswerCall(ctx, id, reply) })
}

func (f *table) ForgetCalls(ctx context.Context, before time.Time) error {
	return f.live(func() error { return f.w.ForgetCalls(ctx, before) })
}
