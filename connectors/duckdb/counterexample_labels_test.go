package duckdb_test

import (
	"bufio"
	"cmp"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/badger-eval/badger/connectors/duckdb"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/counterexample"
	"github.com/badger-eval/badger/scoring/metric"
)

// Of labelled pairs, as many wrong answers are refuted as can be, and the right ones that are refuted are listed: each
// of them is either wrong after all, or right in spite of another query. The test looks at one pair in 96, at one in 8
// if tests are thorough, and at all with LABELS=1.
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
			checked, wrong, line := 0, 0, 0
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
				line++
				if os.Getenv("LABELS") == "" && (line%8 != 1 || left(line/8, math.MaxInt, 36)) {
					continue
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
				if o.Found && p.Dialect == "duckdb" {
					ran, differ := inDuckDB(t, e, o, p.Gold.SQL, p.Agent.SQL)
					checked, wrong = checked+count(ran), wrong+count(ran && !differ)
					if ran && !differ {
						t.Errorf("%s: the queries return the same in DuckDB: %s\n   %s\n   %s\n   %v", p.CaseID, o.Sentence, p.Gold.SQL, p.Agent.SQL, o.Tables)
					}
				}
				if os.Getenv("LABELS") != "" && o.Found && (*p.Human.Label) {
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
			t.Logf("%d refuted pairs were run in DuckDB as they are written: %d of them return the same", checked, wrong)
			for w, n := range why {
				t.Logf("%3d %s", n, w)
			}
		})
	}
}

// inDuckDB runs both queries as they are written on a counterexample, and compares the results.
func inDuckDB(t *testing.T, e *duckdb.SmallDatabases, o *counterexample.Outcome, gold, pred string) (ran, differ bool) {
	t.Helper()
	quote := func(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
	var creates, inserts []string
	for _, table := range o.Tables {
		columns := make([]string, len(table.Columns))
		for i, c := range table.Columns {
			columns[i] = quote(c) + " " + cmp.Or(table.Types[i], "VARCHAR")
		}
		creates = append(creates, "CREATE TABLE "+quote(table.Name)+" ("+strings.Join(columns, ", ")+")")
		for _, row := range table.Rows {
			cells := make([]string, len(row))
			for i, v := range row {
				cells[i] = v.SQL()
			}
			inserts = append(inserts, "INSERT INTO "+quote(table.Name)+" VALUES ("+strings.Join(cells, ", ")+")")
		}
	}
	session, err := e.Open(t.Context(), creates)
	if err != nil {
		return false, false
	}
	defer session.Close()
	if session.Load(t.Context(), inserts) != nil {
		return false, false
	}
	var results [2][][]string
	var names [2][]string
	for i, q := range []string{gold, pred} {
		described, err := session.Query(t.Context(), "SELECT column_name FROM (DESCRIBE "+strings.TrimRight(q, "; \n")+")")
		for k := 0; err == nil && k < len(described); k++ {
			names[i] = append(names[i], strings.ToLower(described[k][0].String()))
		}
		rows, err := session.Query(t.Context(), "SELECT COLUMNS(*)::VARCHAR FROM ("+strings.TrimRight(q, "; \n")+")")
		if err != nil {
			return false, false
		}
		for _, row := range rows {
			cells := make([]string, len(row))
			for j, v := range row {
				cells[j] = v.String()
				if f, err := strconv.ParseFloat(cells[j], 64); err == nil {
					cells[j] = strconv.FormatFloat(f, 'g', 6, 64)
				}
			}
			results[i] = append(results[i], cells)
		}
	}
	ordered := o.Shows == counterexample.ShowsOrder
	if len(results[0]) == 0 || len(results[1]) == 0 {
		return true, len(results[0]) != len(results[1])
	}
	columns := make([]int, len(results[1][0]))
	for i := range columns {
		columns[i] = i
	}
	if slices.Equal(names[0], names[1]) && names[0] != nil { // columns of the same names are the same
		return true, !slices.Equal(lined(results[0], nil, ordered), lined(results[1], nil, ordered))
	}
	return true, !anyOrder(columns, 0, func(by []int) bool {
		return slices.Equal(lined(results[0], nil, ordered), lined(results[1], by, ordered))
	})
}

// anyOrder reports whether something holds of an order of the columns from a place on.
func anyOrder(columns []int, from int, holds func([]int) bool) bool {
	if from >= len(columns) || len(columns) > 6 { // of more columns, the one that exists
		return holds(columns)
	}
	for i := from; i < len(columns); i++ {
		columns[from], columns[i] = columns[i], columns[from]
		found := anyOrder(columns, from+1, holds)
		columns[from], columns[i] = columns[i], columns[from]
		if found {
			return true
		}
	}
	return false
}

// lined are rows as lines, with their columns in an order, sorted unless they are ordered.
func lined(rows [][]string, columns []int, ordered bool) []string {
	out := make([]string, len(rows))
	for i, row := range rows {
		if columns != nil && len(columns) == len(row) {
			turned := make([]string, len(row))
			for k, c := range columns {
				turned[k] = row[c]
			}
			row = turned
		}
		out[i] = strings.Join(row, "|")
	}
	if !ordered {
		slices.Sort(out)
	}
	return out
}
