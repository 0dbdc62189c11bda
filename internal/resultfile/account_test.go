package resultfile_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/internal/account"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/resultfile"
)

// ledgered counts what is held, and has room for so much.
type ledgered struct{ limit, room, held int64 }

func (l *ledgered) Limit() int64 { return l.limit }

func (l *ledgered) Hold(_ context.Context, n int64) error {
	if l.held+n > l.room {
		return errcode.New(errcode.ResourceExhausted, "no room")
	}
	l.held += n
	return nil
}

// A file that is far larger than a result may be is refused before it is read, also where it is a
// hole: 50 GB of nothing cost its owner nothing.
func TestSparseFileIsRefused(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"hole.csv", "hole.json", "hole"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(`[{"a":1},`), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, 50<<30); err != nil {
			t.Skipf("this file system has no sparse files: %v", err)
		}
		a := &ledgered{limit: 8 << 20, room: 1 << 30}
		_, err := resultfile.Read(account.With(t.Context(), a), path, nil)
		if errcode.Of(err) != errcode.ResourceExhausted || !strings.Contains(err.Error(), "8388608 bytes") || a.held != 0 {
			t.Errorf("%s: %v, %d bytes held", name, err, a.held)
		}
	}
}

// What a file takes is counted, in every format that does not say its size beforehand, and reading
// ends if there is no room or the call ends.
func TestReadingIsCounted(t *testing.T) {
	row := strings.Repeat("a", 99)
	text := "c\n" + strings.Repeat(row+"\n", 50_000) // 5 MB
	objects := strings.Repeat(`{"c":"`+row+`"}`+"\n", 50_000)
	for _, tc := range []struct {
		why  string
		file string
	}{
		{"CSV", file(t, "r.csv", []byte(text))},
		{"compressed CSV", file(t, "r.csv.gz", gzipped(t, []byte(text)))},
		{"one cell", file(t, "r1.csv.gz", gzipped(t, []byte("c\n"+strings.Repeat("a", 5_000_000))))},
		{"JSON Lines", file(t, "r.jsonl", []byte(objects))},
		{"compressed JSON Lines", file(t, "r.jsonl.gz", gzipped(t, []byte(objects)))},
	} {
		a := &ledgered{limit: 64 << 20, room: 1 << 30}
		if _, err := resultfile.Read(account.With(t.Context(), a), tc.file, nil); err != nil || a.held < 5_000_000 || a.held > 32_000_000 {
			t.Errorf("%s: %v, %d bytes held", tc.why, err, a.held)
		}
		a = &ledgered{limit: 64 << 20, room: 4 << 20}
		if _, err := resultfile.Read(account.With(t.Context(), a), tc.file, nil); errcode.Of(err) != errcode.ResourceExhausted {
			t.Errorf("%s without room: %v", tc.why, err)
		}
		a = &ledgered{limit: 1 << 20, room: 1 << 30}
		if _, err := resultfile.Read(account.With(t.Context(), a), tc.file, nil); errcode.Of(err) != errcode.ResourceExhausted {
			t.Errorf("%s beyond the limit of one result: %v", tc.why, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := resultfile.Read(ctx, tc.file, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("%s, cancelled: %v", tc.why, err)
		}
	}
}

// What finds no room is refused before it is made: bits become numbers, runs and dictionaries values, nested values
// text, and cells of one letter several words of memory.
func TestRefusedBeforeItIsMade(t *testing.T) {
	const room, most = 8 << 20, 48 << 20
	lists := func(items int) arrow.Array {
		ends := memory.NewBufferBytes(arrow.Int32Traits.CastToBytes([]int32{0, int32(items)}))
		data := array.NewData(arrow.ListOf(arrow.Null), 1, []*memory.Buffer{nil, ends}, []arrow.ArrayData{array.NewNull(items).Data()}, 0, 0)
		return array.NewListData(data)
	}
	fixed := func(kind arrow.DataType, width, rows int) arrow.Array {
		buffers := []*memory.Buffer{nil, memory.NewBufferBytes(make([]byte, rows*width/8))}
		return array.MakeFromData(array.NewData(kind, rows, buffers, nil, 0, 0))
	}
	words := array.NewStringData(array.NewData(arrow.BinaryTypes.String, 1_000_000, []*memory.Buffer{nil, memory.NewBufferBytes(make([]byte, 4_000_004)), memory.NewBufferBytes(nil)}, nil, 0, 0))
	ints := func(n int) arrow.Array {
		return fixed(arrow.PrimitiveTypes.Int32, 32, n)
	}
	ends := array.MakeFromData(array.NewData(arrow.PrimitiveTypes.Int32, 1, []*memory.Buffer{nil, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes([]int32{7_000_000}))}, nil, 0, 0))
	indexed := func(words arrow.Array) arrow.Array {
		return array.NewDictionaryArray(&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: words.DataType()}, ints(1), words)
	}
	names := make([]arrow.Field, 20_000)
	empty := make([]arrow.Array, len(names))
	for i := range names {
		names[i], empty[i] = arrow.Field{Name: "c", Type: arrow.Null, Nullable: true}, array.NewNull(1)
	}
	commas := strings.Repeat(",", 20_000) + "\n"
	for _, tc := range []struct {
		why  string
		path string
	}{
		{"bits", arrowFile(t, fixed(arrow.FixedWidthTypes.Boolean, 1, 7_000_000))},
		{"numbers of 16 bits", arrowFile(t, fixed(arrow.FixedWidthTypes.Float16, 16, 2_000_000))},
		{"long texts", arrowFile(t, longTexts(30<<10, 1000))},
		{"a run", arrowFile(t, array.NewRunEndEncodedArray(ends, fixed(arrow.FixedWidthTypes.Boolean, 1, 8), 7_000_000, 0))},
		{"a list of nothing", arrowFile(t, lists(30_000_000))},
		{"a dictionary of a list of nothing", arrowFile(t, indexed(lists(30_000_000)))},
		{"a dictionary of empty texts", arrowFile(t, indexed(words))},
		{"columns of an Arrow file", recordFile(t, array.NewRecord(arrow.NewSchema(names, nil), empty, 1))},
		{"empty cells of many columns", file(t, "w.csv", []byte(commas+strings.Repeat(commas, 400)))},
		{"words for NULL", file(t, "n.csv", []byte("a\n"+strings.Repeat("NA\n", 1_500_000)))},
		{"empty cells in quotes", file(t, "q.csv", []byte("a\n"+strings.Repeat("\"\"\n", 2_000_000)))},
	} {
		a := &ledgered{limit: 64 << 20, room: room}
		ctx := account.With(t.Context(), a)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := resultfile.Read(ctx, tc.path, nil)
		runtime.ReadMemStats(&after)
		if made := after.TotalAlloc - before.TotalAlloc; errcode.Of(err) != errcode.ResourceExhausted || made > most {
			t.Errorf("%s: %d bytes were made next to a room of %d; %v", tc.why, made, room, err)
		}
	}
}

// longTexts are so many texts of that length.
func longTexts(rows, length int) arrow.Array {
	b := array.NewStringBuilder(memory.DefaultAllocator)
	for range rows {
		b.Append(strings.Repeat("a", length))
	}
	return b.NewArray()
}

func arrowFile(t *testing.T, arr arrow.Array) string {
	t.Helper()
	return recordFile(t, array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "a", Type: arr.DataType(), Nullable: true}}, nil), []arrow.Array{arr}, int64(arr.Len())))
}

func recordFile(t *testing.T, rec arrow.Record) string {
	t.Helper()
	var b bytes.Buffer
	w := ipc.NewWriter(&b, ipc.WithSchema(rec.Schema()), ipc.WithZstd())
	if err := w.Write(rec); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file(t, "r.arrows", b.Bytes())
}

func gzipped(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(data)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
