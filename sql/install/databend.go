package install

import "github.com/badger-eval/badger/scoring"

// TokenPlaceholder is in the place of the token in the statements for Databend, which has no place for secrets.
func (p *Plan) TokenPlaceholder() string { return "<token>" }

// BlockRows returns the number of rows that Databend may send in one request. It is the same for all functions.
func (p *Plan) BlockRows() int { return p.Via.Wire.RowCap(scoring.CostLarge, p.Values.Rows) }

// BlockKB returns how many thousand bytes the arguments of each of BlockRows rows may have.
func (p *Plan) BlockKB() int { return p.Via.Wire.In / p.BlockRows() / 1000 }
