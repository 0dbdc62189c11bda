package analysis

import (
	"fmt"
	"testing"

	"github.com/badger-eval/badger/scoring"
)

// 100,000 cases with scores of five metrics in two versions.
func BenchmarkAnalyses(b *testing.B) {
	const n = 100_000
	m := &memory{}
	for v := range 2 {
		batch := Batch{By: scoring.By{Agent: "a", Version: fmt.Sprint(v), Batch: "b"}}
		for c := range n {
			id := fmt.Sprint("case-", c)
			for k, name := range []string{"ex_bird", "hybrid_ex", "rose", "flex", "verdict"} {
				s := verdict(id, (c*7+k*3+v*5)%10 < 7-v*(c%2))
				s.Metric, s.Gold = name, id
				if name == "hybrid_ex" {
					s.Value = float64((c*13+v)%100) / 100
				}
				if name == "rose" && c%9 == 0 {
					s.Findings, s.Judge = []string{"diagnosis:gold_x"}, "o3-2504"
				}
				m.add(batch, s)
			}
		}
	}
	b.Run("trend", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := NewTrend(b.Context(), m, NewSet(nil), TrendOptions{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("rank", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := NewRanking(b.Context(), m, NewSet(nil), nil, RankOptions{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("audit", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			list := func(yield func(Evidence, error) bool) {
				for name, scores := range m.scores {
					for i := range scores {
						if !yield(Evidence{AnswerID: scoring.AnswerID{CaseID: scores[i].CaseID, By: scoring.By{Agent: name}}, Score: scores[i]}, nil) {
							return
						}
					}
				}
			}
			if _, err := NewAudit(AuditInput{EX: "ex_bird", Evidence: list}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
