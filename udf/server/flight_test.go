package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/badger-eval/badger/udf"
)

// The golden files of Flight, and which conformance statements each one shows.
var goldenFlight = []struct{ file, statements string }{
	{"databend_worked_example.txtar", "DB-1 DB-2 DB-3 DB-9 G-1 G-2"},
	{"risingwave_worked_example.txtar", "RW-1 RW-2 RW-3 RW-4 G-1"},
	{"arity_and_dialect.txtar", "DB-1 DB-5"},
	{"builtins.txtar", "DB-8"},
}

var arrowTypes = map[string]arrow.DataType{
	"utf8": arrow.BinaryTypes.String, "large_utf8": arrow.BinaryTypes.LargeString, "utf8_view": arrow.BinaryTypes.StringView,
	"binary": arrow.BinaryTypes.Binary, "large_binary": arrow.BinaryTypes.LargeBinary, "int64": arrow.PrimitiveTypes.Int64, "float64": arrow.PrimitiveTypes.Float64,
	"bool": arrow.FixedWidthTypes.Boolean,
}

// fieldText is a field as the golden files write it.
func fieldText(f arrow.Field) string {
	name := f.Type.Name()
	for n, t := range arrowTypes {
		if arrow.TypeEqual(t, f.Type) {
			name = n
		}
	}
	s := f.Name + ": " + name
	if f.Nullable {
		s += " null"
	}
	for i, k := range f.Metadata.Keys() {
		s += " " + k + "=" + f.Metadata.Values()[i]
	}
	return s
}

func fieldOf(t *testing.T, line string) arrow.Field {
	t.Helper()
	name, rest, _ := strings.Cut(line, ":")
	words := strings.Fields(rest)
	f := arrow.Field{Name: name, Type: arrowTypes[words[0]], Nullable: true}
	if f.Type == nil {
		t.Fatalf("unknown type in %q", line)
	}
	for _, w := range words[1:] {
		k, v, _ := strings.Cut(w, "=")
		f.Metadata = arrow.NewMetadata([]string{k}, []string{v})
	}
	return f
}

func fieldsOf(t *testing.T, lines []string) (fields []arrow.Field) {
	t.Helper()
	for _, l := range lines {
		fields = append(fields, fieldOf(t, l))
	}
	return fields
}

func TestGoldenFlight(t *testing.T) {
	s := start(t, newCatalogue(t, scoreRun("flight")), nil)
	client := flight.NewClientFromConn(dial(t, s.addr), nil)
	for _, g := range goldenFlight {
		t.Run(g.file, func(t *testing.T) {
			a, err := txtar.ParseFile(filepath.Join("testdata", "flight", g.file))
			if err != nil {
				t.Fatal(err)
			}
			part := map[string]string{}
			for _, f := range a.Files {
				part[f.Name] = strings.TrimSuffix(string(f.Data), "\n")
			}
			ctx := context.Background()
			for l := range strings.SplitSeq(part["metadata"], "\n") {
				if k, v, ok := strings.Cut(l, ": "); ok {
					ctx = metadata.AppendToOutgoingContext(ctx, k, v)
				}
			}
			if got := infoText(t, ctx, client, part["handler"]); got != part["info"] {
				t.Errorf("info:\n%s\nwant\n%s", got, part["info"])
			}
			rec := recordFrom(t, fieldsOf(t, strings.Split(part["schema"], "\n")), part["rows"])
			result, values := exchangeAll(t, ctx, client, part["handler"], rec)
			if got := fieldText(result.Field(0)); got != part["result"] || result.NumFields() != 1 {
				t.Errorf("result is %s, want %s", got, part["result"])
			}
			if got := strings.Join(values, "\n"); got != part["values"] {
				t.Errorf("values:\n%s\nwant\n%s", got, part["values"])
			}
		})
	}
}

