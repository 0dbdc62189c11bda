package scoring

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/jsonscan"
)

// ParseResult parses an inline result: {"columns":[{"name":…,"type":…}],"rows":[[…]]}, or a list of rows as
// [ParseRecords] parses it.
//
// "type" is optional; it may be the name of the type in any engine. If it is missing or unknown (the table's notes
// report this), a column takes the type of its values: whole numbers are INT64, other numbers FLOAT64 if that keeps
// every digit and DECIMAL if it does not, strings STRING, objects and arrays JSON; a column of several kinds is
// ANY. With a type, strings are parsed as that type, so that numbers, dates and times can be given exactly; in a
// column declared ANY a cell may state its type, {"DATE":"2024-02-29"}. The columns may also be plain names, and
// members may be in any order. Errors name the column and the row.
func ParseResult(data []byte) (*Table, error) { return parseResult(data, nil) }

func parseResult(data []byte, grow func(bytes int64) error) (*Table, error) {
	data = jsonscan.QuoteNonFinite(data)
	var s jsonscan.Scanner
	s.Reset(data)
	if s.Peek() == '[' {
		if list := s; list.Array() == nil && list.Peek() != '{' && list.Peek() != '[' {
			return nil, errcode.New(errcode.InvalidArgument, `result: found a list that holds no rows; expected an object {"columns": ["a", …], "rows": [[1, …], …]}, or a list of objects, [{"a": 1, …}, …]`)
		}
		var check func(rows int, bytes int64) error
		if grow != nil {
			check = func(_ int, bytes int64) error { return grow(bytes) }
		}
		t, err := ParseRecords(data, check)
		if err != nil {
			return nil, prefix("result: ", err)
		}
		return t, nil
	}
	return scanResult(&s, grow)
}

// scanResult parses an inline result that is an object. grow is called from time to time with the table's size in
// bytes, and its error ends the parsing. It may be nil.
func scanResult(s *jsonscan.Scanner, grow func(bytes int64) error) (_ *Table, err error) {
	defer noRoom("result: ", &err)
	if err := s.Object(); err != nil {
		return nil, prefix("result: ", err)
	}
	var head *resultHead
	var rows *jsonscan.Scanner // if "rows" precedes "columns", it is parsed last
	haveRows, n := false, 0
	for first := true; ; first = false {
		key, ok, err := s.Key(first)
		if err != nil {
			return nil, prefix("result: ", err)
		}
		if !ok {
			break
		}
		switch {
		case string(key) == "columns" && head == nil:
			head, err = scanColumns(s, grow)
		case string(key) == "rows" && !haveRows && head != nil:
			haveRows = true
			n, err = head.rows(s, grow)
		case string(key) == "rows" && !haveRows:
			haveRows = true
			var raw []byte
			raw, err = s.Skip()
			rows = new(jsonscan.Scanner)
			rows.Reset(raw)
		case string(key) == "rows" || string(key) == "columns":
			err = errcode.New(errcode.InvalidArgument, "duplicate member %q", key)
		default:
			_, err = s.Skip()
		}
		if err != nil {
			return nil, prefix("result: ", err)
		}
	}
	if err := s.End(); err != nil {
		return nil, prefix("result: ", err)
	}
	if head == nil || !haveRows {
		return nil, errcode.New(errcode.InvalidArgument, `result: expected an object with "columns" and "rows"`)
	}
	if rows != nil {
		var err error
		if n, err = head.rows(rows, grow); err != nil {
			return nil, prefix("result: ", err)
		}
	}
	return &Table{Columns: head.columns, Notes: head.notes, rows: n}, nil
}

// resultHead holds the columns of an inline result, with their declared types.
type resultHead struct {
	columns  []Column
	declared []Type
	words    []string // the name of each column's type, without parameters; empty if it has none
	notes    []string
}

