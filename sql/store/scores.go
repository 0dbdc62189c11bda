package store

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// Run is a row of eval_runs: one evaluation of one version of an agent.
type Run struct {
	scoring.RunID
	Started      time.Time
	Mode         string // text2sql_only, agentic_only or both
	Config       string // JSON
	Judge        string
	Versions     string    // JSON: versions of badger and of the metrics
	Counts       string    // JSON: scores by status
	Tokens, Cost string    // JSON
	Status       string    // running, done, stopped or failed
	Answered     time.Time // when the last of the answers was given; zero if unknown. It is written and not read.
}

// WriteRuns writes rows of eval_runs. Existing rows with the same keys are replaced.
func (w *Store) WriteRuns(ctx context.Context, runs ...Run) error {
	b := newRows("eval_runs")
	defer b.release()
	for _, r := range runs {
		b.row(r.ID, r.Agent, r.Version, r.Batch, r.Started, r.Mode, r.Config, r.Judge, r.Versions, r.Counts, r.Tokens, r.Cost,
			r.Status, r.Answered)
	}
	return b.merge(ctx, w)
}

// FillKeys replaces NULL, which other programs wrote into the keys of a run's scores and rows of eval_runs, with the
// empty string, so that new rows replace these rows. If a unique index rejects that because both forms exist, the rows
// are unchanged.
func (w *Store) FillKeys(ctx context.Context, runID string) error {
	for _, name := range []string{"scores", "eval_runs"} {
		query := TableNamed(name).fillKey(w.SQL())
		if err := w.Use("writing "+name, func(conn driver.Conn) error { return conn.Exec(ctx, query, runID) }); err != nil &&
			errcode.Of(err) != errcode.AlreadyExists {
			return err
		}
	}
	return nil
}

// WriteScores merges scores by their key: run, agent, version, batch, case and metric. Either all are written, or none
// and an error is returned.
func (w *Store) WriteScores(ctx context.Context, runID, configHash string, at time.Time, rows []scoring.Row) error {
	b, err := scoreRows(runID, configHash, at, rows)
	if err != nil {
		return err
	}
	defer b.release()
	return b.merge(ctx, w)
}

// scoreRows returns scores as rows of the table. As there may be millions of them, values are appended without
// interfaces.
func scoreRows(runID, configHash string, at time.Time, rows []scoring.Row) (*rows, error) {
	b := newRows("scores")
	for i := range rows {
		r, s := &rows[i], &rows[i].Score
		if r.Repeat != 0 {
			b.release()
			return nil, errcode.New(errcode.Unimplemented, "case %q: answer number %d to the same question, expected the first: the table scores holds one answer to a question in a batch; put each of the others into a separate batch", r.CaseID, r.Repeat.Number())
		}
		b.text(runID)
		b.text(r.CaseID)
		b.text(r.Agent)
		b.text(r.Version)
		b.text(r.Batch)
		b.text(s.Metric)
		b.number(int64(s.Version))
		b.text(string(s.Status))
		if s.Status == scoring.StatusOK {
			b.double(s.Value)
		} else {
			b.null()
		}
		b.textOrNull(s.Label)
		if s.Passed != nil {
			b.boolean(*s.Passed)
		} else {
			b.null()
		}
		b.text(s.Reason)
		b.json(s.Detail, s.Detail != nil)
		b.json(s.AssessmentIDs, len(s.AssessmentIDs) > 0)
		b.text(configHash)
		b.instant(at)
		if s.Status == scoring.StatusFailed {
			b.text(s.Code.String())
		} else {
			b.null()
		}
		b.json(s.Usage, s.Usage != nil)
		b.textOrNull(r.GoldHash)
		b.textOrNull(r.AnswerHash)
		if err := b.end(); err != nil {
			b.release()
			return nil, errcode.New(errcode.Internal, "case %q, metric %s: the detail is not JSON: %w", r.CaseID, s.Metric, err)
		}
	}
	return b, nil
}

