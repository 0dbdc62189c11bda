package snowflake_test

import (
	"bytes"
	"compress/gzip"
	"context"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"
	sf "github.com/snowflakedb/gosnowflake"

	fakesnowflake "github.com/badger-eval/badger/connectors/fake/snowflake"
)

// This package does not import the connector, whose packages change what the driver does in the
// whole process. So here is the driver alone. Each test shows a fault of the version that go.mod
// names, and skips itself when a version comes that does right: then the part of the connector that
// it names may go.

var ctx = context.Background()

// config is how the connector configures the driver, but for what is worked around.
func config(address string) sf.Config {
	u, _ := url.Parse(address)
	port, _ := strconv.Atoi(u.Port())
	timezone := "UTC"
	return sf.Config{
		Account: "acme", User: "me", Password: "swordfish", Database: "DEMO", Host: u.Hostname(), Port: port, Protocol: u.Scheme, MaxRetryCount: 1, LoginTimeout: 3 * time.Second,
		DisableTelemetry: true, DisableOCSPChecks: true, CrlOnDiskCacheDisabled: true, Params: map[string]*string{"TIMEZONE": &timezone},
	}
}

type conn interface {
	sqldriver.QueryerContext
	sqldriver.Conn
	sf.SnowflakeConnection
}

// alone opens the driver. Its requests go through see first, if there is one.
func alone(t *testing.T, s *fakesnowflake.Server, see func(r *http.Request, body string)) conn {
	t.Helper()
	c := config(s.URL)
	if see != nil {
		c.Transporter = seen(see)
	}
	raw, err := sf.NewConnector(sf.SnowflakeDriver{}, c).Connect(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { raw.Close() })
	return raw.(conn)
}

// seen is a transport whose requests are seen.
type seen func(r *http.Request, body string)

func (see seen) RoundTrip(r *http.Request) (*http.Response, error) {
	body := ""
	if r.Body != nil {
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		if z, err := gzip.NewReader(bytes.NewReader(raw)); err == nil {
			plain, _ := io.ReadAll(z)
			body = string(plain)
		} else {
			body = string(raw)
		}
		r = r.Clone(r.Context())
		r.Body = io.NopCloser(bytes.NewReader(raw))
	}
	see(r, body)
	return http.DefaultTransport.RoundTrip(r)
}

func batches() context.Context {
	return sf.WithArrowBatchesTimestampOption(sf.WithHigherPrecision(sf.WithArrowBatches(ctx)), sf.UseOriginalTimestamp)
}

// column is a result of one column.
func column(asJSON bool, typ string, precision, scale int, values ...string) fakesnowflake.Result {
	r := fakesnowflake.Result{JSON: asJSON, Columns: []fakesnowflake.Column{{Name: "C", Type: typ, Precision: precision, Scale: scale}}}
	for _, v := range values {
		r.Rows = append(r.Rows, []fakesnowflake.Cell{fakesnowflake.Text(v)})
	}
	return r
}

// first is the first value of a result that is read as rows.
func first(t *testing.T, r fakesnowflake.Result) sqldriver.Value {
	t.Helper()
	s := fakesnowflake.New(t)
	s.Answer("SELECT c FROM t", r)
	rows, err := alone(t, s, nil).QueryContext(sf.WithHigherPrecision(ctx), "SELECT c FROM t", nil)
	if err != nil {
		t.Fatal(err)
	}
	dest := make([]sqldriver.Value, 1)
	if err := rows.Next(dest); err != nil {
		t.Fatal(err)
	}
	return dest[0]
}

// bound is what the driver sends for a parameter.
func bound(t *testing.T, values ...sqldriver.Value) (sent string) {
	t.Helper()
	s := fakesnowflake.New(t)
	s.Answer("SELECT .", column(false, "fixed", 1, 0, "1"))
	var args []sqldriver.NamedValue
	for i, v := range values {
		args = append(args, sqldriver.NamedValue{Ordinal: i + 1, Value: v})
	}
	if _, err := alone(t, s, func(r *http.Request, body string) {
		if strings.Contains(r.URL.Path, "query-request") {
			sent = body
		}
	}).QueryContext(ctx, "SELECT ?", args); err != nil {
		t.Fatal(err)
	}
	return sent
}

