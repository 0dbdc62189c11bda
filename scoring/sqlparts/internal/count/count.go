// Package count counts what package sqlparts does, for tests that texts are not read twice.
package count

import "sync/atomic"

// Parses counts the calls of sqlparts.Parse in this process.
var Parses atomic.Int64
