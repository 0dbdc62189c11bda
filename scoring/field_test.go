package scoring_test

import (
	"slices"
	"testing"

	"github.com/badger-eval/badger/scoring"
)

// Each field has all that is derived of it: words, arguments, and members of a case file that are
// there; and no two fields share any.
func TestFieldsAreWhole(t *testing.T) {
	keys := scoring.CaseKeys()
	names, args := map[string]bool{}, map[string]bool{}
	var all scoring.Field
	for _, f := range scoring.Fields() {
		if f.Field == 0 || f.Field&(f.Field-1) != 0 || all&f.Field != 0 {
			t.Errorf("%s: %b is not a bit of its own", f.Name, f.Field)
		}
		all |= f.Field
		if f.Name == "" || f.Words == "" || names[f.Name] {
			t.Errorf("field %b: name %q, words %q", f.Field, f.Name, f.Words)
		}
		names[f.Name] = true
		if (len(f.Args) == 0) != (f.Field == scoring.FieldJudge) {
			t.Errorf("%s: %d arguments", f.Name, len(f.Args))
		}
		for _, a := range f.Args {
			if a.Name == "" || a.Doc == "" || args[a.Name] {
				t.Errorf("%s: argument %+v", f.Name, a)
			}
			args[a.Name] = true
			if a.Key == "" && f.Field != scoring.FieldCase || a.Key != "" && !slices.ContainsFunc(keys, func(k scoring.CaseKey) bool { return k.Name == a.Key }) {
				t.Errorf("%s: a case file has no member %q", a.Name, a.Key)
			}
		}
	}
	// The constants count up from one bit, so that a field without a place in the table is a hole or
	// lies above all others.
	if want := scoring.FieldJudge<<1 - 1; all != want {
		t.Errorf("the table holds %b, want %b", all, want)
	}
}

// A case that holds nothing lacks every field that can be missing, and one that holds everything
// none.
func TestFieldsTellWhatIsThere(t *testing.T) {
	whole := decodeCase(t, `{"case_id":"c","question":"q","evidence":"e","schema_ddl":"s","dialect":"d",
		"gold":{"sql":"g","result":{"columns":["a"],"rows":[[1]]},"latency_ms":1},
		"agent":{"sql":"a","result":{"columns":["a"],"rows":[[1]]},"latency_ms":2,"chart":{"mark":"bar"},"interpretation":"i","response":"r","contexts":["p"],"tool_calls":["t"]},"expected":{"tools":["t"]}}`)
	never := scoring.FieldDialect | scoring.FieldCase | scoring.FieldBehaviour | scoring.FieldGoldError | scoring.FieldClarifications | scoring.FieldJudge
	for _, f := range scoring.Fields() {
		if (f.Lacks == nil) != (never&f.Field != 0) {
			t.Errorf("%s: can be missing is %v", f.Name, f.Lacks != nil)
		}
		if f.Lacks == nil {
			continue
		}
		if reason := f.Lacks(&scoring.Input{Case: whole, Gold: &whole.Golds[0], Pred: &whole.Pred}); reason != "" {
			t.Errorf("%s: %q, want nothing lacking", f.Name, reason)
		}
		if reason := f.Lacks(&scoring.Input{Case: &scoring.Case{}, Pred: &scoring.Query{}}); reason == "" {
			t.Errorf("%s: nothing is lacking in an empty case", f.Name)
		}
	}
}
