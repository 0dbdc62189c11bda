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
	"errors"
	"runtime/cgo"
	"sync"
	"unsafe"

	"github.com/duckdb/duckdb-go/v2/mapping"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
)

// scalar is a function as the engine knows it.
type scalar struct {
	instance string
	driver.Scalar
}

var scalarTypes = map[driver.Type]mapping.Type{
	driver.Text: mapping.TypeVarchar, driver.JSON: mapping.TypeVarchar, driver.BigInt: mapping.TypeBigInt,
	driver.Double: mapping.TypeDouble, driver.Boolean: mapping.TypeBoolean,
}

// RegisterScalar makes Go functions callable from SQL, by every session of the database, in place
// of functions of their names. The engine calls them with chunks of up to 2,048 rows from several
// threads at once; text is not copied on its way in.
func (c *Conn) RegisterScalar(_ context.Context, functions ...driver.Scalar) error {
	byName := map[string][]driver.Scalar{}
	var names []string
	for _, f := range functions {
		if f.Name == "" || f.Eval == nil {
			return errcode.New(errcode.InvalidArgument, "duckdb: a function needs a name and something to call")
		}
		if byName[f.Name] == nil {
			names = append(names, f.Name)
		}
		byName[f.Name] = append(byName[f.Name], f)
	}
	s, err := c.acquire()
	if err != nil {
		return err
	}
	defer c.release(s)
	for _, name := range names {
		if err := s.register(name, byName[name]); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) register(name string, overloads []driver.Scalar) error {
	set := mapping.CreateScalarFunctionSet(name)
	defer mapping.DestroyScalarFunctionSet(&set)
	for _, f := range overloads {
		function, err := s.db.scalarFunction(f)
		if err != nil {
			return err
		}
		state := mapping.AddScalarFunctionToSet(set, function)
		mapping.DestroyScalarFunction(&function)
		if state == mapping.StateError {
			return errcode.New(errcode.AlreadyExists, "duckdb: function %s: two overloads have the same parameters", name)
		}
	}
	if mapping.RegisterScalarFunctionSet(s.conn, set) == mapping.StateError {
		return errcode.New(errcode.AlreadyExists, "duckdb: function %s cannot be registered; the engine may have one of that name", name)
	}
	return nil
}

func (c *Conn) scalarFunction(f driver.Scalar) (mapping.ScalarFunction, error) {
	function := mapping.CreateScalarFunction()
	mapping.ScalarFunctionSetName(function, f.Name)
	typed := func(t driver.Type, set func(mapping.ScalarFunction, mapping.LogicalType)) error {
		id, ok := scalarTypes[t]
		if !ok {
			return errcode.New(errcode.Unimplemented, "duckdb: function %s: no parameter or result of type %s", f.Name, t)
		}
		logical := mapping.CreateLogicalType(id)
		if t == driver.JSON {
			mapping.LogicalTypeSetAlias(logical, "JSON")
		}
		set(function, logical)
		mapping.DestroyLogicalType(&logical)
		return nil
	}
	err := typed(f.Result, mapping.ScalarFunctionSetReturnType)
	for _, p := range f.Params {
		if p == driver.JSON {
			p = driver.Text // JSON is text already; a text argument would have to be cast
		}
		err = errors.Join(err, typed(p, mapping.ScalarFunctionAddParameter))
	}
	if err != nil {
		mapping.DestroyScalarFunction(&function)
		return function, err
	}
	mapping.ScalarFunctionSetSpecialHandling(function) // NULLs are the function's business
	if f.Volatile {
		mapping.ScalarFunctionSetVolatile(function)
	}
	handle := (*C.uintptr_t)(C.malloc(C.size_t(unsafe.Sizeof(C.uintptr_t(0)))))
	*handle = C.uintptr_t(cgo.NewHandle(&scalar{instance: c.instance, Scalar: f}))
	mapping.ScalarFunctionSetExtraInfo(function, unsafe.Pointer(handle), unsafe.Pointer(C.badgerScalarDelete))
	mapping.ScalarFunctionSetBind(function, unsafe.Pointer(C.badgerScalarBind))
	mapping.ScalarFunctionSetFunction(function, unsafe.Pointer(C.badgerScalarCall))
	return function, nil
}

//export badgerScalarDelete
func badgerScalarDelete(data unsafe.Pointer) {
	cgo.Handle(*(*C.uintptr_t)(data)).Delete()
	C.free(data)
}

// badgerScalarBind remembers which connection a statement runs on.
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

// vectors are reused: a chunk's headers are tens of kilobytes.
var textHeaders = sync.Pool{New: func() any { return new([]string) }}

// call calls the function with the engine's vectors.
func (f *scalar) call(ctx context.Context, input mapping.DataChunk, output mapping.Vector) error {
	n := int(mapping.DataChunkGetSize(input)) //nolint:gosec // 2048 at most
	args := make([]driver.Vector, len(f.Params))
	for i := range args {
		var header *[]string
		if t := f.Params[i]; t == driver.Text || t == driver.JSON {
			header = textHeaders.Get().(*[]string)
			defer textHeaders.Put(header)
		}
		args[i] = argument(f.Params[i], mapping.DataChunkGetVector(input, mapping.IdxT(i)), n, header) //nolint:gosec // few
	}
	out := driver.Vector{Type: f.Result}
	switch f.Result {
	case driver.BigInt:
		out.Ints = values[int64](output, n)
		clear(out.Ints)
	case driver.Double:
		out.Floats = values[float64](output, n)
		clear(out.Floats)
	case driver.Boolean:
		out.Bools = values[bool](output, n)
		clear(out.Bools)
	default:
		header := textHeaders.Get().(*[]string)
		defer textHeaders.Put(header)
		*header = resized(*header, n)
		clear(*header)
		out.Texts = *header
	}
	if err := f.eval(ctx, args, &out, n); err != nil {
		return err
	}
	if out.Texts != nil {
		if err := setResult(output, out, n); err != nil {
			return errcode.New(errcode.Of(err), "function %s: %w", f.Name, err)
		}
	}
	if out.Null != nil {
		mapping.VectorEnsureValidityWritable(output)
		m := mask(output, n)
		for i, null := range out.Null {
			if null {
				m[i>>6] &^= 1 << (i & 63)
			}
		}
	}
	return nil
}

func resized(s []string, n int) []string {
	if cap(s) < n {
		return make([]string, n)
	}
	return s[:n]
}

// argument is a vector as it lies in the engine's memory.
func argument(t driver.Type, v mapping.Vector, n int, header *[]string) driver.Vector {
	a := driver.Vector{Type: t}
	present := mask(v, n)
	if present != nil {
		for i := range n {
			if !valid(present, i) {
				a.SetNullOf(n, i)
			}
		}
	}
	switch t {
	case driver.BigInt:
		a.Ints = values[int64](v, n)
	case driver.Double:
		a.Floats = values[float64](v, n)
	case driver.Boolean:
		a.Bools = values[bool](v, n)
	default:
		in := values[text](v, n)
		*header = resized(*header, n)
		for i := range in {
			(*header)[i] = ""
			if valid(present, i) {
				b := in[i].bytes()
				(*header)[i] = unsafe.String(unsafe.SliceData(b), len(b))
			}
		}
		a.Texts = *header
	}
	return a
}

// setResult copies text results into the engine's memory.
func setResult(v mapping.Vector, out driver.Vector, n int) error {
	total := 0
	for _, s := range out.Texts {
		total += len(s)
	}
	if total > maxChunkText {
		return errcode.New(errcode.ResourceExhausted, "more than %d bytes of results for %d rows", maxChunkText, n)
	}
	all := make([]byte, 0, total)
	for _, s := range out.Texts {
		all = append(all, s...)
	}
	setTexts(v, all, n, func(i int) int { return len(out.Texts[i]) })
	return nil
}

// eval calls the function with a chunk. Where it panics, it is called again row by row, so that
// only the rows that panic are lost: a panic must not cross the engine's code, which would end the
// process.
func (f *scalar) eval(ctx context.Context, args []driver.Vector, out *driver.Vector, n int) error {
	v, err := f.try(ctx, args, out)
	if v == nil {
		return err
	}
	out.Null = nil
	row := make([]driver.Vector, len(args))
	for i := range n {
		if err := ctx.Err(); err != nil {
			return err
		}
		for k := range args {
			row[k] = args[k].Slice(i, i+1)
		}
		one := out.Slice(i, i+1)
		v, err := f.try(ctx, row, &one)
		if v != nil {
			one = out.Slice(i, i+1)
			if f.Panicked != nil {
				v, err = f.panicked(&one, v)
			}
			if v != nil {
				one.SetNull(0)
			}
		}
		if err != nil {
			return err
		}
		if one.IsNull(0) {
			out.SetNullOf(n, i)
		}
	}
	return nil
}

func (f *scalar) try(ctx context.Context, args []driver.Vector, out *driver.Vector) (v any, err error) {
	defer func() { v = recover() }()
	return nil, f.Eval(ctx, args, out)
}

func (f *scalar) panicked(out *driver.Vector, cause any) (v any, err error) {
	defer func() { v = recover() }()
	f.Panicked(out, cause)
	return nil, nil
}
