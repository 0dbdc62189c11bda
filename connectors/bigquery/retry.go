package bigquery

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"google.golang.org/api/googleapi"

	"github.com/badger-eval/badger/internal/errcode"
)

// backoff says how often and after which pauses something is tried again.
type backoff struct {
	tries      int
	first, max time.Duration
}

var defaultBackoff = backoff{tries: 7, first: 200 * time.Millisecond, max: 20 * time.Second}

// pause waits before try n, from 1: half of the step always, half of it by chance, so that many
// clients do not come back together. What the server asked for counts if it is longer.
func (b backoff) pause(ctx context.Context, n int, err error) error {
	step := min(b.first<<min(n-1, 20), b.max)
	wait := step/2 + rand.N(step/2+1) //nolint:gosec // no secret
	if asked := retryAfter(err); asked > wait {
		wait = min(asked, time.Minute)
	}
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func retryAfter(err error) time.Duration {
	var rest *googleapi.Error
	if !errors.As(err, &rest) {
		return 0
	}
	seconds, e := strconv.Atoi(rest.Header.Get("Retry-After"))
	if e != nil || seconds < 0 {
		return 0
	}
	return time.Duration(seconds) * time.Second
}

// retry sends a request that may be sent twice until it is answered. A token that is refused is
// asked for once more: whoever renews it may just have done so.
func (c *Conn) retry(ctx context.Context, f func() error) error {
	refused := false
	for n := 1; ; n++ {
		err := f()
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		fault := faultOf(err)
		if (fault.status == http.StatusUnauthorized || fault.code == errcode.Unauthenticated) && !refused {
			refused = true
		} else if !fault.transient || n >= c.backoff.tries {
			return err
		}
		if err := c.backoff.pause(ctx, n, err); err != nil {
			return err
		}
	}
}
