package relation_test

import (
	"slices"
	"testing"

	"github.com/badger-eval/badger/scoring/relation"
)

// TestDisplayNames checks that every relation has a display name of its own and a known group, and that results with
// the same data are never in a group of faults.
func TestDisplayNames(t *testing.T) {
	same := []relation.Group{relation.SameData, relation.ShownOtherwise}
	owner := map[string]string{relation.DisplayName(relation.QueryFailed): relation.QueryFailed}
	for _, k := range relation.Kinds() {
		switch other := owner[k.Display]; {
		case k.Display == "":
			t.Errorf("%s has no display name", k.Name)
		case other != "":
			t.Errorf("%s and %s are both displayed as %q", k.Name, other, k.Display)
		}
		owner[k.Display] = k.Name
		if !slices.Contains(relation.Groups(), k.Group) {
			t.Errorf("%s: unknown group %q", k.Name, k.Group)
		}
		if k.Class == relation.Difference && slices.Contains(same, k.Group) {
			t.Errorf("%s: other data in the group %q", k.Name, k.Group)
		}
		if k.Class == relation.Equivalent && !slices.Contains(same, k.Group) {
			t.Errorf("%s: the same data in the group %q", k.Name, k.Group)
		}
		if relation.DisplayName(k.Name) != k.Display || relation.GroupOf(k.Name) != k.Group {
			t.Errorf("%s: the name finds %q, %q", k.Name, relation.DisplayName(k.Name), relation.GroupOf(k.Name))
		}
	}
	if g := relation.GroupOf(relation.QueryFailed); g != relation.QueryDidNotRun {
		t.Errorf("a failed query is in the group %q", g)
	}
	if got := relation.DisplayName("my_own"); got != "my_own" {
		t.Errorf("an unknown relation is displayed as %q", got)
	}
}
