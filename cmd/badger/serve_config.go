package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"net"
	"os"
	"strconv"
	"time"

	"github.com/badger-eval/badger/internal/config"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/udf"
	"github.com/badger-eval/badger/udf/identity"
)

// listenConfig says where badger serve listens.
type listenConfig struct {
	GRPC string `yaml:"grpc"` // HOST:PORT of Flight and gRPC
	HTTP string `yaml:"http"` // HOST:PORT of the HTTP forms
	H2C  bool   `yaml:"h2c"`  // the HTTP listener speaks HTTP/2 without TLS, too
	// AllowPlaintext permits listening beyond this machine without TLS, where something in
	// front encrypts. Tokens are needed all the same.
	AllowPlaintext bool `yaml:"allow_plaintext"`

	Metrics string `yaml:"metrics"` // HOST:PORT of the metrics for Prometheus; empty: nowhere; :PORT is loopback
	// AllowOpenMetrics permits metrics beyond this machine. They are there for everybody then.
	AllowOpenMetrics bool `yaml:"allow_open_metrics"`
}

// metricsAddress is where metrics are served; "" is nowhere.
func (l listenConfig) metricsAddress() (string, error) {
	if l.Metrics == "" {
		return "", nil
	}
	host, port, err := net.SplitHostPort(l.Metrics)
	if err != nil {
		return "", usage("listen.metrics: %.60q is no address HOST:PORT", l.Metrics)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	addr, err := net.ResolveTCPAddr("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return "", usage("listen.metrics: %.60q is no address HOST:PORT", l.Metrics)
	}
	if !addr.IP.IsLoopback() && !l.AllowOpenMetrics {
		return "", usage("listen.metrics: %s is reachable from other machines, and metrics are for everybody there; set listen.allow_open_metrics where the network keeps others out", l.Metrics)
	}
	return addr.String(), nil
}

// configuration reads the file, the environment and the flags, in that order, and fills in defaults.
func (c *serveCommand) configuration(p process) (configuration, *config.Layers, error) {
	var out configuration
	l := config.New(&out)
	if err := l.Read(c.Config, p.variables()); err != nil {
		return out, l, err
	}
	if err := l.Add("flag", func() (err error) {
		out.Listen.GRPC, out.Listen.HTTP, out.Listen.Metrics = cmp.Or(c.GRPC, out.Listen.GRPC), cmp.Or(c.HTTP, out.Listen.HTTP), cmp.Or(c.Metrics, out.Listen.Metrics)
		out.Judges = append(out.Judges, c.Judges...)
		out.Judge, err = c.over(out.Judge)
		return err
	}); err != nil {
		return out, l, err
	}
	if err := platformPort(&out, l, p.getenv); err != nil {
		return out, l, err
	}
	return out, l, l.Add("", func() error { return out.defaults() })
}

// platformPort takes the port that a platform tells by a variable, where the HTTP listener is that
// platform's and nothing else says where it listens.
func platformPort(c *configuration, l *config.Layers, getenv func(string) string) error {
	_, who, err := c.Auth.listeners(c.TLS.ClientCA)
	if err != nil || c.Listen.HTTP != "" || who.Mode != identity.Platform {
		return err
	}
	variable := map[string]string{"cloud-run": "PORT", "databricks-apps": "DATABRICKS_APP_PORT"}[who.Platform]
	if variable == "" {
		return nil
	}
	port := getenv(variable)
	if port == "" {
		return nil
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return usage("%s: expected the number of a port", variable)
	}
	return l.Add("$"+variable, func() error {
		c.Listen.HTTP = "0.0.0.0:" + port
		return nil
	})
}

// defaults fills in what serving takes where nothing is said.
func (c *configuration) defaults() error {
	c.Listen.GRPC, c.Listen.HTTP = cmp.Or(c.Listen.GRPC, "127.0.0.1:7433"), cmp.Or(c.Listen.HTTP, "127.0.0.1:7434")
	if c.Workers == 0 {
		c.Workers = udf.DefaultWorkers
	}
	if c.Reload != 0 && c.Reload < leastReload {
		return usage("reload is %v, expected at least %v, or 0 for never", c.Reload, leastReload)
	}
	limits, err := c.Limits.limits().WithDefaults()
	if err != nil {
		return errcode.AsUsage(err)
	}
	c.Limits.fill(limits)
	if c.Judge.asked() {
		if c.Judge.Concurrency == 0 {
			c.Judge.Concurrency = judgebackend.DefaultConcurrency
		}
		if c.Judge.Timeout == 0 {
			c.Judge.Timeout = judgebackend.DefaultAttemptTimeout
		}
	}
	return nil
}

// leastReload keeps a server from doing little else than looking for another configuration.
const leastReload = time.Second

// fill takes the limits that hold.
func (c *limitsConfig) fill(l udf.Limits) {
	c.BodyBytes, c.MessageBytes, c.BatchRows, c.Calls, c.MemoryBytes, c.ReferenceBytes = l.Body, l.Message, l.Rows, l.Calls, l.InFlight, l.Reference
	c.ReadTime, c.StopGrace, c.StopDelay = l.ReadTime, l.StopGrace, l.StopDelay
	c.Caller = callerLimits{Calls: l.Caller.Calls, MemoryBytes: l.Caller.InFlight, RowsPerSecond: l.Caller.Rows}
}

// digestOf tells the contents of judge files apart: rows that were scored by one are not those of
// another.
func digestOf(files []string) string {
	h := sha256.New()
	for _, f := range files {
		text, _ := os.ReadFile(f) //nolint:gosec // what cannot be read was refused
		part := sha256.Sum256(text)
		h.Write(part[:])
	}
	return hex.EncodeToString(h.Sum(nil))
}
