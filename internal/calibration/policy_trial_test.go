package calibration_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/calibration"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring/policy"
)

// Only the cases of the source count, and a judge without a reply has no figure.
func TestTry(t *testing.T) {
	yes, no := true, false
	cases := []policy.Labelled{
		{Group: "x", Accepted: true, Judge: &yes, Calls: 2}, {Group: "x", Accepted: false, Judge: &yes, Calls: 2},
		{Group: "y", Accepted: true, Judge: &no, Calls: 2}, {Group: "y", Accepted: false, Judge: &no, Calls: 2},
		{Group: "z", Accepted: true},
	}
	outcomes := []policy.Outcome{
		{ByEvidence: true, Guess: true, Right: true}, {Guess: false, Right: true, Calls: 2}, {Guess: true, Right: false, Calls: 2}, {ByEvidence: true, Guess: false, Right: false}, {Guess: true},
	}
	of := []string{"a/one", "a/one", "a/one", "a/one", "a/two"}
	one := calibration.TryPolicy(policy.Answer, calibration.LabelSource{Option: "--answer", Where: "a/one"}, calibration.Tried{Cases: cases, Outcomes: outcomes, From: of}, "rose@o3")
	if one.Cases != 4 || one.Groups != 2 || one.ByEvidence != 2 || one.WronglySo != 1 || one.Calls != 1 || one.CallsOfAlone != 2 || one.Answered != 4 {
		t.Errorf("%+v", one)
	}
	// Guesses agree with all labels; verdicts and the judge with two of four, as chance does.
	if *one.Guess != 1 || *one.Verdict != 0 || *one.JudgeAlone != 0 || !strings.HasPrefix(one.Advice, "asking rose@o3 agrees less with people than guessing by the table does (0.000, 1.000)") {
		t.Errorf("guess %v, verdict %v, alone %v, advice %q", *one.Guess, *one.Verdict, *one.JudgeAlone, one.Advice)
	}
	two := calibration.TryPolicy(policy.Answer, calibration.LabelSource{Where: "a/two"}, calibration.Tried{Cases: cases, Outcomes: outcomes, From: of}, "rose@o3")
	if two.Cases != 1 || two.Guess != nil || two.Verdict != nil || two.Advice != "there is no reply of rose@o3 to any of these cases" {
		t.Errorf("labels that are all the same and no reply: %+v", two)
	}
	if alone := calibration.TryPolicy(policy.Answer, calibration.LabelSource{Where: "a/one"}, calibration.Tried{Cases: cases, Outcomes: outcomes, From: of}, ""); alone.Verdict != nil || alone.JudgeAlone != nil || alone.Advice != "" {
		t.Errorf("without a judge: %+v", alone)
	}
}

// The table names folder, file and hash, and never where a warehouse is.
func TestLine(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "maple")
	file := filepath.Join(dir, "cases.jsonl")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("abc"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		source calibration.LabelSource
		want   string
	}{
		{calibration.LabelSource{Option: "--answer", Where: file}, "--answer maple/cases.jsonl (ba7816bf8f01cfea414140de), 2 cases"}, // FIPS 180-4's example of SHA-256, its first 12 bytes
		{calibration.LabelSource{Option: "--answer", Where: "postgres://u:secret@h/d", Warehouse: true}, "--answer a warehouse, 2 cases"},
		{calibration.LabelSource{Option: "--chosen", Where: calibration.Laws}, "--chosen the laws of equality, 2 cases"},
	} {
		if got, err := tc.source.Line(2); err != nil || got != tc.want {
			t.Errorf("%q %v, want %q", got, err, tc.want)
		}
	}
	if _, err := (calibration.LabelSource{Option: "--logic", Where: file + "x"}).Line(2); errcode.Of(err) != errcode.NotFound || !strings.HasPrefix(err.Error(), "--logic: ") {
		t.Errorf("a file that is not there: %v", err)
	}
}
