package main

import (
	"fmt"
	"reflect"
	"time"

	"github.com/badger-eval/badger/udf"
	"github.com/badger-eval/badger/udf/identity"
)

// authConfig says who may call badger serve: one for both listeners, or one for each.
type authConfig struct {
	identity.Config `yaml:",inline"`
	GRPC            *identity.Config `yaml:"grpc"`
	HTTP            *identity.Config `yaml:"http"`
}

// listeners are who may call each listener. clientCA requires client certificates on both.
func (a authConfig) listeners(clientCA string) (byGRPC, byHTTP identity.Config, err error) {
	byGRPC, byHTTP = a.Config, a.Config
	common := a.Config
	common.Roles, common.DefaultRoles = nil, nil
	if !reflect.ValueOf(common).IsZero() && (a.GRPC != nil || a.HTTP != nil) {
		return byGRPC, byHTTP, usage("auth: who may call is either the same for both listeners, or stands under auth.grpc and auth.http; only roles and default_roles may stand beside them")
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

// limitsConfig bounds what callers can make badger serve do. A key that is left out has its
// default; see udf.Limits.
type limitsConfig struct {
	BodyBytes      int64         `yaml:"body_bytes"`
	MessageBytes   int           `yaml:"message_bytes"`
	BatchRows      int           `yaml:"batch_rows"`
	Calls          int           `yaml:"calls"`
	MemoryBytes    int64         `yaml:"memory_bytes"`
	ReferenceBytes int64         `yaml:"reference_bytes"`
	ReadTime       time.Duration `yaml:"read_time"`
	StopGrace      time.Duration `yaml:"stop_grace"`
	StopDelay      time.Duration `yaml:"stop_delay"`

	Caller  callerLimits            `yaml:"caller"`  // of each caller
	Callers map[string]callerLimits `yaml:"callers"` // of some, by name
}

// callerLimits bound one caller.
type callerLimits struct {
	Calls         int     `yaml:"calls"`
	MemoryBytes   int64   `yaml:"memory_bytes"`
	RowsPerSecond float64 `yaml:"rows_per_second"`
	JudgeBudget   string  `yaml:"judge_budget"` // a day, as --budget
}

func (c callerLimits) limits() udf.CallerLimits {
	return udf.CallerLimits{Calls: c.Calls, InFlight: c.MemoryBytes, Rows: c.RowsPerSecond}
}

// limits checks the limits and brings them into the server's form.
func (c limitsConfig) limits() (udf.Limits, error) {
	out := udf.Limits{
		Body: c.BodyBytes, Message: c.MessageBytes, Rows: c.BatchRows, Calls: c.Calls, InFlight: c.MemoryBytes, Reference: c.ReferenceBytes,
		ReadTime: c.ReadTime, StopGrace: c.StopGrace, StopDelay: c.StopDelay, Caller: c.Caller.limits(), Callers: map[string]udf.CallerLimits{},
	}
	if err := c.Caller.checkBudget("limits.caller"); err != nil {
		return out, err
	}
	for name, l := range c.Callers {
		if err := l.checkBudget("limits.callers." + name); err != nil {
			return out, err
		}
		out.Callers[name] = l.limits()
	}
	return out, nil
}

// checkBudget refuses a budget that nobody would count.
func (c callerLimits) checkBudget(key string) error {
	if c.JudgeBudget == "" {
		return nil
	}
	if _, _, err := parseBudget(c.JudgeBudget); err != nil {
		return fmt.Errorf("%s.judge_budget: %w", key, err)
	}
	return usage("%s.judge_budget: not counted by caller yet; judge.budget bounds all callers together", key)
}
