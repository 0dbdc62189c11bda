package postgres

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"

	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
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
	as, staged := m.plan.Targets(spelling), m.plan.Staged(spelling, "")
	for i := range as {
		if m.typeOf(i) == oidSuper { // parsed when it is taken from there
			as[i] = "CAST('' AS varchar(65535))"
		}
		as[i] += " AS " + staged[i]
	}
	m.s.spent = true // until the temporary tables are dropped
	if err := m.s.simple(ctx, fmt.Sprintf("CREATE TEMPORARY TABLE %s AS SELECT CAST(0 AS bigint) AS nth, %s FROM %s WHERE 1 = 0", name, driverbase.List(as), m.table)); err != nil {
		return 0, err
	}
	n, err := m.insert(ctx, name, rows)
	if err != nil || n == 0 {
		return 0, err
	}
	tables := []string{name}
	if m.plan.HasKey() {
		newest := name + "_newest"
		tables = append(tables, newest)
		if err := m.s.simple(ctx, fmt.Sprintf("CREATE TEMPORARY TABLE %s AS SELECT * FROM (SELECT s.*, ROW_NUMBER() OVER (PARTITION BY %s ORDER BY nth DESC) AS again FROM %s AS s) AS x WHERE again = 1",
			newest, driverbase.List(m.plan.OfKey(staged)), name)); err != nil {
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
	m.s.spent = m.s.simple(ctx, "DROP TABLE "+driverbase.List(tables)) != nil
	return n, nil
}

// exchange takes the rows from the staged ones.
func (m *merge) exchange(from string) (statements []string) {
	values := m.plan.Staged(spelling, from+".")
	for i := range values {
		if m.typeOf(i) == oidSuper {
			values[i] = "JSON_PARSE(" + values[i] + ")"
		}
	}
	where := m.plan.On(spelling, m.table, from)
	switch set := m.plan.Set(spelling, values); {
	case !m.plan.HasKey():
	case m.plan.Covers:
		statements = append(statements, fmt.Sprintf("DELETE FROM %s USING %s WHERE %s", m.table, from, where))
	default:
		if set != "" {
			statements = append(statements, fmt.Sprintf("UPDATE %s SET %s FROM %s WHERE %s", m.table, set, from, where))
		}
		statements = append(statements, fmt.Sprintf("DELETE FROM %s USING %s WHERE %s", from, m.table, where))
	}
	return append(statements, fmt.Sprintf("INSERT INTO %s (%s) SELECT %s FROM %s", m.table, driverbase.List(m.plan.Targets(spelling)), driverbase.List(values), from))
}

// typeOf is the type of the table's column that column i of the rows means.
func (m *merge) typeOf(i int) uint32 { return m.columns[m.plan.Places[i]].DataTypeOID }

// insert lays the rows into the temporary table, as many a statement as it takes.
func (m *merge) insert(ctx context.Context, stage string, rows array.RecordReader) (int64, error) {
	width := len(m.plan.Columns) + 1
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
			case m.typeOf(col-1) == oidSuper:
				oids[i] = oidVarchar
			default:
				oids[i] = m.typeOf(col - 1)
			}
		}
		_, err := m.s.pg.ExecParams(ctx, sql.String(), values, oids, nil, nil).Close()
		values, size = values[:0], 0
		return m.db.errorOf(ctx, err)
	}
	for rows.Next() {
		rec := rows.Record()
		for row := range int(rec.NumRows()) {
			values = append(values, fmt.Appendf(nil, "%d", m.plan.Rows))
			for i, col := range rec.Columns() {
				if driverbase.IsNull(col, row) {
					m.plan.Nulls[i] = true
					values = append(values, nil)
					continue
				}
				cell, err := appendCell([]byte{}, col, row)
				if err != nil {
					return 0, m.plan.CellError(i, err)
				}
				size += len(cell)
				values = append(values, cell)
			}
			m.plan.Rows++
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
	return m.plan.Rows, flush()
}
