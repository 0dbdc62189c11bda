package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/outbound"
)

// Merge writes rows in one transaction. With a key they are first copied into a temporary table. If the table has a
// unique index on the key, one INSERT … ON CONFLICT writes them from there, and writers of other rows are not blocked.
// Otherwise the table is locked against other writers, but not readers, while rows with the same key are updated and
// the others inserted. If the connection is lost during COMMIT, the server is asked over another session whether the
// transaction was committed, so that rows without a key are not written twice either.
//
// Redshift has neither COPY from a client nor ON CONFLICT. Rows are inserted into the temporary table; then those with
// the same key are deleted and inserted again, or updated if the rows have only some of the table's columns.
func (c *Conn) Merge(ctx context.Context, table string, key []string, rows array.RecordReader) (n int64, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	ref, err := driver.ParseRef("table:" + table)
	if err != nil || ref.At != "" {
		return 0, invalid("writing: expected the name of a table, NAME or SCHEMA.NAME")
	}
	plan, err := driverbase.NewPlan("postgres", ref.Name, rows.Schema(), key)
	if err != nil {
		return 0, err
	}
	if c.readOnly {
		return 0, plan.Error(errcode.PermissionDenied, "the connection only reads")
	}
	m := &merge{db: c, table: ref.Name, plan: plan}
	if n, err = m.run(ctx, rows); err != nil {
		return 0, plan.Failed(err)
	}
	return n, nil
}

// merge is one call of Merge.
type merge struct {
	db      *Conn
	s       *session
	table   string
	plan    *driverbase.Plan
	columns []pgconn.FieldDescription // all columns of the table
	xid     string                    // ID of the transaction
}

var spelling = driverbase.Spelling{Quote: Dialect.Identifiers.Quoted,
	Same: func(a, b string) string { return fmt.Sprintf("(%s = %s OR %s IS NULL AND %s IS NULL)", a, b, a, b) }}

func (m *merge) run(ctx context.Context, rows array.RecordReader) (n int64, err error) {
	if err := m.begin(ctx); err != nil {
		return 0, err
	}
	defer m.s.release()
	if m.db.redshift {
		return m.replace(ctx, rows)
	}
	if n, err = m.copied(ctx, rows); err != nil || n == 0 {
		return 0, err
	}
	return n, m.commit(ctx)
}

// begin acquires a session, starts a transaction and reads the table's columns.
func (m *merge) begin(ctx context.Context) (err error) {
	isolation := "BEGIN ISOLATION LEVEL READ COMMITTED" // reads after a lock must see the current rows
	if m.db.redshift {
		isolation = "BEGIN"
	}
	m.s, err = m.db.enter(ctx, func(s *session) error {
		if err := s.simple(ctx, isolation+"; "+m.db.settings(ctx)); err != nil {
			return err
		}
		m.s = s
		return m.describe(ctx)
	})
	return err
}

// describe reads the table's columns and matches the rows' columns to them.
func (m *merge) describe(ctx context.Context) error {
	d, err := m.s.pg.Prepare(ctx, "", "SELECT * FROM "+m.table+" WHERE 1 = 0", nil)
	if err != nil {
		return m.db.errorOf(ctx, err)
	}
	m.columns = d.Fields
	names := make([]string, len(d.Fields))
	for i, f := range d.Fields {
		names[i] = f.Name
	}
	return m.plan.Match(names)
}

// stage is the temporary table, which is dropped at the end of the transaction.
const stage = `pg_temp."badger merge"`

// copied copies the rows, merges them if they have a key, and returns their number.
func (m *merge) copied(ctx context.Context, rows array.RecordReader) (int64, error) {
	p, targets, staged := m.plan, m.plan.Targets(spelling), m.plan.Staged(spelling, "")
	if !p.HasKey() {
		n, err := m.copy(ctx, rows, m.table, targets, false)
		if err != nil || n == 0 {
			return 0, err
		}
		return n, m.last(ctx, "")
	}
	as := make([]string, len(targets))
	for i := range targets {
		as[i] = targets[i] + " AS " + staged[i]
	}
	create := fmt.Sprintf("CREATE TEMPORARY TABLE %s ON COMMIT DROP AS SELECT 0::bigint AS row, %s FROM %s WITH NO DATA",
		strings.TrimPrefix(stage, "pg_temp."), driverbase.List(as), m.table)
	if err := m.s.simple(ctx, create); err != nil {
		return 0, err
	}
	n, err := m.copy(ctx, rows, stage, append([]string{"row"}, staged...), true)
	if err != nil || n == 0 {
		return 0, err
	}
	// Rows are written in the order of the key, so that two writers of the same rows cannot deadlock.
	key := driverbase.List(p.OfKey(staged))
	newest := fmt.Sprintf("(SELECT DISTINCT ON (%s) * FROM %s ORDER BY %s, row DESC)", key, stage, key)
	indexed := false
	if !p.KeyHeldNull() { // an index treats NULLs as distinct
		if indexed, err = m.indexed(ctx); err != nil {
			return 0, err
		}
	}
	insert := p.Insert(spelling, m.table, newest)
	if indexed {
		return n, m.last(ctx, insert+m.onConflict())
	}
	if err := m.s.simple(ctx, "LOCK TABLE "+m.table+" IN SHARE ROW EXCLUSIVE MODE"); err != nil {
		return 0, err
	}
	where := p.On(spelling, "t", "s")
	if set := p.Set(spelling, p.Staged(spelling, "s.")); set != "" {
		if err := m.s.simple(ctx,
			fmt.Sprintf("UPDATE %s AS t SET %s FROM %s AS s WHERE %s", m.table, set, newest, where)); err != nil {
			return 0, err
		}
	}
	return n, m.last(ctx, fmt.Sprintf("%s WHERE NOT EXISTS (SELECT 1 FROM %s AS t WHERE %s)", insert, m.table, where))
}

