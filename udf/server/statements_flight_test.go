package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/flight"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/test/bufconn"

	"github.com/badger-eval/badger/internal/fake/callers"
	"github.com/badger-eval/badger/internal/fake/metrics"
)

var flightStatements = map[string]func(*testing.T){
	"FL-1": func(t *testing.T) {
		s := start(t, newCatalogue(t), nil)
		stream, err := flight.NewClientFromConn(dial(t, s.addr), nil).DoExchange(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		messages := messagesOf(t, textRecord([]string{"a"}, []string{"a"}))
		messages[0].FlightDescriptor = &flight.FlightDescriptor{Type: flight.DescriptorPATH, Path: []string{"same_text"}}
		if err := errors.Join(stream.Send(messages[0]), stream.CloseSend()); err != nil { // the schema, and no batch
			t.Fatal(err)
		}
		if d, err := stream.Recv(); err != nil || len(d.GetDataHeader()) == 0 || len(d.GetDataBody()) > 0 {
			t.Errorf("no schema: %v", err)
		}
		if _, err := stream.Recv(); !errors.Is(err, io.EOF) {
			t.Errorf("after the schema: %v", err)
		}
	},
	"FL-2": func(t *testing.T) {
		s := start(t, newCatalogue(t), nil)
		rec := nameless([]string{"a", "b"}, []string{"a", "x"})
		want(t, "on the first message", "1 0")(s.databend(t, "same_text", nullableF64).Call(t.Context(), textRecord([]string{"a", "b"}, []string{"a", "x"})))
		want(t, "on every message", "1 0")(s.risingwave(t, "same_text", nullableF64).Call(t.Context(), rec))
	},
	"FL-4": func(t *testing.T) {
		s := start(t, newCatalogue(t), nil)
		whole := make([]string, 100)
		for i := range whole {
			whole[i] = fmt.Sprintf("%q", fmt.Sprint(i))
		}
		rec := textRecord(strings.Split(strings.ReplaceAll(strings.Join(whole, " "), `"`, ""), " "))
		for _, cuts := range [][]int64{{100}, {1, 99}, {33, 33, 34}, {0, 50, 0, 50}} {
			var slices []arrow.Record
			at := int64(0)
			for _, n := range cuts {
				slices = append(slices, rec.NewSlice(at, at+n))
				at += n
			}
			want(t, fmt.Sprint(cuts), strings.Join(whole, " "))(s.databend(t, "badger_echo", databendText).Call(t.Context(), slices...))
		}
	},
	"FL-9": func(t *testing.T) {
		const message = 1 << 20
		s := start(t, newCatalogue(t), &Options{Limits: Limits{Message: message, Body: message, InFlight: 64 * message}}) // of 64 messages not all are in memory at a time
		failed := make(chan error, 64)
		for n := range 64 {
			d := s.databend(t, "badger_echo", databendText)
			go func() {
				text := strings.Repeat(fmt.Sprint(n%10), 500_000)
				c, err := d.Call(t.Context(), textRecord([]string{text}), textRecord([]string{text}))
				if err == nil && texts(c) != `"`+text+`" "`+text+`"` {
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
		if !s.admission.bytes.TryAcquire(s.limits.InFlight) {
			t.Error("memory is still reserved")
		}
	},
	"FL-10": func(t *testing.T) {
		s, err := New(newCatalogue(t), nil)
		if err != nil {
			t.Fatal(err)
		}
		strict := grpc.NewServer() // the library's own policy ends such connections
		if goaway := pinged(t, strict.Serve, strict.Stop); !goaway {
			t.Error("the test shows nothing: a server with the library's policy bears the pings too")
		}
		if goaway := pinged(t, s.grpc.Serve, func() { _ = s.grpc.Close() }); goaway {
			t.Error("the server ended an idle connection that was pinged every 30 s")
		}
	},
	"DB-1": func(t *testing.T) {
		ctx := t.Context()
		s := start(t, newCatalogue(t), tokenOptions())
		create := func(token string, result arrow.Field, args ...arrow.Field) error {
			d := s.databend(t, "show", result, args...)
			d.Headers = map[string]string{"x-badger-token": token}
			return d.Create(ctx)
		}
		notNull := databendText
		notNull.Nullable = false
		if err := create(testToken, databendJSON, databendText, databendJSON); err != nil {
			t.Errorf("as the server has it: %v", err)
		}
		for why, err := range map[string]error{
			"an argument that is NOT NULL": create(testToken, databendJSON, notNull, databendJSON),
			"an argument of another type":  create(testToken, databendJSON, databendText, databendText),
			"an argument too few":          create(testToken, databendJSON, databendText),
			"a result of another type":     create(testToken, databendText, databendText, databendJSON),
		} {
			var v *callers.Violation
			if !errors.As(err, &v) {
				t.Errorf("%s: %v, want it found when the function is created", why, err)
			}
		}
		var r *callers.Refused
		if err := create("a-wrong-token-of-some-length", databendJSON, databendText, databendJSON); !errors.As(err, &r) || r.Status != int(codes.Unauthenticated) {
			t.Errorf("a wrong token: %v", err)
		}
	},
	"DB-3": func(t *testing.T) {
		s := start(t, newCatalogue(t), nil)
		d := s.databend(t, "show", databendJSON, databendText, databendJSON)
		if err := d.Create(t.Context()); err != nil {
			t.Fatal(err)
		}
		b := array.NewBinaryBuilder(memory.DefaultAllocator, arrow.BinaryTypes.LargeBinary)
		b.Append([]byte(`{"a":9007199254740993}`))
		b.AppendNull()
		variant := databendJSON
		variant.Name = "arg2"
		rec := array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "arg1", Type: arrow.BinaryTypes.String, Nullable: true}, variant}, nil),
			[]arrow.Array{textRecord([]string{"x", "y"}).Column(0), b.NewArray()}, 2)
		// The simulator checks the result's metadata; its content is JSON text.
		want(t, "VARIANT", `"[\"x\",\"{\\\"a\\\":9007199254740993}\",null,null,null]" "[\"y\",null,null,null,null]"`)(d.Call(t.Context(), rec))
	},
	"DB-4": func(t *testing.T) {
		var rows atomic.Int64
		s := start(t, newCatalogue(t, counted(&rows)), tokenOptions())
		d := s.databend(t, "counted", databendJSON, databendText)
		d.Headers = map[string]string{"x-badger-token": "a-wrong-token-of-some-length"}
		_, err := d.Call(t.Context(), textRecord([]string{"a"}))
		var r *callers.Refused
		if !errors.As(err, &r) || r.Status != int(codes.Unauthenticated) || r.Attempts != 9 || rows.Load() != 0 {
			t.Errorf("%v, %d rows were computed", err, rows.Load())
		}
		d.Headers["x-badger-token"] = testToken
		want(t, "the right one", `"{\"status\":\"ok\",\"value\":1}"`)(d.Call(t.Context(), textRecord([]string{"a"})))
	},
	"DB-5": func(t *testing.T) {
		var rows atomic.Int64
		s := start(t, newCatalogue(t, counted(&rows)), nil)
		c, err := s.databend(t, "counted", databendJSON, databendText).Call(t.Context(), textRecord([]string{"a", "panic", "bb"}))
		if err != nil || len(c.Results) != 3 || len(c.Attempts) != 1 || !strings.Contains(string(c.Results[1]), `\"code\":\"internal\"`) || !strings.Contains(string(c.Results[2]), `\"value\":2`) {
			t.Errorf("%s, %v, %v", texts(c), c.Attempts, err)
		}
	},
	"DB-6": func(t *testing.T) {
		if databend.budget > 150*time.Second {
			t.Errorf("rows have %v of Databend's 180 s", databend.budget)
		}
		s := start(t, newCatalogue(t), hasty("databend", 100*time.Millisecond))
		col := func(text string) []string {
			all := make([]string, 65_536)
			for i := range all {
				all[i] = text
			}
			return all
		}
		answers := col("r")
		answers[0] = "wait forever"
		c, err := s.databend(t, "judged_json", databendJSON, databendText, databendText, databendText, databendText, databendText).Call(t.Context(),
			textRecord(col("q"), col("i"), answers, col("s"), col("s")))
		if err == nil || !strings.Contains(err.Error(), "1 of 65536 rows were not scored in time") || len(c.Attempts) < 2 {
			t.Errorf("%d rows, %v, %v; expected attempts that fail", len(c.Results), c.Attempts, err)
		}
	},
	"DB-8": func(t *testing.T) {
		s := start(t, newCatalogue(t), nil)
		healthy := s.databend(t, "builtin_healthy", nullableI64)
		if err := healthy.Create(t.Context()); err != nil {
			t.Error(err)
		}
		want(t, "healthy", "1")(healthy.Call(t.Context(), array.NewRecord(arrow.NewSchema(nil, nil), nil, 1)))
		want(t, "echo", `"é😀" ""`)(s.databend(t, "builtin_echo", databendText, databendText).Call(t.Context(), textRecord([]string{"é😀", ""})))
	},
	"DB-9": func(t *testing.T) {
		s := start(t, newCatalogue(t), nil)
		// A batch without a NULL, one of NULLs, and one of failed rows: the simulator compares schemas.
		want(t, "batches of three kinds", "1 0 null null 1")(s.databend(t, "slowdown", nullableF64).Call(t.Context(),
			textRecord([]string{"1", "1"}, []string{"1", "0"}), textRecord([]string{"fast", "1"}, []string{"1", "slow"}), textRecord([]string{"2"}, []string{"2"})))
	},
	"RW-1": func(t *testing.T) {
		s := start(t, newCatalogue(t), nil)
		r := s.risingwave(t, "same_text", nullableF64, databendText, databendText)
		if err := r.Create(t.Context()); err != nil {
			t.Error(err)
		}
		r.Args = r.Args[:1]
		var v *callers.Violation
		if err := r.Create(t.Context()); !errors.As(err, &v) {
			t.Errorf("a function declared with another number of arguments: %v", err)
		}
		want(t, "a call", "1")(r.Call(t.Context(), nameless([]string{"a"}, []string{"a"})))
	},
	"RW-2": func(t *testing.T) {
		s := start(t, newCatalogue(t), nil)
		r := s.risingwave(t, "show/5", risingJSON, databendText, risingJSON, nullableF64, nullableI64, arrow.Field{Type: arrow.FixedWidthTypes.Boolean})
		if err := r.Create(t.Context()); err != nil {
			t.Error(err)
		}
		r = s.risingwave(t, "show", risingJSON, databendText, risingJSON)
		want(t, "jsonb both ways", `"[\"x\",\"{}\",null,null,null]"`)(r.Call(t.Context(), nameless([]string{"x"}, []string{"{}"})))
	},
	"RW-3": func(t *testing.T) {
		s := start(t, newCatalogue(t), nil)
		want(t, "by position", `"[\"first\",\"second\",null,null,null]"`)(s.risingwave(t, "show", risingJSON).Call(t.Context(), nameless([]string{"first"}, []string{"second"})))
	},
	"RW-4": func(t *testing.T) {
		s := start(t, newCatalogue(t), nil)
		want(t, "no row failed", "1 0")(s.risingwave(t, "same_text", nullableF64).Call(t.Context(), nameless([]string{"a", "b"}, []string{"a", "c"})))
		want(t, "a row failed", "null 1")(s.risingwave(t, "slowdown", nullableF64).Call(t.Context(), nameless([]string{"fast", "1"}, []string{"1", "1"})))
	},
	"RW-6": func(t *testing.T) {
		var rows atomic.Int64
		var log lines
		s := start(t, newCatalogue(t, counted(&rows)), &Options{Limits: Limits{Calls: 1}, Logger: slog.New(slog.NewTextHandler(&log, nil))})
		r := s.risingwave(t, "counted", risingJSON, risingJSON)
		r.AlwaysRetry = true
		leave := fill(t, s)
		go func() {
			for strings.Count(log.String(), "resource_exhausted") < 3 {
				time.Sleep(time.Millisecond)
			}
			leave()
		}()
		c, err := r.Call(t.Context(), nameless([]string{"panic"}))
		if err != nil || rows.Load() != 1 || len(c.Attempts) < 2 {
			t.Errorf("%v, %v, %d rows were computed", err, c.Attempts, rows.Load())
		}
		for _, a := range c.Attempts[:len(c.Attempts)-1] {
			if a.Status != int(codes.Unavailable) {
				t.Errorf("an attempt ended with code %d", a.Status)
			}
		}
		// What no attempt will mend has another code.
		r.AlwaysRetry = false
		_, err = r.Call(t.Context(), nameless([]string{"a"}, []string{"b"}))
		var refused *callers.Refused
		if !errors.As(err, &refused) || refused.Status != int(codes.InvalidArgument) || refused.Attempts != 1 {
			t.Errorf("a wrong number of arguments: %v", err)
		}
	},
	"RW-7": func(t *testing.T) {
		s := start(t, newCatalogue(t), nil)
		gold, _ := metrics.TwoResults(0)
		c, err := s.risingwave(t, "cell_match_json", risingJSON).Call(t.Context(), nameless([]string{gold, "", "table:t", "[", gold}, []string{gold, "", gold, gold, ""}))
		if err != nil || strings.Contains(texts(c), "null ") || strings.HasSuffix(texts(c), "null") {
			t.Errorf("%s, %v", texts(c), err)
		}
	},
	"RW-9": func(t *testing.T) {
		s := start(t, newCatalogue(t), nil)
		r := s.risingwave(t, "same_text", nullableF64, databendText, databendText)
		want(t, "without asking for the version", "1")(r.Call(t.Context(), nameless([]string{"a"}, []string{"a"})))
	},
}

