package vector

import (
	"unsafe"

	"github.com/duckdb/duckdb-go/v2/mapping"

	"github.com/badger-eval/badger/internal/columnar"
	"github.com/badger-eval/badger/internal/errcode"
)

// Scratch is memory for a function's arguments and result that is not the engine's. It is reused, as a chunk needs tens
// of kilobytes.
type Scratch struct {
	texts []string
	nulls []bool
}

// noNulls is shared by arguments without NULLs, in chunks of the engine's usual size.
var noNulls [2048]bool

// Argument returns the first n values of a vector as a column. Values are in the engine's memory, and valid until the
// function returns.
func Argument(t columnar.Type, v mapping.Vector, n int, s *Scratch) columnar.Column {
	a := columnar.Column{Type: t}
	present := mask(v, n)
	if present == nil && n <= len(noNulls) {
		a.Nulls = noNulls[:n]
	} else {
		s.nulls = columnar.Zeroed(s.nulls, n)
		a.Nulls = s.nulls
		for i := range a.Nulls {
			a.Nulls[i] = !valid(present, i)
		}
	}
	switch t {
	case columnar.BIGINT:
		a.Ints = values[int64](v, n)
	case columnar.DOUBLE:
		a.Floats = values[float64](v, n)
	case columnar.BOOLEAN:
		a.Bools = values[bool](v, n)
	default:
		in := values[Text](v, n)
		s.texts = columnar.Zeroed(s.texts, n)
		for i := range in {
			if valid(present, i) {
				b := in[i].Bytes()
				s.texts[i] = unsafe.String(unsafe.SliceData(b), len(b))
			}
		}
		a.Texts = s.texts
	}
	return a
}

// Result returns a column of n values for a function to fill. Numbers are in the vector, strings in s until [Store]
// copies them.
func Result(t columnar.Type, v mapping.Vector, n int, s *Scratch) columnar.Column {
	out := columnar.Column{Type: t, Nulls: s.nulls}
	switch t {
	case columnar.BIGINT:
		out.Ints = values[int64](v, n)
	case columnar.DOUBLE:
		out.Floats = values[float64](v, n)
	case columnar.BOOLEAN:
		out.Bools = values[bool](v, n)
	default:
		out.Texts = s.texts
	}
	out.Resize(n) // numbers stay in the engine's memory, which has this length
	s.nulls = out.Nulls
	if out.Texts != nil { // keep the strings' memory of an earlier column
		s.texts = out.Texts
	}
	return out
}

// Store writes the strings and the NULLs of a result into the vector.
func Store(v mapping.Vector, out *columnar.Column) error {
	if out.Type == columnar.VARCHAR || out.Type == columnar.JSON {
		if err := setResult(v, out.Texts); err != nil {
			return err
		}
	}
	if out.CountNulls() > 0 {
		setNulls(v, out.Len(), func(i int) bool { return out.Nulls[i] })
	}
	return nil
}

// setResult copies the strings of a result into the engine's memory.
func setResult(v mapping.Vector, texts []string) error {
	total := 0
	for _, s := range texts {
		total += len(s)
	}
	if total > maxChunkText {
		return errcode.New(errcode.ResourceExhausted, "more than %d bytes of results for %d rows", maxChunkText, len(texts))
	}
	all := make([]byte, 0, total)
	for _, s := range texts {
		all = append(all, s...)
	}
	setTexts(v, all, len(texts), func(i int) int { return len(texts[i]) })
	return nil
}