// rows parses the rows and returns their number. If the type name of a column has different meanings in different
// engines (see ambiguous) and a value does not have the first, it parses the rows again with the other.
func (h *resultHead) rows(s *jsonscan.Scanner, grow func(bytes int64) error) (int, error) {
	begin, first := *s, map[int]error{}
	for {
		n, at, err := scanRows(s, h.columns, h.declared, grow)
		if err == nil {
			for i := range h.columns {
				if h.declared[i] == Null {
					h.columns[i] = h.columns[i].WithoutNullWords()
				}
			}
			return n, nil
		}
		if at < 0 {
			return n, err
		}
		other, ok := ambiguous[h.words[at]]
		if !ok {
			return n, cmp.Or(first[at], err)
		}
		first[at] = err
		if h.words[at] = ""; other == Null {
			h.note(at, "not all values are of its type %v, and they decide of what type it is", h.declared[at])
		}
		h.declared[at] = other
		for i := range h.columns {
			h.columns[i] = Column{Name: h.columns[i].Name, Type: h.declared[i]}
		}
		*s = begin
	}
}

func (h *resultHead) note(column int, format string, args ...any) {
	h.notes = append(h.notes,
		fmt.Sprintf("column %d (%.40q): ", column+1, h.columns[column].Name)+fmt.Sprintf(format, args...))
}

// noRoom, if deferred, recovers the panic of a [Builder] with [NoRoom] and sets *err to its error, prefixed with
// where.
func noRoom(where string, err *error) {
	switch v := recover().(type) {
	case nil:
	case NoRoom:
		*err = prefix(where, v.Err)
	default:
		panic(v)
	}
}

func prefix(p string, err error) error {
	return errcode.New(errcode.Of(err), "%s%w", p, err)
}

// MaxColumns is the maximum number of columns of a result, so that a short text cannot exhaust the memory.
const MaxColumns = 1 << 16

func scanColumns(s *jsonscan.Scanner, grow func(bytes int64) error) (*resultHead, error) {
	if err := s.Array(); err != nil {
		return nil, err
	}
	h := &resultHead{columns: make([]Column, 0, 4), declared: make([]Type, 0, 4), words: make([]string, 0, 4)}
	for first := true; ; first = false {
		more, err := s.More(first)
		if err != nil {
			return nil, err
		}
		if !more {
			return h, nil
		}
		at := len(h.columns)
		if at == MaxColumns {
			return nil, errcode.New(errcode.ResourceExhausted, "more than %d columns", MaxColumns)
		}
		if grow != nil && at > 0 && at%columnsAtOnce == 0 {
			if err := grow(columnBytes * int64(at+columnsAtOnce)); err != nil {
				return nil, err
			}
		}
		name, typeName := "", ""
		if s.Peek() == '"' {
			var b []byte
			if b, err = s.String(); err == nil {
				err = s.Lone()
			}
			name = string(b)
		} else {
			name, typeName, err = scanColumn(s)
		}
		if err != nil {
			return nil, errcode.New(errcode.Of(err), "column %d (%q): %w", at+1, name, err)
		}
		t, word, known := Null, "", true
		if strings.TrimSpace(typeName) != "" {
			t, word, known = typeNamed(typeName)
		}
		h.columns, h.declared, h.words = append(h.columns, Column{Name: name, Type: t}), append(h.declared, t),
			append(h.words, word)
		if !known {
			h.note(at, "the type %.40q is not known, and its values decide of what type it is", typeName)
		}
	}
}

// scanColumn parses an object with the name of a column and the name of its type.
func scanColumn(s *jsonscan.Scanner) (name, typeName string, err error) {
	if err := s.Object(); err != nil {
		return "", "", err
	}
	for first := true; ; first = false {
		key, ok, err := s.Key(first)
		if err != nil || !ok {
			return name, typeName, err
		}
		isName := string(key) == "name"
		if !isName && string(key) != "type" || s.Peek() == 'n' {
			if _, err := s.Skip(); err != nil {
				return name, "", err
			}
			continue
		}
		v, err := s.String()
		if err == nil {
			err = s.Lone()
		}
		if err != nil {
			return name, "", err
		}
		if isName {
			name = string(v)
		} else {
			typeName = string(v)
		}
	}
}

