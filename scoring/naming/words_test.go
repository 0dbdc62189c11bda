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
