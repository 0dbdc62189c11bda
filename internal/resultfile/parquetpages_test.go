package resultfile_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/apache/arrow/go/v17/parquet/pqarrow"

	"github.com/badger-eval/badger/internal/account"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/resultfile"
)

// deltaFile is a Parquet file of texts, some of which are NULL, and their numbers.
func deltaFile(t *testing.T, texts []string, encoding parquet.Encoding, version parquet.DataPageVersion, codec compress.Compression) []byte {
	t.Helper()
	s := array.NewStringBuilder(memory.DefaultAllocator)
	n := array.NewInt64Builder(memory.DefaultAllocator)
	for i, text := range texts {
		if text == "NULL" {
			s.AppendNull()
		} else {
			s.Append(text)
		}
		n.Append(int64(i*i) - 7)
	}
	schema := arrow.NewSchema([]arrow.Field{{Name: "s", Type: arrow.BinaryTypes.String, Nullable: true}, {Name: "n", Type: arrow.PrimitiveTypes.Int64}}, nil)
	rec := array.NewRecord(schema, []arrow.Array{s.NewArray(), n.NewArray()}, int64(len(texts)))
	var out bytes.Buffer
	w, err := pqarrow.NewFileWriter(schema, &out, parquet.NewWriterProperties(parquet.WithDictionaryDefault(false), parquet.WithStats(false), parquet.WithDataPageVersion(version),
		parquet.WithEncodingFor("s", encoding), parquet.WithEncodingFor("n", parquet.Encodings.DeltaBinaryPacked), parquet.WithCompression(codec), parquet.WithDataPageSize(1<<30)), pqarrow.DefaultWriterProps())
	if err == nil {
		err = w.Write(rec)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Files whose pages are delta-encoded are read, as Spark and DuckDB write them for the newer version.
func TestDeltaEncodedPages(t *testing.T) {
	texts := make([]string, 1001)
	for i := range texts {
		texts[i] = fmt.Sprintf("order-%04d", i*i)
		if i%7 == 3 {
			texts[i] = "NULL"
		}
	}
	for _, encoding := range []parquet.Encoding{parquet.Encodings.DeltaByteArray, parquet.Encodings.DeltaLengthByteArray} {
		for _, version := range []parquet.DataPageVersion{parquet.DataPageV1, parquet.DataPageV2} {
			a := &ledgered{limit: 1 << 20, room: 4 << 20}
			got, err := resultfile.Read(account.With(t.Context(), a), file(t, "r.parquet", deltaFile(t, texts, encoding, version, compress.Codecs.Snappy)), nil)
			if err != nil {
				t.Fatal(encoding, version, err)
			}
			for i, want := range texts {
				v := got.Columns[0].Value(i)
				if want == "NULL" != v.IsNull() || want != "NULL" && v.String() != want {
					t.Fatalf("%v, %v: row %d is %v, want %s", encoding, version, i, v, want)
				}
				if n := got.Columns[1].Value(i).String(); n != fmt.Sprint(i*i-7) {
					t.Fatalf("%v, %v: row %d is %s, want %d", encoding, version, i, n, i*i-7)
				}
			}
		}
	}
}

// A page of texts that continue each other says little of what they become. That is reserved before it is
// decoded, whatever the footer says of it, and what is claimed beyond the file's own numbers is an error.
func TestDeltaEncodedTextsAreCounted(t *testing.T) {
	long := strings.Repeat("a", 300_000)
	texts := make([]string, 40)
	for i := range texts {
		texts[i] = long + strings.Repeat("b", i)
	}
	for _, version := range []parquet.DataPageVersion{parquet.DataPageV1, parquet.DataPageV2} {
		data := deltaFile(t, texts, parquet.Encodings.DeltaByteArray, version, compress.Codecs.Zstd) // 12 MB
		if len(data) > 10_000 {
			t.Fatalf("the file has %d bytes", len(data))
		}
		for _, tc := range []struct {
			limit, room int64
			code        errcode.Code
		}{
			{16 << 20, 60 << 20, errcode.OK},
			{16 << 20, 30 << 20, errcode.ResourceExhausted}, // three times 12 MB have no room
			{11 << 20, 60 << 20, errcode.ResourceExhausted},
		} {
			a := &ledgered{limit: tc.limit, room: tc.room}
			_, err := resultfile.Read(account.With(t.Context(), a), file(t, "r.parquet", data), nil)
			if errcode.Of(err) != tc.code {
				t.Errorf("%v, limit %d, room %d: %v", version, tc.limit, tc.room, err)
			}
			if tc.code == errcode.OK && a.held < 36_000_000 {
				t.Errorf("%v: %d bytes were held, want three times 12 MB at least", version, a.held)
			}
		}
	}
	const numbers = "\x80\x01\x04\x28" // blocks of 128 in 4 parts, 40 values
	plain := string(deltaFile(t, texts, parquet.Encodings.DeltaByteArray, parquet.DataPageV1, compress.Codecs.Uncompressed))
	if !strings.Contains(plain, numbers) {
		t.Fatal("the file has no such numbers")
	}
	plain = strings.Replace(plain, numbers, "\x80\x01\x04\x29", 1)
	if _, err := resultfile.Read(t.Context(), file(t, "r.parquet", []byte(plain)), nil); errcode.Of(err) != errcode.DataLoss {
		t.Errorf("a count beyond the page: %v", err)
	}
}
