package install

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/badger-eval/badger/connectors/doctor"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// deaf is a database that answers nothing.
type deaf struct{ Database }

func (deaf) Query(context.Context, string, ...any) (*scoring.Table, error) {
	return nil, errcode.New(errcode.PermissionDenied, "you may not look")
}

func (deaf) Inspect(context.Context) (store.Found, error) {
	return store.Found{}, errcode.New(errcode.PermissionDenied, "you may not look")
}

func TestExamine(t *testing.T) {
	answers := func(status int) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/healthz" {
				status = http.StatusTeapot
			}
			w.WriteHeader(status)
		}))
		t.Cleanup(s.Close)
		return s.URL
	}
	gone := httptest.NewServer(nil)
	gone.Close()
	for _, tc := range []struct {
		why, endpoint, via string
		open               error
		want               []doctor.Check // names, statuses and what their details hold
		code               string
	}{
		{"nothing to call", "", "http", errors.New("no such file"), []doctor.Check{{Name: "endpoint", Status: doctor.Skipped, Detail: "none that could be asked"}, {Name: "functions", Status: doctor.Failed, Detail: "no such file"}}, "unknown"},
		{"a server that answers", answers(http.StatusOK), "http", errcode.New(errcode.NotFound, "no such file"), []doctor.Check{{Name: "endpoint", Status: doctor.OK, Detail: "answers"}, {Name: "functions", Status: doctor.Failed, Detail: "no such file"}}, "not_found"},
		{"a server that fails", answers(http.StatusInternalServerError), "http", nil, []doctor.Check{{Name: "endpoint", Status: doctor.Warning, Detail: "HTTP status 500"}, {Name: "functions", Status: doctor.Failed, Detail: "you may not look"}}, "permission_denied"},
		{"nobody listens", gone.URL, "http", nil, []doctor.Check{{Name: "endpoint", Status: doctor.Warning, Detail: "no response from"}, {Name: "functions", Status: doctor.Failed, Detail: "you may not look"}}, "permission_denied"},
		{"a server of another protocol", gone.URL, "flight", nil, []doctor.Check{{Name: "endpoint", Status: doctor.Skipped}, {Name: "functions", Status: doctor.Failed}}, "permission_denied"},
		{"no URL", "http://[", "http", nil, []doctor.Check{{Name: "endpoint", Status: doctor.Failed, Detail: "the endpoint is not a URL"}, {Name: "functions", Status: doctor.Failed}}, "permission_denied"},
	} {
		p := &Plan{Values: Values{Endpoint: tc.endpoint, Schema: "badger"}, Warehouse: &Warehouses[0], Via: &Via{Name: tc.via}}
		ended := 0
		got := p.Examine(t.Context(), func() (Database, func(), error) {
			if tc.open != nil {
				return nil, nil, tc.open
			}
			return deaf{}, func() { ended++ }, nil
		})
		if len(got) != len(tc.want) {
			t.Fatalf("%s: %+v", tc.why, got)
		}
		for i, want := range tc.want {
			if c := got[i]; c.Name != want.Name || c.Status != want.Status || !strings.Contains(c.Detail, want.Detail) || (c.Status == doctor.Failed || c.Status == doctor.Warning) && c.Fix == "" {
				t.Errorf("%s: %+v, want %+v and what helps", tc.why, c, want)
			}
		}
		if got[1].Code != tc.code || (ended == 1) != (tc.open == nil) {
			t.Errorf("%s: code %s, want %s; closed %d times", tc.why, got[1].Code, tc.code, ended)
		}
	}
}

// A comparison as a check: what is wrong is named, at most three of them.
func TestComparisonAsACheck(t *testing.T) {
	line := func(state, what, name, fix string) Line {
		return Line{State: state, What: what, Name: name, Why: "because", Fix: fix}
	}
	for _, tc := range []struct {
		why  string
		c    Comparison
		want doctor.Check
	}{
		{"all the same", Comparison{Same: map[string]int{"function": 2, "service": 1, "role": 4}}, doctor.Check{Name: "functions", Status: doctor.OK, Detail: "2 functions, 1 service, as this version has them"}},
		{"none", Comparison{Same: map[string]int{"role": 4}}, doctor.Check{Name: "functions", Status: doctor.Skipped, Detail: "duckdb has none, or does not show them"}},
		{"other kinds", Comparison{Lines: []Line{line("missing", "table", "t", "creates it")}, Same: map[string]int{"function": 1}}, doctor.Check{Name: "functions", Status: doctor.OK, Detail: "1 function, as this version has them"}},
		{"a difference that is fine", Comparison{Lines: []Line{{State: "left over", What: "function", Name: "f", Fine: true}}, Same: map[string]int{"function": 1}}, doctor.Check{Name: "functions", Status: doctor.OK, Detail: "1 function, as this version has them"}},
		{"some differ", Comparison{Lines: []Line{line("missing", "function", "f", "creates it"), line("foreign", "function", "g", ""), line("changed", "service", "s", "alters it"), line("missing", "function", "h", "creates it")}}, doctor.Check{
			Name: "functions", Status: doctor.Failed, Detail: "missing f; foreign g; missing h; and 1 more", Fix: "badger install --diff shows all of them, --apply puts them right, but for g: because",
		}},
	} {
		tc.c.warehouse = "duckdb"
		if got := tc.c.check("functions", "function", "service"); got != tc.want {
			t.Errorf("%s: %+v, want %+v", tc.why, got, tc.want)
		}
	}
}

