package submission

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/errcode"
)

// fakeWork reads case files, and evaluates by waiting until the test lets it go on.
type fakeWork struct {
	mu     sync.Mutex
	began  chan string      // run IDs, as they begin
	finish chan error       // what the run at work returns
	deaf   bool             // a run that is asked to stop waits for its cases in flight
	atWork int              // runs at work
	most   int              // most of them together
	files  map[string]int64 // sizes of the case files of runs, by run
}

func newFakeWork() *fakeWork {
	return &fakeWork{began: make(chan string, 20), finish: make(chan error), files: map[string]int64{}}
}

func (*fakeWork) Offer() Offer { return Offer{Budget: "200k"} }

func (*fakeWork) Check(c Choice) error {
	if len(c.Metrics) > 0 && c.Metrics[0] == "nosuch" {
		return errcode.New(errcode.InvalidArgument, "metrics: unknown metric")
	}
	return nil
}

func (*fakeWork) Cases(_ context.Context, s *Submission) (batch.Source, error) {
	return batch.FileSource{Path: s.Path}, nil
}

func (*fakeWork) Estimate(context.Context, *Submission) (*Estimate, error) {
	return &Estimate{Calls: 7}, nil
}

func (f *fakeWork) Evaluate(ctx context.Context, s *Submission, stop <-chan struct{}, progress func(batch.Progress)) error {
	f.mu.Lock()
	f.atWork++
	f.most = max(f.most, f.atWork)
	if info, err := os.Stat(s.Path); err == nil {
		f.files[s.Run] = info.Size()
	}
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		f.atWork--
		f.mu.Unlock()
	}()
	progress(batch.Progress{Done: 1, Total: 2})
	f.began <- s.Run
	select {
	case err := <-f.finish:
		if errors.Is(err, errPanic) {
			panic("the fake panics")
		}
		return err
	case <-stop:
		if f.deaf {
			<-ctx.Done()
		}
		return errcode.New(errcode.Cancelled, "interrupted: 1 answer is scored")
	case <-ctx.Done():
		return errcode.New(errcode.Cancelled, "cut")
	}
}

var errPanic = errors.New("panic")

// harness is a desk with a clock and runs named r1, r2 and so on.
type harness struct {
	*Desk
	t    *testing.T
	work *fakeWork
	o    Options
	now  time.Time
	runs int
}

func newHarness(t *testing.T, c Config) *harness {
	t.Helper()
	h := &harness{t: t, work: newFakeWork(), now: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)}
	var mu sync.Mutex
	if c.Dir == "" {
		c.Dir = filepath.Join(t.TempDir(), "desk")
	}
	h.o = Options{Config: c, Work: h.work, Log: slog.New(slog.DiscardHandler),
		Now: func() time.Time {
			mu.Lock()
			defer mu.Unlock()
			h.now = h.now.Add(time.Second)
			return h.now
		},
		NewRun: func(time.Time) string { h.runs++; return fmt.Sprintf("r%d", h.runs) },
	}
	h.open()
	return h
}

func (h *harness) open() {
	h.t.Helper()
	var err error
	if h.Desk, err = Open(h.o); err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(h.Desk.Close)
}

var kim, lee, root = Caller{Name: "kim"}, Caller{Name: "lee"}, Caller{Name: "root", Admin: true}

// id is a valid identifier.
func id(n int) string { return fmt.Sprintf("submission%010d", n) }

const twoCases = `{"case_id": "q1", "question": "How many?", "gold": {"sql": "SELECT 1", "result": {"columns": ["n"], "rows": [[1]]}}, "agent": {"name": "a", "version": "1", "sql": "SELECT 1", "result": {"columns": ["n"], "rows": [[1]]}}}
{"case_id": "q2", "agent": {"name": "a", "version": "1", "sql": "SELECT 2"}}
`

func (h *harness) upload(n int, who Caller) Submission {
	h.t.Helper()
	s, err := h.Upload(h.t.Context(), who, id(n), "cases.jsonl", strings.NewReader(twoCases))
	if err != nil {
		h.t.Fatal(err)
	}
	return s
}

