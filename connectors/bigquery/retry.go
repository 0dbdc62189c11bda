package bigquery

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"google.golang.org/api/googleapi"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/outbound"
)

// asked returns the delay in an error's Retry-After header; 0 if there is none.
func asked(err error) time.Duration {
	var rest *googleapi.Error
	if !errors.As(err, &rest) {
		return 0
	}
	return outbound.RetryAfter(rest.Header)
}

// retry repeats a request that may be repeated until it succeeds or retries are used up. After a rejected token it
// retries once, as the token may have been renewed.
func (c *Conn) retry(ctx context.Context, f func() error) error {
	return c.retryAlso(ctx, f, func(fault) bool { return false })
}

// retryOfJob is retry for requests about a job that was just started: BigQuery may report for a while that it does not
// exist.
func (c *Conn) retryOfJob(ctx context.Context, f func() error) error {
	return c.retryAlso(ctx, f, func(fault fault) bool {
		return fault.status == http.StatusNotFound && strings.HasPrefix(fault.message, "Not found: Job")
	})
}

func (c *Conn) retryAlso(ctx context.Context, f func() error, also func(fault) bool) error {
	refused := false
	return c.backoff.Do(ctx, f, func(err error) (bool, time.Duration) {
		fault := faultOf(err)
		if (fault.status == http.StatusUnauthorized || fault.code == errcode.Unauthenticated) && !refused {
			refused = true
			return true, 0
		}
		return fault.transient || also(fault), asked(err)
	})
}
