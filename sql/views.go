package sql

import (
	"strings"

	"github.com/badger-eval/badger/scoring"
)

// noAnswer lists the reasons of scores that are not applicable because the agent gave no answer.
var noAnswer = "'" + strings.Join(scoring.UnansweredReasons(), "', '") + "'"

// batchRates are the pass rates of each agent's batches by metric. place 1 is the newest batch, and
// nth counts those that have scores of the metric, the newest first: a batch that was never scored is
// nothing to compare with.
const batchRates = `SELECT s.agent_name, s.batch_id, s.metric, a.place, ROW_NUMBER() OVER (PARTITION BY s.agent_name, s.metric ORDER BY a.place) AS nth,
    COUNT(CASE WHEN s.passed IS NOT NULL THEN 1 END) AS judged, COUNT(CASE WHEN s.status = 'failed' THEN 1 END) AS failed,
    AVG(CASE WHEN s.passed THEN 1.0 WHEN NOT s.passed THEN 0.0 END) AS pass_rate
  FROM badger.latest_scores s JOIN (SELECT agent_name, batch_id, ROW_NUMBER() OVER (PARTITION BY agent_name ORDER BY CASE WHEN MAX(ran_at) IS NULL THEN 1 ELSE 0 END, MAX(ran_at) DESC, batch_id DESC) AS place
    FROM (SELECT {key agent_runs.agent_name} AS agent_name, {key agent_runs.batch_id} AS batch_id, {column agent_runs.ran_at} AS ran_at FROM badger.agent_runs) k
    GROUP BY agent_name, batch_id) a
  ON a.agent_name = s.agent_name AND a.batch_id = s.batch_id
  GROUP BY s.agent_name, s.batch_id, s.metric, a.place`

// View is a view over badger's tables.
type View struct {
	Name    string
	Doc     string
	Columns string // what it shows, for readers
	query   string // with {placeholders} that expand fills in
}

