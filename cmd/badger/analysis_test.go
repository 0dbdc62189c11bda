//go:build !no_duckdb

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/badger-eval/badger/internal/analysis"
)

// nights writes cases of one batch: the first right of ten answers are right. Gold is what the
// accepted query returns.
func nights(t *testing.T, dir, batch string, right, gold int) string {
	t.Helper()
	var b strings.Builder
	for i := range 10 {
		answer := gold
		if i >= right {
			answer = -1
		}
		fmt.Fprintf(&b, `{"case_id": "q%d", "question": "How many?", "gold": {"sql": "SELECT %d", "result": {"columns": ["n"], "rows": [[%[2]d]]}}, "agent": {"name": "atlas", "version": "1", "batch_id": %q, "sql": "SELECT %d", "result": {"columns": ["n"], "rows": [[%[4]d]]}}}`+"\n",
			i, gold, batch, answer)
	}
	name := filepath.Join(dir, batch+".jsonl")
	if err := os.WriteFile(name, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// A nightly run fails where the metric dropped, where it cannot be compared, and nowhere else.
func TestFailOnDrop(t *testing.T) {
	dir := t.TempDir()
	db := "duckdb:" + filepath.Join(dir, "scores.duckdb")
	for _, night := range []struct {
		batch       string
		right, gold int
		code        int
		want        string
	}{
		{"mon", 10, 1, exitDone, "gate passed: atlas 1, batch mon has no baseline"},
		{"tue", 8, 1, exitDone, "gate passed: ex_bird passed on 100.0%, then on 80.0% of 10 shared cases (-20.0 points, could be chance, p 0.500)"},
		{"wed", 1, 1, exitGate, "gate failed: ex_bird passed on 100.0%, then on 10.0% of 10 shared cases (-90.0 points, more than chance, p 0.004)"},
		{"thu", 1, 2, exitGate, "gate failed: ex_bird cannot be compared: 10 cases: the question or its accepted answer changed"},
		{"wed", 1, 1, exitGate, "ex_bird"}, // scored again: compared with its baseline all the same
	} {
		code, _, log := badger(t, "run", "-q", "--cases", nights(t, dir, night.batch, night.right, night.gold), "--metrics", "ex_bird", "--to", db, "--fail-on-drop", "ex_bird=0.1")
		if code != night.code || !strings.Contains(log, night.want) {
			t.Errorf("%s: exit %d, want %d\n%s\nwant %s", night.batch, code, night.code, log, night.want)
		}
	}
	var c analysis.Comparison
	code, out, log := badger(t, "compare", "--db", db, "--from-batch", "tue", "--to-batch", "wed", "--json", "--fail-on-drop", "ex_bird=0.1")
	if err := json.Unmarshal([]byte(out), &c); err != nil || code != exitGate || c.Changes[0].Outcome != analysis.Degraded || len(c.Changes[0].Broken) != 7 {
		t.Errorf("compare: exit %d, %v, %s\n%s", code, err, log, out)
	}
	if code, _, log := badger(t, "compare", "--db", db, "--from-batch", "tue", "--to-batch", "wed", "--fail-on-drop", "ex_bird=0.8"); code != exitDone || !strings.Contains(log, "gate passed") {
		t.Errorf("a smaller drop than that of the gate: exit %d, %s", code, log)
	}
	code, out, _ = badger(t, "trend", "--db", db, "--width", "80")
	if code != exitDone || !strings.Contains(out, "thu: not compared on 10 cases: the question or its") || !strings.Contains(out, "4 of 4 batches do not say when they were answered") {
		t.Errorf("trend: exit %d\n%s", code, out)
	}
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{"run", "--cases", filepath.Join(dir, "mon.jsonl"), "--metrics", "ex_bird", "--no-to", "--fail-on-drop", "ex_bird=0.1"}, "leave --no-to out"},
		{[]string{"run", "--cases", filepath.Join(dir, "mon.jsonl"), "--metrics", "ex_bird", "--to", db, "--fail-on-drop", "row_f1=0.1"}, `"row_f1" is not part of this run`},
		{[]string{"run", "--cases", filepath.Join(dir, "mon.jsonl"), "--to", db, "--fail-on-drop", "0.1"}, "expected METRIC=DROP"},
		{[]string{"compare", "--db", db, "--to", "zeus"}, "there are atlas@1 batch mon"},
		{[]string{"compare", "--db", db, "--to-batch", "mon"}, "no complete batch of agent \"atlas\" precedes"},
		{[]string{"compare", "--db", db, "--metrics", "ex_brid"}, "ex_bird"},
		{[]string{"trend", "--db", db, "--alpha", "0"}, "--alpha"},
		{[]string{"trend"}, "expected --db URL or --scores FILE"},
		{[]string{"rank", "--scores", filepath.Join(dir, "nowhere.jsonl")}, "does not exist"},
		{[]string{"failures", "--db", db, "--label", "joins_missing"}, "no answer has the label"},
		{[]string{"audit", "--db", db, "--ex", "ex"}, "no scores of metric"},
	} {
		if code, _, log := badger(t, tc.args...); code != exitUsage || !strings.Contains(log, tc.want) {
			t.Errorf("%v: exit %d\n%s\nwant %s", tc.args, code, log, tc.want)
		}
	}
	if code, _, log := badger(t, "sql", "--db", db, "--write", "UPDATE badger.eval_runs SET status = 'stopped' WHERE batch_id = 'tue'"); code != exitDone {
		t.Fatalf("exit %d, %s", code, log)
	}
	const stopped = "the last run of atlas 1, batch tue is not done (stopped)"
	if code, out, log := badger(t, "compare", "--db", db, "--from-batch", "mon", "--to-batch", "tue", "--width", "200", "--fail-on-drop", "ex_bird=0.9"); code != exitGate || !strings.Contains(out, "note: "+stopped) || !strings.Contains(log, "gate failed: "+stopped) {
		t.Errorf("a stopped run: exit %d, %s\n%s", code, log, out)
	}
	if code, _, log := badger(t, "trend", "--db", db, "--batch", "tue", "--fail-on-drop", "ex_bird=0.9"); code != exitGate || !strings.Contains(log, "gate failed: "+stopped) {
		t.Errorf("a stopped run without one before: exit %d, %s", code, log)
	}
	if code, _, log := badger(t, "rank", "--db", db); code != exitFail || !strings.Contains(log, "found 1") {
		t.Errorf("one system: exit %d, %s", code, log)
	}
	if code, _, log := badger(t, "trend", "--scores", filepath.Join(dir, "mon.jsonl")); code != exitFail || !strings.Contains(log, "mon.jsonl:1: expected a score") {
		t.Errorf("a file of cases in place of scores: exit %d, %s", code, log)
	}
}

