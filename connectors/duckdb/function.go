package duckdb

import (
	"context"
	sqldriver "database/sql/driver"
	"fmt"
	"runtime/debug"

	duck "github.com/duckdb/duckdb-go/v2"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
)

// Function is a Go function that SQL calls with whole chunks of rows (up to 2,048).
type Function struct {
	Name   string
	Params []driver.Type // text, bigint, double and boolean are offered; json is text
	Result driver.Type
	// Volatile keeps the engine from computing calls with constant arguments while it plans, and from sharing results of equal calls.
	Volatile bool
	// Call computes a chunk: args[k][i] is argument k of row i, nil for NULL, else a string, int64, float64 or bool; out[i] is set likewise. Text
	// is only valid during the call. An error fails the statement, so a bad row is better a NULL. Calls come from several goroutines at once.
	Call func(ctx context.Context, rows int, args [][]any, out []any) error
}

// Register makes functions callable on every connection of the database. Functions of one name are overloads with different numbers of parameters.
func (c *Conn) Register(ctx context.Context, fs []Function) error {
	conn, err := c.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // back to the pool
	byName := map[string][]duck.ScalarFunc{}
	var names []string
	for i := range fs {
		s, err := newScalar(&fs[i])
		if err != nil {
			return err
		}
		if byName[fs[i].Name] == nil {
			names = append(names, fs[i].Name)
		}
		byName[fs[i].Name] = append(byName[fs[i].Name], s)
	}
	for _, name := range names {
		if err := duck.RegisterScalarUDFSet(conn, name, byName[name]...); err != nil {
			return errcode.New(errcode.Internal, "function %s: %w", name, err)
		}
	}
	return nil
}

var duckTypes = map[driver.Type]duck.Type{
	driver.Text: duck.TYPE_VARCHAR, driver.JSON: duck.TYPE_VARCHAR, driver.BigInt: duck.TYPE_BIGINT, driver.Double: duck.TYPE_DOUBLE, driver.Boolean: duck.TYPE_BOOLEAN,
}

// scalar is a function as the driver wants it.
type scalar struct {
	config duck.ScalarFuncConfig
	f      *Function
}

func newScalar(f *Function) (*scalar, error) {
	s := &scalar{f: f, config: duck.ScalarFuncConfig{Volatile: f.Volatile, SpecialNullHandling: true}}
	info := func(t driver.Type) (duck.TypeInfo, error) {
		dt, ok := duckTypes[t]
		if !ok {
			return nil, errcode.New(errcode.Unimplemented, "function %s: a parameter of type %s is not offered", f.Name, t)
		}
		return duck.NewTypeInfo(dt)
	}
	var err error
	if s.config.ResultTypeInfo, err = info(f.Result); err != nil {
		return nil, err
	}
	for _, p := range f.Params {
		t, err := info(p)
		if err != nil {
			return nil, err
		}
		s.config.InputTypeInfos = append(s.config.InputTypeInfos, t)
	}
	return s, nil
}

// Config tells the engine the function's types.
func (s *scalar) Config() duck.ScalarFuncConfig { return s.config }

// Executor tells the engine how to call the function: a chunk at a time.
func (s *scalar) Executor() duck.ScalarFuncExecutor {
	return duck.ScalarFuncExecutor{ChunkContextExecutor: s.call}
}

// call runs the function on a chunk. A panic would end the process, since it would have to cross the engine's own code; it becomes an error of the statement.
func (s *scalar) call(ctx context.Context, chunk *duck.ChunkIteratorState) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("function %s broke down: %v\n%s", s.f.Name, v, debug.Stack())
		}
	}()
	args := make([][]any, len(s.f.Params))
	rows := 0
	for row, err := range chunk.Rows() {
		if err != nil {
			return err
		}
		for k := range args {
			args[k] = append(args[k], *row.GetValuePtr(k))
		}
		rows++
	}
	if len(args) == 0 && rows == 0 {
		rows = 1
	}
	out := make([]any, rows)
	if ctx == nil {
		ctx = context.Background()
	}
	if err := s.f.Call(ctx, rows, args, out); err != nil {
		return err
	}
	i := 0
	for row, err := range chunk.Rows() {
		if err != nil {
			return err
		}
		if err := row.SetResult(sqldriver.Value(out[i])); err != nil {
			return err
		}
		i++
	}
	return nil
}
