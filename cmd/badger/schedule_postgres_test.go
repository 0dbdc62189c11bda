//go:build !no_duckdb && !no_postgres

package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	fakepostgres "github.com/badger-eval/badger/connectors/fake/postgres"
)

// nightly installs badger in a new PostgreSQL database that holds the demonstration, and serves.
func nightly(t *testing.T, values string) (url, at string, stop func() int) {
	t.Helper()
	url = emptyPostgres(t)
	if ask(t, url, "SELECT COUNT(*) FROM pg_available_extensions WHERE name = 'plpython3u'") == "0\n" {
		t.Skip("the PostgreSQL server has no plpython3u")
	}
	withDemo(t, url)
	addrs, stop := serving(t)
	args := []string{"install", "--warehouse", "postgres", "--set", "endpoint=http://" + addrs[1], "--apply", url}
	if values != "" {
		args = append(args, "--values", values)
	}
	must(t, args...)
	return url, addrs[1], stop
}

// The procedure writes the rows that badger run writes for the same answers.
func TestEvaluateWritesWhatRunWrites(t *testing.T) {
	url, _, _ := nightly(t, "")
	execute(t, url, oddities...)
	for _, batch := range strings.Fields(ask(t, url, "SELECT DISTINCT batch_id FROM badger.agent_runs")) {
		execute(t, url, "CALL badger.evaluate('"+batch+"')")
	}
	if code, _, stderr := badger(t, "run", "--source", url, "--run-id", "r1", "--quiet"); code != exitGate || !strings.Contains(stderr, "4 answers could not be read") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	one := ask(t, url, "SELECT "+scoreColumns+" FROM badger.scores WHERE eval_run_id = 'r1' ORDER BY 1, 2, 3, 4, 5")
	two := ask(t, url, "SELECT "+scoreColumns+" FROM badger.scores WHERE eval_run_id <> 'r1' ORDER BY 1, 2, 3, 4, 5")
	same(t, "scores by CALL", one, two)
	if n := strings.Count(one, "\n"); n < 5000 {
		t.Errorf("%d scores were compared", n)
	}
	if statuses := ask(t, url, "SELECT COUNT(DISTINCT status), COUNT(DISTINCT code) FROM badger.scores"); statuses != "4 2\n" {
		t.Errorf("the scores have %s statuses and codes of failures, want all four and two", statuses)
	}
	const ofRun = runColumns + ", (versions::jsonb - 'golden_set')::text, counts::jsonb::text, tokens::jsonb::text"
	same(t, "rows of eval_runs",
		ask(t, url, "SELECT "+ofRun+" FROM badger.eval_runs WHERE eval_run_id = 'r1' ORDER BY 1, 2, 3"),
		ask(t, url, "SELECT "+ofRun+" FROM badger.eval_runs WHERE eval_run_id <> 'r1' ORDER BY 1, 2, 3"))
}

