package metric

import (
	"math"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/scoring"
)

// csvType is the dtype that pandas.read_csv infers for a column.
type csvType uint8

const (
	csvInt csvType = iota
	csvUint
	csvFloat // also integers with missing values, and a column with missing values only
	csvBool
	csvObject // strings, or truth values with missing values
)

// csvColumn is a column as pandas reads it from the CSV file that a result was saved to. Exactly one vector is used:
// ints (csvInt, csvBool), uints, floats, or text. A missing value is NaN in floats, and is marked in gaps for text.
type csvColumn struct {
	kind   csvType
	ints   []int64
	uints  []uint64
	floats []float64
	text   []string
	gaps   []bool
	truths bool // the strings are truth values
}

// readCSV returns the columns of a result as pandas reads them from the CSV file that it was saved to.
func readCSV(r scoring.Result) []csvColumn {
	columns := make([]csvColumn, len(r.Table.Columns))
	fromFile := strings.HasPrefix(r.Ref, "file:")
	for i := range columns {
		columns[i] = readCSVColumn(&r.Table.Columns[i], fromFile)
	}
	return columns
}

// readCSVColumn converts a column by the rules of pandas' read_csv (version 2.3) to integers, numbers, truth values
// or else strings. A typed column is converted as its printed text. Unless fromFile is set, that is the text of
// to_csv, which writes timestamps that are all midnight as dates.
func readCSVColumn(c *scoring.Column, fromFile bool) csvColumn {
	nulls := c.HasNulls()
	switch {
	case c.Type == scoring.Int64 && !nulls:
		return csvColumn{kind: csvInt, ints: c.Ints()}
	case c.Type == scoring.Bool && !nulls && c.Len() > 0:
		return csvColumn{kind: csvBool, ints: c.Ints()}
	case c.Type == scoring.Float64 && c.Len() > 0, c.Type == scoring.Int64 && c.Len() > 0:
		floats := make([]float64, c.Len())
		for i := range floats {
			switch {
			case c.IsNull(i):
				floats[i] = math.NaN()
			case c.Type == scoring.Float64:
				floats[i] = c.Floats()[i]
			default:
				floats[i] = float64(c.Ints()[i])
			}
		}
		return csvColumn{kind: csvFloat, floats: floats}
	}
	text, gaps := make([]string, c.Len()), make([]bool, c.Len())
	dates := c.Type == scoring.Timestamp && !fromFile && midnights(c)
	for i := range text {
		v := c.Value(i)
		if dates && v.Type != scoring.Null {
			v = scoring.DateValue(v.Int() / 86400)
		}
		switch v.Type {
		case scoring.Null:
		case scoring.Float64:
			text[i] = string(appendPythonFloat(nil, v.Float()))
		case scoring.Bool:
			text[i] = pythonBool(v.Bool())
		default:
			text[i] = v.String()
		}
		gaps[i] = v.Type == scoring.Null || missingWord(text[i])
	}
	return inferCSV(text, gaps)
}

// midnights reports whether all timestamps of a column are midnight.
func midnights(c *scoring.Column) bool {
	for _, s := range c.Ints() {
		if s%86400 != 0 {
			return false
		}
	}
	return c.Nanos() == nil
}

func pythonBool(v bool) string {
	if v {
		return "True"
	}
	return "False"
}

// missingWord reports whether pandas reads s as a missing value.
func missingWord(s string) bool {
	if len(s) > 8 {
		return false
	}
	switch s {
	case "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA",
		"NULL", "NaN", "None", "n/a", "nan", "null":
		return true
	}
	return false
}

