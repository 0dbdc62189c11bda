package batch_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/batch/ledgertest"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

func write(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// read lists the items of a case file: place, identity, and the question or what is wrong.
func read(s batch.FileSource) (out []string, err error) {
	for item, err := range s.Cases(context.Background()) {
		if err != nil {
			return out, err
		}
		text := ""
		if c, err := item.Load(context.Background()); err != nil {
			text = fmt.Sprintf("%v: %v", errcode.Of(err), err)
		} else {
			text = c.Question
		}
		out = append(out, fmt.Sprintf("%s %s/%s/%s %s", item.Place, item.CaseID, item.Agent, item.Version, text))
	}
	return out, nil
}

func TestCaseFile(t *testing.T) {
	long := `{"case_id":"long","question":"` + strings.Repeat("x", 200_000) + `"}`
	for _, tc := range []struct {
		why, text string
		limit     int
		want      []string
	}{
		{"an empty file has no cases", "", 0, nil},
		{"blank lines are passed over and counted", "\n{\"case_id\":\"a\",\"question\":\"A?\"}\r\n \t\n\n{\"case_id\":\"b\",\"agent\":{\"name\":\"x\",\"version\":\"2\"}}", 0,
			[]string{"c.jsonl:2 a// A?", "c.jsonl:5 b/x/2 "}},
		{"a byte order mark", "\xef\xbb\xbf{\"case_id\":\"a\"}\n", 0, []string{"c.jsonl:1 a// "}},
		{"what cannot be read is an item", "{\"case_id\":\"a\"\n{\"case_id\":\"b\"}\n\x00\n", 0, []string{
			"c.jsonl:1 c.jsonl:1// invalid_argument: c.jsonl:1: case: the line ends within the object; is the file cut off, or does the object continue on the next line? jq -c . writes an object in one line",
			"c.jsonl:2 b// ",
			"c.jsonl:3 c.jsonl:3// invalid_argument: c.jsonl:3: case: expected a JSON object such as {\"case_id\": …}, found text",
		}},
		{"its id is kept where it can be read", `{"case_id":"a","agent":{"version":"3"},"expected":{"behaviour":"dance"}}`, 0, []string{
			`c.jsonl:1 a//3 invalid_argument: c.jsonl:1: case "a": expected.behaviour is "dance", expected answer, clarify or refuse`,
		}},
		{"a case without id", `{"question":"?"}`, 0, []string{"c.jsonl:1 c.jsonl:1// invalid_argument: c.jsonl:1: case: case_id is missing; expected a string that identifies the question"}},
		{"a long line within the bound, ended by the file", long + "\n" + long, 200_100, []string{
			"c.jsonl:1 long// " + strings.Repeat("x", 200_000), "c.jsonl:2 long// " + strings.Repeat("x", 200_000),
		}},
		{"a line beyond the bound, and the ones after it", long + "\n{\"case_id\":\"b\"}\n" + long, 1000, []string{
			"c.jsonl:1 c.jsonl:1// resource_exhausted: c.jsonl:1: the line has 200032 bytes, expected at most 1000",
			"c.jsonl:2 b// ",
			"c.jsonl:3 c.jsonl:3// resource_exhausted: c.jsonl:3: the line has 200032 bytes, expected at most 1000",
		}},
		{"a line of just the bound", `{"case_id":"ab"}` + "\n" + `{"case_id":"abc"}`, 16, []string{
			"c.jsonl:1 ab// ", "c.jsonl:2 c.jsonl:2// resource_exhausted: c.jsonl:2: the line has 17 bytes, expected at most 16",
		}},
	} {
		s := batch.FileSource{Path: write(t, "c.jsonl", tc.text), MaxLine: tc.limit}
		got, err := read(s)
		if err != nil {
			t.Errorf("%s: %v", tc.why, err)
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.why, diff)
		}
		if n, err := s.Count(context.Background()); err != nil || int(n) != len(tc.want) {
			t.Errorf("%s: Count is %d, %v; want %d", tc.why, n, err, len(tc.want))
		}
	}
}