func infoText(t *testing.T, ctx context.Context, client flight.Client, handler string) string {
	t.Helper()
	d := &flight.FlightDescriptor{Type: flight.DescriptorPATH, Path: []string{handler}}
	info, err := client.GetFlightInfo(ctx, d)
	if err != nil {
		t.Fatal(err)
	}
	if !proto.Equal(info.GetFlightDescriptor(), d) {
		t.Errorf("descriptor %v is not echoed", info.GetFlightDescriptor())
	}
	schema, err := flight.DeserializeSchema(info.GetSchema(), memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, f := range schema.Fields() {
		lines = append(lines, fieldText(f))
	}
	inputs, _ := schema.Metadata().GetValue("x-databend-udf-input-count")
	if inputs != strconv.FormatInt(info.GetTotalRecords(), 10) {
		t.Errorf("total_records is %d, the input count %s", info.GetTotalRecords(), inputs)
	}
	return strings.Join(append(lines, "inputs: "+inputs), "\n")
}

// recordFrom makes a record from JSON rows, objects by column name or arrays.
func recordFrom(t testing.TB, fields []arrow.Field, rows string) arrow.Record {
	t.Helper()
	named := make([]arrow.Field, len(fields))
	for i, f := range fields {
		named[i] = f
		if f.Name == "" { // the JSON reader needs names
			named[i].Name = fmt.Sprint("c", i)
		}
	}
	if strings.HasPrefix(rows, "[[") {
		d := json.NewDecoder(strings.NewReader(rows))
		d.UseNumber()
		var list [][]any
		if err := d.Decode(&list); err != nil {
			t.Fatal(err)
		}
		objects := make([]map[string]any, len(list))
		for i, l := range list {
			objects[i] = map[string]any{}
			for k, v := range l {
				objects[i][named[k].Name] = v
			}
		}
		b, _ := json.Marshal(objects)
		rows = string(b)
	}
	rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, arrow.NewSchema(named, nil), strings.NewReader(rows), array.WithUseNumber())
	if err != nil {
		t.Fatal(err)
	}
	return array.NewRecord(arrow.NewSchema(fields, nil), rec.Columns(), rec.NumRows())
}

// exchangeAll sends records to a handler and returns the schema and all values that come back, as
// text.
func exchangeAll(t testing.TB, ctx context.Context, client flight.Client, handler string, recs ...arrow.Record) (*arrow.Schema, []string) {
	t.Helper()
	schema, values, err := tryExchange(ctx, client, handler, recs...)
	if err != nil {
		t.Fatal(err)
	}
	return schema, values
}

func tryExchange(ctx context.Context, client flight.Client, handler string, recs ...arrow.Record) (*arrow.Schema, []string, error) {
	stream, err := client.DoExchange(ctx)
	if err != nil {
		return nil, nil, err
	}
	w := flight.NewRecordWriter(stream, ipc.WithSchema(recs[0].Schema()))
	w.SetFlightDescriptor(&flight.FlightDescriptor{Type: flight.DescriptorPATH, Path: []string{handler}})
	for _, r := range recs {
		if err := w.Write(r); err != nil && !errors.Is(err, io.EOF) {
			return nil, nil, err
		}
	}
	_ = stream.CloseSend()
	r, err := flight.NewRecordReader(stream)
	if err != nil {
		return nil, nil, err
	}
	defer r.Release()
	var values []string
	for r.Next() {
		values = append(values, columnText(r.Record().Column(0))...)
	}
	return r.Schema(), values, r.Err()
}

func columnText(a arrow.Array) (values []string) {
	for i := range a.Len() {
		switch c := a.(type) {
		case *array.LargeBinary:
			if !c.IsNull(i) {
				values = append(values, string(c.Value(i)))
				continue
			}
		case *array.Float64:
			if !c.IsNull(i) {
				values = append(values, udf.FormatFloat(c.Value(i)))
				continue
			}
		}
		if a.IsNull(i) {
			values = append(values, "NULL")
		} else {
			values = append(values, a.ValueStr(i))
		}
	}
	return values
}

func textRecord(cols ...[]string) arrow.Record {
	fields := make([]arrow.Field, len(cols))
	arrays := make([]arrow.Array, len(cols))
	for k, c := range cols {
		b := array.NewStringBuilder(memory.DefaultAllocator)
		b.AppendValues(c, nil)
		arrays[k] = b.NewArray()
		fields[k] = arrow.Field{Name: fmt.Sprint("arg", k+1), Type: arrow.BinaryTypes.String, Nullable: true}
	}
	return array.NewRecord(arrow.NewSchema(fields, nil), arrays, int64(len(cols[0])))
}

