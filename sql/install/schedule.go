package install

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // for machines and images without the files

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/lazyregexp"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
	"github.com/badger-eval/badger/udf"
)

// Schedule holds the settings of the scheduled evaluation. Without a cron expression the procedure is created, but
// nothing calls it.
type Schedule struct {
	Cron     string   `yaml:"cron"`     // five fields: minute, hour, day of the month, month, day of the week
	Timezone string   `yaml:"timezone"` // time zone of the cron expression; "" is UTC
	Metrics  []string `yaml:"metrics"`  // empty: all metrics whose inputs exist
	// Snowflake: the warehouse that runs the task. Databricks: the ID of the SQL warehouse.
	Compute string  `yaml:"compute"`
	Slice   int     `yaml:"slice"` // answers that are scored and stored in one call; 0: the maximum of a call
	Stale   int     `yaml:"stale"` // minutes without a sign of life after which a lock may be taken over; 0: 60
	Drop    float64 `yaml:"drop"`  // decrease of a pass rate, from 0 to 1, that causes an alert; 0: 0.05
	// Since bounds the look-back: a number of days, or the first day, such as 2025-01-13; "" is 30 days.
	Since string `yaml:"since"`
	Alert Alert  `yaml:"alert"`
}

// Alert says where alerts are sent. By default they are only stored in the table alerts.
type Alert struct {
	Webhook   string `yaml:"webhook"`    // Postgres: URL to which new alerts are posted as JSON
	TokenFile string `yaml:"token_file"` // Postgres: file on the database server that contains the webhook's token
	// Snowflake: the notification integration of type EMAIL, and the addresses, separated by commas
	EmailIntegration string `yaml:"email_integration"`
	Email            string `yaml:"email"`
	// Snowflake: the notification integration that receives the errors of the task
	ErrorIntegration string `yaml:"error_integration"`
}

const (
	defaultSlice = 100 // if a call has one row
	defaultStale = 60
	defaultDrop  = 0.05
	defaultSince = "30"
	longestSince = 3660 // days
)

var (
	timezone = lazyregexp.New(`^[A-Za-z0-9_+\-]+(/[A-Za-z0-9_+\-]+)*$`)
	// one address, as SYSTEM$SEND_EMAIL takes it
	address = lazyregexp.New(`^[^\s@,;'"\\]+@[^\s@,;'"\\]+$`)
)

// complete fills in what is left out and checks what is there, by the rules of the warehouse.
func (s *Schedule) complete(warehouse string) error {
	bad := func(format string, args ...any) error {
		return errcode.New(errcode.InvalidArgument, "values: schedule."+format, args...)
	}
	if s.Cron != "" {
		fields := strings.Fields(s.Cron)
		if len(fields) != 5 {
			return bad(
				"cron is %.40q, expected five fields such as 0 6 * * *: minute, hour, day of the month, month, day of the week",
				s.Cron)
		}
		for i := range cronFields {
			if err := cronFields[i].check(fields[i], warehouse); err != nil {
				return bad("cron is %.40q: %w", s.Cron, err)
			}
		}
		fields[4] = fromSunday(fields[4])
		if fields[2] != "*" && fields[4] != "*" {
			return bad(
				"cron names days of the month and days of the week, which warehouses read in different ways; name one of them")
		}
		if most := mostDays(fields[3]); most > 0 && number.MatchString(fields[2]) {
			if n, err := strconv.Atoi(fields[2]); err != nil || n > most {
				return bad("cron is %.40q, and its months have at most %d days: it would never start", s.Cron, most)
			}
		}
		s.Cron = strings.Join(fields, " ")
	}
	if !timezone.MatchString(s.Timezone) {
		return bad("timezone is %.40q, expected a name such as UTC or Europe/Berlin", s.Timezone)
	}
	if _, err := time.LoadLocation(s.Timezone); err != nil || s.Timezone == "Local" {
		return bad("timezone: %.40q is not a time zone; expected a name such as UTC or Europe/Berlin", s.Timezone)
	}
	if s.Slice < 0 || s.Slice > 100_000 {
		return bad("slice is %d, expected 1 to 100000, or 0 for what a call may have", s.Slice)
	}
	if s.Stale < 0 || s.Stale > 7*24*60 {
		return bad("stale is %d, expected 1 to 10080 minutes, or 0 for %d", s.Stale, defaultStale)
	}
	if !(s.Drop >= 0 && s.Drop <= 1) {
		return bad("drop is %v, expected 0 to 1", s.Drop)
	}
	if s.Stale == 0 {
		s.Stale = defaultStale
	}
	if s.Drop == 0 {
		s.Drop = defaultDrop
	}
	if s.Since == "" {
		s.Since = defaultSince
	}
	if _, err := time.Parse(time.DateOnly, s.Since); err != nil {
		n, err := strconv.Atoi(s.Since)
		if err != nil || n < 1 || n > longestSince || !number.MatchString(s.Since) {
			return bad("since is %.40q; expected a number of days from 1 to %d, or a day such as 2025-01-13", s.Since,
				longestSince)
		}
	}
	return s.Alert.check()
}

