package custom_test

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/badger-eval/badger/internal/assessfile"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/custom"
)

// Every worked example gives the scores that its cases say, from the replies that lie next to it,
// and its cases have both verdicts.
func TestExamples(t *testing.T) {
	dirs, err := filepath.Glob("../../examples/judges/*")
	if err != nil || len(dirs) < 4 {
		t.Fatalf("%v, %v, want the worked examples", dirs, err)
	}
	for _, dir := range dirs {
		name := filepath.Base(dir)
		t.Run(name, func(t *testing.T) {
			files, _ := filepath.Glob(filepath.Join(dir, name+".*"))
			if len(files) != 1 {
				t.Fatalf("%v, want one judge file", files)
			}
			source, err := os.ReadFile(files[0])
			if err != nil {
				t.Fatal(err)
			}
			j, err := custom.Load(t.Context(), files[0], source, nil)
			if err != nil {
				t.Fatal(err)
			}
			var o scoring.EngineOptions
			if j.Asks() {
				f, err := assessfile.Open(t.Context(), filepath.Join(dir, "replies.jsonl"), assessfile.Options{})
				if err != nil {
					t.Fatal(err)
				}
				if o.Replies, err = f.Replies("recorded"); err != nil {
					t.Fatal(err)
				}
			}
			engine, err := scoring.NewEngine([]scoring.Metric{j.Metric()}, &o)
			if err != nil {
				t.Fatal(err)
			}
			in, err := os.Open(filepath.Join(dir, "cases.jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			verdicts := map[bool]int{}
			for lines := bufio.NewScanner(in); lines.Scan(); {
				c, err := scoring.DecodeCase(lines.Bytes())
				if err != nil {
					t.Fatal(err)
				}
				var want struct {
					Want struct {
						Value *float64
						Label string
					}
				}
				if err := json.Unmarshal(lines.Bytes(), &want); err != nil {
					t.Fatal(err)
				}
				scores, err := engine.Score(t.Context(), c)
				if err != nil {
					t.Fatal(err)
				}
				s := scores[0]
				if s.Status != scoring.StatusOK || want.Want.Value != nil && math.Abs(s.Value-*want.Want.Value) > 5e-5 || want.Want.Label != s.Label {
					t.Errorf("%s: %s %v %q: %s, want %+v", c.ID, s.Status, s.Value, s.Label, s.Reason, want.Want)
				}
				if s.Passed == nil || c.Human == nil || *s.Passed != *c.Human {
					t.Errorf("%s: the judge and the label differ", c.ID)
					continue
				}
				verdicts[*c.Human]++
			}
			if verdicts[true] < 2 || verdicts[false] < 2 {
				t.Errorf("%v: an example that cannot be wrong", verdicts)
			}
		})
	}
}
