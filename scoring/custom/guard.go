package custom

import (
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/badger-eval/badger/internal/errcode"
)

// budgetKey is the key of a thread's budget.
const budgetKey = "budget"

func budgetOf(t *starlark.Thread) *budget {
	return t.Local(budgetKey).(*budget) //nolint:forcetypeassert // newThread sets it
}

type builtin = func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error)

// guards are the functions that rewritten scripts call instead of operators, attributes and so on.
var guards = func() starlark.StringDict {
	d := starlark.StringDict{}
	add := func(name string, f builtin) { d[name] = starlark.NewBuiltin(name, f) }
	for op := syntax.PLUS; op <= syntax.GTGT; op++ {
		add(guardOp+op.String(), operator(op))
		add(guardOp+op.String()+"=", inPlace(op))
	}
	for _, op := range []syntax.Token{syntax.LT, syntax.GT, syntax.GE, syntax.LE, syntax.EQL, syntax.NEQ, syntax.IN,
		syntax.NOT_IN} {
		add(guardOp+op.String(), operator(op))
	}
	add(guardAttr,
		func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			name, _ := starlark.AsString(args[1])
			return attribute(budgetOf(t), args[0], name)
		})
	add(guardKey,
		func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			return args[0], key(budgetOf(t), args[0])
		})
	add(guardStore,
		func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			b := budgetOf(t)
			if err := b.alloc(entryBytes); err != nil {
				return nil, err
			}
			return args[0], key(b, args[0])
		})
	add(guardDict,
		func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			const empty = 480 // a dict has room for eight entries at once
			return args[0], budgetOf(t).alloc(empty + entryBytes*sizeOf(args[0]))
		})
	add(guardSpread,
		func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			return args[0], budgetOf(t).alloc(wordBytes * sizeOf(args[0]))
		})
	add(guardSlice, slice)
	add(guardAugment, augment)
	return d
}()

func operator(op syntax.Token) builtin {
	return func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		return operate(budgetOf(t), op, args[0], args[1])
	}
}

// operate returns x op y, after charging its cost to the budget.
func operate(b *budget, op syntax.Token, x, y starlark.Value) (starlark.Value, error) {
	switch op {
	case syntax.EQL, syntax.NEQ, syntax.LT, syntax.LE, syntax.GT, syntax.GE:
		if err := b.compare(x, y); err != nil {
			return nil, err
		}
		ok, err := starlark.Compare(op, x, y)
		return starlark.Bool(ok), err
	case syntax.IN, syntax.NOT_IN:
		if err := chargeIn(b, x, y); err != nil {
			return nil, err
		}
	default:
		if err := chargeOperator(b, op, x, y); err != nil {
			return nil, err
		}
	}
	z, err := starlark.Binary(op, x, y)
	if err != nil {
		return nil, err
	}
	if err := b.derivedBy(op, z, x, y); err != nil {
		return nil, err
	}
	return z, fits(z)
}

func chargeIn(b *budget, x, y starlark.Value) error {
	switch y := y.(type) {
	case *starlark.List, starlark.Tuple:
		each, err := b.walk(x)
		if err != nil {
			return err
		}
		return b.work(times(sizeOf(y), 1+each/64))
	case *starlark.Dict, *starlark.Set:
		return key(b, x)
	}
	if s, ok := y.(starlark.String); ok {
		return b.read(int64(len(s)) + sizeOf(x))
	}
	return b.work(1)
}

func chargeOperator(b *budget, op syntax.Token, x, y starlark.Value) error {
	switch op {
	case syntax.STAR:
		if tooWide(x, y) {
			return errTooBig
		}
		if _, ok := x.(starlark.Int); ok {
			x, y = y, x
		}
		n, ok := y.(starlark.Int)
		if _, number := x.(starlark.Int); !ok || number || starlark.Len(x) < 0 {
			return b.work(1)
		}
		count, small := n.Int64()
		if !small {
			count = 1 << 60
		}
		return b.alloc(times(bytesOf(x), max(count, 0)))
	case syntax.PLUS:
		return b.alloc(bytesOf(x) + bytesOf(y))
	case syntax.PERCENT:
		if format, ok := x.(starlark.String); ok {
			each, err := b.walk(y)
			if err != nil {
				return err
			}
			return b.alloc(int64(len(format)) + times(int64(strings.Count(string(format), "%")), each))
		}
	case syntax.PIPE, syntax.AMP, syntax.CIRCUMFLEX, syntax.MINUS:
		if starlark.Len(x) >= 0 && starlark.Len(y) >= 0 {
			if err := eachKey(b, y); err != nil {
				return err
			}
			return b.alloc(entryBytes * (sizeOf(x) + sizeOf(y)))
		}
	}
	return b.work(1)
}

// bytesOf returns the size in bytes of a copy of a string, list or tuple; 0 for any other value.
func bytesOf(v starlark.Value) int64 {
	switch v := v.(type) {
	case starlark.String:
		return int64(len(v))
	case starlark.Bytes:
		return int64(len(v))
	case *starlark.List:
		return wordBytes * int64(v.Len())
	case starlark.Tuple:
		return wordBytes * int64(len(v))
	}
	return 0
}

