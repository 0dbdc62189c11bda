package sql

import (
	"strings"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/scoring"
)

// noAnswer lists the reasons of scores that are not applicable because the agent gave no answer.
var noAnswer = "'" + strings.Join(scoring.UnansweredReasons(), "', '") + "'"

// batchRates are the pass rates of each agent's batches by metric; place 1 is the newest batch.
const batchRates = `SELECT s.agent_name, s.batch_id, s.metric, a.place,
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
		"degradation", "The newest batch of each agent against the batch before it, by metric, all versions of the agent together. pass_rate_change is below 0 where fewer answers pass; failed counts scores that failed. Alerts read this view.",
		"agent_name, metric, batch_id, batch_before, judged, judged_before, pass_rate, pass_rate_before, pass_rate_change, failed, failed_before",
		`SELECT n.agent_name, n.metric, n.batch_id, b.batch_id AS batch_before, n.judged, b.judged AS judged_before, n.pass_rate, b.pass_rate AS pass_rate_before,
       n.pass_rate - b.pass_rate AS pass_rate_change, n.failed, b.failed AS failed_before
FROM (` + batchRates + `) n JOIN (` + batchRates + `) b ON b.agent_name = n.agent_name AND b.metric = n.metric AND b.place = n.place + 1
WHERE n.place = 1`,
	},
}

// Query is the view's query in a dialect.
func (v *View) Query(d driver.Dialect) string { return Reader{Dialect: d}.expand(v.query) }