// pinged reports whether a server ends an idle connection that its client pings every 30 s for ten
// minutes. Time is that of a bubble.
func pinged(t *testing.T, serve func(net.Listener) error, stop func()) (ended bool) {
	synctest.Test(t, func(t *testing.T) {
		l := bufconn.Listen(1 << 16)
		done := make(chan struct{})
		go func() { _ = serve(l); close(done) }()
		lost := make(chan struct{}, 100)
		conn, err := grpc.NewClient("passthrough:///server", grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithIdleTimeout(0),
			grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 30 * time.Second, Timeout: 20 * time.Second, PermitWithoutStream: true}),
			grpc.WithContextDialer(func(context.Context, string) (net.Conn, error) {
				c, err := l.Dial()
				return &watchedConn{c, lost}, err
			}))
		if err != nil {
			t.Fatal(err)
		}
		conn.Connect()
		for conn.GetState() != connectivity.Ready {
			time.Sleep(time.Second)
		}
		time.Sleep(10 * time.Minute)
		ended = len(lost) > 0
		_ = conn.Close()
		stop()
		<-done
	})
	return ended
}

// watchedConn tells that it was closed.
type watchedConn struct {
	net.Conn
	lost chan struct{}
}

func (w *watchedConn) Close() error {
	w.lost <- struct{}{}
	return w.Conn.Close()
}
