package custom

import (
	"math/big"
	"strconv"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// decimal is an exact decimal number in a script: unscaled / 10^scale. Addition, subtraction, multiplication and
// comparison are exact, also with integers. Arithmetic with floats is an error; a script must convert them first.
type decimal struct {
	unscaled *big.Int
	scale    int32 // digits after the point, from 0
}

const maxDigits = 1000

var (
	_              starlark.HasBinary      = decimal{}
	_              starlark.HasUnary       = decimal{}
	_              starlark.HasAttrs       = decimal{}
	_              starlark.TotallyOrdered = decimal{}
	errDecimalSize error                   = errcode.New(errcode.ResourceExhausted,
		"creates a decimal of more than %d digits", maxDigits)
)

func newDecimal(unscaled *big.Int, scale int32) (decimal, error) {
	if scale < 0 {
		if scale < -maxDigits {
			return decimal{}, errDecimalSize
		}
		unscaled, scale = new(big.Int).Mul(unscaled, pow10(-scale)), 0
	}
	if scale > maxDigits || unscaled.BitLen() > maxDigits*10/3 {
		return decimal{}, errDecimalSize
	}
	return decimal{unscaled, scale}, nil
}

func pow10(n int32) *big.Int { return new(big.Int).Exp(bigTen, big.NewInt(int64(n)), nil) }

// parseDecimal parses a decimal number such as "-1234.50" or "1.5e-3".
func parseDecimal(s string) (decimal, error) {
	bad := errcode.New(errcode.InvalidArgument, "decimal: the string is not a decimal number")
	s = strings.TrimSpace(s)
	if len(s) > 2*maxDigits {
		return decimal{}, errDecimalSize
	}
	mantissa, exponent := s, int64(0)
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		e, err := strconv.ParseInt(s[i+1:], 10, 16)
		if err != nil {
			return decimal{}, bad
		}
		mantissa, exponent = s[:i], e
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole, "+-") + fraction
	if digits == "" || strings.Trim(digits, "0123456789") != "" || len(whole)-len(strings.TrimLeft(whole, "+-")) > 1 {
		return decimal{}, bad
	}
	n, _ := new(big.Int).SetString(digits, 10)
	if strings.HasPrefix(whole, "-") {
		n.Neg(n)
	}
	return newDecimal(n, int32(int64(len(fraction))-exponent)) //nolint:gosec // both are short
}

// decimalOf converts an int, a string, a float or a decimal to a decimal. A float is converted to the shortest
// decimal that parses as the same float.
func decimalOf(v starlark.Value) (decimal, error) {
	switch v := v.(type) {
	case decimal:
		return v, nil
	case starlark.Int:
		return newDecimal(v.BigInt(), 0)
	case starlark.Float:
		return parseDecimal(strconv.FormatFloat(float64(v), 'g', -1, 64))
	case starlark.String:
		return parseDecimal(string(v))
	}
	return decimal{}, errcode.New(errcode.InvalidArgument, "decimal: got %s, expected an int, a float, a decimal or text",
		v.Type())
}

// String returns the number in decimal notation, with scale digits after the point.
func (d decimal) String() string { return scoring.BigDecimalValue(d.unscaled, d.scale).String() }

// Type returns "decimal".
func (d decimal) Type() string { return "decimal" }

// Freeze does nothing, since decimals are immutable.
func (d decimal) Freeze() {}

// Truth returns false for 0, else true.
func (d decimal) Truth() starlark.Bool { return d.unscaled.Sign() != 0 }

// Hash returns the same hash for equal numbers, whatever their scale.
func (d decimal) Hash() (uint32, error) { return starlark.String(d.normal().String()).Hash() }

// normal returns the number without trailing zeros after the decimal point.
func (d decimal) normal() decimal {
	n, scale := new(big.Int).Set(d.unscaled), d.scale
	for r := new(big.Int); scale > 0; scale-- {
		q, _ := new(big.Int).QuoRem(n, bigTen, r)
		if r.Sign() != 0 {
			break
		}
		n = q
	}
	return decimal{n, scale}
}

// aligned returns the unscaled values of two decimals at the larger of their scales.
func aligned(x, y decimal) (a, b *big.Int, scale int32) {
	a, b, scale = x.unscaled, y.unscaled, max(x.scale, y.scale)
	if x.scale < scale {
		a = new(big.Int).Mul(a, pow10(scale-x.scale))
	}
	if y.scale < scale {
		b = new(big.Int).Mul(b, pow10(scale-y.scale))
	}
	return a, b, scale
}

// Cmp compares two decimals exactly.
func (d decimal) Cmp(y starlark.Value, _ int) (int, error) {
	a, b, _ := aligned(d, y.(decimal)) //nolint:forcetypeassert // of the same type
	return a.Cmp(b), nil
}

