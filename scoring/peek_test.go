package scoring

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/jsonscan"
)

// peeked are lines on both sides of what is read in one pass.
var peeked = []string{
	`{"case_id": "c1", "agent": {"name": "atlas", "version": 2.0, "batch_id": "mon"}}`,
	`{"case_id": 17, "agent_name": "atlas", "agent_version": "2", "batch_id": "b"}`,
	`{"case_id": "c", "agent.name": "a", "agent.version": "v", "agent.batch_id": "b"}`,
	`{"case_id": "c", "agent_batch_id": "b", "agent": {"name": "x"}, "agent_name": "y"}`,
	`{"agent": {"name": "x"}, "case_id": "c", "agent": {"version": "1"}}`,   // twice: together
	`{"case_id": "c", "case_id": null}`, `{"case_id": "c", "case_id": "d"}`, // the last counts
	`{"case_id": "c", "agent": {"name": "x", "name": null}}`,                                 // and null is one
	`{"case_id": "c", "agent": null}`, `{"case_id": "c", "agent": "atlas", "batch_id": "b"}`, // no object
	`{"case_id": "c", "agent": [], "batch_id": "b"}`, `{"case_id": ["c"], "batch_id": "b"}`, `{"batch_id": "b", "case_id": {}}`,
	`{"case_id": true, "batch_id": "b"}`, `{"batch_id": "b", "case_id": "a\u0000b", "agent_name": "x"}`,
	`{"Case_ID": "c", "AGENT": {"Name": "x"}}`, `{"case_id": "c", "CASE_ID": "d"}`, `{"ca\u017fe_id": "c"}`, `{"\u212Aey": 1, "case_id": "c"}`,
	`{"caſe_id": "c"}`, `{"case_id": "\ud800"}`, `{"case_id": "c", "x": "\ud800"}`, "{\"case_id\": \"\xff\"}", "{\"case_id\": \"c\", \"x\": \"\xff\"}",
	`{"case_id": "c"} x`, `{"case_id": "c"`, `{"case_id": "c",}`, `{"case_id": "c", "x": 01}`, `{"case_id": "c", "x": NaN}`, `{"case_id": "NaN", "x": -Infinity}`,
	`{"case_id": "c", "deep": ` + strings.Repeat("[", 600) + strings.Repeat("]", 600) + `}`, `[]`, `null`, `"c"`, ``, ` {"case_id" : "c" } `,
	`{"case_id": "c", "agent": {"ran_at": "2025-01-13T02:00:00+02:00"}}`, `{"ran_at": "2025-01-13", "case_id": "c"}`, `{"agent_ran_at": null, "case_id": "c", "agent.ran_at": "2025-01-13 02:00"}`,
	`{"ran_at": true, "case_id": "c", "batch_id": "b"}`, `{"agent": {"RAN_AT": 7, "batch_id": "b"}, "case_id": "c"}`, `{"ran_at": "no time", "case_id": "c"}`,
	`{"case_id": "", "agent": {"name": ""}, "agent_name": "y"}`, `{"case_id": -0.5e3}`, `{"case_id": "a\tb", "agent": {"name": "\u00e9"}}`,
}

func samePeek(t *testing.T, line []byte) {
	t.Helper()
	m := peekByReflection(jsonscan.QuoteNonFinite(line))
	want, wantAt := m.answer()
	if got, at := PeekAnswer(line); got != want || !at.Equal(wantAt) {
		t.Errorf("%.200s\nis of %+v at %v, want %+v at %v", line, got, at, want, wantAt)
	}
}

func TestPeekAnswer(t *testing.T) {
	t.Parallel()
	for _, line := range peeked {
		samePeek(t, []byte(line))
	}
	quick := 0
	for _, line := range peeked {
		if new(identityMembers).scan([]byte(line)) {
			quick++
		}
	}
	if quick < 12 {
		t.Errorf("%d of %d lines are read in one pass", quick, len(peeked))
	}
	got, _ := PeekAnswer([]byte(peeked[3]))
	if want := (AnswerID{CaseID: "c", By: By{Agent: "x", Batch: "b"}}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	files, err := filepath.Glob("../../shared/data/*/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Skip("no reference data beside the project")
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			samePeek(t, []byte(line))
		}
	}
}

func FuzzPeekAnswer(f *testing.F) {
	for _, line := range peeked {
		f.Add([]byte(line))
	}
	f.Fuzz(samePeek)
}
