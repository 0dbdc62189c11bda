package report

import (
	"fmt"

	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
)

// conversations counts the conversations that have a turn to which the primary metric applies. A turn without a
// verdict, because it has no answer or cannot be scored, is not right.
func (s *Summary) conversations(agents []Agent, byID []int32) (out []Conversations) {
	for _, a := range agents {
		x := s.agents[a][s.o.Primary]
		if x == nil {
			continue
		}
		right := map[uint32]bool{}
		for _, n := range byID {
			m, talk := x.at(n).mark, s.about(a, n).talk
			if talk == 0 || m.outcome() < 0 || outcomes[m.outcome()] == scoring.StatusNotApplicable {
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
