//go:build !no_duckdb && !no_postgres

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	fakepostgres "github.com/badger-eval/badger/connectors/fake/postgres"
	"github.com/badger-eval/badger/internal/sample"
)

// alerts listens on the channel of a database's alerts.
type alerts struct {
	t    *testing.T
	conn *pgx.Conn
}

// listen subscribes to the alerts of a database.
func listen(t *testing.T, url string) *alerts {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	if _, err := conn.Exec(t.Context(), "LISTEN badger_alerts"); err != nil {
		t.Fatal(err)
	}
	return &alerts{t, conn}
}

// got returns the kind, the batch and the metric of each alert since the last call, sorted.
func (a *alerts) got() (out []string) {
	a.t.Helper()
	// A message to itself ends the wait.
	if _, err := a.conn.Exec(a.t.Context(), "NOTIFY badger_alerts, '{}'"); err != nil {
		a.t.Fatal(err)
	}
	for {
		n, err := a.conn.WaitForNotification(a.t.Context())
		if err != nil {
			a.t.Fatal(err)
		}
		if n.Payload == "{}" {
			slices.Sort(out)
			return out
		}
		out = append(out, described(a.t, []byte(n.Payload)))
	}
}

// described returns the kind, the batch and the metric of an alert.
func described(t *testing.T, text []byte) string {
	t.Helper()
	var alert struct {
		Kind   string `json:"kind"`
		Batch  string `json:"batch_id"`
		Metric string `json:"metric"`
		Text   string `json:"message"`
	}
	if err := json.Unmarshal(text, &alert); err != nil || alert.Text == "" {
		t.Errorf("the alert %s: %v", text, err)
	}
	return strings.Join(strings.Fields(alert.Kind+" "+alert.Batch+" "+alert.Metric), " ")
}

// webhook is a receiver of alerts that may be down.
type webhook struct {
	*httptest.Server
	down atomic.Bool

	mu  sync.Mutex
	all []string
}

func newWebhook(t *testing.T) *webhook {
	h := &webhook{}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h.down.Load() {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		var body struct {
			Text   string            `json:"text"`
			Alerts []json.RawMessage `json:"alerts"`
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || body.Text == "" {
			t.Errorf("the body of the webhook: %+v, %v", body, err)
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		for _, a := range body.Alerts {
			h.all = append(h.all, described(t, a))
		}
	}))
	t.Cleanup(h.Close)
	return h
}

// week is a database with answers of an agent for every night of a week.
type week struct {
	t   *testing.T
	url string
	at  string // address of badger serve
	off func() int
}

