package judgebackend_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/judgebackend/backendtest"
)

// BenchmarkThroughput keeps 64 calls to a 300 ms judge in flight through all wrappers, ledger on
// disk included, and reports the share of the ideal throughput: calls x 300 ms / 64. Prompts are 6
// KB, replies 200 bytes. "no wrappers" is what the machine reaches without this package: a busy one
// wakes sleepers late.
func BenchmarkThroughput(b *testing.B) {
	const latency, concurrency = 300 * time.Millisecond, 64
	reply := `{"verdict":"pass","why":"` + strings.Repeat("because ", 20) + `"}`
	slow := &scripted{answer: func(ctx context.Context, _ int64, _ judgebackend.Request) (judgebackend.Response, error) {
		return said(reply), judgebackend.SystemClock.Sleep(ctx, latency)
	}}
	e := backendtest.NewEndpoint(b, func(backendtest.Call) backendtest.Answer {
		time.Sleep(latency)
		return backendtest.Answer{Reply: reply}
	})
	http, err := providers.Open(b.Context(), "openai:gpt-4o", &judgebackend.OpenOptions{BaseURL: e.URL(), AllowHosts: []string{e.Host()}})
	if err != nil {
		b.Fatal(err)
	}
	b.Run("no wrappers", func(b *testing.B) {
		keepInFlight(b, concurrency, latency, func(r judgebackend.Request) error {
			_, err := slow.Complete(b.Context(), r)
			return err
		})
	})
	for _, bc := range []struct {
		name    string
		backend judgebackend.Backend
	}{{"function", slow}, {"openai over HTTP", http}} {
		b.Run(bc.name, func(b *testing.B) {
			budget, err := judgebackend.NewBudget(judgebackend.BudgetLimits{Money: money(b, "100000"), Tokens: 1 << 50})
			if err != nil {
				b.Fatal(err)
			}
			ledger, err := judgebackend.OpenFileStore(filepath.Join(b.TempDir(), "ledger.jsonl"), nil)
			if err != nil {
				b.Fatal(err)
			}
			defer ledger.Close()
			var mu sync.Mutex
			var rows []judgebackend.Assessment // as a writer to a table would collect them
			s := stack(b, bc.backend, judgebackend.StackOptions{
				Store: ledger, Budget: budget, Concurrency: concurrency,
				Record: func(_ context.Context, a judgebackend.Assessment) error {
					mu.Lock()
					defer mu.Unlock()
					rows = append(rows, a)
					return nil
				},
				Audit: slog.New(slog.NewJSONHandler(io.Discard, nil)), RequestsPerMinute: 1_000_000, TokensPerMinute: 1_000_000_000,
			})
			keepInFlight(b, concurrency, latency, func(r judgebackend.Request) error {
				var got verdict
				_, err := judgebackend.CompleteJSON(b.Context(), s, r, &got)
				return err
			})
		})
	}
}

// keepInFlight makes b.N different calls, so many at a time, and reports the share of the ideal
// throughput.
func keepInFlight(b *testing.B, concurrency int, latency time.Duration, call func(judgebackend.Request) error) {
	filler := strings.Repeat("x", 6<<10)
	queue := make(chan int)
	b.ReportAllocs()
	b.ResetTimer()
	var wg sync.WaitGroup
	for range concurrency {
		wg.Go(func() {
			for i := range queue {
				r := withSchema()
				r.Messages[1].Content = fmt.Sprint(i, filler)
				if err := call(r); err != nil {
					b.Error(err)
				}
			}
		})
	}
	for i := range b.N {
		queue <- i
	}
	close(queue)
	wg.Wait()
	rounds := (b.N + concurrency - 1) / concurrency // the last one may not be full
	ideal := time.Duration(rounds) * latency
	b.ReportMetric(100*float64(ideal)/float64(b.Elapsed()), "%ideal")
}

// BenchmarkStack is what the wrappers themselves cost a call.
func BenchmarkStack(b *testing.B) {
	instant := always(said(`{"verdict":"pass"}`), nil)
	for _, bc := range []struct {
		name string
		same bool
	}{{"call", false}, {"ledger hit", true}} {
		b.Run(bc.name, func(b *testing.B) {
			s := stack(b, instant, judgebackend.StackOptions{Store: &judgebackend.MemoryStore{}})
			r := withSchema()
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if !bc.same {
					r.Messages[1].Content = fmt.Sprint(i)
				}
				if _, err := s.Complete(b.Context(), r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkDecode(b *testing.B) {
	prose := strings.Repeat("The query joins {both} tables and keeps the rows that match. ", 30)
	for name, reply := range map[string]string{
		"object":     `{"verdict":"pass","score":7,"why":"` + strings.Repeat("because ", 50) + `"}`,
		"in a fence": prose + "\n```json\n{\"verdict\":\"pass\",\"score\":7}\n```\n" + prose,
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(reply)))
			var got verdict
			for b.Loop() {
				if err := judgebackend.Decode(reply, verdictSchema, &got); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkMaskParts masks a prompt of 100 KB in what an endpoint says, as at every failed call.
func BenchmarkMaskParts(b *testing.B) {
	var s strings.Builder
	for i := 0; s.Len() < 100_000; i++ {
		fmt.Fprintf(&s, "row %d of the table has value %d; ", i, i*7919)
	}
	prompt := s.String()
	for _, tc := range []struct{ name, text string }{
		{"quoted", prompt[50_000:51_200]}, {"own words", strings.Repeat("the endpoint is unavailable now. ", 36)},
	} {
		b.Run(tc.name, func(b *testing.B) {
			for b.Loop() {
				judgebackend.MaskParts(tc.text, prompt, 20, "[prompt]")
			}
		})
	}
}
