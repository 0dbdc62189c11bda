package duckdb

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/badger-eval/badger/internal/account"
	"github.com/badger-eval/badger/internal/errcode"
)

// The engine reads a table in chunks of 2,048 rows, and its memory limit does not cover the strings of a chunk: a
// table with cells of 60 MB may take 120 GB. The engine keeps statistics of each part of a table. They give the
// maximum size of a chunk, and are read before the rows.

// chunkRows is the maximum number of rows of a chunk.
const chunkRows = 2048

// chunkStatistics returns the maximum size of a chunk of a table: for each group of rows, the longest string of
// each column times the rows of a chunk. For values in lists it is times the rows of the group, as a chunk may
// contain all of them. Bits and large integers are packed and read as text: a byte is eight bits, or up to three
// digits.
const chunkStatistics = `SELECT max(bytes)::BIGINT FROM (SELECT sum(bytes) AS bytes FROM (
SELECT row_group_id, (CASE WHEN contains(column_path, ',') THEN sum(count) ELSE least(sum(count), 2048) END)::DOUBLE * (16 + max(coalesce(TRY_CAST(nullif(regexp_extract(stats, 'Max String Length: ([0-9]+)', 1), '') AS BIGINT), 0) * CASE segment_type WHEN 'BIT' THEN 9 WHEN 'BIGNUM' THEN 4 ELSE 1 END)) AS bytes
FROM pragma_storage_info(?) WHERE segment_type <> 'VALIDITY' GROUP BY row_group_id, column_path) GROUP BY row_group_id)`

// A read that is charged to an account holds an engine session with buffered rows, so at most mostCounted run
// concurrently. streamBytes is charged for the buffer.
const (
	streamBytes = 16 << 20
	mostCounted = 2
)

// inMemory is the number of copies of a chunk in memory: one being read, one waiting, and one as a record.
const inMemory = 3

// chunkBytes returns the maximum memory in bytes that reading a table or a view takes beyond the engine's memory
// limit. For a view it is the sum over all tables that it reads, ignoring expressions that make values longer.
func (c *Conn) chunkBytes(ctx context.Context, name string) (int64, error) {
	tables, err := c.scanned(ctx, name)
	if err != nil {
		return 0, err
	}
	total := int64(0)
	for _, table := range tables {
		text, err := c.text(ctx, strings.Replace(chunkStatistics, "?", Dialect.Literal(table), 1))
		if err != nil { // such as of a table of another engine, or one with a quote in its name
			return 0, errcode.New(errcode.Of(err),
				"the engine does not report the size of table %s; copy it to a table with a plain name: %w", table, err)
		}
		n := int64(0)
		if text != "" {
			if err := json.Unmarshal([]byte(text), &n); err != nil {
				return 0, errcode.New(errcode.Internal, "duckdb: the size of a chunk is not a number")
			}
		}
		total += inMemory * n
	}
	return total, nil
}

// scanned returns the quoted names of the tables that reading a table or a view reads, according to its query plan.
func (c *Conn) scanned(ctx context.Context, name string) ([]string, error) {
	text, err := c.text(ctx,
		"SELECT count(*) FROM duckdb_views() WHERE NOT internal AND "+joinedName+" = "+Dialect.Literal(name))
	if err != nil || text == "0" {
		return []string{name}, err
	}
	plan, err := c.plan(ctx, name)
	if err != nil {
		return nil, err
	}
	var nodes []planNode
	if err := json.Unmarshal([]byte(plan), &nodes); err != nil {
		return nil, errcode.New(errcode.Internal, "duckdb: the plan of view %s cannot be read", name)
	}
	var named []string
	for i := range nodes {
		named = nodes[i].tables(named)
	}
	var out []string
	for _, n := range named {
		quoted, err := c.text(ctx, "SELECT max("+joinedName+") FROM (SELECT database_name, schema_name, table_name AS view_name FROM duckdb_tables()) WHERE concat_ws('.', database_name, schema_name, view_name) = "+Dialect.Literal(n))
		if err != nil {
			return nil, err
		}
		if quoted != "" {
			out = append(out, quoted)
		}
	}
	return out, nil
}

// joinedName is the SQL expression for the quoted full name of a view in the catalog.
const joinedName = `concat_ws('.', '"' || replace(database_name, '"', '""') || '"', '"' || replace(schema_name, '"', '""') || '"', '"' || replace(view_name, '"', '""') || '"')`

// planNode is a part of a plan, as EXPLAIN (FORMAT json) writes it.
type planNode struct {
	Children []planNode     `json:"children"`
	Info     map[string]any `json:"extra_info"`
}

func (n *planNode) tables(to []string) []string {
	if table, ok := n.Info["Table"].(string); ok {
		to = append(to, table)
	}
	for i := range n.Children {
		to = n.Children[i].tables(to)
	}
	return to
}

func (c *Conn) plan(ctx context.Context, name string) (string, error) {
	r, err := c.Query(unread(ctx), "EXPLAIN (FORMAT json) SELECT * FROM "+name)
	if err != nil {
		return "", err
	}
	defer r.Release()
	plan := ""
	for r.Next() {
		if text, ok := r.Record().Column(1).(*array.String); ok && text.Len() > 0 {
			plan = text.Value(0)
		}
	}
	return plan, r.Err()
}

// text returns the single value of a query as text; "" for NULL or no row.
func (c *Conn) text(ctx context.Context, query string) (string, error) {
	r, err := c.Query(unread(ctx), query)
	if err != nil {
		return "", err
	}
	defer r.Release()
	out := ""
	for r.Next() {
		if col := r.Record().Column(0); col.Len() > 0 && col.IsValid(0) {
			out = col.ValueStr(0)
		}
	}
	return out, r.Err()
}

// unread returns a context for an auxiliary query, whose memory is not charged to the account of ctx.
func unread(ctx context.Context) context.Context { return account.Apart(ctx) }
