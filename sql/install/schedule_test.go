package install_test

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/sql/install"
)

// nightly are values with a schedule.
func nightly(w *install.Warehouse, via string) install.Values {
	v := plain(w.Name, via)
	v.Schedule = install.Schedule{Cron: "15 3 * * 1", Compute: "nightly", Metrics: []string{"hybrid_ex", "row_f1"}}
	return v
}

// sqlglot reads each statement inside the procedures. What steers them it does not know.
func TestProceduresAgainstSqlglot(t *testing.T) {
	var in bytes.Buffer
	var of []string
	least := map[string]int{"snowflake": 26, "bigquery": 24, "databricks": 23, "redshift": 31, "postgres": 12}
	alerts := 0
	all := functions(t)
	eachWay(t, func(t *testing.T, w *install.Warehouse, via *install.Via) {
		if w.Global {
			return
		}
		for _, s := range plan(t, nightly(w, via.Name), all).Steps {
			if strings.HasPrefix(s.SQL, "CREATE OR REPLACE PROCEDURE") {
				_, body, _ := strings.Cut(s.SQL, "BEGIN\n")
				name := w.Name
				if strings.Contains(s.SQL[:strings.IndexByte(s.SQL, '\n')], "send_alerts") {
					name += ".send_alerts"
					least[name] = 3
					alerts++
				}
				of = append(of, name)
				if err := json.NewEncoder(&in).Encode(map[string]string{"warehouse": w.Name, "sql": body, "kind": "procedure"}); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
	if len(of)-alerts != 7 || alerts != 6 {
		t.Errorf("%d procedures, %d of them for alerts; want one of each for each way but DuckDB's and Databend's, and PostgreSQL's is a function: %v", len(of), alerts, of)
	}
	d := json.NewDecoder(bytes.NewReader(sqlglot(t, &in)))
	for _, name := range of {
		var a struct {
			Error      string `json:"error"`
			Statements int    `json:"statements"`
		}
		if err := d.Decode(&a); err != nil {
			t.Fatal(err)
		}
		if a.Error != "" || a.Statements < least[name] {
			t.Errorf("%s: %d statements were read, want %d or more; %s", name, a.Statements, least[name], a.Error)
		}
	}
}

// settingsAssigned matches an assignment of the variable that holds the settings of a run.
var settingsAssigned = regexp.MustCompile(`\b(v_)?settings :?= |\bINTO :?(v_)?settings\b`)

// The settings that a run stores are those with which it began. After a failed slice the server is called again, only to
// see whether it answers: by then its settings may be others, or a reason instead of settings.
func TestSettingsOfARunAreAssignedOnce(t *testing.T) {
	all := functions(t)
	eachWay(t, func(t *testing.T, w *install.Warehouse, via *install.Via) {
		if w.Global || w.Name == "duckdb" { // DuckDB has no procedures
			return
		}
		asked, assigned := 0, 0
		for _, s := range plan(t, nightly(w, via.Name), all).Steps {
			if strings.Contains(s.SQL, "evaluate") && strings.HasPrefix(s.SQL, "CREATE OR REPLACE PROCEDURE") {
				for line := range strings.Lines(s.SQL) {
					if strings.Contains(line, "run_settings") {
						asked++
						if settingsAssigned.MatchString(line) {
							assigned++
						}
					}
				}
			}
		}
		if asked != 2 || assigned != 1 {
			t.Errorf("the settings are asked for %d times and assigned %d times, want 2 and 1", asked, assigned)
		}
	})
}

// Without a cron expression the procedure is there and nothing calls it; without badger's tables
// there is neither. The slice is what a call may have.
func TestSchedule(t *testing.T) {
	all := functions(t)
	callers := map[string]string{
		"snowflake": "CREATE OR REPLACE TASK", "bigquery": "every monday 03:15", "databricks": `"0 15 3 ? * 2"`, "postgres": "cron.schedule('badger evaluate', '15 3 * * 1', 'CALL badger.evaluate()')",
		"redshift": "cron(15 3 ? * 2 *)", "duckdb": "15 3 * * 1  sh badger-nightly.sh FILE",
	}
	eachWay(t, func(t *testing.T, w *install.Warehouse, via *install.Via) {
		text := func(v install.Values) string {
			var b strings.Builder
			if err := plan(t, v, all).Print(&b); err != nil {
				t.Fatal(err)
			}
			return b.String()
		}
		if w.Global {
			if _, err := install.New(nightly(w, via.Name), dialects[w.Name], all); errcode.Of(err) != errcode.InvalidArgument {
				t.Errorf("a schedule without tables: %v", err)
			}
			return
		}
		v := nightly(w, via.Name)
		scheduled := text(v)
		if !strings.Contains(scheduled, callers[w.Name]) || !strings.Contains(scheduled, "'hybrid_ex,row_f1'") || !strings.Contains(scheduled, "0.05") && w.Name != "postgres" {
			t.Errorf("the schedule lacks its caller %q, its metrics or its alert", callers[w.Name])
		}
		v.Schedule = install.Schedule{Slice: 17}
		unscheduled := text(v)
		if strings.Contains(unscheduled, callers[w.Name]) || !strings.Contains(unscheduled, "evaluate") || w.Name != "duckdb" && !strings.Contains(unscheduled, "17 answers at a time") {
			t.Errorf("without a cron expression: the procedure is missing, or something calls it")
		}
		v.Schema = "elsewhere"
		if strings.Contains(text(v), "evaluate") {
			t.Error("the procedure is there without its tables")
		}
	})
}

// Sunday may be 0 or 7; what is printed has 0, which every warehouse knows, and the last of a month where it is known.
func TestDaysOfTheWeek(t *testing.T) {
	all := functions(t)
	for _, tc := range []struct{ warehouse, cron, expected string }{
		{"snowflake", "0 6 * * 7", "USING CRON 0 6 * * 0 UTC"},
		{"snowflake", "0 6 * * 5-7", "USING CRON 0 6 * * 5,6,0 UTC"},
		{"snowflake", "0 6 * * 1-7/2", "USING CRON 0 6 * * 1,3,5,0 UTC"},
		{"snowflake", "0 6 * * MON-FRI", "USING CRON 0 6 * * MON-FRI UTC"},
		{"snowflake", "0 6 L * *", "USING CRON 0 6 L * * UTC"},
		{"postgres", "0 6 * * 0,7", "'0 6 * * 0,0'"},
		{"databricks", "0 6 * * 5-7", "0 0 6 ? * 6,7,1"},
	} {
		v := plain(tc.warehouse, "")
		v.Schedule = install.Schedule{Cron: tc.cron, Compute: "c"}
		p, err := install.New(v, dialects[tc.warehouse], all)
		if err != nil {
			t.Errorf("%s, %s: %v", tc.warehouse, tc.cron, err)
			continue
		}
		var b bytes.Buffer
		if err := p.Print(&b); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), tc.expected) {
			t.Errorf("%s, %s: what is printed lacks %q", tc.warehouse, tc.cron, tc.expected)
		}
	}
}

// The look-back is a number of days or a day. What sends alerts is off by default, and a warehouse uses only its own.
func TestAlerts(t *testing.T) {
	all := functions(t)
	senders := []string{"_webhook(body", "SYSTEM$SEND_EMAIL", "ERROR_INTEGRATION", "USAGE ON INTEGRATION mail"}
	own := map[string][]string{"postgres": senders[:1], "snowflake": senders[1:]}
	everywhere := install.Alert{Webhook: "https://alerts.example.com/badger", TokenFile: "/etc/badger/webhook", EmailIntegration: "mail", Email: "kim@example.com, lee@example.com", ErrorIntegration: "errors"}
	eachWay(t, func(t *testing.T, w *install.Warehouse, via *install.Via) {
		if w.Global {
			return
		}
		text := func(since string, a install.Alert) string {
			v := nightly(w, via.Name)
			v.Schedule.Since, v.Schedule.Alert = since, a
			var b strings.Builder
			if err := plan(t, v, all).Print(&b); err != nil {
				t.Fatal(err)
			}
			return b.String()
		}
		plain, full := text("", install.Alert{}), text("2024-02-29", everywhere)
		for _, s := range senders {
			if strings.Contains(plain, s) {
				t.Errorf("by default there is %s", s)
			}
			if got, want := strings.Contains(full, s), slices.Contains(own[w.Name], s); got != want {
				t.Errorf("with values for all warehouses: %s is there: %v", s, got)
			}
		}
		if !strings.Contains(plain, "answers of the 30 days before") || !strings.Contains(full, "answers since 2024-02-29") || !strings.Contains(full, "'2024-02-29'") {
			t.Error("the look-back is not that of the values")
		}
	})
}

func TestBadSchedules(t *testing.T) {
	all := functions(t)
	for _, tc := range []struct {
		why, warehouse string
		s              install.Schedule
		want           string
	}{
		{"four fields", "postgres", install.Schedule{Cron: "0 6 * *"}, "schedule.cron"},
		{"a quote", "postgres", install.Schedule{Cron: "0 6 * * '"}, "schedule.cron"},
		{"an hour that is none", "postgres", install.Schedule{Cron: "0 25 * * *"}, "25 is above 23"},
		{"minutes of another hour", "postgres", install.Schedule{Cron: "0,15-60/5 6 * * 1-5"}, "60 is above 59"},
		{"a letter that only some know", "postgres", install.Schedule{Cron: "0 6 L * *"}, "do not know the last of a month"},
		{"the last Friday", "duckdb", install.Schedule{Cron: "0 6 * * 5L"}, "do not know the last of a month"},
		{"a letter that none knows", "snowflake", install.Schedule{Cron: "0 6 W * *", Compute: "c"}, "is no day of the month"},
		{"a month below 1", "postgres", install.Schedule{Cron: "0 6 1 0 *"}, "0 is below 1"},
		{"a range from its end", "postgres", install.Schedule{Cron: "0 6-2 * * *"}, "from its lower to its higher end"},
		{"a step of 0", "postgres", install.Schedule{Cron: "*/0 6 * * *"}, "a step of at least 1"},
		{"both kinds of days", "postgres", install.Schedule{Cron: "0 6 1 * 1"}, "name one of them"},
		{"a time zone with a quote", "snowflake", install.Schedule{Cron: "0 6 * * *", Compute: "c", Timezone: "U'TC"}, "schedule.timezone"},
		{"a time zone that is none", "postgres", install.Schedule{Cron: "0 6 * * *", Timezone: "Mars/X"}, "is not a time zone"},
		{"the machine's time zone", "postgres", install.Schedule{Cron: "0 6 * * *", Timezone: "Local"}, "is not a time zone"},
		{"a day that never comes", "postgres", install.Schedule{Cron: "0 0 31 2 *"}, "at most 29 days"},
		{"a day that no month of them has", "postgres", install.Schedule{Cron: "0 0 31 4,6,9,11 *"}, "at most 30 days"},
		{"no compute", "snowflake", install.Schedule{Cron: "0 6 * * *"}, "schedule.compute"},
		{"no compute", "databricks", install.Schedule{Cron: "0 6 * * *"}, "schedule.compute"},
		{"minutes", "bigquery", install.Schedule{Cron: "*/5 * * * *"}, "MINUTE HOUR"},
		{"another time zone", "bigquery", install.Schedule{Cron: "0 6 * * *", Timezone: "Europe/Berlin"}, "UTC"},
		{"a metric that is not there", "postgres", install.Schedule{Metrics: []string{"hybrid_exx"}}, "hybrid_ex"},
		{"a slice below 0", "postgres", install.Schedule{Slice: -1}, "schedule.slice"},
		{"a lock of years", "postgres", install.Schedule{Stale: 1 << 20}, "schedule.stale"},
		{"a fall of more than all", "postgres", install.Schedule{Drop: 1.5}, "schedule.drop"},
		{"no day", "postgres", install.Schedule{Since: "2025-02-30"}, "schedule.since"},
		{"a day in another form", "duckdb", install.Schedule{Since: "13.01.2025"}, "schedule.since"},
		{"no days", "bigquery", install.Schedule{Since: "0"}, "from 1 to 3660"},
		{"days of more than ten years", "snowflake", install.Schedule{Since: "3661"}, "from 1 to 3660"},
		{"days with a sign", "redshift", install.Schedule{Since: "+3"}, "schedule.since"},
		{"a webhook beyond this machine in plain text", "postgres", install.Schedule{Alert: install.Alert{Webhook: "http://alerts.example.com"}}, "schedule.alert.webhook: http://"},
		{"a webhook with a query", "postgres", install.Schedule{Alert: install.Alert{Webhook: "https://alerts.example.com/?a=b"}}, "schedule.alert.webhook: expected a URL"},
		{"a token without a webhook", "postgres", install.Schedule{Alert: install.Alert{TokenFile: "/t"}}, "needs schedule.alert.webhook"},
		{"addresses without an integration", "snowflake", install.Schedule{Alert: install.Alert{Email: "kim@example.com"}}, "are needed together"},
		{"no address", "snowflake", install.Schedule{Alert: install.Alert{Email: "kim@example.com, lee", EmailIntegration: "mail"}}, "is not an address"},
	} {
		v := plain(tc.warehouse, "")
		v.Schedule = tc.s
		if _, err := install.New(v, dialects[tc.warehouse], all); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s, %s: %v", tc.warehouse, tc.why, err)
		}
	}
}
