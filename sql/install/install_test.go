package install_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/badger-eval/badger/connectors/bigquery"
	"github.com/badger-eval/badger/connectors/databricks"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/duckdb"
	"github.com/badger-eval/badger/connectors/postgres"
	"github.com/badger-eval/badger/connectors/snowflake"
	"github.com/badger-eval/badger/deploy/service"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/sql/install"
	"github.com/badger-eval/badger/sql/store"
	"github.com/badger-eval/badger/udf"
)

var dialects = map[string]driver.Dialect{
	"snowflake": snowflake.Dialect, "bigquery": bigquery.Dialect, "databricks": databricks.Dialect, "postgres": postgres.Dialect,
	"redshift": postgres.RedshiftDialect, "duckdb": duckdb.Dialect, "databend": install.Databend,
}

// A role is one by the warehouse's own rules of names, and never the one that everyone has.
func TestRolesAreSeparate(t *testing.T) {
	few := functions(t)[:1]
	for _, tc := range []struct{ warehouse, via, owner, caller, want string }{
		{"postgres", "http", "badger_owner", "public", "roles.caller is public, which is everyone"},
		{"postgres", "http", "badger_owner", "PUBLIC", "roles.caller is PUBLIC, which is everyone"},
		{"redshift", "lambda", "Public", "c", "roles.owner is Public, which is everyone"},
		{"snowflake", "api-gateway", "o", "public", "roles.caller is public, which is everyone"},
		{"bigquery", "cloud-run", "user:o@example.com", "allAuthenticatedUsers", "which is everyone"},
		{"snowflake", "api-gateway", "BADGER", "badger", "the same role"},
		{"redshift", "lambda", "Badger", "badger", "the same role"},
		{"snowflake", "api-gateway", "Badger", "badger", ""}, // a quoted name and BADGER
		{"postgres", "http", "Badger", "badger", ""},
		{"postgres", "http", "badger_owner", "public_callers", ""},
	} {
		v := plain(tc.warehouse, tc.via)
		v.Roles.Owner, v.Roles.Caller = tc.owner, tc.caller
		_, err := install.New(v, dialects[v.Warehouse], few)
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%s, roles %s and %s: %v, want %q", tc.warehouse, tc.owner, tc.caller, err, tc.want)
		}
	}
}

// The types of each warehouse's functions, arguments and then results, as its manual names them.
var typeNames = map[string]map[udf.Type][2]string{
	"snowflake":  {udf.VARCHAR: {"VARCHAR", "VARCHAR"}, udf.JSON: {"VARIANT", "VARIANT"}, udf.DOUBLE: {"FLOAT", "FLOAT"}, udf.BOOLEAN: {"BOOLEAN", "BOOLEAN"}, udf.BIGINT: {"NUMBER(19,0)", "NUMBER(19,0)"}},
	"bigquery":   {udf.VARCHAR: {"STRING", "STRING"}, udf.JSON: {"STRING", "JSON"}, udf.DOUBLE: {"FLOAT64", "FLOAT64"}, udf.BOOLEAN: {"BOOL", "BOOL"}, udf.BIGINT: {"INT64", "INT64"}},
	"databricks": {udf.VARCHAR: {"STRING", "STRING"}, udf.JSON: {"STRING", "STRING"}, udf.DOUBLE: {"DOUBLE", "DOUBLE"}, udf.BOOLEAN: {"BOOLEAN", "BOOLEAN"}, udf.BIGINT: {"BIGINT", "BIGINT"}},
	"postgres":   {udf.VARCHAR: {"text", "text"}, udf.JSON: {"json", "json"}, udf.DOUBLE: {"double precision", "double precision"}, udf.BOOLEAN: {"boolean", "boolean"}, udf.BIGINT: {"bigint", "bigint"}},
	"redshift":   {udf.VARCHAR: {"varchar(65535)", "varchar(65535)"}, udf.JSON: {"varchar(65535)", "varchar(65535)"}, udf.DOUBLE: {"double precision", "double precision"}, udf.BOOLEAN: {"boolean", "boolean"}, udf.BIGINT: {"bigint", "bigint"}},
	"duckdb":     {},
	"databend":   {udf.VARCHAR: {"VARCHAR", "VARCHAR"}, udf.JSON: {"VARIANT", "VARIANT"}, udf.DOUBLE: {"DOUBLE", "DOUBLE"}, udf.BOOLEAN: {"BOOLEAN", "BOOLEAN"}, udf.BIGINT: {"BIGINT", "BIGINT"}},
}