func optional(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// keyOfRow are the columns of the key of a score's answer.
var keyOfRow = fieldsIn(caseFirst, func(r *scoring.Row) *scoring.AnswerID { return &r.AnswerID })

// resultFields are the columns of a metric's result.
var resultFields = []field[scoring.Row]{
	{SQL: "metric", In: func(r *scoring.Row) any { return &r.Score.Metric }},
	{SQL: "metric_version", In: func(r *scoring.Row) any { return &r.Score.Version }},
	{SQL: "status", In: func(r *scoring.Row) any { return (*string)(&r.Score.Status) }},
	{SQL: "value", In: func(r *scoring.Row) any { return &r.Score.Value }},
	{SQL: "label", In: func(r *scoring.Row) any { return &r.Score.Label }},
	{SQL: "passed", In: func(r *scoring.Row) any { return &r.Score.Passed }},
	{SQL: "reason", In: func(r *scoring.Row) any { return &r.Score.Reason }},
}

var codeField = field[scoring.Row]{SQL: "code", Decode: func(r *scoring.Row, v scoring.Value) error {
	if r.Score.Status == scoring.StatusFailed {
		r.Score.Code = errcode.Named(textIn(v))
	}
	return nil
}}

var usageField = field[scoring.Row]{SQL: "usage",
	Decode: func(r *scoring.Row, v scoring.Value) error { return readJSON("scores.usage", v, &r.Score.Usage) }}

// scoreFields are the columns of a score without its evidence.
var scoreFields = append(slices.Concat(keyOfRow, resultFields), codeField, usageField)

// heldFields are scoreFields and the hashes, which tables of earlier versions lack.
var heldFields = append(slices.Clone(scoreFields), goldHashField,
	field[scoring.Row]{SQL: "answer_hash", In: func(r *scoring.Row) any { return &r.AnswerHash }})

var goldHashField = field[scoring.Row]{SQL: "gold_hash", In: func(r *scoring.Row) any { return &r.GoldHash }}

// Scores streams the scores of a run, ordered by answer and metric, without their evidence: detail and assessments.
func (w *Store) Scores(ctx context.Context, runID string) iter.Seq2[scoring.Row, error] {
	return Rows(ctx, w, OfRun{RunID: scoring.RunID{ID: runID}}.scores(w.SQL(), heldFields))
}

var configOfRun = field[Run]{SQL: "config", In: func(r *Run) any { return &r.Config }}

// runFields are the columns of a row of eval_runs.
var runFields = append(
	fieldsIn(runIDFields, func(r *Run) *scoring.RunID { return &r.RunID }),
	field[Run]{SQL: "eval_run_date", In: func(r *Run) any { return &r.Started }},
	field[Run]{SQL: "mode", In: func(r *Run) any { return &r.Mode }},
	configOfRun,
	field[Run]{SQL: "judge", In: func(r *Run) any { return &r.Judge }},
	field[Run]{SQL: "versions", In: func(r *Run) any { return &r.Versions }},
	field[Run]{SQL: "counts", In: func(r *Run) any { return &r.Counts }},
	field[Run]{SQL: "tokens", In: func(r *Run) any { return &r.Tokens }},
	field[Run]{SQL: "cost", In: func(r *Run) any { return &r.Cost }},
	field[Run]{SQL: "status", In: func(r *Run) any { return &r.Status }},
)

// Runs lists the rows of eval_runs with a run ID.
func (w *Store) Runs(ctx context.Context, runID string) (out []Run, err error) {
	out, err = all(ctx, w, rowsOfRun(w.SQL(), runID))
	for i := range out {
		out[i].ID = runID
	}
	return out, err
}

// rowsOfRun returns the statement for the rows of eval_runs with a run ID, without that column.
func rowsOfRun(d driver.Dialect, runID string) Select[Run] {
	return Select[Run]{
		What: readingRuns, Fields: runFields[1:], Args: []any{runID},
		From: `
FROM badger.eval_runs WHERE eval_run_id = ` + d.Param(1) + " ORDER BY agent_name, agent_version, batch_id",
	}
}

// LatestRuns returns the IDs of the n latest runs, the latest first.
func (w *Store) LatestRuns(ctx context.Context, n int) ([]string, error) {
	var out []string
	for r, err := range Rows(ctx, w, latestRuns()) {
		if err != nil {
			return out, err
		}
		if out = append(out, r.ID); len(out) >= n {
			break
		}
	}
	return out, nil
}

// LastRun is the latest run.
type LastRun struct {
	ID      string
	Started time.Time // zero if unknown
	Done    bool      // all of its rows are done
}

// LastRun returns the latest run, or nil if there is none.
func (w *Store) LastRun(ctx context.Context) (run *LastRun, err error) {
	last, found, err := firstIfAny(ctx, w, latestRuns())
	if !found {
		return nil, err
	}
	return &last, nil
}

// latestRuns returns the statement for the IDs of the runs, their start, and whether all of their rows are done, the
// latest first.
func latestRuns() Select[LastRun] {
	return Select[LastRun]{
		What: readingRuns,
		Fields: []field[LastRun]{
			{SQL: "eval_run_id", In: func(r *LastRun) any { return &r.ID }},
			{SQL: "MAX(eval_run_date) AS started", In: func(r *LastRun) any { return &r.Started }},
			isOne("MIN(CASE WHEN status = 'done' THEN 1 ELSE 0 END) AS done", func(r *LastRun) *bool { return &r.Done }),
		},
		From: `
FROM badger.eval_runs GROUP BY eval_run_id ORDER BY 2 DESC, 1 DESC`,
	}
}

// rows builds Arrow rows for one of badger's tables.
type rows struct {
	table *Table
	build *array.RecordBuilder
	n     int
	at    int   // index of the column of the next value
	err   error // first error of a value in the row
}

var arrowTypes = map[driver.Type]arrow.DataType{
	driver.Text: arrow.BinaryTypes.String, driver.JSON: arrow.BinaryTypes.String,
	driver.BigInt: arrow.PrimitiveTypes.Int64, driver.Double: arrow.PrimitiveTypes.Float64,
	driver.Decimal:   &arrow.Decimal128Type{Precision: 38, Scale: 12},
	driver.Boolean:   arrow.FixedWidthTypes.Boolean,
	driver.Timestamp: &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"},
}

func newRows(table string) *rows { return rowsOf(TableNamed(table)) }

func rowsOf(t *Table) *rows {
	fields := make([]arrow.Field, len(t.Columns))
	for i, c := range t.Columns {
		fields[i] = arrow.Field{Name: c.Name, Type: arrowTypes[c.Type], Nullable: true}
	}
	return &rows{table: t, build: array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema(fields, nil))}
}

