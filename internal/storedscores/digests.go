package storedscores

import (
	"context"
	"slices"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// casesAtOnce is the number of questions per statement that reads answers.
const casesAtOnce = 500

// Digests returns a digest of the result and the SQL of each answer to the given questions that has a result.
// It returns nil if the warehouse has no table of answers.
func (s *Warehouse) Digests(ctx context.Context, cases []string) (map[scoring.AnswerID]analysis.Digest, error) {
	out := map[scoring.AnswerID]analysis.Digest{}
	for some := range slices.Chunk(cases, casesAtOnce) {
		err := s.w.Results(ctx, some, func(id scoring.AnswerID, text, sql string) {
			result := scoring.ParseResultText([]byte(text))
			if d := digest(&result, sql); d.Rows != "" {
				out[id] = d
			}
		})
		if code := errcode.Of(err); code == errcode.NotFound || code == errcode.FailedPrecondition { // it holds scores only
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}
