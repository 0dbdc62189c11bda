package postgres

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/connectors/postgres/internal/value"
	"github.com/badger-eval/badger/internal/errcode"
)

// The maximum number of parameters of an INSERT in Redshift, and the number of bytes after which badger sends one.
const (
	insertParams = 32767
	insertBytes  = 4 << 20
)

// replace writes rows in Redshift. They are staged in a separate transaction. The one that locks the table, also
// against readers, is short and starts with the lock, as serializable transactions require.
func (m *merge) replace(ctx context.Context, rows array.RecordReader) (int64, error) {
	name := "badger_stage_" + strings.ToLower(rand.Text()[:10])
	as, staged := m.plan.Targets(spelling), m.plan.Staged(spelling, "")
	for i := range as {
		if m.typeOf(i) == value.SuperOID { // it is parsed when it is written into the table
			as[i] = "CAST('' AS varchar(65535))"
		}
		as[i] += " AS " + staged[i]
	}
	m.s.spent = true // until the temporary tables are dropped
	if err := m.s.simple(ctx,
		fmt.Sprintf("CREATE TEMPORARY TABLE %s AS SELECT CAST(0 AS bigint) AS nth, %s FROM %s WHERE 1 = 0", name,
			driverbase.List(as), m.table)); err != nil {
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
	backend, err := m.s.backend(ctx)
	if err != nil {
		return 0, err
	}
	if err := m.s.simple(ctx, "COMMIT"); err != nil {
		return 0, err
	}
	for _, s := range []string{"BEGIN", "LOCK " + m.table} {
		if err := m.s.simple(ctx, s); err != nil {
			return 0, err
		}
	}
	switch now, err := m.s.backend(ctx); {
	case err != nil:
		return 0, err
	case now != backend:
		return 0, errcode.New(errcode.FailedPrecondition,
			"a pooler gave this transaction to another session of the cluster than the last, which staged the rows: "+
				"set PgBouncer's pool_mode to session for this database, or connect to the cluster itself")
	}
	for _, s := range m.exchange(tables[len(tables)-1]) {
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

// exchange returns the statements that write the staged rows in from into the table.
func (m *merge) exchange(from string) (statements []string) {
	values := m.plan.Staged(spelling, from+".")
	for i := range values {
		if m.typeOf(i) == value.SuperOID {
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
	return append(statements,
		fmt.Sprintf("INSERT INTO %s (%s) SELECT %s FROM %s", m.table, driverbase.List(m.plan.Targets(spelling)),
			driverbase.List(values), from))
}

// typeOf returns the type of the table's column for column i of the rows.
func (m *merge) typeOf(i int) uint32 { return m.columns[m.plan.Places[i]].DataTypeOID }

// insert inserts the rows into the temporary table, with as many statements as needed, and returns their number.
func (m *merge) insert(ctx context.Context, stage string, rows array.RecordReader) (int64, error) {
	oids := []uint32{pgtype.Int8OID} // types of a row's parameters
	for i := range m.plan.Columns {
		oid := m.typeOf(i)
		if oid == value.SuperOID {
			oid = pgtype.VarcharOID
		}
		oids = append(oids, oid)
	}
	var values [][]byte
	size := 0
	flush := func() error {
		if len(values) == 0 {
			return nil
		}
		sql := []byte("INSERT INTO " + stage + " VALUES ")
		for i := range values {
			before := ", "
			switch {
			case i == 0:
				before = "("
			case i%len(oids) == 0:
				before = "), ("
			}
			sql = fmt.Appendf(sql, "%s$%d", before, i+1)
		}
		_, err := m.s.pg.ExecParams(ctx, string(sql)+")", values, slices.Repeat(oids, len(values)/len(oids)), nil,
			nil).Close()
		values, size = values[:0], 0
		return m.db.errorOf(ctx, err)
	}
	for cells, err := range m.texts(ctx, rows) {
		if err != nil {
			return 0, err
		}
		values = append(values, strconv.AppendInt(nil, m.plan.Rows-1, 10))
		for _, cell := range cells {
			values = append(values, bytes.Clone(cell))
			size += len(cell)
		}
		if len(values)+len(oids) > insertParams || size > insertBytes {
			if err := flush(); err != nil {
				return 0, err
			}
		}
	}
	return m.plan.Rows, flush()
}
