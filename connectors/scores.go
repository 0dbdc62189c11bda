package connectors

import (
	"context"
	"encoding/json"
	"iter"
	"strings"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// Run is a row of eval_runs: one evaluation of one version of an agent.
type Run struct {
	ID           string
	Agent        string
	AgentVersion string
	BatchID      string
	Started      time.Time
	Mode         string // text2sql_only, agentic_only or both
	Config       string // JSON
	Judge        string
	Versions     string // JSON: versions of badger and of the metrics
	Counts       string // JSON: scores by status
	Tokens, Cost string // JSON
	Status       string // running, done, stopped or failed
}

// WriteRuns writes rows of eval_runs, each in place of the one it continues.
func (w *Warehouse) WriteRuns(ctx context.Context, runs ...Run) error {
	b := newRows("eval_runs")
	defer b.release()
	for _, r := range runs {
		b.row(r.ID, r.Agent, r.AgentVersion, r.BatchID, r.Started, r.Mode, r.Config, r.Judge, r.Versions, r.Counts, r.Tokens, r.Cost, r.Status)
	}
	return b.merge(ctx, w)
}

// ScoreRow is a score with whose answer it judges.
type ScoreRow struct {
	Agent        string
	AgentVersion string
	BatchID      string
	Score        scoring.Score
}

// WriteScores merges scores on their key: run, agent, version, batch, case and metric. All of them are written, or none and an error.
func (w *Warehouse) WriteScores(ctx context.Context, runID, configHash string, at time.Time, rows []ScoreRow) error {
	b := newRows("scores")
	defer b.release()
	for i := range rows {
		r, s := &rows[i], &rows[i].Score
		detail, err := optionalJSON(s.Detail)
		if err != nil {
			return errcode.New(errcode.Internal, "case %q, metric %s: the detail is not JSON: %w", s.CaseID, s.Metric, err)
		}
		var ids any
		if len(s.AssessmentIDs) > 0 {
			if ids, err = optionalJSON(s.AssessmentIDs); err != nil {
				return err
			}
		}
		var value, passed, code any
		if s.Status == scoring.StatusOK {
			value = s.Value
		}
		if s.Passed != nil {
			passed = *s.Passed
		}
		if s.Status == scoring.StatusFailed {
			code = s.Code.String()
		}
		b.row(runID, s.CaseID, r.Agent, r.AgentVersion, r.BatchID, s.Metric, int64(s.Version), string(s.Status), value, optional(s.Label), passed, s.Reason, detail, ids, configHash, at, code)
	}
	return b.merge(ctx, w)
}

func optional(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func optionalJSON(v any) (any, error) {
	if v == nil {
		return nil, nil
	}
	text, err := json.Marshal(v)
	return string(text), err
}

// ScoreKey is what identifies a score that a run holds, with its status.
type ScoreKey struct {
	CaseID, Agent, AgentVersion, BatchID, Metric string
	MetricVersion                                int
	Status                                       scoring.Status
}

// ScoreKeys streams the keys of the scores that a run holds, for going on where it ended.
func (w *Warehouse) ScoreKeys(ctx context.Context, runID string) iter.Seq2[ScoreKey, error] {
	return func(yield func(ScoreKey, error) bool) {
		query := "SELECT case_id, agent_name, agent_version, batch_id, metric, metric_version, status FROM badger.scores WHERE eval_run_id = " + w.dialect.Param(1)
		more := true
		err := w.each(ctx, "reading the scores of a run", query, []any{runID}, func(t *scoring.Table, row int) bool {
			r := record{t: t, row: row}
			more = yield(ScoreKey{r.text(0), r.text(1), r.text(2), r.text(3), r.text(4), int(t.Columns[5].Value(row).Int()), scoring.Status(r.text(6))}, nil)
			return more
		})
		if err != nil && more {
			yield(ScoreKey{}, err)
		}
	}
}

// rows builds Arrow rows for one of badger's tables.
type rows struct {
	table *Table
	build *array.RecordBuilder
	n     int
}

var arrowTypes = map[driver.Type]arrow.DataType{
	driver.Text: arrow.BinaryTypes.String, driver.JSON: arrow.BinaryTypes.String, driver.BigInt: arrow.PrimitiveTypes.Int64, driver.Double: arrow.PrimitiveTypes.Float64,
	driver.Boolean: arrow.FixedWidthTypes.Boolean, driver.Timestamp: &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"},
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

// row appends one row: a value for every column, nil for NULL; empty JSON text is NULL too.
func (b *rows) row(values ...any) {
	for i, v := range values {
		switch to := b.build.Field(i).(type) {
		case *array.StringBuilder:
			if s, ok := v.(string); ok && (s != "" || b.table.Columns[i].Type == driver.Text) {
				to.Append(strings.ToValidUTF8(s, "\ufffd"))
			} else {
				to.AppendNull()
			}
		case *array.Int64Builder:
			appendOr(to.Append, to.AppendNull, v)
		case *array.Float64Builder:
			appendOr(to.Append, to.AppendNull, v)
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

func (b *rows) merge(ctx context.Context, w *Warehouse) error {
	if b.n == 0 {
		return nil
	}
	rec := b.build.NewRecord()
	defer rec.Release()
	r, err := array.NewRecordReader(rec.Schema(), []arrow.Record{rec})
	if err != nil {
		return err
	}
	defer r.Release()
	return w.use("writing "+b.table.Name, func() error {
		_, err := w.conn.Merge(ctx, Schema+"."+b.table.Name, b.table.Key, r)
		return err
	})
}