// grow is called after growStep bytes, or after a growPart-th of the input parsed so far, whichever is more.
const (
	growStep    = 16 << 10
	growPart    = 8
	columnBytes = 1024 // estimated size of an empty column, including what comparing it takes
)

// scanRows parses the rows and returns their number n. If an error is due to a value that does not have the declared
// type of its column, at is the index of the column; otherwise it is -1.
func scanRows(s *jsonscan.Scanner, cols []Column, declared []Type,
	grow func(bytes int64) error) (n, at int, err error) {
	if err := s.Array(); err != nil {
		return 0, -1, err
	}
	size := func() int64 { return (&Table{Columns: cols}).MemoryBytes() + columnBytes*int64(len(cols)) }
	if grow != nil {
		if err := grow(size()); err != nil {
			return 0, -1, err
		}
		for i := range cols {
			cols[i].room = func(n int64) error { return grow(size() + n) }
		}
		defer func() {
			for i := range cols {
				cols[i].room = nil
			}
		}()
	}
	look := growStep
	for ; ; n++ {
		if grow != nil && s.Offset() >= look {
			look = s.Offset() + max(growStep, s.Offset()/growPart)
			if err := grow(size()); err != nil {
				return 0, -1, err
			}
		}
		more, err := s.More(n == 0)
		if err != nil || !more {
			return n, -1, err
		}
		if err := s.Array(); err != nil {
			return 0, -1, errcode.New(errcode.InvalidArgument, "row %d: %w", n+1, err)
		}
		for i := 0; ; i++ {
			more, err := s.More(i == 0)
			if err != nil {
				return 0, -1, errcode.New(errcode.InvalidArgument, "row %d: %w", n+1, err)
			}
			if more != (i < len(cols)) {
				if more {
					return 0, -1, errcode.New(errcode.InvalidArgument, "row %d: more values than columns (%d)", n+1,
						len(cols))
				}
				return 0, -1, errcode.New(errcode.InvalidArgument, "row %d: %d values, expected one for each of the %d columns",
					n+1, i, len(cols))
			}
			if !more {
				break
			}
			if err := scanCell(s, (*Builder)(&cols[i]), declared[i]); err != nil {
				return 0, i, errcode.New(errcode.Of(err), "row %d, column %d (%q): %w", n+1, i+1, cols[i].Name, err)
			}
		}
	}
}

