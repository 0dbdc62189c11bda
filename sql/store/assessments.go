package store

import (
	"context"
	"iter"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
)

// WriteAssessments writes rows of assessments. One whose id is there is written again as it is: an
// id is the hash of the content.
func (w *Store) WriteAssessments(ctx context.Context, assessments ...judgebackend.Assessment) error {
	b := newRows("assessments")
	defer b.release()
	count := func(n judgebackend.TokenCount) any {
		if n < 0 {
			return nil
		}
		return int64(n)
	}
	for i := range assessments {
		a := &assessments[i]
		detail, err := a.Detail()
		if a.ID == "" || err != nil {
			return errcode.New(errcode.InvalidArgument, "writing assessments: assessment %q: expected an id, and numbers for its log-probabilities", a.ID)
		}
		b.row(a.ID, a.Kind, a.Backend, a.Model, optional(a.PromptVersion), a.RequestHash, a.Reply, count(a.TokensIn), count(a.TokensOut), a.LatencyMS, a.CreatedAt, string(detail), optional(a.Payer))
	}
	return b.merge(ctx, w)
}

// Assessments streams recorded answers, the oldest first. What a row has no detail for, or one that
// cannot be read, is missing: ContentHash reports whether the answer is sound without it.
func (w *Store) Assessments(ctx context.Context, f AssessmentFilter) iter.Seq2[judgebackend.Assessment, error] {
	return func(yield func(judgebackend.Assessment, error) bool) {
		query, args := Assessments(w.SQL(), f)
		more := true
		err := w.Each(ctx, "reading assessments", query, args, func(t *scoring.Table, row int) bool {
			more = yield(assessment(t, row), nil)
			return more
		})
		if err != nil && more {
			yield(judgebackend.Assessment{}, err)
		}
	}
}

func assessment(t *scoring.Table, row int) judgebackend.Assessment {
	r := &record{t: t, row: row}
	count := func(c int) judgebackend.TokenCount {
		if v := t.Columns[c].Value(row); !v.IsNull() {
			return judgebackend.TokenCount(v.Int())
		}
		return judgebackend.TokensUnknown
	}
	a := judgebackend.Assessment{
		ID: r.text(0), Kind: r.text(1), Backend: r.text(2), Model: r.text(3), PromptVersion: r.text(4), RequestHash: r.text(5), Reply: r.text(6),
		TokensIn: count(7), TokensOut: count(8), LatencyMS: max(0, int64(count(9))), Payer: r.text(12),
	}
	if v := t.Columns[10].Value(row); !v.IsNull() {
		a.CreatedAt = time.Unix(v.Int(), int64(v.Nanos())).UTC()
	}
	a.ReadDetail([]byte(r.text(11)))
	return a
}

// PaidBy sums the tokens of the answers that were recorded for a payer from a time on.
func (w *Store) PaidBy(ctx context.Context, payer string, from time.Time) (out []judgebackend.Payment, err error) {
	query, args := PaidBy(w.SQL(), payer, from)
	err = w.Each(ctx, "reading assessments", query, args, func(t *scoring.Table, row int) bool {
		r, n := &record{t: t, row: row}, func(c int) int64 { return t.Columns[c].Value(row).Int() }
		id := judgebackend.Identity{Backend: r.text(0), Model: r.text(1)}
		out = append(out, judgebackend.Payment{Identity: id, Calls: n(2), TokensIn: n(3), TokensOut: n(4)})
		return true
	})
	return out, err
}
