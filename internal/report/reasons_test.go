package report

import (
	"testing"

	"github.com/badger-eval/badger/scoring"
)

func TestReasonsOfOneKind(t *testing.T) {
	for _, tc := range []struct{ a, b string }{
		{`gold result: row 17, column 3 ("revenue"): a number in a column of type DATE`, `gold result: row 1, column 12 ("x y"): a number in a column of type DATE`},
		{"the case took longer than 1.5s", "the case took longer than 20s"},
		{`c.jsonl:17: case: case_id is missing`, `c.jsonl:4: case: case_id is missing`},
	} {
		if shape(tc.a) != shape(tc.b) {
			t.Errorf("%q and %q are of one kind", shape(tc.a), shape(tc.b))
		}
	}
	for _, tc := range []struct{ a, b string }{{"no gold SQL given", "no gold result given"}, {"ex_bird2 failed", "ex_bird3 failed"}, {`a "b`, `a "c`}} {
		if shape(tc.a) == shape(tc.b) {
			t.Errorf("%q and %q are not of one kind", tc.a, tc.b)
		}
	}
}

// Reasons of one kind are shown as one of them and their number, whichever was scored first.
func TestReasonOfSeveral(t *testing.T) {
	scores := []*scoring.Score{}
	for _, text := range []string{`file "b.csv": row 7 of 2024-05-12T01:02:03Z`, `file "a.csv": row 9 of 2024-05-12T01:02:04Z`, `file "c.csv": row 8 of 2023-05-12T01:02:03Z`} {
		scores = append(scores, &scoring.Score{Status: scoring.StatusFailed, Reason: text})
	}
	for range len(scores) {
		s := NewSummary(SummaryOptions{})
		for _, x := range scores {
			s.group(x)
		}
		if len(s.groups) != 1 {
			t.Fatalf("%d groups", len(s.groups))
		}
		if got, want := s.groups[0].reason(3), `file "a.csv": row 9 of 2024-05-12T01:02:04Z, and 2 more alike`; got != want {
			t.Errorf("%q, want %q", got, want)
		}
		scores = append(scores[1:], scores[0])
	}
	s := NewSummary(SummaryOptions{})
	s.group(scores[0])
	s.group(scores[0])
	if got := s.groups[0].reason(2); got != scores[0].Reason {
		t.Errorf("equal reasons: %q", got)
	}
}
