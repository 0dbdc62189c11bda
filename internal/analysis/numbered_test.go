package analysis

import (
	"math"
	"strconv"
	"testing"
)

func TestTexts(t *testing.T) {
	var x Texts[uint16]
	if _, ok := x.Known("a"); ok || x.Len() != 0 {
		t.Error("an empty one knows a text")
	}
	buffer := []byte("a")
	for i, s := range []string{string(buffer), "b", "", "a", "b"} {
		if n, ok := x.Of(s); !ok || int(n) != []int{0, 1, 2, 0, 1}[i] || x.Text(n) != s {
			t.Errorf("%q has the number %d", s, n)
		}
	}
	for i := range math.MaxUint16 - 3 {
		if _, ok := x.Of(strconv.Itoa(i)); !ok {
			t.Fatalf("there is no number for text %d", i+4)
		}
	}
	if _, ok := x.Of("one more"); ok || x.Len() != math.MaxUint16 {
		t.Error("a number was given twice")
	}
	if n, ok := x.Known("b"); !ok || n != 1 {
		t.Errorf("b has the number %d now", n)
	}
}