// is waits until a submission has a status.
func (h *harness) is(n int, want Status) Submission {
	h.t.Helper()
	for range 500 {
		s, _, err := h.Get(root, id(n))
		if err != nil {
			h.t.Fatal(err)
		}
		if s.Status == want {
			return s
		}
		time.Sleep(10 * time.Millisecond)
	}
	s, _, _ := h.Get(root, id(n))
	h.t.Fatalf("submission %d is %s (%s), want %s", n, s.Status, s.Why, want)
	return s
}

// files are the names of the files of a submission with their modes.
func (h *harness) files(n int) map[string]fs.FileMode {
	out := map[string]fs.FileMode{}
	entries, _ := os.ReadDir(filepath.Join(h.o.Dir, id(n)))
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			out[e.Name()] = info.Mode().Perm()
		}
	}
	return out
}

func zipped(t *testing.T, text string) *bytes.Buffer {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return &b
}

func TestUploadRunAndResult(t *testing.T) {
	t.Parallel()
	h := newHarness(t, Config{})
	s := h.upload(1, kim)
	if s.Status != Draft || s.Understood.Answers != 2 || s.Understood.NoGold != 1 || s.Understood.Unrun != 1 || s.Bytes != int64(len(twoCases)) {
		t.Errorf("uploaded: %+v %+v", s, s.Understood)
	}
	if got := h.files(1); got[caseFile] != 0o600 || got[stateFile] != 0o600 || len(got) != 2 {
		t.Errorf("files %v", got)
	}
	if info, err := os.Stat(filepath.Join(h.o.Dir, id(1))); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("directory: %v %v", info, err)
	}
	if err := h.Choose(t.Context(), kim, id(1), Choice{Judge: true, Budget: "1k"}); err != nil {
		t.Fatal(err)
	}
	if s, _, _ := h.Get(kim, id(1)); s.Estimate == nil || s.Estimate.Calls != 7 || !s.Choice.Judge {
		t.Errorf("estimated: %+v", s)
	}
	if err := h.Start(kim, id(1), Choice{}); err != nil {
		t.Fatal(err)
	}
	<-h.work.began
	if s := h.is(1, Running); s.Run != "r1" || s.Progress.Done != 1 {
		t.Errorf("at work: %+v", s)
	}
	h.work.finish <- nil
	if s := h.is(1, Done); s.Ended.IsZero() || s.Why != "" {
		t.Errorf("done: %+v", s)
	}
	if got := h.files(1); len(got) != 1 || got[stateFile] == 0 {
		t.Errorf("files after the run: %v", got)
	}
	if h.work.files["r1"] != int64(len(twoCases)) {
		t.Errorf("the run saw a file of %d bytes", h.work.files["r1"])
	}
}

