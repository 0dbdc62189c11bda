//go:build !no_duckdb && !no_postgres

package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"github.com/badger-eval/badger/judgebackend/backendtest"
)

// viewer is a browser that has opened the link of badger view.
type viewer struct {
	t *testing.T
	*started
}

func (v *viewer) ask(method, address, kind string, body io.Reader) (int, *goquery.Document) {
	v.t.Helper()
	r, err := http.NewRequestWithContext(v.t.Context(), method, v.address+address, body)
	if err != nil {
		v.t.Fatal(err)
	}
	r.AddCookie(v.cookie)
	r.Header.Set("Content-Type", kind)
	r.Header.Set("Origin", v.address)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		v.t.Fatalf("%v\n%s", err, v.fate())
	}
	defer res.Body.Close()
	d, err := goquery.NewDocumentFromReader(res.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return res.StatusCode, d
}

func (v *viewer) get(address string) *goquery.Document {
	v.t.Helper()
	status, d := v.ask(http.MethodGet, address, "", nil)
	if status != http.StatusOK {
		v.t.Fatalf("%s: %d %s", address, status, d.Find("main").Text())
	}
	return d
}

func (v *viewer) post(address string, form url.Values) *goquery.Document {
	v.t.Helper()
	status, d := v.ask(http.MethodPost, address, "application/x-www-form-urlencoded", strings.NewReader(form.Encode()))
	if status != http.StatusOK {
		v.t.Fatalf("%s: %d %s", address, status, d.Find("main").Text())
	}
	return d
}

// upload sends a file by the form of the page, compressed, and returns the id of the submission and its page.
func (v *viewer) upload(file string) (id string, page *goquery.Document) {
	v.t.Helper()
	id = v.get("/submit").Find("form[enctype] input[name=id]").AttrOr("value", "")
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	_ = form.WriteField("id", id)
	part, err := form.CreateFormFile("file", "cases.jsonl.gz")
	if err != nil {
		v.t.Fatal(err)
	}
	z := gzip.NewWriter(part)
	_, _ = io.WriteString(z, readFile(v.t, file))
	_ = z.Close()
	_ = form.Close()
	status, page := v.ask(http.MethodPost, "/submit/file", form.FormDataContentType(), &body)
	if status != http.StatusOK {
		v.t.Fatalf("upload: %d %s", status, page.Find("main").Text())
	}
	return id, page
}

// ends waits until a submission has ended.
func (v *viewer) ends(id string) *goquery.Document {
	v.t.Helper()
	for range 600 {
		d := v.get("/submission?id=" + id)
		if _, polls := d.Find("body").Attr("data-poll"); !polls {
			return d
		}
		time.Sleep(50 * time.Millisecond)
	}
	v.t.Fatal("the run does not end")
	return nil
}

// storedScores are the scores of a run, but for what differs between any two runs.
func storedScores(t *testing.T, db, run string) string {
	t.Helper()
	w, err := openWarehouse(t.Context(), db, readOnly)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	table, err := w.Query(t.Context(), fmt.Sprintf(`SELECT string_agg(concat_ws(' ', case_id, agent_name, agent_version, metric, metric_version, status, value, passed, reason, gold_hash, config_hash), chr(10) ORDER BY case_id, metric) FROM badger.scores WHERE eval_run_id = '%s'`, run))
	if err != nil {
		t.Fatal(err)
	}
	return table.Columns[0].Value(0).String()
}