// Binary implements +, - and * with a decimal or an int.
func (d decimal) Binary(op syntax.Token, y starlark.Value, side starlark.Side) (starlark.Value, error) {
	var other decimal
	switch y := y.(type) {
	case decimal:
		other = y
	case starlark.Int:
		var err error
		if other, err = newDecimal(y.BigInt(), 0); err != nil {
			return nil, err
		}
	case starlark.Float:
		return nil, errcode.New(errcode.InvalidArgument,
			"decimal %s float: convert one of them, with decimal(x) or x.float()", op)
	default:
		return nil, nil
	}
	left, right := d, other
	if side == starlark.Right {
		left, right = other, d
	}
	a, b, scale := aligned(left, right)
	switch op {
	case syntax.PLUS:
		return newDecimal(new(big.Int).Add(a, b), scale)
	case syntax.MINUS:
		return newDecimal(new(big.Int).Sub(a, b), scale)
	case syntax.STAR:
		return newDecimal(new(big.Int).Mul(left.unscaled, right.unscaled), left.scale+right.scale)
	case syntax.SLASH, syntax.SLASHSLASH, syntax.PERCENT:
		return nil, errcode.New(errcode.InvalidArgument,
			"decimals are divided with x.div(y, digits), which says how many digits are kept")
	}
	return nil, nil
}

// Unary implements the signs + and -.
func (d decimal) Unary(op syntax.Token) (starlark.Value, error) {
	switch op {
	case syntax.PLUS:
		return d, nil
	case syntax.MINUS:
		return decimal{new(big.Int).Neg(d.unscaled), d.scale}, nil
	}
	return nil, nil
}

// AttrNames returns the names of the methods.
func (d decimal) AttrNames() []string { return []string{"abs", "div", "eq", "float", "int", "round"} }

// Attr returns the method with a name, or nil if there is none.
func (d decimal) Attr(name string) (starlark.Value, error) {
	method := func(f func(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error)) (starlark.Value, error) {
		return starlark.NewBuiltin(name,
			func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
				if err := budgetOf(t).alloc(maxDigits); err != nil {
					return nil, err
				}
				return f(args, kwargs)
			}), nil
	}
	switch name {
	case "abs":
		return method(func(starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
			return decimal{new(big.Int).Abs(d.unscaled), d.scale}, nil
		})
	case "eq":
		return method(func(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			var y starlark.Value
			if err := starlark.UnpackPositionalArgs(name, args, kwargs, 1, &y); err != nil {
				return nil, err
			}
			other, err := decimalOf(y)
			if err != nil {
				return nil, err
			}
			c, err := d.Cmp(other, 0)
			return starlark.Bool(c == 0), err
		})
	case "float":
		return method(func(starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
			f, _ := strconv.ParseFloat(d.String(), 64)
			return starlark.Float(f), nil
		})
	case "int":
		return method(func(starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
			return starlark.MakeBigInt(new(big.Int).Quo(d.unscaled, pow10(d.scale))), nil
		})
	case "round":
		return method(func(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			digits := 0
			if err := starlark.UnpackPositionalArgs(name, args, kwargs, 0, &digits); err != nil {
				return nil, err
			}
			return quotient(d.unscaled, pow10(d.scale), digits)
		})
	case "div":
		return method(func(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			var y starlark.Value
			digits := 20
			if err := starlark.UnpackArgs(name, args, kwargs, "y", &y, "digits?", &digits); err != nil {
				return nil, err
			}
			other, err := decimalOf(y)
			if err != nil {
				return nil, err
			}
			a, b, _ := aligned(d, other)
			return quotient(a, b, digits)
		})
	}
	return nil, nil
}

// quotient returns a / b with the given number of decimal digits, halves rounded to even.
func quotient(a, b *big.Int, digits int) (starlark.Value, error) {
	if digits < 0 || digits > 100 {
		return nil, errcode.New(errcode.InvalidArgument, "digits is %d, expected 0 to 100", digits)
	}
	if b.Sign() == 0 {
		return nil, errcode.New(errcode.InvalidArgument, "decimal division by zero")
	}
	n := new(big.Int).Mul(a, pow10(int32(digits))) //nolint:gosec // checked above
	r := new(big.Int)
	q, r := new(big.Int).QuoRem(n, b, r)
	twice := new(big.Int).Abs(r)
	twice.Lsh(twice, 1)
	if c := twice.CmpAbs(b); c > 0 || c == 0 && q.Bit(0) == 1 {
		q.Add(q, big.NewInt(int64(n.Sign()*b.Sign())))
	}
	return newDecimal(q, int32(digits)) //nolint:gosec // checked above
}

func decimalFunction(t *starlark.Thread, fn *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
	var x starlark.Value
	if err := starlark.UnpackPositionalArgs(fn.Name(), args, kwargs, 1, &x); err != nil {
		return nil, err
	}
	if err := budgetOf(t).alloc(64 + sizeOf(x)); err != nil {
		return nil, err
	}
	return decimalOf(x)
}
