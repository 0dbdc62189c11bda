package driver

import (
	"context"

	"github.com/badger-eval/badger/internal/columnar"
)

// Scalar is a Go function that SQL can call: one result for each row of arguments.
//
// The engine calls Eval with whole chunks of rows, concurrently from several goroutines. NULLs are passed like any
// value. An error stops the statement. A panic does not: the rows are then evaluated one by one, so that only those
// that panic are NULL. Eval may therefore be called twice for a row.
type Scalar struct {
	Name     string
	Params   []columnar.Type
	Result   columnar.Type
	Volatile bool // may give another result for the same arguments: never folded into a constant, called for every row

	// Eval sets row i of out from row i of the arguments, for every row. Out holds NULL nowhere and
	// zero values to begin with. Arguments are the engine's own memory: they must not be changed, nor
	// kept when Eval returns ([columnar.Column.KeepTexts]). The context is that of the statement.
	Eval func(ctx context.Context, args []columnar.Column, out *columnar.Column) error
}