// newWeek installs a schedule with values over an empty week.
func newWeek(t *testing.T, schedule string) *week {
	t.Helper()
	values := filepath.Join(t.TempDir(), "badger.yaml")
	if err := os.WriteFile(values, []byte("schedule: "+schedule+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w := &week{t: t}
	w.url, w.at, w.off = nightly(t, values)
	database := w.url[strings.LastIndexByte(w.url, '/')+1 : strings.IndexByte(w.url, '?')]
	execute(t, w.url, "ALTER DATABASE "+database+" SET badger.attempts = 1",
		"CREATE TABLE told AS SELECT * FROM badger.agent_runs WHERE agent_version = (SELECT MAX(agent_version) FROM badger.agent_runs) ORDER BY case_id LIMIT 24", "DELETE FROM badger.agent_runs")
	return w
}

// arrive adds the answers of a batch that satisfy a condition, with a date so many days ago; NULL if days is below 0.
func (w *week) arrive(batch string, days float64, condition string) {
	w.t.Helper()
	at := "NULL"
	if days >= 0 {
		at = fmt.Sprintf("now() - INTERVAL '%v days'", days)
	}
	execute(w.t, w.url, `INSERT INTO badger.agent_runs (case_id, agent_name, agent_version, batch_id, interpretation, sql, result, sql_error, tool_calls, response, latency_ms, gold_latency_ms, ran_at)
		SELECT case_id, agent_name, agent_version, '`+batch+`', interpretation, sql, result, sql_error, tool_calls, response, latency_ms, gold_latency_ms, `+at+` FROM told WHERE `+condition)
}

func (w *week) call() error {
	db := openURL(w.t, w.url)
	defer db.Close()
	return db.Exec(w.t.Context(), "CALL badger.evaluate()")
}

// mustCall calls the procedure, which must succeed, and leave no backlog.
func (w *week) mustCall() {
	w.t.Helper()
	if err := w.call(); err != nil {
		w.t.Fatal(err)
	}
	if n := ask(w.t, w.url, "SELECT * FROM badger.backlog"); n != "" {
		w.t.Errorf("after a call that succeeded the backlog is\n%s", n)
	}
}

// scores are all scores, without the run and the time.
func (w *week) scores() string {
	return ask(w.t, w.url, "SELECT "+scoreColumns+" FROM badger.scores ORDER BY 1, 2, 3, 4, 5")
}

const (
	early = "case_id <> (SELECT MIN(case_id) FROM told)"
	late  = "case_id = (SELECT MIN(case_id) FROM told)"
)

// A week of nights on which the server is away, a call is killed, answers come late, twice or without a date, and a
// second batch comes on one day: at the end nothing is left, each alert was sent once, and the scores are those of a
// week without faults.
func TestWeekOfNights(t *testing.T) {
	hook := newWebhook(t)
	const metrics = "{slice: 4, drop: 0.4, metrics: [ex_bird, hybrid_ex, sql_safety]"
	calm, rough := newWeek(t, metrics+"}"), newWeek(t, metrics+", alert: {webhook: "+hook.URL+"}}")
	calmly, roughly := listen(t, calm.url), listen(t, rough.url)
	both := func(batch string, days float64, condition string) {
		t.Helper()
		for _, w := range []*week{calm, rough} {
			w.arrive(batch, days, condition)
		}
	}
	var total []string
	heard := func(night string, want ...string) {
		t.Helper()
		slices.Sort(want)
		got := roughly.got()
		total = append(total, got...)
		if !slices.Equal(got, want) {
			t.Errorf("%s: the alerts are %q, want %q", night, got, want)
		}
	}

	both("n1", 6, early)
	calm.mustCall()
	rough.off()
	if err := rough.call(); err == nil {
		t.Error("without a server a call succeeded")
	}
	heard("night 1", "run failed", "backlog n1")
	if got := ask(t, rough.url, "SELECT batch_id, answers, waiting_since = (now() - INTERVAL '6 days')::date::text, last_attempt_at > now() - INTERVAL '1 minute', last_error LIKE '%cannot be reached%' FROM badger.backlog"); got != "n1 23 true true true\n" {
		t.Errorf("the backlog is %q", got)
	}

	both("n2", 5, "TRUE")
	calm.mustCall()
	_, rough.off = serving(t, "--http", rough.at)
	execute(t, rough.url, "CREATE FUNCTION linger() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.1); RETURN NULL; END'",
		"CREATE TRIGGER linger AFTER INSERT ON badger.scores FOR EACH STATEMENT EXECUTE FUNCTION linger()")
	ended := make(chan error, 1)
	go func() { ended <- rough.call() }()
	for number(t, rough.url, "SELECT COUNT(*) FROM badger.scores") == 0 {
		select {
		case err := <-ended:
			t.Fatalf("the call ended before it stored anything: %v", err)
		default:
		}
	}
	execute(t, rough.url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'CALL badger.evaluate%' AND pid <> pg_backend_pid()")
	if err := <-ended; err == nil {
		t.Error("a call whose session was terminated succeeded")
	}
	heard("night 2") // the call that tells has ended
	if got := ask(t, rough.url, "SELECT batch_id, last_attempt_at IS NOT NULL, last_error FROM badger.backlog ORDER BY 1"); got != "n1 true NULL\nn2 true NULL\n" {
		t.Errorf("the backlog is %q", got)
	}

	both("n3", 4, "TRUE")
	both("n3b", 3.9, "TRUE")
	calm.mustCall()
	one := make(chan error, 1)
	go func() { one <- rough.call() }()
	for number(t, rough.url, "SELECT COUNT(*) FROM badger.scores WHERE batch_id = 'n2'") == 0 {
		time.Sleep(time.Millisecond)
	}
	if err := rough.call(); err == nil || !strings.Contains(err.Error(), "SQLSTATE 55006") { // object in use
		t.Errorf("a second call at the same time: %v", err)
	}
	if err := <-one; err != nil {
		t.Fatal(err)
	}
	execute(t, rough.url, "DROP TRIGGER linger ON badger.scores")
	heard("night 3", "run failed") // another one: interrupted
	if got := ask(t, rough.url, "SELECT COUNT(*) FROM badger.alerts WHERE resolved_at IS NULL"); got != "0\n" {
		t.Errorf("%s alerts are open after a night that went well", got)
	}

	both("n1", 6, late)
	both("undated", -1, "TRUE")
	both("n4", 3, "TRUE")
	calm.mustCall()
	rough.off()
	if err := rough.call(); err == nil {
		t.Error("without a server a call succeeded")
	}
	heard("night 4", "run failed", "backlog n1", "backlog n4", "backlog undated")

	both("n5", 2, "TRUE")
	calm.mustCall()
	hook.down.Store(true)
	if err := rough.call(); err == nil {
		t.Error("without a server a call succeeded")
	}
	heard("night 5", "backlog n5")
	if got := ask(t, rough.url, "SELECT message FROM badger.run_log WHERE event = 'alert failed'"); got != "plpy.Error: the webhook answered with HTTP status 500\n" {
		t.Errorf("the log of the webhook is %q", got)
	}
	hook.down.Store(false)

	both("n6", 1, "TRUE")
	both("n6", 0.99, "TRUE") // duplicates
	calm.mustCall()
	_, rough.off = serving(t, "--http", rough.at)
	rough.mustCall()
	heard("night 6")

	both("n7", 0, "TRUE")
	for _, w := range []*week{calm, rough} {
		execute(t, w.url, "UPDATE badger.agent_runs SET result = '{\"columns\": [\"a\"], \"rows\": [[-17]]}' WHERE batch_id = 'n7'")
	}
	calm.mustCall()
	rough.mustCall()
	degraded := calmly.got()
	if len(degraded) == 0 || !strings.HasPrefix(degraded[0], "degraded n7 ") {
		t.Errorf("the alerts of a calm week are %q", degraded)
	}
	heard("night 7", degraded...)

	calm.mustCall()
	rough.mustCall()
	heard("night 8")
	same(t, "scores", calm.scores(), rough.scores())
	if got := ask(t, rough.url, "SELECT COUNT(*), COUNT(DISTINCT (agent_version, batch_id, case_id, metric)) FROM badger.scores"); got != fmt.Sprintf("%d %[1]d\n", 3*24*9) {
		t.Errorf("scores, and answers times metrics: %swant twice %d", got, 3*24*9)
	}
	same(t, "degradation", ask(t, calm.url, "SELECT * FROM badger.degradation ORDER BY 1, 2"), ask(t, rough.url, "SELECT * FROM badger.degradation ORDER BY 1, 2"))
	if got := ask(t, rough.url, "SELECT DISTINCT status FROM badger.eval_runs"); got != "done\n" && got != "stopped\n" && got != "done\nstopped\n" {
		t.Errorf("the runs are %q", got)
	}
	hook.mu.Lock()
	defer hook.mu.Unlock()
	slices.Sort(hook.all)
	slices.Sort(total)
	if !slices.Equal(hook.all, total) {
		t.Errorf("the webhook got %q, and NOTIFY %q", hook.all, total)
	}
}

// The schedule looks back from since_day on, by the day, which moves on with calls that leave nothing: an outage that is
// longer than the look-back loses nothing.
func TestLookBack(t *testing.T) {
	w := newWeek(t, "{since: 3, metrics: [sql_safety]}")
	batches := func() string {
		return strings.ReplaceAll(ask(t, w.url, "SELECT DISTINCT batch_id FROM badger.scores ORDER BY 1"), "\n", " ")
	}
	day := func(n int) string {
		return ask(t, w.url, fmt.Sprintf("SELECT to_char(now() AT TIME ZONE 'UTC' - INTERVAL '%d days', 'YYYY-MM-DD')", n))
	}
	w.arrive("b2", 2, late)
	w.arrive("b3", 3, late)
	w.arrive("b4", 4, late)
	w.mustCall()
	if got := batches(); got != "b2 b3 " {
		t.Errorf("with a look-back of 3 days the batches are %q", got)
	}
	// The last call that left nothing was ten days ago.
	execute(t, w.url, "UPDATE badger.schedule SET since_day = to_char(now() AT TIME ZONE 'UTC' - INTERVAL '13 days', 'YYYY-MM-DD') WHERE metric = ''")
	w.arrive("b12", 12, late)
	w.arrive("b14", 14, late)
	w.off()
	if err := w.call(); err == nil {
		t.Error("without a server a call succeeded")
	}
	if got := ask(t, w.url, "SELECT since_day FROM badger.schedule WHERE metric = ''"); got != day(13) {
		t.Errorf("after a call that failed the look-back starts at %q", got)
	}
	_, w.off = serving(t, "--http", w.at)
	w.mustCall()
	if got := batches(); got != "b12 b2 b3 b4 " {
		t.Errorf("after an outage the batches are %q", got)
	}
	if got := ask(t, w.url, "SELECT since_day FROM badger.schedule WHERE metric = ''"); got != day(3) {
		t.Errorf("after a call that left nothing the look-back starts at %q", got)
	}
	// A call for some metrics or for one batch is not a night: nothing moves.
	execute(t, w.url, "UPDATE badger.schedule SET since_day = '2020-01-01' WHERE metric = ''", "CALL badger.evaluate('b2')", "CALL badger.evaluate(NULL, 'ex_bird')")
	if got := ask(t, w.url, "SELECT since_day, (SELECT string_agg(metric, ' ') FROM badger.schedule WHERE metric <> '') FROM badger.schedule WHERE metric = ''"); got != "2020-01-01 sql_safety\n" {
		t.Errorf("after calls by hand the schedule is %q", got)
	}
	// What does not start with a day has no date, and is scored.
	execute(t, w.url, "DELETE FROM badger.scores", "UPDATE badger.schedule SET since_day = '9998-01-01' WHERE metric = ''")
	if got := ask(t, w.url, "SELECT COUNT(*) FROM badger.backlog"); got != "0\n" {
		t.Errorf("before the look-back %s batches are waiting", got)
	}
	execute(t, w.url, "UPDATE badger.agent_runs SET ran_at = NULL WHERE batch_id = 'b14'")
	if got := ask(t, w.url, "SELECT batch_id, answers, waiting_since FROM badger.backlog"); got != "b14 1 NULL\n" {
		t.Errorf("the backlog without a date is %q", got)
	}
}

// While the webhook hangs, a call that its statement's timeout ends has stored its alerts and sent them by NOTIFY. A call
// that ended before it stored anything is reported by the next one.
func TestWebhookThatHangs(t *testing.T) {
	release := make(chan struct{})
	hang := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	defer hang.Close()
	defer close(release)
	w := newWeek(t, "{metrics: [sql_safety], alert: {webhook: '"+hang.URL+"'}}")
	w.arrive("b1", 1, late)
	heard := listen(t, w.url)
	w.off()
	conn, err := pgx.Connect(t.Context(), w.url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context()) //nolint:errcheck // the test is over
	for _, sql := range []string{"SET badger.attempts = 1", "SET statement_timeout = '5s'"} {
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := conn.Exec(t.Context(), "CALL badger.evaluate()"); err == nil {
		t.Error("a call whose webhook hangs succeeded")
	}
	stored := ask(t, w.url, "SELECT COUNT(*) FROM badger.alerts WHERE resolved_at IS NULL AND sent_at IS NULL")
	if n := len(heard.got()); n == 0 || stored != fmt.Sprintf("%d\n", n) {
		t.Errorf("%d alerts were sent by NOTIFY, and %q are stored", n, stored)
	}
	execute(t, w.url, "INSERT INTO badger.run_log (entry_id, logged_at, event, answers, agent_name, agent_version, batch_id) VALUES ('x', clock_timestamp(), 'batch began', 1, 'a', '1', 'b1')")
	if _, err := conn.Exec(t.Context(), "CALL badger.evaluate()"); err == nil {
		t.Error("a call without a server succeeded")
	}
	if got := ask(t, w.url, "SELECT COUNT(*) FROM badger.run_log WHERE event = 'interrupted' AND batch_id IS NULL"); got != "1\n" {
		t.Errorf("%q calls are reported as interrupted", got)
	}
}

// A batch that badger run is scoring is left to it; if its run shows no sign of life, the schedule scores the batch.
func TestBatchesInProgress(t *testing.T) {
	w := newWeek(t, "{stale: 10, metrics: [sql_safety]}")
	w.arrive("b1", 1, late)
	w.arrive("b2", 1, late)
	execute(t, w.url, "INSERT INTO badger.eval_runs (eval_run_id, agent_name, agent_version, batch_id, eval_run_date, status) SELECT 'mine', agent_name, agent_version, 'b1', now() - INTERVAL '9 minutes', 'running' FROM told LIMIT 1")
	scored := func() string { return ask(t, w.url, "SELECT batch_id FROM badger.scores ORDER BY 1") }
	if err := w.call(); err != nil {
		t.Fatal(err)
	}
	if got := scored(); got != "b2\n" {
		t.Errorf("while a run scores b1 the batches are %q", got)
	}
	execute(t, w.url, "UPDATE badger.eval_runs SET eval_run_date = now() - INTERVAL '11 minutes' WHERE eval_run_id = 'mine'")
	w.mustCall()
	if got := scored(); got != "b1\nb2\n" {
		t.Errorf("after a run that was killed the batches are %q", got)
	}
}

// An answer that fails by itself in three calls gets failed scores with the reason, and is not tried again. The others
// are scored meanwhile.
func TestAnswerThatAlwaysFails(t *testing.T) {
	w := newWeek(t, "{slice: 3, metrics: [sql_safety, ex_bird]}")
	poison := strings.TrimSpace(ask(t, w.url, "SELECT case_id FROM told ORDER BY case_id OFFSET 2 LIMIT 1"))
	asked := atomic.Int32{}
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: w.at})
	between := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		if strings.HasSuffix(r.URL.Path, "/score_row") && strings.Contains(string(body), poison) {
			asked.Add(1)
			out.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(out, "not this one")
			return
		}
		proxy.ServeHTTP(out, r)
	}))
	t.Cleanup(between.Close)
	must(t, "install", "--warehouse", "postgres", "--set", "schedule.slice=3", "--set", "schedule.metrics=[sql_safety, ex_bird]", "--set", "endpoint="+between.URL, "--apply", w.url)
	heard := listen(t, w.url)
	w.arrive("b1", 1, "TRUE")
	for night := 1; night <= 2; night++ {
		if err := w.call(); err == nil {
			t.Errorf("night %d: the call succeeded", night)
		}
		if got := ask(t, w.url, "SELECT message FROM badger.run_log WHERE event = 'run failed' ORDER BY logged_at DESC LIMIT 1"); !strings.HasPrefix(got, "1 answers could not be scored") || !strings.HasSuffix(got, "not this one\n") {
			t.Errorf("night %d: the log says %q", night, got)
		}
		if got := ask(t, w.url, "SELECT COUNT(DISTINCT case_id) FROM badger.scores"); got != "23\n" {
			t.Errorf("night %d: %s answers are scored", night, got)
		}
		if got := ask(t, w.url, "SELECT batch_id, answers, last_error LIKE '%not this one' FROM badger.backlog"); got != "b1 1 true\n" {
			t.Errorf("night %d: the backlog is %q", night, got)
		}
	}
	if got := heard.got(); !slices.Equal(got, []string{"backlog b1", "run failed"}) {
		t.Errorf("the alerts of two nights are %q", got)
	}
	w.mustCall()
	if got := ask(t, w.url, "SELECT case_id = '"+poison+"', metric, status, code, reason LIKE '%not this one%', value FROM badger.scores WHERE status = 'failed' ORDER BY metric"); got != "true ex_bird failed unknown true NULL\ntrue sql_safety failed unknown true NULL\n" {
		t.Errorf("the scores of the answer are\n%s", got)
	}
	before := asked.Load()
	w.mustCall()
	if asked.Load() != before {
		t.Error("the answer is tried a fourth time")
	}
	if got := ask(t, w.url, "SELECT event, case_id = '"+poison+"', batch_id FROM badger.run_log WHERE event = 'not retried'"); got != "not retried true b1\n" {
		t.Errorf("the log says %q", got)
	}
	if got := ask(t, w.url, "SELECT COUNT(*) FROM badger.alerts WHERE resolved_at IS NULL"); got != "0\n" {
		t.Errorf("%s alerts are open", got)
	}
}

