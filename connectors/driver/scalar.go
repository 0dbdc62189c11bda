package driver

import (
	"context"

	"github.com/badger-eval/badger/internal/columnar"
)

// Scalar is a Go function that SQL can call: one result for each row of arguments.
//
// The engine calls Eval with chunks of rows, concurrently from several goroutines. NULLs are passed like other values.
// An error stops the statement. After a panic the rows are evaluated one by one, and only those that panic again are
// NULL. Eval may therefore be called twice for a row.
type Scalar struct {
	Name     string
	Params   []columnar.Type
	Result   columnar.Type
	Volatile bool // may return another result for equal arguments: called for every row, never folded into a constant

	// Eval sets row i of out from row i of the arguments, for every row. out has the zero value in every row at first,
	// and no NULL. The arguments are the engine's memory: they must not be changed, or kept after Eval returns
	// ([columnar.Column.KeepTexts]). The context is that of the statement.
	Eval func(ctx context.Context, args []columnar.Column, out *columnar.Column) error
}
