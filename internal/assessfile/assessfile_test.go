package assessfile

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/errcode"
)

const recorded = `{"case_id": "c1", "backend": "o3", "method": "rose", "score": 1, "prover": {"verdict": true}, "refuter": {"verdict": false}, "note": "ignored"}

{"case_id": "c1", "backend": "o3", "method": "rose_prover_only", "score": 0.0, "prover": {"verdict": false}, "refuter": null}
{"case_id": "c2", "backend": "o3", "method": "rose_prover_only", "score": 1, "prover": {"verdict": true}}
{"case_id": "c2", "backend": "gpt-4o", "method": "flex", "reply_text": "fine\n{\"correct\": true}"}
{"case_id": "c2", "backend": "gpt-4o", "method": "llm_sql_solver", "score": 0}
{"case_id": "c3", "backend": "o3", "method": "stef", "replies": {"stef/extract": {"a": 1}, "stef/judge": "yes"}}
`

func read(t *testing.T, text string, o Options) *File {
	t.Helper()
	f, err := Read(t.Context(), "a.jsonl", strings.NewReader(text), o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestReplies(t *testing.T) {
	f := read(t, recorded, Options{})
	for _, c := range []struct {
		why           string
		backend       string
		methods       []string
		caseID, asked string
		reply, id     string // empty: none
	}{
		{"the method called as the metric answers", "o3", nil, "c1", "rose/prover", `{"verdict": true}`, "o3/rose/c1/rose/prover"},
		{"both of its questions", "o3", nil, "c1", "rose/refuter", `{"verdict": false}`, "o3/rose/c1/rose/refuter"},
		{"a variant answers nothing that it was not named for", "o3", nil, "c2", "rose/prover", "", ""},
		{"a variant that is named answers", "o3", []string{"rose_prover_only"}, "c1", "rose/prover", `{"verdict": false}`, "o3/rose_prover_only/c1/rose/prover"},
		{"null is no reply", "o3", []string{"rose_prover_only"}, "c1", "rose/refuter", "", ""},
		{"runs are not mixed within a case", "o3", []string{"rose_prover_only", "rose"}, "c1", "rose/refuter", "", ""},
		{"a later run answers what the first does not hold", "o3", []string{"rose", "rose_prover_only"}, "c2", "rose/prover", `{"verdict": true}`, "o3/rose_prover_only/c2/rose/prover"},
		{"a text is the reply to the method's question", "gpt-4o", nil, "c2", "flex", "fine\n{\"correct\": true}", "gpt-4o/flex/c2/flex"},
		{"another question of the method was not recorded", "gpt-4o", nil, "c2", "flex/errors", "", ""},
		{"one backend does not answer for another", "gpt-4o", nil, "c1", "rose/prover", "", ""},
		{"replies by purpose: a value", "o3", nil, "c3", "stef/extract", `{"a": 1}`, "o3/stef/c3/stef/extract"},
		{"replies by purpose: text", "o3", nil, "c3", "stef/judge", "yes", "o3/stef/c3/stef/judge"},
	} {
		replies, err := f.Replies(c.backend, c.methods...)
		if err != nil {
			t.Fatalf("%s: %v", c.why, err)
		}
		reply, id, ok := replies.Reply(c.caseID, c.asked)
		if reply != c.reply || id != c.id || ok != (c.reply != "") {
			t.Errorf("%s: Reply(%s, %s) = %q, %q, %v", c.why, c.caseID, c.asked, reply, id, ok)
		}
	}
}

func TestUnknownNamesOfferTheKnownOnes(t *testing.T) {
	f := read(t, recorded, Options{})
	for _, c := range []struct {
		backend string
		methods []string
		want    string
	}{
		{"gpt4o", nil, "did you mean gpt-4o?"},
		{"o3", []string{"flex"}, "rose_prover_only"},
	} {
		_, err := f.Replies(c.backend, c.methods...)
		if errcode.Of(err) != errcode.NotFound || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Replies(%q, %q): %v, want not_found that holds %q", c.backend, c.methods, err, c.want)
		}
	}
}

func TestScoresWithoutReplies(t *testing.T) {
	f := read(t, recorded, Options{})
	r, ok := f.Run("gpt-4o", "llm_sql_solver")
	if !ok || r.HasReplies() || r.Calls("c2") != 0 || r.Len() != 1 {
		t.Fatalf("run %+v, %v: want one case without replies", r, ok)
	}
	if v, ok := r.Score("c2"); !ok || v != 0 {
		t.Errorf("score %v, %v, want a recorded 0", v, ok)
	}
	if _, ok := r.Score("c1"); ok {
		t.Error("a case that was not assessed has a score")
	}
	flex, _ := f.Run("gpt-4o", "flex")
	if _, ok := flex.Score("c2"); ok || !flex.HasReplies() || flex.Calls("c2") != 1 {
		t.Error("replies without a score: want one call and no score")
	}
}

func TestOnlyWhatIsAskedForIsKept(t *testing.T) {
	f := read(t, recorded, Options{Backends: []string{"o3"}, Methods: []string{"rose", "stef"}})
	if got := f.Methods(); !slices.Equal(got, []string{"rose", "stef"}) {
		t.Errorf("methods %q", got)
	}
	if got := f.Backends(); !slices.Equal(got, []string{"o3"}) {
		t.Errorf("backends %q", got)
	}
}

func TestBadLinesAreNamedByNumberAndNotShown(t *testing.T) {
	const secret = "SELECT salary"
	ok := `{"case_id": "c1", "backend": "o3", "method": "rose", "score": 1}` + "\n"
	for _, c := range []struct{ why, text, want string }{
		{"no JSON", ok + `{"case_id": "` + secret + "\n", "line 2: malformed JSON at byte"},
		{"two objects", ok + ok[:len(ok)-1] + ok, "line 2: malformed JSON"},
		{"an array", `["` + secret + `"]`, "line 1: the line is a JSON array"},
		{"a missing member", ok + "\n" + `{"case_id": "c2", "backend": "o3", "score": 1, "note": "` + secret + `"}`, "line 3: method is missing"},
		{"a wrong kind", `{"case_id": "c2", "backend": "o3", "method": "rose", "score": "` + secret + `"}`, "line 1: score is a JSON string"},
		{"nothing said", `{"case_id": "c2", "backend": "o3", "method": "rose"}`, "line 1: expected a score or replies"},
		{"two verdicts on one case", ok + strings.Replace(ok, "1}", "0}", 1), "line 2: the case was assessed by o3 under rose before, on line 1"},
		{"one question answered twice", `{"case_id": "c", "backend": "b", "method": "rose", "prover": {}, "replies": {"rose/prover": {}}}`, "line 1: duplicate reply to rose/prover"},
	} {
		_, err := Read(t.Context(), "a.jsonl", strings.NewReader(c.text), Options{})
		if errcode.Of(err) != errcode.InvalidArgument || !strings.Contains(err.Error(), "a.jsonl: "+c.want) {
			t.Errorf("%s: %v, want %q", c.why, err, c.want)
		}
		if err != nil && strings.Contains(err.Error(), secret) {
			t.Errorf("%s: the error shows what the line holds", c.why)
		}
	}
}

func TestManyBadLinesAreCounted(t *testing.T) {
	_, err := Read(t.Context(), "a.jsonl", strings.NewReader(strings.Repeat("{\n", 9)), Options{})
	if err == nil || !strings.Contains(err.Error(), "line 5:") || strings.Contains(err.Error(), "line 6:") || !strings.HasSuffix(err.Error(), "; and 4 more") {
		t.Errorf("%v, want five lines and four more", err)
	}
}

func TestBadLinesCanBePassedOver(t *testing.T) {
	var lines []int
	f := read(t, "{\n"+recorded+"[]\n", Options{BadLine: func(n int, err error) {
		if err != nil {
			lines = append(lines, n)
		}
	}})
	if !slices.Equal(lines, []int{1, 9}) || len(f.Runs()) != 5 {
		t.Errorf("bad lines %v and %d runs, want 1 and 9, and 5 runs", lines, len(f.Runs()))
	}
}

func TestTheSameLineTwiceIsOne(t *testing.T) {
	f := read(t, recorded+recorded, Options{})
	if r, _ := f.Run("o3", "rose_prover_only"); r.Len() != 2 || !slices.Equal(r.Cases(), []string{"c1", "c2"}) {
		t.Errorf("cases %q, want c1 and c2", r.Cases())
	}
}

func TestAByteOrderMarkAndNoLastLineFeed(t *testing.T) {
	f := read(t, "\xef\xbb\xbf"+strings.TrimSuffix(recorded, "\n"), Options{})
	if len(f.Runs()) != 5 {
		t.Errorf("%d runs, want 5", len(f.Runs()))
	}
}

func TestLongLines(t *testing.T) {
	long := `{"case_id": "c9", "backend": "b", "method": "flex", "reply_text": "` + strings.Repeat("x", 300_000) + `"}` + "\n"
	f := read(t, long+recorded, Options{})
	r, _ := f.Run("b", "flex")
	if reply, _, _ := r.Reply("c9", "flex"); len(reply) != 300_000 {
		t.Errorf("a reply of 300000 bytes came back with %d", len(reply))
	}
	var bad []int
	f, err := Read(t.Context(), "a", strings.NewReader(strings.Repeat("x", maxLine+1)+"\n"+recorded), Options{BadLine: func(n int, _ error) { bad = append(bad, n) }})
	if err != nil || !slices.Equal(bad, []int{1}) || len(f.Runs()) != 5 {
		t.Errorf("after a line that is too long: bad %v, %v", bad, err)
	}
}

func TestOpen(t *testing.T) {
	if _, err := Open(t.Context(), filepath.Join(t.TempDir(), "none"), Options{}); errcode.Of(err) != errcode.NotFound {
		t.Errorf("a file that is not there: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Read(ctx, "a", strings.NewReader(recorded), Options{}); errcode.Of(err) != errcode.Cancelled {
		t.Errorf("a context that has ended: %v", err)
	}
}

// Both published sets are read whole: so many runs of so many cases, with replies where the set's page says so.
func TestReferenceData(t *testing.T) {
	for _, set := range []struct {
		name                string
		runs, cases, replyd int
	}{
		{"rosevec", 20, 7340, 11},
		{"flex200", 1, 200, 1},
	} {
		path := filepath.Join("..", "..", "..", "shared", "data", set.name, "assessments.jsonl")
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			t.Skip("the reference data are not beside the project")
		}
		f, err := Open(t.Context(), path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		cases, replied := 0, 0
		for _, r := range f.Runs() {
			cases += r.Len()
			if r.HasReplies() {
				replied++
			}
		}
		if len(f.Runs()) != set.runs || cases != set.cases || replied != set.replyd {
			t.Errorf("%s: %d runs, %d cases, %d runs with replies", set.name, len(f.Runs()), cases, replied)
		}
	}
}

func FuzzRead(f *testing.F) {
	for l := range strings.Lines(recorded) {
		f.Add([]byte(l))
	}
	f.Add([]byte(recorded))
	f.Fuzz(func(t *testing.T, text []byte) {
		a, err := Read(t.Context(), "a", bytes.NewReader(text), Options{BadLine: func(n int, err error) {
			if n < 1 || err == nil {
				t.Error("a bad line without number or reason")
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range a.Runs() {
			if r.Len() == 0 || r.Backend == "" || r.Method == "" {
				t.Error("a run without name or case")
			}
			for _, id := range r.Cases() {
				_, scored := r.Score(id)
				if !scored && r.Calls(id) == 0 {
					t.Error("a case of which nothing is known")
				}
			}
		}
	})
}
