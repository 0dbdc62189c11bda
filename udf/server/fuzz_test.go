package server

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/flight"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"golang.org/x/tools/txtar"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/udf"
	"github.com/badger-eval/badger/udf/udfpb"
)

// fuzzWire holds a wire against encoding/json: what it takes is JSON with that many rows, its reply
// is JSON with as many, and what it refuses has a code that is known.
func fuzzWire(f *testing.F, w wire, function, in, out string, dirs ...string) {
	f.Add([]byte(`{"` + in + `":[[0,"a","b"],["a","b"],[1,null,"\ud800"],{"text":"x"}]}`))
	for _, dir := range dirs {
		files, _ := filepath.Glob(filepath.Join("testdata", dir, "*.txtar"))
		for _, file := range files {
			a, err := txtar.ParseFile(file)
			if err != nil {
				f.Fatal(err)
			}
			for _, part := range a.Files {
				_, _, body := cutMessage(part.Data)
				f.Add(body)
			}
		}
	}
	c := newCatalogue(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		r := &request{catalogue: c, header: http.Header{}, name: function, body: body, maxRows: 1000}
		r.scan.Reset(body)
		if err := w.decode(r); err != nil {
			if errcode.Of(err) == errcode.Unknown || !json.Valid(w.fault(nil, err, "id")) {
				t.Fatalf("%q: %v", body, err)
			}
			return
		}
		var want map[string]json.RawMessage
		if err := json.Unmarshal(body, &want); err != nil {
			t.Fatalf("%q is taken, encoding/json says %v", body, err)
		}
		rows := 1
		if in != "" {
			var list []json.RawMessage
			if err := json.Unmarshal(want[in], &list); err != nil {
				t.Fatalf("%q: %v", body, err)
			}
			rows = len(list)
		}
		if r.batch.Rows != rows {
			t.Fatalf("%q: %d rows, want %d", body, r.batch.Rows, rows)
		}
		for k := range r.batch.Args {
			if r.batch.Args[k].Len() != rows {
				t.Fatalf("%q: argument %d has %d rows", body, k, r.batch.Args[k].Len())
			}
		}
		r.out.Type = r.fn.Result
		r.out.Resize(rows)
		if err := c.Run(context.Background(), r.fn, &r.batch, &r.out, udf.Deadline{}); err != nil {
			t.Fatal(err)
		}
		reply := w.encode(nil, r)
		var got map[string]json.RawMessage
		if out == "" {
			if !json.Valid(reply) {
				t.Fatalf("%q: reply %q", body, reply)
			}
			return
		}
		if err := json.Unmarshal(reply, &got); err != nil {
			t.Fatalf("%q: reply %q: %v", body, reply, err)
		}
		var list []json.RawMessage
		if err := json.Unmarshal(got[out], &list); err != nil || len(list) != rows {
			t.Fatalf("%q: %d results for %d rows", body, len(list), rows)
		}
	})
}

func FuzzSnowflake(f *testing.F) { fuzzWire(f, snowflake{}, "show", "data", "data", "snowflake") }
func FuzzBigQuery(f *testing.F)  { fuzzWire(f, bigquery{}, "show", "calls", "replies", "bigquery") }
func FuzzDatabricks(f *testing.F) {
	fuzzWire(f, databricks{}, "show", "", "", "databricks")
}
func FuzzDatabricksBatch(f *testing.F) {
	fuzzWire(f, databricksBatch{}, "show", "rows", "results", "databricks")
}
func FuzzPlain(f *testing.F) { fuzzWire(f, plain{}, "show", "rows", "results", "json") }

// FuzzBigQueryContext has the function in the body, so that the calls are read after it.
func FuzzBigQueryContext(f *testing.F) {
	f.Add([]byte(`{"calls":[["a","a"]],"userDefinedContext":{"fn":"same_text","fnv":"1"}}`))
	fuzzWire(f, bigquery{}, "", "calls", "replies", "bigquery")
}

// fuzzStream is a DoExchange whose messages come from bytes.
type fuzzStream struct {
	grpc.ServerStream
	data []byte
}

func (s *fuzzStream) Context() context.Context      { return context.Background() }
func (s *fuzzStream) Send(*flight.FlightData) error { return nil }
func (s *fuzzStream) SendMsg(any) error             { return nil }

func (s *fuzzStream) Recv() (*flight.FlightData, error) {
	if len(s.data) == 0 {
		return nil, io.EOF
	}
	return &flight.FlightData{FlightDescriptor: &flight.FlightDescriptor{Path: []string{"show"}}, DataHeader: s.part(), DataBody: s.part()}, nil
}

func (s *fuzzStream) part() []byte {
	if len(s.data) < 2 {
		s.data = nil
		return nil
	}
	n := min(int(binary.LittleEndian.Uint16(s.data)), len(s.data)-2)
	p := s.data[2 : 2+n]
	s.data = s.data[2+n:]
	return p
}

