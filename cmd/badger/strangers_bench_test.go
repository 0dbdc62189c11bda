package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/flight"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"

	"github.com/badger-eval/badger/udf/udfpb"
)

// strangersEach is how many connections are held on each of the two listeners, twice what one takes.
const strangersEach = 2000

// BenchmarkServingBesideStrangers is the p99 of an honest caller's calls of ten rows by HTTP, gRPC and Flight,
// alone and beside 4,000 connections that are idle, slow or half-finished, of nobody and of another caller. An
// op is 3,000 calls of each kind, by turns with the connections and without. The server has a process of its own.
// A connection that it closes comes again after ten seconds or so.
func BenchmarkServingBesideStrangers(b *testing.B) {
	s := &bombed{t: b, dir: b.TempDir()}
	s.start()
	honest := honestCalls(b, s)
	for b.Loop() {
		took := map[string]*[2][]time.Duration{}
		for turn := range 6 {
			var held *crowd
			if turn%2 == 1 {
				held = gather(s, strangersEach)
				time.Sleep(3 * time.Second) // that they come all at once is no part of it
			}
			for range 500 {
				for _, call := range honest {
					begun := time.Now()
					if err := call.do(); err != nil {
						b.Fatalf("%s: %v", call.name, err)
					}
					if took[call.name] == nil {
						took[call.name] = &[2][]time.Duration{}
					}
					all := &took[call.name][turn%2]
					*all = append(*all, time.Since(begun))
					time.Sleep(time.Millisecond)
				}
			}
			if held != nil {
				b.ReportMetric(float64(held.leave()), "held")
				time.Sleep(time.Second)
			}
		}
		for _, call := range honest {
			of := took[call.name]
			alone, beside := p99(of[0]), p99(of[1])
			b.ReportMetric(alone, call.name+"-alone-ms")
			b.ReportMetric(beside, call.name+"-beside-ms")
			b.ReportMetric(beside/alone, call.name+"-x")
		}
	}
}

// p99 is in milliseconds.
func p99(all []time.Duration) float64 {
	slices.Sort(all)
	return float64(all[len(all)*99/100].Microseconds()) / 1000
}

// honestCall is one call of ten rows.
type honestCall struct {
	name string
	do   func() error
}

// honestCalls are the ways in which an honest caller calls: on connections that it keeps, and by HTTP also on
// a new one each time.
func honestCalls(b *testing.B, s *bombed) []honestCall {
	b.Helper()
	gold, pred := smallResults(10)
	body := rowsBody(b, gold, pred)
	byHTTP := func(client *http.Client) func() error {
		return func() error {
			req, err := http.NewRequest(http.MethodPost, s.http+"/v1/functions/hybrid_ex", bytes.NewReader(body))
			if err != nil {
				return err
			}
			req.Header.Set("Authorization", "Bearer "+honestToken)
			resp, err := client.Do(req)
			if err != nil {
				return err
			}
			defer resp.Body.Close()
			reply, err := io.ReadAll(resp.Body)
			if err == nil && resp.StatusCode != http.StatusOK {
				err = fmt.Errorf("%s: %.200s", resp.Status, reply)
			}
			return err
		}
	}
	conn, err := grpc.NewClient(s.grpc, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = conn.Close() })
	ctx := metadata.AppendToOutgoingContext(b.Context(), "authorization", "Bearer "+honestToken)
	texts := func(values []string) *udfpb.Column {
		return &udfpb.Column{Values: &udfpb.Column_Texts{Texts: &udfpb.Texts{Values: values}}}
	}
	request := &udfpb.CallRequest{Function: "hybrid_ex", Arguments: []*udfpb.Column{texts(gold), texts(pred)}}
	rec := recordOf(gold, pred)
	kept, fresh := &http.Client{Timeout: time.Minute, Transport: &http.Transport{}}, &http.Client{Timeout: time.Minute, Transport: &http.Transport{DisableKeepAlives: true}}
	b.Cleanup(kept.CloseIdleConnections)
	return []honestCall{
		{"http", byHTTP(kept)},
		{"http-new", byHTTP(fresh)},
		{"grpc", func() error { _, err := udfpb.NewScoringClient(conn).Call(ctx, request); return err }},
		{"flight", func() error { return exchangeOnce(ctx, conn, rec) }},
	}
}

// exchangeOnce sends a batch on a stream of its own.
func exchangeOnce(ctx context.Context, conn *grpc.ClientConn, rec arrow.Record) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := flight.NewClientFromConn(conn, nil).DoExchange(ctx)
	if err != nil {
		return err
	}
	w := flight.NewRecordWriter(stream, ipc.WithSchema(rec.Schema()))
	w.SetFlightDescriptor(&flight.FlightDescriptor{Type: flight.DescriptorPATH, Path: []string{"hybrid_ex"}})
	if err := w.Write(rec); err != nil {
		return err
	}
	_ = stream.CloseSend()
	r, err := flight.NewRecordReader(stream)
	if err != nil {
		return err
	}
	defer r.Release()
	if !r.Next() || r.Record().NumRows() != rec.NumRows() {
		return fmt.Errorf("no reply: %w", r.Err())
	}
	for r.Next() { //nolint:revive // to the end of the stream
	}
	return r.Err()
}

