package report

import (
	"fmt"

	"github.com/badger-eval/badger/internal/printable"
)

// conversations counts the conversations that have a turn with a verdict. A turn without an answer is wrong.
func (s *Summary) conversations(agents []Agent, byID []int32) (out []Conversations) {
	for _, a := range agents {
		x := s.agents[a][s.o.Primary]
		if x == nil {
			continue
		}
		right := map[uint32]bool{}
		for _, n := range byID {
			m, talk := x.at(n).mark, s.about(a, n).talk
			missing := m.outcome() >= 0 && outcomes[m.outcome()] == unanswered
			if talk == 0 || !m.judged() && !missing {
				continue
			}
			before, seen := right[talk]
			right[talk] = (before || !seen) && m.passed()
		}
		if len(right) == 0 {
			continue
		}
		c := Conversations{Agent: a, Of: len(right)}
		for _, all := range right {
			if all {
				c.Right++
			}
		}
		out = append(out, c)
	}
	return out
}

// Text returns the counts as a sentence, such as "7 of 12 conversations have no wrong turn".
func (c *Conversations) Text() string {
	return fmt.Sprintf("%d of %s %s no wrong turn", c.Right, printable.Count(c.Of, "conversation"),
		printable.Verb(c.Of, "has", "have"))
}
