package metric
import ("testing";"fmt";"github.com/badger-eval/badger/scoring";"github.com/badger-eval/badger/scoring/metric/sqlproof";"github.com/badger-eval/badger/scoring/sqlparts")
func TestZZ(t *testing.T) {
	for _, set := range []string{"rosevec/cases.jsonl", "flex200/cases.jsonl"} {
		for _, c := range recordedCases(t, set) {
			in := &scoring.Input{Case: c.Case, Gold: &c.Golds[0], Pred: &c.Pred}
			d := sqlparts.DialectOf(c.Dialect)
			if sameQuery(in) && sqlproof.Same(sqlparts.Parse(in.Gold.SQL,d), sqlparts.Parse(in.Pred.SQL,d), schemaOf(in)) == nil {
				fmt.Println("LOST", c.ID, c.Dialect, *c.Human, len(c.Schema), "\n   ", in.Gold.SQL, "\n   ", in.Pred.SQL)
			}
		}
	}
}