// Three nights: a call whose session is ended continues, two calls at once are one, a server that is
// away is logged and the next call finishes. What the views say is what a run says.
func TestNights(t *testing.T) {
	values := filepath.Join(t.TempDir(), "badger.yaml")
	if err := os.WriteFile(values, []byte("schedule: {since: 2026-01-01, slice: 5, metrics: [hybrid_ex, ex_bird, sql_complexity, tool_recall, sql_safety, row_f1]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	url, at, stop := nightly(t, values)
	database := url[strings.LastIndexByte(url, '/')+1 : strings.IndexByte(url, '?')]
	execute(t, url, "ALTER DATABASE "+database+" SET badger.attempts = 1")
	execute(t, url, "DELETE FROM badger.agent_runs WHERE agent_version <> (SELECT MAX(agent_version) FROM badger.agent_runs)", "UPDATE badger.agent_runs SET batch_id = 'n0', ran_at = '2025-12-31 23:59:59+00'")
	answers := number(t, url, "SELECT COUNT(*) FROM badger.agent_runs")
	night := func(name string, day int) {
		execute(t, url, fmt.Sprintf(`INSERT INTO badger.agent_runs SELECT agent_name, agent_version, '%s', case_id, interpretation, sql, result, sql_error, tool_calls, response, latency_ms, gold_latency_ms,
			ran_at + INTERVAL '%d days' FROM badger.agent_runs WHERE batch_id = 'n0'`, name, day))
	}
	call := func(arguments string) error {
		w := openURL(t, url)
		defer w.Close()
		return w.Exec(t.Context(), "CALL badger.evaluate("+arguments+")")
	}
	started := func(batch string) chan error { // a call that has stored a slice
		ended := make(chan error, 1)
		go func() { ended <- call("") }()
		for number(t, url, "SELECT COUNT(*) FROM badger.scores WHERE batch_id = '"+batch+"'") == 0 {
			select {
			case err := <-ended:
				t.Fatalf("the call ended before it stored anything: %v", err)
			default:
			}
		}
		return ended
	}
	scored := func(batch string) int {
		return number(t, url, "SELECT COUNT(DISTINCT case_id) FROM badger.scores WHERE batch_id = '"+batch+"'")
	}
	events := func(batch string) string {
		return ask(t, url, "SELECT event, SUM(answers) FROM badger.run_log WHERE logged_at > (SELECT COALESCE(MIN(scored_at), '-infinity') - INTERVAL '1 hour' FROM badger.scores WHERE batch_id = '"+batch+"') GROUP BY event ORDER BY MIN(logged_at)")
	}
	complete := func(batch string) {
		t.Helper()
		if got := ask(t, url, "SELECT COUNT(DISTINCT eval_run_id), COUNT(*), COUNT(DISTINCT (case_id, metric)) FROM badger.scores WHERE batch_id = '"+batch+"'"); got != fmt.Sprintf("1 %d %[1]d\n", 6*answers) {
			t.Errorf("batch %s has runs, scores, answers times metrics: %swant 1 and twice %d", batch, got, 6*answers)
		}
		if got := ask(t, url, "SELECT status FROM badger.eval_runs WHERE batch_id = '"+batch+"'"); got != "done\n" {
			t.Errorf("batch %s: the status is %q", batch, got)
		}
	}

	// Slices that take a while, so that a call is interrupted between two of them however fast it is.
	execute(t, url, "CREATE FUNCTION linger() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.1); RETURN NULL; END'",
		"CREATE TRIGGER linger AFTER INSERT ON badger.scores FOR EACH STATEMENT EXECUTE FUNCTION linger()")
	night("n1", 1)
	ended := started("n1")
	execute(t, url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'CALL badger.evaluate%' AND pid <> pg_backend_pid()")
	if err := <-ended; err == nil {
		t.Error("a call whose session was ended ended well")
	}
	if n := scored("n1"); n == 0 || n == answers || n%5 != 0 {
		t.Errorf("%d answers are scored, want some slices of 5, and fewer than %d", n, answers)
	}
	if got := ask(t, url, "SELECT status FROM badger.eval_runs"); got != "running\n" {
		t.Errorf("the status of the run is %q", got)
	}
	if err := call(""); err != nil {
		t.Fatal(err)
	}
	complete("n1")
	if got := events("n1"); !strings.HasPrefix(got, "batch began ") || !strings.Contains(got, "\nbegan NULL\ninterrupted NULL\nresumed NULL\ndone ") {
		t.Errorf("the log says\n%s", got)
	}
	execute(t, url, "DELETE FROM badger.run_log")
	if err := call(""); err != nil {
		t.Fatal(err)
	}
	if got := ask(t, url, "SELECT event, answers FROM badger.run_log WHERE event <> 'began'"); got != "idle 0\n" {
		t.Errorf("with nothing to score the log says\n%s", got)
	}

	night("n2", 2)
	execute(t, url, "UPDATE badger.agent_runs SET result = NULL, sql = NULL WHERE batch_id = 'n2' AND case_id < (SELECT MAX(case_id) FROM (SELECT case_id FROM badger.agent_runs ORDER BY case_id LIMIT 20) q)")
	ended = started("n2")
	if err := call(""); err == nil || !strings.Contains(err.Error(), "SQLSTATE 55006") { // object in use
		t.Errorf("a second call at the same time: %v", err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	complete("n2")
	if n := number(t, url, "SELECT COUNT(*) FROM badger.run_log WHERE event = 'refused'"); n != 1 {
		t.Errorf("the log has %d refusals", n)
	}

	night("n3", 3)
	execute(t, url, "DELETE FROM badger.run_log")
	ended = started("n3")
	stop()
	if err := <-ended; err == nil {
		t.Error("without a server a call ended well")
	}
	if got := ask(t, url, "SELECT event, COUNT(*) FROM badger.run_log GROUP BY event ORDER BY MIN(logged_at)"); got != "batch began 1\nbegan 1\nslice failed 1\nrun failed 1\nbatch failed 1\n" {
		t.Errorf("the log says\n%s", got)
	}
	if err := call(""); err == nil {
		t.Error("without a server a call ended well")
	}
	if got := ask(t, url, "SELECT event, message LIKE '%cannot be reached%' FROM badger.run_log WHERE event <> 'batch failed' ORDER BY logged_at DESC LIMIT 1"); got != "run failed true\n" {
		t.Errorf("the log says\n%s", got)
	}
	serving(t, "--http", at)
	if err := call(""); err != nil {
		t.Fatal(err)
	}
	complete("n3")
	execute(t, url, "DROP TRIGGER linger ON badger.scores")

	// A batch and metrics by hand; what is unknown is refused.
	if err := call("'n0', 'ex_bird,hybrid_ex'"); err != nil {
		t.Error(err)
	}
	if n := number(t, url, "SELECT COUNT(*) FROM badger.scores WHERE batch_id = 'n0'"); n != 2*answers {
		t.Errorf("%d scores of two metrics, want %d", n, 2*answers)
	}
	if err := call("'n0', 'ex_bard'"); err == nil {
		t.Error("an unknown metric was scored")
	}
	if got := ask(t, url, "SELECT message LIKE 'unknown metric%ex_bird%' FROM badger.run_log ORDER BY logged_at DESC LIMIT 1"); got != "true\n" {
		t.Errorf("the log does not say that the metric is unknown: %s", got)
	}

	const columns = "case_id, batch_id, metric, metric_version, status, value, label, passed, reason, detail::text"
	latest := ask(t, url, "SELECT "+columns+" FROM badger.latest_scores WHERE batch_id <> 'n0' ORDER BY 2, 1, 3")
	view := ask(t, url, "SELECT metric, batch_id, batch_before, judged, judged_before, ROUND(pass_rate_change, 6) FROM badger.degradation ORDER BY 1")
	must(t, "run", "--source", url, "--run-id", "direct", "--metrics", "hybrid_ex,ex_bird,sql_complexity,tool_recall,sql_safety,row_f1", "--quiet")
	// The views pass an answer without SQL in sql_safety, and count a missing answer as wrong.
	const safe = "metric = 'sql_safety' AND status = 'not_applicable'"
	same(t, "latest_scores", ask(t, url, "SELECT case_id, batch_id, metric, metric_version, CASE WHEN "+safe+" THEN 'ok' ELSE status END, CASE WHEN "+safe+
		" THEN 1 ELSE value END, label, CASE WHEN "+safe+" THEN TRUE ELSE passed END, reason, detail::text FROM badger.scores WHERE eval_run_id = 'direct' AND batch_id <> 'n0' ORDER BY 2, 1, 3"), latest)
	const counted = "(SELECT metric, batch_id, COUNT(verdict) AS n, AVG(CASE WHEN missing THEN 0 ELSE verdict::int END) AS rate FROM (SELECT metric, batch_id, CASE WHEN " + safe +
		" THEN TRUE ELSE passed END AS verdict, metric <> 'sql_safety' AND status = 'not_applicable' AND reason IN ('no result of the agent given', 'no SQL of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') AS missing" +
		" FROM badger.scores WHERE eval_run_id = 'direct') s GROUP BY metric, batch_id)"
	rates := ask(t, url, "SELECT a.metric, 'n3', 'n2', a.n, b.n, ROUND(a.rate - b.rate, 6) FROM "+counted+" a JOIN "+counted+
		" b USING (metric) WHERE a.batch_id = 'n3' AND b.batch_id = 'n2' ORDER BY 1")
	same(t, "degradation", rates, view)
}

func number(t *testing.T, url, query string) int {
	t.Helper()
	n, err := strconv.Atoi(strings.TrimSpace(ask(t, url, query)))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// pg_cron takes the schedule, once however often it is installed, and lets go of it.
func TestCron(t *testing.T) {
	s, err := fakepostgres.Start(nil, "-c", "shared_preload_libraries=pg_cron", "-c", "cron.database_name=postgres")
	if err != nil {
		t.Skipf("there is no PostgreSQL server with pg_cron to test with: %v", err)
	}
	t.Cleanup(s.Remove)
	url := s.URL("postgres", s.Port)
	if ask(t, url, "SELECT COUNT(*) FROM pg_available_extensions WHERE name IN ('plpython3u', 'pg_cron')") != "2\n" {
		t.Skip("the PostgreSQL server has no plpython3u or no pg_cron")
	}
	args := []string{"install", "--warehouse", "postgres", "--set", "endpoint=http://127.0.0.1:1", "--set", "schedule.cron=15 3 * * 1-5"}
	for range 2 {
		must(t, append(args, "--apply", url)...)
	}
	if got := ask(t, url, "SELECT jobname, schedule, command FROM cron.job"); got != "badger evaluate 15 3 * * 1-5 CALL badger.evaluate()\n" {
		t.Errorf("the jobs are %q", got)
	}
	if code, out, _ := badger(t, append(args, "--diff", url)...); code != exitDone {
		t.Fatalf("exit %d\n%s", code, out)
	}
	if code, out, _ := badger(t, append(args, "--set", "schedule.cron=15 4 * * *", "--diff", url)...); code != exitGate || !strings.Contains(out, "changed     function  evaluate(batch, metrics)") {
		t.Errorf("with another schedule: exit %d\n%s", code, out)
	}
	execute(t, url, "SELECT cron.unschedule('badger evaluate')")
	if code, out, _ := badger(t, append(args, "--diff", url)...); code != exitGate || !strings.Contains(out, "missing     job       badger evaluate") {
		t.Errorf("without the job: exit %d\n%s", code, out)
	}
	must(t, append(args, "--apply", url)...)
	must(t, append(args, "--diff", url)...)
	without := args[:len(args)-2]
	if code, out, _ := badger(t, append(without, "--diff", url)...); code != exitGate || !strings.Contains(out, "left over   job       badger evaluate") {
		t.Errorf("with values without a schedule: exit %d\n%s", code, out)
	}
	must(t, append(without, "--apply", url)...)
	if got := ask(t, url, "SELECT COUNT(*) FROM cron.job"); got != "0\n" {
		t.Errorf("%s jobs are left without a schedule", got)
	}
	must(t, append(without, "--diff", url)...)
	args = append(without, "--set", "schedule.cron=15 3 * * 1-5")
	must(t, append(args, "--apply", url)...)
	drop, _ := must(t, append(args, "--drop")...)
	for statement := range strings.SplitSeq(drop, "\n") {
		if strings.Contains(statement, "cron.unschedule") || strings.Contains(statement, "DROP PROCEDURE") || strings.Contains(statement, "_pending") {
			execute(t, url, statement)
		}
	}
	if got := ask(t, url, "SELECT (SELECT COUNT(*) FROM cron.job), (SELECT COUNT(*) FROM pg_proc WHERE proname IN ('evaluate', '_pending'))"); got != "0 0\n" {
		t.Errorf("jobs and procedures that are left: %s", got)
	}
}

// What badger serve returns is not stored where it is not what was asked for; a call that fails
// anywhere lets go of its lock; and no message holds the token.
func TestEvaluateDistrusts(t *testing.T) {
	values := filepath.Join(t.TempDir(), "badger.yaml")
	if err := os.WriteFile(values, []byte("schedule: {since: 2025-01-01, metrics: [ex_bird, sql_safety]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	at, server, _ := nightly(t, values)
	var change func(scores string) string
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: server})
	proxy.ModifyResponse = func(r *http.Response) error {
		text, err := io.ReadAll(r.Body)
		if strings.HasSuffix(r.Request.URL.Path, "/score_row") && change != nil {
			text = []byte(change(string(text)))
		}
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
		r.Header.Set("Content-Length", strconv.Itoa(len(text)))
		return err
	}
	between := httptest.NewServer(proxy)
	t.Cleanup(between.Close)
	token := filepath.Join(t.TempDir(), "token")
	tokenIs := func(text string) {
		if err := os.WriteFile(token, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tokenIs("one-line\r\n")
	for dir := filepath.Dir(token); strings.HasPrefix(dir, os.TempDir()) && dir != os.TempDir(); dir = filepath.Dir(dir) { // the database server reads it
		if err := os.Chmod(dir, 0o755); err != nil { //nolint:gosec // of a test
			t.Fatal(err)
		}
	}
	install := []string{"install", "--warehouse", "postgres", "--values", values, "--set", "endpoint=" + between.URL, "--set", "token_file=" + token, "--apply", at}
	must(t, install...)
	execute(t, at, "DELETE FROM badger.agent_runs WHERE case_id NOT IN (SELECT case_id FROM badger.agent_runs ORDER BY case_id LIMIT 5)")
	w := openURL(t, at)
	defer w.Close()
	const locks = "SELECT COUNT(*) FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
	fails := func(why string) {
		t.Helper()
		if err := w.Exec(t.Context(), "CALL badger.evaluate()"); err == nil {
			t.Errorf("%s: the call ended well", why)
		} else if strings.Contains(fmt.Sprintf("%v %+v", err, err), "hidden") {
			t.Errorf("%s: the message holds the token: %v", why, err)
		}
		if n := number(t, at, locks); n != 0 {
			t.Errorf("%s: %d locks are held after the call", why, n)
		}
		if n := number(t, at, "SELECT COUNT(*) FROM badger.scores"); n != 0 {
			t.Errorf("%s: %d scores were stored", why, n)
		}
		execute(t, at, "DELETE FROM badger.run_log WHERE event = 'answer failed'") // the third time the scores would be failed ones
	}
	for why, change1 := range map[string]func(string) string{
		"no scores": func(string) string { return "[]" }, "one too few": func(s string) string { return s[:strings.LastIndex(s, `{"metric"`)-1] + "]" },
		"scores of another metric": func(s string) string { return strings.ReplaceAll(s, `"ex_bird"`, `"ex_bard"`) }, "no JSON": func(string) string { return "<html>" },
		"an object": func(string) string { return "{}" }, "twice": func(s string) string { return strings.TrimSuffix(s, "]") + "," + strings.TrimPrefix(s, "[") },
		"no UTF-8": func(string) string { return "\xff" },
	} {
		change = change1
		fails(why)
	}
	change = nil
	if got := ask(t, at, "SELECT DISTINCT message FROM badger.run_log WHERE message LIKE '%returned 1 of 2 scores%'"); got == "" {
		t.Error("the log does not say how many scores are missing")
	}
	tokenIs("nightly:hidden1\nother:hidden2\n")
	fails("a file of two tokens")
	if got := ask(t, at, "SELECT COUNT(*) FROM badger.run_log WHERE message LIKE '%hidden%'"); got != "0\n" {
		t.Error("the log holds the token")
	}
	tokenIs("one-line\r\n")
	for _, vanishes := range []string{"agent_runs RENAME COLUMN ran_at TO ran", "run_log RENAME COLUMN message TO said", "eval_runs RENAME COLUMN tokens TO tok"} {
		execute(t, at, "ALTER TABLE badger."+vanishes)
		if err := w.Exec(t.Context(), "CALL badger.evaluate()"); err == nil {
			t.Errorf("with %s the call ended well", vanishes)
		}
		if n := number(t, at, locks); n != 0 {
			t.Errorf("with %s: %d locks are held after the call", vanishes, n)
		}
		words := strings.Fields(vanishes)
		execute(t, at, fmt.Sprintf("ALTER TABLE badger.%s RENAME COLUMN %s TO %s", words[0], words[5], words[3]))
	}
	if err := w.Exec(t.Context(), "DO $$ BEGIN CALL badger.evaluate(); END $$"); err == nil && number(t, at, locks) != 0 {
		t.Error("a call from another procedure kept the lock")
	}
	if err := w.Exec(t.Context(), "CALL badger.evaluate()"); err != nil {
		t.Error(err)
	}
	answers := number(t, at, "SELECT COUNT(*) FROM badger.agent_runs")
	if got, want := ask(t, at, "SELECT COUNT(DISTINCT (agent_version, batch_id, case_id)), COUNT(*) FROM badger.scores"), fmt.Sprintf("%d %d\n", answers, 2*answers); got != want {
		t.Errorf("scored answers and scores: %swant %s", got, want)
	}
}