func pack(messages []*flight.FlightData) (data []byte) {
	for _, m := range messages {
		for _, p := range [][]byte{m.GetDataHeader(), m.GetDataBody()} {
			data = binary.LittleEndian.AppendUint16(data, uint16(len(p)))
			data = append(data, p...)
		}
	}
	return data
}

// FuzzFlight gives DoExchange any messages at all: none may break it down, or make it take memory
// that the messages do not have.
func FuzzFlight(f *testing.F) {
	for _, messages := range arrowSeeds(f) {
		f.Add(pack(messages))
	}
	s, err := New(newCatalogue(f), &Options{Limits: Limits{Message: 1 << 20, Rows: 10_000}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		held := s.admission.of("")
		err := s.exchangeArrow(context.Background(), &call{}, grpcStream{&fuzzStream{data: data}}, held)
		held.end()
		if code := errcode.Of(err); code == errcode.Unknown || code == errcode.Internal {
			t.Fatalf("%v (%v)", err, errors.Unwrap(err))
		}
		if !s.admission.bytes.TryAcquire(s.limits.InFlight) {
			t.Fatal("memory is still reserved")
		}
		s.admission.bytes.Release(s.limits.InFlight)
	})
}

// arrowSeeds are streams of every layout that functions take.
func arrowSeeds(t testing.TB) (seeds [][]*flight.FlightData) {
	mem := memory.DefaultAllocator
	rec := textRecord([]string{"a", "b", "long enough not to be inline"}, []string{"{}", "[1]", ""})
	add := func(rec arrow.Record, opts ...ipc.Option) {
		var c collector
		w := flight.NewRecordWriter(&c, append(opts, ipc.WithSchema(rec.Schema()))...)
		if err := w.Write(rec); err != nil {
			t.Fatal(err)
		}
		seeds = append(seeds, c.messages)
	}
	add(rec)
	add(rec, ipc.WithZstd())
	add(rec, ipc.WithLZ4())
	view := array.NewStringViewBuilder(mem)
	view.AppendValues([]string{"short", "a text that is too long to be inline", ""}, []bool{true, true, false})
	dict := array.NewDictionaryBuilder(mem, &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String})
	for _, v := range []string{"a", "b", "a"} {
		_ = dict.AppendValueFromString(v)
	}
	dec := array.NewDecimal128Builder(mem, &arrow.Decimal128Type{Precision: 38, Scale: 3})
	dec.AppendValues([]decimal128.Num{{}, decimal128.FromI64(5), decimal128.FromI64(-5)}, nil)
	ts := array.NewTimestampBuilder(mem, &arrow.TimestampType{Unit: arrow.Nanosecond, TimeZone: "UTC"})
	ts.AppendValues([]arrow.Timestamp{1, 2, 3}, []bool{true, false, true})
	arrays := []arrow.Array{view.NewArray(), dict.NewArray(), array.NewNull(3), dec.NewArray(), ts.NewArray()}
	fields := make([]arrow.Field, len(arrays))
	for i, a := range arrays {
		fields[i] = arrow.Field{Name: "x", Type: a.DataType(), Nullable: true, Metadata: arrow.NewMetadata([]string{"k"}, []string{"v"})}
	}
	add(array.NewRecord(arrow.NewSchema(fields, nil), arrays, 3))
	return seeds
}

// Messages that were right but for a few bytes get further into the Arrow library than random ones
// do.
func TestMangledArrow(t *testing.T) {
	s, err := New(newCatalogue(t), &Options{Limits: Limits{Message: 1 << 20, Rows: 10_000}})
	if err != nil {
		t.Fatal(err)
	}
	runs := 6000
	if n, err := strconv.Atoi(os.Getenv("BADGER_MANGLED")); err == nil {
		runs = n
	}
	random := rand.New(rand.NewPCG(7, 31))
	numbers := []uint32{0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffff0}
	seeds := arrowSeeds(t)
	fine := 0
	for i := range runs {
		messages := make([]*flight.FlightData, 0, 3)
		for _, m := range seeds[i%len(seeds)] {
			messages = append(messages, &flight.FlightData{DataHeader: bytes.Clone(m.GetDataHeader()), DataBody: bytes.Clone(m.GetDataBody())})
		}
		for range 1 + random.IntN(3) {
			m := messages[random.IntN(len(messages))]
			part := m.GetDataHeader()
			if random.IntN(3) == 0 && len(m.GetDataBody()) >= 8 {
				part = m.GetDataBody()
			}
			at := random.IntN(len(part)/4) * 4
			if random.IntN(2) == 0 {
				binary.LittleEndian.PutUint32(part[at:], numbers[random.IntN(len(numbers))])
			} else {
				part[at+random.IntN(4)] ^= 1 << random.IntN(8)
			}
		}
		held := s.admission.of("")
		err := s.exchangeArrow(context.Background(), &call{}, grpcStream{&fuzzStream{data: pack(messages)}}, held)
		held.end()
		switch code := errcode.Of(err); code {
		case errcode.OK:
			fine++
		case errcode.InvalidArgument, errcode.ResourceExhausted:
		default:
			t.Fatalf("run %d: %v", i, err)
		}
		if !s.admission.bytes.TryAcquire(s.limits.InFlight) {
			t.Fatalf("run %d: memory is still reserved", i)
		}
		s.admission.bytes.Release(s.limits.InFlight)
	}
	if fine == 0 || fine == runs {
		t.Errorf("%d of %d mangled streams were read: the test mangles too much or too little", fine, runs)
	}
}

