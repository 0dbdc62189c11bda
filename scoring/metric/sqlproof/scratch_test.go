package sqlproof

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/badger-eval/badger/scoring/metric/sqltree"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

func TestScratch(t *testing.T) {
	for _, name := range []string{"sqltraps/pairs", "splash/cases", "splash/same_result", "maple/cases", "rosevec/cases", "flex200/cases", "equivalence/literature", "equivalence/calcite"} {
		f, _ := os.Open("/work/shared/data/" + name + ".jsonl")
		sc := bufio.NewScanner(f)
		sc.Buffer(nil, 1<<26)
		n, proved, bad, ok, pos, neg := 0, 0, 0, 0, 0, 0
		canon := map[string]int{}
		start := time.Now()
		for sc.Scan() {
			var c struct {
				CaseID      string `json:"case_id"`
				Dialect     string
				Schema      string `json:"schema_ddl"`
				Gold, Agent struct{ SQL string }
				Human       struct{ Label *bool }
			}
			if err := json.Unmarshal(sc.Bytes(), &c); err != nil {
				t.Fatal(err)
			}
			n++
			d := sqlparts.DialectOf(c.Dialect)
			g, p := sqlparts.Parse(c.Gold.SQL, d), sqlparts.Parse(c.Agent.SQL, d)
			schema := sqltree.ReadSchema(c.Schema)
			proof := Same(g, p, schema)
			for _, s := range []*sqlparts.Script{g} {
				q := single(s)
				if q == nil {
					canon["not single"]++
					continue
				}
				if !kept(s, q) {
					canon["not kept"]++
					if os.Getenv("KEPT") != "" {
						fmt.Println("NOT KEPT", c.CaseID, s.SQL)
					}
					continue
				}
				b := &builder{rules: rules{s.Dialect}, sql: s.SQL, schema: schema, paths: map[string]bool{}, learned: map[[2]string]bool{}, used: map[*sqlparts.CTE][]*block{}}
				b.query(q, nil)
				canon[b.why]++
				if b.why != "" && os.Getenv("WHY") != "" {
					fmt.Println("WHY", b.why, c.CaseID, s.SQL)
				}
			}
			if proof != nil {
				proved++
			}
			if c.Human.Label != nil {
				if *c.Human.Label {
					pos++
					if proof != nil {
						ok++
					}
				} else {
					neg++
					if proof != nil {
						bad++
					}
				}
				if name == "sqltraps/pairs" && *c.Human.Label != (proof != nil) {
					fmt.Println("WRONG", c.CaseID, *c.Human.Label, c.Gold.SQL, "|||", c.Agent.SQL)
					if os.Getenv("CANON") != "" {
						m := &meaning{schema: schema, learned: map[[2]string]bool{}, relies: map[string]bool{}}
						x, y := m.normal(g), m.normal(p)
						var a, b string
						if x != nil {
							a, _ = write(g, x, delivered)
						}
						if y != nil {
							b, _ = write(p, y, delivered)
						}
						fmt.Println("  ", a, "\n  ", b)
					}
				} else if name != "sqltraps/pairs" && proof != nil && !*c.Human.Label && os.Getenv("BAD") != "" {
					fmt.Println("BAD", c.CaseID, c.Gold.SQL, "|||", c.Agent.SQL)
				}
			}
		}
		fmt.Println(name, "n", n, "proved", proved, "of pos", ok, pos, "of neg", bad, neg, canon, time.Since(start))
	}
}
