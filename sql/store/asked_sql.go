package store

import (
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/scoring"
)

// askedSQL sums up the assessments by payer, kind, backend, model and version of the prompt: these, then
// how many replies, their tokens in and out, of how many replies the tokens are not known, and the
// mean latency in milliseconds. payer is of whom; "" is everybody.
func askedSQL(d driver.Dialect, payer string) (query string, args []any) {
	p := &arguments{dialect: d}
	where := ""
	if payer != "" {
		where = " WHERE payer = " + p.add(payer)
	}
	return `SELECT payer, kind, backend, model, prompt_version, COUNT(*) AS replies, CAST(SUM(COALESCE(tokens_in, 0)) AS ` + d.Types[driver.BigInt] + `) AS tokens_in, CAST(SUM(COALESCE(tokens_out, 0)) AS ` + d.Types[driver.BigInt] + `) AS tokens_out,
COUNT(CASE WHEN tokens_in IS NULL OR tokens_out IS NULL THEN 1 END) AS uncounted, AVG(CAST(latency_ms AS ` + d.Types[driver.Double] + `)) AS latency
FROM badger.assessments` + where + ` GROUP BY payer, kind, backend, model, prompt_version ORDER BY payer, kind, backend, model, prompt_version`, p.args
}

// judgedSQL sums up, by metric, what the scores of a run asked of judges: metric, scores, those that a
// judge was asked for, their calls, tokens in and out, how many have tokens that are not known, failed
// ones among them, their tokens, the scores with a value that rest on no reply, the calls that repaired
// a reply, and of how many scores with several calls that is not known.
func judgedSQL(d driver.Dialect, run scoring.RunID) (query string, args []any) {
	p := &arguments{dialect: d}
	r := Reader{Dialect: d}
	n := func(member string) string {
		return r.expand("COALESCE(CAST({json usage." + member + "} AS {bigint}), 0)")
	}
	known := func(e string) string { return "CASE WHEN " + e + " > 0 THEN " + e + " ELSE 0 END" }
	sum := func(e string) string { return "CAST(SUM(" + e + ") AS " + d.Types[driver.BigInt] + ")" }
	return "SELECT metric, COUNT(*) AS scores, COUNT(CASE WHEN calls > 0 THEN 1 END) AS asked, " + sum("calls") + " AS calls, " + sum(known("tokens_in")) + " AS tokens_in, " + sum(known("tokens_out")) + " AS tokens_out, " +
		"COUNT(CASE WHEN tokens_in < 0 OR tokens_out < 0 THEN 1 END) AS uncounted, COUNT(CASE WHEN calls > 0 AND status = 'failed' THEN 1 END) AS failed, " +
		sum("CASE WHEN status = 'failed' THEN "+known("tokens_in")+" + "+known("tokens_out")+" ELSE 0 END") + " AS wasted, COUNT(CASE WHEN status = 'ok' AND rests = 0 THEN 1 END) AS evident, " + sum("COALESCE(repaired, 0)") + " AS repaired, COUNT(CASE WHEN calls > 1 AND repaired IS NULL THEN 1 END) AS untold\nFROM (SELECT metric, status, " +
		n("calls") + " AS calls, " + n("tokens_in") + " AS tokens_in, " + n("tokens_out") + " AS tokens_out, " + r.expand("CAST({json usage.repaired} AS {bigint})") + " AS repaired, CASE WHEN usage IS NULL AND assessment_ids IS NULL THEN 0 ELSE 1 END AS rests FROM badger.scores WHERE " + runIs(d, &p.args, run) +
		") s\nGROUP BY metric HAVING SUM(rests) > 0 ORDER BY metric", p.args
}
