package sql

import "github.com/badger-eval/badger/connectors/driver"

// Asked sums up the assessments by payer, kind, backend, model and version of the prompt: these, then
// how many replies, their tokens in and out, of how many replies the tokens are not known, and the
// mean latency in milliseconds. payer is of whom; "" is everybody.
func Asked(d driver.Dialect, payer string) (query string, args []any) {
	p := &arguments{dialect: d}
	where := ""
	if payer != "" {
		where = " WHERE payer = " + p.add(payer)
	}
	return `SELECT payer, kind, backend, model, prompt_version, COUNT(*) AS replies, CAST(SUM(COALESCE(tokens_in, 0)) AS ` + d.Types[driver.BigInt] + `) AS tokens_in, CAST(SUM(COALESCE(tokens_out, 0)) AS ` + d.Types[driver.BigInt] + `) AS tokens_out,
COUNT(CASE WHEN tokens_in IS NULL OR tokens_out IS NULL THEN 1 END) AS uncounted, AVG(CAST(latency_ms AS ` + d.Types[driver.Double] + `)) AS latency
FROM badger.assessments` + where + ` GROUP BY payer, kind, backend, model, prompt_version ORDER BY payer, kind, backend, model, prompt_version`, p.args
}
