package server

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"

	"github.com/badger-eval/badger/internal/errcode"
)

// pipeCall writes a call: the stream of the records, whose schema names the function.
func pipeCall(t testing.TB, to io.Writer, function string, records ...arrow.Record) {
	t.Helper()
	schema := records[0].Schema()
	if function != "" {
		metadata := arrow.NewMetadata([]string{"other", "badger.function"}, []string{"x", function})
		schema = arrow.NewSchema(schema.Fields(), &metadata)
	}
	w := ipc.NewWriter(to, ipc.WithSchema(schema))
	for _, r := range records {
		if err := w.Write(array.NewRecord(schema, r.Columns(), r.NumRows())); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// pipeReply reads a stream: its first column as text, batch by batch, and its schema.
func pipeReply(t testing.TB, from io.Reader) (batches [][]string, schema *arrow.Schema) {
	t.Helper()
	r, err := ipc.NewReader(from)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	for r.Next() {
		var values []string
		for i := range int(r.Record().NumRows()) {
			values = append(values, r.Record().Column(0).ValueStr(i))
		}
		batches = append(batches, values)
	}
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
	return batches, r.Schema()
}

func newPiped(t testing.TB, l Limits) *Server {
	t.Helper()
	s, err := New(newCatalogue(t), &Options{Limits: l})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Calls of several functions on one pipe, each with a batch of results for a batch of arguments.
func TestPipe(t *testing.T) {
	s := newPiped(t, Limits{})
	var in, out bytes.Buffer
	pipeCall(t, &in, "same_text", textRecord([]string{"a", "b"}, []string{"a", "c"}), textRecord([]string{"d"}, []string{"d"}))
	pipeCall(t, &in, "badger_echo", textRecord([]string{"é", "x"}))
	pipeCall(t, &in, "", textRecord([]string{"named by the command line"}))
	cut := in.Len() - 8 // Arrow lets the last stream end with the input
	in.Truncate(cut)
	if err := s.Pipe(t.Context(), &in, &out, "badger_echo"); err != nil {
		t.Fatal(err)
	}
	for _, want := range [][][]string{{{"1", "0"}, {"1"}}, {{"é", "x"}}, {{"named by the command line"}}} {
		if got, _ := pipeReply(t, &out); !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if out.Len() != 0 {
		t.Errorf("%d bytes too many", out.Len())
	}
}

// A caller that waits for the results of each batch gets them before it sends the next one, or ends its stream.
func TestPipeAnswersEachBatch(t *testing.T) {
	s := newPiped(t, Limits{})
	arguments, writer := io.Pipe()
	reader, results := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- s.Pipe(context.Background(), arguments, results, "badger_echo") }()
	rec := textRecord([]string{"x"})
	w := ipc.NewWriter(writer, ipc.WithSchema(rec.Schema()))
	written := make(chan error, 1)
	go func() { written <- w.Write(rec) }()
	r, err := ipc.NewReader(reader)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if !r.Next() || r.Record().Column(0).ValueStr(0) != "x" {
			t.Fatal("no result")
		}
		if err := <-written; err != nil {
			t.Fatal(err)
		}
		go func() { written <- w.Write(rec) }()
	}
	if !r.Next() {
		t.Fatal("no result")
	}
	if err := <-written; err != nil {
		t.Fatal(err)
	}
	go func() { _ = w.Close(); _ = writer.Close() }()
	if r.Next() {
		t.Error("a batch that nobody sent")
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// An error ends the results of its call, and is the metadata of a stream of its own.
func TestPipeErrors(t *testing.T) {
	one, two := textRecord([]string{"a"}), textRecord([]string{"a"}, []string{"b"})
	stream := func(function string, records ...arrow.Record) []byte {
		var b bytes.Buffer
		pipeCall(t, &b, function, records...)
		return b.Bytes()
	}
	long := stream("badger_echo", one, textRecord([]string{strings.Repeat("a", 5000)}))
	whole := stream("badger_echo", one)
	huge := bytes.Clone(whole)
	binary.LittleEndian.PutUint32(huge[4:], 1<<30) // the length of the first message's metadata
	for _, c := range []struct {
		why, reason string
		in          []byte
		code        errcode.Code
		batches     int // results before the error
	}{
		{"unknown function", "unknown function", stream("ex_multisett", one), errcode.NotFound, 0},
		{"no function", "no function is named", stream("", one), errcode.InvalidArgument, 0},
		{"arguments", "badger_echo takes (text)", stream("badger_echo", two), errcode.InvalidArgument, 0},
		{"a message that is too long", "expected at most 4096", long, errcode.ResourceExhausted, 1},
		{"a schema that is too long", "larger than the server accepts", huge, errcode.ResourceExhausted, 0},
		{"cut off", "ends within", whole[:len(whole)-20], errcode.InvalidArgument, 0},
		{"cut off in the length", "ends within", whole[:6], errcode.InvalidArgument, 0},
		{"a file", "streaming format", []byte("ARROW1\x00\x00abc"), errcode.InvalidArgument, 0},
		{"JSON", "streaming format", []byte("[1]"), errcode.InvalidArgument, 0},
		{"more rows than allowed", "limits.batch_rows", stream("badger_echo", textRecord([]string{"a", "b", "c"})), errcode.ResourceExhausted, 0},
	} {
		t.Run(c.why, func(t *testing.T) {
			s := newPiped(t, Limits{Message: 4096, Rows: 2})
			var out bytes.Buffer
			err := s.Pipe(t.Context(), bytes.NewReader(c.in), &out, "")
			if errcode.Of(err) != c.code {
				t.Errorf("code %v, want %v: %v", errcode.Of(err), c.code, err)
			}
			batches, schema := pipeReply(t, &out)
			if len(batches) != c.batches {
				t.Errorf("%d batches of results, want %d", len(batches), c.batches)
			}
			if schema.NumFields() > 0 {
				_, schema = pipeReply(t, &out)
			}
			code, _ := schema.Metadata().GetValue("badger.code")
			reason, _ := schema.Metadata().GetValue("badger.reason")
			if code != c.code.String() || !strings.Contains(reason, c.reason) {
				t.Errorf("%s: %s", code, reason)
			}
			if out.Len() != 0 {
				t.Errorf("%d bytes too many", out.Len())
			}
			if !s.admission.bytes.TryAcquire(s.limits.InFlight) {
				t.Error("memory is still reserved")
			}
		})
	}
}

// FuzzPipe gives a pipe any bytes: none may break it down, or make it take memory that is not there.
func FuzzPipe(f *testing.F) {
	for _, function := range []string{"", "show", "badger_echo"} {
		var b bytes.Buffer
		pipeCall(f, &b, function, textRecord([]string{"a", "b"}), textRecord([]string{"c"}))
		f.Add(b.Bytes())
	}
	s := newPiped(f, Limits{Message: 1 << 20, Rows: 10_000})
	f.Fuzz(func(t *testing.T, data []byte) {
		err := s.Pipe(context.Background(), bytes.NewReader(data), io.Discard, "show")
		if code := errcode.Of(err); code == errcode.Unknown || code == errcode.Internal {
			t.Fatalf("%v (%v)", err, errors.Unwrap(err))
		}
		if !s.admission.bytes.TryAcquire(s.limits.InFlight) {
			t.Fatal("memory is still reserved")
		}
		s.admission.bytes.Release(s.limits.InFlight)
	})
}
