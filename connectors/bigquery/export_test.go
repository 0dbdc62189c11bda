package bigquery

import "time"

// Hasten makes a connection wait only a little between tries.
func Hasten(c *Conn) {
	c.backoff = backoff{tries: 5, first: time.Millisecond, max: 5 * time.Millisecond}
}
