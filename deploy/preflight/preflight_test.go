package preflight

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/connectors/doctor"
	"github.com/badger-eval/badger/internal/fake/port"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/judgebackend/openai"
	"github.com/badger-eval/badger/udf/identity"
)

// The whole of badger doctor --deployment is tried in package residency, in a network of its own:
// it tries addresses beyond this machine.

func TestSecretFiles(t *testing.T) {
	dir := t.TempDir()
	path := func(name, content string) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return p
	}
	now := time.Now()
	d := &deployment{getenv: func(string) string { return "" }, now: func() time.Time { return now.Add(3 * time.Hour) }}
	d.config.Judge.KeyFile = path("key", "hunter2")
	d.config.TLS.Key = filepath.Join(dir, "nothing.pem")
	d.config.TLS.Cert = path("empty.pem", "")
	d.config.Auth.HTTP = &identity.Config{TokenFile: dir}
	d.config.Warehouse = "snowflake://me@acme/DB?warehouse=W&private_key_file=" + path("key.p8", "hunter2")
	d.secretFiles()
	got := map[string]doctor.Check{}
	for _, c := range d.report.Checks {
		if got[c.Name] = c; strings.Contains(c.Detail+c.Fix, "hunter2") || strings.Contains(c.Detail, dir) {
			t.Errorf("a secret or a path is shown: %+v", c)
		}
	}
	for name, want := range map[string]doctor.Check{
		"file: judge.key_file":                     {Status: doctor.OK, Detail: `"key" can be read; last written 3h0m0s ago`},
		"file: results.warehouse private_key_file": {Status: doctor.OK, Detail: `"key.p8" can be read`},
		"file: tls.key":                            {Status: doctor.Failed, Detail: `"nothing.pem": no such file`},
		"file: tls.cert":                           {Status: doctor.Failed, Detail: `"empty.pem" is empty`},
		"file: auth.http.token_file":               {Status: doctor.Failed, Detail: "not a regular file"},
	} {
		if c := got[name]; c.Status != want.Status || !strings.Contains(c.Detail, want.Detail) {
			t.Errorf("%s: %+v, want %s with %q", name, c, want.Status, want.Detail)
		}
	}
	if len(got) != 5 {
		t.Errorf("%d checks, want five: %+v", len(got), got)
	}
	d.file("the container's token", d.config.Judge.KeyFile)
	if c := d.report.Checks[len(d.report.Checks)-1]; c.Status != doctor.Warning {
		t.Errorf("a container's token that was not rewritten for three hours: %+v", c)
	}
}

// The clocks are compared without the second that an answer's Date leaves open, and without the
// time that asking took.
func TestJudgeClock(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, tc := range []struct {
		date string
		want doctor.Status
	}{
		{at.Format(http.TimeFormat), doctor.OK},
		{at.Add(-30 * time.Second).Format(http.TimeFormat), doctor.OK},
		{at.Add(-32 * time.Second).Format(http.TimeFormat), doctor.Warning},
		{at.Add(31 * time.Second).Format(http.TimeFormat), doctor.Warning},
		{at.Add(time.Hour).Format(http.TimeFormat), doctor.Warning},
		{"yesterday", doctor.Skipped},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodHead || r.Header.Get("Authorization") != "" {
				t.Errorf("%s %v", r.Method, r.Header)
			}
			w.Header()["Date"] = []string{tc.date}
		}))
		d := &deployment{now: func() time.Time { return at }}
		d.how.Judged.Providers = judgebackend.Providers{openai.Provider}
		d.config.Judge.Backend, d.config.Judge.BaseURL = "openai:m", s.URL+"/v1"
		d.judgeClock(t.Context())
		s.Close()
		if len(d.report.Checks) != 1 || d.report.Checks[0].Status != tc.want {
			t.Errorf("Date: %s: %+v, want %s", tc.date, d.report.Checks, tc.want)
		}
	}
}

func TestKnock(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if got := knock(t.Context(), l.Addr().String()); got != answered {
		t.Errorf("a listener: %s", got)
	}
	defer l.Close()
	if got := knock(t.Context(), port.Unused(t)); got != refused {
		t.Errorf("nobody: %s", got)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if got := knock(ended, l.Addr().String()); got != silent {
		t.Errorf("no answer in time: %s", got)
	}
}

func TestMemoryLimit(t *testing.T) {
	for _, tc := range []struct {
		file, text string
		want       uint64
	}{
		{"memory.max", "536870912\n", 512 << 20},
		{"memory.max", "max\n", 0},
		{"memory/memory.limit_in_bytes", "268435456\n", 256 << 20},
		{"memory/memory.limit_in_bytes", "9223372036854771712\n", 0},
		{"other", "1\n", 0},
	} {
		root := t.TempDir()
		path := filepath.Join(root, tc.file)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(tc.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := memoryLimit(root); got != tc.want {
			t.Errorf("%s %q: %d, want %d", tc.file, tc.text, got, tc.want)
		}
	}
	if c := memoryCheck("", 512<<20); c.Status != doctor.Warning || !strings.Contains(c.Fix, "409MiB") {
		t.Errorf("a limit without GOMEMLIMIT: %+v", c)
	}
	if c := memoryCheck("", 0); c.Status != doctor.OK {
		t.Errorf("no limit: %+v", c)
	}
}