// FL-1 to FL-4, FL-11, DB-8, RW-1: the steps of a call, message by message.
func TestFlightExchangeSteps(t *testing.T) {
	s := start(t, newCatalogue(t), nil)
	conn := dial(t, s.addr)
	client := flight.NewClientFromConn(conn, nil)
	ctx := context.Background()
	path := func(name string) *flight.FlightDescriptor {
		return &flight.FlightDescriptor{Type: flight.DescriptorPATH, Path: []string{name}}
	}

	t.Run("the schema comes before any batch is sent", func(t *testing.T) {
		stream, err := client.DoExchange(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if err := stream.Send(&flight.FlightData{FlightDescriptor: path("same_text")}); err != nil {
			t.Fatal(err)
		}
		d, err := stream.Recv()
		if err != nil || len(d.GetDataHeader()) == 0 {
			t.Fatalf("no schema: %v", err)
		}
		_ = stream.CloseSend()
		if _, err := stream.Recv(); !errors.Is(err, io.EOF) {
			t.Errorf("a stream without batches ended with %v", err)
		}
	})
	t.Run("a descriptor alone, then on every message", func(t *testing.T) {
		messages := messagesOf(t, textRecord([]string{"a", "b"}, []string{"a", "x"}), textRecord([]string{"c"}, []string{"c"}))
		for i := range messages {
			messages[i].FlightDescriptor = path("same_text")
		}
		got, err := sendMessages(t, client, append([]*flight.FlightData{{FlightDescriptor: path("same_text")}}, messages...))
		if err != nil || strings.Join(got, " ") != "1 0 1" {
			t.Errorf("got %v, %v", got, err)
		}
	})
	t.Run("messages without Arrow data are passed over", func(t *testing.T) {
		messages := messagesOf(t, textRecord([]string{"a"}, []string{"a"}))
		messages[0].FlightDescriptor = path("same_text")
		messages = append(messages[:1:1], append([]*flight.FlightData{{AppMetadata: []byte("note")}}, messages[1:]...)...)
		got, err := sendMessages(t, client, messages)
		if err != nil || strings.Join(got, " ") != "1" {
			t.Errorf("got %v, %v", got, err)
		}
	})
	t.Run("another descriptor later is refused", func(t *testing.T) {
		messages := messagesOf(t, textRecord([]string{"a"}, []string{"a"}))
		messages[0].FlightDescriptor = path("same_text")
		messages[1].FlightDescriptor = path("show")
		if _, err := sendMessages(t, client, messages); status.Code(err) != codes.InvalidArgument {
			t.Errorf("got %v", err)
		}
	})
	t.Run("no descriptor", func(t *testing.T) {
		if _, err := sendMessages(t, client, messagesOf(t, textRecord([]string{"a"}, []string{"a"}))); status.Code(err) != codes.InvalidArgument {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a command names a function too", func(t *testing.T) {
		messages := messagesOf(t, textRecord([]string{"a"}, []string{"a"}))
		messages[0].FlightDescriptor = &flight.FlightDescriptor{Type: flight.DescriptorCMD, Cmd: []byte("same_text")}
		if got, err := sendMessages(t, client, messages); err != nil || len(got) != 1 {
			t.Errorf("got %v, %v", got, err)
		}
	})
	t.Run("the version of the protocol is one byte", func(t *testing.T) {
		stream, err := client.DoAction(ctx, &flight.Action{Type: "protocol_version"})
		if err != nil {
			t.Fatal(err)
		}
		r, err := stream.Recv()
		if err != nil || !bytes.Equal(r.GetBody(), []byte{2}) {
			t.Errorf("got %v, %v", r.GetBody(), err)
		}
		if _, err := stream.Recv(); !errors.Is(err, io.EOF) {
			t.Errorf("more than one result: %v", err)
		}
		stream, _ = client.DoAction(ctx, &flight.Action{Type: "nope"})
		if _, err := stream.Recv(); status.Code(err) != codes.Unimplemented {
			t.Errorf("an unknown action: %v", err)
		}
	})
	t.Run("an unknown handler is not found, without data", func(t *testing.T) { // FL-8
		for _, name := range []string{"same_txt", "same_text/3", "same_text/x", "same_text@duckdb", ""} {
			if _, err := client.GetFlightInfo(ctx, path(name)); status.Code(err) != codes.NotFound {
				t.Errorf("%q: info: %v", name, err)
			}
			messages := messagesOf(t, textRecord([]string{"a"}, []string{"a"}))
			messages[0].FlightDescriptor = path(name)
			if got, err := sendMessages(t, client, messages); status.Code(err) != codes.NotFound || len(got) > 0 {
				t.Errorf("%q: exchange: %v", name, err)
			}
		}
	})
	t.Run("every function is listed, with every number of arguments", func(t *testing.T) {
		stream, err := client.ListFlights(ctx, &flight.Criteria{})
		if err != nil {
			t.Fatal(err)
		}
		names := map[string]bool{}
		for {
			info, err := stream.Recv()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			name := info.GetFlightDescriptor().GetPath()[0]
			names[name] = true
			again, err := client.GetFlightInfo(ctx, path(name))
			if err != nil || !bytes.Equal(again.GetSchema(), info.GetSchema()) {
				t.Errorf("%s is listed otherwise than it is described: %v", name, err)
			}
		}
		for _, want := range []string{"cell_match", "cell_match/3", "cell_match/4", "badger_version", "show/5"} {
			if !names[want] {
				t.Errorf("%s is not listed", want)
			}
		}
	})
	t.Run("no arguments", func(t *testing.T) {
		schema := arrow.NewSchema(nil, nil)
		_, got := exchangeAll(t, ctx, client, "builtin_healthy", array.NewRecord(schema, nil, 1))
		if strings.Join(got, " ") != "1" {
			t.Errorf("got %v", got)
		}
	})
}

// messagesOf are the Flight messages of records: schema and batches.
func messagesOf(t testing.TB, recs ...arrow.Record) []*flight.FlightData {
	t.Helper()
	var c collector
	w := flight.NewRecordWriter(&c, ipc.WithSchema(recs[0].Schema()))
	for _, r := range recs {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	return c.messages
}

type collector struct{ messages []*flight.FlightData }

func (c *collector) Send(d *flight.FlightData) error {
	c.messages = append(c.messages, proto.Clone(d).(*flight.FlightData))
	return nil
}

func sendMessages(t testing.TB, client flight.Client, messages []*flight.FlightData) ([]string, error) {
	t.Helper()
	stream, err := client.DoExchange(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range messages {
		if err := stream.Send(m); err != nil {
			break // the error is with Recv
		}
	}
	_ = stream.CloseSend()
	r, err := flight.NewRecordReader(stream)
	if err != nil {
		return nil, err
	}
	defer r.Release()
	var values []string
	for r.Next() {
		values = append(values, columnText(r.Record().Column(0))...)
	}
	return values, r.Err()
}

// FL-5: every layout that Arrow allows for the same values.
func TestArrowLayouts(t *testing.T) {
	s := start(t, newCatalogue(t), nil)
	client := flight.NewClientFromConn(dial(t, s.addr), nil)
	mem := memory.DefaultAllocator
	texts := func(b array.Builder, vs ...any) arrow.Array {
		for _, v := range vs {
			if v == nil {
				b.AppendNull()
			} else if err := b.AppendValueFromString(fmt.Sprint(v)); err != nil {
				t.Fatal(err)
			}
		}
		return b.NewArray()
	}
	dict := func() arrow.Array {
		return texts(array.NewDictionaryBuilder(mem, &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}), "a", "b", nil, "a")
	}
	str := func(vs ...any) arrow.Array { return texts(array.NewStringBuilder(mem), vs...) }
	view := func(vs ...any) arrow.Array { return texts(array.NewStringViewBuilder(mem), vs...) }
	long := strings.Repeat("long ", 10)
	dec := array.NewDecimal128Builder(mem, &arrow.Decimal128Type{Precision: 38, Scale: 4})
	dec.Append(decimal128.FromI64(-12345))
	n, _ := decimal128.FromString("99999999999999999999999999999999.9999", 38, 4)
	dec.Append(n)
	ts := array.NewTimestampBuilder(mem, &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "+00:00"})
	ts.Append(-1)
	nullInside := array.NewDictionaryArray(&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String},
		texts(array.NewInt8Builder(mem), 0, 1, 0), str("a", nil))
	for _, tc := range []struct {
		why  string
		arr  arrow.Array
		want string
	}{
		{"dictionary with NULL among its values", nullInside, "a NULL a"},
		{"utf8", str("a", nil, "", "null"), "a NULL  null"},
		{"utf8, a slice from the middle", array.NewSlice(str("x", "a", nil, "y", "z"), 1, 4), "a NULL y"},
		{"utf8 without NULLs has no bitmap", str("a", "b"), "a b"},
		{"utf8, all NULL", str(nil, nil), "NULL NULL"},
		{"utf8, no rows", str(), ""},
		{"large_utf8", texts(array.NewLargeStringBuilder(mem), "a", nil), "a NULL"},
		{"utf8_view, short and long", view("a", long, nil), "a " + long + " NULL"},
		{"utf8_view, a slice", array.NewSlice(view("x", long, nil, "y"), 1, 3), long + " NULL"},
		{"dictionary", dict(), "a b NULL a"},
		{"dictionary, a slice", array.NewSlice(dict(), 1, 4), "b NULL a"},
		{"null", array.NewNull(3), "NULL NULL NULL"},
		{"bool", texts(array.NewBooleanBuilder(mem), true, false, nil), "true false NULL"},
		{"int8", texts(array.NewInt8Builder(mem), -128, nil), "-128 NULL"},
		{"int64 to the last digit", texts(array.NewInt64Builder(mem), "9223372036854775807", "-9223372036854775808"), "9223372036854775807 -9223372036854775808"},
		{"uint64 to the last digit", texts(array.NewUint64Builder(mem), "18446744073709551615"), "18446744073709551615"},
		{"float32 as its shortest decimal", texts(array.NewFloat32Builder(mem), "0.1"), "0.1"},
		{"float64", texts(array.NewFloat64Builder(mem), "0.1", "1e300", "NaN"), "0.1 1e+300 NaN"},
		{"decimal of 36 digits", dec.NewArray(), "-1.2345 99999999999999999999999999999999.9999"},
		{"date", texts(array.NewDate32Builder(mem), "1969-12-31"), "1969-12-31"},
		{"timestamp before 1970", ts.NewArray(), "1969-12-31 23:59:59.999999Z"},
		{"large_binary as text", func() arrow.Array {
			b := array.NewBinaryBuilder(mem, arrow.BinaryTypes.LargeBinary)
			b.Append([]byte(`{"a":1}`))
			return b.NewArray()
		}(), `{"a":1}`},
	} {
		rec := array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "x", Type: tc.arr.DataType(), Nullable: true}}, nil), []arrow.Array{tc.arr}, int64(tc.arr.Len()))
		_, got, err := tryExchange(context.Background(), client, "badger_echo", rec, rec)
		if want := strings.TrimPrefix(tc.want+" "+tc.want, " "); err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: got %q (%v), want %q", tc.why, strings.Join(got, " "), err, want)
		}
	}
	b := array.NewListBuilder(mem, arrow.PrimitiveTypes.Int64)
	b.AppendNull()
	list := b.NewArray()
	rec := array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "x", Type: list.DataType(), Nullable: true}}, nil), []arrow.Array{list}, 1)
	if _, _, err := tryExchange(context.Background(), client, "badger_echo", rec); status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), "flat columns") {
		t.Errorf("a list: %v", err)
	}
}

