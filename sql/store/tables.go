package store

import "github.com/badger-eval/badger/connectors/driver"

// Schema is the schema of badger's tables, in every warehouse.
const Schema = "badger"

// Table is one of badger's tables.
type Table struct {
	Name    string
	Doc     string // describes a row or the table
	Columns []Column
	Key     []string // columns whose combination of values is unique
	Input   bool     // users fill the table, often with a statement or a view of theirs
}

// Column is a column of a table.
type Column struct {
	Name     string
	Type     driver.Type
	Doc      string
	Example  string // "" is NULL in the example row
	Required bool   // the table cannot be read without it
}

const (
	text      = driver.Text
	jsonText  = driver.JSON
	bigint    = driver.BigInt
	double    = driver.Double
	decimal   = driver.Decimal
	boolean   = driver.Boolean
	timestamp = driver.Timestamp
)

// Tables are badger's tables. Changing them requires a higher [Version], and if more than a table or a column is added,
// a [Migration]. New columns go to the end of their table, where installing adds missing columns, so that old and new
// tables have the same order of columns.
var Tables = []Table{
	{
		Name: "golden_set", Input: true, Key: []string{"case_id", "set_version"},
		Doc: "The questions, with their accepted answers.",
		Columns: []Column{
			{"case_id", text, "Identifies the question. Any type is read as a string: 17, '17' and a UUID are all valid.",
				"orders-01", true},
			{"question", text, "The question as the user asked it.", "How many orders were placed in 2024?", false},
			{"evidence", text, "Hints that came with the question, such as the definition of a business term.",
				"Cancelled orders do not count.", false},
			{"schema_ddl", text, "CREATE TABLE statements of the tables that the question is about.",
				"CREATE TABLE orders (id INT, placed DATE, status TEXT)", false},
			{"dialect", text, "SQL dialect of both queries: snowflake, bigquery, databricks, duckdb, postgres, sqlite, …",
				"postgres", false},
			{"gold_sql", text, "The accepted query.", "SELECT COUNT(*) AS n FROM orders WHERE status <> 'cancelled'", false},
			{"gold_result", text,
				"The result of the accepted query: an inline result, or a reference table:NAME, query:ID or file:PATH.",
				`{"columns": [{"name": "n", "type": "BIGINT"}], "rows": [[10822]]}`, false},
			{"expected_tools", jsonText,
				"The tools that a good agent calls, in order: a list of names or of {\"name\", \"arguments\"}.", `["run_sql"]`,
				false},
			{"expected_clarifications", jsonText, "The clarification questions of a good agent: a list of strings.", "", false},
			{"expected_behaviour", text, "answer (also NULL), clarify or refuse.", "answer", false},
			{"tags", jsonText, "A list of words to slice reports by.", `["sales"]`, false},
			{"set_version", text, "Version of the golden set that the row belongs to.", "v10", false},
			{"gold_latency_ms", double, "How long the accepted query took, in milliseconds.", "41.5", false},
			{"gold_error", text, "The message of the database, if the accepted query failed.", "", false},
			{"alternatives", jsonText, "Further accepted answers: a list of {\"sql\", \"result\", \"error\", \"latency_ms\"}. The one with the best score is used.", `[{"sql": "SELECT SUM(1) AS n FROM orders WHERE status <> 'cancelled'"}]`, false},
			{"database_name", text,
				"Name of the database that the question is about. Agreement with people can be shown by database.", "shop", false},
			{"metric_options", jsonText, "Options of single metrics, by name.", `{"hybrid_ex": {"tolerance": 0.001}}`, false},
			{"gold_chart", text, "The accepted chart of the result, in a form of agent_runs.chart. NULL: any chart that shows the result is accepted.", "", false},
		},
	},
	{
		Name: "agent_runs", Input: true, Key: []string{"agent_name", "agent_version", "batch_id", "case_id"},
		Doc: "The answers of agents: one row for each question, version of an agent, and batch.",
		Columns: []Column{
			{"agent_name", text, "Who answered.", "atlas", false},
			{"agent_version", text, "Version of the agent.", "2.0", false},
			{"batch_id", text, "The batch that the answer belongs to, such as a night. The same agent may answer a question again in another batch.", "2025-01-13", false},
			{"case_id", text, "The question that was answered: golden_set.case_id.", "orders-01", true},
			{"interpretation", text, "The question in the agent's own words.",
				"Count the orders of 2024 that were not cancelled.", false},
			{"sql", text, "The agent's query.", "SELECT COUNT(id) FROM orders WHERE status <> 'cancelled'", false},
			{"result", text, "The result of the agent's query, in the form of gold_result.",
				`{"columns": [{"name": "count", "type": "BIGINT"}], "rows": [[10822]]}`, false},
			{"sql_error", text, "The message of the database, if the agent's query failed.", "", false},
			{"tool_calls", jsonText, "The tools that the agent called, in order: a list of {\"name\", \"arguments\"}, or a trace in a form of docs/eval/traces.md. NULL: calls were not logged. []: the agent made none.",
				`[{"name": "run_sql", "arguments": {"limit": 100}}]`, false},
			{"response", text, "The agent's answer in prose.", "There were 10,822 orders.", false},
			{"latency_ms", double, "How long the agent's query took, in milliseconds.", "57", false},
			{"gold_latency_ms", double,
				"How long the accepted query took at the same time, if it was run again. It replaces golden_set.gold_latency_ms.",
				"", false},
			{"ran_at", timestamp, "When the agent answered.", "2025-01-13 02:00:00+00", false},
			{"conversation_id", text, "The conversation that the answer is part of.", "", false},
			{"turn", bigint, "Position of the answer in its conversation, from 1.", "", false},
			{"earlier_turns", jsonText, "The turns before it, the oldest first: a list of {\"question\", \"sql\", \"response\"}. NULL means the answers with the same conversation_id and a lower turn.", "", false},
			{"tokens_in", bigint, "Tokens that the models of the agent read. NULL if unknown.", "1840", false},
			{"tokens_out", bigint, "Tokens that the models of the agent wrote. NULL if unknown.", "212", false},
			{"cost_usd", decimal, "What the answer cost, in US dollars, exact to 12 decimals. NULL if unknown.", "0.0031", false},
			{"chart", text, "The chart that shows the result, described as data: Vega-Lite, a Plotly figure, or fields such as {\"mark\", \"x\", \"y\"}. docs/eval/charts.md describes the forms.",
				`{"mark": "bar", "x": "status", "y": "n"}`, false},
			{"contexts", jsonText, "The passages that the agent retrieved: a list of {\"id\", \"text\", \"title\", \"source\"}, or of strings.", "", false},
		},
	},
	{
		Name: "human_labels", Input: true, Key: []string{"case_id", "agent_name", "agent_version", "batch_id", "annotator"},
		Doc: "Human labels of answers: one row for each answer and annotator. Labels from the web report are in label_log.",
		Columns: []Column{
			{"case_id", text, "The question whose answer is labelled.", "orders-01", true},
			{"agent_name", text, "Who answered.", "atlas", false},
			{"batch_id", text, "The batch that the answer belongs to.", "2025-01-13", false},
			{"annotator", text, "Who labelled the answer.", "kim", false},
			{"verdict", text, "pass, fail or unsure. 1, true, yes, correct and 0, false, no, incorrect mean the same, in upper or lower case, with any surrounding white space. Anything else is unsure.", "pass", true},
			{"note", text, "Why.", "The alias differs, the count is right.", false},
			{"labelled_at", timestamp, "When the answer was labelled. The latest label of an annotator for an answer is used.",
				"2025-01-14 09:30:00+00", false},
			{"agent_version", text, "Version of the agent that answered. NULL means the only version that answered the question in the batch. If several did, the label is ignored.", "2.0", false},
		},
	},
	{
		Name: "eval_runs", Key: []string{"eval_run_id", "agent_name", "agent_version", "batch_id"},
		Doc: "The evaluations: one row for each run and each agent, version and batch that it scored.",
		Columns: []Column{
			{"eval_run_id", text, "The run.", "20250114T060000-3f9a1c", false},
			{"agent_name", text, "Whose answers were scored.", "atlas", false},
			{"agent_version", text, "Version of the agent.", "2.0", false},
			{"batch_id", text, "Batch of the answers.", "2025-01-13", false},
			{"eval_run_date", timestamp, "When the run started.", "2025-01-14 06:00:00+00", false},
			{"mode", text, "text2sql_only, agentic_only or both.", "both", false},
			{"config", jsonText, "Options and thresholds of metrics.", "{}", false},
			{"judge", text, "Who was asked.", "none", false},
			{"versions", jsonText, "Versions of badger, of the metrics and of judge files; the answers that were selected; and if --resume removed scores because the input had no such answers any more, their number and when.",
				`{"badger": "1.0.0", "metrics": {"hybrid_ex": 2}}`, false},
			{"counts", jsonText, "Number of scores of the run, by status.", `{"ok": 311, "not_applicable": 25}`, false},
			{"tokens", jsonText, "Judge calls and tokens for the scores.", `{"calls": 0, "in": 0, "out": 0}`, false},
			{"cost", jsonText, "Judge calls and tokens that the whole run paid for.",
				`{"calls": 0, "tokens_in": 0, "tokens_out": 0}`, false},
			{"status", text,
				"running (also: killed), done, stopped or failed. Only a run that is done has scored all of its cases.", "done",
				false},
			{"answered_at", timestamp, "When the last of the answers was given: agent_runs.ran_at, or agent.ran_at of a case file. It dates the batch if agent_runs does not.",
				"2025-01-13 02:00:00+00", false},
		},
	},
	{
		Name: "scores", Key: []string{"eval_run_id", "agent_name", "agent_version", "batch_id", "case_id", "metric"},
		Doc: "The scores: one row for each run, answer and metric.",
		Columns: []Column{
			{"eval_run_id", text, "The run.", "20250114T060000-3f9a1c", false},
			{"case_id", text, "The question.", "orders-01", false},
			{"agent_name", text, "Who answered.", "atlas", false},
			{"agent_version", text, "Version of the agent.", "2.0", false},
			{"batch_id", text, "Batch of the answer.", "2025-01-13", false},
			{"metric", text, "The metric.", "hybrid_ex", false},
			{"metric_version", bigint, "Version of the metric. Scores of different versions are not comparable.", "2", false},
			{"status", text, "ok, abstained, not_applicable or failed.", "ok", false},
			{"value", double, "The value. NULL unless status is ok.", "1", false},
			{"label", text, "Category, of metrics that have one.", "", false},
			{"passed", boolean, "Verdict by the metric's threshold. NULL if the metric has none.", "true", false},
			{"reason", text, "The reason for the value, or for its absence, in one sentence.", "all rows agree", false},
			{"detail", jsonText, "The evidence: alignment, counts, differences.", `{"rows": 1}`, false},
			{"assessment_ids", jsonText, "The recorded judge replies that the score is based on.", "", false},
			{"config_hash", text, "Identifies the configuration of the run.", "44136fa355b3678a", false},
			{"scored_at", timestamp, "When the score was stored.", "2025-01-14 06:00:03+00", false},
			{"code", text, "Kind of failure. NULL unless status is failed.", "", false},
			{"usage", jsonText, "Judge usage of this score: calls, tokens_in, tokens_out, repaired, the number of calls that repeated a question because of a malformed reply, judge if a tag selected it, and panel, the votes of a panel of judges. NULL without a judge call.", "", false},
			{"gold_hash", text, "Identifies the question with its accepted answers. Scores of a question that has changed are not comparable. NULL in rows of earlier versions.", "0f63a9c2d41e77b8", false},
			{"answer_hash", text, "Identifies what the agent gave, with the turns before it. badger run --resume scores an answer again if it has changed. NULL if unknown.", "8d1b6f20c7a95e34", false},
		},
	},
	{
		Name: "assessments", Key: []string{"assessment_id"},
		Doc: "The replies of judges, recorded.",
		Columns: []Column{
			{"assessment_id", text, "Hash of the content.", "9c1d…", false},
			{"kind", text, "Kind of question.", "rose", false},
			{"backend", text, "Who was asked.", "openai", false},
			{"model", text, "The model that answered.", "o3", false},
			{"prompt_version", text, "Version of the prompt.", "rose-1", false},
			{"request_hash", text, "Hash of the request. An identical request is not repeated.", "51e0…", false},
			{"reply", text, "The reply, verbatim.", `{"verdict": "equivalent"}`, false},
			{"tokens_in", bigint, "Tokens of the request. NULL if unknown.", "812", false},
			{"tokens_out", bigint, "Tokens of the reply. NULL if unknown.", "45", false},
			{"latency_ms", bigint, "How long the reply took, in milliseconds.", "2300", false},
			{"created_at", timestamp, "When.", "2025-01-14 06:00:02+00", false},
			{"detail", jsonText, "Further information about the reply.", "", false},
			{"payer", text, "Who paid for the call: run:ID, or the name of a caller of the function server.",
				"run:20250114T060000-3f9a1c", false},
		},
	},
	{
		Name: "schema_version", Key: []string{"version"},
		Doc: "The versions that these tables have had. The highest is the present one. A program that supports only lower versions does not write to them.",
		Columns: []Column{
			{"version", bigint, "Version of the tables.", "3", false},
			{"badger", text, "Version of badger that brought the tables to it.", "1.0.0", false},
			{"reached_at", timestamp, "When.", "2025-01-10 12:00:00+00", false},
			{"views", text, "Fingerprints of the views, as JSON: of their text, and of the text that the warehouse shows.",
				`{"agreement": ["51e0…", "9c1d…"]}`, false},
		},
	},
	{
		Name: "judges", Key: []string{"name", "version"},
		Doc: "The promoted judge files. A row never changes.",
		Columns: []Column{
			{"name", text, "Name of the judge.", "money", false},
			{"version", bigint, "Version of the judge.", "1", false},
			{"kind", text, "starlark, expression, prompt, sql, or retired for a version that switches the judge off.",
				"starlark", false},
			{"source", text, "Text of the judge file.", "def process_row(row, config): …", false},
			{"hash", text, "SHA-256 of the text.", "b5bb…", false},
			{"promoted_at", timestamp, "When.", "2025-01-10 12:00:00+00", false},
			{"promoted_by", text, "By whom.", "kim", false},
			{"tested", jsonText, "The test at promotion: agreement with labels, and their number. {\"untested\": true} if it was promoted without a test.", `{"cases": 40, "labelled": 36, "accuracy": 0.94, "kappa": 0.88}`, false},
		},
	},
	{
		Name: "sentinels",
		Key:  []string{"asking_id", "metric", "agent_name", "agent_version", "batch_id", "case_id", "repetition"},
		Doc:  "The verdicts of judges on sentinel cases, which are asked again and again: one row for each asking, metric, case and repetition. Rows are appended and never change. The replies are in assessments.",
		Columns: []Column{
			{"asking_id", text, "The asking: a call of badger judge sentinel, or of badger run.", "20250114T060000-3f9a1c", false},
			{"metric", text, "The metric that asked the judge.", "verdict", false},
			{"case_id", text, "The question.", "orders-01", false},
			{"agent_name", text, "Who answered.", "atlas", false},
			{"agent_version", text, "Version of the agent.", "2.0", false},
			{"batch_id", text, "Batch of the answer.", "2025-01-13", false},
			{"repetition", bigint, "Number of the reply to the same question in the asking, from 1.", "1", false},
			{"backend", text, "Who was asked.", "openai", false},
			{"model", text, "The model that was asked.", "o3", false},
			{"prompt_version", text, "Version of the prompt of the first call. NULL without a reply.", "rose-1", false},
			{"question_hash", text, "Identifies everything apart from the judge that determines the verdict: the first prompt with its settings, and the version and the configuration of the metric. Only verdicts with the same hash are compared. NULL without a reply.", "51e0…", false},
			{"served", jsonText, "The models that replied, as the endpoint reports them: a list of {\"model\", \"fingerprint\"}.", `[{"model": "o3-2025-04-16"}]`, false},
			{"status", text, "Status of the score: ok, abstained, not_applicable or failed.", "ok", false},
			{"code", text, "Kind of failure. NULL unless status is failed.", "", false},
			{"passed", boolean, "The verdict. NULL if there is none.", "true", false},
			{"human_label", boolean, "The human label of the answer when the judge was asked: whether it passes. NULL if it had none.", "true", false},
			{"assessment_ids", jsonText, "The recorded replies.", `["9c1d…"]`, false},
			{"asked_at", timestamp, "When.", "2025-01-14 06:00:02+00", false},
		},
	},
	{
		Name: "run_log", Key: []string{"entry_id"},
		Doc: "The events and failures of evaluations by the warehouse's procedure: one row for each event.",
		Columns: []Column{
			{"entry_id", text, "Identifies the row.", "0b8c6d5e-6d35-4a0e-9b4c-5f2d1f0c7a11", false},
			{"logged_at", timestamp, "When.", "2025-01-14 06:00:03+00", false},
			{"eval_run_id", text, "The run. NULL before a run has started.", "evaluate-20250114T060000-3f9a1c", false},
			{"event", text, "began, resumed, done, idle (there was nothing to score), refused (another evaluation was running), interrupted (the call before did not finish), run failed, slice failed, answer failed, not retried (the answer failed in three calls, and its scores are failed), batch began, batch failed (answers of it have no scores after the call), or alert failed.", "done", false},
			{"case_id", text, "The question, if the event concerns a single answer.", "", false},
			{"answers", bigint, "Number of answers that the event concerns.", "336", false},
			{"message", text, "The message of the database or of badger serve.", "", false},
			{"agent_name", text, "Who answered, if the event concerns an answer or a batch.", "", false},
			{"agent_version", text, "Version of the agent, if the event concerns an answer or a batch.", "", false},
			{"batch_id", text, "The batch, if the event concerns an answer, a batch or a call for one batch.", "", false},
		},
	},
	{
		Name: "schedule", Key: []string{"metric"},
		Doc: "What the scheduled evaluation computes, as of its last call: one row for each metric, and a row whose metric is empty for the schedule itself.",
		Columns: []Column{
			{"metric", text, "The metric. The empty string is the row of the schedule itself.", "", false},
			{"since_day", text, "Answers of this day and later are scored. It only moves on when a call has scored everything. NULL in rows of metrics.", "2024-12-15", false},
			{"pass_rate_drop", double, "Drop of a pass rate, from 0 to 1, that raises an alert. NULL in rows of metrics.", "0.05", false},
		},
	},
	{
		Name: "alerts", Key: []string{"alert_id"},
		Doc: "The alerts: one row for each fact that was reported. A fact is reported again only if it was resolved in between.",
		Columns: []Column{
			{"alert_id", text, "Identifies the alert.", "5b1e0c52-7d0f-4a86-8e55-0d0f4a5b6c7d", false},
			{"kind", text, "run failed (the evaluation fails), backlog (answers of a batch could not be scored) or degraded (fewer answers pass than in the batch before).", "backlog", false},
			{"fact", text, "Identifies the fact: the kind, and the batch, metric or message that it is about.", "backlog: atlas, 2.0, 2025-01-13", false},
			{"agent_name", text, "Who answered. NULL for run failed.", "atlas", false},
			{"agent_version", text, "Version of the agent. NULL unless the kind is backlog.", "2.0", false},
			{"batch_id", text, "The batch. NULL for run failed.", "2025-01-13", false},
			{"metric", text, "The metric. NULL unless the kind is degraded.", "", false},
			{"message", text, "The alert in words.", "56 answers have no scores: badger serve cannot be reached", false},
			{"raised_at", timestamp, "When the fact was first seen.", "2025-01-14 06:00:20+00", false},
			{"resolved_at", timestamp, "When it was no longer true. NULL while it is.", "", false},
			{"sent_at", timestamp, "When the alert was sent, or raised if nothing is sent. NULL if sending failed, which the next call repeats.", "2025-01-14 06:00:20+00", false},
		},
	},
	{
		Name: "run_locks", Key: []string{"name"},
		Doc: "The evaluation that is running, in warehouses without locks: a row for each lock.",
		Columns: []Column{
			{"name", text, "The lock: evaluate.", "evaluate", false},
			{"holder", text, "The call that holds it. NULL if it is free.", "", false},
			{"taken_at", timestamp, "When it was taken.", "2025-01-14 06:00:00+00", false},
			{"beat_at", timestamp,
				"When the holder last renewed it. A lock that was not renewed for schedule.stale minutes may be taken over.",
				"2025-01-14 06:05:00+00", false},
		},
	},
	{
		Name: "claims", Key: []string{"claim_key"},
		Doc: "Current leases: one row for each judge request in progress, and for each annotator who is labelling an answer. Rows are temporary.",
		Columns: []Column{
			{"claim_key", text, "Hash of the request, or label:QUEUE:POSITION:PLACE.", "51e0…", false},
			{"owner", text, "The process that makes the request, or label:ANNOTATOR.", "q2w7…", false},
			{"expires_ms", bigint, "Expiry, in milliseconds since 1970. After it, another process may make the request, or another annotator label the answer.", "1736834462000", false},
		},
	},
	{
		Name: "calls", Key: []string{"call_id"},
		Doc: "Calls of the function server that last longer than a connection, with request and reply. Rows are deleted some time after they expire.",
		Columns: []Column{
			{"call_id", text, "Names the call.", "b5bb…", false},
			{"content_hash", text, "Hash of the request. Another call with the same ID is rejected.", "9c1d…", false},
			{"function", text, "The function.", "rose_json", false},
			{"request", text, "The request.", `["duckdb", "SELECT 1", "SELECT 1"]`, false},
			{"reply", text, "The reply. NULL until there is one, and if it is recomputed from judge replies.", "", false},
			{"expires_ms", bigint, "Expiry of the row, in milliseconds since 1970.", "1736877662000", false},
		},
	},
	{
		Name: "queues", Key: []string{"queue_id"},
		Doc: "The labelling queues: answers of a run for annotators to label, in an order.",
		Columns: []Column{
			{"queue_id", text, "Identifies the queue.", "k7q2w5", false},
			{"name", text, "Title of the queue.", "Nightly failures", false},
			{"eval_run_id", text, "The run whose answers are labelled.", "20250114T060000-3f9a1c", false},
			{"agent_name", text, "Who answered.", "atlas", false},
			{"agent_version", text, "Version of the agent.", "2.0", false},
			{"batch_id", text, "Batch of the answers.", "2025-01-13", false},
			{"filter", text, "The selected answers of the run: the query of the URL of a list of cases.",
				"mode=failed&run=20250114T060000-3f9a1c", false},
			{"ordering", text, "Order of the answers: listed, random, disagreement, unsure or strata.", "random", false},
			{"seed", bigint, "Seed of random choices. The same seed gives the same order.", "1", false},
			{"annotators", bigint, "Number of annotators for each answer.", "2", false},
			{"guideline", text, "Instructions for the annotators.", "Compare the answer with the question, not with the query.",
				false},
			{"options", jsonText, "The verdicts that are offered in addition to skip, in their order.",
				`["pass", "fail", "unsure"]`, false},
			{"blind", boolean, "Whether annotators see no score, verdict, relation or label of others.", "true", false},
			{"reason_required", boolean, "Whether fail needs a note.", "false", false},
			{"cases", bigint, "Number of answers in the queue.", "40", false},
			{"created_by", text, "Who created it.", "kim", false},
			{"created_at", timestamp, "When.", "2025-01-14 08:00:00+00", false},
			{"closed_at", timestamp, "When it was closed. NULL while it is open.", "", false},
		},
	},
	{
		Name: "queue_items", Key: []string{"queue_id", "case_id"},
		Doc: "The answers of the labelling queues. They are fixed when a queue is created.",
		Columns: []Column{
			{"queue_id", text, "The queue.", "k7q2w5", false},
			{"position", bigint, "Place in the queue, from 1.", "1", false},
			{"case_id", text, "The question whose answer is labelled.", "orders-01", false},
		},
	},
	{
		Name: "label_log", Key: []string{"label_id"},
		Doc: "Labels from the web report and from imported files: one row for each label. Rows are appended and never change. The latest row of an annotator for an answer in a queue is used, unless it is skip or withdrawn. If there are several queues, the latest of these is used. It overrides the annotator's label in human_labels.",
		Columns: []Column{
			{"label_id", text, "Identifies the label, as its sender named it. A label that is sent twice is stored once.",
				"6f1c…", false},
			{"case_id", text, "The question whose answer is labelled.", "orders-01", false},
			{"agent_name", text, "Who answered.", "atlas", false},
			{"agent_version", text, "Version of the agent.", "2.0", false},
			{"batch_id", text, "Batch of the answer.", "2025-01-13", false},
			{"annotator", text, "Who labelled the answer.", "kim", false},
			{"verdict", text, "pass, fail, unsure or another option of the queue, which counts as unsure; skip; or withdrawn, if the annotator removed the label.", "pass", false},
			{"note", text, "Why.", "The alias differs, the count is right.", false},
			{"gold_wrong", boolean, "Whether the accepted answer is wrong, apart from the verdict.", "false", false},
			{"ambiguous", boolean, "Whether the question can be understood in several ways, apart from the verdict.", "false",
				false},
			{"labelled_at", timestamp, "When it was received.", "2025-01-14 09:30:00+00", false},
			{"queue_id", text, "The queue. NULL if the answer was labelled outside of a queue.", "k7q2w5", false},
			{"answer_hash", text,
				"Identifies the content that the annotator saw: question, accepted answers and the agent's answer.",
				"0f63a9c2d41e77b8", false},
			{"decides", boolean, "Whether the verdict adjudicates a disagreement. It then overrides the others.", "false",
				false},
		},
	},
	{
		Name: "accepted", Key: []string{"acceptance_id"},
		Doc: "The batches that someone accepted as a baseline: one row for each statement. Rows are appended and never change. The latest row of a batch is used.",
		Columns: []Column{
			{"acceptance_id", text, "Identifies the row.", "k7q2w5", false},
			{"agent_name", text, "Who answered.", "atlas", false},
			{"agent_version", text, "Version of the agent.", "2.0", false},
			{"batch_id", text, "Batch of the answers.", "2025-01-13", false},
			{"withdrawn", boolean, "Whether the row withdraws an earlier acceptance of the batch.", "false", false},
			{"accepted_by", text, "Who accepted or withdrew it.", "kim", false},
			{"accepted_at", timestamp, "When.", "2025-01-14 09:30:00+00", false},
			{"note", text, "Why.", "Checked by hand: 3 known faults.", false},
		},
	},
	{
		Name: "deletions", Key: []string{"deletion_id", "table_name", "eval_run_id"},
		Doc: "The deletions by badger prune: one row for each table, and one for each run whose scores were deleted. Rows have no content of answers, and are never deleted.",
		Columns: []Column{
			{"deletion_id", text, "Identifies the call of badger prune.", "k7q2w5", false},
			{"table_name", text, "The table whose rows were deleted.", "scores", false},
			{"eval_run_id", text, "The run whose scores were deleted as a whole. Empty for other rows.",
				"20250114T060000-3f9a1c", false},
			{"case_id", text, "The case whose rows were deleted. NULL if rows were deleted by age.", "", false},
			{"older_than", timestamp, "The instant before which rows were deleted. NULL if rows of a case were deleted.",
				"2025-10-16 06:00:00+00", false},
			{"row_count", bigint, "Number of rows.", "3416", false},
			{"digest", text, "SHA-256 over the run's deleted scores: their keys, versions, values and hashes, without reasons and evidence. badger prune --digest computes it for a run that has scores.",
				"5f1d…", false},
			{"status", text, "started, or done once the rows are deleted. A row that stays started was interrupted; the next call of badger prune deletes the rest.",
				"done", false},
			{"deleted_by", text, "Who deleted them.", "kim", false},
			{"deleted_at", timestamp, "When.", "2026-01-14 06:00:00+00", false},
		},
	},
}

// TableNamed returns the table with a name, or nil.
func TableNamed(name string) *Table {
	for i := range Tables {
		if Tables[i].Name == name {
			return &Tables[i]
		}
	}
	return nil
}

// FullName returns the table's name with its schema.
func (t *Table) FullName() string { return Schema + "." + t.Name }

func (t *Table) column(name string) *Column {
	for i := range t.Columns {
		if t.Columns[i].Name == name {
			return &t.Columns[i]
		}
	}
	return nil
}
