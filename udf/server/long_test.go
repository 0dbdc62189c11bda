package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow/flight"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/udf"
	"github.com/badger-eval/badger/udf/identity"
	"github.com/badger-eval/badger/udf/udfpb"
)

// slowJudge is a function that takes as long as a judge, and counts how often each question is
// asked.
type slowJudge struct {
	takes time.Duration
	mu    sync.Mutex
	asked map[string]int
	fail  atomic.Bool
}

func (j *slowJudge) function() udf.Function {
	return udf.Function{
		Name: "slow_json", Group: "test", Metric: "slow", Result: udf.JSON, Version: 1, Waits: true, Once: true,
		Params: []udf.Param{{Name: "question"}, {Name: "weight", Type: udf.DOUBLE, Optional: true}},
		Row: func(ctx context.Context, in *udf.Batch, i int, out *udf.Column) error {
			q := in.Text(0, i)
			j.mu.Lock()
			j.asked[q]++
			j.mu.Unlock()
			select {
			case <-time.After(j.takes):
			case <-ctx.Done():
				return ctx.Err()
			}
			if j.fail.Load() {
				return errcode.New(errcode.Unavailable, "the judge is away")
			}
			w, _ := in.Float(1, i)
			out.SetText(i, fmt.Sprintf(`{"status":"ok","value":0.5,"of":%q,"weight":"%v"}`, q, w))
			return nil
		},
	}
}

func (j *slowJudge) most() (most int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, n := range j.asked {
		most = max(most, n)
	}
	return most
}

func newSlow(takes time.Duration) *slowJudge {
	return &slowJudge{takes: takes, asked: map[string]int{}}
}

