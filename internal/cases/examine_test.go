package cases

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/scoring"
)

// Every count is of lines that are written for it.
func TestExamine(t *testing.T) {
	t.Parallel()
	const gold = `"gold": {"sql": "SELECT 1", "result": {"columns": ["n"], "rows": [[1]]}}`
	lines := []string{
		`{"case_id": "q1", ` + gold + `, "agent": {"name": "a", "version": "1", "batch_id": "b", "sql": "SELECT 1", "result": {"columns": ["n"], "rows": [[1]]}}}`,
		`{"case_id": "q2", ` + gold + `, "agent": {"name": "a", "version": "1", "batch_id": "b", "sql": "SELECT x", "error": "no such column"}}`,
		`{"case_id": "q1", ` + gold + `, "agent": {"name": "a", "version": "2", "sql": "SELECT 1", "result": "table:shop.answers"}}`,
		`{"case_id": "q3", "agent": {"name": "a", "version": "2", "sql": "SELECT 1"}}`,                                      // no gold, not run
		`{"case_id": "q4", "gold": {"sql": "SELECT 4"}, "agent": {"name": "a", "version": "2"}}`,                            // gold not run, no answer
		`{"case_id": "q5", "expected": {"behaviour": "refuse"}, "agent": {"name": "a", "version": "2", "response": "No."}}`, // declines
		`{"case_id": "q6", ` + gold + `, "agent": {"name": "a", "version": "2", "response": "one"}}`,
		`{"case_id": "q6", ` + gold + `, "agent": {"name": "a", "version": "2", "response": "two"}}`, // a duplicate
		`this is not JSON`,
		`{"case_id": "q7", "gold": 17, "agent": {"name": "a", "version": "2"}}`,                                        // unreadable, and its question is known
		`{"case_id": "q8", ` + gold + `, "agent": {"name": "a", "version": "2", "sqll": "SELECT 1", "response": "x"}}`, // an unknown key
	}
	path := filepath.Join(t.TempDir(), "cases.jsonl")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := Examine(t.Context(), batch.FileSource{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	// The line that is no JSON has no question, so the questions are q1 to q8.
	want := Examined{
		Questions: 8, Answers: 10, NoGold: 1, GoldUnrun: 1, NoAnswer: 1, Unrun: 1, QueryFail: 1, Declines: 1, Named: map[string]int64{"table": 1},
		Batches: []examinedBatch{
			{By: scoring.By{Agent: "a", Version: "1", Batch: "b"}, Answers: 2, Missing: 6},
			{By: scoring.By{Agent: "a", Version: "2"}, Answers: 7, Missing: 1},
		},
	}
	plain := *got
	plain.Duplicate, plain.Unread, plain.Ignored = Refused{}, Refused{}, Refused{}
	if !reflect.DeepEqual(plain, want) {
		t.Errorf("got  %+v\nwant %+v", plain, want)
	}
	for name, tc := range map[string]struct {
		got  Refused
		rows int64
		says []string
	}{
		"duplicates": {got.Duplicate, 1, []string{"cases.jsonl:7, cases.jsonl:8"}},
		"unreadable": {got.Unread, 2, []string{"cases.jsonl:9: ", "cases.jsonl:10: "}},
		"ignored":    {got.Ignored, 1, []string{"agent.sqll"}},
	} {
		if tc.got.Rows != tc.rows || len(tc.got.Why) != len(tc.says) {
			t.Errorf("%s: %+v", name, tc.got)
			continue
		}
		for i, part := range tc.says {
			if !strings.Contains(tc.got.Why[i], part) {
				t.Errorf("%s: %q lacks %q", name, tc.got.Why[i], part)
			}
		}
	}
	if !got.Runnable() {
		t.Error("seven answers can be scored")
	}
}

// Reasons and batches are limited, counts are not.
func TestExamineListsAreLimited(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range maxExamined + 7 {
		b.WriteString("{\n")
		b.WriteString(`{"case_id": "q", "agent": {"name": "a", "version": "` + strings.Repeat("v", i+1) + `"}}` + "\n")
	}
	path := filepath.Join(t.TempDir(), "cases.jsonl")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := Examine(t.Context(), batch.FileSource{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Unread.Why) != maxExamined || got.Unread.Rows != maxExamined+7 || len(got.Batches) != maxExamined || got.More != 7 {
		t.Errorf("%d reasons of %d, %d batches and %d more", len(got.Unread.Why), got.Unread.Rows, len(got.Batches), got.More)
	}
}

func TestEvery(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "cases.jsonl")
	if err := os.WriteFile(path, []byte(strings.Repeat("{}\n", 10)), 0o600); err != nil {
		t.Fatal(err)
	}
	for step, want := range map[int64]string{1: "1 2 3 4 5 6 7 8 9 10", 3: "1 4 7 10", 10: "1", 11: "1"} {
		var got []string
		for item, err := range Every(batch.FileSource{Path: path}, step).Cases(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, strings.TrimPrefix(item.Place, "cases.jsonl:"))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("every %d: %v, want %s", step, got, want)
		}
	}
}
