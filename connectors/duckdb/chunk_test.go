package duckdb_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/duckdb"
	"github.com/badger-eval/badger/internal/account"
	"github.com/badger-eval/badger/internal/errcode"
)

// room is an account with room for so much.
type room struct{ limit, left, most int64 }

func (r *room) Limit() int64 { return r.limit }

func (r *room) Hold(_ context.Context, n int64) error {
	if n > r.left {
		return errcode.New(errcode.ResourceExhausted, "no room")
	}
	r.left -= n
	r.most += n
	return nil
}

// What reading a table may take is reserved before the engine reads it: as many of its longest texts as
// stand in one chunk. What is short takes little, however many rows there are.
func TestTablesAreReservedBeforeTheyAreRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.duckdb")
	c, err := duckdb.OpenWith(t.Context(), path, duckdb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, sql := range []string{
		"CREATE SCHEMA gold",
		"CREATE TABLE gold.short AS SELECT i, 'a' || i AS s FROM range(300000) r(i)",
		"CREATE TABLE gold.one AS SELECT repeat('x', 3000000) AS s",
		"CREATE TABLE gold.five AS SELECT repeat(chr(97 + i::INTEGER), 3000000) AS s FROM range(5) r(i)",
		"CREATE TABLE gold.blobs AS SELECT repeat('x', 3000000)::BLOB AS s FROM range(5) r(i)",
		"CREATE TABLE gold.bits AS SELECT repeat('1', 3000000)::BIT AS s FROM range(5) r(i)",
		"CREATE TABLE gold.lists AS SELECT [repeat('x', 3000), repeat('y', 3000)] AS s FROM range(5000) r(i)",
		"CREATE TABLE gold.fields AS SELECT {'a': repeat('x', 3000000)} AS s FROM range(5) r(i)",
		"CREATE TABLE gold.late AS SELECT CASE WHEN i = 250000 THEN repeat('x', 20000) ELSE 'a' END AS s FROM range(300000) r(i)",
		`CREATE TABLE gold."o'dd .name" AS SELECT repeat('x', 3000000) AS s FROM range(5) r(i)`,
		"CREATE VIEW gold.seen AS SELECT upper(s) AS s FROM gold.five WHERE s > 'b'",
		"CREATE VIEW gold.few AS SELECT max(i) AS i FROM gold.short",
		"CREATE TABLE gold.wide AS SELECT " + strings.Repeat("'a' AS s, ", 500) + "1 AS n FROM range(3000)",
		"CREATE TABLE gold.none(s VARCHAR)",
		"CHECKPOINT",
		"INSERT INTO gold.none SELECT repeat('x', 3000000) FROM range(5)", // not yet written
	} {
		if err := c.Exec(t.Context(), sql); err != nil {
			t.Fatal(sql, err)
		}
	}
	const mib = 1 << 20
	for name, at := range map[string]struct{ least, most int64 }{ // what is reserved before the first row
		"gold.short": {0, 20 * mib}, "gold.few": {0, 20 * mib}, "gold.wide": {0, 164 * mib}, "gold.one": {3_000_000, 30 * mib}, "gold.five": {15_000_000, 64 * mib},
		"gold.blobs": {15_000_000, 64 * mib}, "gold.bits": {15_000_000, 80 * mib}, "gold.lists": {30_000_000, 140 * mib}, "gold.fields": {15_000_000, 64 * mib}, "gold.late": {40_000_000, 150 * mib},
		`gold."o'dd .name"`: {15_000_000, 64 * mib}, "gold.seen": {15_000_000, 64 * mib}, "gold.none": {15_000_000, 64 * mib},
	} {
		ref, err := driver.ParseRef("table:" + name)
		if err != nil {
			t.Fatal(err)
		}
		a := &room{limit: 64 * mib, left: 1 << 40}
		ctx, _ := account.Begin(account.With(t.Context(), a))
		r, err := c.ReadSnapshot(ctx, ref)
		if err != nil {
			t.Fatalf("%s: %v, %v", name, err, errors.Unwrap(err))
		}
		if a.most < at.least || a.most > at.most {
			t.Errorf("%s: %d bytes are reserved before it is read, want from %d to %d", name, a.most, at.least, at.most)
		}
		rows := int64(0)
		for r.Next() {
			rows += r.Record().NumRows()
		}
		if err := r.Err(); err != nil || rows == 0 {
			t.Errorf("%s: %d rows, %v", name, rows, err)
		}
		r.Release()
		if at.least == 0 {
			continue
		}
		ctx, _ = account.Begin(account.With(t.Context(), &room{limit: 64 * mib, left: at.least}))
		if _, err := c.ReadSnapshot(ctx, ref); errcode.Of(err) != errcode.ResourceExhausted {
			t.Errorf("%s, with room for %d bytes: %v", name, at.least, err)
		}
	}
}

// An engine that holds little memory takes more for a query that needs it, of the call that asks and no
// more than it is told.
func TestSparingEngineCountsWhatItTakesMore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.duckdb")
	conn, _, err := duckdb.Open(t.Context(), "duckdb:"+path, driver.Options{Sparing: true, MostBytes: 400_000_000})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	const hungry = "SELECT len(list(i)) FROM range(10000000) r(i)" // a list of 80 MB cannot be put on the disk
	a := &room{limit: 1 << 30, left: 1 << 30}
	r, err := conn.Query(account.With(t.Context(), a), hungry)
	if err != nil {
		t.Fatal(err)
	}
	r.Release()
	if a.most < 360_000_000 {
		t.Errorf("%d bytes were reserved, want those by which the limit was lifted", a.most)
	}
	if _, err := conn.Query(account.With(t.Context(), &room{left: 1000}), hungry); errcode.Of(err) != errcode.ResourceExhausted {
		t.Errorf("without room: %v", err)
	}
	if _, err := conn.Query(t.Context(), "SELECT len(list(i)) FROM range(100000000) r(i)"); errcode.Of(err) != errcode.ResourceExhausted {
		t.Errorf("beyond what it may take: %v", err)
	}
}
