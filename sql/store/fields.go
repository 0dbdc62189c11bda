package store

import (
	"context"
	"encoding/json"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// Field is one column of a statement: the SQL that it is, and where in a T its value goes.
type Field[T any] struct {
	SQL string // agent_name; COUNT(*)
	// In is the place of the value: a *string, *int, *int64, *bool, *float64 or *time.Time, which NULL
	// leaves at its zero value, or a **float64 or **bool, which NULL leaves nil.
	In func(*T) any
	// Decode takes the value of a field without In. It is called in the order of the fields.
	Decode func(*T, scoring.Value) error
}

// Select is a statement and the rows that it returns. Both its list of columns and the reading of its
// rows are made of Fields.
type Select[T any] struct {
	What   string // for errors: reading eval_runs
	Fields []Field[T]
	From   string // all that follows the list of columns
	Args   []any
}

// String is the text of the statement.
func (s *Select[T]) String() string {
	columns := make([]string, len(s.Fields))
	for i := range s.Fields {
		columns[i] = s.Fields[i].SQL
	}
	return "SELECT " + strings.Join(columns, ", ") + s.From
}

// fieldsIn are the fields of a part of a T.
func fieldsIn[T, U any](fields []Field[U], part func(*T) *U) []Field[T] {
	out := make([]Field[T], len(fields))
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

// Rows runs the statement and yields its rows, whose texts are copies. It stops at the first error.
func Rows[T any](ctx context.Context, w *Store, s Select[T]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var out, none T
		var broken error
		more := true
		err := w.Each(ctx, s.What, s.String(), s.Args, func(t *scoring.Table, row int) bool {
			out = none
			for i := range s.Fields {
				if broken = s.Fields[i].read(&out, t.Columns[i].Value(row)); broken != nil {
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

// read puts a value into its place.
func (f *Field[T]) read(out *T, v scoring.Value) error {
	if f.In == nil {
		return f.Decode(out, v)
	}
	if v.IsNull() {
		return nil
	}
	switch to := f.In(out).(type) {
	case *string:
		*to = textIn(v)
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
		*to = instantOf(v)
	default:
		return errcode.New(errcode.Internal, "column %s: a value cannot be read into a %T; this is a defect of badger", f.SQL, to)
	}
	return nil
}

// wholeNumber is a whole number, 0 for what is none. Engines count in types of their own.
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

// readJSON reads a value that holds JSON, unless it is NULL or empty. What names it in errors, which do
// not show the text.
func readJSON(what string, v scoring.Value, into any) error {
	if v.IsNull() {
		return nil
	}
	if s := v.String(); s != "" && json.Unmarshal([]byte(s), into) != nil {
		return errcode.New(errcode.InvalidArgument, "%s cannot be read: expected JSON in the form that docs/reference/tables.md shows", what)
	}
	return nil
}