// The job of pg_cron scores and sends alerts. It starts at the next minute.
func TestCronScores(t *testing.T) {
	if !sample.Thorough() {
		t.Skip("waits for the next minute: with BADGER_THOROUGH=1")
	}
	s, err := fakepostgres.Start(nil, "-c", "shared_preload_libraries=pg_cron", "-c", "cron.database_name=postgres")
	if err != nil {
		t.Skipf("there is no PostgreSQL server with pg_cron to test with: %v", err)
	}
	t.Cleanup(s.Remove)
	at := s.URL("postgres", s.Port)
	if ask(t, at, "SELECT COUNT(*) FROM pg_available_extensions WHERE name IN ('plpython3u', 'pg_cron')") != "2\n" {
		t.Skip("the PostgreSQL server has no plpython3u or no pg_cron")
	}
	withDemo(t, at)
	addrs, _ := serving(t)
	must(t, "install", "--warehouse", "postgres", "--set", "endpoint=http://"+addrs[1], "--set", "schedule.cron=* * * * *", "--set", "schedule.since=2020-01-01", "--set", "schedule.drop=0.01",
		"--set", "schedule.metrics=[ex_bird]", "--apply", at)
	heard := listen(t, at)
	// The version that comes later in the demonstration passes more; the one before becomes the later one.
	execute(t, at, "UPDATE badger.agent_runs SET ran_at = now() WHERE agent_version = (SELECT MIN(agent_version) FROM badger.agent_runs)")
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	n, err := heard.conn.WaitForNotification(ctx)
	if err != nil {
		t.Fatalf("%v\n%s", err, ask(t, at, "SELECT status, return_message FROM cron.job_run_details"))
	}
	if got := described(t, []byte(n.Payload)); !strings.HasPrefix(got, "degraded ") {
		t.Errorf("the alert is %q", got)
	}
	if got := ask(t, at, "SELECT COUNT(*) FROM badger.backlog"); got != "0\n" {
		t.Errorf("%s batches are left", got)
	}
}
