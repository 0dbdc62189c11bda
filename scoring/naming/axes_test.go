package naming_test

import (
	"testing"

	"github.com/badger-eval/badger/scoring/naming"
)

// TestPoles checks that every two words of one axis say of one another what it says: words of two
// poles contradict each other, and words of one pole never do.
func TestPoles(t *testing.T) {
	axes := naming.Axes()
	if len(axes) < 150 {
		t.Fatalf("%d axes", len(axes))
	}
	told := 0
	for _, axis := range axes {
		for p, pole := range axis.Poles {
			for q, other := range axis.Poles {
				for _, v := range pole {
					for _, w := range other {
						a, b := naming.Read(v), naming.Read(w)
						switch {
						case p == q && a.Contradicts(b):
							t.Errorf("%s: %q and %q are of one pole", axis.Name, v, w)
						case p != q && a.Affinity(b) >= 0.5:
							t.Errorf("%s: %q and %q are of two poles", axis.Name, v, w)
						case p != q && !axis.Mild && a.Contradicts(b):
							told++
						case p != q && !axis.Mild:
							t.Errorf("%s: %q and %q say nothing of one another", axis.Name, v, w)
						}
					}
				}
			}
		}
	}
	if told < 20_000 {
		t.Errorf("%d pairs of words contradict each other", told)
	}
}
