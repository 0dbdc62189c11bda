package relation_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/scoring/aligntest"
	"github.com/badger-eval/badger/scoring/relation"
)

// keptClass are the classes of relations between results that hold the same data.
var keptClass = map[relation.Class]bool{relation.Equivalent: true, relation.Presentational: true}

func TestChangesThatKeepTheData(t *testing.T) {
	for i := range 3000 {
		if !sample.Takes(i, 3000, 10) {
			continue
		}
		seed := uint64(i) //nolint:gosec // no negative number
		gold, pred, made := aligntest.Kept(seed)
		found := relation.Find(relation.Input{Gold: gold, Pred: pred})
		// A new name may be that of another column, or say the opposite.
		renamed := (found[0].Name == "flag_unnamed" || found[0].Name == "permuted_unnamed") && strings.Contains(fmt.Sprint(made), "rename columns")
		if !keptClass[found[0].Class] && found[0].Name != "tolerance" && !renamed {
			t.Fatalf("seed %d: after %s: %+v", seed, made, found)
		}
		if again := relation.Find(relation.Input{Gold: gold, Pred: pred}); !reflect.DeepEqual(found, again) {
			t.Fatalf("seed %d: the second time %+v, after %+v", seed, again, found)
		}
	}
}

// TestChangesThatBreakTheData checks that no relation that keeps the data is named where the data
// changed, and that relations that people often accept are named only where they describe the
// change.
func TestChangesThatBreakTheData(t *testing.T) {
	allowed := map[string]map[string]bool{
		"repeat a column in place of another": {"renamed_values": true}, // where they happen to stand 1:1 for each other
	}
	named := map[string]int{}
	for i := range 6000 {
		if !sample.Takes(i, 6000, 10) {
			continue
		}
		seed := uint64(i) //nolint:gosec // no negative number
		gold, pred, broke, made, ok := aligntest.Broken(seed)
		if !ok {
			continue
		}
		found := relation.Find(relation.Input{Gold: gold, Pred: pred})
		if first := found[0]; first.Class != relation.Difference && !allowed[broke][first.Name] {
			t.Errorf("seed %d: after %s: %+v", seed, made, found)
		}
		named[broke+": "+found[0].Name]++
	}
	// What a change does has a name, in most cases: chance may give it a better one.
	for change, least := range map[string]int{
		"repeat a row: repeated": 300, "drop a row: subset": 200, "cut to the first half: subset": 300, "drop a column: dropped_columns": 200, "double a column: multiplied": 200, "negate a column: negated": 200,
	} {
		if !sample.Thorough() {
			least /= 15 // of a tenth, with room for chance
		}
		if named[change] < least {
			t.Errorf("%s in %d cases, want at least %d", change, named[change], least)
		}
	}
}
