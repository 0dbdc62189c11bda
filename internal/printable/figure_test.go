package printable_test

import (
	"math"
	"testing"

	"github.com/badger-eval/badger/internal/printable"
)

func TestFigure(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		x      float64
		digits int
		want   string
	}{
		{12850, 4, "12850"}, {12853.7, 4, "12854"}, {1e6, 2, "1000000"}, {999999999999999, 4, "999999999999999"}, {1e15, 4, "1e+15"},
		{0.0000123, 4, "0.0000123"}, {0.000012345, 2, "0.000012"}, {1e-9, 3, "0.000000001"}, {9.9e-10, 2, "9.9e-10"},
		{2.5, 1, "2"}, {2.5, 2, "2.5"}, {2.50, 4, "2.5"}, {100, 4, "100"}, {0.1, 4, "0.1"}, {-3.14159, 3, "-3.14"},
		{0, 4, "0"}, {1. / 3, 7, "0.3333333"}, {1000.5, 7, "1000.5"}, {99.95, 3, "100"}, {math.Inf(1), 4, "+Inf"},
	} {
		if got := printable.Figure(tc.x, tc.digits); got != tc.want {
			t.Errorf("Figure(%v, %d) is %q, want %q", tc.x, tc.digits, got, tc.want)
		}
	}
}
