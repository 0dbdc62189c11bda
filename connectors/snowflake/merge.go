package snowflake

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/badger-eval/badger/internal/errcode"
)

// chunkBytes is how much JSON one statement carries. Snowflake takes values of at most 16 MB.
const chunkBytes = 4 << 20

// Merge writes rows by one statement, which is a transaction of its own: all rows or none, and with
// a key the same whether it is run once or twice. The rows go along as a parameter, a JSON array of
// arrays of texts that are cast to the columns' types. What does not fit one statement is first
// laid into a temporary table, which the last statement reads. Without a key a statement whose
// answer is lost is not run twice, because the driver repeats it under its old request id.
func (c *Conn) Merge(ctx context.Context, table string, key []string, rows array.RecordReader) (n int64, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	m := merge{key: key}
	if m.table, err = nameOf(table); err != nil {
		return 0, err
	}
	if c.readOnly {
		return 0, errcode.New(errcode.PermissionDenied, "snowflake: writing to %s: the connection only reads", m.table)
	}
	for _, f := range rows.Schema().Fields() {
		m.names = append(m.names, f.Name)
	}
	for _, k := range key {
		if !slices.Contains(m.names, k) {
			return 0, invalid("writing to %s: the rows lack the key column %q", m.table, k)
		}
	}
	texts := &rowTexts{rows: rows, nulls: make([]bool, len(m.names))}
	first, err := texts.chunk(chunkBytes)
	if err != nil {
		return 0, m.failed(err)
	}
	if texts.n == 0 {
		return 0, nil
	}
	err = c.session(ctx, func(s *session) error {
		if err := m.describe(ctx, s); err != nil {
			return err
		}
		if texts.done {
			return s.exec(ctx, m.statement(flattened, texts.nulls), first)
		}
		return m.staged(ctx, s, first, texts)
	})
	if err != nil {
		return 0, m.failed(err)
	}
	return texts.n, nil
}

// merge is one call of Merge.
type merge struct {
	table   string
	key     []string
	names   []string // of the rows' columns
	columns []column // of the table, one for each name
}

func (m *merge) failed(err error) error {
	if code := errcode.Of(err); code != errcode.Unknown && code != errcode.Cancelled && code != errcode.DeadlineExceeded {
		return errcode.New(code, "writing to %s: %w", m.table, err)
	}
	return err
}

// describe finds the table's columns. The rows' names mean them in any case of letters, unless one
// is written just so.
func (m *merge) describe(ctx context.Context, s *session) error {
	res, err := s.query(ctx, "SELECT * FROM "+m.table+" WHERE 1 = 0", nil)
	if err != nil {
		return err
	}
	m.columns = nil
	for _, name := range m.names {
		i := slices.IndexFunc(res.columns, func(c column) bool { return c.name == name })
		if i < 0 {
			i = slices.IndexFunc(res.columns, func(c column) bool { return strings.EqualFold(c.name, name) })
		}
		if i < 0 {
			return invalid("the table has no column %q", name)
		}
		m.columns = append(m.columns, res.columns[i])
	}
	return nil
}

// A source of rows, each the array of its texts, and its number.
const flattened = "SELECT f.index AS n, f.value AS r FROM LATERAL FLATTEN(INPUT => PARSE_JSON(?)) AS f"

// staged lays all rows into a temporary table and then writes them at once.
func (m *merge) staged(ctx context.Context, s *session, chunk string, texts *rowTexts) error {
	stage := m.table[:strings.LastIndexByte(m.table, '.')+1] + "badger_stage_" + strings.ToLower(rand.Text())
	if strings.HasSuffix(m.table, `"`) { // a quoted name may hold points
		stage = "badger_stage_" + strings.ToLower(rand.Text())
	}
	if err := s.exec(ctx, "CREATE TEMPORARY TABLE "+stage+" (n NUMBER(19, 0), r VARIANT)"); err != nil {
		return err
	}
	written := int64(0)
	for {
		before := written
		written = texts.n
		if err := s.exec(ctx, fmt.Sprintf("INSERT INTO %s (n, r) SELECT s.n + %d, s.r FROM (%s) AS s", stage, before, flattened), chunk); err != nil {
			return lost(err)
		}
		if texts.done {
			break
		}
		var err error
		if chunk, err = texts.chunk(chunkBytes); err != nil {
			return lost(err)
		}
		if texts.n == written {
			break
		}
	}
	if err := s.exec(ctx, m.statement("SELECT n, r FROM "+stage, texts.nulls)); err != nil {
		return lost(err)
	}
	if s.exec(ctx, "DROP TABLE "+stage) == nil {
		s.spent = false // else it ends with the session
	}
	return nil
}

// lost makes an error one after which the rows cannot be written again by itself: they have been
// read.
func lost(err error) error {
	if sessionGone(err) {
		return errcode.New(errcode.Unavailable, "snowflake: the session ended while rows were written; nothing was written: %v", err)
	}
	return err
}

// statement writes the rows of a source into the table. Of rows with one key the last counts.
func (m *merge) statement(source string, nulls []bool) string {
	var typed, columns, values, set, conditions, partition []string
	for i, c := range m.columns {
		typed = append(typed, fmt.Sprintf("%s AS c%d", c.cast(fmt.Sprintf("x.r[%d]::VARCHAR", i)), i))
		columns = append(columns, quote(c.name))
		values = append(values, fmt.Sprintf("s.c%d", i))
		if !slices.Contains(m.key, m.names[i]) {
			set = append(set, fmt.Sprintf("%s = s.c%d", quote(c.name), i))
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
		return fmt.Sprintf("INSERT INTO %s (%s) SELECT %s FROM (%s) AS s", m.table, list(columns), list(values), rows)
	}
	update := ""
	if len(set) > 0 {
		update = " WHEN MATCHED THEN UPDATE SET " + list(set)
	}
	return fmt.Sprintf("MERGE INTO %s AS t USING (SELECT y.* FROM (%s) AS y QUALIFY ROW_NUMBER() OVER (PARTITION BY %s ORDER BY y.n DESC) = 1) AS s ON %s%s WHEN NOT MATCHED THEN INSERT (%s) VALUES (%s)",
		m.table, rows, list(partition), strings.Join(conditions, " AND "), update, list(columns), list(values))
}

// cast makes the column's type of a text.
func (c *column) cast(text string) string {
	switch c.kind {
	case "FIXED":
		return fmt.Sprintf("%s::NUMBER(%d, %d)", text, c.digits(), c.scale)
	case "REAL":
		return text + "::FLOAT"
	case "BOOLEAN", "DATE":
		return text + "::" + c.kind
	case "TIME", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ", "TIMESTAMP_TZ":
		return text + "::" + c.kind + "(9)"
	case "BINARY":
		return "TO_BINARY(" + text + ", 'HEX')"
	case "VARIANT":
		return "PARSE_JSON(" + text + ")"
	case "OBJECT", "ARRAY":
		return "PARSE_JSON(" + text + ")::" + c.kind
	}
	return text
}
