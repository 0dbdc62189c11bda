package bigquery_test

import (
	"context"
	"maps"
	"net"
	"os"
	"os/exec"
	"regexp"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/connectors/bigquery"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/drivertest"
	"github.com/badger-eval/badger/internal/fake/port"
)

// emulatorGaps are what bigquery-emulator v0.8.1 cannot do, each seen in a run without it.
var emulatorGaps = map[string]string{
	"Results/column names may repeat": gaps["Results/column names may repeat"],

	"Types/floats":    "the emulator does not write NaN and infinities",
	"Types/structs":   "the emulator does not write NaN and infinities",
	"Types/instants":  "the emulator casts instants to text in the zone of Los Angeles",
	"Types/intervals": "the emulator loses the sign of an interval below a second",
	"Types/nul_bytes": "the emulator drops NUL",

	"Parameters": "the emulator analyses parameters without their types",

	"Writes/rows replace those of their key": noMerge,
	"Writes/NULL in a key is a value":        noMerge,
	"Writes/every type of badger's tables":   noMerge,
	"Writes/more rows than fit one batch":    noMerge,
	"Merges":                                 noMerge,
	"Parallel":                               noMerge,
	"Writes/without a key rows are added":    "the emulator takes an array of structs, as a parameter, for an integer",

	"Snapshots": "datasets and tables that SQL makes are not found by the emulator's REST API",
	"Judges":    "datasets and tables that SQL makes are not found by the emulator's REST API",
	"Errors":    "the emulator reports conversions as internal errors, and takes every statement for a SELECT before it runs it",

	"Cancel/while it runs":         "the emulator runs a statement before it answers, and ends no job",
	"Cancel/when the time is over": "the emulator runs a statement before it answers, and ends no job",
}

const noMerge = "the emulator merges from a plain table only"

// The suite against an emulator that runs BigQuery's dialect. BADGER_BIGQUERY_EMULATOR is the path
// of its program; README.md says how it is built.
func TestEmulator(t *testing.T) {
	program := os.Getenv("BADGER_BIGQUERY_EMULATOR")
	if program == "" {
		t.Skip("BADGER_BIGQUERY_EMULATOR is not set to the path of a bigquery-emulator")
	}
	// Names without a dataset find tables of any: each warehouse is an emulator of its own.
	openAt := func(t *testing.T, o driver.Options, storage bool) driver.Conn {
		t.Helper()
		rest, rpc := startEmulator(t, program)
		url := "bigquery://test/d?endpoint=http://" + rest + "&page_rows=300"
		if storage {
			url += "&storage_endpoint=" + rpc
		}
		c, _, err := bigquery.Open(context.Background(), url, driver.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if o.ReadOnly {
			defer c.Close() //nolint:errcheck // it made a table
			if err := c.Exec(t.Context(), "CREATE TABLE d.present AS SELECT 1 AS a"); err != nil {
				t.Fatal(err)
			}
		}
		if c, _, err = bigquery.Open(context.Background(), url, o); err != nil {
			t.Fatal(err)
		}
		bigquery.Hasten(c.(*bigquery.Conn))
		return qualifying{c.(*bigquery.Conn)}
	}
	for name, storage := range map[string]bool{"REST": false, "Storage": true} {
		t.Run(name, func(t *testing.T) {
			known := maps.Clone(emulatorGaps)
			if storage {
				known["Results/a record outlives the next one if it is retained"] = "the emulator's Storage Read API sends a small result as one batch"
			}
			drivertest.Run(t, drivertest.Harness{
				Name: "bigquery", Dialect: bigquery.Dialect, Features: bigquery.Features, Spelled: spelled, Skip: known,
				Open: func(t *testing.T, mem memory.Allocator) driver.Conn {
					return openAt(t, driver.Options{Mem: mem}, storage)
				},
				OpenReadOnly: func(t *testing.T, mem memory.Allocator) driver.Conn {
					return openAt(t, driver.Options{Mem: mem, ReadOnly: true}, storage)
				},
				Slow: "SELECT a AS i, SQRT(a * b) AS r FROM UNNEST(GENERATE_ARRAY(1, 50)) AS a, UNNEST(GENERATE_ARRAY(1, 50)) AS b",
			})
		})
	}
}

// qualifying names the dataset in CREATE statements: without it, the emulator's REST API does not
// see what they make.
type qualifying struct{ *bigquery.Conn }

var creates = regexp.MustCompile("^(CREATE (?:TABLE|VIEW)) ([^.\\s(`]+|`[^`]+`)([ (])")

// Exec runs a statement.
func (q qualifying) Exec(ctx context.Context, sql string, args ...any) error {
	return q.Conn.Exec(ctx, creates.ReplaceAllString(sql, "$1 d.$2$3"), args...)
}

// startEmulator starts the program on two free ports of this machine.
func startEmulator(t *testing.T, program string) (rest, rpc string) {
	t.Helper()
	rest, rpc = port.Unused(t), port.Unused(t)
	number := func(address string) string { _, p, _ := net.SplitHostPort(address); return p }
	cmd := exec.CommandContext(t.Context(), program, "--project=test", "--dataset=d", "--host=127.0.0.1", "--port="+number(rest), "--grpc-port="+number(rpc)) //nolint:gosec // the tester's own
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill() //nolint:errcheck // it may have ended
		cmd.Wait()         //nolint:errcheck // it was killed
	})
	for range 300 {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", rest)
		if err == nil {
			conn.Close() //nolint:errcheck // it is there
			return rest, rpc
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatal("the emulator does not answer")
	return "", ""
}
