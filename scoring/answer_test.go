package scoring_test

import (
	"encoding/json"
	"testing"

	"github.com/badger-eval/badger/scoring"
)

func TestPatternsOfAnswers(t *testing.T) {
	t.Parallel()
	first := scoring.By{Agent: "atlas", Version: "2", Batch: "mon"}
	second, nobody := first, scoring.By{Batch: "mon"}
	second.Repeat = scoring.Repetition(2)
	for _, tc := range []struct {
		of, pattern scoring.By
		want        bool
	}{
		{first, scoring.By{}, true},
		{second, scoring.By{}, true},
		{first, scoring.By{Version: "2", Batch: "mon"}, true},
		{first, scoring.By{Version: "1"}, false},
		{nobody, scoring.By{Agent: scoring.Unnamed}, true},
		{first, scoring.By{Agent: scoring.Unnamed}, false},
		{first, scoring.By{Repeat: 1}, true},
		{second, scoring.By{Repeat: 1}, false},
		{second, scoring.By{Repeat: 2}, true},
		{first, scoring.By{Repeat: 2}, false},
		{first, first.Exactly(), true},
		{second, first.Exactly(), false},
		{first, second.Exactly(), false},
		{second, second.Exactly(), true},
		{nobody, nobody.Exactly(), true},
		{first, nobody.Exactly(), false},
	} {
		if got := tc.of.Matches(tc.pattern); got != tc.want {
			t.Errorf("%+v matches %+v: %t", tc.of, tc.pattern, got)
		}
		if got := (scoring.AnswerID{CaseID: "c", By: tc.of}).Matches(scoring.AnswerID{CaseID: "c", By: tc.pattern}); got != tc.want {
			t.Errorf("the answer of %+v matches %+v: %t", tc.of, tc.pattern, got)
		}
	}
	if (scoring.AnswerID{CaseID: "c", By: first}).Matches(scoring.AnswerID{CaseID: "d"}) {
		t.Error("an answer to c matches the pattern of answers to d")
	}
}

// An answer that was given once has the identity and the JSON that it has without a number, and a
// second answer to the question is another one.
func TestRepeatedAnswers(t *testing.T) {
	t.Parallel()
	once := scoring.AnswerID{CaseID: "c", By: scoring.By{Agent: "atlas"}}
	numbered := func(n uint32) scoring.AnswerID {
		return scoring.AnswerID{CaseID: "c", By: scoring.By{Agent: "atlas", Repeat: scoring.Repetition(n)}}
	}
	if numbered(1) != once || numbered(0) != once || numbered(2) == once || numbered(2) == numbered(3) {
		t.Errorf("%+v %+v %+v", numbered(0), numbered(1), numbered(2))
	}
	if n := numbered(1).Repeat.Number(); n != 1 {
		t.Errorf("the first answer has the number %d", n)
	}
	if n := numbered(4_000_000_000).Repeat.Number(); n != 4_000_000_000 {
		t.Errorf("the number of an answer became %d", n)
	}
	for of, want := range map[scoring.By][2]string{
		once.By:        {`{"agent_name":"atlas","agent_version":"","batch_id":""}`, "agent atlas"},
		numbered(2).By: {`{"agent_name":"atlas","agent_version":"","batch_id":"","repeat":2}`, "agent atlas, repeat 2"},
		{Batch: "b"}:   {`{"agent_name":"","agent_version":"","batch_id":"b"}`, "batch b"},
		{}:             {`{"agent_name":"","agent_version":"","batch_id":""}`, ""},
	} {
		if got, err := json.Marshal(of); err != nil || string(got) != want[0] {
			t.Errorf("%+v is %s, %v", of, got, err)
		}
		if got := of.Of(); got != want[1] {
			t.Errorf("%+v is called %q", of, got)
		}
	}
}
