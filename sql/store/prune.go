package store

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// Expiry selects the rows that [Store.Prune] deletes.
type Expiry struct {
	Before time.Time // rows that are older than this instant
	Case   string    // if not empty, the rows of this case; Before is then ignored
	Labels bool      // also human labels and, by age, closed queues
	Golds  bool      // with Case, also the case's rows of golden_set
}

// Expired is the number of rows of a table that an Expiry selects.
type Expired struct {
	Table string
	Rows  int64
	Runs  int64  // number of runs that the rows belong to, if whole runs are deleted
	Kept  string // why these rows are kept; "" if they are deleted
}

// Reasons why rows are kept.
const (
	keptOwn     = "your own table or view; delete its old rows there"
	keptWriting = "of runs that were writing in the last 24 hours"
)

// stillWriting is the time after its last score during which a run that is not finished may add more.
const stillWriting = 24 * time.Hour

// deletion is a DELETE statement.
type deletion struct {
	table *Table
	run   string // the run whose scores it deletes as a whole; "" if it deletes other rows
	where string
	args  []any
	rows  int64
}

func (d *deletion) from() string { return " FROM " + d.table.FullName() + " WHERE " + d.where }

// count returns the statement for the number of rows that the statement deletes.
func (d *deletion) count() Select[int64] {
	return Select[int64]{What: "reading " + d.table.Name, Fields: only[int64]("COUNT(*)"), From: d.from(), Args: d.args}
}

// Expired returns the rows that Prune would delete at the time now, by table. Tables without such rows are left out.
func (w *Store) Expired(ctx context.Context, e *Expiry, now time.Time) ([]Expired, error) {
	list, out, err := w.deletions(ctx, e, now)
	if err != nil {
		return nil, err
	}
	for i := range list {
		out = addExpired(out, &list[i])
	}
	return out, nil
}

// addExpired adds a deletion to the rows of its table.
func addExpired(out []Expired, d *deletion) []Expired {
	i := slices.IndexFunc(out, func(x Expired) bool { return x.Table == d.table.Name && x.Kept == "" })
	if i < 0 {
		i, out = len(out), append(out, Expired{Table: d.table.Name})
	}
	out[i].Rows += d.rows
	if d.run != "" {
		out[i].Runs++
	}
	return out
}

// Prune deletes the rows that e selects, and records each deletion in the table deletions, under the name by. Scores
// are deleted by age run by run, each run in one statement; other rows in one statement for each table. After an error,
// the next call deletes the rest. It returns the deleted rows by table, also after an error.
func (w *Store) Prune(ctx context.Context, e *Expiry, by string, now time.Time) ([]Expired, error) {
	list, out, err := w.deletions(ctx, e, now)
	if err != nil {
		return nil, err
	}
	entry := deletionEntry{id: strings.ToLower(rand.Text()), of: e, by: by, at: now}
	rows := map[[2]string]int64{} // by table and run: several statements may delete rows of a table
	for i := range list {
		d := &list[i]
		entry.digest = ""
		rows[[2]string{d.table.Name, d.run}] += d.rows
		entry.rows = rows[[2]string{d.table.Name, d.run}]
		if d.run != "" {
			if entry.digest, err = w.Digest(ctx, d.run); err != nil {
				return out, err
			}
		}
		if err := w.recordDeletion(ctx, &entry, d, "started"); err != nil {
			return out, err
		}
		if err := w.decide(ctx, "deleting rows of "+d.table.Name, "DELETE"+d.from(), d.args); err != nil {
			return out, err
		}
		out = addExpired(out, d)
		if err := w.recordDeletion(ctx, &entry, d, "done"); err != nil {
			return out, err
		}
	}
	return out, nil
}

// deletionEntry holds what the rows of the table deletions of one call share, and the digest of the next one.
type deletionEntry struct {
	id, by, digest string
	of             *Expiry
	at             time.Time
	rows           int64 // of all statements so far for the table and the run
}

func (w *Store) recordDeletion(ctx context.Context, r *deletionEntry, d *deletion, status string) error {
	b := newRows("deletions")
	defer b.release()
	before := r.of.Before
	if r.of.Case != "" {
		before = time.Time{}
	}
	b.row(r.id, d.table.Name, d.run, optional(r.of.Case), before, r.rows, optional(r.digest), status, optional(r.by), r.at)
	return b.merge(ctx, w)
}

