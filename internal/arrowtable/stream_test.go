package arrowtable_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/internal/arrowtable"
	"github.com/badger-eval/badger/internal/errcode"
)

func stream(t testing.TB, seed uint64, rows int) []byte {
	t.Helper()
	table := randomTable(rand.New(rand.NewPCG(seed, 1)), rows)
	r, err := arrowtable.NewReader(memory.NewGoAllocator(), table, 5)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	var buf bytes.Buffer
	w := ipc.NewWriter(&buf, ipc.WithSchema(r.Schema()))
	for r.Next() {
		if err := w.Write(r.Record()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

var tight = arrowtable.Limits{Rows: 10_000, Bytes: 1 << 20}

func TestStreams(t *testing.T) {
	for seed := range uint64(100) {
		data := stream(t, seed, 12)
		got, err := arrowtable.ReadStream(bytes.NewReader(data), tight)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		sameTable(t, seed, got, randomTable(rand.New(rand.NewPCG(seed, 1)), 12))
	}
}

// Each word of a stream in turn claims to be a huge number: where it is the length of a vector, the
// library would allocate that many of it, and the process would end.
func TestHostileLengthsAreRefused(t *testing.T) {
	refused := 0
	for seed := range uint64(6) {
		data := stream(t, seed, 6)
		for at := 0; at+4 <= len(data); at += 4 {
			for _, claim := range []uint32{0x7ffffff0, 0x20000000, 0xfffffff0} {
				hostile := bytes.Clone(data)
				binary.LittleEndian.PutUint32(hostile[at:], claim)
				if _, err := arrowtable.ReadStream(bytes.NewReader(hostile), tight); err != nil {
					refused++
					if code := errcode.Of(err); code != errcode.DataLoss && code != errcode.ResourceExhausted && code != errcode.InvalidArgument {
						t.Fatalf("seed %d, byte %d: %v (%v)", seed, at, err, code)
					}
				}
			}
		}
	}
	if refused < 1000 {
		t.Errorf("%d hostile streams were refused, expected most", refused)
	}
}

func TestTruncatedStreams(t *testing.T) {
	data := stream(t, 3, 12)
	whole := 0
	for n := 1; n < len(data); n++ {
		got, err := arrowtable.ReadStream(bytes.NewReader(data[:n]), tight)
		switch {
		case err == nil && got.Rows()%5 != 0 && got.Rows() != 12:
			t.Fatalf("%d bytes of %d were read as %d rows, which is no whole number of batches", n, len(data), got.Rows())
		case err == nil:
			whole++
		case errcode.Of(err) != errcode.DataLoss:
			t.Fatalf("%d bytes: %v (%v), want data_loss", n, err, errcode.Of(err))
		}
	}
	if whole > 4+4 { // behind the schema, behind each of 3 batches, and inside the end mark's second word
		t.Errorf("%d cuts were taken for whole streams", whole)
	}
}

func TestCheckSchema(t *testing.T) {
	data := stream(t, 1, 0)
	if err := arrowtable.CheckSchema(data); err != nil {
		t.Errorf("a schema as it is written: %v", err)
	}
	for n := range 40 {
		if err := arrowtable.CheckSchema(data[:n]); err == nil {
			t.Fatalf("%d bytes of a schema were accepted", n)
		}
	}
}

func FuzzStream(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(stream(f, seed, 4))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := arrowtable.ReadStream(bytes.NewReader(data), tight); err != nil && errcode.Of(err) == errcode.Unknown {
			t.Fatalf("an error without a code: %v", err)
		}
	})
}
