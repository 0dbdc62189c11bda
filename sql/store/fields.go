package store

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// field is one column of a statement: its SQL, and how its value is stored in a T.
type field[T any] struct {
	SQL string // such as agent_name or COUNT(*)
	// In returns where the value is stored: a *string, *json.RawMessage, *int, *int64, *bool, *float64 or *time.Time,
	// which is unchanged for NULL, or a **float64 or **bool, which stays nil for NULL.
	In func(*T) any
	// Decode stores the value of a field without In. The fields are decoded in order.
	Decode func(*T, scoring.Value) error
}

// Select is a statement and the type of its rows. Its list of columns and the decoding of its rows both follow from
// Fields.
type Select[T any] struct {
	What     string // operation, for errors, such as "reading eval_runs"
	Distinct bool
	Fields   []field[T]
	From     string // everything after the list of columns
	Args     []any
	Text     string // the whole statement, if it is the dialect's own; Fields then have no SQL
	Borrow   bool   // strings are not copied: they are only valid until the next row is read
}

// String returns the SQL text of the statement.
func (s *Select[T]) String() string {
	switch {
	case s.Text != "":
		return s.Text
	case s.Distinct:
		return "SELECT DISTINCT " + columnsOf(s.Fields) + s.From
	}
	return "SELECT " + columnsOf(s.Fields) + s.From
}

// columnsOf returns the list of the fields' columns. A field whose SQL starts with a line break starts a new line.
func columnsOf[T any](fields []field[T]) string {
	var b strings.Builder
	for i := range fields {
		if i > 0 {
			b.WriteByte(',')
			if !strings.HasPrefix(fields[i].SQL, "\n") {
				b.WriteByte(' ')
			}
		}
		b.WriteString(fields[i].SQL)
	}
	return b.String()
}

// namesOf returns the SQL of each field.
func namesOf[T any](fields []field[T]) []string {
	out := make([]string, len(fields))
	for i := range fields {
		out[i] = fields[i].SQL
	}
	return out
}

// fieldsIn returns the fields of a U as fields of a T. part returns the U in a T.
func fieldsIn[T, U any](fields []field[U], part func(*T) *U) []field[T] {
	out := make([]field[T], len(fields))
	for i, f := range fields {
		out[i].SQL = f.SQL
		if f.In != nil {
			out[i].In = func(t *T) any { return f.In(part(t)) }
		} else {
			out[i].Decode = func(t *T, v scoring.Value) error { return f.Decode(part(t), v) }
		}
	}
	return out
}

// ofTable returns the fields as columns of a table with an alias, such as r.
func ofTable[T any](alias string, fields []field[T]) []field[T] {
	out := slices.Clone(fields)
	for i := range out {
		out[i].SQL = alias + "." + out[i].SQL
	}
	return out
}

// only returns the field of a statement with a single column, which is a T.
func only[T any](column string) []field[T] {
	return []field[T]{{SQL: column, In: func(t *T) any { return t }}}
}

// isOne returns a field that is true if its number is 1, as not every warehouse supports Boolean expressions as
// columns.
func isOne[T any](column string, in func(*T) *bool) field[T] {
	return field[T]{SQL: column, Decode: func(t *T, v scoring.Value) error {
		*in(t) = wholeNumber(v) == 1
		return nil
	}}
}

// isOneOrNull is like isOne, but nil for NULL.
func isOneOrNull[T any](column string, in func(*T) **bool) field[T] {
	return field[T]{SQL: column, Decode: func(t *T, v scoring.Value) error {
		if !v.IsNull() {
			is := wholeNumber(v) == 1
			*in(t) = &is
		}
		return nil
	}}
}

// byFields are the columns of an agent, version and batch.
var byFields = []field[scoring.By]{
	{SQL: "agent_name", In: func(b *scoring.By) any { return &b.Agent }},
	{SQL: "agent_version", In: func(b *scoring.By) any { return &b.Version }},
	{SQL: "batch_id", In: func(b *scoring.By) any { return &b.Batch }},
}

var caseField = field[scoring.AnswerID]{SQL: "case_id", In: func(a *scoring.AnswerID) any { return &a.CaseID }}

var (
	byOfAnswer = fieldsIn(byFields, func(a *scoring.AnswerID) *scoring.By { return &a.By })

	// answerFields are the key of an answer in the order in which answers are sorted. caseFirst are the same columns in
	// the order of most tables.
	answerFields = append(slices.Clone(byOfAnswer), caseField)
	caseFirst    = append([]field[scoring.AnswerID]{caseField}, byOfAnswer...)

	// runIDFields are the key of a row of eval_runs.
	runIDFields = append([]field[scoring.RunID]{{SQL: "eval_run_id", In: func(r *scoring.RunID) any { return &r.ID }}},
		fieldsIn(byFields, func(r *scoring.RunID) *scoring.By { return &r.By })...)
)

