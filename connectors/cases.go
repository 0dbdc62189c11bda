package connectors

import (
	"context"
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/natural"
	"github.com/badger-eval/badger/scoring"
	badgersql "github.com/badger-eval/badger/sql"
)

// Filter chooses among the answers in agent_runs. Empty fields choose all.
type Filter struct {
	Agent      string
	Version    string
	Batch      string
	SetVersion string // of the golden set; empty: each question in the highest version that has it, by [SetVersions]
}

// Answer is one row of Cases: a case, or the reason why it cannot be read, with whose it is.
type Answer struct {
	scoring.AnswerID
	SetVersion string // of the golden set that the question was taken from
	InSet      bool   // whether the golden set has the question
	Case       *scoring.Case
	Err        error // why the row is no case; other rows go on
}

// Columns of agent_runs and golden_set that Cases reads behind those of the key, in this order.
var (
	answerKey     = strings.Fields("case_id agent_name agent_version batch_id set_version copies")
	runColumns    = strings.Fields("interpretation sql result sql_error tool_calls response latency_ms gold_latency_ms conversation_id turn")
	goldenColumns = strings.Fields("question evidence schema_ddl dialect gold_sql gold_result expected_tools expected_clarifications expected_behaviour tags " +
		"gold_latency_ms gold_error alternatives database_name metric_options")
)

// answersQuery writes queries over golden_set, agent_runs and human_labels, with their arguments in
// the order of the text.
type answersQuery struct {
	badgersql.Reader
	labelled bool // human_labels is there
	plain    bool // case ids are text that the engine itself compares by its bytes, so that it can look them up
	versions []string
	args     []any
}

func (q *answersQuery) param(v any) string {
	q.args = append(q.args, v)
	return q.Dialect.Param(len(q.args))
}

// keyRange is a range of case ids within the answers of one version of an agent in one batch.
type keyRange struct {
	agent, version, batch string
	first, last           string
}

const inOrder = " ORDER BY r.agent_name, r.agent_version, r.batch_id, r.case_id"

// runs are the rows of agent_runs with their keys as text.
func (q *answersQuery) runs(columns []string) string {
	out := []string{"case_id AS raw_id"}
	for _, key := range []string{"agent_name", "agent_version", "batch_id", "case_id"} {
		out = append(out, q.Key("agent_runs", key)+" AS "+key)
	}
	for _, c := range columns {
		out = append(out, q.Column("agent_runs", c)+" AS "+c)
	}
	return "(SELECT " + strings.Join(out, ", ") + " FROM badger.agent_runs) r"
}

// golden is one row for each question: of the version that is asked for, or of the highest that has
// the question. copies says how many rows there are of the question in that version.
func (q *answersQuery) golden(f Filter, r *keyRange) string {
	columns := []string{"case_id AS raw_id", q.Key("golden_set", "case_id") + " AS case_id", q.Key("golden_set", "set_version") + " AS set_version"}
	for _, c := range goldenColumns {
		columns = append(columns, q.Column("golden_set", c)+" AS "+c)
	}
	out := "(SELECT * FROM (SELECT k.*, COUNT(*) OVER (PARTITION BY case_id, set_version) AS copies, ROW_NUMBER() OVER (PARTITION BY case_id ORDER BY " +
		q.rank() + " DESC) AS choice FROM (SELECT " + strings.Join(columns, ", ") + " FROM badger.golden_set) k WHERE " + q.within("k", r)
	if f.SetVersion != "" {
		out += " AND set_version = " + q.param(f.SetVersion)
	}
	return out + ") c WHERE choice = 1) g"
}

// rank numbers the versions of the golden set in their order.
func (q *answersQuery) rank() string {
	if len(q.versions) < 2 {
		return "set_version"
	}
	out := "CASE set_version"
	for i, v := range q.versions {
		out += " WHEN " + q.param(v) + " THEN " + strconv.Itoa(i)
	}
	return out + " ELSE -1 END"
}

// within is the condition that a case id is in the range. Where it can, it says so of the column
// itself too, which spares the engine reading what lies outside.
func (q *answersQuery) within(table string, r *keyRange) string {
	if r == nil {
		return "1 = 1"
	}
	cond := table + ".case_id BETWEEN " + q.param(r.first) + " AND " + q.param(r.last)
	if q.plain && r.first != "" { // NULL is read as the empty text
		cond += " AND " + table + ".raw_id BETWEEN " + q.param(r.first) + " AND " + q.param(r.last)
	}
	return cond
}