func (b *rows) release() { b.build.Release() }

// The following methods each append one value of a row, in the order of the columns; end completes the row. JSON text
// is copied unchanged.

func (b *rows) next() array.Builder {
	b.at++
	return b.build.Field(b.at - 1)
}

func (b *rows) null()            { b.next().AppendNull() }
func (b *rows) number(n int64)   { b.next().(*array.Int64Builder).Append(n) }       //nolint:forcetypeassert // the table says so
func (b *rows) double(x float64) { b.next().(*array.Float64Builder).Append(x) }     //nolint:forcetypeassert // the table says so
func (b *rows) boolean(x bool)   { b.next().(*array.BooleanBuilder).Append(x) }     //nolint:forcetypeassert // the table says so
func (b *rows) text(s string)    { b.next().(*array.StringBuilder).Append(utf(s)) } //nolint:forcetypeassert // the table says so
func (b *rows) instant(t time.Time) {
	to := b.next().(*array.TimestampBuilder) //nolint:forcetypeassert // the table says so
	if t.IsZero() {
		to.AppendNull()
		return
	}
	to.Append(arrow.Timestamp(t.UnixMicro()))
}

func (b *rows) textOrNull(s string) {
	if s == "" {
		b.null()
		return
	}
	b.text(s)
}

func (b *rows) json(v any, there bool) {
	if !there {
		b.null()
		return
	}
	text, ok := v.(json.RawMessage)
	if !ok {
		var err error
		if text, err = json.Marshal(v); err != nil && b.err == nil {
			b.err = err
		}
	}
	if len(text) == 0 {
		b.null()
		return
	}
	to := b.next().(*array.StringBuilder) //nolint:forcetypeassert // the table says so
	if utf8.Valid(text) {
		to.BinaryBuilder.Append(text)
		return
	}
	to.Append(utf(string(text)))
}

func (b *rows) end() error {
	b.n, b.at = b.n+1, 0
	return b.err
}

func utf(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, "\ufffd")
}

