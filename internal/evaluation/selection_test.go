package evaluation

import (
	"bytes"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// A resumed run scores what it selected when it was started, or a part of it, and nothing else.
func TestResumeKeepsTheSelection(t *testing.T) {
	by := func(agent, version, batch string) Selection {
		return Selection{By: scoring.By{Agent: agent, Version: version, Batch: batch}}
	}
	golden := Selection{SetVersion: "v2"}
	for _, tc := range []struct {
		why   string
		had   *Selection // nil: not recorded
		given Selection
		want  Selection
		err   string // how it begins
	}{
		{why: "all", had: &Selection{}},
		{why: "a batch", had: ptr(by("", "", "d2")), want: by("", "", "d2")},
		{why: "the same batch", had: ptr(by("", "", "d2")), given: by("", "", "d2"), want: by("", "", "d2")},
		{why: "another batch", had: ptr(by("", "", "d2")), given: by("", "", "d1"), err: `--batch: run "r" selected "d2"; remove the flag`},
		{why: "a part of all", had: &Selection{}, given: by("a", "", ""), want: by("a", "", "")},
		{why: "a part of a batch", had: ptr(by("", "", "d2")), given: by("a", "7", ""), want: by("a", "7", "d2")},
		{why: "an agent without a name", had: ptr(by(scoring.Unnamed, "", "")), want: by(scoring.Unnamed, "", "")},
		{why: "another agent than the one without a name", had: ptr(by(scoring.Unnamed, "", "")), given: by("a", "", ""), err: `--agent: run "r" selected ""`},
		{why: "a golden set", had: &golden, want: golden},
		{why: "another golden set", had: &golden, given: Selection{SetVersion: "v1"}, err: `--set-version: run "r" selected "v2"`},
		{why: "a golden set where only a batch was chosen", had: ptr(by("", "", "d2")), given: golden, err: `--set-version: run "r" did not have this flag`},
		{why: "not recorded", given: by("", "", "d1"), want: by("", "", "d1")},
	} {
		versions := "{}"
		if tc.had != nil {
			versions = toJSON(runVersions{Answers: recorded(*tc.had)})
		}
		e := &Run{ID: "r", Mode: "both", Resumed: true, Notes: &bytes.Buffer{}, earlier: map[scoring.RunID]store.Run{
			{ID: "r"}: {Mode: "both", Versions: versions},
		}}
		got, err := e.Resume(tc.given, nil)
		if tc.err != "" {
			if !errcode.IsUsage(err) || !strings.HasPrefix(err.Error(), tc.err) {
				t.Errorf("%s: %v, want %s", tc.why, err, tc.err)
			}
			continue
		}
		if err != nil || got != tc.want {
			t.Errorf("%s: %+v, %v, want %+v", tc.why, got, err, tc.want)
		}
		if whole := e.selection; tc.had != nil && whole != *tc.had {
			t.Errorf("%s: the run now records %+v, want as before %+v", tc.why, whole, *tc.had)
		}
	}
}

func ptr(s Selection) *Selection { return &s }

// The metrics of a resumed run are those that it was started with; a note says what a run does not record.
func TestResumeKeepsTheMetrics(t *testing.T) {
	for _, tc := range []struct {
		versions string
		named    string
		want     string // metrics
		err      bool   // of them all with row_f1
		note     string
	}{
		{`{"metrics":{"hybrid_ex":6,"ex_bird":3},"answers":{"batch_id":"d2"}}`, "", "ex_bird hybrid_ex", true, ""},
		{`{"metrics":{"hybrid_ex":6,"ex_bird":3},"answers":{"batch_id":"d2"}}`, "ex_bird", "ex_bird", true, ""},
		{`{"metrics":{"hybrid_ex":6}}`, "", "hybrid_ex", true, ""},
		{`{}`, "", "", false, "note: run r records no selection of answers and metrics; selected are all answers and the default metrics\n"},
		{`{}`, "ex_bird", "ex_bird", false, "note: run r records no selection of answers; selected are all answers\n"},
		{`not JSON`, "", "", false, "note: run r records no selection of answers and metrics; selected are all answers and the default metrics\n"},
	} {
		var notes bytes.Buffer
		e := &Run{ID: "r", Mode: "both", Resumed: true, Notes: &notes, earlier: map[scoring.RunID]store.Run{
			{ID: "r"}: {Mode: "both", Versions: tc.versions},
		}}
		if _, err := e.Resume(Selection{}, strings.Fields(tc.named)); err != nil {
			t.Fatal(err)
		}
		e.Metrics = e.ResumedMetrics(strings.Fields(tc.named))
		if got := strings.Join(e.Metrics, " "); got != tc.want || notes.String() != tc.note {
			t.Errorf("%s: metrics %q, note %q; want %q, %q", tc.versions, got, &notes, tc.want, tc.note)
		}
		if err := e.SameMetrics(); err != nil {
			t.Errorf("%s: %v", tc.versions, err)
		}
		e.Metrics = append(e.Metrics, "row_f1")
		if err := e.SameMetrics(); errcode.IsUsage(err) != tc.err {
			t.Errorf("%s with row_f1: %v, want an error: %v", tc.versions, err, tc.err)
		}
	}
}

// A run of one mode is not resumed in another.
func TestResumeKeepsTheMode(t *testing.T) {
	for _, tc := range []struct{ had, given, want string }{
		{"both", "both", "both"}, {"text2sql_only", "both", "text2sql_only"}, {"text2sql_only", "text2sql_only", "text2sql_only"},
		{"both", "agentic_only", ""}, {"text2sql_only", "agentic_only", ""},
	} {
		e := &Run{ID: "r", Mode: tc.given, Resumed: true, Notes: &bytes.Buffer{}, earlier: map[scoring.RunID]store.Run{
			{ID: "r"}: {Mode: tc.had, Versions: `{}`},
		}}
		_, err := e.Resume(Selection{}, nil)
		if (err != nil) != (tc.want == "") || err == nil && e.Mode != tc.want {
			t.Errorf("%+v: %s, %v", tc, e.Mode, err)
		}
	}
}
