package batch_test

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

type named []scoring.AnswerID

func (n named) Cases(context.Context) iter.Seq2[batch.Item, error] {
	return func(yield func(batch.Item, error) bool) {
		for i, id := range n {
			load := func(context.Context) (*scoring.Case, error) { return &scoring.Case{ID: id.CaseID}, nil }
			if !yield(batch.Item{AnswerID: id, Place: fmt.Sprintf("cases.jsonl:%d", i+1), Load: load}, nil) {
				return
			}
		}
	}
}

// A name that a warehouse cannot keep costs its case, and no other.
func TestNamesThatCannotBeKept(t *testing.T) {
	long := func(n int) string { return strings.Repeat("ä", n/2) }
	for _, tc := range []struct {
		id, want scoring.AnswerID
		why      string // "": it is kept
	}{
		{scoring.AnswerID{CaseID: "c", By: scoring.By{Agent: "atlas", Version: "1"}}, scoring.AnswerID{CaseID: "c", By: scoring.By{Agent: "atlas", Version: "1"}}, ""},
		{scoring.AnswerID{CaseID: long(1990), By: scoring.By{Agent: "atlas", Version: "12345"}}, scoring.AnswerID{CaseID: long(1990), By: scoring.By{Agent: "atlas", Version: "12345"}}, ""},
		{scoring.AnswerID{CaseID: long(1990), By: scoring.By{Agent: "atlas", Version: "123456"}}, scoring.AnswerID{CaseID: "cases.jsonl:1", By: scoring.By{Agent: "atlas", Version: "123456"}}, "2001 bytes"},
		{scoring.AnswerID{CaseID: "c", By: scoring.By{Agent: long(1 << 20)}}, scoring.AnswerID{CaseID: "cases.jsonl:1"}, "1048577 bytes"},
		{scoring.AnswerID{CaseID: "a\x00b", By: scoring.By{Agent: "atlas"}}, scoring.AnswerID{CaseID: "cases.jsonl:1", By: scoring.By{Agent: "atlas"}}, "case_id holds"},
		{scoring.AnswerID{CaseID: "c", By: scoring.By{Agent: "at\x00las", Version: "1"}}, scoring.AnswerID{CaseID: "cases.jsonl:1", By: scoring.By{Version: "1"}}, "agent holds"},
		{scoring.AnswerID{CaseID: "c", By: scoring.By{Version: "\x00"}}, scoring.AnswerID{CaseID: "cases.jsonl:1"}, "version holds"},
		{scoring.AnswerID{CaseID: "c", By: scoring.By{Batch: "\xff"}}, scoring.AnswerID{CaseID: "cases.jsonl:1"}, "batch is not UTF-8"},
	} {
		n := 0
		for item, err := range batch.Distinct(t.Context(), named{tc.id, {CaseID: "another"}}) {
			if err != nil {
				t.Fatal(err)
			}
			_, err = item.Load(t.Context())
			if n++; n == 2 {
				if err != nil || item.CaseID != "another" {
					t.Errorf("the other case: %q %v", item.CaseID, err)
				}
				continue
			}
			if item.AnswerID != tc.want {
				t.Errorf("%+.40v becomes %+.40v, want %+.40v", tc.id, item.AnswerID, tc.want)
			}
			if (err != nil) != (tc.why != "") || err != nil && (errcode.Of(err) != errcode.InvalidArgument || !strings.Contains(err.Error(), tc.why)) {
				t.Errorf("%+.40v: %v, want %q", tc.id, err, tc.why)
			}
		}
		if n != 2 {
			t.Errorf("%+.40v: %d items", tc.id, n)
		}
	}
}
