package install_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/badger-eval/badger/sql/install"
)

// In a Native App every function of the catalogue is declared as in the account, but in no database:
// its name, arguments, types, result, and the path that it calls.
func TestAppReadsBack(t *testing.T) {
	all := functions(t)
	v := withEverything()
	v.Judges = nil
	app, err := plan(t, v, all).App()
	if err != nil {
		t.Fatal(err)
	}
	steps := app.Functions
	types := typeNames["snowflake"]
	for i := range all {
		f := &all[i]
		names, params, _ := expected("snowflake", f)
		for k, name := range names {
			if len(steps) == 0 {
				t.Fatalf("%s is missing", name)
			}
			got, is, err := readCreate(steps[0].SQL, "snowflake", true)
			if !is || err != nil {
				t.Fatalf("%v in\n%s", err, steps[0].SQL)
			}
			steps = steps[1:]
			want := readFunction{Name: []string{"badger", name}, Returns: types[f.Result][1]}
			for _, a := range params[k] {
				want.Params = append(want.Params, readParam{Name: a.Name, Type: types[a.Type][0]})
			}
			for j := range got.Params {
				got.Params[j].Type = strings.ReplaceAll(got.Params[j].Type, ", ", ",")
			}
			if fmt.Sprint(got.Name, got.Params, got.Returns) != fmt.Sprint(want.Name, want.Params, want.Returns) {
				t.Errorf("%s is\n%v\nwant\n%v", name, got, want)
			}
			if path := got.after("AS").text; path != "/v1/snowflake/"+f.Name {
				t.Errorf("%s calls %s", name, path)
			}
			if service := got.after("SERVICE").text; service != "badger" { // the schema, before the point
				t.Errorf("%s is answered by %s", name, service)
			}
			if rows := got.after("MAX_BATCH_ROWS").text; rows != strconv.Itoa(install.Warehouses[0].Vias[0].Wire.RowCap(f.Cost, install.Rows{})) {
				t.Errorf("%s has batches of %s rows", name, rows)
			}
			comment(t, got.after("COMMENT").text, f)
		}
	}
	if len(steps) > 0 {
		t.Errorf("%d functions more than the catalogue has", len(steps))
	}
}

// An app grants to application roles, schedules nothing, and says of no table that it outlives the
// application.
func TestAppIsAnApp(t *testing.T) {
	v := withEverything()
	v.Judges, v.Schedule = nil, install.Schedule{Cron: "0 6 * * *", Compute: "nightly"}
	app, err := plan(t, v, functions(t)).App()
	if err != nil {
		t.Fatal(err)
	}
	grants := 0
	for _, s := range slices.Concat(app.Objects, app.Callers) {
		if strings.HasPrefix(s.SQL, "GRANT") {
			grants++
			if !strings.Contains(s.SQL, " TO APPLICATION ROLE badger_") {
				t.Errorf("%s", s.SQL)
			}
		}
		if strings.HasPrefix(s.SQL, "CREATE OR REPLACE TASK") || strings.Contains(s.SQL, "lake.") || strings.Contains(s.Why, "stays when badger is removed") {
			t.Errorf("%s\n%.200s", s.Why, s.SQL)
		}
	}
	if grants < 10 {
		t.Errorf("%d grants", grants)
	}
	if _, err := plan(t, plain("snowflake", "api-gateway"), few).App(); err == nil {
		t.Error("a gateway has no service that an app could hold")
	}
}
