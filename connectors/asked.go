package connectors

import (
	"context"

	"github.com/badger-eval/badger/scoring"
	badgersql "github.com/badger-eval/badger/sql"
)

// Asked is what was asked of one model with one prompt.
type Asked struct {
	Payer, Kind, Backend, Model, Prompt string
	Replies                             int64
	TokensIn, TokensOut                 int64
	Uncounted                           int64    // replies whose tokens are not known
	Latency                             *float64 // mean, in milliseconds; nil where it is not known
}

// Asked sums up the recorded replies of judges, those that a payer such as run:ID asked for, or all
// where it is "".
func (w *Warehouse) Asked(ctx context.Context, payer string) (out []Asked, err error) {
	query, args := badgersql.Asked(w.dialect, payer)
	err = w.each(ctx, "reading assessments", query, args, func(t *scoring.Table, row int) bool {
		r := record{t: t, row: row}
		out = append(out, Asked{
			Payer: r.text(0), Kind: r.text(1), Backend: r.text(2), Model: r.text(3), Prompt: r.text(4), Replies: r.count(5), TokensIn: r.count(6), TokensOut: r.count(7), Uncounted: r.count(8), Latency: float(&r, 9),
		})
		return true
	})
	return out, err
}
