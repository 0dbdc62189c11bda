package site

import (
	"testing"

	"github.com/badger-eval/badger/internal/analysis"
)

// TestSpendingRows holds the form of what is known, and that changes of tokens have thousands separators.
func TestSpendingRows(t *testing.T) {
	now, old := &analysis.BatchSpending{Answers: 1044}, &analysis.BatchSpending{Answers: 44}
	if got := knownOf(nil, 0, now, 1043); got != "1,043 of 1,044" {
		t.Errorf("known %q", got)
	}
	if got := knownOf(old, 43, now, 1043); got != "43 of 44, 1,043 of 1,044" {
		t.Errorf("known %q", got)
	}
	c := &analysis.QuantityChange{Name: analysis.QuantityTokensIn, Low: -1037, High: 1646,
		Before: analysis.AmountOf(4538), After: analysis.AmountOf(4842), Mean: analysis.AmountOf(304)}
	if got := changedRow("Tokens in", c).Interval; got != "−1,037 to +1,646" {
		t.Errorf("interval %q", got)
	}
}
