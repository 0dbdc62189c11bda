package snowflake_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/drivertest"
	"github.com/badger-eval/badger/internal/fake/port"
	"github.com/badger-eval/badger/internal/sample"
)

// fakesnow starts the emulator of that name, once, and returns the options of URLs that reach it.
var fakesnow = sync.OnceValues(func() (string, error) {
	python := os.Getenv("BADGER_FAKESNOW_PYTHON")
	if python == "" {
		return "", nil
	}
	at, release, err := port.Reserve()
	if err != nil {
		return "", err
	}
	cmd := exec.Command(python, "-m", "uvicorn", "fakesnow.server:app", "--host", "127.0.0.1", "--port", strconv.Itoa(at), "--log-level", "info")
	out, err := cmd.StderrPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	stopFakesnow = func() { cmd.Process.Kill(); cmd.Wait(); release() }
	started := make(chan bool, 1)
	go func() {
		for s := bufio.NewScanner(out); s.Scan(); {
			if strings.Contains(s.Text(), "running on") {
				started <- true
			}
		}
		close(started)
	}()
	select {
	case ok := <-started:
		if !ok {
			return "", fmt.Errorf("fakesnow does not start")
		}
	case <-time.After(time.Minute):
		return "", fmt.Errorf("fakesnow does not start within a minute")
	}
	return fmt.Sprintf("host=127.0.0.1&protocol=http&port=%d&password_env=BADGER_TEST_PASSWORD&retries=1", at), nil
})

var stopFakesnow = func() {}

var databases atomic.Int64

// The suite against fakesnow, an emulator that runs Snowflake's SQL on DuckDB behind the protocol
// of the drivers.
func TestFakesnow(t *testing.T) {
	t.Parallel() // it waits for the emulator
	options, err := fakesnow()
	if err != nil {
		t.Fatal(err)
	}
	if options == "" {
		t.Skip("BADGER_FAKESNOW_PYTHON is not set: expected the python of an environment with fakesnow[server]")
	}
	h := harness(func(*testing.T) string {
		return fmt.Sprintf("snowflake://tester@fake/DB%d/PUBLIC?%s", databases.Add(1), options)
	})
	h.Skip = map[string]string{
		"Types/decimals":                        "the emulator reads no text of 38 digits",
		"Types/integers":                        "the emulator reads no text of 38 digits",
		"Types/structs":                         "numbers inside the emulator's JSON are doubles",
		"Types/timestamps":                      "the emulator rounds nanoseconds",
		"Results":                               "the emulator sends whole results at once",
		"Parameters":                            "the emulator answers a missing parameter with HTTP 500",
		"Writes/NULL in a key is a value":       "the emulator's MERGE does not know IS NOT DISTINCT FROM",
		"Merges":                                "as Writes; the emulator keeps microseconds",
		"Snapshots":                             "the emulator keeps no results by id, and reads files as tables",
		"Errors":                                "the emulator's errors are DuckDB's, under other numbers",
		"Cancel":                                "the emulator cancels nothing",
		"Parallel":                              "the emulator's MERGE is no single transaction",
		"Adds/two concurrent attempts of a run": "as Parallel",
		"Claims":                                "the emulator mixes up the parameters of a MERGE whose source is a UNION ALL",
		"Labelling/leases":                      "as Claims",
	}
	if !sample.Thorough() {
		long := []string{"Adds", "Round trips", "Tables", "Pages", "Judges", "Labelling", "Examination"}
		drawn := sample.One(t.Name(), len(long))
		for _, part := range slices.Delete(long, drawn, drawn+1) {
			h.Skip[part] = "of the long parts, one is drawn unless tests are thorough"
		}
	}
	drivertest.Run(t, h)
	t.Run("values", func(t *testing.T) {
		c := open(t, fmt.Sprintf("snowflake://tester@fake/DB%d/PUBLIC?%s", databases.Add(1), options), driver.Options{})
		defer c.Close()
		drivertest.TestValues(t, "snowflake", c, nil, map[string]string{
			"99999999999999999999999999999999999999::NUMBER(38, 0)": "the emulator reads no text of 38 digits",
			"'1.5e-20'::DECFLOAT":                               "the emulator has no DECFLOAT",
			"'12:34:56.123456789'::TIME(9)":                     "the emulator rounds nanoseconds",
			"'2024-02-29 23:59:59.999999999'::TIMESTAMP_NTZ(9)": "the emulator rounds nanoseconds",
			"ARRAY_CONSTRUCT(1, NULL)":                          "the emulator answers HTTP 500",
			"{'k': 1}::MAP(VARCHAR, NUMBER)":                    "the emulator answers HTTP 500",
			"[0.1, -2, 3.5]::VECTOR(FLOAT, 3)":                  "the emulator has no VECTOR",
			"TO_GEOGRAPHY('POINT(1 2)')":                        "the emulator has no GEOGRAPHY",
			"TO_GEOMETRY('POINT(1 2)')":                         "the emulator has no GEOMETRY",
		})
	})
}