// row appends one row: a value for every column, nil for NULL. Empty JSON text is NULL too.
func (b *rows) row(values ...any) {
	for i, v := range values {
		switch to := b.build.Field(i).(type) {
		case *array.StringBuilder:
			if s, ok := v.(string); ok && (s != "" || b.table.Columns[i].Type == driver.Text) {
				to.Append(utf(s))
			} else {
				to.AppendNull()
			}
		case *array.Int64Builder:
			appendOr(to.Append, to.AppendNull, v)
		case *array.Float64Builder:
			appendOr(to.Append, to.AppendNull, v)
		case *array.Decimal128Builder: // the unscaled number
			appendOr(func(n int64) { to.Append(decimal128.FromI64(n)) }, to.AppendNull, v)
		case *array.BooleanBuilder:
			appendOr(to.Append, to.AppendNull, v)
		case *array.TimestampBuilder:
			if t, ok := v.(time.Time); ok && !t.IsZero() {
				to.Append(arrow.Timestamp(t.UnixMicro()))
			} else {
				to.AppendNull()
			}
		}
	}
	b.n++
}

func appendOr[T any](value func(T), null func(), v any) {
	if x, ok := v.(T); ok {
		value(x)
	} else {
		null()
	}
}

func (b *rows) merge(ctx context.Context, w *Store) error {
	return b.write(ctx, w, func(conn driver.Conn, r array.RecordReader) error {
		_, err := conn.Merge(ctx, b.table.FullName(), b.table.Key, r)
		return err
	})
}

// write calls f with the rows, unless there are none, and retries transient errors if the table has a key.
func (b *rows) write(ctx context.Context, w *Store, f func(conn driver.Conn, r array.RecordReader) error) error {
	if b.n == 0 {
		return nil
	}
	rec := b.build.NewRecord()
	if w.SQL().NoNUL {
		rec = b.withoutNUL(rec)
	}
	defer rec.Release()
	for try := 0; ; try++ {
		r, err := array.NewRecordReader(rec.Schema(), []arrow.Record{rec})
		if err != nil {
			return err
		}
		err = w.Use("writing "+b.table.Name, func(conn driver.Conn) error { return f(conn, r) })
		r.Release()
		if errcode.Of(err) != errcode.Unavailable || len(b.table.Key) == 0 || try == len(tries) || !wait(ctx, tries[try]) {
			return err
		}
	}
}

// tries are the delays before rows with a key are written again after a transient error. The failed attempt wrote
// nothing, or the same rows.
var tries = [...]time.Duration{50 * time.Millisecond, 500 * time.Millisecond}

// wait waits for pause and a random part of it, so that two writers do not collide again. It returns false if the
// context ends first.
func wait(ctx context.Context, pause time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(pause + rand.N(pause)): //nolint:gosec // no secret
		return true
	}
}

// withoutNUL returns a record with U+FFFD instead of NUL in strings, which a model may have written, and in JSON
// escapes. rec is returned if it has none, otherwise released.
func (b *rows) withoutNUL(rec arrow.Record) arrow.Record {
	columns := append([]arrow.Array(nil), rec.Columns()...)
	changed := false
	for i, column := range columns {
		replaced := func(text string) string { return strings.ReplaceAll(text, "\x00", "\ufffd") }
		sought := "\x00"
		if b.table.Columns[i].Type == driver.JSON {
			replaced, sought = withoutEscapedNUL, `\u0000`
		}
		texts, ok := column.(*array.String)
		if !ok || !bytes.Contains(texts.ValueBytes(), []byte(sought)) {
			continue
		}
		to := array.NewStringBuilder(memory.DefaultAllocator)
		defer to.Release()
		for row := range texts.Len() {
			if texts.IsNull(row) {
				to.AppendNull()
			} else {
				to.Append(replaced(texts.Value(row)))
			}
		}
		columns[i], changed = to.NewArray(), true
		defer columns[i].Release()
	}
	if !changed {
		return rec
	}
	defer rec.Release()
	return array.NewRecord(rec.Schema(), columns, rec.NumRows())
}

// withoutEscapedNUL returns JSON text with escapes of U+FFFD instead of NUL.
func withoutEscapedNUL(text string) string {
	var out strings.Builder
	for {
		at := strings.IndexByte(text, '\\')
		if at < 0 || at+1 == len(text) {
			out.WriteString(text)
			return out.String()
		}
		out.WriteString(text[:at])
		text = text[at:]
		if rest, ok := strings.CutPrefix(text, `\u0000`); ok {
			out.WriteString(`\ufffd`)
			text = rest
			continue
		}
		out.WriteString(text[:2]) // another escape
		text = text[2:]
	}
}
