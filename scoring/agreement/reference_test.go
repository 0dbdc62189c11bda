package agreement_test

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/badger-eval/badger/internal/assessfile"
	"github.com/badger-eval/badger/scoring/agreement"
)

// referenceData is the path of a file of the reference data, which lies next to the project and may
// be absent.
func referenceData(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join("..", "..", "..", "shared", "data", filepath.FromSlash(name))
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		t.Skipf("the reference data %s are not beside the project", name)
	}
	return path
}

type labelledCase struct {
	CaseID  string `json:"case_id"`
	Dataset string `json:"dataset"`
	Human   struct {
		Label bool              `json:"label"`
		Votes map[string]string `json:"votes"`
	} `json:"human"`
	Recorded map[string]bool `json:"recorded"`
}

func labelledCases(t *testing.T, name string) (cases []labelledCase) {
	t.Helper()
	f, err := os.Open(referenceData(t, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var c labelledCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		cases = append(cases, c)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return cases
}

func recordedScores(t *testing.T, name string) *assessfile.File {
	t.Helper()
	f, err := assessfile.Open(t.Context(), referenceData(t, name), assessfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Every row and column of the published agreement comes out of the recorded verdicts.
func TestAgreementOfRecordedMethods(t *testing.T) {
	f, err := os.Open(referenceData(t, "rosevec/agreement-bird.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	table, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	cases, recorded := labelledCases(t, "rosevec/cases.jsonl"), recordedScores(t, "rosevec/assessments.jsonl")
	if len(table) != 22 {
		t.Fatalf("%d lines, want 21 rows", len(table))
	}
	for _, row := range table[1:] {
		method, backend := row[0], row[1]
		var c agreement.Confusion
		for _, x := range cases {
			if x.Dataset != "rose-vec-bird" {
				continue
			}
			verdict, ok := x.Recorded[method], backend == ""
			if !ok {
				r, found := recorded.Run(backend, method)
				if !found {
					t.Fatalf("no assessments of %s by %s", method, backend)
				}
				var score float64
				score, ok = r.Score(x.CaseID)
				verdict = score == 1
			}
			if ok {
				c.Add(x.Human.Label, verdict)
			}
		}
		percent := func(s agreement.Stat) float64 { return 100 * s.Value }
		got := []float64{
			float64(c.N()), float64(c.TP), float64(c.FP), float64(c.TN), float64(c.FN),
			percent(c.Kappa()), percent(c.Accuracy()), percent(c.MCC()), percent(c.F1()),
		}
		for i, g := range got {
			want, err := strconv.ParseFloat(row[2+i], 64)
			if err != nil {
				t.Fatal(err)
			}
			if rounded := math.Round(g*100) / 100; math.Abs(rounded-want) > 1e-9 {
				t.Errorf("%s %s: %s is %v, want %v", method, backend, table[0][2+i], rounded, want)
			}
		}
	}
}

// The FLEX paper, section 4.2 and table 3: agreement of execution accuracy and of FLEX with the
// experts' consensus, by whether the results are equal; and of the experts among themselves.
func TestAgreementOfFLEX(t *testing.T) {
	cases, recorded := labelledCases(t, "flex200/cases.jsonl"), recordedScores(t, "flex200/assessments.jsonl")
	flex, ok := recorded.Run("gpt-4o", "flex")
	if !ok {
		t.Fatal("no assessments of flex by gpt-4o")
	}
	var ex, judged, equal, unequal agreement.Confusion
	var votes [][]agreement.Vote
	for _, c := range cases {
		ex.Add(c.Human.Label, c.Recorded["ex"])
		score, ok := flex.Score(c.CaseID)
		if !ok {
			t.Fatalf("no score of %s", c.CaseID)
		}
		judged.Add(c.Human.Label, score == 1)
		if c.Recorded["ex"] {
			equal.Add(c.Human.Label, true)
		} else {
			unequal.Add(c.Human.Label, false)
		}
		var ballot []agreement.Vote
		for _, annotator := range []string{"A", "B", "C"} {
			passed := c.Human.Votes[annotator] == "1"
			ballot = append(ballot, agreement.VoteOf(&passed))
		}
		votes = append(votes, ballot)
	}
	for _, c := range []struct {
		what string
		got  agreement.Stat
		want float64
	}{
		{"EX, kappa", ex.Kappa(), 0.6200}, {"EX, accuracy", ex.Accuracy(), 0.810},
		{"FLEX, kappa", judged.Kappa(), 0.8704}, {"FLEX, accuracy", judged.Accuracy(), 0.935},
		{"EX where results are equal", equal.Accuracy(), 0.79}, {"EX where they are not", unequal.Accuracy(), 0.83},
	} {
		near(t, c.what, c.got, c.want, 4)
	}
	counts, _ := agreement.Ballots(votes)
	near(t, "Fleiss' kappa of the experts", agreement.Fleiss(counts), 0.7932, 4)
}
