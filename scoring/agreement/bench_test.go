package agreement_test

import (
	"testing"

	"github.com/badger-eval/badger/scoring/agreement"
)

// Intervals of 60 metrics over 400 cases, 5,000 resamples each.
func BenchmarkBootstrap60Metrics(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		for i := range 60 {
			agreement.Bootstrap(confusion{TP: 200 - i, FP: 20 + i, TN: 120 - i, FN: 60 + i}, confusion.Kappa, agreement.Resampling{})
		}
	}
}

// The interval of one metric over a million cases.
func BenchmarkBootstrapMillionCases(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		agreement.Bootstrap(confusion{TP: 500_000, FP: 100_000, TN: 300_000, FN: 100_000}, confusion.Kappa, agreement.Resampling{})
	}
}

func BenchmarkCompare(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		agreement.Compare(agreement.Pair{60, 10, 20, 16, 12, 30, 40, 212}, confusion.Kappa, agreement.Resampling{})
	}
}

func BenchmarkCrossValidate(b *testing.B) {
	var cases []agreement.Graded
	for i := range 400 {
		cases = append(cases, agreement.Graded{Value: float64(i*7919%400) / 400, Label: i%3 != 0})
	}
	folds := agreement.StratifiedFolds(cases, 10, 0)
	b.ReportAllocs()
	for b.Loop() {
		agreement.CrossValidate(cases, folds, agreement.Scale{}, confusion.Kappa)
	}
}
