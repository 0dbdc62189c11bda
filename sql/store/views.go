package store

import (
	"fmt"
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring"
)

// noAnswer lists the reasons of scores that are not applicable because the agent gave no answer, as SQL literals.
var noAnswer = "'" + strings.Join(scoring.UnansweredReasons(), "', '") + "'"

// silencePasses lists badger's metrics that pass an answer without SQL, see [scoring.Metric.SilencePasses], as SQL
// literals.
const silencePasses = "'sql_safety'"

// silencePassesAny reports whether one of the metrics passes an answer without SQL; nil means all metrics.
func silencePassesAny(metrics []string) bool {
	return metrics == nil || slices.ContainsFunc(metrics, func(m string) bool {
		return strings.Contains(silencePasses, "'"+m+"'")
	})
}

// countedScoreOf is like countedScore for scores of the given metrics, nil for all. Engines read a column faster than
// they evaluate an expression.
func countedScoreOf(metrics []string, prefix, column string) string {
	if silencePassesAny(metrics) {
		return countedScore(prefix, column)
	}
	return prefix + column
}

// countedScore returns the expression for the status, value or passed of a score as figures count it: passed, if the
// metric passes an answer without SQL.
func countedScore(prefix, column string) string {
	as := map[string]string{"status": "'ok'", "value": "1", "passed": "TRUE"}[column]
	return "CASE WHEN " + passesSilently(prefix) + " THEN " + as + " ELSE " + prefix + column + " END"
}

// passesSilently returns the condition that a score passes because its metric passes an answer without SQL.
func passesSilently(prefix string) string {
	return prefix + "status = 'not_applicable' AND " + prefix + "metric IN (" + silencePasses + ") AND " + prefix +
		"reason IN ('" + strings.Join(scoring.SilentReasons(), "', '") + "')"
}

// batchRates is a query for the pass rates of each agent's batches by metric. place is 1 for the latest batch. nth is 1
// for the latest batch with scores of the metric, so that batches that were never scored are not compared.
var batchRates = `SELECT s.agent_name, s.batch_id, s.metric, a.place, ROW_NUMBER() OVER (PARTITION BY s.agent_name, s.metric ORDER BY a.place) AS nth,
    COUNT(CASE WHEN s.passed IS NOT NULL THEN 1 END) AS judged, COUNT(CASE WHEN s.status = 'failed' THEN 1 END) AS failed,
    ` + passShare + ` AS pass_rate
  FROM badger.latest_scores s JOIN (SELECT agent_name, batch_id, ROW_NUMBER() OVER (PARTITION BY agent_name ORDER BY CASE WHEN MAX(ran_at) IS NULL THEN 1 ELSE 0 END, MAX(ran_at) DESC, batch_id DESC) AS place
    FROM (SELECT {key agent_runs.agent_name} AS agent_name, {key agent_runs.batch_id} AS batch_id, {column agent_runs.ran_at} AS ran_at FROM badger.agent_runs) k
    GROUP BY agent_name, batch_id) a
  ON a.agent_name = s.agent_name AND a.batch_id = s.batch_id
  GROUP BY s.agent_name, s.batch_id, s.metric, a.place`

// goldRelations are the labels of the metric relation that indicate an error in the accepted query.
const goldRelations = `'gold_literal_foreign', 'gold_vacuous_limit', 'gold_vacuous_having', 'gold_ungrouped', 'gold_and_for_or', 'gold_sort_against_question'`

// batchOrder is a query for the batches that have scores, with their position in time; those without a date come first.
const batchOrder = `SELECT agent_name, agent_version, batch_id, dated_at, ROW_NUMBER() OVER (PARTITION BY agent_name ORDER BY CASE WHEN dated_at IS NULL THEN 0 ELSE 1 END, dated_at, batch_id, agent_version) AS place
  FROM (SELECT agent_name, agent_version, batch_id, MIN(run_date) AS dated_at FROM badger.latest_scores GROUP BY agent_name, agent_version, batch_id) d`

// batchBefore is a query that pairs each batch with the previous one of the same version, or for the first of a version
// with the last earlier one of another version of the agent.
const batchBefore = `SELECT agent_name, agent_version, batch_id, version_before, batch_before FROM (
    SELECT n.agent_name, n.agent_version, n.batch_id, b.agent_version AS version_before, b.batch_id AS batch_before,
           ROW_NUMBER() OVER (PARTITION BY n.agent_name, n.agent_version, n.batch_id ORDER BY CASE WHEN b.agent_version = n.agent_version THEN 0 ELSE 1 END, b.place DESC) AS nearest
    FROM (` + batchOrder + `) n JOIN (` + batchOrder + `) b ON b.agent_name = n.agent_name AND b.place < n.place) p WHERE nearest = 1`

// lowerIsBetter lists badger's metrics in which lower values are better, as SQL literals.
const lowerIsBetter = "'latency_overhead', 'sql_judge_issues'"

// roundedMean is the mean of values in billionths, rounded so that the order of summation does not matter.
const roundedMean = "FLOOR(AVG(value) * 1000000000 + 0.5)"

// silent is the condition that the agent gave no answer, for metrics where that counts as 0: those where higher is
// better.
var silent = "s.status = 'not_applicable' AND s.reason IN (" + noAnswer + ") AND s.metric NOT IN (" + lowerIsBetter +
	")"

// passShare is the share of a group's scores that passed, of those with a verdict and of missing answers. meanOfAll is
// the mean of their values and of 0 for each missing answer. The scores are those of s.
var (
	passShare = "CASE WHEN COUNT(s.passed) > 0 THEN COUNT(CASE WHEN s.passed THEN 1 END) * 1.0 / COUNT(CASE WHEN s.passed IS NOT NULL OR " +
		silent + " THEN 1 END) END"
	meanOfAll = "SUM(s.value) * 1.0 / NULLIF(COUNT(CASE WHEN s.value IS NOT NULL OR " + silent + " THEN 1 END), 0)"
)

