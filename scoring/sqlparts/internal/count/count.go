// Package count counts calls of the lexer and parser of package sqlparts, for tests that check that SQL is not
// parsed repeatedly.
package count

import "sync/atomic"

// Parses counts the calls of sqlparts.Parse in this process.
var Parses atomic.Int64
