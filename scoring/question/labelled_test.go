package question_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/badger-eval/badger/scoring/question"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// labelled is a question and the query that is held to answer it.
type labelled struct {
	Question    string `json:"question"`
	Instruction string `json:"instruction"`
	Dialect     string `json:"dialect"`
	SQL         string `json:"sql"`
	Gold        struct {
		SQL string `json:"sql"`
	} `json:"gold"`
}

func readLabelled(t *testing.T, path string) (out []labelled) {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "..", "shared", "data", filepath.FromSlash(path)))
	if err != nil {
		t.Skipf("the labelled questions are not here: %v", err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<26)
	seen := map[string]bool{}
	for lines.Scan() {
		var c labelled
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if c.Gold.SQL == "" {
			c.Gold.SQL = c.SQL
		}
		if c.Question == "" {
			c.Question = c.Instruction
		}
		if c.Question != "" && c.Gold.SQL != "" && !seen[c.Question] {
			seen[c.Question] = true
			out = append(out, c)
		}
	}
	return out
}

// TestToldColumns compares what the reader takes for told with the select lists of queries that are
// held to answer the questions: of all columns of a query whose names the question has, those that
// the query selects are told, and the others sort, filter or join.
func TestToldColumns(t *testing.T) {
	for _, set := range []struct {
		path              string
		precision, recall float64 // floors
	}{
		{"rosevec/cases.jsonl", 0.92, 0.86},
		{"flex200/cases.jsonl", 0.95, 0.82},
		{"splash/cases.jsonl", 0.91, 0.94},
		{"enterprise/bizanalyst.jsonl", 0.98, 0.76},
		{"enterprise/spiderdev.jsonl", 0.92, 0.92},
	} {
		t.Run(set.path, func(t *testing.T) {
			right, claimed, wanted := 0, 0, 0
			for _, c := range readLabelled(t, set.path) {
				final := sqlparts.Parse(c.Gold.SQL, sqlparts.DialectOf(c.Dialect)).Final()
				if final == nil {
					continue
				}
				sel, ok := final.Body.(*sqlparts.Select)
				if !ok {
					continue
				}
				columns := func(n sqlparts.Node) map[string]bool {
					names := map[string]bool{}
					sqlparts.Walk(n, func(n sqlparts.Node) bool {
						switch n := n.(type) {
						case *sqlparts.Column:
							names[strings.ToLower(n.Name.Last().Text)] = true
						case *sqlparts.Subquery:
							return false
						}
						return true
					})
					return names
				}
				selected := map[string]bool{}
				for _, it := range sel.Items {
					for name := range columns(it.Expr) {
						selected[name] = true
					}
					if it.Alias.Text != "" {
						selected[strings.ToLower(it.Alias.Text)] = true
					}
				}
				q := question.Read(c.Question, "")
				all := columns(final)
				for name := range selected {
					all[name] = true
				}
				for name := range all {
					if !q.Mentions(name) {
						continue
					}
					tells := q.Requests(name)
					if tells {
						claimed++
					}
					if selected[name] {
						wanted++
					}
					if tells && selected[name] {
						right++
					}
					if os.Getenv("READINGS") != "" && tells != selected[name] {
						t.Logf("%s: told %v, selected %v: %s", name, tells, selected[name], c.Question)
					}
				}
			}
			precision, recall := float64(right)/float64(max(claimed, 1)), float64(right)/float64(max(wanted, 1))
			t.Logf("%d columns named, precision %.3f, recall %.3f", wanted, precision, recall)
			if precision < set.precision || recall < set.recall {
				t.Errorf("precision %.3f, recall %.3f; want %.3f and %.3f at least", precision, recall, set.precision, set.recall)
			}
		})
	}
}
