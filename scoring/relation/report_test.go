package relation_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/relation"
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

type recorded struct {
	*scoring.Case
	database string
	accepted bool
	verdict  map[string]bool
}

func recordedCases(t *testing.T, name string) []recorded {
	t.Helper()
	f, err := os.Open(referenceData(t, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var cases []recorded
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		c, err := scoring.DecodeCase(lines.Bytes())
		if err != nil {
			t.Fatalf("%s, line %d: %v", name, len(cases)+1, err)
		}
		var more struct {
			Database string          `json:"database"`
			Recorded map[string]bool `json:"recorded"`
		}
		if err := json.Unmarshal(lines.Bytes(), &more); err != nil {
			t.Fatalf("%s, line %d: %v", name, len(cases)+1, err)
		}
		cases = append(cases, recorded{c, more.Database, c.Human != nil && *c.Human, more.Recorded})
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return cases
}

func inputOf(c *scoring.Case) relation.Input {
	return relation.Input{
		Gold: c.Golds[0].Result.Table, Pred: c.Pred.Result.Table, GoldSQL: c.Golds[0].SQL, PredSQL: c.Pred.SQL,
		Question: c.Question, Evidence: c.Evidence, Dialect: c.Dialect,
	}
}

// tally counts how often a relation was the first and how often experts accepted the answer.
type tally struct {
	fired, accepted int
	databases       map[string]bool
}

// TestReport logs which relation explains the answers that experts labelled, and how often they
// accepted them.
func TestReport(t *testing.T) {
	for _, set := range []string{"rosevec", "flex200"} {
		t.Run(set, func(t *testing.T) {
			by := map[string]*tally{}
			cases := 0
			for _, c := range recordedCases(t, set+"/cases.jsonl") {
				if len(c.Golds) != 1 || c.Golds[0].Result.Table == nil || c.Pred.Result.Table == nil {
					continue
				}
				cases++
				found := relation.Find(inputOf(c.Case))
				first := found[0]
				if by[first.Name] == nil {
					by[first.Name] = &tally{databases: map[string]bool{}}
				}
				x := by[first.Name]
				x.fired++
				x.databases[c.database] = true
				if c.accepted {
					x.accepted++
				}
				if os.Getenv("BADGER_RELATIONS") != "" && first.Name != "same" {
					var names []string
					for _, r := range found[1:] {
						names = append(names, r.Name)
					}
					fmt.Printf("%s %v %s: %s [%s]\n", c.ID, c.accepted, first.Name, first.Text, strings.Join(names, " "))
				}
			}
			t.Logf("%d cases with both results\n%s", cases, table(by))
		})
	}
}

func table(by map[string]*tally) string {
	var b strings.Builder
	for _, k := range relation.Kinds() {
		if x := by[k.Name]; x != nil {
			fmt.Fprintf(&b, "%-26s %-15s %3d of %3d accepted, %2d databases: %s\n", k.Name, k.Class, x.accepted, x.fired, len(x.databases), strings.Join(slices.Sorted(maps.Keys(x.databases)), " "))
		}
	}
	return b.String()
}
