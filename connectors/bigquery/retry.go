package bigquery

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"google.golang.org/api/googleapi"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/errcode"
)

// asked returns the delay before a retry that BigQuery asks for in an error.
func asked(err error) time.Duration {
	var rest *googleapi.Error
	if !errors.As(err, &rest) {
		return 0
	}
	return driverbase.RetryAfter(rest.Header)
}

// retry sends a request that may be sent twice until it is answered. If a token is rejected, it requests a token
// once more, since it may have been renewed in the meantime.
func (c *Conn) retry(ctx context.Context, f func() error) error {
	return c.retryAlso(ctx, f, func(fault) bool { return false })
}

// retryOfJob is retry of a request about a job that was started: BigQuery may say for a while that there is
// none.
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