func scanCell(s *jsonscan.Scanner, b *Builder, declared Type) error {
	switch c := s.Peek(); c {
	case 'n':
		if err := s.Null(); err != nil {
			return err
		}
		b.AppendNull()
		return nil
	case 't', 'f':
		v, err := s.Bool()
		if err != nil {
			return err
		}
		switch declared {
		case Null, Bool, Any:
			b.Append(BoolValue(v))
			return nil
		case JSON:
			return b.AppendText(JSON, strconv.AppendBool(nil, v))
		}
		return errcode.New(errcode.InvalidArgument, "true or false in a column of type %v", declared)
	case '"':
		text, err := s.String()
		if err == nil {
			err = s.Lone()
		}
		if err != nil {
			return err
		}
		switch declared {
		case Null, String:
			return b.AppendText(String, text)
		case JSON:
			return b.AppendText(JSON, CanonicalJSON(text))
		case Any:
			b.Append(StringValue(string(text)))
			return nil
		case Bytes:
			raw, err := hex.DecodeString(strings.TrimPrefix(string(text), `\x`)) // PostgreSQL writes \x6162
			if err != nil {
				return errcode.New(errcode.InvalidArgument, "expected hexadecimal digits, optionally after \\x")
			}
			return b.AppendText(Bytes, raw)
		}
		v, err := ParseAs(declared, string(text))
		switch {
		case err == nil:
			b.Append(v)
		case IsNullWord(text):
			b.AppendNull()
		default:
			return err
		}
		return nil
	case '[', '{':
		raw, err := s.Skip()
		if err != nil {
			return err
		}
		switch declared {
		case Null, JSON:
			return b.AppendText(JSON, CanonicalJSON(raw))
		case Any:
			b.Append(taggedValue(raw))
			return nil
		case String: // a value of a type that is represented as text
			return b.AppendText(String, CanonicalJSON(raw))
		}
		return errcode.New(errcode.InvalidArgument, "an object or array in a column of type %v", declared)
	}
	text, isInt, err := s.Number()
	if err != nil {
		return err
	}
	switch declared {
	case Null:
		return b.AppendNumber(text, isInt)
	case Float64:
		f, err := strconv.ParseFloat(string(text), 64)
		if err != nil {
			return errcode.New(errcode.InvalidArgument, "number beyond the range of a double")
		}
		b.AppendFloat(f)
		b.shows(text)
		return nil
	case Int64, Decimal:
		if isInt && declared == Int64 {
			if n, err := strconv.ParseInt(string(text), 10, 64); err == nil {
				b.AppendInt(n)
				return nil
			}
		}
		v, ok := ParseDecimal(text)
		if !ok {
			return errcode.New(errcode.InvalidArgument, "expected a number of at most %d digits", MaxDecimalDigits)
		}
		b.Append(v)
		return nil
	case Bool:
		if string(text) == "0" || string(text) == "1" {
			b.Append(BoolValue(text[0] == '1'))
			return nil
		}
	case Any:
		v, err := numberValue(text, isInt)
		if err != nil {
			return err
		}
		b.Append(v)
		return nil
	case String:
		return b.AppendText(String, text)
	case JSON:
		return b.AppendText(JSON, CanonicalJSON(text))
	}
	return errcode.New(errcode.InvalidArgument, "a number in a column of type %v", declared)
}

// numberValue returns a number without a declared type exactly: as INT64, as FLOAT64 if the double's shortest decimal
// is this number, else as DECIMAL.
func numberValue(text []byte, isInt bool) (Value, error) {
	if isInt {
		if n, err := strconv.ParseInt(string(text), 10, 64); err == nil {
			return IntValue(n), nil
		}
	}
	dec, ok := ParseDecimal(text)
	if !ok {
		return Value{}, errcode.New(errcode.InvalidArgument, "expected a number of at most %d digits", MaxDecimalDigits)
	}
	if !isInt && dec.big == nil {
		if dec.aux <= 22 && dec.num > -1e15 && dec.num < 1e15 {
			// both whole and exact, so the quotient is the nearest double
			return FloatValue(float64(dec.num) / pow10Float[dec.aux]), nil
		}
		f, err := strconv.ParseFloat(string(text), 64)
		if err == nil && keeps(f, dec) {
			return FloatValue(f), nil
		}
	}
	return dec, nil
}

var pow10Float = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
	1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// keeps reports whether the shortest decimal that parses as f equals dec.
func keeps(f float64, dec Value) bool {
	if dec.num > -1e15 && dec.num < 1e15 && dec.aux < 300 {
		return true // 15 significant digits always survive
	}
	back, ok := ParseDecimal(strconv.AppendFloat(nil, f, 'e', -1, 64))
	if !ok || back.big != nil {
		return false
	}
	for back.aux < dec.aux {
		if back.num, ok = mulPow10(back.num, 1); !ok {
			return false
		}
		back.aux++
	}
	return back == dec
}

