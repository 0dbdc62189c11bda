package counterexample

import (
	"fmt"
)

// sentence says in plain words how the two results differ.
func (s *search) sentence(d *Database) string {
	gold, pred := s.out.Gold.Rows, s.out.Pred.Rows
	return fmt.Sprintf("gold returns %d rows, the agent's query %d", len(gold), len(pred))
}