// where is the condition on the rows of agent_runs.
func (q *answersQuery) where(f Filter, r *keyRange) string {
	conds := []string{}
	equal := func(column, v string) { conds = append(conds, "r."+column+" = "+q.param(v)) }
	if r != nil {
		equal("agent_name", r.agent)
		equal("agent_version", r.version)
		equal("batch_id", r.batch)
		return " WHERE " + strings.Join(append(conds, q.within("r", r)), " AND ")
	}
	for _, c := range []struct{ column, value string }{{"agent_name", f.Agent}, {"agent_version", f.Version}, {"batch_id", f.Batch}} {
		if c.value != "" {
			equal(c.column, c.value)
		}
	}
	if len(conds) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(conds, " AND ")
}

// cases joins the answers with their questions and with what people said of them. An answer whose
// question is not in the golden set is still a case, without gold, unless a version of the set is
// asked for. Several answers of one key are ordered too, so that every run takes the same one as
// the first.
func (q *answersQuery) cases(f Filter, r *keyRange) string {
	columns := []string{"r.case_id AS case_id", "r.agent_name AS agent_name", "r.agent_version AS agent_version", "r.batch_id AS batch_id", "g.set_version", "g.copies"}
	for _, c := range runColumns {
		columns = append(columns, "r."+c)
	}
	for _, c := range goldenColumns {
		columns = append(columns, "g."+c)
	}
	join := " LEFT JOIN "
	if f.SetVersion != "" {
		join = " JOIN "
	}
	passes, labels := "CAST(NULL AS "+q.Dialect.Types[driver.BigInt]+")", ""
	from := q.runs(append(slices.Clone(runColumns), "ran_at")) + join + q.golden(f, r) + " ON g.case_id = r.case_id"
	if q.labelled {
		passes = "l.passes"
		labels = " LEFT JOIN (" + q.Consensus(q.within("k", r), q.within("k", r)) +
			") l ON l.case_id = r.case_id AND l.agent_name = r.agent_name AND l.agent_version = r.agent_version AND l.batch_id = r.batch_id"
	}
	return "SELECT " + strings.Join(columns, ", ") + ", " + passes + " FROM " + from + labels + q.where(f, r) + inOrder + ", r.ran_at, r.sql"
}

const readingCases = "reading cases"

// query finds out which columns users' tables have and in which order the versions of the golden
// set are.
func (w *Warehouse) query(ctx context.Context) (answersQuery, error) {
	q := answersQuery{Reader: badgersql.Reader{Dialect: w.dialect, Missing: map[string]bool{}}}
	for _, name := range []string{"agent_runs", "golden_set", "human_labels"} {
		t := badgersql.TableNamed(name)
		there, err := w.columns(ctx, t)
		if errcode.Of(err) == errcode.NotFound && name == "human_labels" {
			continue
		}
		if errcode.Of(err) == errcode.NotFound {
			return q, errcode.New(errcode.NotFound, "%s: there is no table or view %s; docs/tables.md says what is in it, and how to make it from tables of your own: %w", readingCases, t.FullName(), err)
		}
		if err != nil {
			return q, err
		}
		q.labelled = name == "human_labels"
		for _, c := range t.Columns {
			if there[c.Name] {
				continue
			}
			q.Missing[name+"."+c.Name] = true
			if c.Required {
				return q, errcode.New(errcode.FailedPrecondition, "%s: %s has no column %s (%s); docs/tables.md describes the table", readingCases, t.FullName(), c.Name, c.Type)
			}
		}
	}
	sets, err := w.setVersions(ctx, &q)
	for _, s := range sets {
		q.versions = append(q.versions, s.Version)
	}
	return q, err
}

// columns are the names of a table's columns, in lower case.
func (w *Warehouse) columns(ctx context.Context, t *badgersql.Table) (there map[string]bool, err error) {
	err = w.use("looking at "+t.FullName(), func() error {
		rows, err := w.conn.Query(ctx, "SELECT * FROM "+t.FullName()+" WHERE 1 = 0")
		if err != nil {
			return err
		}
		defer rows.Release()
		there = map[string]bool{}
		for _, f := range rows.Schema().Fields() {
			there[strings.ToLower(f.Name)] = true
		}
		return nil
	})
	return there, err
}

