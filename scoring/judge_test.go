package scoring_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
)

// sharing is a metric that asks a question with a separate wording, or one that others ask too.
func sharing(name, question string) scoring.Metric {
	return scoring.Metric{Name: name, Version: 1, Needs: scoring.FieldJudge | scoring.FieldGoldSQL, Score: func(ctx context.Context, in *scoring.Input) (scoring.Score, error) {
		var reply struct {
			Value float64 `json:"value"`
		}
		err := in.AskOnce(ctx, judgebackend.Request{
			Purpose: "shared", Messages: []judgebackend.Message{{Role: judgebackend.User, Content: question + in.Gold.SQL}},
			Schema: json.RawMessage(`{"type":"object","properties":{"value":{"type":"number"}},"required":["value"]}`),
		}, &reply)
		return scoring.OK(reply.Value, "the judge says so"), err
	}}
}

func TestAskOnce(t *testing.T) {
	for _, tc := range []struct {
		why     string
		golds   int
		second  string // what the second metric asks
		reply   string
		calls   int // in all
		status  scoring.Status
		counted bool // whether the second metric made a call itself
	}{
		{"one question of two metrics is one call", 1, "?", `{"value": 4}`, 1, scoring.StatusOK, false},
		{"another question is another call", 1, "!", `{"value": 4}`, 2, scoring.StatusOK, true},
		{"each accepted answer makes a question of its own", 3, "?", `{"value": 4}`, 3, scoring.StatusOK, false},
		{"an unusable reply fails both, and is not asked for again beyond its repair", 1, "?", `{"value": "four"}`, 2, scoring.StatusFailed, false},
	} {
		calls := 0
		judge := judgebackend.Func(func(context.Context, judgebackend.Request) (judgebackend.Response, error) {
			calls++
			return judgebackend.Response{Reply: tc.reply, FinishReason: judgebackend.FinishStop, AssessmentID: fmt.Sprint("a", calls), TokensIn: 10, TokensOut: 1}, nil
		})
		c := &scoring.Case{ID: "c"}
		for i := range tc.golds {
			c.Golds = append(c.Golds, scoring.Query{SQL: fmt.Sprint("SELECT ", i)})
		}
		e := engine(t, &scoring.EngineOptions{Judge: judge}, sharing("first", "?"), sharing("second", tc.second))
		scores, err := e.Score(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		first, second := scores[0], scores[1]
		if calls != tc.calls {
			t.Errorf("%s: %d calls, want %d", tc.why, calls, tc.calls)
		}
		if first.Status != tc.status || second.Status != tc.status || first.Value != second.Value || first.Status == scoring.StatusOK && first.Value != 4 || first.Code != second.Code {
			t.Errorf("%s: %s %v %s and %s %v %s", tc.why, first.Status, first.Value, first.Reason, second.Status, second.Value, second.Reason)
		}
		if len(first.AssessmentIDs) == 0 || len(second.AssessmentIDs) != len(first.AssessmentIDs) {
			t.Errorf("%s: assessments %v and %v: both rest on the reply", tc.why, first.AssessmentIDs, second.AssessmentIDs)
		}
		if repairs := first.Usage.Repaired; (repairs == 1) != (tc.status == scoring.StatusFailed) || repairs > 1 {
			t.Errorf("%s: %d calls were repairs", tc.why, repairs)
		}
		if first.Usage == nil || (second.Usage != nil) != tc.counted {
			t.Errorf("%s: usage %+v and %+v: a call is counted where it was made", tc.why, first.Usage, second.Usage)
		}
	}
}

// tokenReplies is what was recorded together with its tokens.
type tokenReplies struct{}

func (tokenReplies) Reply(string, string) (reply, id string, ok bool) {
	return `{"value": 2}`, "r", true
}

func (tokenReplies) ReplyLogProbs(_, purpose string) []judgebackend.TokenLogProb {
	return []judgebackend.TokenLogProb{{Token: purpose}}
}

// The log-probabilities of a reply's tokens reach every metric that shares it, from the backend and
// from what was recorded.
func TestTokensReachMetrics(t *testing.T) {
	tokens := func(name string) scoring.Metric {
		return scoring.Metric{Name: name, Version: 1, Needs: scoring.FieldJudge, Score: func(ctx context.Context, in *scoring.Input) (scoring.Score, error) {
			var reply struct{ Value float64 }
			resp, err := in.AskOnceResponse(ctx, judgebackend.Request{
				Purpose: "p", Messages: []judgebackend.Message{{Role: judgebackend.User, Content: "?"}}, Schema: json.RawMessage(`{"type":"object"}`),
			}, &reply)
			if err != nil || len(resp.LogProbs) != 1 {
				return scoring.Score{}, fmt.Errorf("%d tokens, %w", len(resp.LogProbs), err)
			}
			return scoring.OK(reply.Value, resp.LogProbs[0].Token), nil
		}}
	}
	judge := judgebackend.Func(func(context.Context, judgebackend.Request) (judgebackend.Response, error) {
		return judgebackend.Response{Reply: `{"value": 2}`, FinishReason: judgebackend.FinishStop, LogProbs: []judgebackend.TokenLogProb{{Token: "p"}}}, nil
	})
	for why, o := range map[string]*scoring.EngineOptions{"a backend": {Judge: judge}, "recorded replies": {Replies: tokenReplies{}}} {
		scores, err := engine(t, o, tokens("first"), tokens("second")).Score(t.Context(), without(t))
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range scores {
			if s.Status != scoring.StatusOK || s.Reason != "p" {
				t.Errorf("%s: %s is %s: %s", why, s.Metric, s.Status, s.Reason)
			}
		}
	}
}
