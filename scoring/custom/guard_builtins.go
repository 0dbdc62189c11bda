package custom

import (
	"math/bits"

	"go.starlark.net/starlark"

	"github.com/badger-eval/badger/internal/errcode"
)

// universe holds Starlark's built-in functions, wrapped so that their cost is charged before they run.
var universe = func() starlark.StringDict {
	d := starlark.StringDict{}
	for name, v := range starlark.Universe {
		inner, ok := v.(*starlark.Builtin)
		if !ok {
			continue // None, True and False are not functions
		}
		charge := charges[name]
		if charge == nil {
			charge = chargeArguments
		}
		d[name] = starlark.NewBuiltin(name,
			func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
				if err := charge(budgetOf(t), args, kwargs); err != nil {
					return nil, err
				}
				z, err := inner.CallInternal(t, args, kwargs)
				if err != nil {
					return nil, plain(name, err)
				}
				if text, ok := z.(starlark.String); ok && textMakers[name] {
					_, same := args[0].(starlark.String) // str of a string is that string
					if err := budgetOf(t).derived(text, same && name == "str", args...); err != nil {
						return nil, err
					}
				}
				return z, fits(z)
			})
	}
	d["getattr"] = starlark.NewBuiltin("getattr",
		func(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			var x, otherwise starlark.Value
			var name string
			if err := starlark.UnpackPositionalArgs(b.Name(), args, kwargs, 2, &x, &name, &otherwise); err != nil {
				return nil, err
			}
			v, err := attribute(budgetOf(t), x, name)
			switch literals, _ := t.Local(literalsKey).(map[string]bool); {
			case err != nil && otherwise != nil:
				return otherwise, nil
			case err != nil && !literals[name]: // the name may be data
				return nil, errcode.New(errcode.InvalidArgument, "getattr: %s has no such field or method", x.Type())
			}
			return v, err
		})
	d["fail"] = starlark.NewBuiltin("fail", fail)
	return d
}()

// charges holds the functions that charge for built-in functions whose cost is not that of reading the arguments once
// and copying them (chargeArguments).
var charges = map[string]func(*budget, starlark.Tuple, []starlark.Tuple) error{
	"len": chargeNothing, "type": chargeNothing, "bool": chargeNothing, "abs": chargeNothing, "range": chargeNothing,
	"ord": chargeNothing, "chr": chargeNothing,
	"hasattr": chargeNothing, "dir": chargeNothing,
	"str": chargeWriting, "repr": chargeWriting, "print": chargeWriting,
	"sorted": chargeSorting, "min": chargeSorting, "max": chargeSorting,
	"dict": chargeHashing, "set": chargeHashing,
	"any": chargeLooking, "all": chargeLooking, "hash": chargeLooking, "float": chargeLooking,
	"zip": chargePairs, "enumerate": chargePairs,
	"int": func(b *budget, args starlark.Tuple, _ []starlark.Tuple) error {
		if len(args) > 0 && starlark.Len(args[0]) > maxIntDigits {
			return errTooBig
		}
		return b.work(1)
	},
}

func chargeNothing(*budget, starlark.Tuple, []starlark.Tuple) error { return nil }

func chargeArguments(b *budget, args starlark.Tuple, kwargs []starlark.Tuple) error {
	return eachArgument(args, kwargs, func(v starlark.Value) error { return b.alloc(32 + wordBytes*sizeOf(v)) })
}

func chargePairs(b *budget, args starlark.Tuple, kwargs []starlark.Tuple) error {
	return eachArgument(args, kwargs, func(v starlark.Value) error { return b.alloc(32 + 5*wordBytes*sizeOf(v)) })
}

func chargeLooking(b *budget, args starlark.Tuple, kwargs []starlark.Tuple) error {
	return eachArgument(args, kwargs, func(v starlark.Value) error { return b.work(1 + sizeOf(v)) })
}

func chargeWriting(b *budget, args starlark.Tuple, kwargs []starlark.Tuple) error {
	return eachArgument(args, kwargs, func(v starlark.Value) error {
		if _, ok := v.(starlark.String); ok {
			return b.read(sizeOf(v))
		}
		size, err := b.walk(v)
		if err != nil {
			return err
		}
		return b.alloc(size)
	})
}

func chargeSorting(b *budget, args starlark.Tuple, kwargs []starlark.Tuple) error {
	return eachArgument(args, kwargs, func(v starlark.Value) error {
		n := sizeOf(v)
		if starlark.Len(v) < 0 {
			return b.work(1)
		}
		if err := b.alloc(2 * wordBytes * n); err != nil {
			return err
		}
		before := b.left()
		if _, err := b.walk(v); err != nil {
			return err
		}
		return b.work(times(before-b.left(), int64(bits.Len64(uint64(n))))) //nolint:gosec // a length
	})
}

func chargeHashing(b *budget, args starlark.Tuple, kwargs []starlark.Tuple) error {
	return eachArgument(args, kwargs, func(v starlark.Value) error {
		if err := b.alloc(480 + 2*entryBytes*sizeOf(v)); err != nil {
			return err
		}
		return eachKey(b, v)
	})
}

func eachArgument(args starlark.Tuple, kwargs []starlark.Tuple, f func(starlark.Value) error) error {
	for _, v := range args {
		if err := f(v); err != nil {
			return err
		}
	}
	for _, kv := range kwargs {
		if err := f(kv[1]); err != nil {
			return err
		}
	}
	return nil
}

// literalsKey is the key under which a thread stores the string literals of its script.
const literalsKey = "literals"

// fail implements fail(message): it stops the script with an error. The message is included only if it is a literal
// in the script, since any other string may contain data.
func fail(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	literals, _ := t.Local(literalsKey).(map[string]bool)
	if len(args) == 1 {
		if msg, ok := starlark.AsString(args[0]); ok && literals[msg] {
			return nil, errcode.New(errcode.InvalidArgument, "fail: %.200s", msg)
		}
	}
	return nil, errcode.New(errcode.InvalidArgument, "the script called fail()")
}
