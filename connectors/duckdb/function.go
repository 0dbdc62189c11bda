package duckdb

import (
	"context"
	"strings"

	"github.com/badger-eval/badger/connectors/driver"
)

// Function is a Go function that SQL calls, with values instead of vectors. [Conn.RegisterScalar]
// is faster.
type Function struct {
	Name   string
	Params []driver.Type // text, bigint, double and boolean are offered; json is text
	Result driver.Type
	// Volatile keeps the engine from computing calls with constant arguments while it plans, and
	// from sharing results of equal calls.
	Volatile bool
	// Call computes a chunk: args[k][i] is argument k of row i, nil for NULL, else a string, int64,
	// float64 or bool; out[i] is set likewise. Text may be kept. An error fails the statement, so a
	// bad row is better a NULL; a row that panics is NULL. Calls come from several goroutines at
	// once.
	Call func(ctx context.Context, rows int, args [][]any, out []any) error
}

// Register makes functions callable by every session of the database. Functions of one name are
// overloads with different numbers of parameters.
func (c *Conn) Register(ctx context.Context, fs []Function) error {
	scalars := make([]driver.Scalar, len(fs))
	for i := range fs {
		f := fs[i]
		scalars[i] = driver.Scalar{Name: f.Name, Params: f.Params, Result: f.Result, Volatile: f.Volatile, Eval: f.eval}
	}
	return c.RegisterScalar(ctx, scalars...)
}

func (f *Function) eval(ctx context.Context, args []driver.Vector, out *driver.Vector) error {
	n := out.Len()
	boxed := make([][]any, len(args))
	for k := range args {
		boxed[k] = make([]any, n)
		for i := range n {
			if !args[k].IsNull(i) {
				boxed[k][i] = valueOf(&args[k], i)
			}
		}
	}
	results := make([]any, n)
	if err := f.Call(ctx, n, boxed, results); err != nil {
		return err
	}
	for i, v := range results {
		switch x := v.(type) {
		case string:
			out.Texts[i] = x
		case int64:
			out.Ints[i] = x
		case float64:
			out.Floats[i] = x
		case bool:
			out.Bools[i] = x
		default:
			out.SetNull(i)
		}
	}
	return nil
}

func valueOf(v *driver.Vector, i int) any {
	switch v.Type {
	case driver.BigInt:
		return v.Ints[i]
	case driver.Double:
		return v.Floats[i]
	case driver.Boolean:
		return v.Bools[i]
	}
	return strings.Clone(v.Texts[i])
}