// Views answer the questions that people ask of the tables. They keep to SQL that every warehouse
// reads. A view may use those before it. A new column goes to the end, because PostgreSQL replaces
// a view only where the others stay as they are.
var Views = []View{
	{
		"latest_scores", "The latest score of each answer and metric, whichever run it is from, with the status of that run.",
		"the columns of scores, run_status, run_date",
		`SELECT {scores}, run_status, run_date FROM (
  SELECT {s.scores}, COALESCE(r.status, 'running') AS run_status, r.eval_run_date AS run_date,
         ROW_NUMBER() OVER (PARTITION BY s.agent_name, s.agent_version, s.batch_id, s.case_id, s.metric ORDER BY s.scored_at DESC, CASE WHEN r.eval_run_date IS NULL THEN 1 ELSE 0 END, r.eval_run_date DESC, s.eval_run_id DESC) AS newest
  FROM badger.scores s LEFT JOIN badger.eval_runs r
  ON r.eval_run_id = s.eval_run_id AND r.agent_name = s.agent_name AND r.agent_version = s.agent_version AND r.batch_id = s.batch_id) t
WHERE newest = 1`,
	},
	{
		"consensus", "What most annotators say of an answer: passes is 1 or 0, and NULL where they are divided.",
		"case_id, agent_name, batch_id, passes, agent_version",
		consensus(allLabels()),
	},
	{
		"complexity", "The complexity tier of each question, from its newest score.",
		"case_id, tier",
		`SELECT case_id, label AS tier FROM (
  SELECT case_id, label, ROW_NUMBER() OVER (PARTITION BY case_id ORDER BY scored_at DESC, eval_run_id DESC, agent_name, agent_version, batch_id) AS newest
  FROM badger.latest_scores WHERE metric = 'sql_complexity' AND status = 'ok') t
WHERE newest = 1`,
	},
	{
		"coverage", "What became of the questions that an agent was asked, by metric and batch. unanswered counts the answers that lack what the metric needs of the agent, and the questions of golden_set that have no answer in the batch. " +
			"coverage is the share of scored ones among those that the metric applies to. rate_of_all counts failed, unanswered and abstained ones as not passed.",
		"agent_name, agent_version, batch_id, metric, asked, scored, abstained, not_applicable, failed, unanswered, coverage, passed, pass_rate, rate_of_all",
		`SELECT agent_name, agent_version, batch_id, metric, applies + not_applicable AS asked, scored, abstained, not_applicable, failed, unanswered,
       CASE WHEN applies > 0 THEN scored * 1.0 / applies END AS coverage, passed,
       CASE WHEN judged > 0 THEN passed * 1.0 / judged END AS pass_rate, CASE WHEN judged > 0 AND applies > 0 THEN passed * 1.0 / applies END AS rate_of_all
FROM (SELECT s.agent_name, s.agent_version, s.batch_id, s.metric, s.scored, s.abstained, s.not_applicable, s.failed, s.unanswered + COALESCE(n.silent, 0) AS unanswered,
        s.scored + s.abstained + s.failed + s.unanswered + COALESCE(n.silent, 0) AS applies, s.passed, s.judged
  FROM (SELECT agent_name, agent_version, batch_id, metric,
          COUNT(CASE WHEN status = 'ok' THEN 1 END) AS scored, COUNT(CASE WHEN status = 'abstained' THEN 1 END) AS abstained,
          COUNT(CASE WHEN status = 'not_applicable' AND reason NOT IN (` + noAnswer + `) THEN 1 END) AS not_applicable,
          COUNT(CASE WHEN status = 'failed' THEN 1 END) AS failed,
          COUNT(CASE WHEN status = 'not_applicable' AND reason IN (` + noAnswer + `) THEN 1 END) AS unanswered,
          COUNT(CASE WHEN passed THEN 1 END) AS passed, COUNT(CASE WHEN passed IS NOT NULL THEN 1 END) AS judged
    FROM badger.latest_scores GROUP BY agent_name, agent_version, batch_id, metric) s
  LEFT JOIN (SELECT a.agent_name, a.agent_version, a.batch_id, MAX(q.questions) - COUNT(DISTINCT g.case_id) AS silent
    FROM (SELECT {key agent_runs.case_id} AS case_id, {key agent_runs.agent_name} AS agent_name, {key agent_runs.agent_version} AS agent_version, {key agent_runs.batch_id} AS batch_id FROM badger.agent_runs) a
    LEFT JOIN (SELECT DISTINCT {key golden_set.case_id} AS case_id FROM badger.golden_set) g ON g.case_id = a.case_id
    CROSS JOIN (SELECT COUNT(DISTINCT {key golden_set.case_id}) AS questions FROM badger.golden_set) q
    GROUP BY a.agent_name, a.agent_version, a.batch_id) n
  ON n.agent_name = s.agent_name AND n.agent_version = s.agent_version AND n.batch_id = s.batch_id) t`,
	},
	{
		"versions_by_metric", "Version against version, by metric and complexity tier: scored answers have a value, of so many that were answered. unfinished counts the values that are from runs that are not done. coverage says what became of the others.",
		"agent_name, agent_version, metric, tier, scored, mean_value, pass_rate, unfinished, answered",
		`SELECT s.agent_name, s.agent_version, s.metric, COALESCE(c.tier, 'unknown') AS tier, COUNT(CASE WHEN s.status = 'ok' THEN 1 END) AS scored, AVG(s.value) AS mean_value,
       AVG(CASE WHEN s.passed THEN 1.0 WHEN NOT s.passed THEN 0.0 END) AS pass_rate,
       SUM(CASE WHEN s.run_status = 'done' OR s.status <> 'ok' THEN 0 ELSE 1 END) AS unfinished, COUNT(*) AS answered
FROM badger.latest_scores s LEFT JOIN badger.complexity c ON c.case_id = s.case_id
GROUP BY s.agent_name, s.agent_version, s.metric, COALESCE(c.tier, 'unknown') HAVING COUNT(CASE WHEN s.status = 'ok' THEN 1 END) > 0`,
	},
	{
		"agreement", "How often each metric gives the verdict that most annotators give.",
		"metric, labelled, true_pass, false_pass, true_fail, false_fail, accuracy, kappa",
		`SELECT metric, labelled, true_pass, false_pass, true_fail, false_fail, (true_pass + true_fail) * 1.0 / labelled AS accuracy,
       CASE WHEN chance < 1.0 THEN ((true_pass + true_fail) * 1.0 / labelled - chance) / (1.0 - chance) END AS kappa
FROM (SELECT c.*, ((true_pass + false_pass) * 1.0 * (true_pass + false_fail) + (true_fail + false_fail) * 1.0 * (true_fail + false_pass)) / (labelled * 1.0 * labelled) AS chance
  FROM (SELECT s.metric, COUNT(*) AS labelled,
               SUM(CASE WHEN s.passed AND l.passes = 1 THEN 1 ELSE 0 END) AS true_pass,
               SUM(CASE WHEN s.passed AND l.passes = 0 THEN 1 ELSE 0 END) AS false_pass,
               SUM(CASE WHEN NOT s.passed AND l.passes = 0 THEN 1 ELSE 0 END) AS true_fail,
               SUM(CASE WHEN NOT s.passed AND l.passes = 1 THEN 1 ELSE 0 END) AS false_fail
    FROM badger.latest_scores s JOIN badger.consensus l
    ON l.case_id = s.case_id AND l.agent_name = s.agent_name AND l.agent_version = s.agent_version AND l.batch_id = s.batch_id
    WHERE s.passed IS NOT NULL AND l.passes IS NOT NULL GROUP BY s.metric) c) k`,
	},
	{
		"degradation", "The newest batch of each agent against the newest batch before it that has scores, by metric, all versions of the agent together. pass_rate_change is below 0 where fewer answers pass; failed counts scores that failed. Alerts read this view.",
		"agent_name, metric, batch_id, batch_before, judged, judged_before, pass_rate, pass_rate_before, pass_rate_change, failed, failed_before",
		`SELECT n.agent_name, n.metric, n.batch_id, b.batch_id AS batch_before, n.judged, b.judged AS judged_before, n.pass_rate, b.pass_rate AS pass_rate_before,
       n.pass_rate - b.pass_rate AS pass_rate_change, n.failed, b.failed AS failed_before
FROM (` + batchRates + `) n JOIN (` + batchRates + `) b ON b.agent_name = n.agent_name AND b.metric = n.metric AND b.nth = 2
WHERE n.place = 1`,
	},
	{
		"latest_run", "The run of each agent, version and batch that started last: what became of it, and of its scores.",
		"agent_name, agent_version, batch_id, eval_run_id, run_date, run_status, judge, cases, scored, abstained, not_applicable, failed, passed, pass_rate",
		`SELECT r.agent_name, r.agent_version, r.batch_id, r.eval_run_id, r.eval_run_date AS run_date, r.status AS run_status, r.judge, COUNT(DISTINCT s.case_id) AS cases,
       COUNT(CASE WHEN s.status = 'ok' THEN 1 END) AS scored, COUNT(CASE WHEN s.status = 'abstained' THEN 1 END) AS abstained,
       COUNT(CASE WHEN s.status = 'not_applicable' THEN 1 END) AS not_applicable, COUNT(CASE WHEN s.status = 'failed' THEN 1 END) AS failed,
       COUNT(CASE WHEN s.passed THEN 1 END) AS passed, AVG(CASE WHEN s.passed THEN 1.0 WHEN NOT s.passed THEN 0.0 END) AS pass_rate
FROM (SELECT eval_run_id, agent_name, agent_version, batch_id, eval_run_date, status, judge,
        ROW_NUMBER() OVER (PARTITION BY agent_name, agent_version, batch_id ORDER BY CASE WHEN eval_run_date IS NULL THEN 1 ELSE 0 END, eval_run_date DESC, eval_run_id DESC) AS newest
  FROM badger.eval_runs) r
LEFT JOIN badger.scores s ON s.eval_run_id = r.eval_run_id AND s.agent_name = r.agent_name AND s.agent_version = r.agent_version AND s.batch_id = r.batch_id
WHERE r.newest = 1 GROUP BY r.agent_name, r.agent_version, r.batch_id, r.eval_run_id, r.eval_run_date, r.status, r.judge`,
	},
	{
		"versions_by_batch", "Version against version, by metric, complexity tier, batch, and the date of the run that the score is from.",
		"agent_name, agent_version, metric, tier, batch_id, run_day, answered, scored, mean_value, passed, judged, pass_rate",
		`SELECT s.agent_name, s.agent_version, s.metric, COALESCE(c.tier, 'unknown') AS tier, s.batch_id, {day s.run_date} AS run_day, COUNT(*) AS answered,
       COUNT(CASE WHEN s.status = 'ok' THEN 1 END) AS scored, AVG(s.value) AS mean_value, COUNT(CASE WHEN s.passed THEN 1 END) AS passed,
       COUNT(CASE WHEN s.passed IS NOT NULL THEN 1 END) AS judged, AVG(CASE WHEN s.passed THEN 1.0 WHEN NOT s.passed THEN 0.0 END) AS pass_rate
FROM badger.latest_scores s LEFT JOIN badger.complexity c ON c.case_id = s.case_id
GROUP BY s.agent_name, s.agent_version, s.metric, COALESCE(c.tier, 'unknown'), s.batch_id, {day s.run_date}`,
	},
	{
		"worst_cases", "The scored answers of each agent, version, batch and metric, the worst first: place 1 did not pass and has the lowest value. Metrics without a verdict and answers that passed with the value 1 are left out.",
		"agent_name, agent_version, batch_id, metric, place, case_id, tier, value, passed, label, reason",
		`SELECT s.agent_name, s.agent_version, s.batch_id, s.metric,
       ROW_NUMBER() OVER (PARTITION BY s.agent_name, s.agent_version, s.batch_id, s.metric ORDER BY CASE WHEN s.passed THEN 1 ELSE 0 END, CASE WHEN s.value IS NULL THEN 1 ELSE 0 END, s.value, s.case_id) AS place,
       s.case_id, COALESCE(c.tier, 'unknown') AS tier, s.value, s.passed, s.label, s.reason
FROM badger.latest_scores s LEFT JOIN badger.complexity c ON c.case_id = s.case_id
WHERE s.status = 'ok' AND s.passed IS NOT NULL AND (s.passed = FALSE OR s.value < 1)`,
	},
	{
		"judge_cost", "What judges were asked for the scores of each run, by agent, version, batch and metric, whether somebody answered or the ledger did. uncounted are the scores whose tokens are not known. What was paid is eval_runs.cost.",
		"eval_run_id, agent_name, agent_version, batch_id, metric, scores, asked, calls, tokens_in, tokens_out, uncounted",
		`SELECT eval_run_id, agent_name, agent_version, batch_id, metric, COUNT(*) AS scores, COUNT(calls) AS asked, SUM(calls) AS calls,
       SUM(CASE WHEN tokens_in >= 0 THEN tokens_in ELSE 0 END) AS tokens_in, SUM(CASE WHEN tokens_out >= 0 THEN tokens_out ELSE 0 END) AS tokens_out,
       COUNT(CASE WHEN calls > 0 AND (tokens_in < 0 OR tokens_out < 0 OR tokens_in IS NULL OR tokens_out IS NULL) THEN 1 END) AS uncounted
FROM (SELECT eval_run_id, agent_name, agent_version, batch_id, metric, CAST({json usage.calls} AS {bigint}) AS calls,
        CAST({json usage.tokens_in} AS {bigint}) AS tokens_in, CAST({json usage.tokens_out} AS {bigint}) AS tokens_out FROM badger.scores) u
GROUP BY eval_run_id, agent_name, agent_version, batch_id, metric HAVING COUNT(calls) > 0`,
	},
	{
		"failures_by_reason", "Why scores failed or are missing: the latest scores that failed, abstained or do not apply, by metric and reason, with one of the cases.",
		"agent_name, agent_version, batch_id, metric, status, code, reason, answers, example",
		`SELECT agent_name, agent_version, batch_id, metric, status, code, reason, COUNT(*) AS answers, MIN(case_id) AS example
FROM badger.latest_scores WHERE status <> 'ok' GROUP BY agent_name, agent_version, batch_id, metric, status, code, reason`,
	},
	{
		"suspect_golds", "Questions whose accepted answer may be wrong, one row for each reason: gold_error (the accepted query failed), gold_empty (its result is empty or all NULL and an answer's is not), gold_x (a judge found it wrong), " +
			"people (most annotators pass an answer that the metric verdict or ex_multiset fails), answers_agree (at least two agents or versions answered, and all of them fail). answers counts the answers that speak for the reason.",
		"case_id, reason, answers, example_agent, example_version, example_batch",
		`SELECT t.case_id, t.why AS reason, COUNT(DISTINCT t.answer) AS answers, MIN(t.agent_name) AS example_agent, MIN(t.agent_version) AS example_version, MIN(t.batch_id) AS example_batch
FROM (SELECT {key golden_set.case_id} AS case_id, 'gold_error' AS why, CAST(NULL AS {text}) AS answer, CAST(NULL AS {text}) AS agent_name, CAST(NULL AS {text}) AS agent_version, CAST(NULL AS {text}) AS batch_id
  FROM badger.golden_set WHERE {text golden_set.gold_error} <> ''
  UNION ALL
  SELECT case_id, 'gold_error' AS why, {answer} AS answer, agent_name, agent_version, batch_id
  FROM badger.latest_scores WHERE status = 'not_applicable' AND reason = 'the gold query failed when it ran'
  UNION ALL
  SELECT case_id, CASE WHEN metric = 'rose' THEN 'gold_x' ELSE 'gold_empty' END AS why, {answer} AS answer, agent_name, agent_version, batch_id
  FROM badger.latest_scores WHERE status = 'ok' AND (metric = 'relation' AND label = 'gold_empty' OR metric = 'rose' AND {json detail.gold_x} = 'true')
  UNION ALL
  SELECT s.case_id, 'people' AS why, {s.answer} AS answer, s.agent_name, s.agent_version, s.batch_id
  FROM badger.latest_scores s JOIN badger.consensus l ON l.case_id = s.case_id AND l.agent_name = s.agent_name AND l.agent_version = s.agent_version AND l.batch_id = s.batch_id
  WHERE l.passes = 1 AND s.passed = FALSE AND s.metric IN ('verdict', 'ex_multiset')
  UNION ALL
  SELECT s.case_id, 'answers_agree' AS why, {s.answer} AS answer, s.agent_name, s.agent_version, s.batch_id
  FROM badger.latest_scores s JOIN (SELECT case_id FROM badger.latest_scores WHERE metric = 'ex_multiset' AND passed IS NOT NULL
    GROUP BY case_id HAVING COUNT(DISTINCT {version}) > 1 AND COUNT(CASE WHEN passed THEN 1 END) = 0) f ON f.case_id = s.case_id
  WHERE s.metric = 'ex_multiset' AND s.passed = FALSE) t
GROUP BY t.case_id, t.why`,
	},
}

// Query is the view's query. What a reader's tables lack is NULL in it.
func (v *View) Query(r Reader) string { return r.expand(v.query) }
