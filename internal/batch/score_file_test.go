package batch_test

import (
	"bytes"
	"context"
	"encoding/json"
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
	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/scoring"
)

// scoreCase gives a score of every status, with values that depend on the case alone.
func scoreCase(_ context.Context, in *scoring.Input) (scoring.Score, error) {
	switch n := len(in.Case.Question) % 5; n {
	case 0:
		return scoring.Score{}, errcode.New(errcode.Unavailable, "judge down")
	case 1:
		return scoring.Abstain("tie"), nil
	default:
		s := scoring.OK(float64(n)/7, `3 of 4 rows agree; "名" differs <&>`)
		s.Detail = map[string]any{"n": n, "big": uint64(1<<63 + 1)}
		return s, nil
	}
}

func fileWorld(t testing.TB, cases int) (*scoring.Engine, batch.FileSource) {
	t.Helper()
	e := engineOf(t,
		scoring.Metric{Name: "m", Score: scoreCase, Threshold: scoring.At(0.5)},
		scoring.Metric{Name: "sql", Needs: scoring.FieldGoldSQL, Score: scoreCase},
		scoring.Metric{Name: "n", Version: 3, Score: scoreCase},
	)
	var b strings.Builder
	for i := range cases {
		switch i {
		case 3:
			b.WriteString("{torn\n")
		case 6:
			fmt.Fprintf(&b, `{"case_id":"q2","agent":{"name":"atlas","version":"1.0"}}`+"\n")
		default:
			fmt.Fprintf(&b, `{"case_id":"q%d","question":%q,"agent":{"name":"atlas","version":"1.0","batch_id":"b"}}`+"\n", i, strings.Repeat("?", i))
		}
	}
	return e, batch.FileSource{Path: write(t, "cases.jsonl", b.String())}
}

func text(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func scoreInto(t testing.TB, path string, e *scoring.Engine, src batch.Source) batch.Outcome {
	t.Helper()
	f, err := batch.OpenScoreFile(path)
	if err != nil {
		t.Fatal(err)
	}
	o, err := batch.Runner{Engine: e, Ordered: true}.Run(context.Background(), "", src, f)
	if err != nil {
		t.Fatal(err)
	}
	f.Kill()
	return o
}

// A process can be killed with any number of bytes on the disk. From each of them the next one
// comes to the same file. Unless tests are thorough, of the cuts within a line one in eight is tried.
func TestScoreFileCutAtEveryByte(t *testing.T) {
	e, src := fileWorld(t, 7)
	path := filepath.Join(t.TempDir(), "scores.jsonl")
	scoreInto(t, path, e, src)
	whole := text(t, path)
	if n := strings.Count(whole, "\n"); n != 21 {
		t.Fatalf("%d lines, want 21: 7 cases, 3 metrics", n)
	}
	for cut := range len(whole) + 1 {
		within := !strings.HasSuffix(whole[:cut], "\n") && !strings.HasPrefix(whole[cut:], "\n")
		if within && cut%97 != 0 && !sample.Takes(cut, len(whole)+1, 8) {
			continue
		}
		for _, tail := range []string{"", "\x00\x00\x00"} { // blocks that were made and not written
			if tail != "" && cut%97 != 0 {
				continue
			}
			if err := os.WriteFile(path, []byte(whole[:cut]+tail), 0o600); err != nil {
				t.Fatal(err)
			}
			o := scoreInto(t, path, e, src)
			if got := text(t, path); got != whole {
				t.Fatalf("cut at byte %d of %d:\n%s", cut, len(whole), cmp.Diff(whole, got))
			}
			// Whole lines are never scored again, nor a last one that lacks nothing but its line
			// feed.
			have := strings.Count(whole[:cut], "\n")
			if strings.HasPrefix(whole[cut:], "\n") && tail == "" {
				have++
			}
			if int(o.Scores) != 21-have {
				t.Fatalf("cut at byte %d: %d scores were made, want %d", cut, o.Scores, 21-have)
			}
		}
	}
}

func TestScoreFileLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	f := openFile(t, path)
	passed := false
	s := scoring.OK(0.75, "3 of 4")
	s.Metric, s.Version, s.Passed, s.Detail = "hybrid_ex", 1, &passed, json.RawMessage(`{"n":9007199254740993}`)
	failed := scoring.Fail(errcode.New(errcode.Unavailable, "judge down"))
	failed.Metric, failed.Version = "rose", 2
	rows := []scoring.Row{{AnswerID: scoring.AnswerID{CaseID: "q1", By: scoring.By{Agent: "atlas", Version: "2.0", Batch: "b1"}}, Score: s}, {AnswerID: scoring.AnswerID{CaseID: "q1"}, Score: failed}}
	rows = append(rows, rows[0])
	rows[2].Repeat, rows[2].Score.Detail = 2, nil // of the same names, and yet not a newer score of the first row
	if err := f.Append(context.Background(), "", rows); err != nil {
		t.Fatal(err)
	}
	want := `{"case_id":"q1","metric":"hybrid_ex","metric_version":1,"agent_name":"atlas","agent_version":"2.0","batch_id":"b1","status":"ok","value":0.75,"passed":false,"reason":"3 of 4","detail":{"n":9007199254740993}}
{"case_id":"q1","metric":"rose","metric_version":2,"status":"failed","value":null,"passed":null,"reason":"judge down","code":"unavailable"}
{"case_id":"q1","metric":"hybrid_ex","metric_version":1,"agent_name":"atlas","agent_version":"2.0","batch_id":"b1","repeat":2,"status":"ok","value":0.75,"passed":false,"reason":"3 of 4"}
`
	if diff := cmp.Diff(want, text(t, path)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var got []scoring.Row
	for r, err := range f.Rows(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, r)
	}
	if diff := cmp.Diff(rows, got); diff != "" {
		t.Errorf("read back (-written +read):\n%s", diff)
	}
}

