package duckdb_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/badger-eval/badger/connectors/duckdb"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/counterexample"
	"github.com/badger-eval/badger/scoring/metric"
)

// Of labelled pairs, as many wrong answers are refuted as can be, and the right ones that are refuted are
// listed: each of them is either wrong after all, or right in spite of another query.
func TestCounterexamplesOfLabels(t *testing.T) {
	e := duckdb.NewSmallDatabases(1)
	defer e.Close()
	engine, err := scoring.NewEngine(metric.All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"enterprise/acme.jsonl", "enterprise/bizanalyst.jsonl", "enterprise/hard.jsonl", "enterprise/mutants.jsonl", "enterprise/sameresult.jsonl", "enterprise/spiderdev.jsonl", "traps2/cases.jsonl"} {
		t.Run(file, func(t *testing.T) {
			f, err := os.Open(filepath.Join("..", "..", "..", "shared", "data", filepath.FromSlash(file)))
			if err != nil {
				t.Skipf("the reference data is not here: %v", err)
			}
			defer f.Close()
			lines := bufio.NewScanner(f)
			lines.Buffer(nil, 1<<24)
			var tally [2]struct{ all, carried, refuted, real, sameResult, sameRefuted, sameCarried int }
			why := map[string]int{}
			for lines.Scan() {
				var p struct {
					CaseID string `json:"case_id"`
					Schema string `json:"schema_ddl"`
					Gold   struct {
						SQL string `json:"sql"`
					} `json:"gold"`
					Agent struct {
						SQL string `json:"sql"`
					} `json:"agent"`
					Dialect string `json:"dialect"`
					Human   struct {
						Label *bool `json:"label"`
					} `json:"human"`
				}
				if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
					t.Fatal(err)
				}
				if p.Human.Label == nil || p.Gold.SQL == "" || p.Agent.SQL == "" {
					continue
				}
				c, err := scoring.DecodeCase(lines.Bytes())
				if err != nil {
					t.Fatal(err)
				}
				scores, err := engine.Score(t.Context(), c, "ex_bird")
				same := err == nil && scores[0].Status == scoring.StatusOK && scores[0].Value == 1
				o, err := counterexample.Find(t.Context(), e, &counterexample.Problem{Gold: p.Gold.SQL, Pred: p.Agent.SQL, Dialect: p.Dialect, Schema: p.Schema, Time: 60_000})
				if err != nil {
					t.Fatal(err)
				}
				n := &tally[count(*p.Human.Label)]
				n.all++
				n.carried += count(o.Why == "")
				n.refuted += count(o.Found)
				n.real += count(o.Found && o.Realistic)
				if same {
					n.sameResult++
					n.sameRefuted += count(o.Found)
					n.sameCarried += count(o.Why == "")
				}
				if o.Why != "" {
					why[o.Why]++
				}
				if o.Found && (*p.Human.Label) {
					t.Logf("right: %s (realistic %v, %s): %s\n   %s\n   %s", p.CaseID, o.Realistic, p.Dialect, o.Sentence, p.Gold.SQL, p.Agent.SQL)
				}
				if os.Getenv("LABELS") != "" && o.Why == "" && !o.Found && !*p.Human.Label && same {
					t.Logf("wrong, not refuted: %s (%s)\n   %s\n   %s", p.CaseID, p.Dialect, p.Gold.SQL, p.Agent.SQL)
				}
			}
			for _, label := range []bool{true, false} {
				n := tally[count(label)]
				t.Logf("label %v: %d pairs, %d carried over, %d refuted (%d realistic); with the same result %d, %d carried, %d refuted", label, n.all, n.carried, n.refuted, n.real, n.sameResult, n.sameCarried, n.sameRefuted)
			}
			for w, n := range why {
				t.Logf("%3d %s", n, w)
			}
		})
	}
}
