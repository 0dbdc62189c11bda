package bigquery

import (
	"context"
	"errors"
	"net/http"
	"time"

	"google.golang.org/api/googleapi"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/errcode"
)

// asked is how long BigQuery asks to wait after an error.
func asked(err error) time.Duration {
	var rest *googleapi.Error
	if !errors.As(err, &rest) {
		return 0
	}
	return driverbase.RetryAfter(rest.Header)
}

// retry sends a request that may be sent twice until it is answered. A token that is refused is
// asked for once more: whoever renews it may just have done so.
func (c *Conn) retry(ctx context.Context, f func() error) error {
	refused := false
	return c.backoff.Do(ctx, f, func(err error) (bool, time.Duration) {
		fault := faultOf(err)
		if (fault.status == http.StatusUnauthorized || fault.code == errcode.Unauthenticated) && !refused {
			refused = true
			return true, 0
		}
		return fault.transient, asked(err)
	})
}
