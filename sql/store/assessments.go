package store

import (
	"context"
	"iter"
	"strings"
	"time"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
)

// WriteAssessments writes rows of assessments. A row whose ID exists is rewritten unchanged, as the ID is the hash of
// the content.
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
			return errcode.New(errcode.InvalidArgument,
				"writing assessments: assessment %q: expected an id, and numbers for its log-probabilities", a.ID)
		}
		b.row(a.ID, a.Kind, a.Backend, a.Model, optional(a.PromptVersion), a.RequestHash, a.Reply, count(a.TokensIn),
			count(a.TokensOut), a.LatencyMS, a.CreatedAt, string(detail), optional(a.Payer))
	}
	return b.merge(ctx, w)
}

const readingAssessments = "reading assessments"

// AssessmentFilter selects assessments. Empty fields select all.
type AssessmentFilter struct {
	ID            string
	IDs           []string // any of these; the IDs in scores
	RequestHashes []string // any of these; the requests in a ledger
	Kind          string
	Backend       string
}

// Assessments streams recorded replies, the oldest first. Information that is missing in a row's detail, or cannot be
// parsed, is zero; ContentHash shows whether the reply is valid without it.
func (w *Store) Assessments(ctx context.Context, f AssessmentFilter) iter.Seq2[judgebackend.Assessment, error] {
	return Rows(ctx, w, assessments(w.SQL(), f))
}

// tokens returns a field for a number of tokens; NULL is [judgebackend.TokensUnknown].
func tokens(column string, in func(*judgebackend.Assessment) *judgebackend.TokenCount) field[judgebackend.Assessment] {
	return field[judgebackend.Assessment]{SQL: column, Decode: func(a *judgebackend.Assessment, v scoring.Value) error {
		*in(a) = judgebackend.TokensUnknown
		if !v.IsNull() {
			*in(a) = judgebackend.TokenCount(wholeNumber(v))
		}
		return nil
	}}
}

var assessmentFields = []field[judgebackend.Assessment]{
	{SQL: "assessment_id", In: func(a *judgebackend.Assessment) any { return &a.ID }},
	{SQL: "kind", In: func(a *judgebackend.Assessment) any { return &a.Kind }},
	{SQL: "backend", In: func(a *judgebackend.Assessment) any { return &a.Backend }},
	{SQL: "model", In: func(a *judgebackend.Assessment) any { return &a.Model }},
	{SQL: "prompt_version", In: func(a *judgebackend.Assessment) any { return &a.PromptVersion }},
	{SQL: "request_hash", In: func(a *judgebackend.Assessment) any { return &a.RequestHash }},
	{SQL: "reply", In: func(a *judgebackend.Assessment) any { return &a.Reply }},
	tokens("tokens_in", func(a *judgebackend.Assessment) *judgebackend.TokenCount { return &a.TokensIn }),
	tokens("tokens_out", func(a *judgebackend.Assessment) *judgebackend.TokenCount { return &a.TokensOut }),
	{SQL: "latency_ms", Decode: func(a *judgebackend.Assessment, v scoring.Value) error {
		a.LatencyMS = max(0, wholeNumber(v))
		return nil
	}},
	{SQL: "created_at", In: func(a *judgebackend.Assessment) any { return &a.CreatedAt }},
	{SQL: "detail", Decode: func(a *judgebackend.Assessment, v scoring.Value) error {
		a.ReadDetail([]byte(textIn(v)))
		return nil
	}},
	{SQL: "payer", In: func(a *judgebackend.Assessment) any { return &a.Payer }},
}

// assessments returns the statement for the assessments that a filter selects, the oldest first.
func assessments(d driver.Dialect, f AssessmentFilter) Select[judgebackend.Assessment] {
	p := &arguments{dialect: d}
	var conds []string
	for _, c := range []struct{ column, value string }{{"assessment_id", f.ID}, {"kind", f.Kind}, {"backend", f.Backend}} {
		if c.value != "" {
			conds = append(conds, c.column+" = "+p.add(c.value))
		}
	}
	if len(f.IDs) > 0 {
		conds = append(conds, "assessment_id IN ("+p.list(f.IDs)+")")
	}
	if len(f.RequestHashes) > 0 {
		conds = append(conds, "request_hash IN ("+p.list(f.RequestHashes)+")")
	}
	where := ""
	if len(conds) > 0 {
		where = " WHERE " + strings.Join(conds, " AND ")
	}
	return Select[judgebackend.Assessment]{
		What: readingAssessments, Fields: assessmentFields,
		From: "\nFROM badger.assessments" + where + " ORDER BY created_at, assessment_id", Args: p.args,
	}
}

// PaidBy sums up, by backend and model, the calls and tokens of the assessments that payer paid for since from.
func (w *Store) PaidBy(ctx context.Context, payer string, from time.Time) (out []judgebackend.Payment, err error) {
	return all(ctx, w, paidBy(w.SQL(), payer, from))
}

func paidBy(d driver.Dialect, payer string, from time.Time) Select[judgebackend.Payment] {
	sum := func(column string) string {
		return "CAST(COALESCE(SUM(" + column + "), 0) AS " + d.Types[driver.BigInt] + ")"
	}
	return Select[judgebackend.Payment]{
		What: readingAssessments,
		Fields: []field[judgebackend.Payment]{
			{SQL: "backend", In: func(p *judgebackend.Payment) any { return &p.Backend }},
			{SQL: "model", In: func(p *judgebackend.Payment) any { return &p.Model }},
			{SQL: sum("1"), In: func(p *judgebackend.Payment) any { return &p.Calls }},
			{SQL: sum("tokens_in"), In: func(p *judgebackend.Payment) any { return &p.TokensIn }},
			{SQL: sum("tokens_out"), In: func(p *judgebackend.Payment) any { return &p.TokensOut }},
		},
		From: " FROM badger.assessments WHERE payer = " + d.Param(1) + " AND created_at >= " + d.Param(2) +
			" GROUP BY backend, model ORDER BY backend, model",
		Args: []any{payer, from.UTC()},
	}
}
