package sitetest_test

import (
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/site/sitetest"
)

func TestHostileTextsAreMany(t *testing.T) {
	all := sitetest.Hostile()
	if len(all) < 100 {
		t.Errorf("%d texts, want at least 100", len(all))
	}
	names, texts := map[string]bool{}, map[string]bool{}
	for _, h := range all {
		if names[h.Name] || texts[strings.TrimSuffix(h.Text, h.Mark)] || !strings.HasSuffix(h.Text, h.Mark) {
			t.Errorf("%s: the name or text is there twice, or the mark is missing", h.Name)
		}
		names[h.Name], texts[strings.TrimSuffix(h.Text, h.Mark)] = true, true
	}
	// A mark tells its text from all others.
	for _, h := range all {
		n := 0
		for _, other := range all {
			n += strings.Count(other.Text, h.Mark)
		}
		if n != 1 {
			t.Errorf("%s: its mark stands in %d places", h.Name, n)
		}
	}
}
