package main

import (
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

// callerLimits bound one caller. What judges may cost each caller a day is judge.caller_budget.
type callerLimits struct {
	Calls         int     `yaml:"calls"`
	MemoryBytes   int64   `yaml:"memory_bytes"`
	RowsPerSecond float64 `yaml:"rows_per_second"`
}

func (c callerLimits) limits() udf.CallerLimits {
	return udf.CallerLimits{Calls: c.Calls, InFlight: c.MemoryBytes, Rows: c.RowsPerSecond}
}

// limits are the limits in the server's form.
func (c limitsConfig) limits() udf.Limits {
	out := udf.Limits{
		Body: c.BodyBytes, Message: c.MessageBytes, Rows: c.BatchRows, Calls: c.Calls, InFlight: c.MemoryBytes, Reference: c.ReferenceBytes,
		ReadTime: c.ReadTime, StopGrace: c.StopGrace, StopDelay: c.StopDelay, Caller: c.Caller.limits(), Callers: map[string]udf.CallerLimits{},
	}
	for name, l := range c.Callers {
		out.Callers[name] = l.limits()
	}
	return out
}