// AppendNumber appends a number without a declared type and without losing a digit. The column is INT64 while all
// numbers are integers. With the first fraction it becomes FLOAT64 if doubles represent every value exactly, else
// DECIMAL.
func (b *Builder) AppendNumber(text []byte, isInt bool) error {
	v, err := numberValue(text, isInt)
	if err != nil {
		return err
	}
	c := (*Column)(b)
	if c.Type == v.Type || c.Type == Null || !c.Type.Numeric() {
		b.Append(v)
		b.shows(text)
		return nil
	}
	switch { // two kinds of numbers
	case c.Type == Int64 && v.Type == Float64:
		if b.intsToFloats() {
			b.Append(v)
			b.shows(text)
			return nil
		}
	case c.Type == Float64 && v.Type == Int64 && exactInFloat(v.num):
		b.AppendFloat(float64(v.num))
		return nil
	}
	b.toDecimals()
	if v.Type == Float64 {
		v, _ = ParseDecimal(text)
	}
	b.Append(v)
	return nil
}

// shows raises the Scale of a FLOAT64 column to the number of decimal digits in text, if that is larger.
func (b *Builder) shows(text []byte) {
	if b.Type != Float64 {
		return
	}
	point := bytes.IndexByte(text, '.')
	if point < 0 {
		return
	}
	fraction := text[point+1:]
	if e := bytes.IndexAny(fraction, "eE"); e >= 0 {
		fraction = fraction[:e]
	}
	digits := len(fraction)
	if digits == 1 && fraction[0] == '0' {
		digits = 0 // how programs print a whole double: 3.0
	}
	b.Scale = max(b.Scale, int32(min(digits, MaxDecimalDigits))) //nolint:gosec // bounded
}

// IntsToFloats converts an INT64 column to FLOAT64 if no value changes.
func (b *Builder) IntsToFloats() {
	if b.Type == Int64 {
		b.intsToFloats()
	}
}

func exactInFloat(n int64) bool { return n >= -1<<53 && n <= 1<<53 }

func (b *Builder) intsToFloats() bool {
	c := (*Column)(b)
	for _, n := range c.ints {
		if !exactInFloat(n) {
			return false
		}
	}
	c.floats = make([]float64, len(c.ints), cap(c.ints)+1)
	for i, n := range c.ints {
		c.floats[i] = float64(n)
	}
	c.Type, c.ints = Float64, nil
	return true
}

// toDecimals converts an INT64 or FLOAT64 column to DECIMAL, or to ANY if it contains NaN or an infinity, which a
// decimal cannot represent.
func (b *Builder) toDecimals() {
	c := Column(*b)
	switch {
	case c.Type == Int64:
		b.Type = Decimal
		return
	case c.Type != Float64:
		return
	case slices.ContainsFunc(c.floats, func(f float64) bool { return math.IsNaN(f) || math.IsInf(f, 0) }):
		b.becomeAny()
		return
	}
	*b = Builder{Name: c.Name, Type: Decimal}
	for i, f := range c.floats {
		if c.IsNull(i) {
			b.AppendNull()
			continue
		}
		v, _ := ParseDecimal(strconv.AppendFloat(nil, f, 'e', -1, 64)) // a finite double has at most 325 digits
		b.Append(v)
	}
}

// AppendJSON appends the table as an inline result that [ParseResult] parses without loss. Decimals, times, bytes and
// integers beyond 2^53 are strings, and every column that has a type names it.
func (t *Table) AppendJSON(b []byte) []byte {
	b = append(b, `{"columns":[`...)
	for i := range t.Columns {
		c := &t.Columns[i]
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"name":`...)
		b = jsonscan.AppendString(b, c.Name)
		if c.Type != Null {
			b = append(b, `,"type":"`...)
			b = append(b, c.Type.String()...)
			b = append(b, '"')
		}
		b = append(b, '}')
	}
	b = append(b, `],"rows":[`...)
	for r := range t.rows {
		if r > 0 {
			b = append(b, ',')
		}
		b = append(b, '[')
		for i := range t.Columns {
			if i > 0 {
				b = append(b, ',')
			}
			if v := t.Columns[i].Value(r); t.Columns[i].Type == Any {
				b = v.appendTagged(b)
			} else {
				b = v.AppendJSON(b)
			}
		}
		b = append(b, ']')
	}
	return append(b, "]}"...)
}