// madeOf is a query for the latest scores with the judge that was called for them; "" if none was. A missing answer has
// the value 0 and did not pass. judged is 1 for scores with a verdict, and scored is 1 if any score of the batch and
// metric has a value.
var madeOf = `SELECT s.agent_name, s.agent_version, s.batch_id, s.case_id, s.metric, s.metric_version, s.config_hash, s.gold_hash,
           CASE WHEN ` + silent + ` THEN 'ok' ELSE s.status END AS status, CASE WHEN ` + silent + ` THEN 0 ELSE s.value END AS value, CASE WHEN ` + silent + ` THEN FALSE ELSE s.passed END AS passed,
           CASE WHEN s.passed IS NULL THEN 0 ELSE 1 END AS judged,
           MAX(CASE WHEN s.status = 'ok' THEN 1 ELSE 0 END) OVER (PARTITION BY s.agent_name, s.agent_version, s.batch_id, s.metric) AS scored,
           CASE WHEN s.usage IS NULL AND s.assessment_ids IS NULL THEN '' ELSE COALESCE(r.judge, '') END AS judge
    FROM badger.latest_scores s LEFT JOIN badger.eval_runs r ON r.eval_run_id = s.eval_run_id AND r.agent_name = s.agent_name AND r.agent_version = s.agent_version AND r.batch_id = s.batch_id`

// unlike is the reason why two scores n and b of a case are not compared; NULL if they are. Properties that are not
// recorded are ignored.
const unlike = `CASE WHEN n.gold_hash <> b.gold_hash THEN 'golden set' WHEN n.metric_version <> b.metric_version THEN 'metric version' WHEN n.config_hash <> b.config_hash THEN 'configuration'
             WHEN n.judge <> b.judge AND n.judge <> '' AND b.judge <> '' THEN 'judge' WHEN n.status <> 'ok' OR b.status <> 'ok' OR n.scored + b.scored = 0 THEN 'no value' END`

// CountedValue returns the expression for the value of a score of the relation s as figures count it: a missing answer
// counts as 0 if higher is better, and as 1 if the metric passes an answer without SQL.
func CountedValue() string {
	return "CASE WHEN " + passesSilently("s.") + " THEN 1 WHEN " + silent + " THEN 0 ELSE s.value END"
}

// LowerIsBetter returns badger's metrics in which lower values are better, as SQL literals.
func LowerIsBetter() string { return lowerIsBetter }

// failureLabels are the labels that the details of scores contain in lists, by metric and list.
var failureLabels = []struct {
	metric, kind, member string
	value                string // condition on the value of the scores
	labels               []string
}{
	{"sql_judge_issues", "issue", "issues", "", []string{
		"filters_missing", "filters_incorrect", "joins_missing", "joins_incorrect", "joins_unnecessary", "aggregation_wrong",
		"aggregation_missing",
		"columns_missing", "columns_wrong", "ordering_wrong", "schema_misunderstanding", "logic_error", "performance_issue",
	}},
	{"flex", "error", "categories", " AND s.value = 0", []string{
		"incorrect_schema_linking", "incorrect_filtering_condition", "missing_handling_of_nullable_column",
		"missing_handling_of_multiple_rows", "abused_clauses", "other_fatal_issues",
	}},
	{"flex", "difference", "categories", " AND s.value = 1", []string{
		"different_output_structure", "different_output_value_representation", "incorrect_ground_truth_query",
		"multiple_answers_available", "other_minor_issues",
	}},
}

// FailureLabels returns the labels of a metric in lists that the view failure_labels contains.
func FailureLabels(metric string) (labels []string) {
	for _, l := range failureLabels {
		if l.metric == metric {
			labels = append(labels, l.labels...)
		}
	}
	return labels
}

// labelled returns a query for the scores whose details contain labels, a row for each label.
func labelled() string {
	const columns = "SELECT s.agent_name, s.agent_version, s.batch_id, s.metric, "
	var parts []string
	for _, l := range failureLabels {
		var names []string
		for _, name := range l.labels {
			names = append(names, "SELECT '"+name+"' AS label")
		}
		parts = append(parts,
			columns+"'"+l.kind+"' AS kind, v.label, s.case_id FROM badger.latest_scores s CROSS JOIN ("+
				strings.Join(names, " UNION ALL ")+
				") v WHERE s.status = 'ok' AND s.metric = '"+l.metric+"'"+l.value+" AND {s.array detail."+l.member+
				"} LIKE '%\"' || v.label || '\"%'")
	}
	parts = append(parts,
		columns+"'relation' AS kind, s.label, s.case_id FROM badger.latest_scores s WHERE s.status = 'ok' AND s.metric = 'relation' AND s.label NOT IN ('same', 'permuted')",
		columns+"'filters' AS kind, {s.json detail.filters_applied_status} AS label, s.case_id FROM badger.latest_scores s WHERE s.status = 'ok' AND s.metric = 'stef' AND {s.json detail.filters_applied_status} IS NOT NULL",
		columns+"'refusal' AS kind, s.label, s.case_id FROM badger.latest_scores s WHERE s.status = 'ok' AND s.metric = 'refusal' AND s.value < 1",
		columns+"'safety' AS kind, s.label, s.case_id FROM badger.latest_scores s WHERE s.status = 'ok' AND s.metric = 'sql_safety' AND s.value < 1")
	for _, d := range []string{"gold_x", "amb_q", "amb_schema"} {
		parts = append(parts,
			columns+"'diagnosis' AS kind, '"+d+
				"' AS label, s.case_id FROM badger.latest_scores s WHERE s.status = 'ok' AND s.metric = 'rose' AND {s.json detail."+d+"} = 'true'")
	}
	return strings.Join(parts, "\n  UNION ALL\n  ")
}

// answered is a query for the answers, each with its question in the golden set; copy is 1 for one of several rows of
// an answer. The view coverage treats batches of a version that share cases as repetitions, each with all questions,
// and batches that share no case as parts of one repetition.
const answered = `SELECT a.agent_name, a.agent_version, a.batch_id, a.case_id, g.case_id AS question, ROW_NUMBER() OVER (PARTITION BY a.agent_name, a.agent_version, a.batch_id, a.case_id ORDER BY a.case_id) AS copy
      FROM (SELECT {key agent_runs.case_id} AS case_id, {key agent_runs.agent_name} AS agent_name, {key agent_runs.agent_version} AS agent_version, {key agent_runs.batch_id} AS batch_id FROM badger.agent_runs) a
      LEFT JOIN (SELECT DISTINCT {key golden_set.case_id} AS case_id FROM badger.golden_set) g ON g.case_id = a.case_id AND a.case_id <> ''`

// positions is a query for the answers that are turns of conversations, one row for each.
const positions = `SELECT agent_name, agent_version, batch_id, case_id, MAX(conversation_id) AS conversation_id, MAX(turn) AS turn FROM
      (SELECT {key agent_runs.agent_name} AS agent_name, {key agent_runs.agent_version} AS agent_version, {key agent_runs.batch_id} AS batch_id, {key agent_runs.case_id} AS case_id, {key agent_runs.conversation_id} AS conversation_id, {column agent_runs.turn} AS turn FROM badger.agent_runs) r
      WHERE conversation_id <> '' GROUP BY agent_name, agent_version, batch_id, case_id`