// check reports incomplete and malformed values.
func (a *Alert) check() error {
	bad := func(format string, args ...any) error {
		return errcode.New(errcode.InvalidArgument, "values: schedule.alert."+format, args...)
	}
	if a.TokenFile != "" && a.Webhook == "" {
		return bad("token_file needs schedule.alert.webhook, the URL that gets the token")
	}
	if (a.Email == "") != (a.EmailIntegration == "") {
		return bad("email and schedule.alert.email_integration are needed together")
	}
	if a.Email != "" {
		for to := range strings.SplitSeq(a.Email, ",") {
			if !address.MatchString(strings.TrimSpace(to)) {
				return bad("email: %.60q is not an address; expected addresses separated by commas", to)
			}
		}
	}
	return nil
}

// Day returns the first day whose answers are scored; "" if the look-back is a number of days.
func (s *Schedule) Day() string {
	if number.MatchString(s.Since) {
		return ""
	}
	return s.Since
}

// Scored says which answers are scored.
func (s *Schedule) Scored() string {
	if day := s.Day(); day != "" {
		return "answers since " + day + " are scored"
	}
	return "answers of the " + s.Since + " days before the last complete call, and later ones, are scored"
}

// mostDays returns the largest number of days of the months in a cron field; 0 if it is not a number or a list of
// numbers.
func mostDays(months string) (most int) {
	for _, m := range strings.Split(months, ",") {
		n, err := strconv.Atoi(m)
		if err != nil || n < 1 || n > 12 {
			return 0
		}
		most = max(most, [...]int{31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}[n-1])
	}
	return most
}

// schedule adds the steps for the procedure that scores answers without scores, and for the nightly job that calls it.
// Both need badger's tables.
func (p *Plan) schedule(functions []udf.Function) error {
	if p.Warehouse.Global || p.Values.Schema != store.Schema {
		if p.Values.Schedule.Cron != "" {
			return errcode.New(errcode.InvalidArgument,
				"values: schedule.cron needs badger's tables, which are in the schema %s only, and not in Databend", store.Schema)
		}
		return nil
	}
	var metrics []string
	has := map[string]bool{}
	for i := range functions {
		has[functions[i].Name] = true
		if m := functions[i].Metric; m != "" && !slices.Contains(metrics, m) {
			metrics = append(metrics, m)
		}
	}
	if !has["score_row"] || !has["run_settings"] { // the plan contains only some functions
		return nil
	}
	for _, m := range p.Values.Schedule.Metrics {
		if !slices.Contains(metrics, m) {
			return errcode.New(errcode.NotFound, "values: schedule.metrics: unknown metric %.60q%s", m,
				scoring.Suggest(m, metrics))
		}
	}
	if p.Values.Schedule.Cron != "" {
		if p.Values.Schedule.Compute == "" && (p.Warehouse.Name == "snowflake" || p.Warehouse.Name == "databricks") {
			return errcode.New(errcode.InvalidArgument, "values: %s needs schedule.compute, the warehouse that evaluates",
				p.Warehouse.Name)
		}
		if p.Warehouse.Name == "bigquery" {
			if _, err := p.Values.Schedule.bigquery(); err != nil {
				return err
			}
		}
	}
	steps, err := p.render("schedule", &page{Plan: p, Mark: unmarked})
	if err != nil {
		return err
	}
	p.procedure = setMark(steps, "badger-procedure:")
	p.Steps = append(p.Steps, steps...)
	return err
}