// FL-7: compressed bodies are refused, for nothing but their end tells how large they are; replies
// are not compressed.
func TestCompressedArrow(t *testing.T) {
	s := start(t, newCatalogue(t), nil)
	client := flight.NewClientFromConn(dial(t, s.addr), nil)
	rec := textRecord([]string{strings.Repeat("a", 10_000), "b"}, []string{strings.Repeat("a", 10_000), "c"})
	for name, opt := range map[string]ipc.Option{"lz4": ipc.WithLZ4(), "zstd": ipc.WithZstd()} {
		var c collector
		w := flight.NewRecordWriter(&c, ipc.WithSchema(rec.Schema()), opt)
		if err := w.Write(rec); err != nil {
			t.Fatal(err)
		}
		c.messages[0].FlightDescriptor = &flight.FlightDescriptor{Type: flight.DescriptorPATH, Path: []string{"same_text"}}
		if _, err := sendMessages(t, client, c.messages); status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), "compressed") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FL-6: a cell of 10 MB passes; beyond the limit the status is one that the documentation calls
// final.
func TestLargeCells(t *testing.T) {
	s := start(t, newCatalogue(t), &Options{Limits: Limits{Message: 16 << 20}})
	client := flight.NewClientFromConn(dial(t, s.addr), nil)
	big := strings.Repeat("x", 10<<20)
	if _, got := exchangeAll(t, context.Background(), client, "badger_echo", textRecord([]string{big})); got[0] != big {
		t.Error("10 MB came back changed")
	}
	if _, _, err := tryExchange(context.Background(), client, "badger_echo", textRecord([]string{big + big})); status.Code(err) != codes.ResourceExhausted {
		t.Errorf("20 MB: %v", err)
	}
}

