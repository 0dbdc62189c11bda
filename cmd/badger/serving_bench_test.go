package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/flight"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/badger-eval/badger/internal/fake/port"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/udf"
	"github.com/badger-eval/badger/udf/server"
)

// The serving figures of `make serving`: clients and server share the process and the cores.

// benchServer serves the standard metrics, and a function slow_judge whose rows wait two seconds as
// for a judge.
func benchServer(b *testing.B) (s *server.Server, grpcAddr, url string) {
	b.Helper()
	engine, err := scoring.NewEngine(metric.All(), nil)
	if err != nil {
		b.Fatal(err)
	}
	judge := udf.Function{Name: "slow_judge", Result: udf.DOUBLE, Params: []udf.Param{{Name: "question"}}, Waits: true, Once: true, Row: func(ctx context.Context, _ *udf.Batch, _ int, _ *udf.Column) error {
		select {
		case <-time.After(2 * time.Second):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}}
	c, err := udf.NewCatalogue(engine, &udf.CatalogueOptions{Extra: []udf.Function{judge}})
	if err != nil {
		b.Fatal(err)
	}
	if s, err = server.New(c, nil); err != nil {
		b.Fatal(err)
	}
	var listeners [2]net.Listener
	for i := range listeners {
		if listeners[i], err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			b.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { _ = s.Serve(ctx, listeners[0], listeners[1]); close(done) }()
	b.Cleanup(func() { http.DefaultClient.CloseIdleConnections(); cancel(); <-done })
	return s, listeners[0].Addr().String(), "http://" + listeners[1].Addr().String()
}

// smallResults are rows of two results of ten rows and four columns; the second has its rows and
// columns in another order, and one value in ten differs.
func smallResults(n int) (gold, pred []string) {
	for i := range n {
		var g, p []string
		for r := range 10 {
			g = append(g, fmt.Sprintf(`[%d,"name %d",%d.25,"2026-03-%02d"]`, r, (i+r)%7, i*r%1000, r+1))
			p = append(p, fmt.Sprintf(`["2026-03-%02d",%d.25,"name %d",%d]`, r+1, i*r%1000, (i+r)%7, r+boolInt(r == i%10)*100))
		}
		slices.Reverse(p)
		gold = append(gold, `{"columns":["id","name","total","day"],"rows":[`+strings.Join(g, ",")+`]}`)
		pred = append(pred, `{"columns":["day","total","name","id"],"rows":[`+strings.Join(p, ",")+`]}`)
	}
	return gold, pred
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func recordOf(columns ...[]string) arrow.Record {
	var fields []arrow.Field
	var arrays []arrow.Array
	for k, c := range columns {
		b := array.NewStringBuilder(memory.DefaultAllocator)
		b.AppendValues(c, nil)
		arrays = append(arrays, b.NewArray())
		fields = append(fields, arrow.Field{Name: fmt.Sprint("arg", k), Type: arrow.BinaryTypes.String, Nullable: true})
	}
	return array.NewRecord(arrow.NewSchema(fields, nil), arrays, int64(len(columns[0])))
}

// exchangeBatches sends a batch n times over one stream, and reads what comes back.
func exchangeBatches(addr, function string, rec arrow.Record, n int) error {
	conn, err := grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(64<<20)))
	if err != nil {
		return err
	}
	defer conn.Close()
	stream, err := flight.NewClientFromConn(conn, nil).DoExchange(context.Background(), grpc.WaitForReady(true))
	if err != nil {
		return err
	}
	go func() {
		w := flight.NewRecordWriter(stream, ipc.WithSchema(rec.Schema()))
		w.SetFlightDescriptor(&flight.FlightDescriptor{Type: flight.DescriptorPATH, Path: []string{function}})
		for range n {
			if w.Write(rec) != nil {
				break
			}
		}
		_ = stream.CloseSend()
	}()
	r, err := flight.NewRecordReader(stream)
	if err != nil {
		return err
	}
	defer r.Release()
	got := 0
	for r.Next() {
		if r.Record().NumRows() != rec.NumRows() {
			return fmt.Errorf("%d rows for %d", r.Record().NumRows(), rec.NumRows())
		}
		got++
	}
	if r.Err() == nil && got != n {
		return fmt.Errorf("%d batches for %d", got, n)
	}
	return r.Err()
}

// allAtOnce runs f n times at the same time.
func allAtOnce(b *testing.B, n int, f func(i int) error) {
	b.Helper()
	errs := make(chan error, n)
	for i := range n {
		go func() { errs <- f(i) }()
	}
	for range n {
		if err := <-errs; err != nil {
			b.Fatal(err)
		}
	}
}

// cpuOf is what processes have used of the processors so far, in seconds: a figure that other work
// on the machine changes little.
func cpuOf(pids ...int) (seconds float64) {
	for _, pid := range pids {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			return math.NaN()
		}
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		for _, f := range fields[11:13] { // utime and stime, in ticks of which Linux shows 100 a second
			n, _ := strconv.ParseFloat(f, 64)
			seconds += n / 100
		}
	}
	return seconds
}