// AppendJSON appends the value as a cell of an inline result.
func (v Value) AppendJSON(b []byte) []byte {
	switch v.Type {
	case Null:
		return append(b, "null"...)
	case Bool:
		return strconv.AppendBool(b, v.num != 0)
	case Int64:
		if exactInFloat(v.num) {
			return strconv.AppendInt(b, v.num, 10)
		}
	case Float64:
		if f := v.Float(); !math.IsNaN(f) && !math.IsInf(f, 0) {
			return appendFloat(b, f)
		}
	case String, JSON:
		return jsonscan.AppendString(b, v.text)
	}
	b = append(b, '"')
	b = v.append(b)
	return append(b, '"')
}

// appendTagged appends a cell of an ANY column: as plain JSON if that implies its type, else as {"TYPE":"text"}.
func (v Value) appendTagged(b []byte) []byte {
	start := len(b)
	switch v.Type {
	case Null, Bool, String:
		return v.AppendJSON(b)
	case Int64, Float64:
		b = v.AppendJSON(b)
		var s jsonscan.Scanner
		s.Reset(b[start:])
		if text, isInt, err := s.Number(); err == nil {
			if back, err := numberValue(text, isInt); err == nil && back == v {
				return b
			}
		}
		b = b[:start]
	}
	b = append(append(append(b, `{"`...), v.Type.String()...), `":`...)
	if v.Type == JSON {
		b = jsonscan.AppendString(b, v.text)
	} else {
		b = append(v.append(append(b, '"')), '"')
	}
	return append(b, '}')
}

// taggedValue returns the value of an object or array in an ANY column: the typed value of {"TYPE":"text"}, or the
// JSON.
func taggedValue(raw []byte) Value {
	asJSON := TextValue(JSON, string(CanonicalJSON(raw)))
	var s jsonscan.Scanner
	s.Reset(raw)
	if s.Object() != nil {
		return asJSON
	}
	key, ok, err := s.Key(true)
	if err != nil || !ok {
		return asJSON
	}
	t := Type(max(0, slices.Index(typeNames[:], string(key)))) //nolint:gosec // an index of a short list
	if t == Null || t == Any || s.Peek() != '"' {
		return asJSON
	}
	text, err := s.String()
	if err != nil {
		return asJSON
	}
	value := string(text)
	if _, more, err := s.Key(false); err != nil || more {
		return asJSON
	}
	if t == Bytes {
		if text, err = hex.DecodeString(value); err != nil {
			return asJSON
		}
		return TextValue(Bytes, string(text))
	}
	if v, err := ParseAs(t, value); err == nil {
		return v
	}
	return asJSON
}

// ParseResultText parses the text of a result column of a warehouse table: an inline result, or a reference such as
// query:ID, table:NAME or file:PATH. It returns an empty Result for a blank string.
func ParseResultText(s []byte) Result { return ParseResultTextWithin(s, nil) }

// ParseResultTextWithin is [ParseResultText] with a limit on memory: grow is called from time to time with the
// table's size in bytes so far, and its error ends the parsing. It may be nil.
func ParseResultTextWithin(s []byte, grow func(bytes int64) error) Result {
	trimmed := bytes.TrimLeft(s, " \t\r\n")
	switch {
	case len(trimmed) == 0:
		return Result{}
	case trimmed[0] == '{' || trimmed[0] == '[':
		t, err := parseResult(trimmed, grow)
		return Result{Table: t, Err: err}
	}
	ref := string(bytes.TrimRight(trimmed, " \t\r\n"))
	if i := strings.IndexByte(ref, ':'); i <= 0 {
		return Result{
			Err: errcode.New(errcode.InvalidArgument,
				`result: expected {"columns":…,"rows":…} or a reference query:…, table:… or file:…`)}
	}
	return Result{Ref: ref}
}
