package snowflake

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/connectors/snowflake/internal/value"
	"github.com/badger-eval/badger/internal/errcode"
)

// chunkBytes is the approximate number of bytes of rows in one statement. Snowflake accepts values of at most 16 MB.
const chunkBytes = 4 << 20

// Merge writes rows with one statement, which is its own transaction: all rows or none, and with a key the same result
// whether it runs once or twice. The rows are one parameter, a JSON array of arrays of strings that are cast to the
// columns' types. Rows that do not fit into one statement are first written to a temporary table, which the last
// statement reads. If the reply is lost, the driver sends the statement again with the same request ID, so that it does
// not run twice.
func (c *Conn) Merge(ctx context.Context, table string, key []string, rows array.RecordReader) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	name, err := nameOf(table)
	if err != nil {
		return 0, err
	}
	plan, err := driverbase.NewPlan("snowflake", name, rows.Schema(), key)
	if err != nil {
		return 0, err
	}
	if c.readOnly {
		return 0, plan.Error(errcode.PermissionDenied, "the connection only reads")
	}
	m := merge{table: name, plan: plan, pieces: driverbase.NewPieces(plan, rows, notation)}
	first, err := m.pieces.Next(chunkBytes)
	if err != nil || plan.Rows == 0 {
		return 0, plan.Failed(err)
	}
	err = c.session(ctx, func(s *session) error {
		if err := m.describe(ctx, s); err != nil {
			return err
		}
		if m.pieces.Done() {
			return s.exec(ctx, m.statement(flattened), first)
		}
		return m.staged(ctx, s, first)
	})
	if err != nil {
		return 0, plan.Failed(err)
	}
	return plan.Rows, nil
}

// merge is one call of Merge.
type merge struct {
	table   string
	plan    *driverbase.Plan
	pieces  *driverbase.Pieces
	columns []value.Column // all columns of the table
}

var (
	spelling = driverbase.Spelling{Quote: identifiers.Quoted}
	notation = &driverbase.Notation{Infinity: "inf", Instant: "2006-01-02 15:04:05.000000000+00:00",
		Clock: "2006-01-02 15:04:05.000000000", Finest: time.Nanosecond}
)

// describe reads the table's columns and matches the rows' columns to them.
func (m *merge) describe(ctx context.Context, s *session) error {
	res, err := s.query(ctx, "SELECT * FROM "+m.table+" WHERE 1 = 0", nil)
	if err != nil {
		return err
	}
	m.columns = res.columns
	names := make([]string, len(res.columns))
	for i, c := range res.columns {
		names[i] = c.Name
	}
	return m.plan.Match(names)
}

// flattened is a query for rows from a parameter: the index of each row, and the array of its values.
const flattened = "SELECT f.index AS n, f.value AS r FROM LATERAL FLATTEN(INPUT => PARSE_JSON(?)) AS f"

// staged writes all rows into a temporary table and then merges them in one statement.
func (m *merge) staged(ctx context.Context, s *session, piece string) error {
	stage := m.table[:strings.LastIndexByte(m.table, '.')+1] + "badger_stage_" + strings.ToLower(rand.Text())
	if strings.HasSuffix(m.table, `"`) { // a quoted name may contain dots
		stage = "badger_stage_" + strings.ToLower(rand.Text())
	}
	if err := s.exec(ctx, "CREATE TEMPORARY TABLE "+stage+" (n NUMBER(19, 0), r VARIANT)"); err != nil {
		return err
	}
	for piece != "" {
		if err := s.exec(ctx,
			fmt.Sprintf("INSERT INTO %s (n, r) SELECT s.n + %d, s.r FROM (%s) AS s", stage, m.pieces.Before(), flattened),
			piece); err != nil {
			return lost(err)
		}
		var err error
		if piece, err = m.pieces.Next(chunkBytes); err != nil {
			return lost(err)
		}
	}
	if err := s.exec(ctx, m.statement("SELECT n, r FROM "+stage)); err != nil {
		return lost(err)
	}
	if s.exec(ctx, "DROP TABLE "+stage) == nil {
		s.spent = false // otherwise the table is dropped at the end of the session
	}
	return nil
}

// lost replaces an error that means that the session has ended by one that is not retried, as the rows have been
// consumed.
func lost(err error) error {
	if sessionGone(err) {
		return errcode.New(errcode.Unavailable,
			"snowflake: the session ended while rows were written; nothing was written: %v", err)
	}
	return err
}

// statement returns the statement that writes the rows of source. If rows have the same key, the last is written.
func (m *merge) statement(source string) string {
	typed := make([]string, len(m.plan.Places))
	for i, place := range m.plan.Places {
		typed[i] = fmt.Sprintf("%s AS c%d", m.columns[place].Cast(fmt.Sprintf("x.r[%d]::VARCHAR", i)), i)
	}
	rows := "SELECT x.n, " + driverbase.List(typed) + " FROM (" + source + ") AS x"
	if !m.plan.HasKey() {
		return m.plan.Insert(spelling, m.table, "("+rows+")")
	}
	key := driverbase.List(m.plan.OfKey(m.plan.Staged(spelling, "y.")))
	return m.plan.Merge(spelling, m.table,
		"(SELECT y.* FROM ("+rows+") AS y QUALIFY ROW_NUMBER() OVER (PARTITION BY "+key+" ORDER BY y.n DESC) = 1)")
}
