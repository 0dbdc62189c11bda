package databricks

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/badger-eval/badger/connectors/databricks/internal/workspace"
	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/errcode"
)

// chunkBytes is the approximate number of bytes of rows that one statement carries. Rows that fit are written by one
// statement; more go through a staging table.
const chunkBytes = 2 << 20

// Merge writes rows in one statement, which is a transaction: a MERGE with a key, an INSERT without one. The rows are
// one parameter, a JSON array of arrays of strings, or come from a staging table. If the reply is lost, the statement
// runs again with a key, which has no further effect; without a key Merge returns an error that says that the rows may
// have been stored.
func (c *Conn) Merge(ctx context.Context, table string, key []string, r array.RecordReader) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	name, before, err := nameOf(table)
	if err != nil {
		return 0, err
	}
	plan, err := driverbase.NewPlan("databricks", name, r.Schema(), key)
	if err != nil {
		return 0, err
	}
	if c.readOnly {
		return 0, plan.Error(errcode.PermissionDenied, "the connection only reads")
	}
	m := &merge{c: c, table: name, schema: before, plan: plan, pieces: driverbase.NewPieces(plan, r, notation)}
	if err := m.describe(ctx); err != nil {
		return 0, m.failed(err)
	}
	first, err := m.pieces.Next(chunkBytes)
	switch {
	case err != nil:
	case plan.Rows == 0:
		return 0, nil
	case m.pieces.Done():
		err = m.write(ctx, exploded, first)
	default:
		err = m.staged(ctx, first)
	}
	if err != nil {
		return 0, m.failed(err)
	}
	return plan.Rows, nil
}

// merge is one call of Merge.
type merge struct {
	c       *Conn
	table   string // quoted name
	schema  string // its quoted schema and a dot, or ""
	plan    *driverbase.Plan
	pieces  *driverbase.Pieces
	columns []column // all columns of the table
}

var (
	spelling = driverbase.Spelling{Quote: identifiers.Quoted, Assigned: "t."}
	notation = &driverbase.Notation{Infinity: "Infinity", Instant: "2006-01-02T15:04:05.999999Z",
		Clock: "2006-01-02T15:04:05.999999", Finest: time.Microsecond}
)

// failed adds the context of the merge to an error.
func (m *merge) failed(err error) error { return m.plan.Failed(m.c.errorOf(err)) }

// describe reads the table's columns and matches the rows' columns to them.
func (m *merge) describe(ctx context.Context) error {
	res, err := m.c.query(ctx, "SELECT * FROM "+m.table+" WHERE 1 = 0", nil)
	if err != nil {
		return err
	}
	defer res.Close(ctx)
	m.columns = res.columns
	names := make([]string, len(res.columns))
	for i, c := range res.columns {
		names[i] = c.name
	}
	if err := m.plan.Match(names); err != nil {
		return err
	}
	for _, place := range m.plan.Places {
		if c := m.columns[place]; kinds[c.sql].cast == "" {
			return m.plan.Error(errcode.Unimplemented, "column %q: unsupported type %s", c.name, c.sql)
		}
	}
	return nil
}

// exploded is a query for rows from a parameter: the index of each row in its chunk, and the array of its values.
// FAILFAST makes malformed values an error; otherwise they would be NULL.
const exploded = "SELECT e.n, e.r FROM (SELECT posexplode(from_json(?, 'ARRAY<ARRAY<STRING>>', map('mode', 'FAILFAST'))) AS (n, r)) AS e"

// write writes the rows of source, a query, into the table in one statement.
func (m *merge) write(ctx context.Context, source string, args ...any) error {
	err := m.c.exec(ctx, m.statement(source), args, m.plan.HasKey())
	if workspace.Lost(err) && !m.plan.HasKey() {
		return errcode.Because(err, errcode.Unavailable, "databricks: the connection was lost before the answer came: all rows or none may have been added; check the table before writing them again")
	}
	if workspace.Unanswered(err) && !m.plan.HasKey() {
		said := m.c.errorOf(err)
		return errcode.Because(err, errcode.Of(said),
			"%s; all rows or none may have been added; check the table before writing them again", said)
	}
	return err
}

// staged writes all rows into a staging table and then merges them in one statement. A chunk that is sent twice does no
// harm, since its rows are numbered.
func (m *merge) staged(ctx context.Context, piece string) (err error) {
	stage := m.schema + identifiers.Quoted("badger_stage_"+strings.ToLower(rand.Text()))
	if err := m.c.exec(ctx,
		"CREATE TABLE IF NOT EXISTS "+stage+" (n BIGINT, r ARRAY<STRING>) COMMENT 'rows on their way into another table'",
		nil, true); err != nil {
		return err
	}
	defer func() {
		ctx, done := context.WithTimeout(context.WithoutCancel(ctx), 2*workspace.Afterwards)
		defer done()
		if dropped := m.c.exec(ctx, "DROP TABLE IF EXISTS "+stage, nil, true); dropped != nil && err != nil {
			said := m.failed(err)
			err = errcode.Because(err, errcode.Of(said), "%s (the staging table %s was not dropped)", said, stage)
		}
	}()
	for piece != "" {
		if err := m.c.exec(ctx,
			fmt.Sprintf("INSERT INTO %s (n, r) SELECT s.n + %d, s.r FROM (%s) AS s", stage, m.pieces.Before(), exploded),
			[]any{piece}, true); err != nil {
			return err
		}
		if piece, err = m.pieces.Next(chunkBytes); err != nil {
			return err
		}
	}
	return m.write(ctx, "SELECT n, r FROM "+stage)
}

// statement returns the statement that writes the rows of source into the table. If rows have the same number, one of
// them is written; if rows have the same key, the last of them is written.
func (m *merge) statement(source string) string {
	typed := make([]string, len(m.plan.Places))
	for i, place := range m.plan.Places {
		typed[i] = fmt.Sprintf("%s AS c%d", m.columns[place].cast(fmt.Sprintf("x.r[%d]", i)), i)
	}
	rows := "SELECT x.n, " + driverbase.List(typed) + " FROM (" + source + ") AS x"
	if !m.plan.HasKey() {
		return m.plan.Insert(spelling, m.table, "("+placed(rows, "y.n")+")")
	}
	key := driverbase.List(m.plan.OfKey(m.plan.Staged(spelling, "y.")))
	return m.plan.Merge(spelling, m.table, "("+placed(rows, key)+")")
}

// placed returns a query for the last row, by number, of each partition of rows.
func placed(rows, partition string) string {
	return "SELECT p.* FROM (SELECT y.*, ROW_NUMBER() OVER (PARTITION BY " + partition +
		" ORDER BY y.n DESC) AS place FROM (" + rows + ") AS y) AS p WHERE p.place = 1"
}

// cast returns an expression that casts a string to the column's type.
func (c *column) cast(text string) string {
	return fmt.Sprintf(kinds[c.sql].cast, text, c.sql, c.precision, c.scale)
}