// Digest returns a SHA-256 of a run's scores, of the sorted hashes of the rows: their keys, versions, statuses, values,
// verdicts and gold hashes, without reasons and evidence. It is equal in every warehouse.
func (w *Store) Digest(ctx context.Context, run string) (string, error) {
	var hashes [][sha256.Size]byte
	var line []byte
	for r, err := range w.Scores(ctx, run) {
		if err != nil {
			return "", err
		}
		value, passed := "", ""
		if r.Score.Status == scoring.StatusOK {
			value = strconv.FormatFloat(r.Score.Value, 'g', -1, 64)
		}
		if r.Score.Passed != nil {
			passed = strconv.FormatBool(*r.Score.Passed)
		}
		line = line[:0]
		for _, text := range []string{r.Agent, r.Version, r.Batch, r.CaseID, r.Score.Metric,
			strconv.Itoa(r.Score.Version), string(r.Score.Status), value, passed, r.GoldHash} {
			line = append(strconv.AppendQuote(line, text), ' ')
		}
		hashes = append(hashes, sha256.Sum256(line))
	}
	slices.SortFunc(hashes, func(a, b [sha256.Size]byte) int { return bytes.Compare(a[:], b[:]) })
	sum := sha256.New()
	for i := range hashes {
		sum.Write(hashes[i][:])
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// deletions returns the statements that delete the selected rows, in an order in which an interrupted call can be
// repeated, and the rows that are kept. Statements that delete no row are left out.
func (w *Store) deletions(ctx context.Context, e *Expiry, now time.Time) (list []deletion, kept []Expired, err error) {
	if e.Case == "" && e.Before.IsZero() {
		return nil, nil, errcode.New(errcode.InvalidArgument, "deleting rows: expected an age or a case")
	}
	f, err := w.Inspect(ctx)
	if err != nil {
		return nil, nil, err
	}
	base, err := w.baseTables(ctx)
	if err != nil {
		return nil, nil, err
	}
	var wanted []deletion
	if e.Case != "" {
		wanted, err = w.ofCase(ctx, e, &f)
	} else {
		wanted, kept, err = w.older(ctx, e, &f, now)
	}
	if err != nil {
		return nil, nil, err
	}
	for i := range wanted {
		d := &wanted[i]
		columns, is := f.Tables[d.table.Name]
		if !is {
			continue
		}
		if d.table.Input && (!base[d.table.Name] || !d.table.madeOf(columns)) {
			if !slices.ContainsFunc(kept, func(x Expired) bool { return x.Table == d.table.Name }) {
				kept = append(kept, Expired{Table: d.table.Name, Kept: keptOwn})
			}
			continue
		}
		if d.run == "" {
			if d.rows, err = first(ctx, w, d.count()); err != nil {
				return nil, nil, err
			}
		}
		if d.rows > 0 {
			list = append(list, *d)
		}
	}
	return list, kept, nil
}

// madeOf reports whether columns are those that badger creates the table with.
func (t *Table) madeOf(columns map[string]FoundColumn) bool {
	return len(columns) == len(t.Columns) && !slices.ContainsFunc(t.Columns, func(c Column) bool {
		return !fits(c.Type, columns[c.Name].Type)
	})
}

// baseTables returns the names of the relations under which badger may have created a table that users fill.
func (w *Store) baseTables(ctx context.Context) (map[string]bool, error) {
	names, err := all(ctx, w, baseTables(w.SQL()))
	out := map[string]bool{}
	for _, name := range names {
		out[name] = true
	}
	return out, err
}

// baseTables returns the dialect's statement for the tables that badger may have created.
func baseTables(d driver.Dialect) Select[string] {
	return Select[string]{What: "looking at badger's tables", Text: d.BaseTables, Fields: only[string]("")}
}

// expiredRun is a run whose scores and start are before an instant.
type expiredRun struct {
	ID      string
	Scores  int64
	Last    time.Time // time of its last score; zero if unknown
	Running bool
}

// expiredRuns returns the statement for the runs whose start and scores all are before an instant.
func expiredRuns(d driver.Dialect, before time.Time) Select[expiredRun] {
	p := arguments{dialect: d}
	return Select[expiredRun]{
		What: readingScores,
		Fields: []field[expiredRun]{
			{SQL: "s.eval_run_id", In: func(r *expiredRun) any { return &r.ID }},
			{SQL: "s.scores", In: func(r *expiredRun) any { return &r.Scores }},
			{SQL: "s.latest", In: func(r *expiredRun) any { return &r.Last }},
			isOne("r.running", func(r *expiredRun) *bool { return &r.Running }),
		},
		From: `
FROM (SELECT eval_run_id, COUNT(*) AS scores, MAX(scored_at) AS latest FROM badger.scores GROUP BY eval_run_id) s
LEFT JOIN (SELECT eval_run_id, MAX(eval_run_date) AS started, MAX(CASE WHEN status = 'running' THEN 1 ELSE 0 END) AS running
  FROM badger.eval_runs GROUP BY eval_run_id) r ON r.eval_run_id = s.eval_run_id
WHERE COALESCE(s.latest, r.started) < ` + p.add(before) + ` AND (r.started IS NULL OR r.started < ` + p.add(before) + `)
ORDER BY s.eval_run_id`,
		Args: p.args,
	}
}

// older returns the statements that delete rows by age. An answer without a time is at least as old as its first
// score. A run's scores are deleted together, once all of them are older: a part of them would give wrong figures.
func (w *Store) older(ctx context.Context, e *Expiry, f *Found, now time.Time) (list []deletion, kept []Expired,
	err error) {
	before := e.Before.UTC()
	add := func(table string, where func(p *arguments) string) {
		p := arguments{dialect: w.SQL()}
		text := where(&p)
		list = append(list, deletion{table: TableNamed(table), where: text, args: p.args})
	}
	by := func(table, column string, at any) {
		add(table, func(p *arguments) string { return column + " < " + p.add(at) })
	}
	by("assessments", "created_at", before)
	by("calls", "expires_ms", before.UnixMilli())
	by("agent_runs", "ran_at", before)
	if _, scored := f.Tables["scores"]; scored {
		add("agent_runs", func(p *arguments) string { return undated(p, before) })
		runs, err := all(ctx, w, expiredRuns(w.SQL(), before))
		if err != nil {
			return nil, nil, err
		}
		writing := Expired{Table: "scores", Kept: keptWriting}
		for _, r := range runs {
			if r.Running && now.Sub(r.Last) < stillWriting {
				writing.Rows, writing.Runs = writing.Rows+r.Scores, writing.Runs+1
				continue
			}
			add("scores", func(p *arguments) string {
				return "eval_run_id = " + p.add(r.ID) + " AND NOT EXISTS (SELECT 1 FROM badger.scores WHERE eval_run_id = " +
					p.add(r.ID) + " AND scored_at >= " + p.add(before) + ")"
			})
			list[len(list)-1].run, list[len(list)-1].rows = r.ID, r.Scores
		}
		if writing.Runs > 0 {
			kept = append(kept, writing)
		}
	}
	by("sentinels", "asked_at", before)
	by("run_log", "logged_at", before)
	if e.Labels {
		by("human_labels", "labelled_at", before)
		by("label_log", "labelled_at", before)
		add("queue_items", func(p *arguments) string {
			return "queue_id IN (SELECT queue_id FROM badger.queues WHERE closed_at < " + p.add(before) + ")"
		})
		by("queues", "closed_at", before)
	}
	return list, kept, nil
}

// undated is the condition for the answers without a time that were scored before an instant.
func undated(p *arguments, before time.Time) string {
	return `ran_at IS NULL AND EXISTS (SELECT 1 FROM (SELECT agent_name AS s_agent, agent_version AS s_version, batch_id AS s_batch, case_id AS s_case
  FROM badger.scores WHERE scored_at < ` + p.add(before) + `) s WHERE s.s_agent = COALESCE(agent_name, '') AND s.s_version = COALESCE(agent_version, '')
  AND s.s_batch = COALESCE(batch_id, '') AND s.s_case = case_id)`
}

// ofCase returns the statements that delete the rows of a case. The replies of judges come first, as other rows name
// them.
func (w *Store) ofCase(ctx context.Context, e *Expiry, f *Found) (list []deletion, err error) {
	ids, err := w.assessmentsOf(ctx, e.Case, f)
	if err != nil {
		return nil, err
	}
	for some := range slices.Chunk(ids, 500) {
		p := arguments{dialect: w.SQL()}
		list = append(list,
			deletion{table: TableNamed("assessments"), where: "assessment_id IN (" + p.list(some) + ")", args: p.args})
	}
	tables := []string{"agent_runs", "scores", "sentinels", "run_log"}
	if e.Labels {
		tables = append(tables, "human_labels", "label_log", "queue_items")
	}
	if e.Golds {
		tables = append(tables, "golden_set")
	}
	for _, name := range tables {
		list = append(list,
			deletion{table: TableNamed(name), where: "case_id = " + w.SQL().Param(1), args: []any{e.Case}})
	}
	return list, nil
}

// Traces are the parts of a case by which files are searched for it.
type Traces struct {
	Assessments []string // IDs of the judges' replies that its scores and sentinels name
	Queries     []string // accepted queries and those of answers, as they are in the tables
}

// Traces returns the traces of a case in the tables.
func (w *Store) Traces(ctx context.Context, caseID string) (t Traces, err error) {
	f, err := w.Inspect(ctx)
	if err != nil {
		return t, err
	}
	if t.Assessments, err = w.assessmentsOf(ctx, caseID, &f); err != nil {
		return t, err
	}
	r := f.Reader(w.SQL())
	for _, c := range [][2]string{{"agent_runs", "sql"}, {"golden_set", "gold_sql"}, {"golden_set", "alternatives"}} {
		if _, is := f.Tables[c[0]]; !is {
			continue
		}
		texts, err := all(ctx, w, r.textsOf(c[0], c[1], caseID))
		if err != nil {
			return t, err
		}
		for _, text := range texts {
			var more []scoring.Alternative
			switch {
			case c[1] != "alternatives":
				t.Queries = append(t.Queries, text)
			case json.Unmarshal([]byte(text), &more) == nil:
				for i := range more {
					t.Queries = append(t.Queries, more[i].SQL)
				}
			}
		}
	}
	t.Queries = slices.DeleteFunc(t.Queries, func(text string) bool { return text == "" })
	return t, nil
}

// textsOf returns the statement for the values of a column in the rows of a case.
func (r Reader) textsOf(table, column, caseID string) Select[string] {
	return Select[string]{
		What: "reading " + table, Fields: only[string](r.Text(table, column)), Args: []any{caseID},
		From: " FROM badger." + table + " WHERE " + r.Text(table, "case_id") + " = " + r.Dialect.Param(1),
	}
}

// assessmentsOf returns the IDs of the judges' replies that the scores and sentinels of a case name, without
// duplicates.
func (w *Store) assessmentsOf(ctx context.Context, caseID string, f *Found) (ids []string, err error) {
	for _, table := range []string{"scores", "sentinels"} {
		if _, is := f.Tables[table]; !is {
			continue
		}
		for some, err := range Rows(ctx, w, assessmentIDs(w.SQL(), table, caseID)) {
			if err != nil {
				return nil, err
			}
			ids = append(ids, some...)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// assessmentIDs returns the statement for the judges' replies that each row of a case in a table names.
func assessmentIDs(d driver.Dialect, table, caseID string) Select[[]string] {
	return Select[[]string]{
		What: "reading " + table, Args: []any{caseID},
		Fields: []field[[]string]{{SQL: "assessment_ids", Decode: func(ids *[]string, v scoring.Value) error {
			*ids = nil
			return readJSON(table+".assessment_ids", v, ids)
		}}},
		From: " FROM badger." + table + " WHERE assessment_ids IS NOT NULL AND case_id = " + d.Param(1),
	}
}

// ParseAge parses an age such as 90d, 12w or 36h.
func ParseAge(text string) (time.Duration, error) {
	units := map[string]time.Duration{"h": time.Hour, "d": 24 * time.Hour, "w": 7 * 24 * time.Hour}
	for unit, size := range units {
		digits, is := strings.CutSuffix(text, unit)
		if !is {
			continue
		}
		if n, err := strconv.ParseUint(digits, 10, 16); err == nil && n > 0 {
			return time.Duration(n) * size, nil
		}
	}
	return 0, errcode.New(errcode.InvalidArgument, "%.40q; expected an age of at most 65535 units, such as 90d, 12w or 36h",
		text)
}
