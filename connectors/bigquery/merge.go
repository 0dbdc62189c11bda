package bigquery

import (
	"context"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	bq "google.golang.org/api/bigquery/v2"

	"github.com/badger-eval/badger/connectors/bigquery/internal/value"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/errcode"
)

// Rows up to these limits are the parameter of the statement that writes them; more go through a staging table.
const (
	inlineRows  = 500
	inlineBytes = 512 << 10
)

// rowNumber is an additional column of a staging table: of rows with the same key, the one with the highest number is
// written.
const rowNumber = "badger_row"

// Merge writes rows in one statement, which is a transaction: a MERGE with a key, an INSERT without one. Each job has
// an ID chosen here, so that a repeated request whose response was lost does not run it twice.
func (c *Conn) Merge(ctx context.Context, table string, key []string, r array.RecordReader) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	ref, err := c.tableRef(driver.Ref{Kind: driver.RefTable, Name: table})
	if err != nil {
		return 0, err
	}
	plan, err := driverbase.NewPlan("bigquery", shownTable(ref), r.Schema(), key)
	if err != nil {
		return 0, err
	}
	if c.o.ReadOnly {
		return 0, plan.Error(errcode.PermissionDenied, "the connection only reads")
	}
	target, err := c.table(ctx, ref)
	if err != nil {
		return 0, plan.Failed(err)
	}
	m := &merge{c: c, table: ref, plan: plan}
	if err := m.match(target.Schema); err != nil {
		return 0, err
	}
	if err := m.write(ctx, r); err != nil {
		return 0, plan.Failed(err)
	}
	return plan.Rows, nil
}

// merge is one call of Merge.
type merge struct {
	c       *Conn
	table   *bq.TableReference
	plan    *driverbase.Plan
	columns []*bq.TableFieldSchema // of the table, in the order of the rows' columns
	types   []string               // SQL names of their types
	text    []byte                 // buffer for a cell
}

// spelling is for staged columns with the names of the table's. JSON texts distinguish NULL from "null".
var spelling = driverbase.Spelling{Quote: identifiers.Quoted, Named: true,
	Same: func(a, b string) string { return "TO_JSON_STRING(" + a + ") = TO_JSON_STRING(" + b + ")" }}

// match matches the rows' columns to the table's, and checks that these can be written.
func (m *merge) match(s *bq.TableSchema) error {
	if s == nil {
		s = &bq.TableSchema{}
	}
	names := make([]string, len(s.Fields))
	for i, f := range s.Fields {
		names[i] = f.Name
	}
	if err := m.plan.Match(names); err != nil {
		return err
	}
	for _, place := range m.plan.Places {
		f := s.Fields[place]
		typ := value.SQLName(f.Type)
		if !value.Written(typ) || f.Mode == "REPEATED" {
			return m.plan.Error(errcode.Unimplemented, "column %q: unsupported type %s", f.Name, value.TypeName(f))
		}
		m.columns, m.types = append(m.columns, f), append(m.types, typ)
	}
	return nil
}

// write reads rows until they end or exceed the limits for a parameter, and writes all of them either way.
func (m *merge) write(ctx context.Context, r array.RecordReader) error {
	var held []arrow.Record
	defer func() {
		for _, rec := range held {
			rec.Release()
		}
	}()
	rows, bytes, more := int64(0), int64(0), true
	for rows <= inlineRows && bytes <= inlineBytes {
		if more = r.Next(); !more {
			break
		}
		rec := r.Record()
		rec.Retain()
		held = append(held, rec)
		rows += rec.NumRows()
		for _, col := range rec.Columns() {
			bytes += sizeOf(col.Data())
		}
	}
	if err := r.Err(); !more && (err != nil || rows == 0) {
		return err
	}
	next := func() (arrow.Record, error) {
		if len(held) > 0 {
			rec := held[0]
			held = held[1:]
			return rec, nil
		}
		if !more || !r.Next() {
			return nil, r.Err()
		}
		rec := r.Record()
		rec.Retain()
		return rec, nil
	}
	if rows <= inlineRows && bytes <= inlineBytes {
		return m.inline(ctx, next)
	}
	return m.staged(ctx, next)
}

// eachRow calls f for each row until it returns an error, and counts the rows in the plan.
func (m *merge) eachRow(next func() (arrow.Record, error), f func(rec arrow.Record, row int) error) error {
	rows := func(rec arrow.Record) error {
		defer rec.Release()
		if err := m.check(rec); err != nil {
			return err
		}
		for row := range int(rec.NumRows()) {
			if err := f(rec, row); err != nil {
				return err
			}
			m.plan.Rows++
		}
		return nil
	}
	for {
		rec, err := next()
		if rec == nil || err != nil {
			return err
		}
		if err := rows(rec); err != nil {
			return err
		}
	}
}

// sizeOf returns the size of an array's buffers in bytes; those of a slice are the whole array's.
func sizeOf(d arrow.ArrayData) int64 {
	n := int64(0)
	for _, b := range d.Buffers() {
		if b != nil {
			n += int64(b.Len())
		}
	}
	for _, child := range d.Children() {
		n += sizeOf(child)
	}
	return n
}

