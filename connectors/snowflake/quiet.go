package snowflake

import (
	"io"
	"sync"
	_ "unsafe" // for go:linkname

	sf "github.com/snowflakedb/gosnowflake"
)

// gosnowflake 1.19.1 logs SQL text and results to the standard error stream.
func init() {
	l := sf.GetLogger()
	l.SetOutput(io.Discard)
	_ = l.SetLogLevel("off")
}

// driverLogging is gosnowflake's internal state. Before its first session, version 1.19.1 looks for a file
// sf_client_config.json next to the program and in the home directory, or named by SF_CLIENT_CONFIG_FILE. That file can
// enable logging, with SQL text, to a file that it names. No option disables this.
//
//go:linkname driverLogging github.com/snowflakedb/gosnowflake.easyLoggingInitTrials
var driverLogging struct {
	tried   bool
	input   string
	counter int
	mu      sync.Mutex
}

// Marks the file as already searched and not found.
func init() {
	driverLogging.mu.Lock()
	defer driverLogging.mu.Unlock()
	driverLogging.tried, driverLogging.input = true, ""
}