// scoresOf scores a file of cases and returns the file of scores.
func scoresOf(t *testing.T, name, cases string, args ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name+".jsonl")
	args = append([]string{"run", "-q", "--cases", cases, "--no-to", "--scores", file}, args...)
	if code, _, log := badger(t, args...); code != exitDone {
		t.Fatalf("exit %d %s", code, log)
	}
	return file
}

// asSystems rewrites reference cases; each gets a line and returns another.
func asSystems(t *testing.T, file string, change func(c map[string]any)) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []byte
	for line := range strings.Lines(string(text)) {
		var c map[string]any
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		change(c)
		line, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		out = append(append(out, line...), '\n')
	}
	name := filepath.Join(t.TempDir(), "cases.jsonl")
	if err := os.WriteFile(name, out, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// narrow fails where a command prints a line of more than 80 columns.
func narrow(t *testing.T, args ...string) string {
	t.Helper()
	code, out, log := badger(t, append(args, "--width", "80")...)
	if code != exitDone {
		t.Errorf("%v: exit %d %s", args, code, log)
	}
	for line := range strings.Lines(out) {
		if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > 80 {
			t.Errorf("%v prints a line of %d columns: %s", args, n, line)
		}
	}
	return out
}

// The accepted answers of ROSE-VEC, audited by three judges' recorded replies, as experts see it.
func TestAuditOfROSEVEC(t *testing.T) {
	cases, replies := referenceFile(t, "rosevec/cases.jsonl"), referenceFile(t, "rosevec/assessments.jsonl")
	args := []string{"audit", "--cases", cases}
	for _, judge := range []string{"o3", "gemini-2.5-pro", "deepseek-r1"} {
		args = append(args, "--scores", scoresOf(t, judge, cases, "--assessments", replies, "--backend", judge, "--metrics", "ex_bird,rose,relation"))
	}
	narrow(t, args...)
	code, out, log := badger(t, append(args, "--json")...)
	var a analysis.Audit
	if err := json.Unmarshal([]byte(out), &a); err != nil || code != exitDone {
		t.Fatalf("exit %d, %v, %s", code, err, log)
	}
	// 183 answers have results, of which execution accuracy rejects 116.
	if a.Cases != 397 || a.Rejected != 116 || a.Labelled != 116 || a.Accepted != 71 {
		t.Errorf("%d cases, %d rejected, %d labelled, %d accepted", a.Cases, a.Rejected, a.Labelled, a.Accepted)
	}
	for _, m := range a.Reasons {
		t.Logf("%s %s %s: %d of %d", m.Reason, m.Of, m.By, m.Accepted, m.Labelled)
		least := map[string]float64{analysis.GoldX: 0.8, analysis.AmbQ: 0.8, analysis.JudgesContradict: 0.9, analysis.GoldLogic: 0.9}[m.Reason]
		if m.Precision != nil && *m.Precision < least {
			t.Errorf("%s by %s: people accept %d of %d, want %.0f %% of them at least", m.Reason, m.By, m.Accepted, m.Labelled, 100*least)
		}
		if m.Reason == "any" && m.Of == "any" && (*m.Precision < 0.85 || *m.Recall < 0.85) {
			t.Errorf("precision %.3f and recall %.3f, want 0.85 of both at least", *m.Precision, *m.Recall)
		}
	}
}

// Four systems whose answers execution accuracy rejects all.
func TestRankingOfMaple(t *testing.T) {
	question := regexp.MustCompile(`\d+$`)
	cases := asSystems(t, referenceFile(t, "maple/cases.jsonl"), func(c map[string]any) { c["case_id"] = "q" + question.FindString(c["case_id"].(string)) })
	scores := scoresOf(t, "maple", cases, "--metrics", "ex_bird,hybrid_ex,verdict,relation,sql_complexity")
	out := narrow(t, "rank", "--scores", scores, "--cases", cases)
	if !strings.Contains(out, "the systems have different cases: they are compared on the 2 of 123") {
		t.Errorf("%s", out)
	}
	code, out, log := badger(t, "rank", "--scores", scores, "--cases", cases, "--json")
	var r analysis.Ranking
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != exitDone {
		t.Fatalf("exit %d, %v, %s", code, err, log)
	}
	// All are wrong by execution accuracy, and people accept 31.
	if len(r.Systems) != 4 || r.Against != analysis.AgainstLabels || r.Errors[0] != (analysis.EXError{N: 163, FalseNegatives: 31}) {
		t.Errorf("%v, against %s, errors %+v", r.Systems, r.Against, r.Errors[0])
	}
	narrow(t, "audit", "--scores", scores, "--cases", cases)
	narrow(t, "failures", "--scores", scores, "--by", "version", "--cases")
	narrow(t, "failures", "--scores", scores, "--by", "tier", "--all")
}

// The four trials of an airline agent as nights, each with 50 questions.
func TestTrendOfTauBench(t *testing.T) {
	trial := regexp.MustCompile(`-(\d+)$`)
	cases := asSystems(t, referenceFile(t, "taubench/cases.jsonl"), func(c map[string]any) {
		id := c["case_id"].(string)
		c["agent"].(map[string]any)["batch_id"] = "night " + trial.FindStringSubmatch(id)[1]
		c["case_id"] = trial.ReplaceAllString(id, "")
	})
	scores := scoresOf(t, "tau", cases, "--metrics", "tool_recall,tool_order,tool_excess")
	out := narrow(t, "trend", "--scores", scores)
	if !strings.Contains(out, "4 of 4 batches have no date") {
		t.Errorf("%s", out)
	}
	code, out, log := badger(t, "trend", "--scores", scores, "--json")
	var trend analysis.Trend
	if err := json.Unmarshal([]byte(out), &trend); err != nil || code != exitDone || len(trend.Points) != 12 {
		t.Fatalf("exit %d, %v, %d points, %s", code, err, len(trend.Points), log)
	}
	for _, p := range trend.Points {
		if p.Now.Asked != 50 || (p.Before == nil) != (p.Batch == 0) || p.Change != nil && p.Change.Compared == 0 {
			t.Errorf("%+v", p)
		}
	}
	narrow(t, "compare", "--scores", scores, "--from-batch", "night 0", "--to-batch", "night 3", "--cases", "--by", "tier")
}

// Results that annotators accepted for the same question, as systems by the letter of their file, and
// FLEX's answers.
func TestAuditAndRankOfSpider2AndFLEX(t *testing.T) {
	dir, err := filepath.Abs(referenceFile(t, "spider2"))
	if err != nil {
		t.Fatal(err)
	}
	letter := regexp.MustCompile(`_([a-z])$`)
	seen := map[string]bool{}
	cases := asSystems(t, filepath.Join(dir, "cases.jsonl"), func(c map[string]any) {
		answer, gold, _ := strings.Cut(c["case_id"].(string), "~")
		agent, of := c["agent"].(map[string]any), c["gold"].(map[string]any)
		for _, q := range []map[string]any{agent, of} {
			q["result"] = "file:" + filepath.Join(dir, strings.TrimPrefix(q["result"].(string), "file:"))
		}
		c["case_id"], agent["name"] = gold, "file "+letter.FindString(answer)
		if key := gold + answer; seen[key] {
			t.Errorf("%s twice", key)
		} else {
			seen[key] = true
		}
	})
	scores := scoresOf(t, "spider2", cases, "--metrics", "ex_bird,hybrid_ex,verdict,relation")
	narrow(t, "rank", "--scores", scores, "--systems", "file _b 1,file _c 1")
	narrow(t, "audit", "--scores", scores)

	flex := referenceFile(t, "flex200/cases.jsonl")
	scores = scoresOf(t, "flex200", flex, "--assessments", referenceFile(t, "flex200/assessments.jsonl"), "--metrics", "ex_bird,flex,relation")
	code, out, log := badger(t, "audit", "--scores", scores, "--cases", flex, "--json")
	var a analysis.Audit
	if err := json.Unmarshal([]byte(out), &a); err != nil || code != exitDone || a.Answers != 200 || a.Labelled == 0 {
		t.Errorf("exit %d, %v, %+v %s", code, err, a, log)
	}
	narrow(t, "audit", "--scores", scores, "--cases", flex)
	narrow(t, "failures", "--scores", scores)
}

// An audit names gold queries that are no function of the data before any score exists.
func TestAuditOfGoldsBeforeARun(t *testing.T) {
	cases := filepath.Join(t.TempDir(), "cases.jsonl")
	text := `{"case_id": "q1", "question": "Q", "dialect": "duckdb", "gold": {"sql": "SELECT count(*)\nFROM t WHERE d > today() - 30"}, "agent": {"name": "a", "sql": "SELECT 1"}}
{"case_id": "q2", "question": "Q", "dialect": "duckdb", "gold": {"sql": "SELECT count(*) FROM t WHERE today = 'now()'"}, "agent": {"name": "a", "sql": "SELECT 1"}}
`
	if err := os.WriteFile(cases, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, log := badger(t, "audit", "--cases", cases)
	if code != exitDone || !strings.Contains(out, "1 of 2: clock 1") || !strings.Contains(out, "line 2, column 18: today() reads the clock") || strings.Contains(out, "q2") {
		t.Errorf("exit %d %s\n%s", code, log, out)
	}
	var a analysis.Audit
	code, out, log = badger(t, "audit", "--cases", cases, "--json")
	if err := json.Unmarshal([]byte(out), &a); err != nil || code != exitDone || a.Golds == nil || a.Golds.Read != 2 || len(a.Golds.Depends) != 1 || a.Golds.Depends[0].Part != "today()" {
		t.Errorf("exit %d %v %s\n%s", code, err, log, out)
	}
	if code, _, log := badger(t, "audit"); code != exitUsage || !strings.Contains(log, "--cases FILE") {
		t.Errorf("without anything to audit: exit %d, %s", code, log)
	}
	if code, _, log := badger(t, "audit", "--cases", cases, "--source", "duckdb:x.duckdb"); code != exitUsage || !strings.Contains(log, "--cases and --source") {
		t.Errorf("two sources: exit %d, %s", code, log)
	}
	narrow(t, "audit", "--cases", cases)
}

// A clock that is no instant, or one that nothing runs at, is a mistake of the user.
func TestClockFlag(t *testing.T) {
	cases := filepath.Join(t.TempDir(), "cases.jsonl")
	if err := os.WriteFile(cases, []byte(`{"case_id": "q1", "question": "Q", "gold": {"sql": "SELECT 1"}, "agent": {"name": "a", "sql": "SELECT 1"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ clock, execute, want string }{
		{"2024-06-30", "duckdb:x.duckdb", `--clock: "2024-06-30", expected an instant of whole seconds with its zone`},
		{"2024-06-30T00:00:00.5Z", "duckdb:x.duckdb", "whole seconds"},
		{"2024-06-30T00:00:00Z", "", "expected a URL with"},
	} {
		args := []string{"run", "--cases", cases, "--no-to", "--snapshots", "none", "--clock", tc.clock}
		if tc.execute != "" {
			args = append(args, "--execute", tc.execute)
		}
		if code, _, log := badger(t, args...); code != exitUsage || !strings.Contains(log, tc.want) {
			t.Errorf("%s: exit %d, %s, want %s", tc.clock, code, log, tc.want)
		}
	}
}

// badger run and badger report give the same verdict of a gate on one run, also if the run does not score the metric
// that decides in the batch. ex_bird drops on four cases and ex_multiset on six, so its p-value depends on whether it is
// adjusted for ex_bird.
func TestFailOnDropOfRunAndReport(t *testing.T) {
	dir := t.TempDir()
	db, file := "duckdb:"+filepath.Join(dir, "scores.duckdb"), filepath.Join(dir, "cases.jsonl")
	for _, batch := range []string{"mon", "tue"} {
		var b strings.Builder
		for i := range 13 {
			answer := `["a", "b"], "rows": [[1, "x"], [1, "x"]]`
			switch {
			case batch == "mon":
			case i < 4: // columns swapped
				answer = `["b", "a"], "rows": [["x", 1], ["x", 1]]`
			case i < 6: // a row twice as often
				answer = `["a", "b"], "rows": [[1, "x"], [1, "x"], [1, "x"], [1, "x"]]`
			}
			fmt.Fprintf(&b, `{"case_id": "q%d", "gold": {"result": {"columns": ["a", "b"], "rows": [[1, "x"], [1, "x"]]}}, "agent": {"name": "atlas", "version": "1", "batch_id": %q, "result": {"columns": %s}}}`+"\n", i, batch, answer)
		}
		if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		if code, _, log := badger(t, "run", "-q", "--cases", file, "--metrics", "ex_bird,hybrid_ex,ex_multiset", "--to", db); code != exitDone {
			t.Fatal(log)
		}
	}
	drops := []string{"--fail-on-drop", "ex_bird=0.1", "--fail-on-drop", "ex_multiset=0.1"}
	_, _, run := badger(t, append([]string{"run", "-q", "--cases", file, "--metrics", "ex_bird,ex_multiset", "--to", db, "--run-id", "again"}, drops...)...)
	_, _, report := badger(t, append([]string{"report", "--db", db, "--run", "again"}, drops...)...)
	gates := regexp.MustCompile(`(?m)^gate .*$`)
	if of, again := gates.FindAllString(run, -1), gates.FindAllString(report, -1); !slices.Equal(of, again) || len(of) != 2 {
		t.Errorf("badger run: %q\nbadger report: %q\n%s", of, again, report)
	}
}