// procedureName is the name of the procedure, in DuckDB of a macro.
const procedureName = "evaluate"

// ProcedureDoc returns the procedure's comment, which ends with its mark.
func (p *page) ProcedureDoc() string {
	return "Scores the answers that lack scores: all since schedule.since_day, or those of one batch. run_log lists the outcome. [" +
		p.Mark + "]"
}

// Slice returns the number of answers that are scored and stored in one call.
func (p *page) Slice() int {
	if n := p.Values.Schedule.Slice; n > 0 {
		return n
	}
	if n := p.Via.Wire.RowCap(scoring.CostJudged, p.Values.Rows); n > 0 {
		return n
	}
	return defaultSlice
}

// Failing returns the number of answers that may fail one after the other before a call gives up.
func (p *page) Failing() int { return 10 }

// Attempts returns the number of calls in which an answer may fail before its scores are stored as failed.
func (p *page) Attempts() int { return 3 }

// Metrics returns the metrics to compute, separated by commas; "" is all that can be computed.
func (p *page) Metrics() string { return strings.Join(p.Values.Schedule.Metrics, ",") }

// Padding returns zeros. Digits padded to their number sort as text like numbers.
func (p *page) Padding() string { return strings.Repeat("0", 40) }

// textList returns a table's columns, each with a prefix, separated by commas.
func textList(table, prefix string) string {
	var names []string
	for _, c := range store.TableNamed(table).Columns {
		names = append(names, prefix+c.Name)
	}
	return strings.Join(names, ", ")
}

var digits = lazyregexp.New(`[0-9]+`)

// weekdays converts the days of the week in a cron field to the numbers of Quartz and AWS, in which Sunday is 1.
func weekdays(field string) string {
	before, step, stepped := strings.Cut(field, "/")
	out := digits.ReplaceAllStringFunc(before, func(d string) string {
		n, _ := strconv.Atoi(d)
		return strconv.Itoa(n%7 + 1)
	})
	if stepped {
		out += "/" + step
	}
	return out
}

// Quartz returns the cron expression in Databricks' format, with seconds; "" if unset.
func (s *Schedule) Quartz() string {
	if s.Cron == "" {
		return ""
	}
	f := strings.Fields(s.Cron)
	if f[4] == "*" {
		return fmt.Sprintf("0 %s %s %s %s ?", f[0], f[1], f[2], f[3])
	}
	return fmt.Sprintf("0 %s %s ? %s %s", f[0], f[1], f[3], weekdays(f[4]))
}

// eventbridge returns the cron expression in the format of Amazon EventBridge and Redshift's query scheduler.
func (s *Schedule) eventbridge() string {
	f := strings.Fields(s.Cron)
	if f[4] == "*" {
		return fmt.Sprintf("cron(%s %s %s %s ? *)", f[0], f[1], f[2], f[3])
	}
	return fmt.Sprintf("cron(%s %s ? %s %s *)", f[0], f[1], f[3], weekdays(f[4]))
}

var (
	number = lazyregexp.New(`^[0-9]+$`)
	days   = []string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}
)

// bigquery returns the schedule in the format of BigQuery's data transfers. They only support a time of each day or of
// a day of the week, in UTC.
func (s *Schedule) bigquery() (string, error) {
	f := strings.Fields(s.Cron)
	if s.Timezone != "UTC" {
		return "", errcode.New(errcode.InvalidArgument,
			"values: schedule.timezone is %.40q; BigQuery schedules queries in UTC", s.Timezone)
	}
	day := "day"
	if number.MatchString(f[4]) {
		if n, _ := strconv.Atoi(f[4]); n < len(days) {
			day = days[n]
		}
	}
	if !number.MatchString(f[0]) || !number.MatchString(f[1]) || f[2] != "*" || f[3] != "*" ||
		f[4] != "*" && day == "day" {
		return "", errcode.New(errcode.InvalidArgument,
			"values: schedule.cron is %.40q; for BigQuery it may be MINUTE HOUR * * * or MINUTE HOUR * * DAY, with numbers",
			s.Cron)
	}
	minute, _ := strconv.Atoi(f[0])
	hour, _ := strconv.Atoi(f[1])
	return fmt.Sprintf("every %s %02d:%02d", day, hour, minute), nil
}