func TestCaseFileThatIsNone(t *testing.T) {
	_, err := read(batch.FileSource{Path: filepath.Join(t.TempDir(), "no.jsonl")})
	if errcode.Of(err) != errcode.NotFound {
		t.Errorf("a missing file: %v", err)
	}
	if _, err = (batch.FileSource{Path: filepath.Join(t.TempDir(), "no.jsonl")}).Count(context.Background()); errcode.Of(err) != errcode.NotFound {
		t.Errorf("counting a missing file: %v", err)
	}
	_, err = read(batch.FileSource{Path: t.TempDir()})
	if errcode.Of(err) == errcode.OK {
		t.Error("a directory was read")
	}
	_, err = read(batch.FileSource{Path: write(t, "c.json", "[\n{\"case_id\":\"a\"}]")})
	if errcode.Of(err) != errcode.InvalidArgument || !strings.Contains(err.Error(), "found an array") {
		t.Errorf("a JSON array: %v; one clear error is better than one for every line", err)
	}
	for begins, want := range map[string]string{
		"\xff\xfe{\x00\"\x00": "UTF-16", "\xfe\xff\x00{\x00\"": "UTF-16", "\x1f\x8b\x08\x00": "gzip", "\x28\xb5\x2f\xfd\x04": "Zstandard", "PK\x03\x04": "ZIP", "PAR1\x15": "Parquet", "ARROW1\x00\x00": "an Arrow file",
	} {
		got, err := read(batch.FileSource{Path: write(t, "c.jsonl", begins+"\n{\"case_id\":\"a\"}\n")})
		if errcode.Of(err) != errcode.InvalidArgument || len(got) > 0 || !strings.Contains(err.Error(), "c.jsonl: expected JSON Lines in UTF-8, found ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %q and %v, want %s", begins, got, err, want)
		}
	}
}

