package naming_test

import (
	"slices"
	"testing"

	"github.com/badger-eval/badger/scoring/naming"
)

func TestWords(t *testing.T) {
	for name, want := range map[string][]string{
		"total_amount":    {"total", "amount"},
		"totalAmount":     {"total", "amount"},
		"Total Amount":    {"total", "amount"},
		"HTTPStatus":      {"httpstatus"}, // capitals in a row are one word
		"q1-sales (€)":    {"q1", "sales"},
		"größe":           {"größe"},
		"  ":              nil,
		"":                nil,
		"SUM(x)/COUNT(*)": {"sum", "x", "count"},
	} {
		if got := naming.Words(name); !slices.Equal(got, want) {
			t.Errorf("Words(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestStem(t *testing.T) {
	for word, want := range map[string]string{
		"cities": "city", "boxes": "box", "matches": "match", "dishes": "dish", "classes": "class", "orders": "order",
		"gas": "gas", "class": "class", "is": "is", "ties": "tie", "sales": "sale",
	} {
		if got := naming.Stem(word); got != want {
			t.Errorf("Stem(%q) = %q, want %q", word, got, want)
		}
	}
}

func TestPositional(t *testing.T) {
	for name, want := range map[string]bool{
		"col_1": true, "Column 2": true, "c3": true, "_c0": true, "?column?": true, "column_m": true, "field c": true, "col_w": true,
		"column": true, "c": false, "m": false, "w": false, "columns": false, "column_height": false, "unit_m": false, "field_of_study": false,
	} {
		if got := naming.Positional(name); got != want {
			t.Errorf("Positional(%q) = %v, want %v", name, got, want)
		}
	}
}
