package resultfile_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
	pqfile "github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/pqarrow"
	"github.com/apache/arrow/go/v17/parquet/schema"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/badger-eval/badger/internal/arrowtable"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/resultfile"
	cuts "github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/scoring"
)

// sample has a column of every type, with the values that conversions break.
func sample(t testing.TB, rows int) *scoring.Table {
	t.Helper()
	r := rand.New(rand.NewPCG(1, uint64(rows))) //nolint:gosec // small
	wide, _ := new(big.Int).SetString(strings.Repeat("9", 38), 10)
	pick := func(v ...scoring.Value) scoring.Value { return v[r.IntN(len(v))] }
	makers := []func() scoring.Value{
		func() scoring.Value { return scoring.BoolValue(r.IntN(2) == 0) },
		func() scoring.Value {
			return pick(scoring.IntValue(math.MaxInt64), scoring.IntValue(math.MinInt64), scoring.IntValue(r.Int64N(100)))
		},
		func() scoring.Value {
			return pick(scoring.FloatValue(math.NaN()), scoring.FloatValue(math.Inf(-1)), scoring.FloatValue(r.NormFloat64()))
		},
		func() scoring.Value { return scoring.DecimalValue(r.Int64N(1e6), 2) },
		func() scoring.Value { return pick(scoring.BigDecimalValue(wide, 0), scoring.DecimalValue(1, 0)) },
		func() scoring.Value {
			return pick(scoring.StringValue(""), scoring.StringValue("añ😀"), scoring.StringValue("\x00"), scoring.StringValue(strings.Repeat("x", r.IntN(40))))
		},
		func() scoring.Value { return scoring.TextValue(scoring.Bytes, "\xff\x00") },
		func() scoring.Value { return scoring.DateValue(r.Int64N(40000) - 20000) },
		func() scoring.Value { return scoring.TimeValue(r.Int64N(86400e9)) },
		func() scoring.Value {
			return scoring.TimestampValue(scoring.Timestamp, r.Int64N(4e9)-2e9, int32(r.IntN(1e9))) //nolint:gosec // below 1e9
		},
		func() scoring.Value {
			return scoring.TimestampValue(scoring.TimestampTZ, r.Int64N(4e9)-2e9, int32(r.IntN(1e6))*1000) //nolint:gosec // below 1e9
		},
	}
	var cols []scoring.Column
	for i, value := range makers {
		b := scoring.NewBuilder([]string{"a", "a", ""}[i%3], value().Type, rows)
		for range rows {
			if r.IntN(7) == 0 {
				b.AppendNull()
			} else {
				b.Append(value())
			}
		}
		cols = append(cols, b.Column())
	}
	table, err := scoring.NewTable(cols...)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func encode(t testing.TB, kind string, table *scoring.Table, batch int) []byte {
	t.Helper()
	mem := memory.NewGoAllocator()
	in, err := arrowtable.NewReader(mem, table, batch)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Release()
	var buf bytes.Buffer
	var write func(arrow.Record) error
	var end func() error
	switch kind {
	case "stream", "stream+lz4":
		o := []ipc.Option{ipc.WithSchema(in.Schema())}
		if kind == "stream+lz4" {
			o = append(o, ipc.WithLZ4())
		}
		w := ipc.NewWriter(&buf, o...)
		write, end = w.Write, w.Close
	case "file", "file+zstd":
		o := []ipc.Option{ipc.WithSchema(in.Schema())}
		if kind == "file+zstd" {
			o = append(o, ipc.WithZstd())
		}
		w, err := ipc.NewFileWriter(appendOnly{&buf}, o...)
		if err != nil {
			t.Fatal(err)
		}
		write, end = w.Write, w.Close
	default:
		codec := map[string]compress.Compression{"parquet": compress.Codecs.Uncompressed, "parquet+snappy": compress.Codecs.Snappy, "parquet+zstd": compress.Codecs.Zstd}[kind]
		w, err := pqarrow.NewFileWriter(in.Schema(), &buf, parquet.NewWriterProperties(parquet.WithCompression(codec), parquet.WithDataPageVersion(parquet.DataPageV2)), pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema()))
		if err != nil {
			t.Fatal(err)
		}
		write, end = w.WriteBuffered, w.Close
	}
	for in.Next() {
		if err := write(in.Record()); err != nil {
			t.Fatal(err)
		}
	}
	if err := end(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// appendOnly satisfies a writer that asks where it is and never goes back.
type appendOnly struct{ *bytes.Buffer }

func (a appendOnly) Seek(offset int64, whence int) (int64, error) {
	if offset != 0 || whence != io.SeekCurrent {
		return 0, errors.ErrUnsupported
	}
	return int64(a.Len()), nil
}

var kinds = map[string]string{
	"stream": "r.arrows", "stream+lz4": "r.arrows", "file": "r.arrow", "file+zstd": "r.feather",
	"parquet": "r.parquet", "parquet+snappy": "r.parquet", "parquet+zstd": "r.pq",
}

func TestBinaryFormatsKeepEveryValue(t *testing.T) {
	for kind, name := range kinds {
		for _, rows := range []int{0, 1, 3000} {
			t.Run(fmt.Sprintf("%s/%d", kind, rows), func(t *testing.T) {
				want := sample(t, rows)
				data := encode(t, kind, want, 700)
				for _, name := range []string{name, "noending"} {
					got, err := resultfile.Read(context.Background(), file(t, name, data), nil)
					if err != nil {
						t.Fatal(err)
					}
					if a, b := show(got), show(want); a != b {
						t.Errorf("%s:\ngot\n%.2000s\nwant\n%.2000s", name, a, b)
					}
				}
			})
		}
	}
}

// Every prefix of a file is either refused or, for streams cut between messages, a prefix of the
// rows. One cut in four, or where tests are thorough all.
func TestTruncatedFilesAreRefused(t *testing.T) {
	table := sample(t, 10)
	for kind, name := range kinds {
		data := encode(t, kind, table, 5)
		path, step := file(t, name, nil), 1
		if len(data) > 1200 {
			step = 1 + len(data)/1200
		}
		accepted := 0
		for n := 4; n < len(data); n += step {
			if !cuts.Takes(n/step, len(data)/step+1, 4) { // each step has one cut
				continue
			}
			if err := os.WriteFile(path, data[:n], 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := resultfile.Read(context.Background(), path, nil)
			switch {
			case err == nil && strings.HasPrefix(kind, "stream") && got.Rows()%5 == 0:
				accepted++ // the specification allows the end mark to be missing
			case err == nil:
				t.Fatalf("%s cut to %d of %d bytes was read as %d rows", kind, n, len(data), got.Rows())
			case errcode.Of(err) != errcode.DataLoss:
				t.Fatalf("%s cut to %d bytes: %v (%v), want data_loss", kind, n, err, errcode.Of(err))
			}
		}
		if accepted > 3+8 { // behind the schema and each batch, and inside the end mark's 8 bytes
			t.Errorf("%s: %d cuts were accepted, want only those between messages", kind, accepted)
		}
	}
}

// No byte changed anywhere may panic, hang or take more than its share of memory.
func TestFlippedBytesDoNotPanic(t *testing.T) {
	table := sample(t, 30)
	o := &resultfile.Options{Limits: arrowtable.Limits{Rows: 1000, Bytes: 1 << 20}}
	r := rand.New(rand.NewPCG(3, 4))
	for kind, name := range kinds {
		data := encode(t, kind, table, 30)
		path := file(t, name, nil)
		for range 150 {
			broken := bytes.Clone(data)
			for range 1 + r.IntN(3) {
				broken[r.IntN(len(broken))] = byte(r.Uint32())
			}
			if err := os.WriteFile(path, broken, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := resultfile.Read(context.Background(), path, o); err != nil && errcode.Of(err) == errcode.Unknown {
				t.Fatalf("%s: an error without a code: %v", kind, err)
			}
		}
	}
}

func TestBillionRowsAreRefusedAtOnce(t *testing.T) {
	// A Parquet footer says how many rows there are; a run-length encoded file of very many rows is
	// small.
	b := scoring.NewBuilder("n", scoring.Int64, 0)
	for range 100_000 {
		b.AppendInt(7)
	}
	table, _ := scoring.NewTable(b.Column())
	data := encode(t, "parquet+zstd", table, 100_000)
	if len(data) > 1200 {
		t.Fatalf("the file has %d bytes, expected a small one", len(data))
	}
	_, err := resultfile.Read(context.Background(), file(t, "r.parquet", data), &resultfile.Options{Limits: arrowtable.Limits{Rows: 99_999}})
	if errcode.Of(err) != errcode.ResourceExhausted || !strings.Contains(err.Error(), "99999 rows") {
		t.Errorf("%v, want resource_exhausted", err)
	}
	allocated := testing.AllocsPerRun(1, func() {
		_, _ = resultfile.Read(context.Background(), file(t, "r.parquet", data), &resultfile.Options{Limits: arrowtable.Limits{Rows: 10}})
	})
	if allocated > 2000 {
		t.Errorf("%v allocations to refuse a file by its footer", allocated)
	}
}

func compressed(t *testing.T, how string, data []byte) []byte {
	t.Helper()
	var buf bytes.Buffer
	if how == "gz" {
		w := gzip.NewWriter(&buf)
		if _, err := w.Write(data); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return buf.Bytes()
	}
	w, err := zstd.NewWriter(&buf)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func TestCompressedFiles(t *testing.T) {
	text := []byte("a,b\n1,x\n2,y\n")
	want := "a INT64: 1|2\nb STRING: x|y"
	for _, tc := range []struct {
		why, name string
		data      []byte
	}{
		{"gzip", "r.csv.gz", compressed(t, "gz", text)},
		{"zstd", "r.csv.zst", compressed(t, "zst", text)},
		{"gzip by its content", "r.csv", compressed(t, "gz", text)},
		{"two members one behind the other", "r.csv.gz", append(compressed(t, "gz", text[:5]), compressed(t, "gz", text[5:])...)},
		{"tabs by the inner name", "r.tsv.gz", compressed(t, "gz", bytes.ReplaceAll(text, []byte(","), []byte("\t")))},
		{"JSON lines", "r.jsonl.gz", compressed(t, "gz", []byte("{\"a\":1,\"b\":\"x\"}\n{\"a\":2,\"b\":\"y\"}\n"))},
		{"Parquet inside", "r.parquet.gz", compressed(t, "gz", encode(t, "parquet", mustRead(t, text), 10))},
	} {
		got, err := resultfile.Read(context.Background(), file(t, tc.name, tc.data), nil)
		if err != nil || show(got) != want {
			t.Errorf("%s: %v, %v", tc.why, got, err)
		}
	}
	whole := compressed(t, "gz", bytes.Repeat(text[4:], 1000))
	bomb := compressed(t, "gz", bytes.Repeat([]byte("0\n"), 1<<20))
	flipped := bytes.Clone(whole)
	flipped[len(flipped)-6] ^= 0xff // the checksum
	for _, tc := range []struct {
		why, name string
		data      []byte
		code      errcode.Code
	}{
		{"gzip cut", "r.csv.gz", whole[:len(whole)-10], errcode.DataLoss},
		{"gzip cut in its last bytes", "r.csv.gz", whole[:len(whole)-1], errcode.DataLoss},
		{"gzip with a wrong checksum", "r.csv.gz", flipped, errcode.DataLoss},
		{"zstd cut", "r.csv.zst", compressed(t, "zst", bytes.Repeat(text[4:], 1000))[:40], errcode.DataLoss},
		{"not compressed at all", "r.csv.gz", text, errcode.DataLoss},
		{"compressed twice", "r.csv.gz", compressed(t, "gz", whole), errcode.InvalidArgument},
		{"a gzip bomb", "r.csv.gz", bomb, errcode.ResourceExhausted},
		{"a gzip bomb of JSON", "r.json.gz", compressed(t, "gz", append([]byte("["), bytes.Repeat([]byte("[0],"), 1<<20)...)), errcode.ResourceExhausted},
	} {
		_, err := resultfile.Read(context.Background(), file(t, tc.name, tc.data), &resultfile.Options{Limits: arrowtable.Limits{Bytes: 1 << 20}})
		if errcode.Of(err) != tc.code {
			t.Errorf("%s: %v (%v), want %v", tc.why, err, errcode.Of(err), tc.code)
		}
	}
}

func mustRead(t *testing.T, csv []byte) *scoring.Table {
	t.Helper()
	table, err := read(t, "r.csv", string(csv), nil)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func TestWhatIsNotAResultFile(t *testing.T) {
	const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03\nsize 6\n"
	for _, tc := range []struct {
		why, name, content string
		code               errcode.Code
	}{
		{"text named Parquet", "r.parquet", "a,b\n1,2\n", errcode.DataLoss},
		{"a pointer of Git LFS", "r.csv", pointer, errcode.InvalidArgument},
		{"a pointer of Git LFS named JSON", "r.json", pointer, errcode.InvalidArgument},
		{"a pointer of Git LFS named Parquet", "r.parquet", pointer, errcode.InvalidArgument},
		{"a pointer of Git LFS that is named compressed", "r.csv.gz", pointer, errcode.InvalidArgument},
		{"text named Arrow", "r.arrow", "a,b\n", errcode.DataLoss},
		{"old Feather", "r.feather", "FEA1....", errcode.InvalidArgument},
		{"ORC", "r.orc", "ORC....", errcode.InvalidArgument},
		{"SQLite", "r.db", "SQLite format 3\x00", errcode.InvalidArgument},
		{"Parquet without a footer", "r.parquet", "PAR1" + strings.Repeat("x", 100), errcode.DataLoss},
		{"Parquet with a footer longer than the file", "r.parquet", "PAR1\xff\xff\xff\x7fPAR1", errcode.DataLoss},
		{"Arrow without a footer", "r.arrow", "ARROW1\x00\x00" + strings.Repeat("x", 100), errcode.DataLoss},
		{"a stream whose head claims 2 GB", "r.arrows", "\xff\xff\xff\xff\xff\xff\xff\x7fxx", errcode.DataLoss},
	} {
		_, err := read(t, tc.name, tc.content, nil)
		if errcode.Of(err) != tc.code || err != nil && !strings.Contains(err.Error(), fmt.Sprintf("file %q", tc.name)) {
			t.Errorf("%s: %v (%v), want %v", tc.why, err, errcode.Of(err), tc.code)
		}
	}
}

func TestPaths(t *testing.T) {
	dir := t.TempDir()
	root, other := filepath.Join(dir, "root"), filepath.Join(dir, "other")
	for _, d := range []string{filepath.Join(root, "sub"), other} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for path, text := range map[string]string{filepath.Join(root, "in.csv"): "a\n1\n", filepath.Join(root, "sub", "deep.csv"): "a\n2\n", filepath.Join(other, "out.csv"): "a\n3\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	link := func(target, name string) {
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	link(filepath.Join(other, "out.csv"), "escape.csv")
	link("../other", "escapedir")
	link("sub/deep.csv", "inside.csv")
	link("/etc/passwd", "passwd")
	confined := &resultfile.Options{Roots: []string{root}}
	for _, tc := range []struct {
		why, path string
		o         *resultfile.Options
		code      errcode.Code
	}{
		{"inside", "in.csv", confined, errcode.OK},
		{"inside, in a directory", "sub/deep.csv", confined, errcode.OK},
		{"inside, absolute", filepath.Join(root, "in.csv"), confined, errcode.OK},
		{"a link that stays inside", "inside.csv", confined, errcode.OK},
		{"up and out", "../other/out.csv", confined, errcode.PermissionDenied},
		{"up and back in", "sub/../in.csv", confined, errcode.OK},
		{"absolute and out", "/etc/passwd", confined, errcode.PermissionDenied},
		{"absolute, beside a root whose name it begins with", root + "x/in.csv", confined, errcode.PermissionDenied},
		{"a link out", "escape.csv", confined, errcode.PermissionDenied},
		{"a link to /etc/passwd", "passwd", confined, errcode.PermissionDenied},
		{"through a linked directory", "escapedir/out.csv", confined, errcode.PermissionDenied},
		{"not there", "nothing.csv", confined, errcode.NotFound},
		{"a directory", "sub", confined, errcode.InvalidArgument},
		{"in the second root", "out.csv", &resultfile.Options{Roots: []string{root, other}}, errcode.OK},
		{"a NUL in the path", "in.csv\x00", confined, errcode.InvalidArgument},
		{"no path", "", confined, errcode.InvalidArgument},
		{"a root that is not there", "in.csv", &resultfile.Options{Roots: []string{filepath.Join(dir, "none")}}, errcode.FailedPrecondition},
		{"relative to a directory", "in.csv", &resultfile.Options{Dir: root}, errcode.OK},
		{"without roots, a directory", root, nil, errcode.InvalidArgument},
		{"without roots, not there", filepath.Join(root, "none"), nil, errcode.NotFound},
	} {
		_, err := resultfile.Read(context.Background(), tc.path, tc.o)
		if errcode.Of(err) != tc.code {
			t.Errorf("%s: %v (%v), want %v", tc.why, err, errcode.Of(err), tc.code)
		}
		if err != nil && strings.Contains(err.Error(), dir) {
			t.Errorf("%s: the error shows where the directory lies: %v", tc.why, err)
		}
	}
	s := resultfile.Snapshots{Options: *confined}
	if got, err := s.ReadSnapshot(context.Background(), "file:in.csv"); err != nil || show(got) != "a INT64: 1" {
		t.Errorf("by reference: %v, %v", got, err)
	}
	if _, err := s.ReadSnapshot(context.Background(), "table:x"); errcode.Of(err) != errcode.InvalidArgument {
		t.Errorf("a reference to a table: %v, want invalid_argument", err)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, name := range []string{"r.csv", "r.json"} {
		_, err := resultfile.Read(ctx, file(t, name, []byte("[1]\n")), nil)
		if !errors.Is(err, context.Canceled) && errcode.Of(err) != errcode.Cancelled {
			t.Errorf("%s: %v, want cancelled", name, err)
		}
	}
}

// INT96 timestamps reach further than 64 bits of nanoseconds: Spark and Hive write 9999-12-31 so.
func TestOldParquetTimestamps(t *testing.T) {
	node := schema.NewInt96Node("t", parquet.Repetitions.Optional, -1)
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, schema.FieldList{node}, -1)
	if err != nil {
		t.Fatal(err)
	}
	var buf bytes.Buffer
	w := pqfile.NewParquetWriter(&buf, root)
	group := w.AppendRowGroup()
	col, err := group.NextColumn()
	if err != nil {
		t.Fatal(err)
	}
	at := func(day uint32, nanos uint64) (v parquet.Int96) {
		binary.LittleEndian.PutUint64(v[:8], nanos)
		binary.LittleEndian.PutUint32(v[8:], day)
		return v
	}
	values := []parquet.Int96{at(2440588, 1), at(2440588+2932896, 86399_999999999), at(2440588-719162, 0)}
	if _, err := col.(*pqfile.Int96ColumnChunkWriter).WriteBatch(values, []int16{1, 1, 0, 1}, nil); err != nil {
		t.Fatal(err)
	}
	for _, end := range []func() error{col.Close, group.Close, w.Close} {
		if err := end(); err != nil {
			t.Fatal(err)
		}
	}
	got, err := resultfile.Read(context.Background(), file(t, "r.parquet", buf.Bytes()), nil)
	want := "t TIMESTAMP: 1970-01-01 00:00:00.000000001|9999-12-31 23:59:59.999999999|NULL|0001-01-01 00:00:00"
	if err != nil || show(got) != want {
		t.Errorf("%v, %v\nwant %s", show(got), err, want)
	}
}

func TestNestedParquet(t *testing.T) {
	typ := arrow.ListOf(arrow.StructOf(arrow.Field{Name: "k", Type: arrow.BinaryTypes.String, Nullable: true}, arrow.Field{Name: "v", Type: arrow.PrimitiveTypes.Int64, Nullable: true}))
	arr, _, err := array.FromJSON(memory.NewGoAllocator(), typ, strings.NewReader(`[[{"k":"x","v":1},{"k":null,"v":2}],[],null]`))
	if err != nil {
		t.Fatal(err)
	}
	rec := array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "l", Type: typ, Nullable: true}}, nil), []arrow.Array{arr}, 3)
	var buf bytes.Buffer
	w, err := pqarrow.NewFileWriter(rec.Schema(), &buf, nil, pqarrow.DefaultWriterProps())
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(rec); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := resultfile.Read(context.Background(), file(t, "r.parquet", buf.Bytes()), nil)
	if want := `l JSON: [{"k":"x","v":1},{"k":null,"v":2}]|[]|NULL`; err != nil || show(got) != want {
		t.Errorf("%v, %v", got, err)
	}
}

func BenchmarkParquet(b *testing.B) {
	const rows = 200_000
	r := rand.New(rand.NewPCG(1, 1))
	id, name, amount, day := scoring.NewBuilder("id", scoring.Int64, rows), scoring.NewBuilder("customer", scoring.String, rows), scoring.NewBuilder("amount", scoring.Decimal, rows), scoring.NewBuilder("day", scoring.Date, rows)
	price := scoring.NewBuilder("price", scoring.Float64, rows)
	for i := range rows {
		id.AppendInt(int64(i))
		name.Append(scoring.StringValue(fmt.Sprintf("Customer #%09d", r.IntN(1e6))))
		amount.Append(scoring.DecimalValue(r.Int64N(1e6), 2))
		day.Append(scoring.DateValue(r.Int64N(3000) + 15000))
		price.AppendFloat(r.Float64())
	}
	table, err := scoring.NewTable(id.Column(), name.Column(), amount.Column(), day.Column(), price.Column())
	if err != nil {
		b.Fatal(err)
	}
	for _, kind := range []string{"parquet+snappy", "file"} {
		data := encode(b, kind, table, 1<<16)
		path := file(b, kinds[kind], data)
		b.Run(kind, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := resultfile.Read(context.Background(), path, nil); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrows/s")
		})
	}
}