func functions(t *testing.T) []udf.Function {
	t.Helper()
	engine, err := scoring.NewEngine(metric.All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := udf.NewCatalogue(engine, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c.Functions()
}

// plain are values that every way of calling can be planned with.
func plain(warehouse, via string) install.Values {
	return install.Values{
		Warehouse: warehouse, Via: via, Database: "lake", Location: "eu", Endpoint: "https://badger.example.com", RoleARN: "arn:aws:iam::1:role/badger",
		Deploy: service.Deployment{Image: "/lake/badger/images/badger:1.0.0", Snowflake: service.SnowflakeService{QueryWarehouse: "badger_wh"}},
	}
}

// eachWay calls f for every way of calling badger.
func eachWay(t *testing.T, f func(t *testing.T, w *install.Warehouse, v *install.Via)) {
	for i := range install.Warehouses {
		w := &install.Warehouses[i]
		for k := range w.Vias {
			t.Run(w.Name+"/"+w.Vias[k].Name, func(t *testing.T) { f(t, w, &w.Vias[k]) })
		}
	}
}

func plan(t *testing.T, v install.Values, functions []udf.Function) *install.Plan {
	t.Helper()
	p, err := install.New(v, dialects[v.Warehouse], functions)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// expected is what a warehouse should have of a function: names, and how many arguments are
// declared and may be left out.
func expected(warehouse string, f *udf.Function) (names []string, params [][]udf.Param, defaults bool) {
	required, all := f.Params[:f.Required()], f.Params
	switch {
	case warehouse == "databricks" || warehouse == "postgres" || warehouse == "duckdb":
		return []string{f.Name}, [][]udf.Param{all}, true
	case len(required) == len(all), warehouse == "databend" && len(required) == 0: // which calls no function without arguments
		return []string{f.Name}, [][]udf.Param{all}, false
	case warehouse == "snowflake" || warehouse == "redshift": // which know overloads
		return []string{f.Name, f.Name}, [][]udf.Param{required, all}, false
	}
	return []string{f.Name, f.Name + "_all"}, [][]udf.Param{required, all}, false
}

// Every function of the catalogue is declared, with its arguments, their names and types, and its
// result.
func TestStatementsReadBack(t *testing.T) {
	all := functions(t)
	eachWay(t, func(t *testing.T, w *install.Warehouse, via *install.Via) {
		p := plan(t, plain(w.Name, via.Name), all)
		named := w.Name != "redshift" && w.Name != "databend"
		var read []readFunction
		for _, s := range p.Steps {
			if s.By == install.Hand {
				continue
			}
			procedure := strings.HasPrefix(s.SQL, "CREATE OR REPLACE PROCEDURE") // whose body has comments and statements
			text := s.SQL
			if procedure {
				text = regexp.MustCompile(`(?m)--.*$`).ReplaceAllString(text, "")
			}
			toks, err := tokens(text, w.Name)
			if err != nil {
				t.Fatalf("%v in\n%s", err, s.SQL)
			}
			if !procedure && slices.Contains(toks, token{'p', ";"}) {
				t.Errorf("more than one statement in\n%s", s.SQL)
			}
			if s.Function == nil {
				continue
			}
			f, is, err := readCreate(s.SQL, w.Name, named)
			if err != nil {
				t.Fatalf("%v in\n%s", err, s.SQL)
			}
			if is && !strings.HasSuffix(f.Name[len(f.Name)-1], "__rows") {
				read = append(read, f)
			}
		}
		for i := range all {
			f := &all[i]
			if w.Name == "databend" && len(f.Params) == 0 { // which it cannot call
				continue
			}
			names, params, defaults := expected(w.Name, f)
			for k, name := range names {
				if len(read) == 0 {
					t.Fatalf("%s is missing", name)
				}
				got := read[0]
				read = read[1:]
				want := readFunction{Name: []string{"badger", name}}
				switch w.Name {
				case "snowflake", "bigquery", "databricks":
					want.Name = []string{"lake", "badger", name}
				case "databend":
					want.Name = []string{name}
				}
				types := typeNames[w.Name]
				for _, a := range params[k] {
					p := readParam{Type: types[a.Type][0], Optional: defaults && a.Optional}
					if named {
						p.Name = a.Name
					}
					want.Params = append(want.Params, p)
				}
				want.Returns = types[f.Result][1]
				for i := range got.Params {
					got.Params[i].Type = strings.ReplaceAll(got.Params[i].Type, ", ", ",")
				}
				if fmt.Sprint(got.Name, got.Params, got.Returns) != fmt.Sprint(want.Name, want.Params, want.Returns) {
					t.Errorf("%s is\n%v\nwant\n%v", name, got, want)
				}
				if w.Name == "snowflake" {
					if got.NotNull != (f.Result == udf.JSON) {
						t.Errorf("%s: NOT NULL is %v", name, got.NotNull)
					}
					if rows := got.after("MAX_BATCH_ROWS").text; rows != strconv.Itoa(via.Wire.RowCap(f.Cost, install.Rows{})) || rows == "0" {
						t.Errorf("%s has batches of %s rows", name, rows)
					}
					if path := got.after("AS").text; !strings.HasSuffix(path, "/v1/snowflake/"+f.Name) {
						t.Errorf("%s calls %s", name, path)
					}
					comment(t, got.after("COMMENT").text, f)
				}
				if w.Name == "bigquery" {
					if endpoint := got.after("endpoint").text; endpoint != "https://badger.example.com/v1/bigquery/"+f.Name {
						t.Errorf("%s calls %s", name, endpoint)
					}
					comment(t, got.after("description").text, f)
				}
				if w.Name == "databricks" {
					comment(t, got.after("COMMENT").text, f)
					if len(got.Comments) != len(f.Params) {
						t.Errorf("%s has %d comments of arguments", name, len(got.Comments))
					}
				}
				if w.Name == "databend" {
					if h := got.after("HANDLER").text; h != fmt.Sprintf("%s/%d@databend", f.Name, len(params[k])) {
						t.Errorf("%s has the handler %s", name, h)
					}
					comment(t, got.after("DESC").text, f)
				}
			}
		}
		if len(read) > 0 {
			t.Errorf("%d functions more than the catalogue has, the first %v", len(read), read[0].Name)
		}
	})
}

func comment(t *testing.T, got string, f *udf.Function) {
	t.Helper()
	if !strings.Contains(got, strings.Join(strings.Fields(f.Doc), " ")) || !strings.Contains(got, "[badger:") {
		t.Errorf("%s has the comment %q", f.Name, got)
	}
}

// Whatever names are chosen, statements name them exactly, and no name ends a statement.
func TestNames(t *testing.T) {
	few := functions(t)[:3]
	for _, name := range []string{"select", "ORDER", "Mixed", `a"b`, "a`b", "a'b", `back\slash`, "a.b", "ü", "with blank", "--", "x; DROP TABLE y", "1st", "a`b\"c'd"} {
		eachWay(t, func(t *testing.T, w *install.Warehouse, via *install.Via) {
			v := plain(w.Name, via.Name)
			v.Database, v.Schema, v.Connection, v.Service, v.Integration, v.Pool = name+"d", name, name+"c", name+"s", name+"i", name+"p"
			if w.Name == "bigquery" && strings.ContainsFunc(name, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
				// A point inside quotes still parts a name there, and no dataset is called so.
				if _, err := install.New(v, bigquery.Dialect, few); errcode.Of(err) != errcode.InvalidArgument || !strings.Contains(err.Error(), "schema is") {
					t.Errorf("%q: %v", name, err)
				}
				v.Schema = "select"
			}
			if via.Name == "spcs" { // no compute pool and no service has a quoted name, and nothing that they are in
				if _, err := install.New(v, snowflake.Dialect, few); errcode.Of(err) != errcode.InvalidArgument || !strings.Contains(err.Error(), "Snowflake takes no quoted name") {
					t.Errorf("%q: %v", name, err)
				}
				v.Database, v.Schema, v.Service, v.Pool = "lake", "scorers", "badger", "badger_pool"
			}
			v.Roles = install.Roles{Owner: name + "1", Caller: name + "2", Reader: name + "3", Annotator: name + "4"}
			p := plan(t, v, few)
			quoted := map[string]bool{}
			for _, s := range p.Steps {
				for _, sql := range []string{s.SQL, s.Drop, s.DropData} {
					if s.By == install.Hand && sql == s.SQL {
						continue
					}
					toks, err := tokens(sql, w.Name)
					if err != nil {
						t.Fatalf("%q: %v in\n%s", name, err, sql)
					}
					for _, tok := range toks {
						if tok.kind == 'i' || tok.kind == 'w' || tok.kind == 's' {
							quoted[tok.text] = true
						}
						if tok.text == ";" {
							t.Errorf("%q ends a statement:\n%s", name, sql)
						}
					}
				}
				if s.By == install.Hand {
					continue
				}
				f, is, err := readCreate(s.SQL, w.Name, w.Name != "redshift" && w.Name != "databend")
				if err != nil {
					t.Fatal(err)
				}
				if is && len(f.Name) > 1 && f.Name[len(f.Name)-2] != v.Schema {
					t.Errorf("schema %q became %q", name, f.Name[len(f.Name)-2])
				}
			}
			var want []string
			if w.Name != "databend" {
				want = append(want, v.Schema)
			}
			if w.Name != "duckdb" {
				want = append(want, name+"2")
			}
			for _, n := range want {
				if !quoted[n] {
					t.Errorf("no statement names %q", n)
				}
			}
		})
	}
}

// The parts of a script that are not SQL are comments, whatever the values hold.
func TestPrintIsAScript(t *testing.T) {
	few := functions(t)[:2]
	eachWay(t, func(t *testing.T, w *install.Warehouse, via *install.Via) {
		p := plan(t, plain(w.Name, via.Name), few)
		for what, print := range map[string]func(*bytes.Buffer) error{
			"print": func(b *bytes.Buffer) error { return p.Print(b) }, "drop": func(b *bytes.Buffer) error { return p.PrintDrop(b, false) },
		} {
			var b bytes.Buffer
			if err := print(&b); err != nil {
				t.Fatal(err)
			}
			text := b.String()
			for _, s := range p.Steps {
				sql := s.SQL
				if what == "drop" {
					sql = s.Drop
				}
				if sql == "" || s.By == install.Hand && what == "print" {
					continue
				}
				before := len(text)
				if text = strings.Replace(text, sql+";\n", "", 1); len(text) == before {
					t.Errorf("%s does not hold\n%s", what, sql)
				}
			}
			for line := range strings.SplitSeq(text, "\n") {
				if line != "" && !strings.HasPrefix(line, "--") {
					t.Errorf("%s: %q is neither a step nor a comment", what, line)
				}
			}
		}
	})
}

// A script that is printed twice is the same script, and a value that a function depends on changes
// the function's mark.
func TestMarks(t *testing.T) {
	few := functions(t)[:8]
	eachWay(t, func(t *testing.T, w *install.Warehouse, via *install.Via) {
		marks := func(v install.Values, fs []udf.Function) (out []string) {
			for _, s := range plan(t, v, fs).Steps {
				if s.Function != nil {
					out = append(out, s.Function.Mark)
				}
			}
			return out
		}
		a, b := marks(plain(w.Name, via.Name), few), marks(plain(w.Name, via.Name), few)
		if !slices.Equal(a, b) {
			t.Error("two plans of the same values differ")
		}
		other := slices.Clone(few)
		other[0].Doc += " And more."
		other[0].Result = udf.BIGINT
		if c := marks(plain(w.Name, via.Name), other); c[0] == a[0] || c[len(c)-1] != a[len(a)-1] {
			t.Errorf("with another text and result of the first function alone, the marks %v became %v", a, c)
		}
	})
}

func TestBadValues(t *testing.T) {
	few := functions(t)[:1]
	for _, tc := range []struct {
		why    string
		change func(*install.Values)
		want   string
	}{
		{"an unknown warehouse", func(v *install.Values) { v.Warehouse = "oracle" }, "expected one of snowflake, bigquery"},
		{"a way of another warehouse", func(v *install.Values) { v.Via = "flight" }, "expected spcs or api-gateway"},
		{"no endpoint", func(v *install.Values) { v.Endpoint = "" }, "needs endpoint, such as endpoint: https://"},
		{"no database", func(v *install.Values) { v.Database = "" }, "needs database"},
		{"an endpoint with a password", func(v *install.Values) { v.Endpoint = "https://u:secret@x" }, "endpoint holds a password"},
		{"an endpoint with a query", func(v *install.Values) { v.Endpoint = "https://x/?a=1" }, "endpoint: expected a URL"},
		{"a line break", func(v *install.Values) { v.Schema = "a\n--- admin: x" }, "schema holds a control character"},
		{"the end of a function's text", func(v *install.Values) { v.Service = "a$$b" }, "service holds $$"},
		{"two roles in one", func(v *install.Values) { v.Roles.Reader = "badger_owner" }, "roles.owner and roles.reader are the same role"},
		{"a gateway of another cloud", func(v *install.Values) { v.APIProvider = "azure_api_management" }, "api_provider is \"azure_api_management\", expected one of aws_api_gateway, aws_private"},
		{"a judge of minus a second", func(v *install.Values) { v.Rows.JudgeSeconds = -1 }, "rows.judge_seconds is -1, expected at most 600, or 0 for 8"},
		{"negative rows", func(v *install.Values) { v.Rows.Large = -1 }, "rows.large is -1"},
	} {
		v := plain("snowflake", "api-gateway")
		tc.change(&v)
		d := dialects[v.Warehouse]
		if _, err := install.New(v, d, few); errcode.Of(err) != errcode.InvalidArgument || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", tc.why, err, tc.want)
		}
	}
	for _, tc := range []struct{ why, text, want string }{
		{"an unknown key", "schema: x\nsheme: y\n", "sheme"},
		{"an unknown nested key", "roles: {ower: y}\n", "ower"},
		{"a list for a text", "schema: [a]\n", "schema"},
		{"two documents", "schema: a\n---\nschema: b\n", "one YAML document"},
	} {
		if _, err := install.ReadValues(strings.NewReader(tc.text)); err == nil || !strings.Contains(err.Error(), tc.want) && tc.why != "a list for a text" {
			t.Errorf("%s: %v", tc.why, err)
		}
	}
	if v, err := install.ReadValues(strings.NewReader("")); err != nil || v.Schema != "" {
		t.Errorf("an empty file: %v", err)
	}
}

// No value may be a URL with a secret, and the error does not repeat it.
func TestSecretsInValues(t *testing.T) {
	for key, text := range map[string]string{
		"deploy.warehouse":                         "deploy: {warehouse: 'postgres://u:hunter2@db.example.com/d'}",
		"deploy.judge.url":                         "deploy: {judge: {url: 'https://models.example.com/v1?api_key=hunter2'}}",
		"endpoint":                                 "endpoint: 'https://u:hunter2@b.example.com'",
		"deploy.kubernetes.run.source":             "deploy: {kubernetes: {run: {source: 'snowflake:///db?password=hunter2'}}}",
		"deploy.kubernetes.run.args[1]":            "deploy: {kubernetes: {run: {args: [--x, '--store=databricks://hunter2@dbc.example.com/c']}}}",
		"deploy.kubernetes.secrets.a":              "deploy: {kubernetes: {secrets: {a: 'postgres://u:hunter2@h'}}}",
		"deploy.warehouse: expected the URL":       "deploy: {warehouse: hunter2}",
		"deploy.warehouse: expected the URL of":    "deploy: {warehouse: 'mysql://hunter2'}",
		"deploy.judge.url: expected a URL such as": "deploy: {judge: {url: hunter2}}",
	} {
		v, err := install.ReadValues(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		v.Warehouse, v.Via, v.Deploying = "postgres", "http", true
		_, err = install.New(v, dialects["postgres"], few)
		if errcode.Of(err) != errcode.InvalidArgument || !strings.Contains(err.Error(), key) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", key, err)
		}
	}
}

// A judge whose name another function's second form needs is an error that names both.
func TestCollidingNames(t *testing.T) {
	fs := []udf.Function{
		{Name: "a", Params: []udf.Param{{Name: "x"}, {Name: "y", Optional: true}}},
		{Name: "a_all", Params: []udf.Param{{Name: "x"}}},
	}
	for warehouse, collides := range map[string]bool{"bigquery": true, "databend": true, "snowflake": false, "postgres": false} {
		_, err := install.New(plain(warehouse, ""), dialects[warehouse], fs)
		if collides != (errcode.Of(err) == errcode.AlreadyExists) {
			t.Errorf("%s: %v", warehouse, err)
		}
		if collides && (!strings.Contains(err.Error(), "a and a_all") || !strings.Contains(err.Error(), "rename")) {
			t.Errorf("%s: %v", warehouse, err)
		}
	}
}

// A batch has a thousandfold of what a judge takes less than of what a comparison of texts takes;
// the values file has the last word.
func TestRowCaps(t *testing.T) {
	eachWay(t, func(t *testing.T, _ *install.Warehouse, via *install.Via) {
		w := via.Wire
		small, large, judged := w.RowCap(scoring.CostSmall, install.Rows{}), w.RowCap(scoring.CostLarge, install.Rows{}), w.RowCap(scoring.CostJudged, install.Rows{})
		if w.Budget == 0 {
			if small != 0 || large != 0 || judged != 0 {
				t.Errorf("a wire without batches has caps %d, %d, %d", small, large, judged)
			}
			return
		}
		if judged < 1 || large < judged || small < large {
			t.Errorf("caps %d, %d, %d fall where rows cost more", small, large, judged)
		}
		if w.RowCap("", install.Rows{}) != small {
			t.Error("a function without a class is not a small one")
		}
		if slow := w.RowCap(scoring.CostJudged, install.Rows{JudgeSeconds: 600}); slow < 1 || slow >= judged {
			t.Errorf("with a judge of 600 s a call has %d rows, with one of 8 s %d", slow, judged)
		}
		if n := w.RowCap(scoring.CostJudged, install.Rows{Judged: 7, JudgeSeconds: 600}); n != 7 {
			t.Errorf("7 rows were asked for, got %d", n)
		}
	})
	// Snowflake's gateway: 25 s, 16 judges at once, 8 s each: 50 rows. 10 MiB of arguments of 20
	// KiB: 512, rounded down to 500.
	for _, v := range install.Warehouses[0].Vias {
		if n := v.Wire.RowCap(scoring.CostJudged, install.Rows{JudgeSeconds: 0.5}); v.Name == "api-gateway" && n != 200 { // 800, but 10 MiB hold 256 of 40 KiB
			t.Errorf("with a judge of half a second the gateway has %d rows", n)
		}
		if v.Name == "api-gateway" && (v.Wire.RowCap(scoring.CostJudged, install.Rows{}) != 50 || v.Wire.RowCap(scoring.CostLarge, install.Rows{}) != 500) {
			t.Errorf("the gateway's caps are %d judged, %d large", v.Wire.RowCap(scoring.CostJudged, install.Rows{}), v.Wire.RowCap(scoring.CostLarge, install.Rows{}))
		}
	}
}

// Nothing is granted to everyone.
func TestNothingIsPublic(t *testing.T) {
	few := functions(t)[:2]
	eachWay(t, func(t *testing.T, w *install.Warehouse, via *install.Via) {
		for _, s := range plan(t, plain(w.Name, via.Name), few).Steps {
			upper := strings.ToUpper(s.SQL)
			if strings.Contains(upper, "TO PUBLIC") || strings.Contains(upper, "ALLUSERS") || strings.Contains(upper, "ALLAUTHENTICATEDUSERS") || strings.Contains(upper, "ACCOUNT USERS") {
				t.Errorf("everyone is granted something:\n%s", s.SQL)
			}
		}
	})
}

// fakeDatabase has functions with comments and fails where it is told to.
type fakeDatabase struct {
	have  map[string]string
	shown [][]any // what SHOW SERVICES shows: other columns, name, comment
	ran   []string
	fail  func(n int) error
	steps []install.Step
}

func (d *fakeDatabase) Query(_ context.Context, query string, _ ...any) (*scoring.Table, error) {
	rows := [][]any{}
	if strings.HasPrefix(query, "SHOW SERVICES") {
		text, _ := json.Marshal(map[string]any{"columns": []map[string]string{{"name": "status", "type": "VARCHAR"}, {"name": "name", "type": "VARCHAR"}, {"name": "comment", "type": "VARCHAR"}}, "rows": append(rows, d.shown...)})
		return scoring.ParseResult(text)
	}
	for name, c := range d.have {
		rows = append(rows, []any{name, c})
	}
	text, _ := json.Marshal(map[string]any{"columns": []map[string]string{{"name": "name", "type": "VARCHAR"}, {"name": "comment", "type": "VARCHAR"}}, "rows": rows})
	return scoring.ParseResult(text)
}

func (d *fakeDatabase) Exec(_ context.Context, query string, _ ...any) error {
	if d.fail != nil {
		if err := d.fail(len(d.ran)); err != nil {
			return err
		}
	}
	d.ran = append(d.ran, query)
	for _, s := range d.steps {
		if s.SQL == query && s.Function != nil {
			d.have[s.Function.Name] = "[" + s.Function.Mark + "]"
		}
	}
	return nil
}

func (d *fakeDatabase) Inspect(context.Context) (store.Found, error) {
	return store.Found{}, nil
}

func (d *fakeDatabase) Install(ctx context.Context) error { return d.Exec(ctx, "tables") }

// An installation that is interrupted says where, and is finished by the next; one more changes
// nothing.
func TestApplyGoesOn(t *testing.T) {
	p := plan(t, plain("postgres", ""), functions(t)[:5])
	db := &fakeDatabase{have: map[string]string{}, steps: p.Steps}
	db.fail = func(n int) error {
		if n == 15 {
			return errcode.New(errcode.PermissionDenied, "the role may not do that")
		}
		return nil
	}
	done, err := p.Apply(t.Context(), db)
	if errcode.Of(err) != errcode.PermissionDenied || done.Run != 15 {
		t.Fatalf("%+v, %v", done, err)
	}
	for _, want := range []string{"step 16 of", "15 statements were run", "the role may not do that", "to resume at this step"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q: %v", want, err)
		}
	}
	db.fail = nil
	if done, err = p.Apply(t.Context(), db); err != nil || done.Same == 0 {
		t.Fatalf("the second time: %+v, %v", done, err)
	}
	changes, err := p.Compare(t.Context(), db)
	if err != nil || len(changes) != 5 {
		t.Fatalf("%v, %v", changes, err)
	}
	for _, c := range changes {
		if c.State != install.Same {
			t.Errorf("%+v after all was applied", c)
		}
	}
	db.ran = nil
	if done, err = p.Apply(t.Context(), db); err != nil || done.Same != 5 {
		t.Fatalf("the third time: %+v, %v", done, err)
	}
	for _, sql := range db.ran {
		if strings.Contains(sql, "CREATE OR REPLACE FUNCTION") && !strings.Contains(sql, "_call") {
			t.Errorf("a function that was there was created again:\n%s", sql)
		}
	}
}

func TestApplyByRole(t *testing.T) {
	p := plan(t, plain("snowflake", "spcs"), functions(t)[:2])
	count := map[string]int{}
	for _, s := range p.Steps {
		if s.Service != install.Changed { // what changes a service that exists
			count[s.By]++
		}
	}
	for _, by := range []string{install.Admin, install.Owner} {
		db := &fakeDatabase{have: map[string]string{}, steps: p.Steps}
		done, err := p.Apply(t.Context(), db, by)
		if err != nil || done.Run != count[by] || done.LeftOut < count[install.Admin]+count[install.Owner]-count[by] || len(done.Hand) != count[install.Hand] {
			t.Errorf("%s: %+v, %v; the plan has %v", by, done, err, count)
		}
	}
}

// A function of somebody else's is not replaced, and nothing is half done.
func TestForeignFunctions(t *testing.T) {
	fs := functions(t)[:3]
	p := plan(t, plain("postgres", ""), fs)
	db := &fakeDatabase{have: map[string]string{fs[1].Name: "mine", "other": "also mine"}, steps: p.Steps}
	_, err := p.Apply(t.Context(), db)
	if errcode.Of(err) != errcode.AlreadyExists || !strings.Contains(err.Error(), fs[1].Name) || strings.Contains(err.Error(), "other,") || len(db.ran) != 0 {
		t.Errorf("%v; %d statements were run", err, len(db.ran))
	}
	for _, warehouse := range []string{"snowflake", "bigquery", "databricks", "postgres"} {
		p := plan(t, plain(warehouse, map[string]string{"snowflake": "api-gateway"}[warehouse]), few)
		db := &fakeDatabase{have: map[string]string{"send_alerts": "mine"}, steps: p.Steps}
		_, err := p.Apply(t.Context(), db)
		if errcode.Of(err) != errcode.AlreadyExists || !strings.Contains(err.Error(), ": send_alerts;") || len(db.ran) != 0 {
			t.Errorf("%s: %v; %d statements were run", warehouse, err, len(db.ran))
		}
	}
	db.have = map[string]string{fs[0].Name: "x [badger:0123456789abcdef]", "gone": "y [badger:0123456789abcdef]", "other": "mine"}
	changes, err := p.Compare(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	want := []install.State{install.Changed, install.Missing, install.Missing, install.LeftOver}
	for i, c := range changes {
		if i >= len(want) || c.State != want[i] {
			t.Errorf("%d: %+v, want %v", i, c, want)
		}
	}
	if len(changes) != len(want) || changes[3].Name != "gone" {
		t.Errorf("%+v", changes)
	}
}

// Functions and procedures of somebody else's stay when badger is removed.
func TestForeignFunctionsAreNotDropped(t *testing.T) {
	eachWay(t, func(t *testing.T, w *install.Warehouse, via *install.Via) {
		p := plan(t, plain(w.Name, via.Name), few)
		if p.Inventory == "" { // it does not tell whose a function is
			return
		}
		all := slices.DeleteFunc(p.Drops(true), func(d install.Drop) bool {
			return d.Role || !strings.HasPrefix(d.SQL, "DROP FUNCTION ") && !strings.HasPrefix(d.SQL, "DROP MACRO ") && !strings.HasPrefix(d.SQL, "DROP PROCEDURE ")
		})
		for _, name := range []string{"small", "evaluate", "send_alerts"} {
			db := &fakeDatabase{have: map[string]string{name: "mine"}}
			done, err := p.Remove(t.Context(), db, true)
			if err != nil {
				t.Fatal(err)
			}
			named := regexp.MustCompile(`\b` + name + `\b`)
			for _, d := range all {
				if named.MatchString(d.SQL) == slices.Contains(db.ran, d.SQL) || named.MatchString(d.SQL) != slices.Contains(done.Kept, d.SQL) {
					t.Errorf("%s of somebody else's, %s: run %v, kept %v", name, d.SQL, slices.Contains(db.ran, d.SQL), slices.Contains(done.Kept, d.SQL))
				}
			}
		}
	})
}

// sqlglot, which knows nothing of badger, finds the same names, arguments and types.
func TestAgainstSqlglot(t *testing.T) {
	all := functions(t)
	var in bytes.Buffer
	type asked struct {
		Warehouse string `json:"warehouse"`
		SQL       string `json:"sql"`
	}
	type answer struct {
		Error  string      `json:"error"`
		Name   []string    `json:"name"`
		Params [][2]string `json:"params"`
		Type   string      `json:"type"`
	}
	var questions []asked
	var steps []install.Step
	for i := range install.Warehouses {
		w := &install.Warehouses[i]
		if w.Name == "databend" || w.Name == "duckdb" { // it does not know Databend; DuckDB's macros have no types and are run by DuckDB itself
			continue
		}
		for _, via := range w.Vias {
			v := plain(w.Name, via.Name)
			switch v.Schema = "weird näme"; {
			case w.Name == "bigquery":
				v.Schema = "weird_näme"
			case via.Name == "spcs": // no quoted name
				v.Schema = "weird_name"
			}
			for _, s := range plan(t, v, all).Steps {
				if _, is, _ := readCreate(s.SQL, w.Name, w.Name != "redshift"); s.Function != nil && is {
					questions, steps = append(questions, asked{w.Name, s.SQL}), append(steps, s)
					if err := json.NewEncoder(&in).Encode(questions[len(questions)-1]); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	}
	d := json.NewDecoder(bytes.NewReader(sqlglot(t, &in)))
	for i := range questions {
		var a answer
		if err := d.Decode(&a); err != nil {
			t.Fatal(err)
		}
		if a.Error != "" {
			t.Errorf("%s: %s\n%s", questions[i].Warehouse, a.Error, questions[i].SQL)
			continue
		}
		f := steps[i].Function
		body := strings.HasSuffix(a.Name[len(a.Name)-1], "__rows")
		if !body && a.Name[len(a.Name)-1] != f.Name || strings.NewReplacer("_", " ", "ä", "a").Replace(a.Name[len(a.Name)-2]) != "weird name" {
			t.Errorf("%s: the name is %q, want %q", questions[i].Warehouse, a.Name, f.Name)
		}
		if body {
			continue
		}
		if len(a.Params) != len(f.Params) {
			t.Errorf("%s: %s has %d arguments, want %d", questions[i].Warehouse, f.Name, len(a.Params), len(f.Params))
			continue
		}
		for k, got := range a.Params {
			if questions[i].Warehouse != "redshift" && got[0] != f.Params[k].Name {
				t.Errorf("%s: argument %d of %s is %q, want %q", questions[i].Warehouse, k+1, f.Name, got[0], f.Params[k].Name)
			}
			if want := kindOf(questions[i].Warehouse, f.Params[k].Type, 0); got[1] != want {
				t.Errorf("%s: argument %d of %s is of type %q, want %q", questions[i].Warehouse, k+1, f.Name, got[1], want)
			}
		}
		if want := kindOf(questions[i].Warehouse, f.Result, 1); a.Type != want {
			t.Errorf("%s: %s returns %q, want %q", questions[i].Warehouse, f.Name, a.Type, want)
		}
	}
}

// kindOf is sqlglot's name for the type.
func kindOf(warehouse string, t udf.Type, result int) string {
	name := strings.ToUpper(typeNames[warehouse][t][result])
	return map[string]string{
		"STRING": "TEXT", "TEXT": "TEXT", "VARCHAR": "VARCHAR", "VARCHAR(65535)": "VARCHAR", "FLOAT": "DOUBLE", "FLOAT64": "DOUBLE", "DOUBLE": "DOUBLE",
		"DOUBLE PRECISION": "DOUBLE", "BOOL": "BOOLEAN", "BOOLEAN": "BOOLEAN", "INT64": "BIGINT", "BIGINT": "BIGINT", "VARIANT": "VARIANT", "JSON": "JSON", "NUMBER(19,0)": "DECIMAL",
	}[name]
}

// The page shows the values that are read, and the row caps as they are.
func TestPage(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile("../../docs/sql/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	page := read("install.md")
	_, example, found := strings.Cut(read("install-values.md"), "```yaml\n")
	example, _, _ = strings.Cut(example, "```")
	v, err := install.ReadValues(strings.NewReader(example))
	if err != nil || !found || v.Database != "analytics" || v.Secret.Key != "token" {
		t.Errorf("the example of values: %+v, %v", v, err)
	}
	eachWay(t, func(t *testing.T, w *install.Warehouse, via *install.Via) {
		caps := fmt.Sprintf("%d, %d, %d", via.Wire.RowCap(scoring.CostSmall, install.Rows{}), via.Wire.RowCap(scoring.CostLarge, install.Rows{}), via.Wire.RowCap(scoring.CostJudged, install.Rows{}))
		for line := range strings.SplitSeq(page, "\n") {
			if !strings.HasPrefix(line, "| "+w.Name+" | `"+via.Name+"` |") {
				continue
			}
			if cell := strings.TrimSpace(strings.Split(line, "|")[4]); cell != caps && (via.Wire.Budget > 0 || cell != "one" && cell != "—") {
				t.Errorf("the page says %q, the caps are %s", cell, caps)
			}
			return
		}
		t.Error("the page does not list it")
	})
}

// The tables are those of the description, column by column, as sqlglot reads them; it reads the
// views, the comments and the grants too.
func TestTablesAgainstSqlglot(t *testing.T) {
	type table struct {
		Error   string      `json:"error"`
		Table   string      `json:"table"`
		Columns [][2]string `json:"columns"`
	}
	few := functions(t)[:1]
	for i := range install.Warehouses {
		w := &install.Warehouses[i]
		if w.Global {
			continue
		}
		var in bytes.Buffer
		var steps []install.Step
		for _, s := range plan(t, plain(w.Name, ""), few).Steps {
			if s.Table && !strings.Contains(s.SQL, "INDEX") && !strings.HasPrefix(s.SQL, "INSERT") {
				steps = append(steps, s)
				if err := json.NewEncoder(&in).Encode(map[string]string{"warehouse": w.Name, "sql": s.SQL, "kind": "table"}); err != nil {
					t.Fatal(err)
				}
			}
		}
		if len(steps) != len(store.Tables)+len(store.Views) {
			t.Errorf("%s: %d tables and views", w.Name, len(steps))
		}
		d := json.NewDecoder(bytes.NewReader(sqlglot(t, &in)))
		for k, s := range steps {
			var a table
			if err := d.Decode(&a); err != nil {
				t.Fatal(err)
			}
			if a.Error != "" {
				t.Errorf("%s: %s\n%s", w.Name, a.Error, s.SQL)
				continue
			}
			if k >= len(store.Tables) {
				if v := store.Views[k-len(store.Tables)]; a.Table != "badger."+v.Name {
					t.Errorf("%s: the view %s is %s", w.Name, v.Name, a.Table)
				}
				continue
			}
			want := store.Tables[k]
			if a.Table != "badger."+want.Name || len(a.Columns) != len(want.Columns) {
				t.Errorf("%s: %s with %d columns, want %s with %d", w.Name, a.Table, len(a.Columns), want.Name, len(want.Columns))
				continue
			}
			for c, got := range a.Columns {
				if got[0] != want.Columns[c].Name || !slices.Contains(kinds[want.Columns[c].Type], got[1]) {
					t.Errorf("%s: %s.%s is %v", w.Name, want.Name, want.Columns[c].Name, got)
				}
			}
		}
	}
}

// kinds are sqlglot's names of the types of tables.
var kinds = map[driver.Type][]string{
	driver.Text: {"TEXT", "VARCHAR"}, driver.JSON: {"JSON", "VARIANT", "TEXT", "SUPER"}, driver.BigInt: {"BIGINT", "DECIMAL"}, driver.Double: {"DOUBLE"}, driver.Decimal: {"DECIMAL", "BIGDECIMAL"},
	driver.Boolean: {"BOOLEAN"}, driver.Timestamp: {"TIMESTAMPTZ", "TIMESTAMPLTZ", "TIMESTAMP"},
}

// sqlglot reads statements with testdata/read.py.
func sqlglot(t *testing.T, in *bytes.Buffer) []byte {
	t.Helper()
	python := os.Getenv("BADGER_SQLGLOT_PYTHON")
	if python == "" {
		t.Skip("BADGER_SQLGLOT_PYTHON does not name a python3 that has sqlglot")
	}
	if err := exec.Command(python, "-c", "import sqlglot").Run(); err != nil {
		t.Skipf("BADGER_SQLGLOT_PYTHON has no sqlglot: %v", err)
	}
	cmd := exec.CommandContext(t.Context(), python, filepath.Join("testdata", "read.py"))
	cmd.Stdin, cmd.Stderr = in, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Tokens and results cross no network as plain text unless the values say so.
func TestPlainHTTP(t *testing.T) {
	few := functions(t)[:1]
	for _, tc := range []struct {
		warehouse, endpoint string
		allowed             bool
		says                string
	}{
		{"postgres", "https://badger.example.com", false, ""},
		{"postgres", "http://127.0.0.1:7434", false, ""},
		{"postgres", "http://[::1]:7434", false, ""},
		{"postgres", "http://localhost:7434", false, ""},
		{"postgres", "http://badger.example.com", false, "allow_plain_http"},
		{"postgres", "http://127.0.0.1.example.com", false, "allow_plain_http"},
		{"postgres", "http://10.0.0.7:7434", false, "allow_plain_http"},
		{"postgres", "http://badger.internal:7434", true, ""},
		{"databricks", "http://badger.example.com", false, "allow_plain_http"},
		{"bigquery", "http://badger.example.com", true, "https:// addresses alone"},
	} {
		v := plain(tc.warehouse, "")
		v.Endpoint, v.AllowPlainHTTP = tc.endpoint, tc.allowed
		_, err := install.New(v, dialects[tc.warehouse], few)
		if (err == nil) != (tc.says == "") || err != nil && !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s, %s, allowed %v: %v, expected %q", tc.warehouse, tc.endpoint, tc.allowed, err, tc.says)
		}
	}
	v := plain("snowflake", "api-gateway")
	v.Endpoint, v.AllowPlainHTTP = "http://badger.example.com", true
	if _, err := install.New(v, dialects["snowflake"], few); err == nil || !strings.Contains(err.Error(), "https:// addresses alone") {
		t.Errorf("an external function of Snowflake over http: %v", err)
	}
}
