package duckdb

/*
#include <stdint.h>
#include <stdlib.h>

void *badger_copy_id(void *id);
void badgerScalarBind(void *info);
void badgerScalarCall(void *info, void *input, void *output);
void badgerScalarDelete(void *data);
*/
import "C"

import (
	"context"
	"runtime/cgo"
	"sync"
	"unsafe"

	"github.com/duckdb/duckdb-go/v2/mapping"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/duckdb/internal/vector"
	"github.com/badger-eval/badger/internal/columnar"
	"github.com/badger-eval/badger/internal/errcode"
)

// scalar is a function together with the instance that it is registered in.
type scalar struct {
	instance string
	driver.Scalar
}

var scalarTypes = [...]mapping.Type{
	columnar.VARCHAR: mapping.TypeVarchar, columnar.JSON: mapping.TypeVarchar, columnar.BIGINT: mapping.TypeBigInt,
	columnar.DOUBLE: mapping.TypeDouble, columnar.BOOLEAN: mapping.TypeBoolean,
}

// RegisterScalar makes Go functions callable from SQL in every session of the database. They replace functions with the
// same names. The engine calls them with chunks of up to 2,048 rows, concurrently from several threads. Strings of
// arguments are not copied.
func (c *Conn) RegisterScalar(ctx context.Context, functions ...driver.Scalar) error {
	byName := map[string][]driver.Scalar{}
	var names []string
	for _, f := range functions {
		if f.Name == "" || f.Eval == nil {
			return errcode.New(errcode.InvalidArgument, "duckdb: a function requires a name and an implementation")
		}
		if byName[f.Name] == nil {
			names = append(names, f.Name)
		}
		byName[f.Name] = append(byName[f.Name], f)
	}
	s, err := c.acquire(ctx)
	if err != nil {
		return err
	}
	defer c.release(s)
	for _, name := range names {
		if err := s.register(name, byName[name]); err != nil {
			return err
		}
		c.mu.Lock()
		c.functions[name] = byName[name]
		c.mu.Unlock()
	}
	return nil
}

func (s *session) register(name string, overloads []driver.Scalar) error {
	set := mapping.CreateScalarFunctionSet(name)
	defer mapping.DestroyScalarFunctionSet(&set)
	for _, f := range overloads {
		function := s.db.scalarFunction(f)
		state := mapping.AddScalarFunctionToSet(set, function)
		mapping.DestroyScalarFunction(&function)
		if state == mapping.StateError {
			return errcode.New(errcode.AlreadyExists, "duckdb: function %s: two overloads have the same parameters", name)
		}
	}
	if mapping.RegisterScalarFunctionSet(s.conn, set) == mapping.StateError {
		return errcode.New(errcode.AlreadyExists,
			"duckdb: function %s cannot be registered; the engine may have one of that name", name)
	}
	return nil
}

func (c *Conn) scalarFunction(f driver.Scalar) mapping.ScalarFunction {
	function := mapping.CreateScalarFunction()
	mapping.ScalarFunctionSetName(function, f.Name)
	typed := func(t columnar.Type, set func(mapping.ScalarFunction, mapping.LogicalType)) {
		logical := mapping.CreateLogicalType(scalarTypes[t])
		if t == columnar.JSON {
			mapping.LogicalTypeSetAlias(logical, "JSON")
		}
		set(function, logical)
		mapping.DestroyLogicalType(&logical)
	}
	typed(f.Result, mapping.ScalarFunctionSetReturnType)
	for _, p := range f.Params {
		if p == columnar.JSON {
			p = columnar.VARCHAR // JSON is a string already; a string argument would have to be cast
		}
		typed(p, mapping.ScalarFunctionAddParameter)
	}
	mapping.ScalarFunctionSetSpecialHandling(function) // the function handles NULLs
	if f.Volatile {
		mapping.ScalarFunctionSetVolatile(function)
	}
	handle := (*C.uintptr_t)(C.malloc(C.size_t(unsafe.Sizeof(C.uintptr_t(0)))))
	*handle = C.uintptr_t(cgo.NewHandle(&scalar{instance: c.instance, Scalar: f}))
	mapping.ScalarFunctionSetExtraInfo(function, unsafe.Pointer(handle), unsafe.Pointer(C.badgerScalarDelete))
	mapping.ScalarFunctionSetBind(function, unsafe.Pointer(C.badgerScalarBind))
	mapping.ScalarFunctionSetFunction(function, unsafe.Pointer(C.badgerScalarCall))
	return function
}

