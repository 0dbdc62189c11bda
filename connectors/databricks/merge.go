package databricks

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/badger-eval/badger/internal/errcode"
)

// chunkBytes is about how much text one statement carries. Rows of one chunk are written by one
// statement; more go through a staging table.
const chunkBytes = 2 << 20

// Merge writes rows in one statement, which is a transaction: a MERGE with a key, an INSERT without
// one. The rows travel as one parameter, an array of arrays of texts in JSON, never as part of the
// SQL text. With a key, a statement whose answer was lost is run again, which changes nothing more.
// Without one it is not: the error then says that the rows may be there.
func (c *Conn) Merge(ctx context.Context, table string, key []string, r array.RecordReader) (int64, error) {
	if c.readOnly {
		return 0, errcode.New(errcode.PermissionDenied, "databricks: the connection is opened to only read")
	}
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	name, before, err := nameOf(table)
	if err != nil {
		return 0, err
	}
	m := &merge{c: c, table: name, schema: before, key: key}
	if err := m.match(ctx, r.Schema()); err != nil {
		return 0, m.failed(err)
	}
	texts := &rowTexts{r: r, columns: m.columns, nulls: make([]bool, len(m.columns))}
	first, err := texts.chunk(chunkBytes)
	switch {
	case err != nil:
		return 0, err
	case texts.n == 0:
		return 0, nil
	case texts.done:
		err = m.write(ctx, exploded, texts.nulls, first)
	default:
		err = m.staged(ctx, first, texts)
	}
	if err != nil {
		return 0, m.failed(err)
	}
	return texts.n, nil
}

// merge is one call of Merge.
type merge struct {
	c       *Conn
	table   string // in quotes
	schema  string // it lies in, with a point, or ""
	key     []string
	names   []string // of the rows' columns
	columns []column // of the table, one for each name
}

// failed says what an error concerns.
func (m *merge) failed(err error) error {
	err = m.c.errorOf(err)
	var ours *errcode.Error
	if errors.As(err, &ours) {
		return because(err, ours.Code, "writing to %s: %s", m.table, strings.TrimPrefix(ours.Msg, "databricks: "))
	}
	return err
}

// match finds the rows' columns in the table, in any case of letters.
func (m *merge) match(ctx context.Context, rows *arrow.Schema) error {
	res, err := m.c.query(ctx, "SELECT * FROM "+m.table+" WHERE 1 = 0", nil)
	if err != nil {
		return err
	}
	defer res.Release()
	for _, f := range rows.Fields() {
		i := slices.IndexFunc(res.columns, func(c column) bool { return strings.EqualFold(c.name, f.Name) })
		if i < 0 {
			return invalid("the table has no column %q", f.Name)
		}
		if slices.Contains(m.names, f.Name) {
			return invalid("the rows have column %q twice", f.Name)
		}
		if !writable(res.columns[i].sql) || !readable(f.Type) {
			return errcode.New(errcode.Unimplemented, "databricks: column %q: values of type %s are not written to one of type %s", f.Name, f.Type, res.columns[i].sql)
		}
		m.names, m.columns = append(m.names, f.Name), append(m.columns, res.columns[i])
	}
	for _, k := range m.key {
		if !slices.Contains(m.names, k) {
			return invalid("the rows lack the key column %q", k)
		}
	}
	return nil
}

// exploded is a source of rows: the number of each within its chunk, and the array of its texts.
// FAILFAST, because values that cannot be read would be NULL otherwise.
const exploded = "SELECT e.n, e.r FROM (SELECT posexplode(from_json(?, 'ARRAY<ARRAY<STRING>>', map('mode', 'FAILFAST'))) AS (n, r)) AS e"

// write writes the rows of a source in one statement.
func (m *merge) write(ctx context.Context, source string, nulls []bool, args ...any) error {
	repeat := len(m.key) > 0
	err := m.c.exec(ctx, m.statement(source, nulls), args, repeat)
	var lost *lostError
	if errors.As(err, &lost) && lost.sent && !repeat {
		return because(err, errcode.Unavailable, "databricks: the connection was lost before the answer came: all rows may have been added, or none; look before writing them again")
	}
	return err
}

