package scoring_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
)

// named is a judge that counts its calls, and gives a value.
type named struct {
	model string
	value string
	calls int
}

func (n *named) Identity() judgebackend.Identity {
	return judgebackend.Identity{Backend: "openai", Model: n.model}
}

func (n *named) Complete(context.Context, judgebackend.Request) (judgebackend.Response, error) {
	n.calls++
	return judgebackend.Response{Reply: `{"value": ` + n.value + `}`, FinishReason: judgebackend.FinishStop, TokensIn: 1, TokensOut: 1}, nil
}

// The first rule whose tag a case has decides, before the judges of metrics and the common one.
func TestJudgeByTag(t *testing.T) {
	for _, tc := range []struct {
		why    string
		c      scoring.Case
		value  float64 // of both metrics; 0: not applicable
		judge  string  // in the usage
		unseen []string
	}{
		{"no tag", scoring.Case{}, 2, "", []string{"finance", "hard", "secret"}},
		{"another tag", scoring.Case{Tags: []string{"Finance", "easy"}}, 2, "", []string{"finance", "hard", "secret"}},
		{"a tag", scoring.Case{Tags: []string{"easy", "hard"}}, 4, "openai:hard", []string{"finance", "secret"}},
		{"the first rule of two", scoring.Case{Tags: []string{"hard", "finance"}}, 3, "openai:finance", []string{"secret"}},
		{"a rule without a judge", scoring.Case{Tags: []string{"secret"}}, 0, "", []string{"finance", "hard"}},
		{"tags that cannot be read", scoring.Case{TagsErr: errors.New("no list")}, 0, "", []string{"finance", "hard", "secret"}},
	} {
		judge := func(model, value string) *named { return &named{model: model, value: value} }
		e := engine(t, &scoring.EngineOptions{
			Judge: judge("common", "1"), Judges: map[string]scoring.Judge{"first": {Backend: judge("own", "2")}, "second": {Backend: judge("own", "2")}},
			ByTag: []scoring.TagJudge{{Tag: "finance", Judge: scoring.Judge{Backend: judge("finance", "3")}}, {Tag: "hard", Judge: scoring.Judge{Backend: judge("hard", "4")}}, {Tag: "secret"}},
		}, sharing("first", "?"), sharing("second", "?"))
		c := tc.c
		c.ID, c.Golds = "c", []scoring.Query{{SQL: "SELECT 1"}}
		scores, err := e.Score(t.Context(), &c)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range scores {
			if (s.Status == scoring.StatusNotApplicable) != (tc.value == 0) || s.Value != tc.value {
				t.Errorf("%s: %s: %s %v, want %v", tc.why, s.Metric, s.Status, s.Value, tc.value)
			}
			if got := ""; s.Usage != nil {
				if got = s.Usage.Judge; got != tc.judge {
					t.Errorf("%s: %s: judge %q, want %q", tc.why, s.Metric, got, tc.judge)
				}
			} else if tc.judge != "" {
				t.Errorf("%s: %s: the score does not name its judge", tc.why, s.Metric)
			}
		}
		if got := e.UnseenTags(); !slices.Equal(got, tc.unseen) {
			t.Errorf("%s: unseen %v, want %v", tc.why, got, tc.unseen)
		}
	}
}

// Metrics that ask one model with different settings do not share a reply.
func TestSettingsAreNotShared(t *testing.T) {
	seed := int64(7)
	b := &named{model: "m", value: "1"}
	with := func(s judgebackend.Settings) judgebackend.Backend {
		stack, err := judgebackend.NewStack(b, &judgebackend.StackOptions{Settings: s})
		if err != nil {
			t.Fatal(err)
		}
		return stack
	}
	seeded := with(judgebackend.Settings{Sampling: judgebackend.Sampling{Seed: &seed}})
	e := engine(t, &scoring.EngineOptions{Judge: with(judgebackend.Settings{}), Judges: map[string]scoring.Judge{"second": {Backend: seeded}, "third": {Backend: seeded}}},
		sharing("first", "?"), sharing("second", "?"), sharing("third", "?"))
	if _, err := e.Score(t.Context(), &scoring.Case{ID: "c", Golds: []scoring.Query{{SQL: "SELECT 1"}}}); err != nil || b.calls != 2 {
		t.Errorf("%v, %d calls, want one for each settings", err, b.calls)
	}
}
