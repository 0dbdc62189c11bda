//go:build !no_duckdb

package site_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/site"
	"github.com/badger-eval/badger/internal/site/sitetest"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// A report is about the rows of a run whose answers are chosen. They are compared with one row of another
// run: of the same agent, the last one, or else the first of all.
func TestWhatAReportIsAbout(t *testing.T) {
	w := sitetest.Made(nil)(t)
	row := func(id, agent, version, batch string) store.Run {
		return store.Run{RunID: scoring.RunID{ID: id, By: scoring.By{Agent: agent, Version: version, Batch: batch}}, Status: "done"}
	}
	key := func(id, agent, version, batch string) scoring.RunID {
		return scoring.RunID{ID: id, By: scoring.By{Agent: agent, Version: version, Batch: batch}}
	}
	if err := w.WriteRuns(t.Context(),
		row("r1", "nova", "1", "mon"), row("r1", "nova", "2", "mon"), row("r1", "atlas", "1", "mon"), row("r1", "", "", "mon"),
		row("r2", "nova", "1", "tue"), row("r2", "nova", "2", "tue"), row("r2", "orion", "1", "tue")); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		why, run, baseline string
		of                 scoring.AnswerID
		want               site.Static
		code               errcode.Code
	}{
		{why: "all rows", run: "r2", want: site.Static{Runs: []scoring.RunID{key("r2", "nova", "1", "tue"), key("r2", "nova", "2", "tue"), key("r2", "orion", "1", "tue")}}},
		{why: "a version", run: "r2", of: scoring.AnswerID{By: scoring.By{Agent: "nova", Version: "2"}}, want: site.Static{Runs: []scoring.RunID{key("r2", "nova", "2", "tue")}}},
		{why: "the agent without a name", run: "r1", of: scoring.AnswerID{By: scoring.By{Agent: scoring.Unnamed}}, want: site.Static{Runs: []scoring.RunID{key("r1", "", "", "mon")}}},
		{why: "the last row of the same agent", run: "r1", of: scoring.AnswerID{By: scoring.By{Agent: "nova", Version: "1"}}, baseline: "r2", want: site.Static{Runs: []scoring.RunID{key("r1", "nova", "1", "mon")}, Baseline: key("r2", "nova", "2", "tue")}},
		{why: "a run without the agent", run: "r1", of: scoring.AnswerID{By: scoring.By{Agent: "atlas"}}, baseline: "r2", want: site.Static{Runs: []scoring.RunID{key("r1", "atlas", "1", "mon")}, Baseline: key("r2", "orion", "1", "tue")}},
		{why: "a baseline that is not there", run: "r1", of: scoring.AnswerID{By: scoring.By{Agent: "atlas"}}, baseline: "r9", want: site.Static{Runs: []scoring.RunID{key("r1", "atlas", "1", "mon")}}},
		{why: "no such answers", run: "r2", of: scoring.AnswerID{By: scoring.By{Agent: "atlas"}}, code: errcode.NotFound},
		{why: "no such run", run: "r9", code: errcode.NotFound},
	} {
		got, err := site.StaticOf(t.Context(), w, tc.run, tc.of, tc.baseline)
		if errcode.Of(err) != tc.code {
			t.Errorf("%s: %v, want code %s", tc.why, err, tc.code)
		}
		if d := cmp.Diff([2]any{tc.want.Runs, tc.want.Baseline}, [2]any{got.Runs, got.Baseline}); err == nil && d != "" {
			t.Errorf("%s: %s", tc.why, d)
		}
	}
}