//export badgerScalarDelete
func badgerScalarDelete(data unsafe.Pointer) {
	cgo.Handle(*(*C.uintptr_t)(data)).Delete()
	C.free(data)
}

// badgerScalarBind stores with a statement the number of the connection that it runs on.
//
//export badgerScalarBind
func badgerScalarBind(info unsafe.Pointer) {
	bind := mapping.BindInfo{Ptr: info}
	var client mapping.ClientContext
	mapping.ScalarFunctionGetClientContext(bind, &client)
	id := (*C.uint64_t)(C.malloc(8))
	*id = C.uint64_t(mapping.ClientContextGetConnectionId(client))
	mapping.DestroyClientContext(&client)
	mapping.ScalarFunctionSetBindDataCopy(bind, unsafe.Pointer(C.badger_copy_id))
	mapping.ScalarFunctionSetBindData(bind, unsafe.Pointer(id), unsafe.Pointer(C.free))
}

//export badgerScalarCall
func badgerScalarCall(info, input, output unsafe.Pointer) {
	call := mapping.FunctionInfo{Ptr: info}
	f := cgo.Handle(*(*C.uintptr_t)(mapping.ScalarFunctionGetExtraInfo(call))).Value().(*scalar)
	ctx := context.Background()
	var s *session
	if id := mapping.ScalarFunctionGetBindData(call); id != nil {
		if found, ok := sessions.Load(sessionKey{f.instance, uint64(*(*C.uint64_t)(id))}); ok {
			s = found.(*session)
			ctx = s.context()
		}
	}
	if err := f.call(ctx, mapping.DataChunk{Ptr: input}, mapping.Vector{Ptr: output}); err != nil {
		if s != nil {
			s.fail(err)
		}
		mapping.ScalarFunctionSetError(call, err.Error())
	}
}

// scratches are reused, as one takes tens of kilobytes.
var scratches = sync.Pool{New: func() any { return new(vector.Scratch) }}

// call calls the function with the engine's vectors and stores its result in output.
func (f *scalar) call(ctx context.Context, input mapping.DataChunk, output mapping.Vector) error {
	n := int(mapping.DataChunkGetSize(input)) //nolint:gosec // 2048 at most
	args := make([]columnar.Column, len(f.Params))
	for i := range args {
		s := scratches.Get().(*vector.Scratch)
		defer scratches.Put(s)
		args[i] = vector.Argument(f.Params[i], mapping.DataChunkGetVector(input, mapping.IdxT(i)), n, s) //nolint:gosec // few
	}
	s := scratches.Get().(*vector.Scratch)
	defer scratches.Put(s)
	out := vector.Result(f.Result, output, n, s)
	if err := f.eval(ctx, args, &out); err != nil {
		return err
	}
	if err := vector.Store(output, &out); err != nil {
		return errcode.New(errcode.Of(err), "function %s: %w", f.Name, err)
	}
	return nil
}

// eval calls the function with a chunk. If it panics, it is called again row by row, and only rows that panic again are
// NULL. A panic that reached the engine's code would crash the process.
func (f *scalar) eval(ctx context.Context, args []columnar.Column, out *columnar.Column) error {
	panicked, err := f.try(ctx, args, out)
	if !panicked {
		return err
	}
	out.Resize(out.Len())
	row := make([]columnar.Column, len(args))
	for i := range out.Len() {
		if err := ctx.Err(); err != nil {
			return err
		}
		for k := range args {
			row[k] = args[k].Row(i)
		}
		one := out.Row(i)
		panicked, err := f.try(ctx, row, &one)
		if err != nil {
			return err
		}
		if panicked {
			out.SetNull(i)
		}
	}
	return nil
}

func (f *scalar) try(ctx context.Context, args []columnar.Column, out *columnar.Column) (panicked bool, err error) {
	defer func() { panicked = recover() != nil }()
	return false, f.Eval(ctx, args, out)
}
