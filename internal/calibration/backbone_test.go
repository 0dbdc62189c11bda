package calibration_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/calibration"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/agreement"
)

// studyOf has a case for each letter: labels and verdicts are p, f or - for none.
func studyOf(labels string, verdicts map[string]string) *calibration.Study {
	vote := map[byte]agreement.Vote{'p': agreement.Pass, 'f': agreement.Fail, '-': agreement.Missing}
	s := &calibration.Study{}
	for i := range labels {
		s.Cases = append(s.Cases, calibration.Case{ID: string(rune('a' + i)), Label: vote[labels[i]], Groups: map[string]string{}})
	}
	for _, key := range []string{"current", "candidate"} {
		m := calibration.Metric{Key: key, Calls: true}
		for i := range verdicts[key] {
			score := calibration.Score{Status: scoring.StatusOK, Verdict: vote[verdicts[key][i]]}
			if verdicts[key][i] == 'p' {
				score.Value = 1
			} else if verdicts[key][i] == '-' {
				score.Status = scoring.StatusFailed
			}
			m.Scores = append(m.Scores, score)
		}
		s.Metrics = append(s.Metrics, m)
	}
	return s
}

// A candidate takes the place of a backbone only if no measure is worse and one is better, on the
// cases both judged.
func TestBackbone(t *testing.T) {
	for _, tc := range []struct {
		why, labels, current, candidate string
		n                               int
		adopt, allBetter                bool
		says                            string
	}{
		{"better by all", "ppppffff", "pppfffpp", "ppppffff", 8, true, true, "better by 4 of the 4 measures and worse by none"},
		{"the same", "ppppffff", "pppfffff", "pppfffff", 8, false, false, "better by none"},
		{"worse by all", "ppppffff", "ppppffff", "pppfffpp", 8, false, false, "worse by 4 of the 4"},
		// accuracy is equal (8 of 10); F1 rises, for the candidate errs on the side of passing
		{"better and worse", "ppppppppff", "ppppppffff", "pppppppppp", 10, false, false, "worse by 2 of the 4"},
		// one false pass in place of two false fails: kappa (0.9 - 0.74) / 0.26 against (0.8 - 0.56) / 0.44
		{"better with another kind of error", "ppppppppff", "ppppppffff", "pppppppppf", 10, true, true, "better by 4 of the 4"},
		{"only the cases of both count", "ppppffff", "ppp-fff-", "fpppffff", 6, false, false, "worse by 4 of the 4"},
		{"nothing in common", "pppp", "pp--", "--pp", 0, false, false, "no case on which both have a verdict"},
	} {
		r, err := studyOf(tc.labels, map[string]string{"current": tc.current, "candidate": tc.candidate}).Report(calibration.Options{Backbone: []string{"current", "candidate"}, Resampling: agreement.Resampling{Resamples: 10}})
		if err != nil {
			t.Fatal(err)
		}
		b := r.Backbone
		if b.N != tc.n || b.Adopt != tc.adopt || b.AllBetter != tc.allBetter || !strings.Contains(b.Why, tc.says) {
			t.Errorf("%s: %+v, want %d %v %q", tc.why, b, tc.n, tc.adopt, tc.says)
		}
		if text, err := json.Marshal(r); err != nil || !strings.Contains(string(text), `"backbone":{"current":"current"`) {
			t.Errorf("%s: %s %v", tc.why, text, err)
		}
	}
	s := studyOf("pf", map[string]string{"current": "pf", "candidate": "pf"})
	for _, names := range [][]string{{"current"}, {"current", "candidat"}} {
		if _, err := s.Report(calibration.Options{Backbone: names}); err == nil {
			t.Errorf("%v: no error", names)
		}
	}
}

// People's agreement and the mean with its interval stand next to each tier.
func TestTiersHavePeopleAndMeans(t *testing.T) {
	s := studyOf(strings.Repeat("pf", 50), map[string]string{"current": strings.Repeat("pf", 50), "candidate": strings.Repeat("p", 100)})
	for i := range s.Cases {
		c := &s.Cases[i]
		c.Groups[calibration.ByTier] = map[bool]string{true: "easy", false: "hard"}[i < 50]
		c.Votes = []agreement.Vote{c.Label, c.Label, c.Label}
		if i >= 50 { // on hard cases the third is always against the others
			c.Votes[2] = map[agreement.Vote]agreement.Vote{agreement.Pass: agreement.Fail, agreement.Fail: agreement.Pass}[c.Label]
		}
	}
	r, err := s.Report(calibration.Options{By: []string{calibration.ByTier}})
	if err != nil {
		t.Fatal(err)
	}
	easy, hard := r.Breakdowns[0].Parts[0], r.Breakdowns[0].Parts[1]
	// Fleiss 1971: every hard case has votes 2 to 1, so P = 1/3; half of all votes pass, so Pe = 1/2.
	if k := easy.People.Fleiss; !k.Defined || k.Value != 1 {
		t.Errorf("easy: %+v", k)
	}
	if k := hard.People.Fleiss; !k.Defined || math.Abs(k.Value-(-1.0/3)) > 1e-9 {
		t.Errorf("hard: %+v, want (1/3 - 1/2) / (1 - 1/2)", k)
	}
	for _, m := range easy.Metrics {
		switch m.Key {
		case "current": // half of 50: the standard error is 0.0707, and the interval about 0.36 to 0.64
			if m.Mean.Value != 0.5 || math.Abs(m.MeanCI.Lo-0.36) > 0.03 || math.Abs(m.MeanCI.Hi-0.64) > 0.03 {
				t.Errorf("mean %v [%v, %v]", m.Mean.Value, m.MeanCI.Lo, m.MeanCI.Hi)
			}
		case "candidate":
			if m.Mean.Value != 1 || m.MeanCI.Lo != 1 || m.MeanCI.Hi != 1 {
				t.Errorf("mean %v [%v, %v]", m.Mean.Value, m.MeanCI.Lo, m.MeanCI.Hi)
			}
		}
	}
}
