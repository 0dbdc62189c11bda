package cases_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/badger-eval/badger/internal/cases"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// fileOf writes cases to a file in a directory of its own.
func fileOf(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "cases.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// idsOf are the ids of the cases of a source; one that cannot be read has an exclamation mark.
func idsOf(t *testing.T, in *cases.Opened) (out []string) {
	t.Helper()
	for item, err := range in.Cases(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		id := item.CaseID
		if _, err := item.Load(t.Context()); err != nil {
			id += "!"
		}
		out = append(out, id)
	}
	return out
}

const answers = `{"case_id": "a", "agent": {"name": "nova", "version": "1", "batch_id": "mon"}}
{"case_id": "b", "agent": {"name": "nova", "version": "2", "batch_id": "tue"}}
{"case_id": "c", "agent": {"name": "atlas", "version": "1", "batch_id": "mon"}}
{"case_id": "d", "agent": {}}
`

// A filter chooses by agent, version and batch together; a line of which nothing can be read stays,
// since nobody knows whose it is.
func TestOpenFile(t *testing.T) {
	for _, tc := range []struct {
		why, text string
		filter    store.Filter
		want      []string
	}{
		{"all", answers, store.Filter{}, []string{"a", "b", "c", "d"}},
		{"an empty file", "", store.Filter{}, nil},
		{"blank lines alone", "\n \n", store.Filter{}, nil},
		{"an agent", answers, store.Filter{By: scoring.By{Agent: "nova"}}, []string{"a", "b"}},
		{"a version", answers, store.Filter{By: scoring.By{Version: "1"}}, []string{"a", "c"}},
		{"a batch", answers, store.Filter{By: scoring.By{Batch: "tue"}}, []string{"b"}},
		{"all three", answers, store.Filter{By: scoring.By{Agent: "nova", Version: "1", Batch: "mon"}}, []string{"a"}},
		{"no such", answers, store.Filter{By: scoring.By{Agent: "nova", Batch: "wed"}}, nil},
		{"an agent without a name", answers, store.Filter{By: scoring.By{Agent: scoring.Unnamed}}, []string{"d"}},
		{"an unreadable line", "{\n" + answers, store.Filter{}, []string{"cases.jsonl:1!", "a", "b", "c", "d"}},
		{"an unreadable line and an agent", "{\n" + answers, store.Filter{By: scoring.By{Agent: "atlas"}}, []string{"cases.jsonl:1!", "c"}},
	} {
		in, err := cases.OpenFile("--cases", fileOf(t, tc.text), tc.filter)
		if err != nil {
			t.Errorf("%s: %v", tc.why, err)
			continue
		}
		if d := cmp.Diff(tc.want, idsOf(t, in)); d != "" {
			t.Errorf("%s: %s", tc.why, d)
		}
		if in.Tables != nil || in.Warehouses() != nil || in.Snapshots.Files == nil {
			t.Errorf("%s: a file has no warehouse, and results beside it: %+v", tc.why, in)
		}
		in.Close()
	}
}

// What cannot be opened is an error of usage that names the flag, and the file as given.
func TestOpenFileRefuses(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "none.jsonl")
	for _, tc := range []struct {
		flag, path string
		filter     store.Filter
		want       string
	}{
		{"--cases", missing, store.Filter{}, `--cases: file "` + missing + `" does not exist`},
		{"--answer", missing, store.Filter{By: scoring.By{Agent: "nova"}}, `--answer: file "` + missing + `" does not exist`},
		{"--cases", fileOf(t, answers), store.Filter{SetVersion: "v1"}, "--set-version: expected --source URL with it"},
	} {
		_, err := cases.OpenFile(tc.flag, tc.path, tc.filter)
		if err == nil || !errcode.IsUsage(err) || !strings.HasPrefix(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", tc.flag, err, tc.want)
		}
	}
}