// inline writes rows as the statement's parameter, an array of structs.
func (m *merge) inline(ctx context.Context, next func() (arrow.Record, error)) error {
	rowType := &bq.QueryParameterType{Type: "STRUCT"}
	for i, f := range m.columns {
		rowType.StructTypes = append(rowType.StructTypes,
			&bq.QueryParameterTypeStructTypes{Name: f.Name, Type: &bq.QueryParameterType{Type: m.types[i]}})
	}
	values := &bq.QueryParameterValue{}
	err := m.eachRow(next, func(rec arrow.Record, i int) error {
		row := make(map[string]bq.QueryParameterValue, len(m.columns))
		for col, f := range m.columns {
			cell, err := m.cell(rec, col, i)
			switch {
			case err != nil:
				return err
			case cell == nil:
				row[f.Name] = bq.QueryParameterValue{NullFields: []string{"Value"}}
			default:
				row[f.Name] = *textValue(value.Text(m.types[col], cell))
			}
		}
		values.ArrayValues = append(values.ArrayValues, &bq.QueryParameterValue{StructValues: row})
		return nil
	})
	if err != nil {
		return err
	}
	return m.c.Exec(ctx, m.sql("(SELECT r.*, "+rowNumber+" FROM UNNEST(?) AS r WITH OFFSET AS "+rowNumber+")"),
		&bq.QueryParameter{
			ParameterType: &bq.QueryParameterType{Type: "ARRAY", ArrayType: rowType}, ParameterValue: values,
		})
}

// staged writes rows through a staging table.
func (m *merge) staged(ctx context.Context, next func() (arrow.Record, error)) error {
	stage := &bq.TableReference{ProjectId: m.table.ProjectId, DatasetId: m.table.DatasetId,
		TableId: "badger_stage_" + newID()}
	err := m.c.retry(ctx, func() error {
		_, err := m.c.rest.Tables.Insert(stage.ProjectId, stage.DatasetId, &bq.Table{
			TableReference: stage, Schema: m.stageSchema(), ExpirationTime: time.Now().Add(stageLife).UnixMilli(),
			Description: "rows on their way into " + m.table.TableId,
		}).Context(ctx).Do()
		if codeOf(err) == errcode.AlreadyExists { // the random name is this table's: the response was lost
			return nil
		}
		return err
	})
	if err != nil {
		return m.c.errorOf(err, "a staging table in its dataset")
	}
	defer func() {
		ctx, done := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
		defer done()
		_ = m.c.rest.Tables.Delete(stage.ProjectId, stage.DatasetId, stage.TableId).Context(ctx).Do() // else it expires
	}()
	if err := m.load(ctx, stage, next); err != nil {
		return err
	}
	return m.c.Exec(ctx, m.sql(quoted(stage)))
}

// stageSchema returns the schema of a staging table.
func (m *merge) stageSchema() *bq.TableSchema {
	s := &bq.TableSchema{Fields: []*bq.TableFieldSchema{{Name: rowNumber, Type: "INTEGER"}}}
	for _, f := range m.columns {
		s.Fields = append(s.Fields, &bq.TableFieldSchema{Name: f.Name, Type: f.Type})
	}
	return s
}

// stageLife is the time after which BigQuery drops a staging table that was not dropped.
const stageLife = 6 * time.Hour

// sql returns the statement that writes the rows of a table expression.
func (m *merge) sql(source string) string {
	if !m.plan.HasKey() {
		return m.plan.Insert(spelling, quoted(m.table), source)
	}
	key := driverbase.List(m.plan.OfKey(m.plan.Staged(spelling, "")))
	return m.plan.Merge(spelling, quoted(m.table),
		"(SELECT * FROM "+source+" WHERE TRUE QUALIFY ROW_NUMBER() OVER (PARTITION BY "+key+" ORDER BY "+rowNumber+
			" DESC) = 1)")
}

// check returns an error if a column of a record has a type that cannot be written to the table's column.
func (m *merge) check(rec arrow.Record) error {
	for i, typ := range m.types {
		if t := rec.Column(i).DataType(); !value.Takes(typ, t) {
			return m.plan.Error(errcode.InvalidArgument, "column %q: values of Arrow type %v do not go into one of type %s",
				m.columns[i].Name, t, typ)
		}
	}
	return nil
}

// cell returns a value in the notation of load jobs, or nil for NULL. The bytes are valid until the next call.
func (m *merge) cell(rec arrow.Record, col, row int) ([]byte, error) {
	arr := rec.Column(col)
	if driverbase.IsNull(arr, row) {
		m.plan.Nulls[col] = true
		return nil, nil
	}
	text, err := value.Notation.Append(append(m.text[:0], '='), arr, row) // never nil
	if m.text = text; err == nil && !value.Fits(m.types[col], string(text[1:])) {
		err = errcode.New(errcode.InvalidArgument, "the value does not fit type %s", m.types[col])
	}
	if err != nil {
		return nil, m.plan.CellError(col, err)
	}
	return text[1:], nil
}