func TestDriverAlone(t *testing.T) {
	for _, tc := range []struct {
		why, part string
		right     func(t *testing.T) bool // the driver does right
	}{
		{"a batch that broke off and is asked for again ends without an error", "stream.renew", func(t *testing.T) bool {
			s := fakesnowflake.New(t)
			r := column(false, "fixed", 38, 0, "1")
			r.Chunks, r.Chunk = 1, func(int) [][]fakesnowflake.Cell {
				var rows [][]fakesnowflake.Cell
				for range 1000 {
					rows = append(rows, []fakesnowflake.Cell{fakesnowflake.Text("2")})
				}
				return rows
			}
			s.Answer("SELECT c FROM t", r)
			s.Script(fakesnowflake.Chunk, fakesnowflake.Step{Truncate: 300})
			rows, err := alone(t, s, nil).QueryContext(batches(), "SELECT c FROM t", nil)
			if err != nil {
				t.Fatal(err)
			}
			list, err := rows.(sf.SnowflakeRows).GetArrowBatches()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := list[1].Fetch(); err == nil {
				t.Fatal("half of a batch was taken for the whole")
			}
			again, err := list[1].Fetch()
			if err != nil {
				return false
			}
			n := int64(0)
			for _, rec := range *again {
				n += rec.NumRows()
			}
			return n == 1000
		}},
		{"times of day of scale 3 cannot be turned into Arrow", "unreadable", func(t *testing.T) bool {
			s := fakesnowflake.New(t)
			s.Answer("SELECT c FROM t", column(false, "time", 0, 3, "86399.999"))
			_, err := alone(t, s, nil).QueryContext(batches(), "SELECT c FROM t", nil)
			return err == nil
		}},
		{"maps make it panic", "maps.go", func(t *testing.T) (mended bool) {
			s := fakesnowflake.New(t)
			s.Answer("SELECT c FROM t", column(false, "map", 0, 0, `{"k":1}`))
			defer func() { mended = recover() == nil }()
			_, _ = alone(t, s, nil).QueryContext(batches(), "SELECT c FROM t", nil) //nolint:errcheck // the panic is what is looked for
			return true
		}},
		{"microseconds of the day are called nanoseconds", "timesOf", func(t *testing.T) bool {
			s := fakesnowflake.New(t)
			s.Answer("SELECT c FROM t", column(false, "time", 0, 6, "1.000000"))
			rows, err := alone(t, s, nil).QueryContext(batches(), "SELECT c FROM t", nil)
			if err != nil {
				t.Fatal(err)
			}
			list, err := rows.(sf.SnowflakeRows).GetArrowBatches()
			if err != nil {
				t.Fatal(err)
			}
			records, err := list[0].Fetch()
			if err != nil {
				t.Fatal(err)
			}
			return (*records)[0].Column(0).(*array.Time64).Value(0) == 1_000_000_000
		}},
		{"in JSON, times before 1970 with a fraction are wrong", "the second refusal of column.buildMoments", func(t *testing.T) bool {
			at, ok := first(t, column(true, "timestamp_ntz", 0, 9, "-1.250000000")).(time.Time)
			return ok && at.Equal(time.Unix(0, -1_250_000_000))
		}},
		{"in JSON, decimals of 38 digits lose the last", "the refusal of column.buildFixed", func(t *testing.T) bool {
			const digits = "914965694101496569410149656941014965.69"
			f, ok := first(t, column(true, "fixed", 38, 2, digits)).(big.Float)
			return ok && f.Text('f', 2) == digits
		}},
		{"a result in JSON begins anew behind its end", "result.end", func(t *testing.T) bool {
			s := fakesnowflake.New(t)
			s.Answer("SELECT c FROM t", column(true, "fixed", 38, 0, "1"))
			rows, err := alone(t, s, nil).QueryContext(ctx, "SELECT c FROM t", nil)
			if err != nil {
				t.Fatal(err)
			}
			dest := make([]sqldriver.Value, 1)
			for err == nil {
				err = rows.Next(dest)
			}
			return errors.Is(rows.Next(dest), io.EOF)
		}},
		{"doubles are bound with the digits of 32 bits", "the case of float64 in bind", func(t *testing.T) bool {
			return strings.Contains(bound(t, 0.30000000000000004), "0.30000000000000004")
		}},
		{"waiting for a statement goes on when its caller has cancelled", "session.wait", func(t *testing.T) bool {
			const id = "01b2c3d4-0000-1111-0000-222233334444"
			s := fakesnowflake.New(t)
			endless := column(false, "fixed", 38, 0, "1")
			endless.Polls = 1 << 30
			s.Keep(id, endless)
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			var at time.Time
			if _, err := alone(t, s, func(r *http.Request, _ string) {
				if strings.HasSuffix(r.URL.Path, "/result") && at.IsZero() {
					time.AfterFunc(100*time.Millisecond, func() { at = time.Now(); cancel() })
				}
			}).QueryContext(sf.WithFetchResultByID(ctx, id), "", nil); err == nil {
				t.Fatal("a result of a statement that has none")
			}
			return time.Since(at) < 100*time.Millisecond
		}},
		{"the HTTP status of an answer that was given up on is in words only", "transportFailure", func(t *testing.T) bool {
			s := fakesnowflake.New(t)
			c := alone(t, s, nil)
			s.Script(fakesnowflake.Query, fakesnowflake.Step{Status: 503}, fakesnowflake.Step{Status: 503}, fakesnowflake.Step{Status: 503})
			_, err := c.QueryContext(ctx, "SELECT 1", nil)
			var known *sf.SnowflakeError
			return errors.As(err, &known)
		}},
		{"plain HTTP without a port goes to that of HTTPS", "Config.port", func(t *testing.T) bool {
			right := false
			c := config("http://127.0.0.1")
			c.Transporter = round(func(r *http.Request) (*http.Response, error) {
				right = right || r.URL.Port() == "80" || r.URL.Port() == ""
				return nil, errors.New("not now")
			})
			_, _ = sf.NewConnector(sf.SnowflakeDriver{}, c).Connect(ctx)
			return right
		}},
	} {
		t.Run(tc.why, func(t *testing.T) {
			t.Parallel() // the driver waits a second before it tries again
			if tc.right(t) {
				t.Skipf("version %s of the driver does right: %s may go", sf.SnowflakeGoDriverVersion, tc.part)
			}
		})
	}
}

