package metric

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/badger-eval/badger/scoring"
)

// Text from outside is read as numbers in three ways; whatever it is, equal keys must hash alike
// and numbers must mean what they say.
func FuzzTextKey(f *testing.F) {
	for _, s := range []string{"507.0", " -1e-05\n", "1e999", "0x1p-2", "١", "1_000", "--1", "9223372036854775808", "0.30000000000000004", "1e+16", "nan"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, r := range []reading{asTyped, asPrinted, asSpelled} {
			k := textKey(s, r)
			if r == asTyped && (k.class != classText || k.text != s) {
				t.Errorf("%q became %v though text is left alone", s, k)
			}
			if !k.number() {
				continue
			}
			want, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
			if err == nil && k.float() != want {
				t.Errorf("%q is read as %v under reading %d", s, k.float(), r)
			}
		}
	})
}

// However strange the cells, a column becomes a vector of its length, and it equals itself.
func FuzzReadCSVColumn(f *testing.F) {
	f.Add("1", "2.5", true)
	f.Add("True", "NA", false)
	f.Add("9223372036854775808", "-1", true)
	f.Add("1e400", " +inf ", false)
	f.Fuzz(func(t *testing.T, a, b string, null bool) {
		c := scoring.NewBuilder("c", scoring.String, 3)
		c.Append(scoring.StringValue(a))
		c.Append(scoring.StringValue(b))
		if null {
			c.AppendNull()
		}
		column := c.Column()
		v := spiderVectors([]csvColumn{readCSVColumn(&column, false)})[0]
		if len(v.num) != column.Len() {
			t.Fatalf("%d cells became %d", column.Len(), len(v.num))
		}
		w := spiderVectors([]csvColumn{readCSVColumn(&column, false)})[0]
		if !spiderMatch(&v, &w, true) || !spiderMatch(&v, &w, false) {
			t.Errorf("a column of %q and %q does not equal itself", a, b)
		}
	})
}

// Options are either understood or refused.
func FuzzConditionCols(f *testing.F) {
	for _, s := range []string{"[1,2]", "[[0],[1,2]]", "3", "null", "[null]", "[[1],2]", "{}", "[1e3]", "[-1]"} {
		f.Add([]byte(s))
	}
	table := tableOf(2, [][]scoring.Value{{scoring.IntValue(1), scoring.StringValue("a")}})
	f.Fuzz(func(t *testing.T, raw []byte) {
		var c conditionCols
		if json.Unmarshal(raw, &c) != nil {
			return
		}
		gold := scoring.Query{Result: scoring.Result{Table: table}}
		sets, err := c.sets(&scoring.Input{Case: &scoring.Case{Golds: []scoring.Query{gold}}, Gold: &gold})
		if err != nil {
			return
		}
		for _, set := range sets {
			s := spiderScore(readCSV(gold.Result), spiderVectors(readCSV(gold.Result)), set, false)
			if s.Status != scoring.StatusOK || s.Value != 0 && s.Value != 1 {
				t.Errorf("columns %v: %v %v", set, s.Status, s.Value)
			}
		}
	})
}