// DB-6: a block as Databend cuts them.
func TestBlockOf65536Rows(t *testing.T) {
	s := start(t, newCatalogue(t), nil)
	client := flight.NewClientFromConn(dial(t, s.addr), nil)
	texts := make([]string, 65_536)
	for i := range texts {
		texts[i] = fmt.Sprint(i)
	}
	if _, got := exchangeAll(t, context.Background(), client, "badger_echo", textRecord(texts)); strings.Join(got, " ") != strings.Join(texts, " ") {
		t.Error("rows changed")
	}
}

// DB-5, RW-6: a row that fails is a row; the batch is OK.
func TestFlightBadRow(t *testing.T) {
	s := start(t, newCatalogue(t), nil)
	client := flight.NewClientFromConn(dial(t, s.addr), nil)
	_, got := exchangeAll(t, context.Background(), client, "show", textRecord([]string{"a", "panic", "b"}, []string{"{}", "{}", "{}"}))
	if len(got) != 3 || !strings.Contains(got[1], `"status":"failed","value":null,"code":"internal"`) || got[0] != `["a","{}",null,null,null]` {
		t.Errorf("got %v", got)
	}
	_, got = exchangeAll(t, context.Background(), client, "slowdown", textRecord([]string{"100", "fast", "10"}, []string{"150", "1", "5"}))
	if strings.Join(got, " ") != "1.5 NULL 0.5" {
		t.Errorf("got %v", got)
	}
}

