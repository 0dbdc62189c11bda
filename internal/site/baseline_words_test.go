//go:build !no_duckdb

package site

import (
	"strings"
	"testing"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// TestWordsOfBaseline checks that pages name the baseline, the night before, and the nights of the form by their dates.
func TestWordsOfBaseline(t *testing.T) {
	t.Parallel()
	w := emptyStore(t)
	var runs []store.Run
	for i, version := range []string{"1", "1", "1", "2"} {
		run := runOfDay(i + 1)
		run.Version = version
		runs = append(runs, run)
		of := tenOf()
		if i > 0 {
			of = tenOf(map[bool][]string{true: {"wrong", "wrong", "wrong", "wrong", "wrong", "wrong", "wrong", "wrong"},
				false: {"wrong"}}[version == "2"]...)
		}
		write(t, w, i+1, run, "hybrid_ex", of)
	}
	s, to := siteOver(t, w), runs[3].RunID
	doc := shows(t, s, runAddress(to))
	kick := "Compared with Wed 1 Jan, 3 days before: the first complete night of 1. " +
		"No night has been accepted as baseline yet."
	if got := doc.Find("p.kick").First().Text(); !strings.Contains(got, kick) {
		t.Errorf("above the headline: %q, want %q", got, kick)
	}
	const headline = "20 % of the answers are right, down from 100 % on Wednesday (90 % the night before)."
	if got := doc.Find("h1").Text(); got != headline {
		t.Errorf("the headline is %q, want %q", got, headline)
	}
	doc = shows(t, s, compareAddress(sides{To: []scoring.RunID{to}}))
	if got := doc.Find("#baseline option").Last().Text(); got != "Wed 1 Jan, 1, 100 %" {
		t.Errorf("the form offers %q", got)
	}
	links := doc.Find("p.kick a").Text()
	if want := "Open Wed 1 JanCompare with the night before, Fri 3 Jan"; links != want {
		t.Errorf("the links are %q, want %q", links, want)
	}
}