// Missing lists the columns that the tables of answers, questions and labels do not have, such as
// agent_runs.turn. They are read as NULL.
func (w *Warehouse) Missing(ctx context.Context) ([]string, error) {
	q, err := w.query(ctx)
	return slices.Sorted(maps.Keys(q.Missing)), err
}

// SetVersion is a version of the golden set.
type SetVersion struct {
	Version   string
	Questions int64
}

// SetVersions lists the versions of the golden set, the lowest first. They are ordered as people
// order them: runs of digits count as numbers, so that v9 comes before v10 and 2024-9 before
// 2024-10. A version without a name comes first.
func (w *Warehouse) SetVersions(ctx context.Context) ([]SetVersion, error) {
	q, err := w.query(ctx)
	if err != nil {
		return nil, err
	}
	return w.setVersions(ctx, &q)
}

func (w *Warehouse) setVersions(ctx context.Context, q *answersQuery) ([]SetVersion, error) {
	var out []SetVersion
	query := "SELECT set_version, COUNT(*) FROM (SELECT " + q.Key("golden_set", "set_version") + " AS set_version FROM badger.golden_set) k GROUP BY set_version"
	err := w.each(ctx, readingCases, query, nil, func(t *scoring.Table, row int) bool {
		r := record{t: t, row: row}
		out = append(out, SetVersion{r.text(0), r.count(1)})
		return true
	})
	slices.SortFunc(out, func(a, b SetVersion) int { return natural.Compare(a.Version, b.Version) })
	return out, err
}

// Cases streams the answers with their questions, in the order of agent, version, batch and case,
// holding few of them at a time. The error is one of the warehouse and ends the stream; an answer
// that cannot be read is an [Answer] that says so.
func (w *Warehouse) Cases(ctx context.Context, f Filter) iter.Seq2[Answer, error] {
	return func(yield func(Answer, error) bool) {
		layout, err := w.query(ctx)
		ranges := []*keyRange{nil}
		if err == nil && w.dialect.Embedded { // sorting and joining all results at once would take the memory of all
			layout.plain = w.comparesPlainly(ctx, &layout)
			ranges, err = w.keyRanges(ctx, layout, f)
		}
		if err != nil {
			yield(Answer{}, err)
			return
		}
		for _, r := range ranges {
			q := layout
			query := q.cases(f, r)
			more := true
			err := w.each(ctx, readingCases, query, q.args, func(t *scoring.Table, row int) bool {
				more = yield(answer(t, row), nil)
				return more
			})
			if !more {
				return
			}
			if err != nil {
				yield(Answer{}, err)
				return
			}
		}
	}
}

// rangeCases is how many answers are read at once from an embedded engine, and rangeBytes how long
// their results may be.
const (
	rangeCases = 5000
	rangeBytes = 16 << 20
)

// keyRanges cuts the answers into ranges of about so many, from their keys alone. Keys are text
// that compares by its bytes, whatever the type of the user's column is, so that the ranges are the
// same here and in the engine.
func (w *Warehouse) keyRanges(ctx context.Context, q answersQuery, f Filter) ([]*keyRange, error) {
	var out []*keyRange
	var r *keyRange
	n, bytes := int64(0), int64(0)
	query := "SELECT agent_name, agent_version, batch_id, case_id, LENGTH(CAST(result AS " + w.dialect.Types[driver.Text] + ")) FROM " + q.runs([]string{"result"}) + q.where(f, nil) + inOrder
	err := w.each(ctx, readingCases, query, q.args, func(t *scoring.Table, row int) bool {
		k := record{t: t, row: row}
		agent, version, batch, id := k.text(0), k.text(1), k.text(2), k.text(3)
		same := r != nil && r.agent == agent && r.version == version && r.batch == batch
		switch {
		case same && id == r.last:
			// another answer of the same key, which must not be cut off
		case same && n < rangeCases && bytes < rangeBytes:
			r.last = id
		default:
			r, n, bytes = &keyRange{agent: agent, version: version, batch: batch, first: id, last: id}, 0, 0
			out = append(out, r)
		}
		n++
		bytes += k.count(4)
		return true
	})
	return out, err
}

// Questions lists the ids of the questions of the golden set, or of one version where the filter
// names one.
func (w *Warehouse) Questions(ctx context.Context, f Filter) (ids []string, err error) {
	q, err := w.query(ctx)
	if err != nil {
		return nil, err
	}
	query := "SELECT DISTINCT case_id FROM (SELECT " + q.Key("golden_set", "case_id") + " AS case_id, " + q.Key("golden_set", "set_version") + " AS set_version FROM badger.golden_set) k"
	if f.SetVersion != "" {
		query += " WHERE set_version = " + q.param(f.SetVersion)
	}
	err = w.each(ctx, "reading golden_set", query+" ORDER BY case_id", q.args, func(t *scoring.Table, row int) bool {
		r := &record{t: t, row: row}
		ids = append(ids, r.text(0))
		return true
	})
	return ids, err
}

