package storedscores

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
)

// The judge of a score file is in the detail, at a place of its own for each metric.
func TestJudgesOfScoreFiles(t *testing.T) {
	for _, tc := range []struct{ metric, detail, want string }{
		{"rose", `{"judge": "rose_o3-2504"}`, "o3-2504"},
		{"verdict", `{"decided_by": "judge", "rests_on": "rose by o3, asked rose/prover@1; the evidence (overlap) left it open", "rose": {"judge": "rose_o3-2504"}}`, "o3-2504"},
		{"verdict", `{"rests_on": "rose by o3, from the replies to rose/prover recorded in a file, whose prompts are not known; the evidence (x) left it open", "rose": {}}`, "o3"},
		{"verdict", `{"rests_on": "flex by gpt-4o-2024-08-06 and o3, asked flex@2; the evidence (x) left it open", "flex": {}}`, "gpt-4o-2024-08-06 and o3"},
		{"verdict", `{"rests_on": "flex by a model that is not named, asked flex@2; the evidence (x) left it open", "flex": {}}`, analysis.UnknownJudge},
		{"flex", `{"categories": []}`, analysis.UnknownJudge},
	} {
		r := scoring.Row{Score: scoring.Score{Metric: tc.metric, Status: scoring.StatusOK, AssessmentIDs: []string{"x"}, Detail: json.RawMessage(tc.detail)}}
		if s := fileScore(&r); s.Judge != tc.want {
			t.Errorf("%s %s: judge %q, want %q", tc.metric, tc.detail, s.Judge, tc.want)
		}
	}
	r := scoring.Row{Score: scoring.Score{Metric: "verdict", Status: scoring.StatusOK, Detail: json.RawMessage(`{"rests_on": "evidence: the relation same passes under the policy answer; nobody was asked"}`)}}
	if s := fileScore(&r); s.Judge != "" {
		t.Errorf("judge %q of a verdict by evidence", s.Judge)
	}
}

// A score file that says two things of an answer is refused, whichever comes last.
func TestContradictingScores(t *testing.T) {
	line := func(id, value string) string {
		return `{"case_id":"` + id + `","metric":"ex_bird","metric_version":2,"agent_name":"a","agent_version":"1","batch_id":"mon","status":"ok","value":` + value + `,"passed":` + strconv.FormatBool(value == "1") + `,"reason":"x"}` + "\n"
	}
	long := strings.Repeat("long", 800)
	for _, tc := range []struct{ lines, want string }{
		{line("c1", "1") + line("c2", "0") + line("c1", "0"), "f.jsonl:3: expected one score of each answer and metric: line 1 has another one of case c1, metric ex_bird, a 1, batch mon"},
		{line("c1", "0") + line("c2", "0") + line("c1", "1"), "f.jsonl:3: expected one score"},
		{line(`\u001b[2J\n`+long, "0") + line(`\u001b[2J\n`+long, "1"), `case \x1b[2J\nlonglong`},
		{line("c1", "1") + line("c2", "0") + line("c1", "1"), ""},
		{strings.Replace(line("c1", "null"), `"status":"ok"`, `"status":"failed","code":"unavailable"`, 1) + line("c1", "1"), ""}, // scored again
	} {
		file := filepath.Join(t.TempDir(), "f.jsonl")
		if err := os.WriteFile(file, []byte(tc.lines), 0o600); err != nil {
			t.Fatal(err)
		}
		files, err := InFiles(analysis.NewSet(metric.All()), "--scores", []string{file}, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = files.Batches(t.Context())
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want) || len(err.Error()) > 400) {
			t.Errorf("%v, want %s", err, tc.want)
		}
	}
}

// What a file is called tells batches apart that several files have scores of.
func TestScoresOfSeveralFiles(t *testing.T) {
	dir := t.TempDir()
	file := func(name, batch string) string {
		path := filepath.Join(dir, name)
		line := `{"case_id":"c1","metric":"ex_bird","metric_version":2,"agent_name":"a","agent_version":"1","batch_id":"` + batch + `","status":"ok","value":1,"passed":true,"reason":"x"}` + "\n"
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(line), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	x, y, same, tue := file("x.jsonl", "mon"), file("y.jsonl", "mon"), file("d/x.jsonl", "mon"), file("z.jsonl", "tue")
	for _, tc := range []struct {
		why   string
		paths []string
		want  []string // BATCH from ORIGIN
		err   string
	}{
		{"one", []string{x}, []string{"mon from "}, ""},
		{"two of other batches", []string{x, tue}, []string{"mon from ", "tue from "}, ""},
		{"two of one batch", []string{x, y}, []string{"mon from x.jsonl", "mon from y.jsonl"}, ""},
		{"of one name", []string{x, same}, []string{"mon from " + same, "mon from " + x}, ""},
		{"one twice", []string{x, dir + "/./x.jsonl"}, nil, `--scores: duplicate file "x.jsonl"`},
		{"none", []string{dir + "/none.jsonl"}, nil, `--scores: file "` + dir + `/none.jsonl" does not exist`},
	} {
		files, err := InFiles(analysis.NewSet(metric.All()), "--scores", tc.paths, nil)
		if tc.err != "" {
			if !errcode.IsUsage(err) || err.Error() != tc.err {
				t.Errorf("%s: %v, want %s", tc.why, err, tc.err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		batches, err := files.Batches(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, b := range batches {
			got = append(got, b.Batch+" from "+b.Origin)
		}
		slices.Sort(got)
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s: %q, want %q", tc.why, got, tc.want)
		}
	}
}