// crowd is connections that do harm by being there.
type crowd struct {
	cancel context.CancelFunc
	all    sync.WaitGroup
	open   atomic.Int64
}

// gather opens n connections to each listener and comes back when all were open once.
func gather(s *bombed, n int) *crowd {
	ctx, cancel := context.WithCancel(context.Background())
	c := &crowd{cancel: cancel}
	var ready sync.WaitGroup
	for i := range n {
		byHTTP, byGRPC := httpStrangers[i%len(httpStrangers)], grpcStrangers[i%len(grpcStrangers)]
		for addr, behave := range map[string]stranger{strings.TrimPrefix(s.http, "http://"): byHTTP, s.grpc: byGRPC} {
			ready.Add(1)
			c.all.Go(func() { c.stay(ctx, addr, behave, sync.OnceFunc(ready.Done)) })
		}
	}
	ready.Wait()
	return c
}

// leave closes them, and tells how many were open.
func (c *crowd) leave() int64 {
	open := c.open.Load()
	c.cancel()
	c.all.Wait()
	return open
}

// stay is one of them: whenever it is closed it comes again, after ten seconds or so.
func (c *crowd) stay(ctx context.Context, addr string, behave stranger, ready func()) {
	defer ready()
	for ctx.Err() == nil {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", addr)
		if err == nil {
			c.open.Add(1)
			gone, left := context.WithCancel(ctx)
			stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
			go func() { _, _ = io.Copy(io.Discard, conn); left() }()
			first := make(chan struct{})
			go func() { behave(gone, conn, first); <-gone.Done(); _ = conn.Close() }()
			select {
			case <-first:
			case <-gone.Done():
			}
			ready()
			<-gone.Done()
			_ = conn.Close()
			stop()
			c.open.Add(-1)
		}
		ready()
		select {
		case <-ctx.Done():
		case <-time.After(5*time.Second + rand.N(10*time.Second)): //nolint:gosec // nothing is decided by it
		}
	}
}

// stranger says what it has to say, closes said when the first of it is out, and returns.
type stranger func(ctx context.Context, conn net.Conn, said chan<- struct{})

// saying says a text and is silent.
func saying(text string) stranger {
	return func(_ context.Context, conn net.Conn, said chan<- struct{}) {
		_, _ = io.WriteString(conn, text)
		close(said)
	}
}

// dripping says the beginning at once and the rest byte by byte, one a second.
func dripping(begin, text string) stranger {
	return func(ctx context.Context, conn net.Conn, said chan<- struct{}) {
		_, _ = io.WriteString(conn, begin)
		close(said)
		for i := range text {
			select {
			case <-ctx.Done():
				return
			case <-time.After(time.Second):
			}
			if _, err := io.WriteString(conn, text[i:i+1]); err != nil {
				return
			}
		}
	}
}

const (
	halfPost = "POST /v1/functions/hybrid_ex HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n"
	preface  = http2.ClientPreface + "\x00\x00\x00\x04\x00\x00\x00\x00\x00"
)

var httpStrangers = []stranger{
	saying(""),
	saying("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"),
	saying(halfPost),
	saying(halfPost + "\r\n{"),
	saying(halfPost + "Authorization: Bearer " + hostileToken + "\r\n\r\n{"),
	dripping("", halfPost+strings.Repeat("X-Header: value\r\n", 1000)),
	dripping(halfPost+"\r\n", strings.Repeat(" ", 10_000)),
	dripping(halfPost+"Authorization: Bearer "+hostileToken+"\r\n\r\n", strings.Repeat(" ", 10_000)),
}

var grpcStrangers = []stranger{
	saying(""),
	saying(preface),
	saying(preface + grpcHead("/grpc.health.v1.Health/Check", "")),
	saying(preface + grpcHead("/arrow.flight.protocol.FlightService/DoExchange", "")),
	saying(preface + grpcHead("/arrow.flight.protocol.FlightService/DoExchange", hostileToken)),
	saying(preface + grpcHead("/badger.v1.Scoring/Call", hostileToken) + dataFrame(string(framed(0, 100_000, nil))+"half")),
	dripping("", preface+grpcHead("/badger.v1.Scoring/Call", hostileToken)),
	dripping(preface+grpcHead("/arrow.flight.protocol.FlightService/DoExchange", hostileToken), strings.Repeat(dataFrame("\x00"), 1000)),
}

// grpcHead is the frame that begins a call on the first stream of a connection.
func grpcHead(path, token string) string {
	var head, out bytes.Buffer
	e := hpack.NewEncoder(&head)
	for _, f := range []hpack.HeaderField{{Name: ":method", Value: "POST"}, {Name: ":scheme", Value: "http"}, {Name: ":path", Value: path}, {Name: ":authority", Value: "x"}, {Name: "content-type", Value: "application/grpc"}, {Name: "te", Value: "trailers"}, {Name: "authorization", Value: "Bearer " + token}} {
		_ = e.WriteField(f)
	}
	_ = http2.NewFramer(&out, nil).WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: head.Bytes(), EndHeaders: true})
	return out.String()
}

// dataFrame is a frame of a message of that call.
func dataFrame(data string) string {
	var out bytes.Buffer
	_ = http2.NewFramer(&out, nil).WriteData(1, false, []byte(data))
	return out.String()
}