func TestScoreFileThatIsNone(t *testing.T) {
	good := `{"case_id":"a","metric":"m","metric_version":1,"status":"ok","value":1,"passed":null,"reason":""}` + "\n"
	for _, tc := range []struct{ why, text, want string }{
		{"another JSON Lines file", good + `{"question":"?"}` + "\n", "s.jsonl:2: expected a score"},
		{"a case file", `{"case_id":"a","question":"?"}` + "\n", `s.jsonl:1: expected a score: status is ""`},
		{"a torn line within", `{"case_id":"a","met` + "\n" + good, "s.jsonl:1: expected a score"},
		{"a text without line feed", "my notes", "s.jsonl: the last line is not a score"},
		{"an unknown status", strings.ReplaceAll(good, `"ok"`, `"fine"`), `status is "fine"`},
	} {
		path := write(t, "s.jsonl", tc.text)
		e, src := fileWorld(t, 3)
		f, err := batch.OpenScoreFile(path)
		if err == nil {
			_, err = batch.Runner{Engine: e}.Run(context.Background(), "", src, f)
			f.Kill()
		}
		if errcode.Of(err) != errcode.DataLoss || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", tc.why, err, tc.want)
		}
		if text(t, path) != tc.text {
			t.Errorf("%s: the file was changed", tc.why)
		}
	}
	if _, err := batch.OpenScoreFile(filepath.Join(t.TempDir(), "no", "s.jsonl")); errcode.Of(err) != errcode.NotFound {
		t.Errorf("a directory that is not there: %v", err)
	}
	f, err := batch.CreateScoreFile(write(t, "s.jsonl", good))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // only a test
	for range f.Held(context.Background(), "") {
		t.Error("a file that was made anew holds something")
	}
}

func TestScoreFileOnAFullDisk(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no /dev/full here")
	}
	f, err := batch.CreateScoreFile("/dev/full")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // nothing was written
	e, src := fileWorld(t, 3)
	o, err := batch.Runner{Engine: e}.Run(context.Background(), "", src, f)
	if errcode.Of(err) != errcode.ResourceExhausted || o.Done != 0 || o.Complete {
		t.Errorf("%v, %+v; want resource_exhausted and nothing done", err, o)
	}
}

// Runs that are cut at random, with failed scores scored again, end in the bytes of one that went through, once they are arranged.
func TestArrange(t *testing.T) {
	e, src := fileWorld(t, 30)
	metrics, err := batch.Runner{Engine: e}.Selection()
	if err != nil {
		t.Fatal(err)
	}
	plain := filepath.Join(t.TempDir(), "plain.jsonl")
	scoreInto(t, plain, e, src)
	want := text(t, plain)
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 2))
		path := filepath.Join(t.TempDir(), "s.jsonl")
		for complete := false; !complete; {
			ctx, cancel := context.WithCancel(context.Background())
			left := random.IntN(12)
			r := batch.Runner{Engine: e, Concurrency: 1 + random.IntN(8), BatchSize: 1 + random.IntN(3), RetryFailed: random.IntN(2) == 0}
			r.Scored = func(*scoring.Case, []scoring.Row) {
				if left--; left == 0 {
					cancel()
				}
			}
			if random.IntN(3) == 0 {
				r.Metrics = []string{"n"}
			}
			f, err := batch.OpenScoreFile(path)
			if err != nil {
				t.Fatal(err)
			}
			o, _ := r.Run(ctx, "", src, f)
			complete = o.Complete && len(r.Metrics) == 0
			if complete {
				if err := f.Arrange(context.Background(), src, metrics); err != nil {
					t.Fatal(err)
				}
				if f.Append(context.Background(), "", []scoring.Row{{AnswerID: scoring.AnswerID{CaseID: "late"}, Score: scoring.Score{Metric: "m", Status: scoring.StatusOK}}}) != nil {
					t.Error("an arranged file takes no more rows")
				}
			}
			cancel()
			f.Kill()
		}
		got, late, _ := strings.Cut(text(t, path), `{"case_id":"late"`)
		if got != want || late == "" {
			t.Errorf("seed %d:\n%s", seed, cmp.Diff(want, got))
		}
		left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*"))
		if len(left) > 0 {
			t.Errorf("seed %d: %v is left behind", seed, left)
		}
	}
}

