package counterexample

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Kind is the type of a value in the engine.
type Kind uint8

// The kinds. Null is also the kind of an expression that is always NULL.
const (
	Null Kind = iota
	Bool
	Int
	Real
	Text
	Date      // 2006-01-02
	Timestamp // 2006-01-02 15:04:05
	Nested    // a structure or an array, represented by the identity of its row; not in results
	List      // an array that a query computes
	Geo       // a point on the earth, as text
)

// Type returns the name of the type in the engine, DuckDB.
func (k Kind) Type() string {
	return [...]string{Null: "VARCHAR", Bool: "BOOLEAN", Int: "BIGINT", Real: "DOUBLE", Text: "VARCHAR", Date: "DATE",
		Timestamp: "TIMESTAMP", Nested: "BIGINT", List: "VARCHAR", Geo: "VARCHAR"}[k]
}

func (k Kind) number() bool { return k == Int || k == Real || k == Bool }

// Value is a value of a small database or of a result on one. Text is set for Text, Date, Timestamp and Geo, Int for
// Int and Bool (0 or 1), Real for Real.
type Value struct {
	Kind Kind
	Int  int64
	Real float64
	Text string
}

func intValue(i int64) Value   { return Value{Kind: Int, Int: i} }
func textValue(s string) Value { return Value{Kind: Text, Text: s} }

// String returns the value as text for display.
func (v Value) String() string {
	switch v.Kind {
	case Null:
		return "NULL"
	case Bool:
		return strings.ToUpper(strconv.FormatBool(v.Int != 0))
	case Int:
		return strconv.FormatInt(v.Int, 10)
	case Real:
		return realText(v.Real)
	}
	return v.Text
}

// realText formats a double with a point or an exponent, so that it is parsed as a double.
func realText(x float64) string {
	s := strconv.FormatFloat(x, 'g', -1, 64)
	if !strings.ContainsAny(s, ".eIN") {
		s += ".0"
	}
	return s
}

// SQL returns the value as an SQL literal that every dialect accepts, except for Booleans, which some do not have.
func (v Value) SQL() string {
	switch v.Kind {
	case Text, Date, Timestamp, Geo:
		return "'" + strings.ReplaceAll(v.Text, "'", "''") + "'"
	}
	return v.String()
}

// MarshalJSON encodes NULL as null, numbers and Booleans as such, and all other values as strings.
func (v Value) MarshalJSON() ([]byte, error) {
	switch {
	case v.Kind == Null:
		return []byte("null"), nil
	case v.Kind == Bool:
		return strconv.AppendBool(nil, v.Int != 0), nil
	case v.Kind == Int, v.Kind == Real && !math.IsInf(v.Real, 0) && !math.IsNaN(v.Real):
		return []byte(v.String()), nil
	}
	return json.Marshal(v.String())
}

// UnmarshalJSON decodes the output of MarshalJSON. A JSON string becomes a value of kind Text, whatever its kind was.
func (v *Value) UnmarshalJSON(b []byte) error {
	switch {
	case string(b) == "null":
		*v = Value{}
	case string(b) == "true", string(b) == "false":
		*v = Value{Kind: Bool}
		if string(b) == "true" {
			v.Int = 1
		}
	case len(b) > 0 && b[0] == '"':
		*v = Value{Kind: Text}
		return json.Unmarshal(b, &v.Text)
	case strings.ContainsAny(string(b), ".eE"):
		*v = Value{Kind: Real}
		return json.Unmarshal(b, &v.Real)
	default:
		*v = Value{Kind: Int}
		return json.Unmarshal(b, &v.Int)
	}
	return nil
}

// float returns the value as a number, for comparing results; ok is false if it is not a number. A string that is a
// number counts as one.
func (v Value) float() (float64, bool) {
	switch v.Kind {
	case Bool, Int:
		return float64(v.Int), true
	case Real:
		return v.Real, true
	case Text: // '7' and 7 differ only in type
		f, err := strconv.ParseFloat(v.Text, 64)
		return f, err == nil && !math.IsInf(f, 0) && !math.IsNaN(f)
	}
	return 0, false
}

// tolerance is the maximum difference of two equal numbers, relative to the larger one, or to 1 if that is smaller.
// Dialects round quotients differently, some to six digits.
const tolerance = 2e-6