func TestCasesFromAStream(t *testing.T) {
	s := batch.FileSource{Path: "stdin", In: strings.NewReader("{\"case_id\":\"a\"}\n")}
	if n, err := s.Count(context.Background()); n != 0 || err != nil {
		t.Errorf("Count is %d, %v: a stream must not be used up by counting", n, err)
	}
	got, err := read(s)
	if diff := cmp.Diff([]string{"stdin:1 a// "}, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if s.Dir() != "." || (batch.FileSource{Path: "/data/x/cases.jsonl"}).Dir() != "/data/x" {
		t.Error("references start from the case file's directory, those of a stream from the current one")
	}
}

// The same id several times in a file: none of the lines is scored, and one case says where they are.
// Another version of the agent is another answer.
func TestDuplicateCases(t *testing.T) {
	path := write(t, "c.jsonl", `{"case_id":"a"}
{"case_id":"a","agent":{"version":"2"}}
{"case_id":"a"}
{"case_id":"a","agent":{"version":"2","name":""}}
{"case_id":"b"}
{"case_id":"a"}
{"case_id":"a"}
`)
	l := &ledgertest.Memory{}
	r := batch.Runner{Engine: engineOf(t, scoring.Metric{Name: "m", Score: one}), Ordered: true}
	for _, part := range []string{"first", "resumed"} {
		o, err := r.Run(context.Background(), "r", batch.FileSource{Path: path}, l)
		if err != nil || o.Skipped+o.Done != 3 {
			t.Fatalf("%s: %v, %+v", part, err, o)
		}
	}
	var got []string
	for _, row := range l.Rows("r") {
		got = append(got, row.CaseID+": "+row.Score.Reason)
	}
	if diff := cmp.Diff([]string{
		`a: case "a" has 4 rows (c.jsonl:1, c.jsonl:3, c.jsonl:6, …), expected one; none of them is scored`,
		`a: case "a" of agent (no name) 2 has 2 rows (c.jsonl:2, c.jsonl:4), expected one; none of them is scored`,
		"b: ",
	}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What is read from a pipe can be read once: a line that repeats a case is found when that is scored
// already, and the run fails rather than that the first line counts.
func TestDuplicateCasesOfAPipe(t *testing.T) {
	r := batch.Runner{Engine: engineOf(t, scoring.Metric{Name: "m", Score: one})}
	_, err := r.Run(context.Background(), "r", batch.FileSource{Path: "stdin", In: strings.NewReader(`{"case_id":"a"}
{"case_id":"b"}
{"case_id":"a"}
`)}, &ledgertest.Memory{})
	if errcode.Of(err) != errcode.FailedPrecondition || !strings.Contains(err.Error(), `duplicate case "a" at stdin:3`) {
		t.Errorf("%v", err)
	}
}

// In whatever order the rows come: an answer that has one row is scored, one that has several is
// failed once, for the same reason, and counts as one.
func TestTheOrderOfRowsDecidesNothing(t *testing.T) {
	lines := []string{
		`{"case_id":"a","question":"1"}`, `{"case_id":"a","question":"0"}`, `{"case_id":"b","question":"1"}`, `{"case_id":"c","question":"0"}`,
		`{"case_id":"c","question":"1"}`, `{"case_id":"c","question":"0"}`, `{"case_id":"c","agent":{"version":"2"},"question":"0"}`,
	}
	said := func(_ context.Context, in *scoring.Input) (scoring.Score, error) {
		return scoring.OK(float64(len(strings.Trim(in.Case.Question, "0"))), ""), nil
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		rnd.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		l, told := &ledgertest.Memory{}, 0
		r := batch.Runner{Engine: engineOf(t, scoring.Metric{Name: "m", Score: said}), Scored: func(*scoring.Case, []scoring.Row) { told++ }}
		o, err := r.Run(context.Background(), "r", batch.FileSource{Path: write(t, "c.jsonl", strings.Join(lines, "\n"))}, l)
		if err != nil || o.Done != 4 || o.Failed != 2 || told != 4 {
			t.Fatalf("%v, %+v, %d cases told", err, o, told)
		}
		got := map[string]string{}
		for _, row := range l.Rows("r") {
			reason, _, _ := strings.Cut(row.Score.Reason, " (")
			got[row.CaseID+row.Version] = fmt.Sprint(row.Score.Status, " ", row.Score.Value, " ", reason)
		}
		if diff := cmp.Diff(map[string]string{"a": `failed 0 case "a" has 2 rows`, "b": "ok 1 ", "c": `failed 0 case "c" has 3 rows`, "c2": "ok 0 "}, got); diff != "" {
			t.Fatalf("of %q (-want +got):\n%s", lines, diff)
		}
	}
}

// Whatever bytes a file holds: every line that is not blank is one item, identified as the case it decodes to, and counting agrees.
func FuzzCaseFile(f *testing.F) {
	for _, s := range []string{
		`{"case_id":"a","agent":{"name":"x","version":"1"}}` + "\n", "\n\n{}", `{"CASE_ID":"a","Agent":{"NAME":"x"}}`, `{"case_id":"a","case_id":"b"}`,
		`{"case_id":"\u0061\ud800"}`, `{"case_id":null,"agent":null}`, `{"case_id":"a","agent":7}`, "\xef\xbb\xbf", "\xff\n\x00\n", strings.Repeat("x", 70000) + "\n{",
	} {
		f.Add([]byte(s), 100)
	}
	f.Fuzz(func(t *testing.T, data []byte, limit int) {
		limit = max(1, limit%1000)
		s := batch.FileSource{Path: "c", In: bytes.NewReader(data), MaxLine: limit}
		n := 0
		for item, err := range s.Cases(context.Background()) {
			if err != nil {
				return // an array
			}
			n++
			if item.CaseID == "" || item.Place == "" {
				t.Fatalf("item %d has no identity: %+v", n, item)
			}
			c, err := item.Load(context.Background())
			if err == nil && (c.ID != item.CaseID || c.Agent.Name != item.Agent || c.Agent.Version != item.Version) {
				t.Fatalf("%s is taken for %+v and decodes to %q %q %q", item.Place, item.AnswerID, c.ID, c.Agent.Name, c.Agent.Version)
			}
			if err != nil && !strings.HasPrefix(err.Error(), item.Place+": ") {
				t.Fatalf("the error does not name the line: %v", err)
			}
		}
		want := 0
		for i, l := range strings.Split(string(data), "\n") {
			if i == 0 && len(l) <= limit {
				l = strings.TrimPrefix(strings.TrimSpace(l), "\xef\xbb\xbf")
			}
			if strings.TrimSpace(l) != "" || len(l) > limit {
				want++
			}
		}
		if n != want {
			t.Fatalf("%d items of %d lines that are not blank", n, want)
		}
	})
}

// A CSV is told at its first line, not once a line.
func TestFileSourceTellsCSV(t *testing.T) {
	for text, refused := range map[string]bool{
		"id,question,sql\n1,why?,SELECT 1\n":   true,
		"\"id\";\"question\"\n1;2\n":           true,
		"\xef\xbb\xbfid\tsql\n1\t2\n":          true,
		"{\"case_id\":\"a\"}\n":                false,
		"{\"case_id\":\n{\"case_id\":\"a\"}\n": false,
		"\"a\"\n{\"case_id\":\"a\"}\n":         false,
	} {
		got := ""
		for _, err := range (batch.FileSource{Path: "cases.csv", In: strings.NewReader(text)}).Cases(t.Context()) {
			if err != nil {
				got = err.Error()
			}
		}
		if strings.Contains(got, "looks like the header of CSV") != refused {
			t.Errorf("%q: %q", text, got)
		}
	}
}
