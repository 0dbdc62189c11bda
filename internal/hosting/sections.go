package hosting

import (
	"net"
	"reflect"
	"strconv"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/udf/identity"
	"github.com/badger-eval/badger/udf/server"
)

// Auth configures the allowed callers of badger serve, for both listeners or for each separately.
type Auth struct {
	identity.Config `yaml:",inline"`
	GRPC            *identity.Config `yaml:"grpc"`
	HTTP            *identity.Config `yaml:"http"`
}

// Listeners returns the configuration of the callers of each listener. If clientCA is not empty, it is the default of
// ClientCAFile. Setting callers both for all and for one listener is a usage error.
func (a Auth) Listeners(clientCA string) (byGRPC, byHTTP identity.Config, err error) {
	byGRPC, byHTTP = a.Config, a.Config
	common := a.Config
	common.Roles, common.DefaultRoles = nil, nil
	if !reflect.ValueOf(common).IsZero() && (a.GRPC != nil || a.HTTP != nil) {
		return byGRPC, byHTTP, errcode.Usage("auth: set the allowed callers either for both listeners, or under auth.grpc and auth.http; only roles and default_roles may be set next to these")
	}
	for _, l := range []struct {
		own  *identity.Config
		into *identity.Config
	}{{a.GRPC, &byGRPC}, {a.HTTP, &byHTTP}} {
		if l.own != nil {
			*l.into = *l.own
			if l.into.Roles == nil {
				l.into.Roles = a.Roles
			}
			if l.into.DefaultRoles == nil {
				l.into.DefaultRoles = a.DefaultRoles
			}
		}
		if l.into.ClientCAFile == "" {
			l.into.ClientCAFile = clientCA
		}
	}
	return byGRPC, byHTTP, nil
}

// Limits limit the resources that callers of badger serve can use. Missing keys have the defaults of server.Limits.
type Limits struct {
	BodyBytes      int64         `yaml:"body_bytes" least:"0" most:"1125899906842624"`
	MessageBytes   int           `yaml:"message_bytes" least:"0" most:"2147483647"`
	BatchRows      int           `yaml:"batch_rows" least:"0" most:"1000000000"`
	Calls          int           `yaml:"calls" least:"0" most:"1000000000"`
	Connections    int           `yaml:"connections" least:"0" most:"1000000000"` // for each listener
	MemoryBytes    int64         `yaml:"memory_bytes" least:"0" most:"1125899906842624"`
	ReferenceBytes int64         `yaml:"reference_bytes" least:"0" most:"1125899906842624"`
	ReadTime       time.Duration `yaml:"read_time" least:"0s"`
	StopGrace      time.Duration `yaml:"stop_grace" least:"0s"`
	StopDelay      time.Duration `yaml:"stop_delay" least:"0s"`

	Caller  CallerLimits            `yaml:"caller"`  // for each caller
	Callers map[string]CallerLimits `yaml:"callers"` // for some callers, by name
}

// CallerLimits limit one caller. The limit of its judge costs is judge.caller_budget.
type CallerLimits struct {
	Calls         int     `yaml:"calls" least:"0" most:"1000000000"`
	MemoryBytes   int64   `yaml:"memory_bytes" least:"0" most:"1125899906842624"`
	RowsPerSecond float64 `yaml:"rows_per_second" least:"0"`
}

func (c CallerLimits) limits() server.CallerLimits {
	return server.CallerLimits{Calls: c.Calls, InFlight: c.MemoryBytes, Rows: c.RowsPerSecond}
}

// Limits converts c to the server's type.
func (c Limits) Limits() server.Limits {
	out := server.Limits{
		Body: c.BodyBytes, Message: c.MessageBytes, Rows: c.BatchRows, Calls: c.Calls, Connections: c.Connections,
		InFlight: c.MemoryBytes, Reference: c.ReferenceBytes,
		ReadTime: c.ReadTime, StopGrace: c.StopGrace, StopDelay: c.StopDelay, Caller: c.Caller.limits(),
		Callers: map[string]server.CallerLimits{},
	}
	for name, l := range c.Callers {
		out.Callers[name] = l.limits()
	}
	return out
}

// Listen configures the listeners of badger serve.
type Listen struct {
	GRPC string `yaml:"grpc"` // HOST:PORT of Flight and gRPC
	HTTP string `yaml:"http"` // HOST:PORT of the HTTP interface
	H2C  bool   `yaml:"h2c"`  // accept HTTP/2 without TLS on the HTTP listener, too
	// AllowPlaintext permits listening beyond this machine without TLS, for a proxy in front of the server that
	// encrypts. Callers must authenticate nevertheless.
	AllowPlaintext bool `yaml:"allow_plaintext"`

	Metrics string `yaml:"metrics"` // HOST:PORT of the Prometheus metrics; empty: none; :PORT is on loopback
	// AllowOpenMetrics permits metrics beyond this machine, without authentication.
	AllowOpenMetrics bool `yaml:"allow_open_metrics"`
}

// MetricsAddress returns the address for the metrics, or "" if unset. An invalid one, or one beyond loopback that is
// not allowed, is a usage error.
func (l Listen) MetricsAddress() (string, error) {
	if l.Metrics == "" {
		return "", nil
	}
	host, port, err := net.SplitHostPort(l.Metrics)
	if err != nil {
		return "", errcode.Usage("listen.metrics: invalid address %.60q; expected HOST:PORT", l.Metrics)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	addr, err := net.ResolveTCPAddr("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return "", errcode.Usage("listen.metrics: the address %.60q cannot be resolved: %v; expected HOST:PORT", l.Metrics, err)
	}
	if !addr.IP.IsLoopback() && !l.AllowOpenMetrics {
		return "", errcode.Usage("listen.metrics: %s is reachable from other machines, and metrics are for everybody there; set listen.allow_open_metrics where the network keeps others out", l.Metrics)
	}
	return addr.String(), nil
}

// Fill sets the fields of c to the server's effective limits.
func (c *Limits) Fill(l server.Limits) {
	c.BodyBytes, c.MessageBytes, c.BatchRows, c.Calls, c.MemoryBytes, c.ReferenceBytes = l.Body, l.Message, l.Rows,
		l.Calls, l.InFlight, l.Reference
	c.Connections = l.Connections
	c.ReadTime, c.StopGrace, c.StopDelay = l.ReadTime, l.StopGrace, l.StopDelay
	c.Caller = CallerLimits{Calls: l.Caller.Calls, MemoryBytes: l.Caller.InFlight, RowsPerSecond: l.Caller.Rows}
}

// PlatformPort returns the port in a platform's variable, if the HTTP listener has that platform's mode and its
// address is not configured; "" otherwise. An invalid port in the variable is a usage error.
func PlatformPort(l Listen, a Auth, clientCA string, getenv func(string) string) (port, variable string, err error) {
	_, who, err := a.Listeners(clientCA)
	if err != nil || l.HTTP != "" || who.Mode != identity.Platform {
		return "", "", err
	}
	variable = map[string]string{"cloud-run": "PORT", "databricks-apps": "DATABRICKS_APP_PORT"}[who.Platform]
	if variable == "" {
		return "", "", nil
	}
	if port = getenv(variable); port == "" {
		return "", "", nil
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return "", "", errcode.Usage("%s: expected the number of a port", variable)
	}
	return port, variable, nil
}