type round func(*http.Request) (*http.Response, error)

func (f round) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Variables of a process that has the driver alone.
const (
	account    = "BADGER_TEST_ALONE"     // its address
	revocation = "BADGER_TEST_ALONE_CRL" // not empty if lists of revoked certificates are examined
)

func TestMain(m *testing.M) {
	if os.Getenv(account) != "" {
		process()
		return
	}
	os.Exit(m.Run())
}

// process signs in, runs a statement that fails, and writes the platforms that it told the server.
func process() {
	c := config(os.Getenv(account))
	if os.Getenv(revocation) != "" {
		c.CertRevocationCheckMode = sf.CertRevocationCheckEnabled
	} else if c.Host == "127.0.0.1" {
		c.Transporter = seen(func(r *http.Request, body string) {
			if _, platform, ok := strings.Cut(body, `"PLATFORM":`); ok {
				fmt.Println(strings.SplitAfter(platform, "]")[0])
			}
		})
	}
	raw, err := sf.NewConnector(sf.SnowflakeDriver{}, c).Connect(ctx)
	if err == nil {
		_, _ = raw.(sqldriver.QueryerContext).QueryContext(ctx, "SELECT hunter2", nil)
		_ = raw.Close()
	}
	// The native library is unpacked in the background.
	for begun := time.Now(); os.Getenv("SF_DISABLE_MINICORE") == "" && time.Since(begun) < 3*time.Second; time.Sleep(time.Millisecond) {
		if made, _ := filepath.Glob(os.Getenv("HOME") + "/.cache/snowflake/*"); len(made) > 0 {
			return
		}
	}
}

