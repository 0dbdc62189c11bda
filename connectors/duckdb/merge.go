package duckdb

import (
	"context"
	sqldriver "database/sql/driver"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	duck "github.com/duckdb/duckdb-go/v2"

	"github.com/badger-eval/badger/internal/errcode"
)

// Merge writes rows through a temporary table and one MERGE, all in one transaction. Rows of one call that share a key: the last one stays.
func (c *Conn) Merge(ctx context.Context, table string, key []string, r array.RecordReader) (int64, error) {
	conn, err := c.connector.Connect(ctx)
	if err != nil {
		return 0, err
	}
	defer conn.Close() //nolint:errcheck // nothing is left to write
	m := merge{conn: conn, table: table, key: key, in: r}
	n, err := m.run(ctx)
	if err != nil {
		_ = m.exec(context.WithoutCancel(ctx), "ROLLBACK")
		return 0, err
	}
	return n, nil
}

type merge struct {
	conn  sqldriver.Conn
	table string
	key   []string
	in    array.RecordReader
}

const stage = "badger_stage"

func (m *merge) exec(ctx context.Context, query string) error {
	e, ok := m.conn.(sqldriver.ExecerContext)
	if !ok {
		return errcode.New(errcode.Internal, "the driver's connection runs no statements")
	}
	_, err := e.ExecContext(ctx, query, nil)
	return err
}

func (m *merge) run(ctx context.Context) (int64, error) {
	names := make([]string, m.in.Schema().NumFields())
	for i, f := range m.in.Schema().Fields() {
		names[i] = quote(f.Name)
	}
	keys := make([]string, len(m.key))
	for i, k := range m.key {
		keys[i] = quote(k)
		if !slices.Contains(names, keys[i]) {
			return 0, errcode.New(errcode.InvalidArgument, "merging into %s: the rows lack the key column %q", m.table, k)
		}
	}
	list := strings.Join(names, ", ")
	if err := m.exec(ctx, "BEGIN TRANSACTION"); err != nil {
		return 0, err
	}
	if err := m.exec(ctx, fmt.Sprintf("CREATE TEMP TABLE %s AS SELECT %s, 0::BIGINT AS badger_row FROM %s LIMIT 0", stage, list, m.table)); err != nil {
		return 0, err
	}
	n, err := m.fill(ctx)
	if err != nil {
		return 0, err
	}
	var on, set, values []string
	for _, k := range keys {
		on = append(on, fmt.Sprintf("t.%s IS NOT DISTINCT FROM s.%s", k, k))
	}
	for _, name := range names {
		if !slices.Contains(keys, name) {
			set = append(set, name+" = s."+name)
		}
		values = append(values, "s."+name)
	}
	update := ""
	if len(set) > 0 {
		update = " WHEN MATCHED THEN UPDATE SET " + strings.Join(set, ", ")
	}
	query := fmt.Sprintf("MERGE INTO %s AS t USING (SELECT * FROM %s QUALIFY row_number() OVER (PARTITION BY %s ORDER BY badger_row DESC) = 1) AS s ON %s%s WHEN NOT MATCHED THEN INSERT (%s) VALUES (%s)",
		m.table, stage, strings.Join(keys, ", "), strings.Join(on, " AND "), update, list, strings.Join(values, ", "))
	if err := m.exec(ctx, query); err != nil {
		return 0, err
	}
	if err := m.exec(ctx, "DROP TABLE "+stage); err != nil {
		return 0, err
	}
	return n, m.exec(ctx, "COMMIT")
}

// fill appends the rows to the temporary table.
func (m *merge) fill(ctx context.Context) (n int64, err error) {
	a, err := duck.NewAppender(m.conn, "temp", "", stage)
	if err != nil {
		return 0, err
	}
	defer func() {
		if e := a.Close(); err == nil {
			err = e
		}
	}()
	row := make([]sqldriver.Value, m.in.Schema().NumFields()+1)
	for m.in.Next() {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		rec := m.in.Record()
		for i := range int(rec.NumRows()) {
			for k := range int(rec.NumCols()) {
				if row[k], err = valueOf(rec.Column(k), i); err != nil {
					return 0, errcode.New(errcode.Of(err), "row %d, column %q: %w", n+1, rec.ColumnName(k), err)
				}
			}
			n++
			row[len(row)-1] = n
			if err := a.AppendRow(row...); err != nil {
				return 0, err
			}
		}
	}
	return n, m.in.Err()
}

func valueOf(col arrow.Array, i int) (sqldriver.Value, error) {
	if col.IsNull(i) {
		return nil, nil
	}
	switch a := col.(type) {
	case *array.String:
		return a.Value(i), nil
	case *array.LargeString:
		return a.Value(i), nil
	case *array.Int64:
		return a.Value(i), nil
	case *array.Int32:
		return int64(a.Value(i)), nil
	case *array.Float64:
		return a.Value(i), nil
	case *array.Boolean:
		return a.Value(i), nil
	case *array.Binary:
		return a.Value(i), nil
	case *array.Timestamp:
		unit := a.DataType().(*arrow.TimestampType).Unit //nolint:forcetypeassert // by type
		return a.Value(i).ToTime(unit), nil
	case *array.Date32:
		return a.Value(i).ToTime(), nil
	}
	return nil, errcode.New(errcode.Unimplemented, "values of Arrow type %s are not written", col.DataType())
}

func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