// FuzzUnary gives Call any message.
func FuzzUnary(f *testing.F) {
	for _, m := range []*udfpb.CallRequest{
		{Function: "show", Arguments: []*udfpb.Column{
			{Values: &udfpb.Column_Texts{Texts: &udfpb.Texts{Values: []string{"a", "b"}}}},
			{Values: &udfpb.Column_Doubles{Doubles: &udfpb.Doubles{Values: []float64{1, 2}}}, Nulls: []bool{true, false}},
		}},
		{Function: "badger_version", Rows: 3},
	} {
		b, err := proto.Marshal(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	c := newCatalogue(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		var req udfpb.CallRequest
		if proto.Unmarshal(data, &req) != nil {
			return
		}
		fn, err := c.Function(req.GetFunction())
		if err != nil {
			fn, _ = c.Function("show")
		}
		in, err := batchFrom(fn, &req, 1000, nil)
		if err != nil {
			if errcode.Of(err) == errcode.Unknown {
				t.Fatal(err)
			}
			return
		}
		out, err := c.Call(context.Background(), fn, in)
		if err != nil || out.Len() != in.Rows {
			t.Fatalf("%v, %d results for %d rows", err, out.Len(), in.Rows)
		}
		if _, err := proto.Marshal(columnTo(out)); err != nil {
			t.Fatal(err)
		}
	})
}

// FuzzBody gives the server any bytes under any Content-Encoding: the answer is a reply or a
// permanent fault, and no memory stays reserved.
func FuzzBody(f *testing.F) {
	encodings := []string{"", "identity", "gzip", "deflate", "GZIP", "br"}
	body := []byte(`{"rows":[["a"],[null]]}`)
	for i := range encodings {
		f.Add(body, uint8(i)) //nolint:gosec // small
	}
	f.Add(gzipOf(body), uint8(2))
	f.Add(append(gzipOf(body), gzipOf(body)...), uint8(2))
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	_, _ = z.Write(body)
	_ = z.Close()
	f.Add(packed.Bytes(), uint8(3))
	f.Add(packed.Bytes()[2:], uint8(3)) // raw
	s, err := New(newCatalogue(f), &Options{Limits: Limits{Body: 64 << 10, Message: 64 << 10, InFlight: 8 << 20, Rows: 1000}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte, encoding uint8) {
		status, reply := serve(s, "/v1/functions/badger_echo", data, "Content-Encoding", encodings[int(encoding)%len(encodings)])
		if status != 200 && status != 400 && (status != 429 || len(data) < 512) || !json.Valid([]byte(reply)) {
			t.Fatalf("%d %.200s", status, reply)
		}
		if !s.admission.bytes.TryAcquire(s.limits.InFlight) {
			t.Fatal("memory is still reserved")
		}
		s.admission.bytes.Release(s.limits.InFlight)
	})
}

// FuzzHeaders gives the server any headers of Snowflake's.
func FuzzHeaders(f *testing.F) {
	f.Add("SAME_TEXT", "U0FNRV9URVhU", "json", "1.0", "01c0aaaa")
	f.Add("same_text", "", "JSON", "", "")
	f.Add("", "%%%", "xml", "2", "\x00é")
	s, err := New(newCatalogue(f), nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, name, base64, format, version, query string) {
		status, reply := serve(s, "/v1/snowflake", []byte(`{"data":[[0,"a","a"]]}`), "Sf-External-Function-Name", name, "Sf-External-Function-Name-Base64", base64,
			"Sf-External-Function-Format", format, "Sf-External-Function-Format-Version", version, "Sf-External-Function-Current-Query-Id", query, "X-Request-Id", query)
		if status != 200 && status != 400 || !json.Valid([]byte(reply)) || status == 200 && !strings.HasPrefix(reply, `{"data":[[0,`) {
			t.Fatalf("%d %.200s", status, reply)
		}
	})
}
