package connectors

import (
	"context"
	"encoding/json"
	"iter"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	badgersql "github.com/badger-eval/badger/sql"
)

// Assessment is a row of assessments: what a judge answered, recorded.
type Assessment struct {
	ID            string // content hash
	Kind          string // what it was asked for
	Backend       string
	Model         string
	PromptVersion string
	RequestHash   string
	Reply         string
	TokensIn      *int64 // nil where unknown
	TokensOut     *int64
	LatencyMS     int64
	CreatedAt     time.Time
	Detail        json.RawMessage // what else is worth keeping; may be nil
	Payer         string          // for whom the judge was asked; may be empty
}

// WriteAssessments writes rows of assessments. One whose id is there is written again as it is: an
// id is the hash of the content.
func (w *Warehouse) WriteAssessments(ctx context.Context, assessments ...Assessment) error {
	b := newRows("assessments")
	defer b.release()
	count := func(n *int64) any {
		if n == nil {
			return nil
		}
		return *n
	}
	for i := range assessments {
		a := &assessments[i]
		j := jsons{}
		detail := j.raw("detail", a.Detail)
		if a.ID == "" || j.err != nil {
			return errcode.New(errcode.InvalidArgument, "writing assessments: assessment %q: expected an id, and JSON for its detail", a.ID)
		}
		b.row(a.ID, a.Kind, a.Backend, a.Model, optional(a.PromptVersion), a.RequestHash, a.Reply, count(a.TokensIn), count(a.TokensOut), a.LatencyMS, a.CreatedAt, detail, optional(a.Payer))
	}
	return b.merge(ctx, w)
}

// AssessmentFilter chooses assessments. Empty fields choose all.
type AssessmentFilter = badgersql.AssessmentFilter

// Assessments streams recorded answers, the oldest first.
func (w *Warehouse) Assessments(ctx context.Context, f AssessmentFilter) iter.Seq2[Assessment, error] {
	return func(yield func(Assessment, error) bool) {
		query, args := badgersql.Assessments(w.dialect, f)
		more := true
		err := w.each(ctx, "reading assessments", query, args, func(t *scoring.Table, row int) bool {
			more = yield(assessment(t, row), nil)
			return more
		})
		if err != nil && more {
			yield(Assessment{}, err)
		}
	}
}

func assessment(t *scoring.Table, row int) Assessment {
	r := &record{t: t, row: row}
	count := func(c int) *int64 {
		v := t.Columns[c].Value(row)
		if v.IsNull() {
			return nil
		}
		n := v.Int()
		return &n
	}
	a := Assessment{
		ID: r.text(0), Kind: r.text(1), Backend: r.text(2), Model: r.text(3), PromptVersion: r.text(4), RequestHash: r.text(5), Reply: r.text(6),
		TokensIn: count(7), TokensOut: count(8),
	}
	if ms := count(9); ms != nil {
		a.LatencyMS = *ms
	}
	if v := t.Columns[10].Value(row); !v.IsNull() {
		a.CreatedAt = time.Unix(v.Int(), int64(v.Nanos())).UTC()
	}
	if detail := r.text(11); detail != "" {
		a.Detail = json.RawMessage(detail)
	}
	a.Payer = r.text(12)
	return a
}

// Paid is what a payer's recorded answers took, of one backend and model.
type Paid struct {
	Backend   string
	Model     string
	Calls     int64
	TokensIn  int64 // of the answers whose tokens are known
	TokensOut int64
}

// PaidBy sums the tokens of the answers that were recorded for a payer from a time on.
func (w *Warehouse) PaidBy(ctx context.Context, payer string, from time.Time) (out []Paid, err error) {
	query, args := badgersql.PaidBy(w.dialect, payer, from)
	err = w.each(ctx, "reading assessments", query, args, func(t *scoring.Table, row int) bool {
		r, n := &record{t: t, row: row}, func(c int) int64 { return t.Columns[c].Value(row).Int() }
		out = append(out, Paid{Backend: r.text(0), Model: r.text(1), Calls: n(2), TokensIn: n(3), TokensOut: n(4)})
		return true
	})
	return out, err
}
