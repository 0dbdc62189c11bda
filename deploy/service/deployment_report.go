package service

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/udf/identity"
)

// Report lists the users of the report that badger serve shows: the values under deploy.report. There is none if no
// user is named. Users are named as the platform names them to the server; * among readers or annotators means
// every user that the platform admits.
type Report struct {
	Readers    []string `yaml:"readers"`    // may read the report
	Annotators []string `yaml:"annotators"` // may also write labels
	Admins     []string `yaml:"admins"`     // may also create labeling queues
	Masked     []string `yaml:"masked"`     // columns of results whose cells are shown as hashes
}

const (
	everybody  = "*"
	longestWho = 160 // maximum bytes of a name, as in badger serve
)

// complete returns an error for an invalid value.
func (r *Report) complete() error {
	for _, l := range []struct {
		key    string
		values []string
	}{{"readers", r.Readers}, {"annotators", r.Annotators}, {"admins", r.Admins}, {"masked", r.Masked}} {
		for _, value := range l.values {
			if err := CheckText("deploy.report."+l.key, value); err != nil {
				return err
			}
			if value == "" || len(identity.Clean(value)) > longestWho {
				return errcode.New(errcode.InvalidArgument, "values: deploy.report.%s: invalid name %.60q; expected 1 to %d bytes",
					l.key, value, longestWho)
			}
		}
	}
	if slices.Contains(r.Admins, everybody) {
		return errcode.New(errcode.InvalidArgument,
			"values: deploy.report.admins: expected names; * is for readers and annotators")
	}
	if len(r.Masked) > 0 && !r.On() {
		return errcode.New(errcode.InvalidArgument,
			"values: deploy.report.masked: there is no report without deploy.report.readers, annotators or admins")
	}
	return nil
}

// On reports whether the report is served, which requires at least one user.
func (r *Report) On() bool { return len(r.Readers) > 0 || r.Labels() }

// Labels reports whether some user may write labels.
func (r *Report) Labels() bool { return len(r.Annotators) > 0 || len(r.Admins) > 0 }

// Everybody reports whether every user that the platform admits may read the report.
func (r *Report) Everybody() bool {
	return slices.Contains(r.Readers, everybody) || slices.Contains(r.Annotators, everybody)
}

// People returns the names of the users, sorted and without *.
func (r *Report) People() []string { return slices.Sorted(maps.Keys(r.Roles())) }

// Roles returns the roles in badger serve by user name, with * left out. All these users may also call functions, as
// all callers may.
func (r *Report) Roles() map[string][]string {
	out := map[string][]string{}
	for _, l := range []struct {
		people []string
		roles  []string
	}{{r.Readers, []string{"call", "read"}}, {r.Annotators, []string{"call", "label"}}, {r.Admins, []string{"admin"}}} {
		for _, name := range l.people {
			if name != everybody {
				out[identity.Clean(name)] = l.roles
			}
		}
	}
	return out
}

// DefaultRoles returns the roles of users who are not named; nil means the default of badger serve.
func (r *Report) DefaultRoles() []string {
	switch {
	case slices.Contains(r.Annotators, everybody):
		return []string{"call", "label"}
	case slices.Contains(r.Readers, everybody):
		return []string{"call", "read"}
	}
	return nil
}

// Environment returns the environment variables that configure the report and its users on the HTTP listener of badger
// serve.
func (r *Report) Environment() map[string]string {
	if !r.On() {
		return map[string]string{"BADGER_REPORT_OFF": "true"}
	}
	out := map[string]string{}
	for name, v := range map[string]struct {
		value any
		set   bool
	}{
		"BADGER_AUTH_HTTP_ROLES":         {r.Roles(), len(r.Roles()) > 0},
		"BADGER_AUTH_HTTP_DEFAULT_ROLES": {r.DefaultRoles(), r.Everybody()},
		"BADGER_REPORT_LABELS":           {true, r.Labels()},
		"BADGER_REPORT_MASKED":           {r.Masked, len(r.Masked) > 0},
	} {
		if !v.set {
			continue
		}
		text, err := json.Marshal(v.value) // which is YAML, too
		if err != nil {
			panic(err) // texts have JSON
		}
		out[name] = string(text)
	}
	return out
}
