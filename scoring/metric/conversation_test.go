package metric

import (
	"slices"
	"strings"
	"testing"

	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
)

// Every judge that is shown the question of a later turn is shown the turns before it. The conversations have the forms
// of CoSQL (Yu et al., EMNLP 2019: questions that follow on one another, and questions back) and of BIRD-Interact
// (an ambiguous question, what the user meant, and a further question).
func TestJudgesSeeEarlierTurns(t *testing.T) {
	const answer = `"gold": {"sql": "SELECT 1 AS n", "result": {"columns": ["n"], "rows": [[1]]}},
		"agent": {"sql": "SELECT 2 AS n", "result": {"columns": ["n"], "rows": [[2]]}, "response": "There are 2.", "interpretation": "Count them", "turn": 3, "earlier_turns": `
	for name, turns := range map[string]string{
		"cosql":         `[{"question": "Which dogs are old?", "sql": "SELECT name FROM dogs WHERE age > 9", "response": "Rex and Bo."}, {"question": "Only the males"}]`,
		"bird-interact": `[{"question": "Show urgent orders", "response": "What makes an order urgent?"}, {"question": "Due within two days", "sql": "SELECT id FROM orders", "response": "4 orders."}]`,
	} {
		first, _, _ := strings.Cut(strings.TrimPrefix(turns, `[{"question": "`), `"`)
		shown := 0
		for _, m := range All() {
			if (m.Needs|m.Reads)&scoring.FieldJudge == 0 {
				continue
			}
			asks := asksOf(t, &m, func() *scoring.Case {
				c, err := scoring.DecodeCase([]byte(`{"case_id": "3", "question": "And how many?", "dialect": "sqlite", ` + answer + turns + `}}`))
				if err != nil {
					t.Fatal(err)
				}
				return c
			})
			for _, r := range asks {
				seesQuestion := slices.ContainsFunc(r.Messages, func(m judgebackend.Message) bool { return strings.Contains(m.Content, "And how many?") })
				seesTurns := slices.ContainsFunc(r.Messages, func(m judgebackend.Message) bool { return strings.Contains(m.Content, first) })
				if seesQuestion != seesTurns {
					t.Errorf("%s: %s asks %s with the question: %v, with the turns before it: %v", name, m.Name, r.PromptVersion, seesQuestion, seesTurns)
				}
				if seesTurns {
					shown++
				}
			}
		}
		if shown < 8 {
			t.Errorf("%s: %d requests show the turns", name, shown)
		}
	}
}
