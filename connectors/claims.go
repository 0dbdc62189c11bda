package connectors

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// Claim takes the claims that are free or have expired, and returns those that owner holds
// afterwards. The database decides: one statement inserts a row only where its key has none that is
// still good, whoever else does so at the same time. Times are those of this machine's clock; the
// clocks of processes that share a warehouse may differ by much less than a claim lasts. A
// warehouse that cannot decide (driver.Dialect.NoClaims) grants everything.
func (w *Warehouse) Claim(ctx context.Context, owner string, now, until time.Time, keys ...string) (held []string, err error) {
	if len(keys) == 0 || w.dialect.NoClaims {
		return keys, nil
	}
	keys = slices.Compact(slices.Sorted(slices.Values(keys))) // rows that are locked in one order deadlock nobody
	if err := w.changeClaims(ctx, w.claimSQL(len(keys)), w.claimArgs(owner, now, until, keys)); err != nil {
		return nil, err
	}
	query, args := w.ofOwner("SELECT claim_key", owner, keys)
	err = w.each(ctx, "reading claims", query, args, func(t *scoring.Table, row int) bool {
		held = append(held, (&record{t: t, row: row}).text(0))
		return true
	})
	return held, err
}

// claimSQL takes n claims: those whose row is not there, and those whose row has expired.
func (w *Warehouse) claimSQL(n int) string {
	p := 0
	param := func() string { p++; return w.dialect.Param(p) }
	rows := make([]string, n)
	if w.dialect.KeyIndex != nil {
		for i := range rows {
			rows[i] = "(" + param() + ", " + param() + ", " + param() + ")"
		}
		return "INSERT INTO badger.claims AS t (claim_key, owner, expires_ms) VALUES " + strings.Join(rows, ", ") +
			" ON CONFLICT (claim_key) DO UPDATE SET owner = EXCLUDED.owner, expires_ms = EXCLUDED.expires_ms WHERE t.expires_ms < " + param()
	}
	for i := range rows {
		rows[i] = "SELECT " + param() + " AS claim_key, " + param() + " AS owner, " + param() + " AS expires_ms"
	}
	return "MERGE INTO badger.claims AS t USING (" + strings.Join(rows, " UNION ALL ") + ") AS s ON t.claim_key = s.claim_key" +
		" WHEN MATCHED AND t.expires_ms < " + param() + " THEN UPDATE SET owner = s.owner, expires_ms = s.expires_ms" +
		" WHEN NOT MATCHED THEN INSERT (claim_key, owner, expires_ms) VALUES (s.claim_key, s.owner, s.expires_ms)"
}

func (w *Warehouse) claimArgs(owner string, now, until time.Time, keys []string) []any {
	args := make([]any, 0, 3*len(keys)+1)
	for _, k := range keys {
		args = append(args, k, owner, until.UnixMilli())
	}
	return append(args, now.UnixMilli())
}

// ofOwner continues a statement with the claims of an owner.
func (w *Warehouse) ofOwner(statement, owner string, keys []string) (string, []any) {
	args := []any{owner}
	params := make([]string, len(keys))
	for i, k := range keys {
		args = append(args, k)
		params[i] = w.dialect.Param(len(args))
	}
	return statement + " FROM badger.claims WHERE owner = " + w.dialect.Param(1) + " AND claim_key IN (" + strings.Join(params, ", ") + ")", args
}

// RenewClaims makes all claims of an owner last longer.
func (w *Warehouse) RenewClaims(ctx context.Context, owner string, until time.Time) error {
	if w.dialect.NoClaims {
		return nil
	}
	return w.changeClaims(ctx, "UPDATE badger.claims SET expires_ms = "+w.dialect.Param(1)+" WHERE owner = "+w.dialect.Param(2), []any{until.UnixMilli(), owner})
}

// ReleaseClaims gives claims back.
func (w *Warehouse) ReleaseClaims(ctx context.Context, owner string, keys ...string) error {
	if len(keys) == 0 || w.dialect.NoClaims {
		return nil
	}
	query, args := w.ofOwner("DELETE", owner, keys)
	return w.changeClaims(ctx, query, args)
}

// ForgetClaims deletes the claims that expired before a time: those of processes that were killed.
func (w *Warehouse) ForgetClaims(ctx context.Context, before time.Time) error {
	if w.dialect.NoClaims {
		return nil
	}
	return w.changeClaims(ctx, "DELETE FROM badger.claims WHERE expires_ms < "+w.dialect.Param(1), []any{before.UnixMilli()})
}

// changeClaims runs a statement, again where it conflicted with that of another process.
func (w *Warehouse) changeClaims(ctx context.Context, query string, args []any) (err error) {
	for try := range 6 {
		w.claiming.Lock()
		err = w.use("writing claims", func() error { return w.conn.Exec(ctx, query, args...) })
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
