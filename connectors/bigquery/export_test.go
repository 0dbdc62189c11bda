package bigquery

import (
	"time"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
)

// Hasten makes a connection wait only a little between tries.
func Hasten(c *Conn) {
	c.backoff = driverbase.Retry{Times: 4, First: time.Millisecond, Longest: 5 * time.Millisecond}
}
