package store

import (
	"context"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/scoring"
)

// Asked sums up the judge calls for one model and prompt.
type Asked struct {
	Payer, Kind, Backend, Model, Prompt string
	Replies                             int64
	TokensIn, TokensOut                 int64
	Uncounted                           int64    // replies without token counts
	Latency                             *float64 // mean in milliseconds; nil if unknown
}

// Asked sums up the recorded replies of judges that payer, such as run:ID, paid for, or all replies if payer is "".
func (w *Store) Asked(ctx context.Context, payer string) (out []Asked, err error) {
	return all(ctx, w, asked(w.SQL(), payer))
}

// asked returns the statement that sums up assessments by payer, kind, backend, model and version of the prompt. If
// payer is not "", only those of payer.
func asked(d driver.Dialect, payer string) Select[Asked] {
	p := &arguments{dialect: d}
	where := ""
	if payer != "" {
		where = " WHERE payer = " + p.add(payer)
	}
	return Select[Asked]{
		What: readingAssessments,
		Fields: []field[Asked]{
			{SQL: "payer", In: func(a *Asked) any { return &a.Payer }},
			{SQL: "kind", In: func(a *Asked) any { return &a.Kind }},
			{SQL: "backend", In: func(a *Asked) any { return &a.Backend }},
			{SQL: "model", In: func(a *Asked) any { return &a.Model }},
			{SQL: "prompt_version", In: func(a *Asked) any { return &a.Prompt }},
			{SQL: "COUNT(*) AS replies", In: func(a *Asked) any { return &a.Replies }},
			{SQL: "CAST(SUM(COALESCE(tokens_in, 0)) AS " + d.Types[driver.BigInt] + ") AS tokens_in",
				In: func(a *Asked) any { return &a.TokensIn }},
			{SQL: "CAST(SUM(COALESCE(tokens_out, 0)) AS " + d.Types[driver.BigInt] + ") AS tokens_out",
				In: func(a *Asked) any { return &a.TokensOut }},
			{SQL: "\nCOUNT(CASE WHEN tokens_in IS NULL OR tokens_out IS NULL THEN 1 END) AS uncounted",
				In: func(a *Asked) any { return &a.Uncounted }},
			{SQL: "AVG(CAST(latency_ms AS " + d.Types[driver.Double] + ")) AS latency",
				In: func(a *Asked) any { return &a.Latency }},
		},
		From: "\nFROM badger.assessments" + where +
			" GROUP BY payer, kind, backend, model, prompt_version ORDER BY payer, kind, backend, model, prompt_version",
		Args: p.args,
	}
}

// Judged sums up the judge calls of a run's scores in one metric, including cached replies.
type Judged struct {
	Metric              string
	Scores              int64
	Asked               int64 // scores for which a judge was called
	Calls               int64
	TokensIn, TokensOut int64
	Uncounted           int64 // scores without token counts
	Failed              int64 // failed scores with judge calls
	Wasted              int64 // tokens of these failed scores
	Evident             int64 // scores with a value and without a judge's reply
	Repaired            int64 // calls that were retried because a reply did not satisfy its schema
	Untold              int64 // scores with several calls and an unknown number of repairs
}

// Judged sums up the judge calls for the scores of a run, by metric. Metrics without a judge call are omitted.
func (w *Store) Judged(ctx context.Context, run scoring.RunID) (out []Judged, err error) {
	return all(ctx, w, judged(w.SQL(), run))
}

// judged returns the statement that sums up, by metric, the judge calls for the scores of a run.
func judged(d driver.Dialect, run scoring.RunID) Select[Judged] {
	p := &arguments{dialect: d}
	r := Reader{Dialect: d}
	n := func(member string) string {
		return r.expand("COALESCE(CAST({json usage." + member + "} AS {bigint}), 0)")
	}
	known := func(e string) string { return "CASE WHEN " + e + " > 0 THEN " + e + " ELSE 0 END" }
	sum := func(e, as string) string {
		return "CAST(SUM(" + e + ") AS " + d.Types[driver.BigInt] + ") AS " + as
	}
	from := "\nFROM (SELECT metric, status, " + n("calls") + " AS calls, " + n("tokens_in") + " AS tokens_in, " +
		n("tokens_out") + " AS tokens_out, " +
		r.expand("CAST({json usage.repaired} AS {bigint})") + " AS repaired, " + restsOnJudge("") +
		" AS rests FROM badger.scores WHERE " + runIs(d, &p.args, run) + ") s\nGROUP BY metric HAVING SUM(rests) > 0 ORDER BY metric"
	return Select[Judged]{
		What: readingScores, From: from, Args: p.args,
		Fields: []field[Judged]{
			{SQL: "metric", In: func(j *Judged) any { return &j.Metric }},
			{SQL: "COUNT(*) AS scores", In: func(j *Judged) any { return &j.Scores }},
			{SQL: "COUNT(CASE WHEN calls > 0 THEN 1 END) AS asked", In: func(j *Judged) any { return &j.Asked }},
			{SQL: sum("calls", "calls"), In: func(j *Judged) any { return &j.Calls }},
			{SQL: sum(known("tokens_in"), "tokens_in"), In: func(j *Judged) any { return &j.TokensIn }},
			{SQL: sum(known("tokens_out"), "tokens_out"), In: func(j *Judged) any { return &j.TokensOut }},
			{SQL: "COUNT(CASE WHEN tokens_in < 0 OR tokens_out < 0 THEN 1 END) AS uncounted",
				In: func(j *Judged) any { return &j.Uncounted }},
			{SQL: "COUNT(CASE WHEN calls > 0 AND status = 'failed' THEN 1 END) AS failed",
				In: func(j *Judged) any { return &j.Failed }},
			{
				SQL: sum("CASE WHEN status = 'failed' THEN "+known("tokens_in")+" + "+known("tokens_out")+" ELSE 0 END", "wasted"),
				In:  func(j *Judged) any { return &j.Wasted },
			},
			{SQL: "COUNT(CASE WHEN status = 'ok' AND rests = 0 THEN 1 END) AS evident",
				In: func(j *Judged) any { return &j.Evident }},
			{SQL: sum("COALESCE(repaired, 0)", "repaired"), In: func(j *Judged) any { return &j.Repaired }},
			{SQL: "COUNT(CASE WHEN calls > 1 AND repaired IS NULL THEN 1 END) AS untold",
				In: func(j *Judged) any { return &j.Untold }},
		},
	}
}

// restsOnJudge returns an expression for 1 if a score rests on a judge's reply, else 0. prefix is that of its columns.
func restsOnJudge(prefix string) string {
	return "CASE WHEN " + prefix + "usage IS NULL AND " + prefix + "assessment_ids IS NULL THEN 0 ELSE 1 END"
}