func TestToldToPeople(t *testing.T) {
	for _, tc := range []struct {
		why   string
		print func(b *bytes.Buffer)
		want  string
	}{
		{"nothing differs", func(b *bytes.Buffer) { (&Comparison{Same: map[string]int{"view": 1, "function": 12}}).Print(b) }, "as they should be: 12 functions\nas they should be: 1 view\n"},
		{"what differs", func(b *bytes.Buffer) {
			(&Comparison{warehouse: "bigquery", NotCompared: []string{"roles", "grants"}, Lines: []Line{
				{State: string(Missing), What: "function", Name: "f", Fix: "creates it"}, {State: "changed", What: "table", Name: "t", Why: "a column is another one", Fix: "adds it"}, {State: "foreign", What: "view", Name: "v"},
				{State: "left over", What: "role", Name: "r", Fine: true},
			}}).Print(b)
		}, "missing     function  f\nchanged     table     t\n            a column is another one\n            --apply adds it\nforeign     view      v\n            --apply cannot put this right\n" +
			"left over   role      r\n--apply creates, adds and grants what is missing\nnot compared, because bigquery does not show them here: roles, grants\n"},
		{"all done", func(b *bytes.Buffer) { (&Done{Run: 1, Same: 2}).Print(b) }, "1 statement was run, 2 functions were there already\n"},
		{"done in part", func(b *bytes.Buffer) {
			(&Done{Run: 3, LeftOut: 1, Refused: []string{"pg_cron", "x"}, Hand: []Step{{Why: "only the owner may", SQL: "GRANT\nx"}}}).Print(b)
		}, "3 statements were run, 0 functions were there already\n1 step is left to another role: run this again with --as and that role's URL\n2 steps were refused that are not needed, the first: pg_cron\n" +
			"\nto be done by hand: only the owner may\n    GRANT\n    x\n"},
		{"undone", func(b *bytes.Buffer) {
			(&Dropped{Run: 2, Gone: 1, LeftOut: 2, Left: []string{"DROP ROLE r"}, Kept: []string{"DROP FUNCTION f"}}).Print(b)
		}, "2 statements were run\n1 was for objects that were gone already\n2 statements are left to another role: run this again with --as and that role's URL\n" +
			"left, because something else needs the object, or it is of another kind: DROP ROLE r\nnot run, because badger did not create the object, or cannot tell: DROP FUNCTION f\n"},
	} {
		var b bytes.Buffer
		if tc.print(&b); b.String() != tc.want {
			t.Errorf("%s:\n%s\nwant\n%s", tc.why, &b, tc.want)
		}
	}
}

func TestReadValuesFile(t *testing.T) {
	dir := t.TempDir()
	file := func(text string) string {
		path := filepath.Join(dir, "values.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	v, err := ReadValuesFile(file("warehouse: postgres\njudges: [own.yaml, /elsewhere/other.yaml]\n"))
	if err != nil || v.Warehouse != "postgres" || len(v.Judges) != 2 || v.Judges[0] != filepath.Join(dir, "own.yaml") || v.Judges[1] != "/elsewhere/other.yaml" {
		t.Errorf("%+v, %v: names of judges start from the file's directory", v, err)
	}
	if _, err := ReadValuesFile(file("warehose: postgres\n")); errcode.Of(err) != errcode.InvalidArgument || !strings.HasPrefix(err.Error(), "values.yaml: ") || !strings.Contains(err.Error(), "warehose") {
		t.Errorf("an unknown key: %v", err)
	}
	if _, err := ReadValuesFile(filepath.Join(dir, "none.yaml")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}