// indexed reports whether the table has a unique index on exactly the key columns.
func (m *merge) indexed(ctx context.Context) (bool, error) {
	const query = `SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_index i WHERE i.indrelid = pg_catalog.to_regclass($1) AND i.indisunique AND i.indisvalid AND i.indimmediate
AND i.indpred IS NULL AND i.indexprs IS NULL AND i.indnatts = $2::int
AND (SELECT count(*) FROM pg_catalog.pg_attribute a WHERE a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey) AND a.attname = ANY ($3::pg_catalog.name[])) = $2::int)`
	keys := m.plan.OfKey(m.plan.Targets(spelling)) // array syntax quotes like this, except for backslashes and quotes
	names := "{" + strings.ReplaceAll(strings.Join(keys, ","), `\`, `\\`) + "}"
	names = strings.ReplaceAll(names, `""`, `\"`)
	r := m.s.pg.ExecParams(ctx, query, [][]byte{[]byte(m.table), []byte(strconv.Itoa(len(keys))), []byte(names)}, nil, nil,
		nil).Read()
	if r.Err != nil {
		return false, m.db.errorOf(ctx, r.Err)
	}
	return len(r.Rows) == 1 && string(r.Rows[0][0]) == "t", nil
}

// last runs the last statement, "" if there is none, and stores the transaction's ID.
func (m *merge) last(ctx context.Context, sql string) error {
	results, err := m.s.pg.Exec(ctx, sql+"; SELECT pg_catalog.txid_current()").ReadAll()
	if err != nil {
		return m.db.errorOf(ctx, err)
	}
	if r := results[len(results)-1]; len(r.Rows) == 1 {
		m.xid = string(r.Rows[0][0])
	}
	return nil
}

// askFor is the time limit for determining whether a transaction was committed. Tests shorten it.
var askFor = 15 * time.Second

// commit commits the transaction. It returns an error only if nothing was written, or if that is unknown.
func (m *merge) commit(ctx context.Context) error {
	results, err := m.s.pg.Exec(ctx, "COMMIT").ReadAll()
	if err == nil {
		if len(results) != 1 || results[0].CommandTag.String() != "COMMIT" {
			return errcode.New(errcode.Internal, "the transaction was not committed")
		}
		return nil
	}
	if !m.s.pg.IsClosed() || ctx.Err() != nil {
		return m.db.errorOf(ctx, err)
	}
	err = m.db.errorOf(ctx, err)
	ctx, cancel := context.WithTimeout(ctx, askFor)
	defer cancel()
	unknown := &errcode.Error{Code: errcode.Unavailable, Err: err,
		Msg: "the connection was lost while the rows were committed, and the outcome is unknown; writing them again is safe if they have a key"}
	for m.xid != "" {
		status, asked := m.outcome(ctx)
		switch {
		case status == "committed":
			return nil
		case status == "aborted":
			return errcode.New(errcode.Unavailable, "the connection was lost; nothing was written: %w", err)
		case asked && status != "in progress":
			return unknown
		}
		if outbound.Wait(ctx, 100*time.Millisecond) != nil {
			return unknown
		}
	}
	return unknown
}

// outcome asks the server for the transaction's status: committed, aborted or in progress, or "" if unknown. asked is
// false if the server did not answer.
func (m *merge) outcome(ctx context.Context) (status string, asked bool) {
	s, err := m.db.enter(ctx, func(*session) error { return nil })
	if err != nil {
		return "", false
	}
	defer s.release()
	r := s.pg.ExecParams(ctx, "SELECT pg_catalog.txid_status($1::bigint)", [][]byte{[]byte(m.xid)}, nil, nil, nil).Read()
	if r.Err != nil {
		var pe *pgconn.PgError
		return "", errors.As(r.Err, &pe) && !s.pg.IsClosed()
	}
	if len(r.Rows) != 1 || r.Rows[0][0] == nil {
		return "", true
	}
	return string(r.Rows[0][0]), true
}

func (m *merge) onConflict() string {
	targets := m.plan.Targets(spelling)
	key, values := driverbase.List(m.plan.OfKey(targets)), make([]string, len(targets))
	for i, name := range targets {
		values[i] = "EXCLUDED." + name
	}
	set := m.plan.Set(spelling, values)
	if set == "" {
		return " ON CONFLICT (" + key + ") DO NOTHING"
	}
	return " ON CONFLICT (" + key + ") DO UPDATE SET " + set
}
