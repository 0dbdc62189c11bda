package metric

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/resultfile"
	"github.com/badger-eval/badger/scoring"
)

// recordedCase is a case of the reference data with the verdicts that were published with it.
type recordedCase struct {
	*scoring.Case
	recorded map[string]bool
}

func (c recordedCase) hasResults() bool {
	return len(c.Golds) == 1 && !c.Golds[0].Result.Absent() && !c.Pred.Result.Absent()
}

// referenceData is the path of a file of the reference data, which lies next to the project and may
// be absent.
func referenceData(t *testing.T, name string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod above the package")
		}
	}
	path := filepath.Join(dir, "..", "shared", "data", filepath.FromSlash(name))
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		t.Skipf("the reference data %s are not beside the project", name)
	}
	return path
}

func recordedCases(t *testing.T, name string) []recordedCase {
	t.Helper()
	f, err := os.Open(referenceData(t, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var cases []recordedCase
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		c, err := scoring.DecodeCase(lines.Bytes())
		if err != nil {
			t.Fatalf("%s, line %d: %v", name, len(cases)+1, err)
		}
		var verdicts struct {
			Recorded map[string]bool `json:"recorded"`
		}
		if err := json.Unmarshal(lines.Bytes(), &verdicts); err != nil {
			t.Fatalf("%s, line %d: %v", name, len(cases)+1, err)
		}
		cases = append(cases, recordedCase{c, verdicts.Recorded})
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return cases
}

// disagreements scores the cases that have both results and lists those whose verdict is not the
// recorded one.
func disagreements(t *testing.T, metric, verdict string, cases []recordedCase, o *scoring.EngineOptions) (scored int, ids []string) {
	t.Helper()
	engine, err := scoring.NewEngine(All(), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		if !c.hasResults() {
			continue
		}
		scores, err := engine.Score(context.Background(), c.Case, metric)
		if err != nil {
			t.Fatal(err)
		}
		s := scores[0]
		if s.Status != scoring.StatusOK {
			t.Errorf("%s: %s is %s: %s", c.ID, metric, s.Status, s.Reason)
			continue
		}
		scored++
		if (s.Value == 1) != c.recorded[verdict] {
			ids = append(ids, c.ID)
		}
	}
	return scored, ids
}

// ROSE-VEC records BIRD's execution accuracy. Two cases are recorded as wrong though their sets of
// rows are equal.
func TestExBirdEqualsRecordedROSEVEC(t *testing.T) {
	scored, ids := disagreements(t, "ex_bird", "ex", recordedCases(t, "rosevec/cases.jsonl"), nil)
	if scored != 183 {
		t.Errorf("%d cases were scored, 183 have both results", scored)
	}
	if want := []string{"bird-275-25", "bird-845-58"}; !slices.Equal(ids, want) {
		t.Errorf("ex_bird differs from the recorded verdict on %v, want %v", ids, want)
	}
}

// FLEX recorded execution accuracy too; the results were published as text, so 507 is there as
// '507' and 507.0 as '507.0'.
func TestExBirdEqualsRecordedFLEX(t *testing.T) {
	cases := recordedCases(t, "flex200/cases.jsonl")
	scored, ids := disagreements(t, "ex_bird", "ex", cases, nil)
	if scored != 166 || len(ids) != 0 {
		t.Errorf("of %d cases (want 166) ex_bird differs on %v", scored, ids)
	}
	verbatim := &scoring.EngineOptions{Config: scoring.Config{Options: map[string]json.RawMessage{"ex_bird": json.RawMessage(`{"typed_text": false}`)}}}
	if _, ids := disagreements(t, "ex_bird", "ex", cases, verbatim); !slices.Equal(ids, []string{"flex-ex1-66"}) {
		t.Errorf("with text left as text ex_bird differs on %v, want flex-ex1-66 alone", ids)
	}
}

// csvSnapshots reads file: references with nothing but the CSV format: every cell is text, one that
// is empty or that a short record lacks is NULL.
type csvSnapshots struct{ dir string }

func (s csvSnapshots) ReadSnapshot(_ context.Context, ref string) (*scoring.Table, error) {
	f, err := os.Open(filepath.Join(s.dir, filepath.FromSlash(strings.TrimPrefix(ref, "file:"))))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.FieldsPerRecord = -1
	records, err := r.ReadAll()
	if err != nil {
		return nil, err
	}
	columns := make([]scoring.Column, len(records[0]))
	for j, name := range records[0] {
		b := scoring.NewBuilder(name, scoring.String, len(records)-1)
		for _, row := range records[1:] {
			if j < len(row) && row[j] != "" {
				b.Append(scoring.StringValue(row[j]))
			} else {
				b.AppendNull()
			}
		}
		columns[j] = b.Column()
	}
	return scoring.NewTable(columns...)
}

func TestMatchSpider2EqualsRecorded(t *testing.T) {
	path := referenceData(t, "spider2/cases.jsonl")
	cases := recordedCases(t, "spider2/cases.jsonl")
	for _, tc := range []struct {
		name   string
		reader scoring.SnapshotReader
	}{
		{"cells as text", csvSnapshots{filepath.Dir(path)}},
		{"the project's reader", &resultfile.Snapshots{Options: resultfile.Options{Dir: filepath.Dir(path)}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			scored, ids := disagreements(t, "match_spider2", "match_spider2", cases, &scoring.EngineOptions{Snapshots: tc.reader})
			if scored != 645 || len(ids) != 0 {
				t.Errorf("of %d cases (want 645) match_spider2 differs from Spider 2.0 on %v", scored, ids)
			}
		})
	}
}

// What pandas makes of a file must not depend on who read it: cells as text and typed columns lead
// to the same vectors.
func TestPandasColumnsDoNotDependOnTheReader(t *testing.T) {
	dir := filepath.Dir(referenceData(t, "spider2/cases.jsonl"))
	files, err := filepath.Glob(filepath.Join(dir, "results", "*.csv"))
	if err != nil || len(files) == 0 {
		t.Fatal("no result files", err)
	}
	// The project's reader reads ISO timestamps with T and with a blank as the same value.
	known := map[string]bool{"file:results/sf_bq005_b.csv, column 1": true}
	typed := resultfile.Snapshots{Options: resultfile.Options{Dir: dir}}
	for _, f := range files {
		ref := "file:results/" + filepath.Base(f)
		a, err := csvSnapshots{dir}.ReadSnapshot(context.Background(), ref)
		if err != nil {
			t.Fatal(err)
		}
		b, err := typed.ReadSnapshot(context.Background(), ref)
		if err != nil {
			t.Error(err)
			continue
		}
		va, vb := spiderVectors(readCSV(scoring.Result{Table: a, Ref: ref})), spiderVectors(readCSV(scoring.Result{Table: b, Ref: ref}))
		if len(va) != len(vb) {
			t.Errorf("%s: %d and %d columns", ref, len(va), len(vb))
			continue
		}
		for j := range va {
			if len(va[j].num) != len(vb[j].num) {
				t.Errorf("%s, column %d: %d and %d rows", ref, j+1, len(va[j].num), len(vb[j].num))
				continue
			}
			for i := range va[j].num {
				place := fmt.Sprintf("%s, column %d", ref, j+1)
				if !samePrint(&va[j], i, &vb[j], i) && !known[place] {
					t.Errorf("%s (%v), row %d: %q read as text, %q read by the project's reader", place, b.Columns[j].Type, i+1,
						va[j].appendPrinted(nil, i), vb[j].appendPrinted(nil, i))
					break
				}
			}
		}
	}
}