// FL-9, RW-6: without a place there is the one status that the product tries again on, and no work.
func TestFlightOverload(t *testing.T) {
	s := start(t, newCatalogue(t), &Options{Limits: Limits{Calls: 1}})
	held := s.admission.of("other")
	leave, err := s.enter(held)
	if err != nil {
		t.Fatal(err)
	}
	for dialect, want := range map[string]codes.Code{"": codes.Unavailable, "t1": codes.ResourceExhausted} {
		ctx := context.Background()
		if dialect != "" {
			ctx = metadata.AppendToOutgoingContext(ctx, "x-databend-tenant", dialect)
		}
		_, _, err := tryExchange(ctx, flight.NewClientFromConn(dial(t, s.addr), nil), "same_text", textRecord([]string{"a"}, []string{"a"}))
		if status.Code(err) != want {
			t.Errorf("dialect %q: %v, want %v", dialect, err, want)
		}
	}
	leave()
}

// FL-9: many exchanges at once, each with its own rows in its own order.
func TestConcurrentExchanges(t *testing.T) {
	s := start(t, newCatalogue(t), nil)
	client := flight.NewClientFromConn(dial(t, s.addr), nil)
	failed := make(chan error, 64)
	for n := range 64 {
		go func() {
			var recs []arrow.Record
			var want []string
			for b := range 5 {
				var vs []string
				for i := range 100 + n {
					vs = append(vs, fmt.Sprint(n, "/", b, "/", i))
				}
				recs, want = append(recs, textRecord(vs)), append(want, vs...)
			}
			_, got, err := tryExchange(context.Background(), client, "badger_echo", recs...)
			if err == nil && strings.Join(got, " ") != strings.Join(want, " ") {
				err = fmt.Errorf("exchange %d: rows changed", n)
			}
			failed <- err
		}()
	}
	for range 64 {
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
}
