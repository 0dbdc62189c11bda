package scoring_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/badger-eval/badger/scoring"
)

func TestEarlierTurnsOfCase(t *testing.T) {
	turns := []scoring.Turn{
		{Question: "How many orders in Oslo?", SQL: "SELECT 3", Response: "3"},
		{Question: "And in Rome?"},
	}
	const members = `[{"question": "How many orders in Oslo?", "sql": "SELECT 3", "response": "3"}, {"question": "And in Rome?"}]`
	for _, text := range []string{
		`{"case_id": "c", "agent": {"turn": 3, "earlier_turns": ` + members + `}}`,
		`{"case_id": "c", "turn": 3, "earlier_turns": ` + members + `}`,
	} {
		c, err := scoring.DecodeCase([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(c.Agent.Earlier, turns) || c.Agent.Turn != 3 || len(c.UnreadKeys) > 0 {
			t.Errorf("%s\n%+v, unread %v", text, c.Agent, c.UnreadKeys)
		}
	}
	row := func(column string) string {
		return map[string]string{"case_id": "c", "turn": "3", "earlier_turns": members}[column]
	}
	c, err := scoring.CaseOfRows(row, func(string) string { return "" }, 0)
	if err != nil || !slices.Equal(c.Agent.Earlier, turns) {
		t.Errorf("of a row: %+v, %v", c, err)
	}
}

// A turn that a judge could not be shown as it is meant is an error, and nothing is taken as an empty turn.
func TestEarlierTurnsRejects(t *testing.T) {
	for turns, message := range map[string]string{
		`["How many?"]`:                              `expected a list of objects {"question", "sql", "response"}`,
		`[null]`:                                     `expected a list of objects`,
		`[{"user": "How many?"}]`:                    `unknown member "user" of a turn`,
		`[{"question": " ", "response": "3"}]`:       `a turn has no question`,
		`[{"sql": "SELECT 1"}]`:                      `a turn has no question`,
		`[{"question": "How many?", "response": 3}]`: `expected text for "response"`,
		`{"question": "How many?"}`:                  `expected a list`,
		`[], "turn": -1`:                             `agent.turn is -1, expected a whole number from 1`,
	} {
		_, err := scoring.DecodeCase([]byte(`{"case_id": "c", "agent": {"earlier_turns": ` + turns + `}}`))
		if err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("%s: %v", turns, err)
		}
	}
}

// A score that a judge gave to a later turn says that the judge saw no earlier one.
func TestLaterTurnJudgedAlone(t *testing.T) {
	earlier := []scoring.Turn{{Question: "How many orders in Oslo?"}}
	for _, c := range []struct {
		what  string
		agent scoring.Agent
		warns bool
	}{
		{"first turn", scoring.Agent{ConversationID: "k", Turn: 1}, false},
		{"later turn, with the one before", scoring.Agent{ConversationID: "k", Turn: 2, Earlier: earlier}, false},
		{"later turn alone", scoring.Agent{ConversationID: "k", Turn: 2}, true},
		{"no conversation", scoring.Agent{}, false},
	} {
		if warns := c.agent.LacksEarlierTurns() != ""; warns != c.warns {
			t.Errorf("%s: warns %v", c.what, warns)
		}
	}
}
