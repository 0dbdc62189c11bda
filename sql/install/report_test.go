package install_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/badger-eval/badger/deploy/service"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/sql/install"
)

// Who is named sees the report at the public endpoint, and at no other. The roles that Snowflake lets
// through to it are those who see it, and callers where seeing it takes a name.
func TestReportInSnowflake(t *testing.T) {
	off := map[string]string{"BADGER_REPORT_OFF": "true"}
	for _, tc := range []struct {
		why    string
		report service.Report
		env    map[string]string
		grants []string
	}{
		{"nobody", service.Report{}, off, []string{"badger_caller"}},
		{
			"by name, as Snowflake keeps it and the server writes it",
			service.Report{Readers: []string{"ana", "Ben Li", `x"%`}, Masked: []string{"e,mail", "iban"}},
			map[string]string{"BADGER_AUTH_HTTP_ROLES": `{"ANA":["call","read"],"Ben%20Li":["call","read"],"x%22%25":["call","read"]}`, "BADGER_REPORT_MASKED": `["e,mail","iban"]`},
			[]string{"badger_caller", "badger_reader"},
		},
		{
			"everybody who is let through",
			service.Report{Readers: []string{"*"}},
			map[string]string{"BADGER_AUTH_HTTP_DEFAULT_ROLES": `["call","read"]`},
			[]string{"badger_reader"},
		},
		{
			"everybody, of whom some label",
			service.Report{Readers: []string{"*", "ana"}, Annotators: []string{"ANA", "eva"}, Admins: []string{"EVA"}},
			map[string]string{
				"BADGER_AUTH_HTTP_DEFAULT_ROLES": `["call","read"]`, "BADGER_REPORT_LABELS": "true",
				"BADGER_AUTH_HTTP_ROLES": `{"ANA":["call","label"],"EVA":["admin"]}`,
			},
			[]string{"badger_reader", "badger_annotator"},
		},
		{
			"everybody labels",
			service.Report{Annotators: []string{"*"}},
			map[string]string{"BADGER_AUTH_HTTP_DEFAULT_ROLES": `["call","label"]`, "BADGER_REPORT_LABELS": "true"},
			[]string{"badger_reader", "badger_annotator"},
		},
		{
			"an administrator alone",
			service.Report{Admins: []string{"eva"}},
			map[string]string{"BADGER_AUTH_HTTP_ROLES": `{"EVA":["admin"]}`, "BADGER_REPORT_LABELS": "true"},
			[]string{"badger_caller", "badger_reader"},
		},
	} {
		t.Run(tc.why, func(t *testing.T) {
			v := withEverything()
			v.Deploy.Report, v.Judges = tc.report, nil // an app has no judge files
			given := slices.Concat(tc.report.Readers, tc.report.Annotators, tc.report.Admins)
			p := plan(t, v, few)
			for name, text := range map[string]func() (string, error){"the account": p.SPCS().Specification, "an app": p.SPCS().AppSpecification} {
				spec, err := text()
				if err != nil {
					t.Fatal(err)
				}
				s, err := service.ParseSpecification([]byte(spec))
				if err != nil {
					t.Fatal(err)
				}
				for i, want := range []map[string]string{off, tc.env} {
					got := maps.Clone(s.Spec.Containers[i].Env)
					maps.DeleteFunc(got, func(key, _ string) bool {
						return !strings.HasPrefix(key, "BADGER_REPORT_") && key != "BADGER_AUTH_HTTP_ROLES" && key != "BADGER_AUTH_HTTP_DEFAULT_ROLES"
					})
					if !maps.Equal(got, want) {
						t.Errorf("%s, container %s: %v, want %v", name, s.Spec.Containers[i].Name, got, want)
					}
				}
			}
			var grants []string
			for _, s := range p.Steps {
				if role, ok := strings.CutPrefix(s.SQL, "GRANT SERVICE ROLE lake.badger.scorer!viewer TO ROLE "); ok {
					grants = append(grants, role)
				}
			}
			if !slices.Equal(grants, tc.grants) {
				t.Errorf("viewer is granted to %q, want %q", grants, tc.grants)
			}
			if after := slices.Concat(tc.report.Readers, tc.report.Annotators, tc.report.Admins); !slices.Equal(given, after) {
				t.Errorf("the values given have become %q", after)
			}
		})
	}
}

func TestBadReports(t *testing.T) {
	for want, change := range map[string]func(v *install.Values){
		`deploy.report.readers: invalid name ""`:                   func(v *install.Values) { v.Deploy.Report.Readers = []string{""} },
		"deploy.report.annotators holds a control character":       func(v *install.Values) { v.Deploy.Report.Annotators = []string{"a\nb"} },
		"deploy.report.masked holds $$":                            func(v *install.Values) { v.Deploy.Report.Masked = []string{"a$$; DROP"} },
		"expected 1 to 160 bytes":                                  func(v *install.Values) { v.Deploy.Report.Readers = []string{strings.Repeat("ä", 27)} },
		"deploy.report.admins: expected names":                     func(v *install.Values) { v.Deploy.Report.Admins = []string{"*"} },
		"deploy.report.masked: there is no report":                 func(v *install.Values) { v.Deploy.Report = service.Report{Masked: []string{"a"}} },
		"deploy.report: people reach the report by the public end": func(v *install.Values) { v.Deploy.Snowflake.Public = false },
	} {
		v := withEverything()
		v.Deploy.Report.Readers = []string{"ana"}
		change(&v)
		if _, err := install.New(v, dialects["snowflake"], few); errcode.Of(err) != errcode.InvalidArgument || !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
	v := withEverything()
	v.Judges, v.Schema, v.Deploy.Report.Readers = nil, "scorers", []string{"*"}
	if _, err := plan(t, v, few).SPCS().AppSpecification(); errcode.Of(err) != errcode.InvalidArgument || !strings.Contains(err.Error(), "deploy.report: a Native App has tables") {
		t.Errorf("an app without tables: %v", err)
	}
}