func TestArrangeKeepsWhatTheSourceLacks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	f := openFile(t, path)
	row := func(id, metric string) scoring.Row {
		return scoring.Row{AnswerID: scoring.AnswerID{CaseID: id}, Score: scoring.Score{Metric: metric, Version: 1, Status: scoring.StatusOK}}
	}
	if err := f.Append(context.Background(), "", []scoring.Row{row("x", "m"), row("q001", "old"), row("q001", "m"), row("q000", "m"), row("x", "n")}); err != nil {
		t.Fatal(err)
	}
	metrics, err := batch.Runner{Engine: engineOf(t, scoring.Metric{Name: "m", Score: one})}.Selection()
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Arrange(context.Background(), numbered(3), metrics); err != nil {
		t.Fatal(err)
	}
	var got []string
	for r, err := range f.Rows(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, r.CaseID+" "+r.Score.Metric)
	}
	if diff := cmp.Diff([]string{"q000 m", "q001 m", "q001 old", "x m", "x n"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Whatever a score file holds: opening or reading it ends in an error that leaves whole lines alone, or every line is a score.
func FuzzScoreFile(f *testing.F) {
	good := `{"case_id":"a","metric":"m","metric_version":1,"status":"ok","value":1,"passed":null,"reason":""}` + "\n"
	for _, s := range []string{
		good, good + good[:20], good + "\n" + good, "", "\x00", good + "{}", `{"case_id":"a","metric":"m","status":"failed","value":2}` + "\n",
		`{"value":1,"case_id":",\"value\":","metric":"m","status":"ok"}` + "\n" + good, good[:len(good)-1], good + strings.Repeat("\x00", 70000),
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		path := write(t, "s", string(data))
		whole := data[:bytes.LastIndexByte(data, '\n')+1]
		defer func() {
			if !strings.HasPrefix(text(t, path), string(whole)) {
				t.Fatal("whole lines were changed")
			}
		}()
		s, err := batch.OpenScoreFile(path)
		if err != nil {
			if errcode.Of(err) != errcode.DataLoss || text(t, path) != string(data) {
				t.Fatalf("%v, and the file changed: %v", err, text(t, path) != string(data))
			}
			return
		}
		defer s.Kill()
		n := 0
		for d, err := range s.Held(context.Background(), "") {
			if err != nil {
				if errcode.Of(err) != errcode.DataLoss {
					t.Fatal(err)
				}
				return
			}
			if n++; d.CaseID == "" {
				t.Fatalf("%+v has no case", d)
			}
		}
		keys := map[batch.Key]bool{}
		for r, err := range s.Rows(context.Background()) {
			if err != nil {
				t.Fatal(err)
			}
			keys[batch.KeyOf(&r)] = true
		}
		if len(keys) != n {
			t.Fatalf("%d scores are held of %d keys", n, len(keys))
		}
	})
}

func okRow(id, metric string) scoring.Row {
	return scoring.Row{AnswerID: scoring.AnswerID{CaseID: id}, Score: scoring.Score{Metric: metric, Version: 1, Status: scoring.StatusOK, Value: 1}}
}

// A disk that fills up in the middle of a line leaves whole lines, those of the appends before, and the run says why it ended.
func TestDiskThatFillsUp(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	f := openFile(t, path)
	if err := f.Append(context.Background(), "", []scoring.Row{okRow("a", "m")}); err != nil {
		t.Fatal(err)
	}
	before := text(t, path)
	for room := range 2 * len(before) {
		f.FillDisk(room)
		err := f.Append(context.Background(), "", []scoring.Row{okRow("b", "m"), okRow("c", "m")})
		if errcode.Of(err) != errcode.ResourceExhausted {
			t.Fatalf("room for %d bytes: %v", room, err)
		}
		if got := text(t, path); got != before {
			t.Fatalf("room for %d bytes: the file holds\n%s", room, got)
		}
	}
}

func TestATornLineIsGoneOnceTheFileIsOpen(t *testing.T) {
	whole := `{"case_id":"a","metric":"m","metric_version":1,"status":"ok","value":1,"passed":null,"reason":""}` + "\n"
	path := write(t, "s.jsonl", whole+whole[:50])
	openFile(t, path)
	if got := text(t, path); got != whole {
		t.Errorf("the file holds\n%s", got)
	}
}

func TestArrangeKeepsTheLastScoreOfAKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	f := openFile(t, path)
	failed := scoring.Row{Score: scoring.Fail(errcode.New(errcode.Unavailable, "judge down"))}
	failed.CaseID, failed.Score.Metric, failed.Score.Version = "q000", "m", 1
	for _, r := range []scoring.Row{failed, okRow("q001", "m"), okRow("q000", "m")} {
		if err := f.Append(context.Background(), "", []scoring.Row{r}); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Arrange(context.Background(), numbered(2), nil); err != nil {
		t.Fatal(err)
	}
	var got []string
	for r, err := range f.Rows(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprint(r.CaseID, " ", r.Score.Status))
	}
	if diff := cmp.Diff([]string{"q000 ok", "q001 ok"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// If a run writes to two ledgers and was killed between them, the one that fell behind catches up, and so does a failure that only one of
// them knows to be mended.
func TestTeeCatchesUp(t *testing.T) {
	e := engineOf(t, scoring.Metric{Name: "m", Score: one})
	failed := okRow("q001", "m")
	failed.Score.Status = scoring.StatusFailed
	ahead, behind := &ledgertest.Memory{}, &ledgertest.Memory{}
	for l, rows := range map[*ledgertest.Memory][]scoring.Row{
		ahead:  {okRow("q000", "m"), okRow("q001", "m"), okRow("q002", "m")},
		behind: {okRow("q000", "m"), failed},
	} {
		if err := l.Append(context.Background(), "r", rows); err != nil {
			t.Fatal(err)
		}
	}
	for _, l := range []batch.Ledger{batch.Tee(ahead, behind), batch.Tee(behind, ahead)} {
		done := map[string]scoring.Status{}
		for d, err := range l.Held(context.Background(), "r") {
			if err != nil {
				t.Fatal(err)
			}
			done[d.CaseID] = d.Score.Status
		}
		if diff := cmp.Diff(map[string]scoring.Status{"q000": scoring.StatusOK}, done); diff != "" {
			t.Errorf("done (-want +got):\n%s", diff)
		}
	}
	o, err := batch.Runner{Engine: e, RetryFailed: true}.Run(context.Background(), "r", numbered(3), batch.Tee(ahead, behind))
	if err != nil || o.Done != 2 || o.Skipped != 1 {
		t.Errorf("%v, %+v; want 2 done, 1 skipped", err, o)
	}
	for _, l := range []*ledgertest.Memory{ahead, behind} {
		if n := len(l.Rows("r")); n != 3 {
			t.Errorf("%d scores, want 3", n)
		}
	}
	if _, err = (batch.Runner{Engine: e}).Run(context.Background(), "r", numbered(1), batch.Tee(ahead, brokenLedger{behind})); errcode.Of(err) != errcode.FailedPrecondition {
		t.Errorf("a ledger that cannot be read: %v", err)
	}
}

// A file may hold a key twice; the last line counts, whichever way it went.
func TestTheLastOfEqualKeysCounts(t *testing.T) {
	failed := okRow("q000", "m")
	failed.Score.Status, failed.Score.Reason = scoring.StatusFailed, "judge down"
	for _, tc := range []struct {
		why  string
		rows []scoring.Row
		done int64
	}{
		{"failed, then scored", []scoring.Row{failed, okRow("q000", "m")}, 0},
		{"scored, then failed", []scoring.Row{okRow("q000", "m"), failed}, 1},
	} {
		f := openFile(t, filepath.Join(t.TempDir(), "s.jsonl"))
		if err := f.Append(context.Background(), "", tc.rows); err != nil {
			t.Fatal(err)
		}
		o, err := batch.Runner{Engine: engineOf(t, scoring.Metric{Name: "m", Score: one}), RetryFailed: true}.Run(context.Background(), "", numbered(1), f)
		if err != nil || o.Done != tc.done {
			t.Errorf("%s: %d done, %v; want %d", tc.why, o.Done, err, tc.done)
		}
	}
}
