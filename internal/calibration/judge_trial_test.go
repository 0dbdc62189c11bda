package calibration_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/badger-eval/badger/internal/calibration"
	"github.com/badger-eval/badger/internal/gate"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/custom"
)

// trialOf has a case for each pair of letters: what people and the judge say, p, f, or - for nothing;
// ! is a case on which the judge failed.
func trialOf(pairs string) *calibration.JudgeTrial {
	says := func(b byte) *bool {
		passes := b == 'p'
		if b != 'p' && b != 'f' {
			return nil
		}
		return &passes
	}
	trial := calibration.NewJudgeTrial(&custom.Judge{Name: "short", Version: 1})
	for _, pair := range strings.Fields(pairs) {
		s := scoring.Score{Status: scoring.StatusOK, Passed: says(pair[1])}
		if pair[1] == '!' {
			s.Status = scoring.StatusFailed
		}
		trial.Add(&scoring.Case{Human: says(pair[0])}, []scoring.Row{{Score: s}})
	}
	trial.Sum()
	return trial
}

func TestCheck(t *testing.T) {
	for _, tc := range []struct {
		why, pairs, figure string
		least              float64
		reached            bool
		said               []string
	}{
		{"accuracy is reached", "pp ff pf fp", "accuracy", 0.5, true, []string{"gate passed: accuracy is 0.5000 over 4 of 4 labelled cases, expected at least 0.5"}},
		{"kappa is not", "pp ff pf fp", "kappa", 0.1, false, []string{"gate failed: kappa is 0.0000 over 4 of 4 labelled cases, expected at least 0.1"}}, // as chance agrees
		{"a case without a verdict is labelled", "pp p- -p", "accuracy", 1, true, []string{"gate passed: accuracy is 1.0000 over 1 of 2 labelled cases, expected at least 1"}},
		{"a judge that fails", "pp p!", "accuracy", 1, false, []string{"the judge failed on 1 case", "gate passed: accuracy is 1.0000 over 1 of 2 labelled cases, expected at least 1"}},
	} {
		said, reached := trialOf(tc.pairs).Check([]gate.Gate{{Metric: tc.figure, Least: &tc.least}})
		if d := cmp.Diff(tc.said, said); d != "" || reached != tc.reached {
			t.Errorf("%s: reached %v, want %v; %s", tc.why, reached, tc.reached, d)
		}
	}
	low := -1.0
	said, reached := trialOf("-p -f").Check([]gate.Gate{{Metric: "kappa", Least: &low}})
	if reached || len(said) != 1 || !strings.HasPrefix(said[0], "gate failed: kappa is not defined (") {
		t.Errorf("without labels: reached %v, %q", reached, said)
	}
	if said, reached := trialOf("pf").Check(nil); !reached || said != nil {
		t.Errorf("without gates: reached %v, %q", reached, said)
	}
}

// A score of the document has the form of a line of a score file, with its case.
func TestTrialJSONNamesCases(t *testing.T) {
	trial := calibration.NewJudgeTrial(&custom.Judge{Name: "short", Version: 1})
	for _, id := range []string{"a", "b"} {
		row := scoring.Row{AnswerID: scoring.AnswerID{CaseID: id}, Score: scoring.Score{Metric: "short", Status: scoring.StatusOK, Value: 1}}
		trial.Add(&scoring.Case{ID: id}, []scoring.Row{row})
	}
	trial.Sum()
	text, err := json.Marshal(trial.JSON())
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Scores []struct {
			CaseID string `json:"case_id"`
			Metric string `json:"metric"`
			Value  *float64
		} `json:"scores"`
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Scores) != 2 || got.Scores[0].CaseID != "a" || got.Scores[1].CaseID != "b" || got.Scores[1].Metric != "short" || got.Scores[1].Value == nil {
		t.Errorf("%s", text)
	}
}

// With labels of one side, kappa is undefined in every form of the result, and a gate on it fails with the reason.
func TestJudgeTrialWithLabelsOfOneSide(t *testing.T) {
	j, err := custom.Load(t.Context(), "ok.star", []byte("judge(name = \"ok\", version = 1, summary = \"A test.\", needs = [\"response\"], threshold = 1)\n\ndef process_row(row, config):\n    return {\"value\": 1}\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for label, why := range map[bool]string{true: "every label is pass; add answers that fail", false: "every label is fail; add answers that pass"} {
		trial := calibration.NewJudgeTrial(j)
		for _, passed := range []bool{true, true, false} {
			trial.Add(&scoring.Case{Human: &label}, []scoring.Row{{Score: scoring.Score{Status: scoring.StatusOK, Passed: &passed}}})
		}
		trial.Sum()
		var text strings.Builder
		if err := trial.Render(&text, true); err != nil || !strings.Contains(text.String(), "kappa not defined ("+why+")") {
			t.Errorf("%v: %v\n%s", label, err, text.String())
		}
		b, err := json.Marshal(trial.JSON())
		if err != nil || !strings.Contains(string(b), `"kappa":null,"kappa_ci":null`) {
			t.Errorf("%v: %v %s", label, err, b)
		}
		least := 0.0
		if said, reached := trial.Check([]gate.Gate{{Metric: "kappa", Least: &least}}); reached || !strings.Contains(strings.Join(said, " "), why) {
			t.Errorf("%v: %q %v", label, said, reached)
		}
	}
}
