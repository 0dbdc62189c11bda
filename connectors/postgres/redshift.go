package postgres

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"

	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/badger-eval/badger/internal/errcode"
)

// One INSERT of Redshift takes so many parameters, and here so many bytes.
const (
	insertParams = 32767
	insertBytes  = 4 << 20
)

// replace writes rows as Redshift takes them. They are staged in a transaction of their own: the
// one that locks the table, against readers too, is short, and begins with the lock, as it must
// where transactions are serializable.
func (m *merge) replace(ctx context.Context, rows array.RecordReader) (int64, error) {
	name := "badger_stage_" + strings.ToLower(rand.Text()[:10])
	as := make([]string, len(m.columns))
	for i, c := range m.columns {
		from := quote(c.Name)
		if c.DataTypeOID == oidSuper { // parsed when it is taken from there
			from = "CAST('' AS varchar(65535))"
		}
		as[i] = fmt.Sprintf("%s AS c%d", from, i)
	}
	m.s.spent = true // until the temporary tables are dropped
	if err := m.s.simple(ctx, fmt.Sprintf("CREATE TEMPORARY TABLE %s AS SELECT CAST(0 AS bigint) AS nth, %s FROM %s WHERE 1 = 0", name, list(as), m.table)); err != nil {
		return 0, err
	}
	n, err := m.insert(ctx, name, rows)
	if err != nil || n == 0 {
		return 0, err
	}
	tables := []string{name}
	if len(m.key) > 0 {
		var keys []string
		for i := range m.columns {
			if m.isKey(i) {
				keys = append(keys, fmt.Sprintf("c%d", i))
			}
		}
		newest := name + "_newest"
		tables = append(tables, newest)
		if err := m.s.simple(ctx, fmt.Sprintf("CREATE TEMPORARY TABLE %s AS SELECT * FROM (SELECT s.*, ROW_NUMBER() OVER (PARTITION BY %s ORDER BY nth DESC) AS again FROM %s AS s) AS x WHERE again = 1",
			newest, list(keys), name)); err != nil {
			return 0, err
		}
	}
	if err := m.s.simple(ctx, "COMMIT"); err != nil {
		return 0, err
	}
	m.s.inTx = false
	for _, s := range append([]string{"BEGIN", "LOCK " + m.table}, m.exchange(tables[len(tables)-1])...) {
		if err := m.s.simple(ctx, s); err != nil {
			return 0, err
		}
	}
	if err := m.commit(ctx); err != nil {
		return 0, err
	}
	m.s.spent = m.s.simple(ctx, "DROP TABLE "+list(tables)) != nil
	return n, nil
}

// exchange takes the rows from the staged ones.
func (m *merge) exchange(from string) (statements []string) {
	values := m.staged("")
	for i, c := range m.columns {
		if values[i] = from + "." + values[i]; c.DataTypeOID == oidSuper {
			values[i] = "JSON_PARSE(" + values[i] + ")"
		}
	}
	where := m.same(m.table, from)
	switch set := m.set(func(i int) string { return values[i] }); {
	case len(m.key) == 0:
	case m.covers:
		statements = append(statements, fmt.Sprintf("DELETE FROM %s USING %s WHERE %s", m.table, from, where))
	default:
		if set != "" {
			statements = append(statements, fmt.Sprintf("UPDATE %s SET %s FROM %s WHERE %s", m.table, set, from, where))
		}
		statements = append(statements, fmt.Sprintf("DELETE FROM %s USING %s WHERE %s", from, m.table, where))
	}
	return append(statements, fmt.Sprintf("INSERT INTO %s (%s) SELECT %s FROM %s", m.table, list(m.targets()), list(values), from))
}

// insert lays the rows into the temporary table, as many a statement as it takes.
func (m *merge) insert(ctx context.Context, stage string, rows array.RecordReader) (n int64, err error) {
	width := len(m.columns) + 1
	m.nulls = make([]bool, len(m.columns))
	var values [][]byte
	size := 0
	flush := func() error {
		if len(values) == 0 {
			return nil
		}
		var sql strings.Builder
		fmt.Fprintf(&sql, "INSERT INTO %s VALUES ", stage)
		oids := make([]uint32, len(values))
		for i := range values {
			col := i % width
			switch {
			case col == 0 && i > 0:
				sql.WriteString(", (")
			case col == 0:
				sql.WriteByte('(')
			default:
				sql.WriteString(", ")
			}
			fmt.Fprintf(&sql, "$%d", i+1)
			if col == width-1 {
				sql.WriteByte(')')
			}
			switch {
			case col == 0:
				oids[i] = oidInt8
			case m.columns[col-1].DataTypeOID == oidSuper:
				oids[i] = oidVarchar
			default:
				oids[i] = m.columns[col-1].DataTypeOID
			}
		}
		_, err := m.s.pg.ExecParams(ctx, sql.String(), values, oids, nil, nil).Close()
		values, size = values[:0], 0
		return m.db.errorOf(ctx, err)
	}
	for rows.Next() {
		rec := rows.Record()
		for row := range int(rec.NumRows()) {
			n++
			values = append(values, fmt.Appendf(nil, "%d", n))
			for i, col := range rec.Columns() {
				if col.IsNull(row) {
					m.nulls[i] = true
					values = append(values, nil)
					continue
				}
				cell, err := appendCell([]byte{}, col, row)
				if err != nil {
					return 0, errcode.New(errcode.Of(err), "column %q, row %d: %w", m.names[i], n, err)
				}
				size += len(cell)
				values = append(values, cell)
			}
			if len(values)+width > insertParams || size > insertBytes {
				if err := flush(); err != nil {
					return 0, err
				}
			}
		}
	}
	if err := rows.Err(); err != nil {
		return 0, err
	}
	return n, flush()
}