func sameValue(a, b Value) bool {
	if a.Kind == Null || b.Kind == Null {
		return a.Kind == b.Kind
	}
	if a.Kind == Int && b.Kind == Int {
		return a.Int == b.Int
	}
	x, okX := a.float()
	y, okY := b.float()
	if okX && okY {
		return x == y || math.Abs(x-y) <= tolerance*max(1, math.Abs(x), math.Abs(y))
	}
	return okX == okY && plainText(a.Text) == plainText(b.Text)
}

// plainText returns a string without the midnight that a timestamp adds to a date, and without the blanks that a
// type of fixed length adds.
func plainText(s string) string { return strings.TrimRight(strings.TrimSuffix(s, " 00:00:00"), " ") }

// compare compares two values: NULL precedes numbers, which precede strings.
func compare(a, b Value) int {
	x, okX := a.float()
	y, okY := b.float()
	switch {
	case a.Kind == Null || b.Kind == Null:
		return cmp.Compare(min(a.Kind, 1), min(b.Kind, 1))
	case okX && okY:
		return cmp.Compare(x, y)
	case okX != okY:
		return cmp.Compare(b2i(okY), b2i(okX))
	}
	return cmp.Compare(plainText(a.Text), plainText(b.Text))
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Result is the result of a query on a small database.
type Result struct {
	Columns []string  `json:"columns"`
	Rows    [][]Value `json:"rows"`
}

// sameRows reports whether two results have equal rows in the same order.
func sameRows(a, b [][]Value) bool {
	return slices.EqualFunc(a, b, func(x, y []Value) bool { return slices.EqualFunc(x, y, sameValue) })
}

// sorted returns the rows with the columns in the given order, sorted.
func sorted(rows [][]Value, order []int) [][]Value {
	out := make([][]Value, len(rows))
	for i, row := range rows {
		out[i] = make([]Value, len(order))
		for j, c := range order {
			out[i][j] = row[c]
		}
	}
	slices.SortFunc(out, func(x, y []Value) int { return slices.CompareFunc(x, y, compare) })
	return out
}

func identity(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	return order
}

// sameBag reports whether two results are equal as multisets of rows, or if ordered is set, as lists.
func sameBag(a, b [][]Value, ordered bool) bool {
	if len(a) != len(b) {
		return false
	}
	if ordered || len(a) == 0 {
		return sameRows(a, b)
	}
	n := len(a[0])
	return len(b[0]) == n && sameRows(sorted(a, identity(n)), sorted(b, identity(n)))
}

// maxPermutations is the maximum number of orders of columns that are tried, and maxPermuted that of rows sorted for
// them.
const (
	maxPermutations = 720
	maxPermuted     = 500_000
)

// sameUpToColumns reports whether a equals b restricted to some of its columns in some order. An additional column of
// b is not a difference. It also returns true if there are too many orders of columns to decide.
func sameUpToColumns(a, b [][]Value, ordered bool) bool {
	if len(a) != len(b) {
		return false
	}
	if len(a) == 0 {
		return true
	}
	n, m := len(a[0]), len(b[0])
	if m < n {
		return false
	}
	if n == m && sameBag(a, b, ordered) {
		return true
	}
	left := a
	if !ordered {
		left = sorted(a, identity(n))
	}
	// A column of b can match one of a only if both have the same values.
	fits := make([][]bool, n)
	for i := range fits {
		fits[i] = make([]bool, m)
		for j := range fits[i] {
			fits[i][j] = sameRows(sorted(a, []int{i}), sorted(b, []int{j}))
		}
	}
	tried, most := 0, min(maxPermutations, max(1, maxPermuted/len(a)))
	order, used := make([]int, 0, n), make([]bool, m)
	var place func() bool
	place = func() bool {
		if len(order) == n {
			tried++
			right := make([][]Value, len(b))
			if !ordered {
				right = sorted(b, order)
			} else {
				for i, row := range b {
					for _, c := range order {
						right[i] = append(right[i], row[c])
					}
				}
			}
			return sameRows(left, right)
		}
		for j := range m {
			if used[j] || !fits[len(order)][j] || tried >= most {
				continue
			}
			used[j], order = true, append(order, j)
			if place() {
				return true
			}
			used[j], order = false, order[:len(order)-1]
		}
		return tried >= most // undecided: report no difference
	}
	return place()
}
