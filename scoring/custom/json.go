package custom

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"github.com/badger-eval/badger/internal/errcode"
)

// jsonModule is the module json with decode and encode. Whole numbers are decoded as ints, other numbers as floats if
// a float has the same digits, else as decimals, as in inline results.
var jsonModule = &starlarkstruct.Module{Name: "json", Members: starlark.StringDict{
	"decode": starlark.NewBuiltin("json.decode",
		func(t *starlark.Thread, fn *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			var text string
			var otherwise starlark.Value // returned for a string that is not JSON
			if err := starlark.UnpackArgs(fn.Name(), args, kwargs, "x", &text, "default?", &otherwise); err != nil {
				return nil, err
			}
			if err := budgetOf(t).alloc(4 * int64(len(text))); err != nil {
				return nil, err
			}
			v, err := decodeJSON(budgetOf(t), []byte(text))
			if otherwise != nil && errcode.Of(err) == errcode.InvalidArgument {
				return otherwise, nil
			}
			return v, err
		}),
	"encode": starlark.NewBuiltin("json.encode",
		func(t *starlark.Thread, fn *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			var v starlark.Value
			if err := starlark.UnpackPositionalArgs(fn.Name(), args, kwargs, 1, &v); err != nil {
				return nil, err
			}
			b := budgetOf(t)
			size, err := b.walk(v)
			if err != nil {
				return nil, err
			}
			if err := b.alloc(2 * size); err != nil {
				return nil, err
			}
			out, err := encodeJSON(nil, v, 0)
			if err != nil {
				return nil, err
			}
			return starlark.String(out), b.derived(starlark.String(out), false, v)
		}),
}}

const maxNesting = 64

var errNoJSON = errcode.New(errcode.InvalidArgument, "json.decode: invalid JSON")

// decodeJSON decodes one JSON value, and charges for it if b is not nil.
func decodeJSON(b *budget, text []byte) (starlark.Value, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	v, err := decodeNext(b, d, 0)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errNoJSON
	}
	return v, nil
}

func decodeNext(b *budget, d *json.Decoder, depth int) (starlark.Value, error) {
	if depth > maxNesting {
		return nil, errcode.New(errcode.ResourceExhausted, "json.decode: nested more than %d deep", maxNesting)
	}
	if b != nil {
		if err := b.alloc(entryBytes); err != nil {
			return nil, err
		}
	}
	tok, err := d.Token()
	if err != nil {
		return nil, errNoJSON
	}
	switch tok := tok.(type) {
	case nil:
		return starlark.None, nil
	case bool:
		return starlark.Bool(tok), nil
	case string:
		return starlark.String(tok), nil
	case json.Number:
		return numberOf(string(tok))
	case json.Delim:
		if tok == '[' {
			var list []starlark.Value
			for d.More() {
				v, err := decodeNext(b, d, depth+1)
				if err != nil {
					return nil, err
				}
				list = append(list, v)
			}
			if _, err := d.Token(); err != nil {
				return nil, errNoJSON
			}
			return starlark.NewList(list), nil
		}
		dict := starlark.NewDict(0)
		for d.More() {
			k, err := d.Token()
			name, ok := k.(string)
			if err != nil || !ok {
				return nil, errNoJSON
			}
			v, err := decodeNext(b, d, depth+1)
			if err != nil {
				return nil, err
			}
			if b != nil {
				if err := key(b, starlark.String(name)); err != nil {
					return nil, err
				}
			}
			if err := dict.SetKey(starlark.String(name), v); err != nil {
				return nil, err
			}
		}
		if _, err := d.Token(); err != nil {
			return nil, errNoJSON
		}
		return dict, nil
	}
	return nil, errNoJSON
}

func numberOf(s string) (starlark.Value, error) {
	d, err := parseDecimal(s)
	if err != nil {
		return nil, errcode.New(errcode.ResourceExhausted, "json.decode: a number of more than %d digits", maxDigits)
	}
	if !strings.ContainsAny(s, ".eE") {
		return starlark.MakeBigInt(d.unscaled), nil
	}
	if f, err := strconv.ParseFloat(s, 64); err == nil && !math.IsInf(f, 0) {
		if back, err := parseDecimal(strconv.FormatFloat(f, 'g', -1, 64)); err == nil {
			if c, _ := back.Cmp(d, 0); c == 0 {
				return starlark.Float(f), nil
			}
		}
	}
	return d, nil
}

// encodeJSON appends v as JSON. Dicts keep their order, and decimals are numbers with all their digits.
func encodeJSON(out []byte, v starlark.Value, depth int) ([]byte, error) {
	if depth > maxNesting {
		return nil, errcode.New(errcode.InvalidArgument, "nested more than %d deep", maxNesting)
	}
	var err error
	switch v := v.(type) {
	case starlark.NoneType:
		return append(out, "null"...), nil
	case starlark.Bool:
		return strconv.AppendBool(out, bool(v)), nil
	case starlark.Int, decimal:
		return append(out, v.String()...), nil
	case starlark.Float:
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return nil, errcode.New(errcode.InvalidArgument, "JSON has no NaN and no infinity")
		}
		return strconv.AppendFloat(out, float64(v), 'g', -1, 64), nil
	case starlark.String:
		text, _ := json.Marshal(string(v)) // text always can be
		return append(out, text...), nil
	case *starlark.Dict:
		out = append(out, '{')
		i := 0
		for k, e := range v.Entries() {
			name, ok := starlark.AsString(k)
			if !ok {
				return nil, errcode.New(errcode.InvalidArgument, "a key of type %s, expected text", k.Type())
			}
			if i++; i > 1 {
				out = append(out, ',')
			}
			text, _ := json.Marshal(name)
			out = append(append(out, text...), ':')
			if out, err = encodeJSON(out, e, depth+1); err != nil {
				return nil, err
			}
		}
		return append(out, '}'), nil
	case starlark.Bytes:
	case starlark.Iterable: // lists, tuples, sets, rows of results
		out = append(out, '[')
		i := 0
		for e := range starlark.Elements(v) {
			if i++; i > 1 {
				out = append(out, ',')
			}
			if out, err = encodeJSON(out, e, depth+1); err != nil {
				return nil, err
			}
		}
		return append(out, ']'), nil
	}
	return nil, errcode.New(errcode.InvalidArgument, "a value of type %s has no JSON form", v.Type())
}
