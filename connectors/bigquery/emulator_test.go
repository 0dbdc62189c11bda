package bigquery_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/connectors/bigquery"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/drivertest"
)

// emulatorGaps are what goccy/bigquery-emulator v0.8.1 cannot do, each seen in a run without it.
var emulatorGaps = map[string]string{
	"Results/column names may repeat": gaps["Results/column names may repeat"],
}

// The suite against an emulator that runs BigQuery's dialect. BADGER_BIGQUERY_EMULATOR is the path of its program; README.md says how it is built.
func TestEmulator(t *testing.T) {
	program := os.Getenv("BADGER_BIGQUERY_EMULATOR")
	if program == "" {
		t.Skip("BADGER_BIGQUERY_EMULATOR is not set to the path of a bigquery-emulator")
	}
	rest, rpc := startEmulator(t, program)
	var n atomic.Int64
	openAt := func(t *testing.T, o driver.Options) driver.Conn {
		t.Helper()
		dataset := fmt.Sprintf("d%d", n.Add(1))
		// CREATE SCHEMA is not seen by the emulator's REST API.
		body := strings.NewReader(`{"datasetReference": {"projectId": "test", "datasetId": "` + dataset + `"}}`)
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+rest+"/bigquery/v2/projects/test/datasets", body)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close() //nolint:errcheck // nothing is read
		url := "bigquery://test/" + dataset + "?endpoint=http://" + rest + "&storage_endpoint=" + rpc
		if o.ReadOnly {
			c, _, err := bigquery.Open(t.Context(), url, driver.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close() //nolint:errcheck // it made a table
			if err := c.Exec(t.Context(), "CREATE TABLE present AS SELECT 1 AS a"); err != nil {
				t.Fatal(err)
			}
		}
		c, _, err := bigquery.Open(context.Background(), url, o)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	drivertest.Run(t, drivertest.Harness{
		Name: "bigquery", Dialect: bigquery.Dialect, Features: bigquery.Features, Spelled: spelled, Skip: emulatorGaps,
		Open: func(t *testing.T, mem memory.Allocator) driver.Conn { return openAt(t, driver.Options{Mem: mem}) },
		OpenReadOnly: func(t *testing.T, mem memory.Allocator) driver.Conn {
			return openAt(t, driver.Options{Mem: mem, ReadOnly: true})
		},
		Slow: "SELECT a AS i, SQRT(a * b) AS r FROM UNNEST(GENERATE_ARRAY(1, 10000)) AS a, UNNEST(GENERATE_ARRAY(1, 10000)) AS b",
	})
}

// startEmulator starts the program on two free ports of this machine.
func startEmulator(t *testing.T, program string) (rest, rpc string) {
	t.Helper()
	free := func() string {
		l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close() //nolint:errcheck // it is free again
		return l.Addr().String()
	}
	rest, rpc = free(), free()
	port := func(address string) string { _, p, _ := net.SplitHostPort(address); return p }
	cmd := exec.CommandContext(t.Context(), program, "--project=test", "--host=127.0.0.1", "--port="+port(rest), "--grpc-port="+port(rpc)) //nolint:gosec // the tester's own
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
