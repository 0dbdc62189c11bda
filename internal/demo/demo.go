// Package demo holds the data of the demonstration: a small warehouse, a golden set of questions
// about it, and what two versions of a made-up agent, "atlas", answered.
//
// The warehouse is written in SQL for DuckDB, which is linked into the binary and needs no server
// and no network. All rows come from integer arithmetic on row numbers, so that every machine holds
// the same data. DuckDB's TPC-DS generator would save the retail half, but its Go library does not
// register that extension, and installing it would need the network.
//
//	err := demo.Build(ctx, db, nil)               // schemas retail and bank
//	err = demo.Populate(ctx, db, "badger")        // golden_set and agent_runs, with executed results
//	err = demo.Annotate(ctx, db, "badger")        // human_labels
//
// Everything that Populate stores is the same on every run: results are computed on one thread in
// UTC, latencies are part of the data.
package demo

import (
	"context"
	"database/sql"
	"embed"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
)

//go:embed data/*.sql data/*.jsonl
var files embed.FS

// steps are the SQL files that build the warehouse, in order.
var steps = []struct{ name, file string }{
	{"random numbers", "random.sql"},
	{"retail: tables", "retail_schema.sql"},
	{"retail: rows", "retail_rows.sql"},
	{"bank: tables", "bank_schema.sql"},
	{"bank: rows", "bank_rows.sql"},
}

// dropMacros drops the macros that random.sql creates.
const dropMacros = `DROP MACRO cents; DROP MACRO pick; DROP MACRO chance; DROP MACRO below;
	DROP MACRO rnd; DROP MACRO rnd_last; DROP MACRO rnd_mix; DROP MACRO rnd_seed`

// Build creates the schemas retail (stores, orders, returns, …) and bank (accounts, transactions, loans, …) with about
// 130,000 rows from 2023 and 2024. It takes about a second. progress is called with the name of each step before it
// starts, unless it is nil.
//
// Build creates everything in one transaction. If one of the schemas exists, it changes nothing and returns
// [errcode.AlreadyExists].
func Build(ctx context.Context, db *sql.DB, progress func(step string)) error {
	s, err := openSession(ctx, db)
	if err != nil {
		return err
	}
	defer s.close()
	var taken int
	if err := s.conn.QueryRowContext(ctx, "SELECT count(*) FROM duckdb_schemas() WHERE database_name = current_database() AND schema_name IN ('retail', 'bank')").Scan(&taken); err != nil {
		return failed(err, "looking for schemas retail and bank")
	}
	if taken > 0 {
		return errcode.New(errcode.AlreadyExists,
			"the database already has a schema retail or bank: build the demonstration in a new one")
	}
	tx, err := s.conn.BeginTx(ctx, nil)
	if err != nil {
		return failed(err, "starting a transaction")
	}
	defer tx.Rollback() //nolint:errcheck // after Commit it has nothing to do
	for _, step := range steps {
		if progress != nil {
			progress(step.name)
		}
		// A file may contain several statements.
		if _, err := tx.ExecContext(ctx, text(step.file)); err != nil {
			return failed(err, "building %s", step.name)
		}
	}
	if _, err := tx.ExecContext(ctx, dropMacros); err != nil {
		return failed(err, "dropping the macros of the generator")
	}
	if err := tx.Commit(); err != nil {
		return failed(err, "committing the warehouse")
	}
	return nil
}

// SchemaDDL returns the CREATE TABLE statements of a domain, "retail" or "bank", with comments on the columns; "" for
// any other.
func SchemaDDL(domain string) string {
	switch domain {
	case "retail", "bank":
		_, tables, _ := strings.Cut(text(domain+"_schema.sql"), "\n\n") // without CREATE SCHEMA
		return strings.TrimSpace(tables)
	}
	return ""
}

// text returns the content of an embedded file, and panics if it does not exist.
func text(name string) string {
	b, err := files.ReadFile("data/" + name)
	if err != nil {
		panic(err)
	}
	return string(b)
}