// What the driver does to a process. The variables are those of package driverinit.
func TestDriverAloneInProcess(t *testing.T) {
	calm := map[string]string{
		"SF_DISABLE_MINICORE": "true", "SNOWFLAKE_DISABLE_PLATFORM_DETECTION": "true",
		"SNOWFLAKE_CRL_ON_DISK_CACHE_DIR": os.DevNull, "SF_TEMPORARY_CREDENTIAL_CACHE_DIR": "/proc/self",
	}
	type outcome struct {
		out, home string
		server    *fakesnowflake.Server
	}
	inHome := func(name string) func(outcome) bool {
		return func(o outcome) bool {
			made, err := filepath.Glob(o.home + name)
			return err == nil && len(made) == 0
		}
	}
	for _, tc := range []struct {
		why, part string
		without   string   // a variable that is not set
		set       []string // others that are
		right     func(outcome) bool
	}{
		{"a native library is unpacked and loaded", "SF_DISABLE_MINICORE", "SF_DISABLE_MINICORE", []string{"TMPDIR=/nonexistent"}, inHome("/.cache/snowflake/minicore")},
		{"the metadata servers of clouds are asked what machine this is", "SNOWFLAKE_DISABLE_PLATFORM_DETECTION", "SNOWFLAKE_DISABLE_PLATFORM_DETECTION", []string{"AWS_LAMBDA_TASK_ROOT=x"}, func(o outcome) bool {
			return !strings.Contains(o.out, "is_aws_lambda")
		}},
		{"a directory for revocation lists is made though they are not kept", "SNOWFLAKE_CRL_ON_DISK_CACHE_DIR", "SNOWFLAKE_CRL_ON_DISK_CACHE_DIR", []string{revocation + "=x"}, inHome("/.cache/snowflake")},
		{"a directory for tokens is made though none are kept", "SF_TEMPORARY_CREDENTIAL_CACHE_DIR", "SF_TEMPORARY_CREDENTIAL_CACHE_DIR", nil, inHome("/.cache/snowflake")},
		{"statements that fail are logged with their text", "the first init of quiet.go", "", nil, func(o outcome) bool { return !strings.Contains(o.out, "hunter2") }},
		{"a file in the home directory switches the log on", "driverLogging", "", nil, inHome("/logs/*")},
		{"the proxy of the environment is used", "the proxy of Config.driverConfig", "", []string{account + "=http://acme.invalid:80"}, func(o outcome) bool { return o.server.Count(fakesnowflake.Login) == 0 }},
	} {
		t.Run(tc.why, func(t *testing.T) {
			t.Parallel()
			s := fakesnowflake.New(t)
			s.Answer("SELECT hunter2", fakesnowflake.Result{Err: &fakesnowflake.Error{Code: "001003", State: "42000", Message: "syntax error near hunter2"}})
			o := outcome{home: t.TempDir(), server: s}
			if tc.part == "driverLogging" {
				logs := filepath.Join(o.home, "logs")
				if err := errors.Join(os.Mkdir(logs, 0o700), os.WriteFile(filepath.Join(o.home, "sf_client_config.json"), []byte(`{"common": {"log_level": "TRACE", "log_path": "`+logs+`"}}`), 0o600)); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.Command(os.Args[0])
			cmd.Env = append([]string{"HOME=" + o.home, "HTTP_PROXY=" + s.URL, account + "=" + s.URL}, tc.set...)
			for name, value := range calm {
				if name != tc.without {
					cmd.Env = append(cmd.Env, name+"="+value)
				}
			}
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			o.out = string(out)
			if tc.right(o) {
				t.Skipf("version %s of the driver does right: %s may go", sf.SnowflakeGoDriverVersion, tc.part)
			}
		})
	}
}