// spentAnswers is a query for what the answers took; copy is 1 for one of several rows of an answer. As in
// [scoring.SpentOfCells], values that are negative or too large are unknown.
var spentAnswers = `SELECT agent_name, agent_version, batch_id, case_id, ran_at, ` + within("cost_usd", scoring.MaxCost) + ", " +
	within("tokens_in", scoring.MaxTokens) + ", " + within("tokens_out", scoring.MaxTokens) + `,
      ` + within("latency_ms", scoring.MaxLatencyMS) + `,
      ROW_NUMBER() OVER (PARTITION BY agent_name, agent_version, batch_id, case_id ORDER BY ran_at, sql) AS copy
      FROM (SELECT {key agent_runs.agent_name} AS agent_name, {key agent_runs.agent_version} AS agent_version, {key agent_runs.batch_id} AS batch_id, {key agent_runs.case_id} AS case_id, {column agent_runs.ran_at} AS ran_at, {text agent_runs.sql} AS sql,
        CAST({column agent_runs.cost_usd} AS {decimal}) AS cost_usd, CAST({column agent_runs.tokens_in} AS {bigint}) AS tokens_in, CAST({column agent_runs.tokens_out} AS {bigint}) AS tokens_out, CAST({column agent_runs.latency_ms} AS {double}) AS latency_ms FROM badger.agent_runs) r`

// within returns a column whose value is NULL unless it is from 0 to most.
func within(column string, most int64) string {
	return fmt.Sprintf("CASE WHEN %[1]s BETWEEN 0 AND %[2]d THEN %[1]s END AS %[1]s", column, most)
}

// atPosition joins scores m with their positions p.
const atPosition = "p.agent_name = m.agent_name AND p.agent_version = m.agent_version AND p.batch_id = m.batch_id AND p.case_id = m.case_id"

// View is a view over badger's tables.
type View struct {
	Name    string
	Doc     string
	Columns string // its columns, for documentation
	query   string // with placeholders, see [Reader.expand]
}