// Each limit, from both sides. Nothing is left of what is rejected.
func TestUploadLimits(t *testing.T) {
	t.Parallel()
	h := newHarness(t, Config{UploadBytes: 1000, CaseBytes: 2000})
	padded := func(n int) string { return twoCases + strings.Repeat(" ", n-len(twoCases)) }
	bomb := zipped(t, strings.Repeat(" ", 1<<20)) // a thousand bytes that expand to a million
	if bomb.Len() > 2000 {
		t.Fatalf("the bomb has %d bytes", bomb.Len())
	}
	small := zipped(t, strings.Repeat("\n", 5_000))
	for i, tc := range []struct {
		why  string
		file io.Reader
		want errcode.Code
	}{
		{"as many bytes as are allowed", strings.NewReader(padded(1000)), errcode.OK},
		{"one byte too many", strings.NewReader(padded(1001)), errcode.ResourceExhausted},
		{"compressed, as many bytes as are allowed", zipped(t, padded(2000)), errcode.OK},
		{"compressed, one byte too many", zipped(t, padded(2001)), errcode.ResourceExhausted},
		{"a bomb", small, errcode.ResourceExhausted},
		{"a bomb larger than an upload", bomb, errcode.ResourceExhausted},
		{"no gzip after its first bytes", strings.NewReader("\x1f\x8b\x08 nothing"), errcode.InvalidArgument},
		{"cut gzip", bytes.NewReader(zipped(t, padded(1500)).Bytes()[:60]), errcode.InvalidArgument},
		{"nothing", strings.NewReader(""), errcode.InvalidArgument},
		{"blank lines", strings.NewReader("\n\n"), errcode.InvalidArgument},
		{"CSV", strings.NewReader("case_id,sql\nq1,SELECT 1\n"), errcode.InvalidArgument},
		{"gzip within gzip", zipped(t, zipped(t, twoCases).String()), errcode.InvalidArgument},
		{"a lost connection", io.MultiReader(strings.NewReader(twoCases[:50]), failing{}), errcode.Unavailable},
	} {
		_, err := h.Upload(t.Context(), kim, id(i), "cases.jsonl", tc.file)
		if errcode.Of(err) != tc.want {
			t.Errorf("%s: %v, want %s", tc.why, err, tc.want)
		}
		_, _, there := h.Get(kim, id(i))
		if (there == nil) != (tc.want == errcode.OK) || (len(h.files(i)) > 0) != (tc.want == errcode.OK) {
			t.Errorf("%s: found %v, files %v", tc.why, there, h.files(i))
		}
		if err != nil && strings.Contains(err.Error(), h.o.Dir) {
			t.Errorf("%s: the error shows a path: %v", tc.why, err)
		}
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestIdentifiers(t *testing.T) {
	t.Parallel()
	h := newHarness(t, Config{})
	for _, bad := range []string{"", "short", "../../../../etc/passwd", "/etc/cron.d/xxxxxxxxxxx", "UPPERCASEUPPERCASE", "with space with space", strings.Repeat("a", 41), "a\x00aaaaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaa/b"} {
		if _, err := h.Upload(t.Context(), kim, bad, "x", strings.NewReader(twoCases)); errcode.Of(err) != errcode.InvalidArgument {
			t.Errorf("%q: %v", bad, err)
		}
	}
	for _, good := range []string{strings.Repeat("a", 16), strings.Repeat("0", 40)} {
		if _, err := h.Upload(t.Context(), kim, good, "x", strings.NewReader(twoCases)); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	entries, _ := os.ReadDir(h.o.Dir)
	if len(entries) != 3 { // and the lock
		t.Errorf("%d entries in the directory", len(entries))
	}
}

func TestFileNamesAreForDisplayOnly(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"cases.jsonl": "cases.jsonl", "../../etc/passwd": "passwd", `C:\data\night.jsonl.gz`: "night.jsonl.gz", "": "cases", "..": "..", "/": "cases", ".": "cases",
		"a\x00b\x1b[31m\u202egpj.jsonl": "ab[31mgpj.jsonl", "<script>.jsonl": "<script>.jsonl", "\xff\xfe.jsonl": ".jsonl", "  ": "cases",
		strings.Repeat("ü", 100): strings.Repeat("ü", 79) + "…",
	} {
		if got := displayName(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

// A form that is sent twice is one submission, and a run that is started twice one run.
func TestDoubleSubmit(t *testing.T) {
	t.Parallel()
	h := newHarness(t, Config{})
	first := h.upload(1, kim)
	again, err := h.Upload(t.Context(), kim, id(1), "other.jsonl", strings.NewReader("{}"))
	if err != nil || again.Created != first.Created || again.Name != first.Name {
		t.Errorf("%+v %v", again, err)
	}
	if _, err := h.Upload(t.Context(), lee, id(1), "other.jsonl", strings.NewReader(twoCases)); errcode.Of(err) != errcode.AlreadyExists {
		t.Errorf("another's identifier: %v", err)
	}
	for range 2 {
		if err := h.Start(kim, id(1), Choice{}); err != nil {
			t.Fatal(err)
		}
	}
	<-h.work.began
	if err := h.Start(kim, id(1), Choice{}); err != nil {
		t.Errorf("started while it runs: %v", err)
	}
	h.work.finish <- nil
	h.is(1, Done)
	if err := h.Start(kim, id(1), Choice{}); errcode.Of(err) != errcode.FailedPrecondition || h.runs != 1 {
		t.Errorf("started after the end: %v, %d runs", err, h.runs)
	}
}

func TestOthersSubmissionsAreNotFound(t *testing.T) {
	t.Parallel()
	h := newHarness(t, Config{})
	h.upload(1, kim)
	for name, err := range map[string]error{
		"start": h.Start(lee, id(1), Choice{}), "cancel": h.Cancel(lee, id(1)), "discard": h.Discard(lee, id(1)), "resume": h.Resume(lee, id(1)),
		"choose": h.Choose(t.Context(), lee, id(1), Choice{}), "nobody": h.Cancel(Caller{}, id(1)),
	} {
		if errcode.Of(err) != errcode.NotFound {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(h.List(lee)) != 0 || len(h.List(kim)) != 1 || len(h.List(root)) != 1 {
		t.Errorf("lists: %d %d %d", len(h.List(lee)), len(h.List(kim)), len(h.List(root)))
	}
	if err := h.Discard(root, id(1)); err != nil || len(h.files(1)) != 0 {
		t.Errorf("discarded by an admin: %v %v", err, h.files(1))
	}
}

// Runs come one at a time and in order, and the queue has a limit.
func TestQueue(t *testing.T) {
	t.Parallel()
	h := newHarness(t, Config{Waiting: 2})
	for n := 1; n <= 4; n++ {
		h.upload(n, kim)
	}
	start := func(n int) error { return h.Start(kim, id(n), Choice{}) }
	if err := start(1); err != nil {
		t.Fatal(err)
	}
	<-h.work.began
	if err := errors.Join(start(2), start(3)); err != nil {
		t.Fatal(err)
	}
	if err := start(4); errcode.Of(err) != errcode.FailedPrecondition {
		t.Errorf("one too many: %v", err)
	}
	if s, before, _ := h.Get(kim, id(3)); before != 2 || s.Status != Waiting {
		t.Errorf("the third waits for %d runs, %s", before, s.Status)
	}
	if err := h.Cancel(kim, id(2)); err != nil || len(h.files(2)) != 1 {
		t.Errorf("cancelled: %v %v", err, h.files(2))
	}
	h.is(2, Cancelled)
	if err := start(4); err != nil {
		t.Errorf("there is room again: %v", err)
	}
	h.work.finish <- nil
	if run := <-h.work.began; run != "r3" {
		t.Errorf("%s runs, want r3", run)
	}
	h.work.finish <- errcode.New(errcode.Unavailable, "the warehouse is away")
	<-h.work.began
	if s := h.is(3, Failed); s.Why != "the warehouse is away" || len(h.files(3)) != 1 {
		t.Errorf("failed: %+v %v", s, h.files(3))
	}
	h.work.finish <- errPanic
	if s := h.is(4, Failed); !strings.Contains(s.Why, "bug in badger") {
		t.Errorf("panicked: %+v", s)
	}
	h.upload(5, kim) // the desk goes on
	if err := start(5); err != nil {
		t.Fatal(err)
	}
	<-h.work.began
	h.work.finish <- errors.New("/secret/path: disk on fire")
	if s := h.is(5, Failed); strings.Contains(s.Why, "secret") {
		t.Errorf("an internal error is shown: %s", s.Why)
	}
	if h.work.most != 1 {
		t.Errorf("%d runs at work together", h.work.most)
	}
}

func TestCancelRunning(t *testing.T) {
	t.Parallel()
	h := newHarness(t, Config{})
	h.upload(1, kim)
	if err := h.Cancel(kim, id(1)); errcode.Of(err) != errcode.FailedPrecondition {
		t.Errorf("a draft: %v", err)
	}
	if err := h.Start(kim, id(1), Choice{}); err != nil {
		t.Fatal(err)
	}
	<-h.work.began
	if err := h.Discard(kim, id(1)); errcode.Of(err) != errcode.FailedPrecondition {
		t.Errorf("discarded while it runs: %v", err)
	}
	for range 2 {
		if err := h.Cancel(kim, id(1)); err != nil {
			t.Fatal(err)
		}
	}
	if s := h.is(1, Cancelled); s.Why != "" || len(h.files(1)) != 1 {
		t.Errorf("%+v %v", s, h.files(1))
	}
	if err := errors.Join(h.Cancel(kim, id(1)), h.Discard(kim, id(1))); err != nil || len(h.files(1)) != 0 {
		t.Errorf("%v %v", err, h.files(1))
	}
	if err := h.Resume(kim, id(1)); errcode.Of(err) != errcode.NotFound {
		t.Errorf("%v", err)
	}
}

// The first cancellation lets cases in flight finish; the second one cancels them, and those of no other run.
func TestCancelTwice(t *testing.T) {
	t.Parallel()
	h := newHarness(t, Config{})
	h.work.deaf = true
	for i := 1; i <= 2; i++ {
		h.upload(i, kim)
		if err := h.Start(kim, id(i), Choice{}); err != nil {
			t.Fatal(err)
		}
	}
	<-h.work.began
	if err := h.Cancel(kim, id(1)); err != nil {
		t.Fatal(err)
	}
	if s := h.is(1, Running); !s.Stopping {
		t.Errorf("after the first cancellation: %+v", s)
	}
	if err := h.Cancel(kim, id(1)); err != nil {
		t.Fatal(err)
	}
	h.is(1, Cancelled)
	<-h.work.began // of the next run
	h.work.finish <- nil
	h.is(2, Done)
}

// When the server stops, the run at work and the waiting ones are interrupted, keep their files and can be resumed
// under the same run.
func TestCloseAndResume(t *testing.T) {
	t.Parallel()
	h := newHarness(t, Config{})
	h.upload(1, kim)
	h.upload(2, kim)
	if err := errors.Join(h.Start(kim, id(1), Choice{Budget: "5k"}), h.Start(kim, id(2), Choice{})); err != nil {
		t.Fatal(err)
	}
	<-h.work.began
	if _, err := Open(h.o); errcode.Of(err) != errcode.FailedPrecondition {
		t.Errorf("a second process: %v", err)
	}
	h.Desk.Close()
	h.Desk.Close() // harmless
	h.open()
	for n := 1; n <= 2; n++ {
		s := h.is(n, Interrupted)
		if s.Why == "" || h.files(n)[caseFile] != 0o600 {
			t.Errorf("%d: %+v %v", n, s, h.files(n))
		}
	}
	if err := h.Start(kim, id(1), Choice{}); errcode.Of(err) != errcode.FailedPrecondition {
		t.Errorf("an interrupted one is resumed, not started: %v", err)
	}
	if err := h.Resume(kim, id(1)); err != nil {
		t.Fatal(err)
	}
	if run := <-h.work.began; run != "r1" {
		t.Errorf("resumed as %s", run)
	}
	h.work.finish <- nil
	if s := h.is(1, Done); s.Choice.Budget != "5k" || len(h.files(1)) != 1 {
		t.Errorf("%+v %v", s, h.files(1))
	}
	if err := h.Discard(kim, id(2)); err != nil || len(h.files(2)) != 0 {
		t.Errorf("%v %v", err, h.files(2))
	}
}

// A process that was killed leaves states and files as they are: a run at work, a half upload, a broken state.
func TestAfterACrash(t *testing.T) {
	t.Parallel()
	h := newHarness(t, Config{})
	h.upload(1, kim)
	h.upload(2, kim)
	h.Desk.Close()
	write := func(n int, name, text string) {
		t.Helper()
		dir := filepath.Join(h.o.Dir, id(n))
		if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	state, err := os.ReadFile(filepath.Join(h.o.Dir, id(1), stateFile))
	if err != nil {
		t.Fatal(err)
	}
	write(1, stateFile, strings.Replace(string(state), `"draft"`, `"running"`, 1))
	write(2, stateFile, "{")
	write(3, caseFile, "half an upl")
	write(4, stateFile, string(state)) // of another submission
	if err := os.Mkdir(filepath.Join(h.o.Dir, "of somebody else"), 0o700); err != nil {
		t.Fatal(err)
	}
	h.open()
	if s := h.is(1, Interrupted); s.Why == "" || s.Understood.Answers != 2 {
		t.Errorf("%+v", s)
	}
	for n := 2; n <= 4; n++ {
		if _, _, err := h.Get(root, id(n)); err == nil || len(h.files(n)) != 0 {
			t.Errorf("%d: %v %v", n, err, h.files(n))
		}
	}
	if _, err := os.Stat(filepath.Join(h.o.Dir, "of somebody else")); err != nil {
		t.Error("what is not the desk's is deleted")
	}
}

// Drafts are limited in number and in age, ended submissions in number.
func TestWhatIsForgotten(t *testing.T) {
	t.Parallel()
	h := newHarness(t, Config{})
	for n := range maxDrafts {
		h.upload(n, kim)
	}
	if _, err := h.Upload(t.Context(), lee, id(90), "x", strings.NewReader(twoCases)); errcode.Of(err) != errcode.FailedPrecondition {
		t.Errorf("one draft too many: %v", err)
	}
	h.now = h.now.Add(draftAge - 2*time.Minute)
	if _, err := h.Upload(t.Context(), lee, id(90), "x", strings.NewReader(twoCases)); errcode.Of(err) != errcode.FailedPrecondition {
		t.Errorf("none is old yet: %v", err)
	}
	h.now = h.now.Add(3 * time.Minute)
	h.upload(90, lee)
	if len(h.List(root)) != 1 || len(h.files(0)) != 0 {
		t.Errorf("old drafts: %d are left, files %v", len(h.List(root)), h.files(0))
	}
	h.mu.Lock()
	for n := range maxOver + 3 {
		s := &Submission{ID: id(1000 + n), Status: Done, Ended: h.now.Add(time.Duration(n) * time.Second)}
		h.all[s.ID] = s
	}
	h.forget()
	_, first := h.all[id(1002)]
	_, kept := h.all[id(1003)]
	h.mu.Unlock()
	if first || !kept {
		t.Errorf("the oldest is kept: %t, a newer one: %t", first, kept)
	}
}

func TestNothingToScore(t *testing.T) {
	t.Parallel()
	h := newHarness(t, Config{})
	s, err := h.Upload(t.Context(), kim, id(1), "x", strings.NewReader("{}\nnot JSON\n"))
	if err != nil || s.Understood.Unread.Rows != 2 || s.Understood.Runnable() {
		t.Fatalf("%+v %v", s.Understood, err)
	}
	if err := h.Start(kim, id(1), Choice{}); errcode.Of(err) != errcode.FailedPrecondition {
		t.Errorf("%v", err)
	}
	if err := h.Start(kim, id(1), Choice{Metrics: []string{"nosuch"}}); errcode.Of(err) != errcode.InvalidArgument {
		t.Errorf("%v", err)
	}
}

func TestLimitsAreChecked(t *testing.T) {
	t.Parallel()
	for _, c := range []Config{{UploadBytes: -1}, {CaseBytes: -1}, {Waiting: -1}} {
		if _, err := c.WithDefaults(); !errcode.IsUsage(err) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if c, err := (Config{Waiting: 3}).WithDefaults(); err != nil || c.UploadBytes != 64<<20 || c.CaseBytes != 256<<20 || c.Waiting != 3 {
		t.Errorf("%+v %v", c, err)
	}
}
