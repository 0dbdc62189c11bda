package store

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// Claim acquires the claims that are free or have expired, and returns those that owner holds afterwards. The
// database decides: one statement inserts a row only if its key has no valid one, whatever other processes do at
// the same time. Times are those of this machine's clock; the clocks of processes that share a warehouse must
// differ by much less than a claim lasts. A warehouse that cannot decide (driver.Dialect.NoClaims) grants
// everything.
func (w *Store) Claim(ctx context.Context, owner string, now, until time.Time, keys ...string) (held []string, err error) {
	if len(keys) == 0 || w.SQL().NoClaims {
		return keys, nil
	}
	keys = slices.Compact(slices.Sorted(slices.Values(keys))) // rows that are locked in one order deadlock nobody
	claims := Claims{Dialect: w.SQL()}
	query, args := claims.Take(owner, now, until, keys)
	if err := w.changeClaims(ctx, query, args); err != nil {
		return nil, err
	}
	query, args = claims.Held(owner, keys)
	err = w.Each(ctx, "reading claims", query, args, func(t *scoring.Table, row int) bool {
		held = append(held, (&record{t: t, row: row}).text(0))
		return true
	})
	return held, err
}

// RenewClaims extends all claims of an owner.
func (w *Store) RenewClaims(ctx context.Context, owner string, until time.Time) error {
	if w.SQL().NoClaims {
		return nil
	}
	query, args := Claims{Dialect: w.SQL()}.Renew(owner, until)
	return w.changeClaims(ctx, query, args)
}

// ReleaseClaims releases claims.
func (w *Store) ReleaseClaims(ctx context.Context, owner string, keys ...string) error {
	if len(keys) == 0 || w.SQL().NoClaims {
		return nil
	}
	query, args := Claims{Dialect: w.SQL()}.Release(owner, keys)
	return w.changeClaims(ctx, query, args)
}

// ForgetClaims deletes the claims that expired before a time: those of processes that were killed.
func (w *Store) ForgetClaims(ctx context.Context, before time.Time) error {
	if w.SQL().NoClaims {
		return nil
	}
	query, args := Claims{Dialect: w.SQL()}.Forget(before)
	return w.changeClaims(ctx, query, args)
}

// VoidClaims deletes the claims of owners whose names begin with kind and not with mine, if the engine is part of
// this process: it excludes all other processes, so the owners have ended. mine is the prefix of the names of this
// process's owners. For other engines it does nothing.
func (w *Store) VoidClaims(ctx context.Context, kind, mine string) error {
	if w.SQL().NoClaims || !w.SQL().Embedded {
		return nil
	}
	query, args := Claims{Dialect: w.SQL()}.Void(kind, mine)
	return w.changeClaims(ctx, query, args)
}

func (w *Store) changeClaims(ctx context.Context, query string, args []any) error {
	return w.decide(ctx, "writing claims", query, args)
}

// decide runs a statement by which the database decides who comes first, again where it conflicted
// with that of another process.
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