func inferCSV(text []string, gaps []bool) csvColumn {
	n := len(text)
	present := 0
	for i := range gaps {
		if !gaps[i] {
			present++
		}
	}
	object := csvColumn{kind: csvObject, text: text, gaps: gaps}
	if n == 0 {
		return object
	}
	switch ints, uints, fit := csvIntegers(text, gaps); {
	case fit == conflicting:
		object.gaps = make([]bool, n) // pandas then does not mark missing cells
		return object
	case fit == tooLarge:
		return object
	case fit == fits && present == n && uints != nil:
		return csvColumn{kind: csvUint, uints: uints}
	case fit == fits && present == n:
		return csvColumn{kind: csvInt, ints: ints}
	case fit == fits && ints != nil:
		for i, v := range ints {
			gaps[i] = gaps[i] || v == math.MinInt64 // pandas uses this value for missing cells
		}
	}
	floats := make([]float64, n)
	for i := range text {
		if gaps[i] {
			floats[i] = math.NaN()
			continue
		}
		f, ok := csvNumber(text[i])
		if !ok {
			return csvTruths(object, present)
		}
		floats[i] = f
	}
	return csvColumn{kind: csvFloat, floats: floats}
}

// integerFit is the outcome of parsing a column as integers.
type integerFit uint8

const (
	fits        integerFit = iota
	notIntegers            // a cell is not an integer, and no cell before it is too large
	// one needs more than 64 bits, or is negative and needs more than 63: the column remains strings
	tooLarge
	conflicting // one needs 64 bits and another is negative or missing: the column remains strings
)

// csvIntegers parses a column of integers: as signed ones (uints is nil), or as unsigned ones if one needs 64 bits.
func csvIntegers(text []string, gaps []bool) (ints []int64, uints []uint64, fit integerFit) {
	ints = make([]int64, len(text))
	for i := range text {
		if gaps[i] {
			continue
		}
		s := strings.Trim(text[i], asciiSpace)
		if !digitsOnly(strings.TrimLeft(s, "+-")) || len(s)-len(strings.TrimLeft(s, "+-")) > 1 {
			return nil, nil, notIntegers
		}
		var err error
		if ints[i], err = strconv.ParseInt(s, 10, 64); err != nil {
			uints, fit = csvUnsigned(text, gaps)
			return nil, uints, fit
		}
	}
	return ints, nil, fits
}

// csvUnsigned parses a column of integers as unsigned 64-bit integers, after one did not fit into 63 bits.
func csvUnsigned(text []string, gaps []bool) (uints []uint64, fit integerFit) {
	uints = make([]uint64, len(text))
	top, signed, gap := false, false, false
	for i := range text {
		s := strings.TrimPrefix(strings.Trim(text[i], asciiSpace), "+")
		switch {
		case gaps[i]:
			gap = true
			continue
		case strings.HasPrefix(s, "-"):
			signed = true
			continue
		case !digitsOnly(s):
			return nil, notIntegers
		}
		var err error
		if uints[i], err = strconv.ParseUint(s, 10, 64); err != nil {
			return nil, tooLarge
		}
		top = top || uints[i] > math.MaxInt64
	}
	switch {
	case top && (signed || gap):
		return nil, conflicting
	case signed:
		return nil, tooLarge
	}
	return uints, fits
}

func digitsOnly(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

const asciiSpace = " \t\n\v\f\r"

// csvNumber parses a number as pandas does: decimal digits with an optional point and exponent, or an infinity.
func csvNumber(s string) (float64, bool) {
	s = strings.Trim(s, asciiSpace)
	unsigned := strings.TrimLeft(s, "+-")
	if len(s)-len(unsigned) > 1 || unsigned == "" {
		return 0, false
	}
	if c := unsigned[0]; c == 'i' || c == 'I' {
		if !strings.EqualFold(unsigned, "inf") && !strings.EqualFold(unsigned, "infinity") {
			return 0, false
		}
	} else if strings.Trim(unsigned, "0123456789.eE+-") != "" || c == 'e' || c == 'E' {
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil
}

// csvTruths converts a column of strings that are all truth values. It remains an object column if values are
// missing. It returns any other column unchanged.
func csvTruths(object csvColumn, present int) csvColumn {
	ints := make([]int64, len(object.text))
	for i, s := range object.text {
		switch {
		case object.gaps[i]:
		case s == "True" || s == "TRUE" || s == "true":
			ints[i] = 1
		case s != "False" && s != "FALSE" && s != "false":
			return object
		}
	}
	if present == len(ints) {
		return csvColumn{kind: csvBool, ints: ints}
	}
	object.truths, object.ints = true, ints
	return object
}
