package store

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
)

// Claim acquires those of the claims that are free or expired, and returns the keys that owner holds afterwards. The
// database decides: one statement inserts or replaces a row only if its key has no valid one, whatever other processes
// do concurrently. Times are those of this machine's clock; the clocks of processes that share a warehouse must differ
// by much less than the duration of a claim. If the warehouse has no such statement (driver.Dialect.NoClaims), all keys
// are returned.
func (w *Store) Claim(ctx context.Context, owner string, now, until time.Time,
	keys ...string) (held []string, err error) {
	if len(keys) == 0 || w.SQL().NoClaims {
		return keys, nil
	}
	keys = slices.Compact(slices.Sorted(slices.Values(keys))) // locking rows in the same order prevents deadlocks
	query, args := takeClaims(w.SQL(), claim{owner, now, until}, keys)
	if err := w.changeClaims(ctx, query, args); err != nil {
		return nil, err
	}
	return all(ctx, w, claimsHeld(w.SQL(), owner, keys))
}

const readingClaims = "reading claims"

// claim is the holder of a claim, the present time and the time of its expiration.
type claim struct {
	owner      string
	now, until time.Time
}

// takeClaims returns the statement that acquires the claims whose row does not exist or has expired. Other rows are
// unchanged.
func takeClaims(d driver.Dialect, c claim, keys []string) (query string, args []any) {
	p := &arguments{dialect: d}
	rows := make([]string, len(keys))
	if d.KeyIndex != nil {
		for i, k := range keys {
			rows[i] = "(" + p.add(k) + ", " + p.add(c.owner) + ", " + p.add(c.until.UnixMilli()) + ")"
		}
		return "INSERT INTO badger.claims AS t (claim_key, owner, expires_ms) VALUES " + strings.Join(rows, ", ") +
			" ON CONFLICT (claim_key) DO UPDATE SET owner = EXCLUDED.owner, expires_ms = EXCLUDED.expires_ms WHERE t.expires_ms < " + p.add(c.now.UnixMilli()), p.args
	}
	for i, k := range keys {
		rows[i] = "SELECT " + p.add(k) + " AS claim_key, " + p.add(c.owner) + " AS owner, " + p.add(c.until.UnixMilli()) +
			" AS expires_ms"
	}
	return "MERGE INTO badger.claims AS t USING (" + strings.Join(rows, " UNION ALL ") +
		") AS s ON t.claim_key = s.claim_key" +
		" WHEN MATCHED AND t.expires_ms < " + p.add(c.now.UnixMilli()) +
		" THEN UPDATE SET owner = s.owner, expires_ms = s.expires_ms" +
		" WHEN NOT MATCHED THEN INSERT (claim_key, owner, expires_ms) VALUES (s.claim_key, s.owner, s.expires_ms)", p.args
}

// claimsHeld returns the statement for those of the keys that an owner holds.
func claimsHeld(d driver.Dialect, owner string, keys []string) Select[string] {
	from, args := claimsOf(d, owner, keys)
	return Select[string]{What: readingClaims, Fields: only[string]("claim_key"), From: from, Args: args}
}

func claimsOf(d driver.Dialect, owner string, keys []string) (from string, args []any) {
	p := &arguments{dialect: d}
	return " FROM badger.claims WHERE owner = " + p.add(owner) + " AND claim_key IN (" + p.list(keys) + ")", p.args
}

// RenewClaims extends all claims of an owner.
func (w *Store) RenewClaims(ctx context.Context, owner string, until time.Time) error {
	if w.SQL().NoClaims {
		return nil
	}
	d := w.SQL()
	return w.changeClaims(ctx, "UPDATE badger.claims SET expires_ms = "+d.Param(1)+" WHERE owner = "+d.Param(2),
		[]any{until.UnixMilli(), owner})
}

// ReleaseClaims releases those of the claims that owner holds.
func (w *Store) ReleaseClaims(ctx context.Context, owner string, keys ...string) error {
	if len(keys) == 0 || w.SQL().NoClaims {
		return nil
	}
	from, args := claimsOf(w.SQL(), owner, keys)
	return w.changeClaims(ctx, "DELETE"+from, args)
}

// ForgetClaims deletes the claims that expired before a time, such as those of processes that were killed.
func (w *Store) ForgetClaims(ctx context.Context, before time.Time) error {
	if w.SQL().NoClaims {
		return nil
	}
	return w.changeClaims(ctx, "DELETE FROM badger.claims WHERE expires_ms < "+w.SQL().Param(1), []any{before.UnixMilli()})
}

// VoidClaims deletes the claims of owners whose names start with kind but not with mine, the prefix of this process's
// owners. It only does so if the engine is embedded: no other process can then use the database, so these owners have
// ended. kind and mine must not contain wildcards of LIKE.
func (w *Store) VoidClaims(ctx context.Context, kind, mine string) error {
	if w.SQL().NoClaims || !w.SQL().Embedded {
		return nil
	}
	d := w.SQL()
	return w.changeClaims(ctx, "DELETE FROM badger.claims WHERE owner LIKE "+d.Param(1)+" AND owner NOT LIKE "+d.Param(2),
		[]any{kind + "%", mine + "%"})
}

func (w *Store) changeClaims(ctx context.Context, query string, args []any) error {
	return w.decide(ctx, "writing claims", query, args)
}

// decide runs a statement by which the database arbitrates between processes, and retries it after a conflict with
// another process.
func (w *Store) decide(ctx context.Context, what, query string, args []any) (err error) {
	for try := range 6 {
		w.claiming.Lock()
		err = w.Use(what, func(conn driver.Conn) error { return conn.Exec(ctx, query, args...) })
		w.claiming.Unlock()
		if code := errcode.Of(err); code != errcode.Unavailable && code != errcode.AlreadyExists {
			return err
		}
		select {
		case <-time.After(time.Duration(1+rand.IntN(10<<try)) * 5 * time.Millisecond): //nolint:gosec // a pause
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return err
}