// Views are badger's views. They use only SQL that every warehouse supports. A view may use earlier ones. New columns
// go to the end, because PostgreSQL only replaces a view if its other columns are unchanged.
var Views = []View{
	{
		"latest_scores", "The latest score of each answer and metric, from any run, with the status of that run. In sql_safety, an answer without SQL has the status ok, the value 1 and passed: there is nothing to object to.",
		"the columns of scores, run_status, run_date",
		`SELECT {counted}, run_status, run_date FROM (
  SELECT {s.scores}, COALESCE(r.status, 'running') AS run_status, r.eval_run_date AS run_date,
         ROW_NUMBER() OVER (PARTITION BY s.agent_name, s.agent_version, s.batch_id, s.case_id, s.metric ORDER BY s.scored_at DESC, CASE WHEN r.eval_run_date IS NULL THEN 1 ELSE 0 END, r.eval_run_date DESC, s.eval_run_id DESC) AS newest
  FROM badger.scores s LEFT JOIN badger.eval_runs r
  ON r.eval_run_id = s.eval_run_id AND r.agent_name = s.agent_name AND r.agent_version = s.agent_version AND r.batch_id = s.batch_id) t
WHERE newest = 1`,
	},
	{
		"consensus", "The majority label of each answer: passes is 1 or 0, and NULL if annotators are divided.",
		"case_id, agent_name, batch_id, passes, agent_version",
		consensus(allLabels()),
	},
	{
		"complexity", "The complexity tier of each question, from its latest score.",
		"case_id, tier",
		`SELECT case_id, label AS tier FROM (
  SELECT case_id, label, ROW_NUMBER() OVER (PARTITION BY case_id ORDER BY scored_at DESC, eval_run_id DESC, agent_name, agent_version, batch_id) AS newest
  FROM badger.latest_scores WHERE metric = 'sql_complexity' AND status = 'ok') t
WHERE newest = 1`,
	},
	{
		"coverage", "The outcomes of an agent's questions, by metric and batch. unanswered counts the answers that lack what the metric needs of the agent, and the questions that have no answer: those that a run recorded, or else those of golden_set. " +
			"pass_rate counts unanswered ones as not passed. coverage is the share of scored ones among those that the metric applies to. rate_of_all counts failed, unanswered and abstained ones as not passed.",
		"agent_name, agent_version, batch_id, metric, asked, scored, abstained, not_applicable, failed, unanswered, coverage, passed, pass_rate, rate_of_all",
		`SELECT agent_name, agent_version, batch_id, metric, applies + not_applicable AS asked, scored, abstained, not_applicable, failed, unanswered,
       CASE WHEN applies > 0 THEN scored * 1.0 / applies END AS coverage, passed,
       CASE WHEN judged > 0 THEN passed * 1.0 / (judged + CASE WHEN metric IN (` + lowerIsBetter + `) THEN 0 ELSE unanswered END) END AS pass_rate, CASE WHEN judged > 0 AND applies > 0 THEN passed * 1.0 / applies END AS rate_of_all
FROM (SELECT s.agent_name, s.agent_version, s.batch_id, s.metric, s.scored, s.abstained, s.not_applicable, s.failed, s.unanswered + CASE WHEN s.missing = 0 THEN COALESCE(n.silent, 0) ELSE 0 END AS unanswered,
        s.scored + s.abstained + s.failed + s.unanswered + CASE WHEN s.missing = 0 THEN COALESCE(n.silent, 0) ELSE 0 END AS applies, s.passed, s.judged
  FROM (SELECT agent_name, agent_version, batch_id, metric,
          COUNT(CASE WHEN status = 'ok' THEN 1 END) AS scored, COUNT(CASE WHEN status = 'abstained' THEN 1 END) AS abstained,
          COUNT(CASE WHEN status = 'not_applicable' AND reason NOT IN (` + noAnswer + `) THEN 1 END) AS not_applicable,
          COUNT(CASE WHEN status = 'failed' THEN 1 END) AS failed,
          COUNT(CASE WHEN status = 'not_applicable' AND reason IN (` + noAnswer + `) THEN 1 END) AS unanswered,
          MAX(COUNT(CASE WHEN status = 'not_applicable' AND reason = '` + scoring.NoAnswer + `' THEN 1 END)) OVER (PARTITION BY agent_name, agent_version, batch_id) AS missing,
          COUNT(CASE WHEN passed THEN 1 END) AS passed, COUNT(CASE WHEN passed IS NOT NULL THEN 1 END) AS judged
    FROM badger.latest_scores GROUP BY agent_name, agent_version, batch_id, metric) s
  LEFT JOIN (SELECT b.agent_name, b.agent_version, b.batch_id,
      CASE WHEN v.answers > v.cases THEN v.questions - b.answered WHEN b.batch_id = v.first_batch THEN v.questions - v.answered ELSE 0 END AS silent
    FROM (SELECT agent_name, agent_version, batch_id, COUNT(DISTINCT question) AS answered FROM (` + answered + `) a GROUP BY agent_name, agent_version, batch_id) b
    JOIN (SELECT agent_name, agent_version, COUNT(DISTINCT case_id) AS cases, COUNT(DISTINCT question) AS answered, MIN(batch_id) AS first_batch, MAX(questions) AS questions, MAX(answers) AS answers
      FROM (SELECT k.*, q.questions, SUM(CASE WHEN copy = 1 THEN 1 ELSE 0 END) OVER (PARTITION BY agent_name, agent_version) AS answers FROM (` + answered + `) k
        CROSS JOIN (SELECT COUNT(DISTINCT {key golden_set.case_id}) AS questions FROM badger.golden_set WHERE {key golden_set.case_id} <> '') q) a GROUP BY agent_name, agent_version) v
    ON v.agent_name = b.agent_name AND v.agent_version = b.agent_version) n
  ON n.agent_name = s.agent_name AND n.agent_version = s.agent_version AND n.batch_id = s.batch_id) t`,
	},
	{
		"versions_by_metric", "Version against version, by metric and complexity tier: scored is the number of answers with a value, answered the number of answers; a missing answer counts as 0 and does not pass. unfinished counts the values from runs that are not done. The view coverage shows the outcomes of the others.",
		"agent_name, agent_version, metric, tier, scored, mean_value, pass_rate, unfinished, answered",
		`SELECT s.agent_name, s.agent_version, s.metric, COALESCE(c.tier, 'unknown') AS tier, COUNT(CASE WHEN s.status = 'ok' THEN 1 END) AS scored, ` + meanOfAll + ` AS mean_value,
       ` + passShare + ` AS pass_rate,
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
		"degradation", "The latest batch of each agent against the latest batch before it that has scores, by metric, all versions of the agent together. A missing answer does not pass. pass_rate_change is below 0 if fewer answers pass; failed counts scores that failed. Alerts read this view.",
		"agent_name, metric, batch_id, batch_before, judged, judged_before, pass_rate, pass_rate_before, pass_rate_change, failed, failed_before",
		`SELECT n.agent_name, n.metric, n.batch_id, b.batch_id AS batch_before, n.judged, b.judged AS judged_before, n.pass_rate, b.pass_rate AS pass_rate_before,
       n.pass_rate - b.pass_rate AS pass_rate_change, n.failed, b.failed AS failed_before
FROM (` + batchRates + `) n JOIN (` + batchRates + `) b ON b.agent_name = n.agent_name AND b.metric = n.metric AND b.nth = 2
WHERE n.place = 1`,
	},
	{
		"backlog", "The answers that the scheduled evaluation has still to score, by batch: those that lack a score of a metric of the schedule, from its since_day on or without a date, and the rest of an interrupted call. waiting_since is the earliest day of an answer without scores, last_attempt_at the last call that tried to score the batch, and last_error why it failed; NULL if it is running or was interrupted.",
		"agent_name, agent_version, batch_id, answers, waiting_since, last_attempt_at, last_error",
		`SELECT b.agent_name, b.agent_version, b.batch_id, b.answers, b.waiting_since, t.logged_at AS last_attempt_at, t.message AS last_error
FROM (SELECT a.agent_name, a.agent_version, a.batch_id, COUNT(*) AS answers, MIN(a.run_day) AS waiting_since
  FROM (SELECT agent_name, agent_version, batch_id, case_id, MIN(run_day) AS run_day, MAX(CASE WHEN run_day IS NULL THEN '9999' ELSE run_day END) AS last_day
    FROM (SELECT {key agent_runs.agent_name} AS agent_name, {key agent_runs.agent_version} AS agent_version, {key agent_runs.batch_id} AS batch_id, {key agent_runs.case_id} AS case_id, {daytext agent_runs.ran_at} AS run_day
      FROM badger.agent_runs) k GROUP BY agent_name, agent_version, batch_id, case_id) a
  CROSS JOIN (SELECT COALESCE(MAX(since_day), '') AS since_day, COUNT(CASE WHEN metric <> '' THEN 1 END) AS metrics FROM badger.schedule) w
  LEFT JOIN (SELECT s.agent_name, s.agent_version, s.batch_id, s.case_id, COUNT(DISTINCT m.metric) AS metrics
    FROM badger.scores s LEFT JOIN badger.schedule m ON m.metric = s.metric GROUP BY s.agent_name, s.agent_version, s.batch_id, s.case_id) s
  ON s.agent_name = a.agent_name AND s.agent_version = a.agent_version AND s.batch_id = a.batch_id AND s.case_id = a.case_id
  LEFT JOIN (SELECT DISTINCT agent_name, batch_id FROM badger.eval_runs WHERE eval_run_id LIKE 'evaluate-%' AND status IN ('running', 'failed')) r
  ON r.agent_name = a.agent_name AND r.batch_id = a.batch_id
  WHERE (s.metrics IS NULL OR s.metrics < w.metrics) AND (a.last_day >= w.since_day OR r.batch_id IS NOT NULL)
  GROUP BY a.agent_name, a.agent_version, a.batch_id) b
LEFT JOIN (SELECT agent_name, agent_version, batch_id, logged_at, message, ROW_NUMBER() OVER (PARTITION BY agent_name, agent_version, batch_id ORDER BY logged_at DESC, event DESC, entry_id) AS newest
  FROM badger.run_log WHERE event IN ('batch began', 'batch failed')) t
ON t.newest = 1 AND t.agent_name = b.agent_name AND t.agent_version = b.agent_version AND t.batch_id = b.batch_id`,
	},
	{
		"open_facts", "What alerts report and is true now: the last evaluation failed or was interrupted, answers of a batch could not be scored, or fewer answers of the latest batch pass, or more failed, than in the batch before. Batches with a backlog are not compared. A failure with another start of its message (60 characters) is another fact.",
		"kind, fact, agent_name, agent_version, batch_id, metric, message",
		`WITH waiting AS (SELECT agent_name, agent_version, batch_id, answers, last_error FROM badger.backlog)
SELECT 'run failed' AS kind, 'run failed: ' || SUBSTR(COALESCE(message, ''), 1, 60) AS fact, CAST(NULL AS {text}) AS agent_name, CAST(NULL AS {text}) AS agent_version, CAST(NULL AS {text}) AS batch_id, CAST(NULL AS {text}) AS metric,
       'the evaluation failed: ' || COALESCE(message, '') AS message
FROM (SELECT event, message, ROW_NUMBER() OVER (ORDER BY logged_at DESC, entry_id) AS newest
  FROM badger.run_log WHERE batch_id IS NULL AND event IN ('done', 'idle', 'run failed', 'interrupted')) l
WHERE newest = 1 AND event IN ('run failed', 'interrupted')
UNION ALL
SELECT 'backlog' AS kind, 'backlog: ' || b.agent_name || ', ' || b.agent_version || ', ' || b.batch_id AS fact, b.agent_name, b.agent_version, b.batch_id, CAST(NULL AS {text}) AS metric,
       b.agent_name || ' ' || b.agent_version || ', batch ' || b.batch_id || ': ' || CAST(b.answers AS {text}) || ' answers have no scores: ' || COALESCE(b.last_error, 'the last call is running or was interrupted') AS message
FROM waiting b LEFT JOIN (SELECT DISTINCT agent_name, agent_version, batch_id FROM badger.alerts WHERE kind = 'backlog' AND resolved_at IS NULL) o
ON o.agent_name = b.agent_name AND o.agent_version = b.agent_version AND o.batch_id = b.batch_id
WHERE b.last_error IS NOT NULL OR o.batch_id IS NOT NULL
UNION ALL
SELECT 'degraded' AS kind, 'degraded: ' || d.agent_name || ', ' || d.metric || ', ' || d.batch_id AS fact, d.agent_name, CAST(NULL AS {text}) AS agent_version, d.batch_id, d.metric,
       d.agent_name || ', ' || d.metric || ', batch ' || d.batch_id || ': pass rate ' || COALESCE(CAST(CAST(ROUND(d.pass_rate * 100) AS {bigint}) AS {text}) || ' %', 'none') || ', before '
         || COALESCE(CAST(CAST(ROUND(d.pass_rate_before * 100) AS {bigint}) AS {text}) || ' %', 'none') || '; ' || CAST(d.failed AS {text}) || ' scores failed, before ' || CAST(d.failed_before AS {text}) AS message
FROM badger.degradation d CROSS JOIN (SELECT MAX(pass_rate_drop) AS most FROM badger.schedule) w
LEFT JOIN (SELECT DISTINCT agent_name, batch_id FROM waiting) n ON n.agent_name = d.agent_name AND (n.batch_id = d.batch_id OR n.batch_id = d.batch_before)
WHERE n.batch_id IS NULL AND (d.pass_rate_change <= -w.most OR d.failed > d.failed_before)`,
	},
	{
		"latest_run", "The latest run of each agent, version and batch, with its outcome and its scores. pass_rate is of the verdicts of all metrics together; the view coverage has it by metric.",
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
		"versions_by_batch",
		"Version against version, by metric, complexity tier, batch, and the date of the run that the score is from. A missing answer counts as 0 and does not pass.",
		"agent_name, agent_version, metric, tier, batch_id, run_day, answered, scored, mean_value, passed, judged, pass_rate",
		`SELECT s.agent_name, s.agent_version, s.metric, COALESCE(c.tier, 'unknown') AS tier, s.batch_id, {day s.run_date} AS run_day, COUNT(*) AS answered,
       COUNT(CASE WHEN s.status = 'ok' THEN 1 END) AS scored, ` + meanOfAll + ` AS mean_value, COUNT(CASE WHEN s.passed THEN 1 END) AS passed,
       COUNT(CASE WHEN s.passed IS NOT NULL THEN 1 END) AS judged, ` + passShare + ` AS pass_rate
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
		"judge_cost", "Judge calls and tokens for the scores of each run, by agent, version, batch and metric, including cached replies. uncounted is the number of scores whose tokens are unknown. The amount paid is in eval_runs.cost.",
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
		"suspect_golds", "Questions whose accepted answer may be wrong, one row for each reason: gold_error (the accepted query failed), gold_empty (its result is empty or all NULL and an answer's is not), gold_x and gold_flex (ROSE's Refuter, or FLEX, found it wrong), " +
			"gold_literal (its query compares with a string that neither question nor evidence contains, and the answer's with one that they contain), gold_logic (its query contradicts the question or has a clause without effect), " +
			"people (most annotators pass an answer that the metric verdict or ex_multiset fails), answers_agree (at least two agents, or versions whose SQL differs, answered, and all of them fail). answers counts the answers that speak for the reason.",
		"case_id, reason, answers, example_agent, example_version, example_batch",
		`SELECT t.case_id, t.why AS reason, COUNT(DISTINCT t.answer) AS answers, MIN(t.agent_name) AS example_agent, MIN(t.agent_version) AS example_version, MIN(t.batch_id) AS example_batch
FROM (SELECT {key golden_set.case_id} AS case_id, 'gold_error' AS why, CAST(NULL AS {text}) AS answer, CAST(NULL AS {text}) AS agent_name, CAST(NULL AS {text}) AS agent_version, CAST(NULL AS {text}) AS batch_id
  FROM badger.golden_set WHERE {text golden_set.gold_error} <> ''
  UNION ALL
  SELECT case_id, 'gold_error' AS why, {answer} AS answer, agent_name, agent_version, batch_id
  FROM badger.latest_scores WHERE status = 'not_applicable' AND reason = 'the gold query failed when it ran'
  UNION ALL
  SELECT case_id, CASE WHEN metric = 'rose' THEN 'gold_x' WHEN metric = 'flex' THEN 'gold_flex' WHEN label = 'gold_empty' THEN 'gold_empty' WHEN label = 'gold_literal_foreign' THEN 'gold_literal' ELSE 'gold_logic' END AS why,
         {answer} AS answer, agent_name, agent_version, batch_id
  FROM badger.latest_scores WHERE status = 'ok' AND (metric = 'relation' AND label IN ('gold_empty', ` + goldRelations + `) OR metric = 'rose' AND {json detail.gold_x} = 'true'
    OR metric = 'flex' AND value = 1 AND {array detail.categories} LIKE '%"incorrect_ground_truth_query"%')
  UNION ALL
  SELECT s.case_id, 'people' AS why, {s.answer} AS answer, s.agent_name, s.agent_version, s.batch_id
  FROM badger.latest_scores s JOIN badger.consensus l ON l.case_id = s.case_id AND l.agent_name = s.agent_name AND l.agent_version = s.agent_version AND l.batch_id = s.batch_id
  WHERE l.passes = 1 AND s.passed = FALSE AND s.metric IN ('verdict', 'ex_multiset')
  UNION ALL
  SELECT s.case_id, 'answers_agree' AS why, {s.answer} AS answer, s.agent_name, s.agent_version, s.batch_id
  FROM badger.latest_scores s JOIN (SELECT s.case_id FROM badger.latest_scores s
    LEFT JOIN (SELECT {key agent_runs.case_id} AS case_id, {key agent_runs.agent_name} AS agent_name, {key agent_runs.agent_version} AS agent_version, {key agent_runs.batch_id} AS batch_id, MIN({text agent_runs.sql}) AS sql FROM badger.agent_runs GROUP BY 1, 2, 3, 4) k
    ON k.case_id = s.case_id AND k.agent_name = s.agent_name AND k.agent_version = s.agent_version AND k.batch_id = s.batch_id
    WHERE s.metric = 'ex_multiset' AND s.passed IS NOT NULL GROUP BY s.case_id
    HAVING (COUNT(DISTINCT s.agent_name) > 1 OR COUNT(DISTINCT s.agent_version) > 1 AND COUNT(DISTINCT COALESCE(NULLIF(k.sql, ''), s.agent_version)) > 1) AND COUNT(CASE WHEN s.passed THEN 1 END) = 0) f ON f.case_id = s.case_id
  WHERE s.metric = 'ex_multiset' AND s.passed = FALSE) t
GROUP BY t.case_id, t.why`,
	},
	{
		"trend", "Each metric over time, by batch, version and tier. dated_at is when a run first evaluated the batch. A missing answer counts as 0 and does not pass. p90 is the value that nine in ten scores do not exceed (nearest rank). metric_versions, configurations and judges count what the scores were made with: above 1, or other than in the batch before, the figures are not comparable.",
		"agent_name, agent_version, batch_id, dated_at, metric, tier, answers, scored, coverage, mean_value, p90, passed, judged, pass_rate, metric_versions, metric_version, configurations, config_hash, judges, judge",
		`SELECT s.agent_name, s.agent_version, s.batch_id, b.dated_at, s.metric, s.tier, COUNT(*) AS answers, COUNT(CASE WHEN s.status = 'ok' THEN 1 END) AS scored,
       COUNT(CASE WHEN s.status = 'ok' THEN 1 END) * 1.0 / NULLIF(COUNT(CASE WHEN s.applies = 1 THEN 1 END), 0) AS coverage, ` + meanOfAll + ` AS mean_value,
       MIN(CASE WHEN s.status = 'ok' AND s.place * 10 >= s.of_ok * 9 THEN s.value END) AS p90, COUNT(CASE WHEN s.passed THEN 1 END) AS passed, COUNT(CASE WHEN s.passed IS NOT NULL THEN 1 END) AS judged,
       ` + passShare + ` AS pass_rate, COUNT(DISTINCT s.metric_version) AS metric_versions, MAX(s.metric_version) AS metric_version,
       COUNT(DISTINCT s.config_hash) AS configurations, MAX(s.config_hash) AS config_hash, COUNT(DISTINCT NULLIF(s.judge, '')) AS judges, MAX(NULLIF(s.judge, '')) AS judge
FROM (SELECT m.agent_name, m.agent_version, m.batch_id, m.metric, m.metric_version, m.status, m.reason, m.value, m.passed, m.config_hash, m.judge, COALESCE(c.tier, 'unknown') AS tier, m.applies,
        ROW_NUMBER() OVER (PARTITION BY m.agent_name, m.agent_version, m.batch_id, m.metric, COALESCE(c.tier, 'unknown'), CASE WHEN m.status = 'ok' THEN 1 ELSE 0 END ORDER BY m.value) AS place,
        COUNT(CASE WHEN m.status = 'ok' THEN 1 END) OVER (PARTITION BY m.agent_name, m.agent_version, m.batch_id, m.metric, COALESCE(c.tier, 'unknown')) AS of_ok
  FROM (SELECT s.agent_name, s.agent_version, s.batch_id, s.case_id, s.metric, s.metric_version, s.status, s.reason, s.value, s.passed, s.config_hash,
          CASE WHEN s.status = 'not_applicable' AND s.reason NOT IN (` + noAnswer + `) THEN 0 ELSE 1 END AS applies, CASE WHEN s.usage IS NULL AND s.assessment_ids IS NULL THEN '' ELSE COALESCE(r.judge, '') END AS judge
    FROM badger.latest_scores s LEFT JOIN badger.eval_runs r ON r.eval_run_id = s.eval_run_id AND r.agent_name = s.agent_name AND r.agent_version = s.agent_version AND r.batch_id = s.batch_id) m
  LEFT JOIN badger.complexity c ON c.case_id = m.case_id) s
JOIN (` + batchOrder + `) b ON b.agent_name = s.agent_name AND b.agent_version = s.agent_version AND b.batch_id = s.batch_id
GROUP BY s.agent_name, s.agent_version, s.batch_id, b.dated_at, s.metric, s.tier`,
	},
	{
		"batch_changes", "Each batch against the one before it of the same version (for the first of a version: the last of another version of the agent), by metric, on the cases that both have. Cases whose question, metric version, configuration (any part of it) or judge changed are counted and not compared. A missing answer counts as 0 and as not passed, but has no value if lower is better. z is McNemar's (fixed - broken) / sqrt(fixed + broken): below -1.96, more answers broke than chance explains. The command badger compare has exact tests, adjusted for many metrics, dates batches by agent_runs.ran_at, and looks only at the configuration that a metric reads.",
		"agent_name, metric, agent_version, batch_id, version_before, batch_before, shared, compared, other_golden_set, other_metric_version, other_configuration, other_judge, no_value, mean_before, mean_value, mean_change, fixed, broken, z",
		`WITH made AS (` + madeOf + `), earlier AS (` + batchBefore + `)
SELECT agent_name, metric, agent_version, batch_id, version_before, batch_before, shared, compared, other_golden_set, other_metric_version, other_configuration, other_judge, no_value,
       mean_before, mean_value, mean_value - mean_before AS mean_change, fixed, broken, CASE WHEN fixed + broken > 0 THEN (fixed - broken) / SQRT(fixed + broken) END AS z
FROM (SELECT agent_name, metric, agent_version, batch_id, version_before, batch_before, COUNT(*) AS shared, COUNT(CASE WHEN why IS NULL THEN 1 END) AS compared,
        COUNT(CASE WHEN why = 'golden set' THEN 1 END) AS other_golden_set, COUNT(CASE WHEN why = 'metric version' THEN 1 END) AS other_metric_version,
        COUNT(CASE WHEN why = 'configuration' THEN 1 END) AS other_configuration, COUNT(CASE WHEN why = 'judge' THEN 1 END) AS other_judge, COUNT(CASE WHEN why = 'no value' THEN 1 END) AS no_value,
        AVG(CASE WHEN why IS NULL THEN value_before END) AS mean_before, AVG(CASE WHEN why IS NULL THEN value END) AS mean_value,
        COUNT(CASE WHEN why IS NULL AND passed AND NOT passed_before THEN 1 END) AS fixed, COUNT(CASE WHEN why IS NULL AND NOT passed AND passed_before THEN 1 END) AS broken
  FROM (SELECT n.agent_name, n.metric, n.agent_version, n.batch_id, p.version_before, p.batch_before, n.value, n.passed, b.value AS value_before, b.passed AS passed_before, ` + unlike + ` AS why
    FROM made n
    JOIN earlier p ON p.agent_name = n.agent_name AND p.agent_version = n.agent_version AND p.batch_id = n.batch_id
    JOIN made b ON b.agent_name = n.agent_name AND b.agent_version = p.version_before AND b.batch_id = p.batch_before AND b.case_id = n.case_id AND b.metric = n.metric) c
  GROUP BY agent_name, metric, agent_version, batch_id, version_before, batch_before) t`,
	},
	{
		"failure_labels", "Causes of failures, a row for each answer and label: the issues of the SQL judge (kind issue), FLEX's errors and its reasons why right answers differ (error, difference), the relation between the results that explains most (relation), STEF's status of the filters (filters), ROSE's diagnoses (diagnosis), answers that refusal rejects (refusal), and what SQL would do other than read (safety). An answer may have several.",
		"agent_name, agent_version, batch_id, metric, kind, label, tier, case_id",
		`SELECT l.agent_name, l.agent_version, l.batch_id, l.metric, l.kind, l.label, COALESCE(c.tier, 'unknown') AS tier, l.case_id
FROM (` + labelled() + `) l LEFT JOIN badger.complexity c ON c.case_id = l.case_id`,
	},
	{
		"failures_by_label", "The labels of failure_labels, counted by version, batch and tier, with one of the cases.",
		"agent_name, agent_version, batch_id, metric, kind, label, tier, answers, example",
		`SELECT agent_name, agent_version, batch_id, metric, kind, label, tier, COUNT(*) AS answers, MIN(case_id) AS example
FROM badger.failure_labels GROUP BY agent_name, agent_version, batch_id, metric, kind, label, tier`,
	},
	{
		"ambiguous_questions", "Questions that a judge found ambiguous, one row for each reason: amb_q and amb_schema (ROSE's Refuter calls the question, or the schema, ambiguous), amb_flex (FLEX finds several answers available).",
		"case_id, reason, answers, example_agent, example_version, example_batch",
		`SELECT t.case_id, t.why AS reason, COUNT(DISTINCT t.answer) AS answers, MIN(t.agent_name) AS example_agent, MIN(t.agent_version) AS example_version, MIN(t.batch_id) AS example_batch
FROM (SELECT case_id, CASE WHEN label = 'multiple_answers_available' THEN 'amb_flex' ELSE label END AS why, {answer} AS answer, agent_name, agent_version, batch_id
  FROM badger.failure_labels WHERE kind = 'diagnosis' AND label IN ('amb_q', 'amb_schema') OR kind = 'difference' AND label = 'multiple_answers_available') t
GROUP BY t.case_id, t.why`,
	},
	{
		"ex_discordance", "Where execution accuracy (ex_bird or ex_multiset) and another verdict (verdict, rose or flex) differ, by tier and by ROSE's Refuter: gold_x, amb_q or neither. false_positives pass by execution accuracy alone, false_negatives by the other verdict alone.",
		"agent_name, agent_version, batch_id, ex_metric, metric, tier, diagnosis, answers, false_positives, false_negatives, discordance",
		`SELECT e.agent_name, e.agent_version, e.batch_id, e.metric AS ex_metric, s.metric, COALESCE(c.tier, 'unknown') AS tier, COALESCE(d.diagnosis, 'neither') AS diagnosis, COUNT(*) AS answers,
       COUNT(CASE WHEN e.passed AND NOT s.passed THEN 1 END) AS false_positives, COUNT(CASE WHEN NOT e.passed AND s.passed THEN 1 END) AS false_negatives,
       COUNT(CASE WHEN e.passed AND NOT s.passed OR NOT e.passed AND s.passed THEN 1 END) * 1.0 / COUNT(*) AS discordance
FROM badger.latest_scores e
JOIN badger.latest_scores s ON s.agent_name = e.agent_name AND s.agent_version = e.agent_version AND s.batch_id = e.batch_id AND s.case_id = e.case_id
LEFT JOIN (SELECT agent_name, agent_version, batch_id, case_id, MAX(label) AS diagnosis FROM badger.failure_labels WHERE kind = 'diagnosis' AND label IN ('gold_x', 'amb_q')
  GROUP BY agent_name, agent_version, batch_id, case_id) d ON d.agent_name = e.agent_name AND d.agent_version = e.agent_version AND d.batch_id = e.batch_id AND d.case_id = e.case_id
LEFT JOIN badger.complexity c ON c.case_id = e.case_id
WHERE e.metric IN ('ex_bird', 'ex_multiset') AND s.metric IN ('verdict', 'rose', 'flex') AND e.passed IS NOT NULL AND s.passed IS NOT NULL
GROUP BY e.agent_name, e.agent_version, e.batch_id, e.metric, s.metric, COALESCE(c.tier, 'unknown'), COALESCE(d.diagnosis, 'neither')`,
	},
	{
		"system_ranks", "The versions of all agents by each metric, on the cases for which all versions with values of the metric have one, using the latest answer of each. Place 1 has the highest mean, or the lowest in latency_overhead and sql_judge_issues; " +
			"a view cannot know in which direction your own metrics are better, and places the highest first. A missing answer counts as 0, but has no value if lower is better. Versions that share no case have no row. " +
			"The command badger rank also leaves out cases whose scores were made in different ways, takes all versions or those of --systems, and gives equal means the mean of their places.",
		"metric, agent_name, agent_version, shared, mean_value, pass_rate, place",
		`WITH made AS (` + madeOf + `)
SELECT metric, agent_name, agent_version, COUNT(*) AS shared, AVG(value) AS mean_value, AVG(CASE WHEN verdicts = 0 THEN NULL WHEN passed THEN 1.0 WHEN NOT passed THEN 0.0 END) AS pass_rate,
       RANK() OVER (PARTITION BY metric ORDER BY CASE WHEN metric IN (` + lowerIsBetter + `) THEN ` + roundedMean + ` ELSE -` + roundedMean + ` END) AS place
FROM (SELECT v.metric, v.agent_name, v.agent_version, v.case_id, v.value, v.passed, MAX(v.judged) OVER (PARTITION BY v.metric) AS verdicts, COUNT(*) OVER (PARTITION BY v.metric, v.case_id) AS having_it, n.systems
  FROM (SELECT m.metric, m.agent_name, m.agent_version, m.case_id, m.status, m.value, m.passed, m.judged,
          ROW_NUMBER() OVER (PARTITION BY m.metric, m.agent_name, m.agent_version, m.case_id ORDER BY b.place DESC) AS newest
    FROM made m JOIN (` + batchOrder + `) b ON b.agent_name = m.agent_name AND b.agent_version = m.agent_version AND b.batch_id = m.batch_id) v
  JOIN (SELECT metric, COUNT(DISTINCT {version}) AS systems FROM made WHERE status = 'ok' GROUP BY metric) n ON n.metric = v.metric
  WHERE v.newest = 1 AND v.status = 'ok') t
WHERE having_it = systems GROUP BY metric, agent_name, agent_version`,
	},
	{
		"turns", "Right answers by the position of the question in its conversation, by agent, version, batch and metric. A missing answer is wrong and counts as 0, but has no value if lower is better.",
		"agent_name, agent_version, batch_id, metric, turn, answers, judged, passed, pass_rate, mean_value",
		`WITH made AS (` + madeOf + `)
SELECT m.agent_name, m.agent_version, m.batch_id, m.metric, p.turn, COUNT(*) AS answers, COUNT(CASE WHEN m.passed IS NOT NULL THEN 1 END) AS judged, COUNT(CASE WHEN m.passed THEN 1 END) AS passed,
       AVG(CASE WHEN m.passed THEN 1.0 WHEN NOT m.passed THEN 0.0 END) AS pass_rate, AVG(CASE WHEN m.status = 'ok' THEN m.value END) AS mean_value
FROM made m JOIN (` + positions + `) p ON ` + atPosition + `
WHERE p.turn IS NOT NULL GROUP BY m.agent_name, m.agent_version, m.batch_id, m.metric, p.turn`,
	},
	{
		"conversations", "Whole conversations, by agent, version, batch and metric: all_right is 1 if every turn passed, 0 if one did not or could not be scored, and NULL without such turns; turns that the metric does not apply to are left out. first_wrong_turn is the first turn that did not pass. A missing answer did not pass.",
		"agent_name, agent_version, batch_id, conversation_id, metric, turns, judged, passed, all_right, first_wrong_turn",
		`WITH made AS (` + madeOf + `)
SELECT m.agent_name, m.agent_version, m.batch_id, p.conversation_id, m.metric, COUNT(*) AS turns, COUNT(CASE WHEN m.passed IS NOT NULL THEN 1 END) AS judged, COUNT(CASE WHEN m.passed THEN 1 END) AS passed,
       MIN(CASE WHEN m.passed THEN 1 WHEN NOT m.passed OR m.status IN ('failed', 'abstained') THEN 0 END) AS all_right, MIN(CASE WHEN NOT m.passed THEN p.turn END) AS first_wrong_turn
FROM made m JOIN (` + positions + `) p ON ` + atPosition + `
GROUP BY m.agent_name, m.agent_version, m.batch_id, p.conversation_id, m.metric`,
	},
	{
		"cost_by_version", "What the answers of agent_runs took, by agent, version, batch and metric with verdicts. cost_usd, tokens_in and tokens_out are sums of the known values, and with_cost, with_tokens_in and with_tokens_out count these. right_answers passed the metric. " +
			"cost_per_right is cost_usd, the known cost of right and wrong answers, divided by right_with_cost, the right answers with a known cost, and rounded to 12 decimals. place is 1 for the latest batch of the version. The command badger compare has medians, P95 and tests.",
		"agent_name, agent_version, batch_id, metric, place, answers, right_answers, with_cost, right_with_cost, cost_usd, cost_per_right, with_tokens_in, tokens_in, with_tokens_out, tokens_out, with_latency, mean_latency_ms",
		`SELECT agent_name, agent_version, batch_id, metric, place, answers, right_answers, with_cost, right_with_cost, cost_usd, CAST(cost_usd / NULLIF(right_with_cost, 0) AS {decimal}) AS cost_per_right,
       with_tokens_in, tokens_in, with_tokens_out, tokens_out, with_latency, mean_latency_ms
FROM (SELECT a.agent_name, a.agent_version, a.batch_id, s.metric, o.place, COUNT(*) AS answers, COUNT(CASE WHEN s.passed THEN 1 END) AS right_answers, COUNT(a.cost_usd) AS with_cost, COUNT(CASE WHEN s.passed AND a.cost_usd IS NOT NULL THEN 1 END) AS right_with_cost,
        SUM(a.cost_usd) AS cost_usd, COUNT(a.tokens_in) AS with_tokens_in, SUM(a.tokens_in) AS tokens_in, COUNT(a.tokens_out) AS with_tokens_out, SUM(a.tokens_out) AS tokens_out, COUNT(a.latency_ms) AS with_latency, AVG(a.latency_ms) AS mean_latency_ms
  FROM (` + spentAnswers + `) a
  JOIN badger.latest_scores s ON s.agent_name = a.agent_name AND s.agent_version = a.agent_version AND s.batch_id = a.batch_id AND s.case_id = a.case_id
  JOIN (SELECT agent_name, agent_version, batch_id, ROW_NUMBER() OVER (PARTITION BY agent_name, agent_version ORDER BY CASE WHEN MAX(ran_at) IS NULL THEN 1 ELSE 0 END, MAX(ran_at) DESC, batch_id DESC) AS place
    FROM (` + spentAnswers + `) b GROUP BY agent_name, agent_version, batch_id) o ON o.agent_name = a.agent_name AND o.agent_version = a.agent_version AND o.batch_id = a.batch_id
  WHERE a.copy = 1 GROUP BY a.agent_name, a.agent_version, a.batch_id, s.metric, o.place HAVING COUNT(s.passed) > 0) t`,
	},
}

// Query returns the view's query. Columns that the reader's tables lack are NULL.
func (v *View) Query(r Reader) string { return r.expand(v.query) }
