package databricks

import "time"

// Hasten makes a connection try again without waiting.
func Hasten(c *Conn) {
	c.pauses = pauses{time.Millisecond, 5 * time.Millisecond, 20 * time.Millisecond}
}
