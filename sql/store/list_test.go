package store

import (
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// TestRoundTrip holds that an address says all of a state, whatever its texts are.
func TestRoundTrip(t *testing.T) {
	odd := "a/../b?c=d&e#f%20+\"'<>\x00é\u202e"
	for _, want := range []State{
		{RunID: scoring.RunID{ID: "r1"}, Mode: All, Page: 1, Size: DefaultSize},
		{
			RunID: scoring.RunID{ID: odd, By: scoring.By{Agent: odd, Version: odd, Batch: odd}}, Baseline: scoring.RunID{ID: "r0", By: scoring.By{Agent: "", Version: odd, Batch: ""}}, Metric: odd, Mode: Changed, Search: odd, Page: 7, Size: 500, Tall: true,
			Filters: []ListFilter{{"hybrid_ex", Less, "0.5"}, {"hybrid_ex", AtLeast, "0.5"}, {"hybrid_ex", AtMost, "-1"}, {"question", Contains, odd}, {"relation", Equal, "a=b"}, {"status", NotEqual, ""}},
			Sort:    Sort{"hybrid_ex", true}, Columns: []string{"verdict", "row_f1"},
		},
		{RunID: scoring.RunID{ID: "r1", By: scoring.By{Batch: "b"}}, Mode: Failed, Search: `^o\d+$`, Regexp: true, Sort: Sort{Column: "case"}, Page: 1, Size: 25},
	} {
		query, err := url.ParseQuery(want.Values().Encode())
		if err != nil {
			t.Fatal(err)
		}
		got, err := Parse(query)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s:\n%s", want.Values().Encode(), d)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for query, want := range map[string]string{
		"mode=best":            `mode: "best" is not a mode; expected one of all, failed,`,
		"page=0":               `page: "0", expected a whole number from 1 to`,
		"page=x":               `page: "x", expected`,
		"size=24":              `size: "24", expected a whole number from 25 to 500`,
		"size=501":             `size: "501"`,
		"filter=hybrid_ex":     `filter: "hybrid_ex" is not a condition`,
		"filter=%3D1":          `filter: "=1" is not a condition`,
		"regexp=1&search=(":    "search: not a valid regular expression: missing closing )",
		"search=" + long(1001): "search: 1001 bytes, expected at most 1000",
		"filter=a!b":           "is not a condition",
		"filter=a%3D%3C1":      `filter: unknown operator =< in "a=<1"; did you mean <=?`,
		"filter=a%3D%3D1":      "did you mean =?",
		"filter=a%3C%3E1":      "did you mean !=?",
		"filter=a!%3C1":        "did you mean >=?",
		"filter=latency%3D%3E": "did you mean >=?",
	} {
		values, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = Parse(values); err == nil || !strings.Contains(err.Error(), want) || errcode.Of(err) != errcode.InvalidArgument {
			t.Errorf("%.40s: got %v, want %q", query, err, want)
		}
	}
}

func long(n int) string { return strings.Repeat("x", n) }

// TestSteps holds that another mode or condition begins on the first page and leaves the first state
// as it was.
func TestSteps(t *testing.T) {
	s := State{RunID: scoring.RunID{ID: "r"}, Mode: All, Page: 3, Size: 50, Filters: []ListFilter{{"tag", Equal, "a"}}}
	before := s.Values().Encode()
	f := ListFilter{"tag", Equal, "b"}
	if got := s.With(f); got.Page != 1 || len(got.Filters) != 2 || len(got.With(f).Filters) != 2 {
		t.Errorf("With: %+v", got)
	}
	if got := s.With(f).Without(s.Filters[0]); len(got.Filters) != 1 || got.Filters[0] != f {
		t.Errorf("Without: %+v", got)
	}
	if got := s.In(Failed); got.Page != 1 || got.Mode != Failed {
		t.Errorf("In: %+v", got)
	}
	if s.Values().Encode() != before {
		t.Error("the state changed")
	}
}

// A value of "contains" may begin with an operator, and a metric of two characters is compared as before.
func TestParseOperators(t *testing.T) {
	for text, want := range map[string]ListFilter{
		"sql~<>":       {"sql", Contains, "<>"},
		"sql~=":        {"sql", Contains, "="},
		"ex<=1":        {"ex", AtMost, "1"},
		"ex>=-1":       {"ex", AtLeast, "-1"},
		"relation!=":   {"relation", NotEqual, ""},
		"question=a=b": {"question", Equal, "a=b"},
	} {
		if got, err := parseFilter(text); err != nil || got != want {
			t.Errorf("%s: %v, %v, want %v", text, got, err, want)
		}
	}
}
