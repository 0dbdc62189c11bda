package custom_test

import (
	"os"
	"strings"
	"testing"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/custom"
)

func benchmarkJudge(b *testing.B, file string, source []byte, c *scoring.Case) {
	b.Helper()
	j, err := custom.Load(b.Context(), file, source, nil)
	if err != nil {
		b.Fatal(err)
	}
	e, err := scoring.NewEngine([]scoring.Metric{j.Metric()}, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		s, err := e.Score(b.Context(), c)
		if err != nil || s[0].Status != scoring.StatusOK {
			b.Fatal(err, s)
		}
	}
}

// An answer of about 1,000 characters, with figures and nothing personal.
var answer1k = &scoring.Case{ID: "c", Agent: scoring.Agent{Response: strings.Repeat("Revenue was 4,111,111.50 in 2024, up 3.2 % from 3 911 204 the year before; the north sold 1200 units. ", 10)}}

func BenchmarkExpression(b *testing.B) {
	benchmarkJudge(b, "j.yaml", []byte("kind: expression\nname: j\nversion: 1\nsummary: x\nneeds: [response]\nresult: {value: '1 if len(row.response.split()) < 500 else 0'}\n"), answer1k)
}

func BenchmarkPIIGuardrail(b *testing.B) {
	source, err := os.ReadFile("../../examples/judges/pii_guardrail/pii_guardrail.star")
	if err != nil {
		b.Fatal(err)
	}
	benchmarkJudge(b, "pii_guardrail.star", source, answer1k)
}

// A loop over the cells of a result of 10,000 rows.
func BenchmarkCells(b *testing.B) {
	n := scoring.NewBuilder("n", scoring.Int64, 10_000)
	for i := range 10_000 {
		n.AppendInt(int64(i))
	}
	t, err := scoring.NewTable(n.Column())
	if err != nil {
		b.Fatal(err)
	}
	benchmarkJudge(b, "j.star", []byte(`judge(name = "j", version = 1, summary = "x", needs = ["result"])
def process_row(row, config):
    total = 0
    for r in row.result:
        total += r["n"]
    return {"value": total}
`), &scoring.Case{ID: "c", Pred: scoring.Query{Ran: true, Result: scoring.Result{Table: t}}})
}