func slowCatalogue(t testing.TB, j *slowJudge, calls udf.CallStore) *udf.Catalogue {
	t.Helper()
	engine, err := scoring.NewEngine(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := udf.NewCatalogue(engine, &udf.CatalogueOptions{Calls: calls, Extra: []udf.Function{j.function()}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// memoryCalls is a call store that replicas of a test share.
type memoryCalls struct {
	mu   sync.Mutex
	m    map[string]udf.KeptCall
	away bool
}

func (m *memoryCalls) Keep(_ context.Context, calls []udf.KeptCall) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.away {
		return errcode.New(errcode.Unavailable, "away")
	}
	for _, c := range calls {
		if _, there := m.m[c.ID]; !there {
			m.m[c.ID] = c
		}
	}
	return nil
}

func (m *memoryCalls) Find(_ context.Context, ids []string) (out []udf.KeptCall, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.away {
		return nil, errcode.New(errcode.Unavailable, "away")
	}
	for _, id := range ids {
		if c, ok := m.m[id]; ok {
			out = append(out, c)
		}
	}
	return out, nil
}

func (m *memoryCalls) Answer(_ context.Context, id string, reply []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c, ok := m.m[id]; ok && c.Reply == nil {
		c.Reply = reply
		m.m[id] = c
	}
	return nil
}

// A judge that takes twelve times as long as the caller waits ends in scores on every wire: the call fails with what its
// caller repeats, and the repeated one has the scores, of one call of the judge. No score is NULL for lack of time.
func TestSlowJudgeOnEveryWire(t *testing.T) {
	const patience, takes, late = 50 * time.Millisecond, 600 * time.Millisecond, "late"
	timeouts := map[string]time.Duration{}
	for _, w := range []string{"snowflake", "bigquery", "databricks", "databricks_batch", "json", "databend", "risingwave", "flight", "grpc"} {
		timeouts[w] = patience
	}
	j := newSlow(takes)
	s := start(t, slowCatalogue(t, j, nil), &Options{Timeouts: timeouts})
	http := func(path, body string) func(string) string {
		return func(q string) string {
			status, reply, _ := post(t, s.url+path, strings.ReplaceAll(body, "Q", q))
			if status == 503 && strings.Contains(reply, "not scored in time") {
				return late
			}
			if status != 200 {
				t.Errorf("%s: status %d: %s", path, status, reply)
			}
			return reply
		}
	}
	flights := flight.NewClientFromConn(dial(t, s.addr), nil)
	flightCall := func(handler string) func(string) string {
		return func(q string) string {
			_, values, err := tryExchange(t.Context(), flights, handler, textRecord([]string{q, q}))
			switch code := status.Code(err); {
			case code == codes.Unavailable && strings.Contains(err.Error(), "not scored in time"):
				return late
			case err != nil:
				t.Errorf("%s: %v", handler, err)
			}
			return strings.Join(values, "\n")
		}
	}
	client := udfpb.NewScoringClient(dial(t, s.addr))
	for wire, call := range map[string]func(q string) string{
		"snowflake without a batch id": http("/v1/snowflake/slow_json", `{"data":[[0,"Q"],[1,"Q"]]}`),
		"bigquery":                     http("/v1/bigquery/slow_json", `{"calls":[["Q"],["Q"]]}`),
		"databricks":                   http("/v1/databricks/slow_json", `{"question":"Q"}`),
		"databricks_batch":             http("/v1/databricks/slow_json/batch", `{"rows":[["Q"],["Q"]]}`),
		"json":                         http("/v1/functions/slow_json", `{"rows":[["Q"],["Q"]]}`),
		"databend":                     flightCall("slow_json@databend"),
		"risingwave":                   flightCall("slow_json@risingwave"),
		"flight":                       flightCall("slow_json"),
		"grpc": func(q string) string {
			resp, err := client.Call(t.Context(), &udfpb.CallRequest{Function: "slow_json", Arguments: []*udfpb.Column{
				{Values: &udfpb.Column_Texts{Texts: &udfpb.Texts{Values: []string{q, q}}}},
			}})
			switch {
			case status.Code(err) == codes.Unavailable && strings.Contains(err.Error(), "not scored in time"):
				return late
			case err != nil:
				t.Errorf("grpc: %v", err)
				return ""
			}
			return strings.Join(resp.GetResult().GetTexts().GetValues(), "\n")
		},
		"grpc, the caller's deadline": func(q string) string {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			resp, err := client.Call(ctx, &udfpb.CallRequest{Function: "slow_json", Arguments: []*udfpb.Column{
				{Values: &udfpb.Column_Texts{Texts: &udfpb.Texts{Values: []string{q}}}},
			}})
			if err != nil { // a busy machine misses the deadline: the caller calls again as well
				return late
			}
			return strings.Join(resp.GetResult().GetTexts().GetValues(), "\n")
		},
	} {
		t.Run(wire, func(t *testing.T) {
			t.Parallel()
			q, times := "asked over "+wire, 0
			for {
				reply := call(q)
				if reply == late {
					times++
					continue
				}
				if !strings.Contains(reply, "0.5") || strings.Contains(reply, "deadline_exceeded") {
					t.Fatalf("after %d late replies: %s", times, reply)
				}
				break
			}
			if times == 0 {
				t.Error("no reply was late: the test shows nothing")
			}
		})
	}
	t.Cleanup(func() {
		if n := j.most(); n != 1 {
			t.Errorf("a question was asked %d times", n)
		}
	})
}

// get polls as Snowflake does.
func get(t testing.TB, url string, headers ...string) (int, string) {
	t.Helper()
	req, _ := http.NewRequest(http.MethodGet, url, http.NoBody)
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var b strings.Builder
	buf := make([]byte, 4096)
	for {
		n, err := resp.Body.Read(buf)
		b.Write(buf[:n])
		if err != nil {
			return resp.StatusCode, b.String()
		}
	}
}

const batchID = "sf-external-function-query-batch-id"

// SFE-9, SFE-10, SFE-11, SFE-14: a slow batch is accepted, any replica gives its reply, with the
// bytes of the synchronous one, as often as it is asked; the same id with another body is refused.
func TestPolling(t *testing.T) {
	shared := &memoryCalls{m: map[string]udf.KeptCall{}}
	slow, fast := newSlow(400*time.Millisecond), newSlow(0)
	o := &Options{Timeouts: map[string]time.Duration{"snowflake": 30 * time.Millisecond}}
	a := start(t, slowCatalogue(t, slow, shared), o)
	b := start(t, slowCatalogue(t, fast, shared), o) // which has the ledger's answers at once
	const path = "/v1/snowflake/slow_json"
	body := `{"data":[[0,"one",1],[7,"two"],[2,"one",1]]}`
	_, want, _ := post(t, start(t, slowCatalogue(t, newSlow(0), nil), nil).url+path, body)
	if strings.Count(want, `"ok"`) != 3 {
		t.Fatal(want)
	}
	status, reply, _ := post(t, a.url+path, body, batchID, "B7")
	if status != http.StatusAccepted || reply != "{}" {
		t.Fatalf("the first time: %d %s, want 202", status, reply)
	}
	for why, c := range map[string]struct {
		url, body string
	}{"on the replica that works on it": {a.url, `{"data":[[0,"three",1]]}`}, "on another": {b.url, `{"data":[[0,"three",1]]}`}} {
		if status, reply, _ := post(t, c.url+path, c.body, batchID, "B7"); status != 400 || !strings.Contains(reply, "batch id") {
			t.Errorf("another body under the id, %s: %d %s, want 400", why, status, reply)
		}
	}
	if status, reply := get(t, b.url+path, batchID, "B7"); status != 200 || reply != want {
		t.Errorf("a poll of another replica: %d\n%s\nwant\n%s", status, reply, want)
	}
	polls := 0
	for {
		status, reply = get(t, a.url+path, batchID, "B7")
		if polls++; status != http.StatusAccepted {
			break
		}
	}
	if status != 200 || reply != want {
		t.Errorf("after %d polls: %d\n%s\nwant\n%s", polls, status, reply, want)
	}
	for _, url := range []string{a.url, b.url} {
		if status, reply := get(t, url+path, batchID, "B7"); status != 200 || reply != want {
			t.Errorf("once more: %d %s", status, reply)
		}
		if status, reply, _ := post(t, url+path, body, batchID, "B7"); status != 200 || reply != want {
			t.Errorf("sent again: %d %s", status, reply)
		}
		if status, reply := get(t, url+path, batchID, "B8"); status != http.StatusGone || !strings.Contains(reply, "batch id") {
			t.Errorf("an id that nobody knows: %d %s, want 410", status, reply)
		}
		if status, reply := get(t, url+path); status != 400 {
			t.Errorf("no id: %d %s, want 400", status, reply)
		}
	}
	if n := slow.most(); n != 1 {
		t.Errorf("a question was asked %d times", n)
	}
	c := start(t, slowCatalogue(t, newSlow(0), shared), o) // after a restart
	if status, reply := get(t, c.url+path, batchID, "B7"); status != 200 || reply != want {
		t.Errorf("after a restart: %d %s", status, reply)
	}
}

// A server that stops cuts off what its grace leaves no time for. Rows that were cut are no reply:
// another replica computes the batch from what was kept of it.
func TestStoppingServerKeepsNoCutReply(t *testing.T) {
	shared := &memoryCalls{m: map[string]udf.KeptCall{}}
	o := &Options{Timeouts: map[string]time.Duration{"snowflake": 30 * time.Millisecond}, Limits: Limits{StopGrace: 30 * time.Millisecond}}
	a := start(t, slowCatalogue(t, newSlow(time.Hour), shared), o)
	const path = "/v1/snowflake/slow_json"
	if status, reply, _ := post(t, a.url+path, `{"data":[[0,"one",1]]}`, batchID, "B7"); status != http.StatusAccepted {
		t.Fatalf("%d %s, want 202", status, reply)
	}
	if err := a.stop(); err != nil {
		t.Fatal(err)
	}
	a.catalogue.Drain(t.Context(), lastWords) // its rows have ended
	shared.mu.Lock()
	for _, c := range shared.m {
		if c.Reply != nil {
			t.Errorf("kept the reply %s", c.Reply)
		}
	}
	if len(shared.m) != 1 {
		t.Errorf("%d batches are kept, want 1", len(shared.m))
	}
	shared.mu.Unlock()
	b := start(t, slowCatalogue(t, newSlow(0), shared), &Options{})
	if status, reply := get(t, b.url+path, batchID, "B7"); status != 200 || !strings.Contains(reply, `"ok`) {
		t.Errorf("another replica: %d %s", status, reply)
	}
}

// What a caller polls for is not another caller's.
func TestPollingIsPrivate(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(file, []byte("ana: the-token-of-ana\nben: the-token-of-ben\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	shared := &memoryCalls{m: map[string]udf.KeptCall{}}
	s := start(t, slowCatalogue(t, newSlow(0), shared), &Options{HTTP: identity.Config{TokenFile: file}})
	bearer := func(name string) string { return "Bearer the-token-of-" + name }
	const path = "/v1/snowflake/slow_json"
	if status, reply, _ := post(t, s.url+path, `{"data":[[0,"q"]]}`, batchID, "B1", "Authorization", bearer("ana")); status != 200 {
		t.Fatalf("%d %s", status, reply)
	}
	if status, _ := get(t, s.url+path, batchID, "B1", "Authorization", bearer("ana")); status != 200 {
		t.Errorf("its own: %d, want 200", status)
	}
	if status, _ := get(t, s.url+path, batchID, "B1", "Authorization", bearer("ben")); status != http.StatusGone {
		t.Errorf("another's: %d, want 410", status)
	}
}

// RW-5, RS-7: submit and fetch answer at once, however slow the judge is, on any replica and after a
// restart, and cost one call a row.
func TestSubmitAndFetch(t *testing.T) {
	for _, tc := range []struct {
		why    string
		shared *memoryCalls
	}{{"one server", nil}, {"two replicas", &memoryCalls{m: map[string]udf.KeptCall{}}}} {
		j := newSlow(300 * time.Millisecond)
		var store udf.CallStore
		if tc.shared != nil {
			store = tc.shared
		}
		a := start(t, slowCatalogue(t, j, store), nil)
		b := a
		if tc.shared != nil {
			b = start(t, slowCatalogue(t, newSlow(0), store), nil)
		}
		results := func(url, function, rows string) []any {
			t.Helper()
			status, reply, _ := post(t, url+"/v1/functions/"+function, `{"rows":`+rows+`}`)
			var out struct{ Results []any }
			if err := json.Unmarshal([]byte(reply), &out); status != 200 || err != nil {
				t.Fatalf("%s: %s: %d %s", tc.why, function, status, reply)
			}
			return out.Results
		}
		tickets := results(a.url, "slow_submit", `[["one",1.25],["two"],["one",1.25]]`)
		if len(tickets) != 3 || tickets[0] == tickets[1] || tickets[0] != tickets[2] {
			t.Fatalf("%s: tickets %v", tc.why, tickets)
		}
		again := results(a.url, "slow_submit", `[["two",null]]`)
		if again[0] != tickets[1] {
			t.Errorf("%s: the same row has another ticket", tc.why)
		}
		if elsewhere := results(b.url, "slow_submit", `[["two",null]]`); b != a && elsewhere[0] == tickets[1] {
			t.Errorf("%s: another server makes the same ticket of a row, so that anybody could", tc.why)
		}
		ask, _ := json.Marshal([][]any{{tickets[0]}, {tickets[1]}, {"none"}, {strings.Repeat("0", 64)}})
		pending := 0
		for {
			got := results(b.url, "slow_fetch", string(ask))
			text := fmt.Sprint(got[0])
			if strings.Contains(text, "pending") {
				pending++
				continue
			}
			if !strings.Contains(text, "weight:1.25") || !strings.Contains(fmt.Sprint(got[1]), "weight:NaN") {
				t.Errorf("%s: %v", tc.why, got)
			}
			for _, none := range got[2:] {
				if !strings.Contains(fmt.Sprint(none), "not_found") {
					t.Errorf("%s: no ticket: %v", tc.why, none)
				}
			}
			break
		}
		if n := j.most(); n != 1 {
			t.Errorf("%s: a question was asked %d times", tc.why, n)
		}
		if tc.shared == nil {
			continue
		}
		tc.shared.away = true
		if got := results(start(t, slowCatalogue(t, newSlow(0), store), nil).url, "slow_fetch", string(ask)); !strings.Contains(fmt.Sprint(got[0]), "unavailable") {
			t.Errorf("with the store away: %v", got[0])
		}
	}
}

// A ticket is its caller's: to everybody else it is one that nobody has, here and at a replica that finds
// it in the store.
func TestTicketsAreTheirCallers(t *testing.T) {
	store := &memoryCalls{m: map[string]udf.KeptCall{}}
	options := &Options{HTTP: twoCallers}
	a, b := start(t, slowCatalogue(t, newSlow(0), store), options), start(t, slowCatalogue(t, newSlow(0), store), options)
	ask := func(url, function, token, rows string) string {
		t.Helper()
		status, reply, _ := post(t, url+"/v1/functions/"+function, `{"rows":`+rows+`}`, "X-Badger-Token", token)
		if status != 200 {
			t.Fatalf("%s: %d %s", function, status, reply)
		}
		return reply
	}
	const row = `[["one",1.25]]`
	ticketOf := func(token string) string {
		var out struct{ Results []string }
		if err := json.Unmarshal([]byte(ask(a.url, "slow_submit", token, row)), &out); err != nil {
			t.Fatal(err)
		}
		return `[["` + out.Results[0] + `"]]`
	}
	mine, others := ticketOf(greedyToken), ticketOf(otherToken)
	if mine == others {
		t.Error("two callers have the same ticket")
	}
	unknown := ask(a.url, "slow_fetch", otherToken, `[["`+strings.Repeat("ab", 32)+`"]]`)
	for _, s := range []*running{a, b} {
		for range 2 { // also when the owner has fetched it
			if got := ask(s.url, "slow_fetch", otherToken, mine); got != unknown {
				t.Errorf("another caller's ticket: %s, want what an unknown one gives, %s", got, unknown)
			}
			for got := "pending"; strings.Contains(got, "pending"); {
				if got = ask(s.url, "slow_fetch", greedyToken, mine); !strings.Contains(got, "pending") && !strings.Contains(got, "weight") {
					t.Errorf("its owner gets %s", got)
				}
			}
		}
	}
}

// G-5, G-9: equal rows of a batch, and of batches at the same time, are computed once; a failure is
// told, and the row is computed again for whoever comes after.
func TestEqualRowsAreComputedOnce(t *testing.T) {
	j := newSlow(100 * time.Millisecond)
	s := start(t, slowCatalogue(t, j, nil), nil)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if _, reply, _ := post(t, s.url+"/v1/functions/slow_json", `{"rows":[["a"],["b"],["a"]]}`); strings.Count(reply, `"ok"`) != 3 {
				t.Error(reply)
			}
		})
	}
	wg.Wait()
	if n := j.most(); n != 1 {
		t.Errorf("a question was asked %d times", n)
	}
	j.fail.Store(true)
	for want := 1; want <= 2; want++ {
		if _, reply, _ := post(t, s.url+"/v1/functions/slow_json", `{"rows":[["c"]]}`); !strings.Contains(reply, "the judge is away") || j.most() != want {
			t.Errorf("attempt %d: %s after %d questions", want, reply, j.most())
		}
	}
}

// Batches that are not done have a bound for each caller: one alone must not keep the others from sending batches.
func TestOneCallerDoesNotTakeAllBatches(t *testing.T) {
	limits, err := Limits{}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	a := newAdmission(limits)
	as := func(caller string) context.Context { return withShare(t.Context(), a.of(caller)) }
	b := batches{all: map[string]*polledBatch{}, of: map[string]int{}}
	f := newSlow(0).function()
	open := func(caller string, i int) (*polledBatch, error) {
		p, _, err := b.open(as(caller), fmt.Sprint(caller, i), "hash", &f, nil)
		return p, err
	}
	var last *polledBatch
	for i := range mostPolled * 3 / 4 {
		if last, err = open("greedy", i); err != nil {
			t.Fatalf("batch %d: %v", i, err)
		}
	}
	if _, err := open("greedy", mostPolled); !errors.Is(err, errBusy) {
		t.Errorf("one batch too many: %v", err)
	}
	if _, err := open("other", 0); err != nil {
		t.Errorf("another caller's: %v", err)
	}
	b.end(last, nil, 0, context.Canceled)
	if _, err := open("greedy", mostPolled); err != nil {
		t.Errorf("after one has ended: %v", err)
	}
}
