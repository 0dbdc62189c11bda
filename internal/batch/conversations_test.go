package batch_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/scoring"
)

// A later turn knows the turns before it of the same conversation, agent, version and batch, wherever they are in the
// file.
func TestCaseFileConversations(t *testing.T) {
	var lines []string
	line := func(id, agent, batch, conversation string, turn int, question, more string) {
		lines = append(lines, fmt.Sprintf(`{"case_id": %q, "question": %q, "agent": {"name": %q, "batch_id": %q, "conversation_id": %q, "turn": %d%s}}`,
			id, question, agent, batch, conversation, turn, more))
	}
	line("c3", "nova", "mon", "k", 3, "And sorted?", ``)
	line("c1", "nova", "mon", "k", 1, "Orders in Oslo?", `, "sql": "SELECT 3", "response": "3"`)
	line("c1b", "nova", "tue", "k", 1, "Another night.", ``)
	line("c1c", "vega", "mon", "k", 1, "Another agent.", ``)
	line("c1d", "nova", "mon", "l", 1, "Another conversation.", ``)
	line("c2", "nova", "mon", "k", 2, "And in Rome?", ``)
	line("own", "nova", "mon", "k", 4, "Its own.", `, "earlier_turns": [{"question": "Said elsewhere"}]`)
	lines = append(lines, `{"case_id": "flat", "question": "Flat?", "conversation_id": "k", "turn": 2, "agent_name": "nova", "batch_id": "mon"}`)
	got := map[string][]scoring.Turn{}
	source := batch.FileSource{Path: write(t, "c.jsonl", strings.Join(lines, "\n"))}
	for item, err := range source.Cases(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		c, err := item.Load(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if c.Agent.Earlier != nil {
			got[c.ID] = c.Agent.Earlier
		}
	}
	one := scoring.Turn{Question: "Orders in Oslo?", SQL: "SELECT 3", Response: "3"}
	want := map[string][]scoring.Turn{
		"c2": {one}, "flat": {one},
		"c3":  {one, {Question: "And in Rome?"}, {Question: "Flat?"}},
		"own": {{Question: "Said elsewhere"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A conversation may have any number of turns, in any order. They are neither moved nor copied for each of them.
func TestCaseFileOfOneLongConversation(t *testing.T) {
	const n = 50_000
	var b strings.Builder
	for i := n; i > 0; i-- { // the last turn first
		fmt.Fprintf(&b, `{"case_id": "c%d", "question": "q%d", "agent": {"conversation_id": "k", "turn": %d}}`+"\n", i, i, i)
	}
	source := batch.FileSource{Path: write(t, "c.jsonl", b.String())}
	for item, err := range source.Cases(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		c, err := item.Load(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(c.Agent.Earlier) != c.Agent.Turn-1 || c.Agent.Turn > 1 && c.Agent.Earlier[c.Agent.Turn-2].Question != fmt.Sprintf("q%d", c.Agent.Turn-1) {
			t.Fatalf("turn %d has %d turns before it", c.Agent.Turn, len(c.Agent.Earlier))
		}
	}
}
