package service

import (
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
)

const defaultCortexModel = "claude-4-sonnet"

// SnowflakeService holds the settings of a service in Snowpark Container Services: the values under
// deploy.snowflake.
type SnowflakeService struct {
	QueryWarehouse string   `yaml:"query_warehouse"` // warehouse for the service's own statements
	Nodes          Replicas `yaml:"nodes"`           // nodes of the compute pool; by default as many as replicas
	PoolSuspend    int      `yaml:"pool_suspend"`    // seconds until an unused pool is suspended; 0: 600
	// instances that must be ready before the service counts as ready; 0: 1
	Ready    int    `yaml:"ready"`
	Suspend  int    `yaml:"suspend"`   // seconds without calls until the service is suspended; 0: never
	Public   bool   `yaml:"public"`    // also reachable from outside Snowflake
	LogLevel string `yaml:"log_level"` // level of the log in the event table: INFO, ERROR or NONE
	Previous string `yaml:"previous"`  // image to return to

	App NativeApp `yaml:"app"`
}

// NativeApp describes the Native App that contains the service.
type NativeApp struct {
	Package string `yaml:"package"` // name of the application package; empty: no app
	Name    string `yaml:"name"`    // name of the application that is installed as a trial
}

func (s *SnowflakeService) fields() []Field {
	return []Field{
		{"deploy.snowflake.query_warehouse", &s.QueryWarehouse, "", "badger_wh"},
		{"deploy.snowflake.log_level", &s.LogLevel, "INFO", "INFO"},
		{"deploy.snowflake.previous", &s.Previous, "", "/analytics/badger/images/badger:1.0.0"},
		{"deploy.snowflake.app.package", &s.App.Package, "", "badger_package"},
		{"deploy.snowflake.app.name", &s.App.Name, "badger", "badger"},
	}
}

// complete does nothing. [SPCSService.Complete] checks the section, because that needs names from outside it.
func (s *SnowflakeService) complete() error { return nil }

// completeSPCS checks the judge and sets defaults: none if no backend is set, Cortex with the service's own token, or
// an external model with a host and a key.
func (j *Judge) completeSPCS() error {
	bad := func(format string, args ...any) error {
		return errcode.New(errcode.InvalidArgument, "values: deploy.judge."+format, args...)
	}
	switch j.Backend {
	case "":
		if j.Model != "" || j.URL != "" || j.Secret != "" {
			return bad("backend is missing, such as cortex")
		}
		j.Backend = "none"
		return nil
	case "cortex":
		if j.Model == "" {
			j.Model = defaultCortexModel
		}
		fallthrough
	case "none":
		if j.URL != "" || j.Secret != "" {
			return bad("url and deploy.judge.secret are of no use to %s, which needs no host and no key", j.Backend)
		}
		return nil
	case "openai", "anthropic":
	default:
		return bad("backend is %.40q, expected cortex, openai, anthropic or none", j.Backend)
	}
	if j.Model == "" || j.Secret == "" {
		return bad("model and deploy.judge.secret: %s needs both", j.Backend)
	}
	u, err := url.Parse(j.URL)
	if err != nil || u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return bad("url: %s needs a URL such as https://models.example.com/v1, without a user, a query or a fragment",
			j.Backend)
	}
	if net.ParseIP(u.Hostname()) != nil {
		return bad("url: a network rule of Snowflake takes the name of a host, and not its address")
	}
	if p := u.Port(); p != "" {
		if n, err := strconv.Atoi(p); err != nil || n != 443 && n != 80 && n != 22 && n < 1024 || n > 65535 {
			return bad("url: a network rule of Snowflake takes the ports 22, 80, 443, and 1024 to 65535")
		}
	}
	return nil
}

// leastCores returns the CPU request of a container: a quarter of a core, or limit if that is less.
func leastCores(limit string) Quantity {
	if n, err := strconv.Atoi(strings.TrimSuffix(limit, "m")); err == nil && strings.HasSuffix(limit, "m") && n < 250 {
		return Quantity(limit)
	}
	if n, err := strconv.ParseFloat(limit, 64); err == nil && n < 0.25 {
		return Quantity(limit)
	}
	return "250m"
}

// memoryLimit returns the soft memory limit of Go in bytes: nine tenths of size, the container's memory.
func memoryLimit(size string) string {
	unit := 20
	if strings.HasSuffix(size, "Gi") {
		unit = 30
	}
	n, err := strconv.ParseInt(strings.TrimRight(size, "GMi"), 10, 32)
	if err != nil {
		return ""
	}
	return strconv.FormatInt(n<<unit/10*9, 10)
}