// Submissions of two databases are kept apart, also if both files have the same relative name, and the name of a file
// does not matter.
func TestSubmitDir(t *testing.T) {
	one, other := t.TempDir(), t.TempDir()
	dir := func(db string) string {
		t.Helper()
		d, err := submitDir(db)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	t.Chdir(one)
	first := dir("duckdb:w.duckdb")
	for _, same := range []string{"duckdb:./w.duckdb", "duckdb:" + filepath.Join(one, "w.duckdb")} {
		if got := dir(same); got != first {
			t.Errorf("%s: %s, want %s", same, got, first)
		}
	}
	t.Chdir(other)
	if got := dir("duckdb:w.duckdb"); got == first {
		t.Errorf("two databases share %s", got)
	}
	if a, b := dir("snowflake:u@account/db"), dir("snowflake:u@account/db2"); a == b {
		t.Errorf("two databases share %s", a)
	}
}

// Answers in tables are scored. The run records which, and an estimate needs no ledger.
func TestSubmitTables(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("JUDGE_KEY", "sk-of-nobody")
	judge := backendtest.NewEndpoint(t, upholding)
	db, config := "duckdb:"+filepath.Join(dir, "w.duckdb"), filepath.Join(dir, "badger.yaml")
	if err := os.WriteFile(config, fmt.Appendf(nil, "submit: {dir: %q}\njudge: {backend: \"openai:gpt-4o\", base_url: %s, key_env: JUDGE_KEY, ledger: none}\n", filepath.Join(dir, "desk"), judge.URL()), 0o600); err != nil {
		t.Fatal(err)
	}
	execute(t, db, "CREATE SCHEMA badger",
		`CREATE TABLE badger.golden_set AS SELECT 'c' || i AS case_id, 'How many?' AS question, 'SELECT 1' AS gold_sql, '{"columns": ["n"], "rows": [[1]]}' AS gold_result, 'v1' AS set_version FROM generate_series(1, 3) g(i)`,
		`CREATE TABLE badger.agent_runs AS SELECT 'a' AS agent_name, '1' AS agent_version, b AS batch_id, 'c' || i AS case_id, 'SELECT 2' AS sql, '{"columns": ["n"], "rows": [[2]]}' AS result FROM generate_series(1, 3) g(i), (VALUES ('mon'), ('tue')) n(b)`)
	v := &viewer{t, startReport(t, "view", "--db", db, "--submit", "--config", config, "--http", "127.0.0.1:0")}
	id := v.get("/submit").Find("form[action='/submit/tables'] input[name=id]").AttrOr("value", "")
	page := v.post("/submit/tables", url.Values{"id": {id}, "agent": {"a"}, "batch": {"tue"}})
	if got := page.Find("h1").Text(); got != "3 answers to 3 questions can be scored." {
		t.Errorf("the preview: %s", got)
	}
	choice := url.Values{"id": {id}, "which": {"chosen"}, "metric": {"rose"}, "judge": {"1"}, "budget": {"50k"}, "do": {"estimate"}}
	if got := v.post("/submission", choice).Find(".notice b").Text(); !strings.HasPrefix(got, "About ") || len(judge.Calls()) != 0 {
		t.Errorf("the estimate %q after %d calls", got, len(judge.Calls()))
	}
	v.post("/submission", url.Values{"id": {id}, "which": {"chosen"}, "metric": {"hybrid_ex"}, "do": {"start"}})
	run := v.ends(id).Find("dl.facts code").Text()
	v.kill()
	if got := storedScores(t, db, run); strings.Count(got, "\n") != 2 {
		t.Errorf("scores:\n%s", got)
	}
	got := ask(t, db, "SELECT versions->'answers' FROM badger.eval_runs WHERE eval_run_id = '"+run+"'")
	if got != `{"agent_name":"a","batch_id":"tue"}`+"\n" {
		t.Errorf("the run records the answers %s", got)
	}
}

// A file is uploaded, examined, estimated and run by badger view. The estimate is as many calls as the run makes, and
// the scores are those of badger run.
func TestSubmitEndToEnd(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("JUDGE_KEY", "sk-of-nobody")
	common, own := backendtest.NewEndpoint(t, upholding), backendtest.NewEndpoint(t, upholding)
	cases, db := writeCases(t, dir, 6, 4), "duckdb:"+filepath.Join(dir, "w.duckdb")
	config, desk := filepath.Join(dir, "badger.yaml"), filepath.Join(dir, "desk")
	if err := os.WriteFile(config, fmt.Appendf(nil, `submit: {dir: %q, waiting: 1}
judge:
  backend: openai:gpt-4o
  base_url: %s
  key_env: JUDGE_KEY
  budget: {tokens: 100000}
  metrics:
    rose: {backend: "openai:o3-2025-04-16", base_url: %q, key_env: JUDGE_KEY, temperature: 1}
`, desk, common.URL(), own.URL()), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, log := badger(t, "run", "--cases", cases, "--to", db, "--quiet", "--run-id", "by-hand", "--metrics", "hybrid_ex,relation"); code != exitDone {
		t.Fatal(log)
	}
	v := &viewer{t, startReport(t, "view", "--db", db, "--submit", "--config", config, "--http", "127.0.0.1:0")}

	id, page := v.upload(cases)
	if got := page.Find("h1").Text(); got != "6 answers to 6 questions can be scored." {
		t.Errorf("the preview: %s", got)
	}
	if text := page.Find("main").Text(); !strings.Contains(text, "Nothing: every answer has a gold answer") {
		t.Errorf("something is missing: %s", text)
	}
	if text := page.Text(); strings.Contains(text, "sk-of") || strings.Contains(text, "JUDGE_KEY") || strings.Contains(text, common.Host()) || !strings.Contains(text, "openai:gpt-4o, rose=openai:o3-2025-04-16 (temperature 1)") {
		t.Error("the page shows more of the judges than their names, or less")
	}
	if info, err := os.Stat(filepath.Join(desk, id, "cases.jsonl")); err != nil || info.Mode() != 0o600 {
		t.Errorf("the uploaded file: %v %v", info, err)
	}
	choice := url.Values{"id": {id}, "which": {"chosen"}, "metric": {"flex", "rose"}, "judge": {"1"}, "budget": {"50k"}}
	with := func(name string, values ...string) url.Values {
		out := url.Values{}
		for k, v := range choice {
			out[k] = v
		}
		out[name] = values
		return out
	}
	page = v.post("/submission", with("do", "estimate"))
	if got := page.Find(".notice b").Text(); !strings.HasPrefix(got, "About 8 judge calls, 0.") || len(common.Calls())+len(own.Calls()) != 0 {
		t.Errorf("the estimate %q after %d calls", got, len(common.Calls())+len(own.Calls()))
	}
	for _, bad := range []url.Values{with("budget", "100001"), with("budget", "-1"), with("budget", ""), with("judge", "0"), with("metric", "nosuch")} {
		bad.Set("do", "start")
		if status, _ := v.ask(http.MethodPost, "/submission", "application/x-www-form-urlencoded", strings.NewReader(bad.Encode())); status != http.StatusBadRequest {
			t.Errorf("%v: %d", bad, status)
		}
	}
	v.post("/submission", with("do", "start"))
	page = v.ends(id)
	if got := page.Find("h1").Text(); got != "6 answers are scored." || len(common.Calls()) != 4 || len(own.Calls()) != 4 {
		t.Errorf("%s %s after %d and %d calls", got, page.Find(".notice").Text(), len(common.Calls()), len(own.Calls()))
	}
	run := page.Find("dl.facts code").Text()
	if got := v.get(page.Find("a.btn.main").AttrOr("href", "")).Find("main").Text(); !strings.Contains(got, "6") {
		t.Errorf("the result: %s", got)
	}
	if _, err := os.Stat(filepath.Join(desk, id, "cases.jsonl")); err == nil {
		t.Error("the uploaded file is left after the run")
	}
	// A second one, without a judge, of the same metrics as by hand. Another waits for it, if it is not done yet.
	second, _ := v.upload(cases)
	v.post("/submission", url.Values{"id": {second}, "do": {"start"}, "which": {"chosen"}, "metric": {"hybrid_ex", "relation"}})
	again := v.ends(second).Find("dl.facts code").Text()
	v.kill()
	err := filepath.WalkDir(desk, func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".jsonl") {
			t.Errorf("%s is left", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if want, got := storedScores(t, db, "by-hand"), storedScores(t, db, again); got != want || strings.Count(got, "\n") != 11 {
		t.Errorf("scores of the submitted run:\n%s\nby hand:\n%s", got, want)
	}
	if code, _, log := badger(t, "run", "--cases", cases, "--to", db, "--quiet", "--run-id", "judged", "--metrics", "flex,rose", "--config", config); code != exitDone {
		t.Fatal(log)
	}
	if want, got := storedScores(t, db, "judged"), storedScores(t, db, run); got != want || strings.Count(got, "\n") != 11 {
		t.Errorf("judged scores of the submitted run:\n%s\nby hand:\n%s", got, want)
	}
}

// A run that was killed is shown as interrupted. Resumed, it keeps the scores that it has, and computes the others.
func TestSubmitAfterAKill(t *testing.T) {
	dir := t.TempDir()
	all, db := writeCases(t, dir, 6, 6), "duckdb:"+filepath.Join(dir, "w.duckdb")
	half, config, desk := filepath.Join(dir, "half.jsonl"), filepath.Join(dir, "badger.yaml"), filepath.Join(dir, "desk")
	lines := strings.SplitAfter(readFile(t, all), "\n")
	for path, text := range map[string]string{half: strings.Join(lines[:4], ""), config: fmt.Sprintf("submit: {dir: %q}\n", desk)} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(id, file string) {
		t.Helper()
		if code, _, log := badger(t, "run", "--cases", file, "--to", db, "--quiet", "--run-id", id, "--metrics", "hybrid_ex"); code != exitDone {
			t.Fatal(log)
		}
	}
	run("whole", all)
	args := []string{"view", "--db", db, "--submit", "--config", config, "--http", "127.0.0.1:0"}
	v := &viewer{t, startReport(t, args...)}
	id, _ := v.upload(all)
	v.kill()
	run("cut", half) // what the run had stored when the server was killed
	state := filepath.Join(desk, id, "submission.json")
	text := strings.NewReplacer(`"Status": "draft"`, `"Status": "running"`, `"Run": ""`, `"Run": "cut"`, `"Metrics": null`, `"Metrics": ["hybrid_ex"]`).Replace(readFile(t, state))
	if err := os.WriteFile(state, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	v = &viewer{t, startReport(t, args...)}
	if page := v.get("/submission?id=" + id); !strings.HasPrefix(page.Find("h1").Text(), "Interrupted after") || page.Find("button[value=resume]").Length() != 1 {
		t.Fatalf("after the kill: %s", page.Find("main").Text())
	}
	v.post("/submission", url.Values{"id": {id}, "do": {"resume"}})
	if got := v.ends(id).Find("h1").Text(); got != "6 answers are scored." {
		t.Errorf("resumed: %s", got)
	}
	v.kill()
	if want, got := storedScores(t, db, "whole"), storedScores(t, db, "cut"); got != want || strings.Count(got, "\n") != 5 {
		t.Errorf("scores of the resumed run:\n%s\nof a whole one:\n%s", got, want)
	}
	if _, err := os.Stat(filepath.Join(desk, id, "cases.jsonl")); err == nil {
		t.Error("the uploaded file is left")
	}
}

// An uploaded file cannot name files or tables that the configuration does not permit.
func TestSubmittedReferencesAreGuarded(t *testing.T) {
	dir := t.TempDir()
	db := "duckdb:" + filepath.Join(dir, "w.duckdb")
	config, desk, secret := filepath.Join(dir, "badger.yaml"), filepath.Join(dir, "desk"), filepath.Join(dir, "secret.csv")
	line := func(id, result string) string {
		return fmt.Sprintf(`{"case_id": %q, "gold": {"result": {"columns": ["n"], "rows": [[1]]}}, "agent": {"name": "a", "version": "1", "result": %q}}`, id, result) + "\n"
	}
	file := filepath.Join(dir, "cases.jsonl")
	for path, text := range map[string]string{
		config: fmt.Sprintf("submit: {dir: %q}\nresults: {tables: [open.*]}\n", desk), secret: "n\n1\n",
		file: line("file", "file:"+secret) + line("relative", "file:../secret.csv") + line("state", "file:submission.json") + line("table", "table:badger.scores") + line("query", "query:1"),
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if code, _, log := badger(t, "run", "--cases", file, "--to", db, "--quiet", "--metrics", "hybrid_ex"); code == exitUsage {
		t.Fatal(log)
	}
	v := &viewer{t, startReport(t, "view", "--db", db, "--submit", "--config", config, "--http", "127.0.0.1:0")}
	id, page := v.upload(file)
	for _, want := range []string{"3 results named by a file reference", "1 result named by a table reference", "1 result named by a query reference"} {
		if !strings.Contains(page.Find("main").Text(), want) {
			t.Errorf("the preview lacks %q", want)
		}
	}
	v.post("/submission", url.Values{"id": {id}, "do": {"start"}, "which": {"chosen"}, "metric": {"hybrid_ex"}})
	run := v.ends(id).Find("dl.facts code").Text()
	v.kill()
	got := storedScores(t, db, run)
	if strings.Count(got, " failed ") != 5 || strings.Count(got, "not allowed") < 4 {
		t.Errorf("scores:\n%s", got)
	}
}

// A database that cannot be written, here because another process reads it, is shown, and the page says why nothing can
// be submitted.
func TestSubmitWithoutWritableDatabase(t *testing.T) {
	dir := t.TempDir()
	db := "duckdb:" + filepath.Join(dir, "w.duckdb")
	if code, _, log := badger(t, "run", "--cases", writeCases(t, dir, 1, 1), "--to", db, "--quiet", "--metrics", "hybrid_ex"); code != exitDone {
		t.Fatal(log)
	}
	reader := &viewer{t, startReport(t, "view", "--db", db, "--http", "127.0.0.1:0")}
	reader.get("/runs")
	if status, page := reader.ask(http.MethodGet, "/submit", "", nil); status != http.StatusForbidden || !strings.Contains(page.Find("main").Text(), "--submit") {
		t.Errorf("%d %s", status, page.Find("main").Text())
	}
	v := &viewer{t, startReport(t, "view", "--db", db, "--submit", "--http", "127.0.0.1:0")}
	v.get("/runs")
	if status, page := v.ask(http.MethodGet, "/submit", "", nil); status != http.StatusConflict || !strings.Contains(page.Find("main").Text(), "the database cannot be written") {
		t.Errorf("%d %s", status, page.Find("main").Text())
	}
}