// inPlace returns the guard for x op= y: += extends a list and |= updates a dict in place; otherwise it computes x op
// y.
func inPlace(op syntax.Token) builtin {
	return func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		return assignOperate(t, op, args[0], args[1])
	}
}

func assignOperate(t *starlark.Thread, op syntax.Token, x, y starlark.Value) (starlark.Value, error) {
	b := budgetOf(t)
	switch x := x.(type) {
	case *starlark.List:
		if _, ok := y.(starlark.Iterable); ok && op == syntax.PLUS {
			_, err := callMethod(t, x, "extend", starlark.Tuple{y})
			return x, err
		}
	case *starlark.Dict:
		if _, ok := y.(*starlark.Dict); ok && op == syntax.PIPE {
			_, err := callMethod(t, x, "update", starlark.Tuple{y})
			return x, err
		}
	}
	return operate(b, op, x, y)
}

func callMethod(t *starlark.Thread, recv starlark.HasAttrs, name string, args starlark.Tuple) (starlark.Value, error) {
	m, err := attribute(budgetOf(t), recv, name)
	if err != nil {
		return nil, err
	}
	return starlark.Call(t, m, args, nil)
}

// augment implements container[k] op= y.
func augment(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	container, k, y := args[0], args[1], args[3]
	b := budgetOf(t)
	if err := key(b, k); err != nil {
		return nil, err
	}
	if err := b.alloc(entryBytes); err != nil {
		return nil, err
	}
	opText, _ := starlark.AsString(args[2])
	op := opsByText[opText]
	switch c := container.(type) {
	case *starlark.Dict:
		x, found, err := c.Get(k)
		if err != nil {
			return nil, err
		}
		if !found {
			return nil, errMissingKey
		}
		z, err := assignOperate(t, op, x, y)
		if err != nil {
			return nil, err
		}
		return starlark.None, c.SetKey(k, z)
	case *starlark.List:
		i, err := starlark.AsInt32(k)
		if err != nil {
			return nil, errcode.New(errcode.InvalidArgument, "list index: got %s, expected int", k.Type())
		}
		if i < 0 {
			i += c.Len()
		}
		if i < 0 || i >= c.Len() {
			return nil, errcode.New(errcode.InvalidArgument, "list index out of range")
		}
		z, err := assignOperate(t, op, c.Index(i), y)
		if err != nil {
			return nil, err
		}
		return starlark.None, c.SetIndex(i, z)
	}
	return nil, errcode.New(errcode.InvalidArgument, "%s value does not support item assignment", container.Type())
}

var errMissingKey = errcode.New(errcode.InvalidArgument, "a key is not in the dict")

var opsByText = func() map[string]syntax.Token {
	m := map[string]syntax.Token{}
	for op := syntax.PLUS; op <= syntax.GTGT; op++ {
		m[op.String()] = op
	}
	return m
}()

// slice implements x[lo:hi:step].
func slice(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	b := budgetOf(t)
	x, ok := args[0].(starlark.Sliceable)
	if !ok {
		return nil, errcode.New(errcode.InvalidArgument, "a value of type %s cannot be sliced", args[0].Type())
	}
	n := x.Len()
	var at [3]int
	for i, v := range args[1:] {
		if v == starlark.None {
			continue
		}
		num, ok := v.(starlark.Int)
		if !ok {
			return nil, errcode.New(errcode.InvalidArgument, "slice: got %s, expected int", v.Type())
		}
		k, small := num.Int64()
		if !small {
			k = int64(num.Sign()) << 40
		}
		at[i] = int(min(max(k, -1<<40), 1<<40))
	}
	step := at[2]
	if args[3] == starlark.None {
		step = 1
	}
	if step == 0 {
		return nil, errcode.New(errcode.InvalidArgument, "slice: the step is 0")
	}
	bound := func(v starlark.Value, k, otherwise, low, high int) int {
		if v == starlark.None {
			return otherwise
		}
		if k < 0 {
			k += n
		}
		return min(max(k, low), high)
	}
	var lo, hi int
	if step > 0 {
		lo, hi = bound(args[1], at[0], 0, 0, n), bound(args[2], at[1], n, 0, n)
		hi = max(lo, hi)
	} else {
		lo, hi = bound(args[1], at[0], n-1, -1, n-1), bound(args[2], at[1], -1, -1, n-1)
		hi = min(lo, hi)
		step = max(step, -n-1)
	}
	if err := b.alloc(32 + bytesOf(args[0])*int64(max(hi-lo, lo-hi))/int64(max(n, 1))); err != nil {
		return nil, err
	}
	out := x.Slice(lo, hi, step)
	if text, ok := out.(starlark.String); ok {
		return out, b.derived(text, false, args[0])
	}
	return out, nil
}