// Rows runs the statement and yields its rows. It stops at the first error.
func Rows[T any](ctx context.Context, w *Store, s Select[T]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var out, none T
		var broken error
		more := true
		err := w.Each(ctx, s.What, s.String(), s.Args, func(t *scoring.Table, row int) bool {
			if len(t.Columns) != len(s.Fields) {
				broken = errcode.New(errcode.Internal,
					"%s: the statement has %d columns, and %d are read; this is a bug in badger", s.What, len(t.Columns),
					len(s.Fields))
				return false
			}
			out = none
			for i := range s.Fields {
				if broken = s.Fields[i].read(&out, t.Columns[i].Value(row), s.Borrow); broken != nil {
					return false
				}
			}
			more = yield(out, nil)
			return more
		})
		if broken != nil {
			err = broken
		}
		if err != nil && more {
			yield(none, err)
		}
	}
}

// all returns all rows of a statement.
func all[T any](ctx context.Context, w *Store, s Select[T]) (out []T, err error) {
	for row, err := range Rows(ctx, w, s) {
		if err != nil {
			return out, err
		}
		out = append(out, row)
	}
	return out, nil
}

// first returns the first row of a statement, or the zero T if it has none.
func first[T any](ctx context.Context, w *Store, s Select[T]) (row T, err error) {
	row, _, err = firstIfAny(ctx, w, s)
	return row, err
}

// firstIfAny is like first, and reports whether there is a row.
func firstIfAny[T any](ctx context.Context, w *Store, s Select[T]) (row T, found bool, err error) {
	Rows(ctx, w, s)(func(r T, failed error) bool {
		row, found, err = r, failed == nil, failed
		return false
	})
	return row, found, err
}

// rowsWhenRead is like [Rows] for a statement that is built when the sequence is read.
func rowsWhenRead[T any](ctx context.Context, w *Store, build func() (Select[T], error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		s, err := build()
		if err != nil {
			var none T
			yield(none, err)
			return
		}
		Rows(ctx, w, s)(yield)
	}
}

// read stores a value in the field of out.
func (f *field[T]) read(out *T, v scoring.Value, borrow bool) error {
	if f.In == nil {
		return f.Decode(out, v)
	}
	if v.IsNull() {
		return nil
	}
	switch to := f.In(out).(type) {
	case *string:
		if *to = textIn(v); !borrow {
			*to = strings.Clone(*to)
		}
	case *json.RawMessage:
		if text := textIn(v); text != "" {
			*to = json.RawMessage(text)
		}
	case *int64:
		*to = wholeNumber(v)
	case *int:
		*to = int(wholeNumber(v))
	case *float64:
		*to = v.Float()
	case **float64:
		number := v.Float()
		*to = &number
	case *bool:
		*to = v.Bool()
	case **bool:
		is := v.Bool()
		*to = &is
	case *time.Time:
		*to = instant(v)
	default:
		return errcode.New(errcode.Internal, "column %s: a value cannot be read into a %T; this is a bug in badger", f.SQL,
			to)
	}
	return nil
}

// textIn returns a value as text, which may share the memory of the row; "" for NULL.
func textIn(v scoring.Value) string {
	switch v.Type {
	case scoring.Null:
		return ""
	case scoring.String, scoring.JSON:
		return v.Text()
	}
	return v.String()
}

// instant returns the time in a column, which may be a user's and of any type: zero for NULL and for a value that is
// not a time.
func instant(v scoring.Value) (at time.Time) {
	if v.Type == scoring.String {
		at, _ = scoring.ParseInstant(v.Text())
	} else {
		at, _ = v.Instant()
	}
	return at
}

// wholeNumber returns a value as an integer, or 0 if it is not one. Engines return counts as different types.
func wholeNumber(v scoring.Value) int64 {
	if v.Type == scoring.Int64 {
		return v.Int()
	}
	n, err := strconv.ParseInt(v.String(), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// readJSON parses a value of JSON text; NULL and empty text are skipped. what names the value in errors, which do not
// contain the text.
func readJSON(what string, v scoring.Value, into any) error {
	if v.IsNull() {
		return nil
	}
	if s := v.String(); s != "" && json.Unmarshal([]byte(s), into) != nil {
		return errcode.New(errcode.InvalidArgument,
			"%s cannot be read: expected JSON in the form that docs/reference/tables.md shows", what)
	}
	return nil
}