// comparesPlainly tells whether the case ids are text without a collation: the engine is asked what
// it makes of letters under the columns' own. Letters are an error under columns of another type.
func (w *Warehouse) comparesPlainly(ctx context.Context, q *answersQuery) bool {
	tables := []string{"agent_runs", "golden_set"}
	if q.labelled {
		tables = append(tables, "human_labels")
	}
	for _, table := range tables {
		id := func(text string) string {
			return "COALESCE((SELECT case_id FROM badger." + table + " WHERE 1 = 0), '" + text + "')"
		}
		t, err := w.Query(ctx, "SELECT "+id("a")+" = 'A' OR "+id("é")+" = 'e' OR "+id("a")+" < 'B'")
		if err != nil || t.Columns[0].Value(0).IsNull() || t.Columns[0].Value(0).Bool() {
			return false
		}
	}
	return true
}

// Count is the number of answers that a filter chooses. It is counted from agent_runs alone, so
// that it tells whether [Warehouse.Cases] read them all.
func (w *Warehouse) Count(ctx context.Context, f Filter) (int64, error) {
	q, err := w.query(ctx)
	if err != nil {
		return 0, err
	}
	query := "SELECT COUNT(*) FROM " + q.runs(nil) + q.where(f, nil)
	if f.SetVersion != "" {
		and := " WHERE "
		if f.Agent != "" || f.Version != "" || f.Batch != "" {
			and = " AND "
		}
		query += and + "r.case_id IN (SELECT " + q.Key("golden_set", "case_id") + " FROM badger.golden_set WHERE " + q.Key("golden_set", "set_version") + " = " + q.param(f.SetVersion) + ")"
	}
	n := int64(0)
	err = w.each(ctx, readingCases, query, q.args, func(t *scoring.Table, row int) bool {
		n = (&record{t: t, row: row}).count(0)
		return true
	})
	return n, err
}

// record reads the cells of one row by position.
type record struct {
	t   *scoring.Table
	row int
	err error
}

// text is a cell's text, a copy: the table it came from is not kept.
func (r *record) text(c int) string {
	if v := r.t.Columns[c].Value(r.row); !v.IsNull() {
		return strings.Clone(v.String())
	}
	return ""
}

func (r *record) json(c int, what string, into any) {
	if s := r.text(c); s != "" && r.err == nil && json.Unmarshal([]byte(s), into) != nil { // its error would show the text
		r.fail("%s cannot be read: expected JSON in the form that docs/tables.md shows", what)
	}
}

// count is a cell's whole number, 0 for NULL. Engines count in types of their own.
func (r *record) count(c int) int64 {
	n, err := strconv.ParseInt(r.text(c), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

func (r *record) fail(format string, args ...any) {
	if r.err == nil {
		r.err = errcode.New(errcode.InvalidArgument, format, args...)
	}
}

func answer(t *scoring.Table, i int) Answer {
	r := &record{t: t, row: i}
	cells := func(first int, columns []string) scoring.Cells {
		return func(column string) string {
			if k := slices.Index(columns, column); k >= 0 {
				return r.text(first + k)
			}
			return ""
		}
	}
	of, golden := len(answerKey), len(answerKey)+len(runColumns)
	ofRun, ofKey, ofGolden := cells(of, runColumns), cells(0, answerKey), cells(golden, goldenColumns)
	either := func(a, b scoring.Cells) scoring.Cells {
		return func(column string) string { return a(column) + b(column) }
	} // they share no column
	a := Answer{
		AnswerID:   scoring.AnswerID{CaseID: r.text(0), Agent: r.text(1), Version: r.text(2), Batch: r.text(3)},
		SetVersion: r.text(4), InSet: r.count(5) > 0,
	}
	if a.Case, a.Err = scoring.CaseOfRows(either(ofKey, ofRun), either(ofKey, ofGolden), r.count(5)); a.Err != nil {
		return a
	}
	if passes := r.text(golden + len(goldenColumns)); passes != "" {
		human := passes == "1"
		a.Case.Human = &human
	}
	return a
}