// BenchmarkServingHybridEx is hybrid_ex of two small results: over Flight, as JSON, and next to it
// the same comparison in pandas under Databend's UDF server kit, called by the same client. An op is
// a round of 4 streams with 4 batches of 500 rows each.
func BenchmarkServingHybridEx(b *testing.B) {
	const streams, batches, rows = 4, 4, 500
	const fewer = 100 // rows of a batch for pandas, which takes milliseconds a row
	_, addr, url := benchServer(b)
	gold, pred := smallResults(rows)
	rec := recordOf(gold, pred)
	report := func(b *testing.B, rows int, used float64) {
		b.Helper()
		all := float64(b.N * rows)
		b.ReportMetric(all/b.Elapsed().Seconds(), "rows/s")
		b.ReportMetric(all/used, "rows/cpu-s") // of client and server together
	}
	self := os.Getpid()
	b.Run("flight", func(b *testing.B) {
		before := cpuOf(self)
		for b.Loop() {
			allAtOnce(b, streams, func(int) error { return exchangeBatches(addr, "hybrid_ex", rec, batches) })
		}
		report(b, streams*batches*rows, cpuOf(self)-before)
	})
	b.Run("json", func(b *testing.B) {
		body := rowsBody(b, gold, pred)
		before := cpuOf(self)
		for b.Loop() {
			allAtOnce(b, streams, func(int) error {
				for range batches {
					if _, err := timed(url+"/v1/functions/hybrid_ex", body); err != nil {
						return err
					}
				}
				return nil
			})
		}
		report(b, streams*batches*rows, cpuOf(self)-before)
	})
	b.Run("databend-pandas", func(b *testing.B) {
		python := os.Getenv("BADGER_PYARROW_PYTHON")
		if python == "" {
			b.Skip("BADGER_PYARROW_PYTHON does not name a python3 that has databend-udf and pandas")
		}
		peer := port.Unused(b)
		cmd := exec.CommandContext(b.Context(), python, "testdata/databend_pandas.py", peer)
		var said bytes.Buffer
		cmd.Stderr = &said
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
		if err := exchangeBatches(peer, "hybrid_ex", recordOf(gold[:1], pred[:1]), 1); err != nil {
			b.Fatalf("%v\n%s", err, &said)
		}
		few := recordOf(gold[:fewer], pred[:fewer])
		before := cpuOf(self, cmd.Process.Pid)
		for b.Loop() {
			allAtOnce(b, streams, func(int) error { return exchangeBatches(peer, "hybrid_ex", few, 1) })
		}
		report(b, streams*fewer, cpuOf(self, cmd.Process.Pid)-before)
	})
}

// rowsBody is a call of badger's own JSON form with a row for each pair.
func rowsBody(b *testing.B, gold, pred []string) []byte {
	b.Helper()
	var in struct {
		Rows [][2]string `json:"rows"`
	}
	for i := range gold {
		in.Rows = append(in.Rows, [2]string{gold[i], pred[i]})
	}
	body, err := json.Marshal(in)
	if err != nil {
		b.Fatal(err)
	}
	return body
}

// timed posts a body and returns how long the reply took.
func timed(url string, body []byte) (time.Duration, error) {
	begun := time.Now()
	resp, err := http.Post(url, "application/json", bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	reply, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %.200s", resp.Status, reply)
	}
	return time.Since(begun), err
}

// BenchmarkServingBesideAJudge is the p99 of calls without a judge, alone and while 8 callers ask a
// judge that takes 2 s: 1,000 calls of 50 rows each, by turns with the callers on and off.
func BenchmarkServingBesideAJudge(b *testing.B) {
	_, _, url := benchServer(b)
	gold, pred := smallResults(50)
	body := rowsBody(b, gold, pred)
	for b.Loop() {
		var alone, beside []time.Duration
		for turn := range 4 {
			var wg sync.WaitGroup
			stop := make(chan struct{})
			var asked atomic.Int64
			if turn%2 == 1 {
				for range 8 {
					wg.Go(func() {
						for {
							select {
							case <-stop:
								return
							default:
							}
							n := asked.Add(1)
							var rows [][]string
							for i := range 20 {
								rows = append(rows, []string{fmt.Sprint("question ", turn, n, i, time.Now().UnixNano())})
							}
							text, _ := json.Marshal(map[string]any{"rows": rows})
							if _, err := timed(url+"/v1/functions/slow_judge", text); err != nil {
								b.Error(err)
								return
							}
						}
					})
				}
				time.Sleep(100 * time.Millisecond)
			}
			for range 500 {
				took, err := timed(url+"/v1/functions/hybrid_ex", body)
				if err != nil {
					b.Fatal(err)
				}
				if turn%2 == 1 {
					beside = append(beside, took)
				} else {
					alone = append(alone, took)
				}
			}
			close(stop)
			wg.Wait()
		}
		a, c := p99(alone), p99(beside)
		b.ReportMetric(a, "p99-alone-ms")
		b.ReportMetric(c, "p99-beside-ms")
		b.ReportMetric(c/a, "x")
	}
}

// BenchmarkServingExchanges is 64 exchanges at once, 8 batches of 2,000 rows each: the most memory
// that the server counted for them, and the most that was in use in the whole process.
func BenchmarkServingExchanges(b *testing.B) {
	s, addr, _ := benchServer(b)
	gold, pred := smallResults(2000)
	rec := recordOf(gold, pred)
	for b.Loop() {
		var counted, heap uint64
		stop, stopped := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(stopped)
			var m runtime.MemStats
			for {
				select {
				case <-stop:
					return
				case <-time.After(20 * time.Millisecond):
				}
				runtime.ReadMemStats(&m)
				heap, counted = max(heap, m.HeapInuse), max(counted, uint64(max(0, s.Load().Bytes)))
			}
		}()
		begun := time.Now()
		allAtOnce(b, 64, func(int) error { return exchangeBatches(addr, "hybrid_ex", rec, 8) })
		took := time.Since(begun)
		close(stop)
		<-stopped
		b.ReportMetric(float64(64*8*2000)/took.Seconds(), "rows/s")
		b.ReportMetric(float64(counted>>20), "counted-MiB")
		b.ReportMetric(float64(heap>>20), "heap-MiB")
	}
}
