package chart

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Labels keep their order and distance, stay within the bounds if there is room, and do not move
// without need.
func TestApart(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 500 {
		wanted := make([]float64, r.IntN(20))
		for i := range wanted {
			wanted[i] = r.Float64() * 400
		}
		slices.Sort(wanted)
		got := Apart(wanted, 15, 0, 400)
		if len(got) != len(wanted) {
			t.Fatalf("%d places for %d labels", len(got), len(wanted))
		}
		free := true
		for i := range got {
			if got[i] < -1e-9 || got[i] > 400+1e-9 || i > 0 && got[i] < got[i-1]+15-1e-9 {
				t.Fatalf("%v for %v", got, wanted)
			}
			free = free && (i == 0 || wanted[i] >= wanted[i-1]+15)
		}
		for i := range got {
			if free && wanted[i] < 400-15*float64(len(wanted)) && wanted[i] > 15*float64(len(wanted)) && math.Abs(got[i]-wanted[i]) > 1e-9 {
				t.Fatalf("moved without need: %v for %v", got, wanted)
			}
		}
	}
	if got := Apart([]float64{100, 100}, 10, 0, 400); got[0] != 95 || got[1] != 105 {
		t.Errorf("two at one place go to %v, want both sides of it", got)
	}
}