// staged lays all rows into a table of its own and then writes them at once. A chunk that arrives
// there twice does no harm: its rows have numbers.
func (m *merge) staged(ctx context.Context, chunk string, texts *rowTexts) (err error) {
	stage := m.schema + quote("badger_stage_"+strings.ToLower(rand.Text()))
	if err := m.c.exec(ctx, "CREATE TABLE IF NOT EXISTS "+stage+" (n BIGINT, r ARRAY<STRING>) COMMENT 'rows on their way into another table'", nil, true); err != nil {
		return err
	}
	defer func() {
		ctx, done := context.WithTimeout(context.WithoutCancel(ctx), 2*afterwards)
		defer done()
		if dropped := m.c.exec(ctx, "DROP TABLE IF EXISTS "+stage, nil, true); dropped != nil && err != nil {
			err = because(err, codeOf(err), "%s (the staging table %s stays behind)", m.failed(err), stage)
		}
	}()
	for {
		if err := m.c.exec(ctx, fmt.Sprintf("INSERT INTO %s (n, r) SELECT s.n + %d, s.r FROM (%s) AS s", stage, texts.before, exploded), []any{chunk}, true); err != nil {
			return err
		}
		if texts.done {
			break
		}
		if chunk, err = texts.chunk(chunkBytes); err != nil {
			return err
		}
		if chunk == "" {
			break
		}
	}
	return m.write(ctx, "SELECT n, r FROM "+stage, texts.nulls)
}

// statement writes the rows of a source into the table. Of rows with one number one counts, of rows
// with one key the last.
func (m *merge) statement(source string, nulls []bool) string {
	var typed, columns, values, set, conditions, partition []string
	for i, c := range m.columns {
		typed = append(typed, fmt.Sprintf("%s AS c%d", c.cast(fmt.Sprintf("x.r[%d]", i)), i))
		columns = append(columns, quote(c.name))
		values = append(values, fmt.Sprintf("s.c%d", i))
		if !slices.Contains(m.key, m.names[i]) {
			set = append(set, fmt.Sprintf("t.%s = s.c%d", quote(c.name), i))
			continue
		}
		equal := "="
		if nulls[i] { // joins worse, so only where it matters
			equal = "IS NOT DISTINCT FROM"
		}
		conditions = append(conditions, fmt.Sprintf("t.%s %s s.c%d", quote(c.name), equal, i))
		partition = append(partition, fmt.Sprintf("y.c%d", i))
	}
	list := func(parts []string) string { return strings.Join(parts, ", ") }
	rows := "SELECT x.n, " + list(typed) + " FROM (" + source + ") AS x"
	if len(m.key) == 0 {
		return fmt.Sprintf("INSERT INTO %s (%s) SELECT %s FROM (%s) AS s WHERE s.place = 1", m.table, list(columns), list(values), placed(rows, "y.n"))
	}
	update := ""
	if len(set) > 0 {
		update = " WHEN MATCHED THEN UPDATE SET " + list(set)
	}
	return fmt.Sprintf("MERGE INTO %s AS t USING (SELECT p.* FROM (%s) AS p WHERE p.place = 1) AS s ON %s%s WHEN NOT MATCHED THEN INSERT (%s) VALUES (%s)",
		m.table, placed(rows, list(partition)), strings.Join(conditions, " AND "), update, list(columns), list(values))
}

// placed numbers the rows of one partition, the last is 1.
func placed(rows, partition string) string {
	return "SELECT y.*, ROW_NUMBER() OVER (PARTITION BY " + partition + " ORDER BY y.n DESC) AS place FROM (" + rows + ") AS y"
}

// writable tells the types of columns that rows can be written to.
func writable(sql string) bool {
	switch sql {
	case "BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL", "STRING", "VARCHAR", "CHAR", "DATE", "TIMESTAMP", "TIMESTAMP_NTZ", "BINARY", "VARIANT":
		return true
	}
	return false
}

// cast makes the column's type of a text.
func (c *column) cast(text string) string {
	switch c.sql {
	case "STRING", "VARCHAR", "CHAR":
		return text
	case "BINARY":
		return "unhex(" + text + ")"
	case "VARIANT":
		return "parse_json(" + text + ")"
	case "DECIMAL":
		return fmt.Sprintf("CAST(%s AS DECIMAL(%d, %d))", text, c.precision, c.scale)
	}
	return "CAST(" + text + " AS " + c.sql + ")"
}
