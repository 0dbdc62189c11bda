package relation_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/align"
	"github.com/badger-eval/badger/scoring/relation"
)

// example is two results, and what else is known, between which a relation holds or almost does.
type example struct {
	why                string
	gold, pred         string // columns, then rows: "name, n: ['a', 1], ['b', 2]"; no colon: no rows
	goldSQL, predSQL   string
	question, evidence string
	tolerance          float64 // of the alignment
	second             bool    // another relation that says more may come first
}

// tableOf reads the columns and rows of an example. A value in back quotes is a DECIMAL.
func tableOf(t *testing.T, text string) *scoring.Table {
	t.Helper()
	head, rows, _ := strings.Cut(text, ":")
	var columns []map[string]string
	for _, name := range strings.Split(head, ",") {
		name, typ, typed := strings.Cut(strings.TrimSpace(name), " ")
		c := map[string]string{"name": name}
		if typed {
			c["type"] = typ
		}
		columns = append(columns, c)
	}
	header, err := json.Marshal(columns)
	if err != nil {
		t.Fatal(err)
	}
	r := scoring.ParseResultText([]byte(`{"columns":` + string(header) + `,"rows":[` + strings.ReplaceAll(rows, "'", `"`) + `]}`))
	if r.Err != nil {
		t.Fatalf("%s: %v", text, r.Err)
	}
	return r.Table
}

func (x *example) find(t *testing.T) []relation.Relation {
	t.Helper()
	gold, pred := tableOf(t, x.gold), tableOf(t, x.pred)
	a := align.Align(gold, pred, align.Options{Tolerance: x.tolerance, Asked: x.question + " " + x.evidence, GoldSQL: x.goldSQL, PredSQL: x.predSQL, Dialect: "sqlite"})
	return relation.Find(relation.Input{
		Gold: gold, Pred: pred, Alignment: &a, GoldSQL: x.goldSQL, PredSQL: x.predSQL, Question: x.question, Evidence: x.evidence, Dialect: "sqlite",
	})
}

// TestKinds checks for every relation that it is named where it holds, first unless another says
// more, and not where it almost does.
func TestKinds(t *testing.T) {
	kinds := map[string]bool{}
	for _, k := range relation.Kinds() {
		if kinds[k.Name] {
			t.Errorf("two relations are called %s", k.Name)
		}
		kinds[k.Name] = true
		if k.Meaning == "" || k.Family == "" || k.Class == "" {
			t.Errorf("%s lacks a meaning, a family or a class", k.Name)
		}
		if k.Name == "unexplained" {
			continue // it was added because no other relation was found
		}
		of, ok := examples[k.Name]
		if !ok || len(of.holds) == 0 || len(of.almost) == 0 {
			t.Errorf("%s has no example of where it holds, or none of where it almost does", k.Name)
			continue
		}
		t.Run(k.Name, func(t *testing.T) {
			for _, x := range of.holds {
				found := x.find(t)
				if !names(found, k.Name) {
					t.Errorf("%s: found %+v", x.why, found)
				} else if found[0].Name != k.Name && !x.second {
					t.Errorf("%s: the first is %+v", x.why, found[0])
				}
				for _, r := range found {
					if r.Text == "" || !strings.HasSuffix(r.Text, ".") || len(r.Proof.Gold) > 120 || len(r.Proof.Pred) > 120 {
						t.Errorf("%s: %+v: want one sentence, and parts of queries of at most 120 bytes", x.why, r)
					}
				}
			}
			for _, x := range of.almost {
				if found := x.find(t); names(found, k.Name) {
					t.Errorf("%s: found %+v", x.why, found)
				}
			}
		})
	}
	for name := range examples {
		if !kinds[name] {
			t.Errorf("there are examples of %s, which is no relation", name)
		}
	}
}

func names(found []relation.Relation, name string) bool {
	for _, r := range found {
		if r.Name == name {
			return true
		}
	}
	return false
}

type examplesOf struct{ holds, almost []example }

// examples are filled in by the files of each family.
var examples = map[string]examplesOf{}

func addExamples(more map[string]examplesOf) bool {
	for name, x := range more {
		if _, twice := examples[name]; twice {
			panic("examples of " + name + " twice")
		}
		examples[name] = x
	}
	return true
}

// TestOuterJoinAsCause checks that groups with nothing are put down to an outer join only where one
// query alone has it.
func TestOuterJoinAsCause(t *testing.T) {
	const gold, pred = "k, total: [1, 10], [3, 0], [5, 4]", "k, total: [1, 10], [5, 4]"
	for _, tt := range []struct {
		why, goldSQL, predSQL string
		want                  bool
	}{
		{"gold alone has one", "SELECT k, COUNT(u.a) AS total FROM t LEFT JOIN u ON t.id = u.id GROUP BY k", "SELECT k, COUNT(u.a) AS total FROM t JOIN u ON t.id = u.id GROUP BY k", true},
		{"neither joins", "SELECT k, SUM(a) AS total FROM t GROUP BY k", "SELECT k, SUM(a) AS total FROM t WHERE a > 0 GROUP BY k", false},
	} {
		x := example{gold: gold, pred: pred, goldSQL: tt.goldSQL, predSQL: tt.predSQL}
		for _, r := range x.find(t) {
			if r.Name == "zero_dropped" && strings.Contains(r.Text, "outer") != tt.want {
				t.Errorf("%s: %s", tt.why, r.Text)
			}
		}
		if found := x.find(t); !names(found, "zero_dropped") {
			t.Errorf("%s: found %+v", tt.why, found)
		}
	}
}
