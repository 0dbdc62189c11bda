package store

import (
	"strings"
	"time"

	"github.com/badger-eval/badger/connectors/driver"
)

// Claims writes the statements over the table claims.
type Claims struct{ Dialect driver.Dialect }

// Take takes the claims of some keys for an owner: those whose row does not exist, and those whose row
// has expired. Rows that others hold stay as they are.
func (c Claims) Take(owner string, now, until time.Time, keys []string) (query string, args []any) {
	param := func(v any) string {
		args = append(args, v)
		return c.Dialect.Param(len(args))
	}
	rows := make([]string, len(keys))
	if c.Dialect.KeyIndex != nil {
		for i, k := range keys {
			rows[i] = "(" + param(k) + ", " + param(owner) + ", " + param(until.UnixMilli()) + ")"
		}
		return "INSERT INTO badger.claims AS t (claim_key, owner, expires_ms) VALUES " + strings.Join(rows, ", ") +
			" ON CONFLICT (claim_key) DO UPDATE SET owner = EXCLUDED.owner, expires_ms = EXCLUDED.expires_ms WHERE t.expires_ms < " + param(now.UnixMilli()), args
	}
	for i, k := range keys {
		rows[i] = "SELECT " + param(k) + " AS claim_key, " + param(owner) + " AS owner, " + param(until.UnixMilli()) + " AS expires_ms"
	}
	return "MERGE INTO badger.claims AS t USING (" + strings.Join(rows, " UNION ALL ") + ") AS s ON t.claim_key = s.claim_key" +
		" WHEN MATCHED AND t.expires_ms < " + param(now.UnixMilli()) + " THEN UPDATE SET owner = s.owner, expires_ms = s.expires_ms" +
		" WHEN NOT MATCHED THEN INSERT (claim_key, owner, expires_ms) VALUES (s.claim_key, s.owner, s.expires_ms)", args
}

// Held is a query for those of some keys that an owner holds.
func (c Claims) Held(owner string, keys []string) (query string, args []any) {
	return c.ofOwner("SELECT claim_key", owner, keys)
}

// Release gives the claims of some keys back.
func (c Claims) Release(owner string, keys []string) (query string, args []any) {
	return c.ofOwner("DELETE", owner, keys)
}

func (c Claims) ofOwner(statement, owner string, keys []string) (query string, args []any) {
	args = []any{owner}
	return statement + " FROM badger.claims WHERE owner = " + c.Dialect.Param(1) + " AND claim_key IN (" + params(c.Dialect, &args, keys) + ")", args
}

// Renew extends all claims of an owner.
func (c Claims) Renew(owner string, until time.Time) (query string, args []any) {
	return "UPDATE badger.claims SET expires_ms = " + c.Dialect.Param(1) + " WHERE owner = " + c.Dialect.Param(2), []any{until.UnixMilli(), owner}
}

// Forget deletes the claims that expired before a time.
func (c Claims) Forget(before time.Time) (query string, args []any) {
	return "DELETE FROM badger.claims WHERE expires_ms < " + c.Dialect.Param(1), []any{before.UnixMilli()}
}

// Void deletes the claims of owners of a kind, all but those of one among them: owners whose names begin
// with kind, and not with mine. Neither may hold what LIKE reads otherwise.
func (c Claims) Void(kind, mine string) (query string, args []any) {
	return "DELETE FROM badger.claims WHERE owner LIKE " + c.Dialect.Param(1) + " AND owner NOT LIKE " + c.Dialect.Param(2), []any{kind + "%", mine + "%"}
}

// params appends values to args and lists their parameters.
func params(d driver.Dialect, args *[]any, values []string) string {
	out := make([]string, len(values))
	for i, v := range values {
		*args = append(*args, v)
		out[i] = d.Param(len(*args))
	}
	return strings.Join(out, ", ")
}
