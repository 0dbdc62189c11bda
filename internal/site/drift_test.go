//go:build !no_duckdb

package site

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/internal/site/sitetest"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// The page of agreement shows whether judges changed, whether answers have labels or not. Names from outside are text.
func TestAgreement_ShowsDrift(t *testing.T) {
	w := sitetest.Open(t, sitetest.Small(t))
	var rows []store.Sentinel
	for day := range 5 {
		for c := range 12 {
			passed := c%3 > 0 && (day < 4 || c > 8)
			rows = append(rows, store.Sentinel{Asking: fmt.Sprint("a", day), Metric: "verdict", Repetition: 1,
				AnswerID: scoring.AnswerID{CaseID: fmt.Sprintf("<b>c%d", c)}, Judge: judgebackend.Identity{Backend: "openai", Model: "m"},
				Question: fmt.Sprint(c), Served: []store.Served{{Model: "m<i>"}}, Status: scoring.StatusOK, Passed: &passed,
				At: time.Date(2025, 1, 1+day, 2, 0, 0, 0, time.UTC)})
		}
	}
	address := agreementAddress(agreementState{Run: night1, By: "tier"})
	if doc := shows(t, siteOver(t, w), address); doc.Find("#drift").Length() != 0 {
		t.Error("drift is shown although no judge was asked about sentinel cases")
	}
	if err := w.WriteSentinels(t.Context(), rows...); err != nil {
		t.Fatal(err)
	}
	doc := shows(t, siteOver(t, w), address)
	text := doc.Find("main").Text()
	for _, want := range []string{"1 judge changed.", "Verdict by openai:m: changed", "It is stricter", "Now fail: <b>c1, <b>c2, <b>c4",
		"12 cases, compared with 4 earlier askings since 2025-01-01", "Model: m<i>."} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not on the page", want)
		}
	}
	if cells := texts(doc.Find(`[aria-label="Drift"] tbody tr`).First()); len(cells) != 6 || cells[1] != "66.7%" || cells[2] != "16.7%" {
		t.Errorf("%v", cells)
	}
	// A day of a change that was accepted.
	s := siteOver(t, w)
	s.o.Since = time.Date(2025, 1, 5, 0, 0, 0, 0, time.UTC)
	if text := shows(t, s, address).Find("main").Text(); !strings.Contains(text, "No judge changed.") {
		t.Error("a change that was accepted is shown")
	}
}
