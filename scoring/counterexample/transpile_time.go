package counterexample

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/lazyregexp"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// Functions of dates and times, by dialect. If a result depends on a session setting, such as the first day of a
// week in Snowflake, the two variants assume opposite settings. Instants are in UTC: a function that takes or
// returns the time of another zone is refused.

// now is the time at which both queries run. Any time may be chosen.
const (
	today = "2021-06-15"
	now   = today + " 14:30:00"
)

// unitNames maps all names of units of time to the names that this package uses.
var unitNames = map[string]string{
	"year": "year", "years": "year", "yyyy": "year", "yy": "year", "y": "year", "yr": "year",
	"quarter": "quarter", "quarters": "quarter", "qtr": "quarter", "qq": "quarter", "q": "quarter",
	"month": "month", "months": "month", "mm": "month", "mon": "month", "m": "month",
	"week": "week", "weeks": "week", "isoweek": "isoweek", "week(monday)": "isoweek", "week(sunday)": "sunweek",
	"wk": "week", "ww": "week", "w": "week",
	"day": "day", "days": "day", "d": "day", "dd": "day",
	"hour": "hour", "hours": "hour", "hh": "hour", "h": "hour", "hr": "hour",
	"minute": "minute", "minutes": "minute", "min": "minute", "mi": "minute", "n": "minute",
	"second": "second", "seconds": "second", "sec": "second", "ss": "second", "s": "second",
	"millisecond": "millisecond", "milliseconds": "millisecond", "ms": "millisecond",
	"microsecond": "microsecond", "microseconds": "microsecond", "us": "microsecond",
}

// microseconds holds the length in microseconds of the units of fixed length.
var microseconds = map[string]int64{"day": 86_400_000_000, "hour": 3_600_000_000, "minute": 60_000_000,
	"second": 1_000_000, "millisecond": 1_000, "microsecond": 1}

// weekdays are the days of a week that starts on Sunday. A unit "week+2" starts on the third of them.
var weekdays = []string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}

// unit returns the unit that an expression names: a name, a string or WEEK(MONDAY). An unknown unit is refused.
func (c *transpiler) unit(e sqlparts.Expr) string {
	name := ""
	switch e := e.(type) {
	case *sqlparts.Column:
		if len(e.Name) == 1 {
			name = e.Name[0].Text
		}
	case *sqlparts.Literal:
		if e.Kind == sqlparts.String {
			name = e.Text
		}
	case *sqlparts.Call:
		if len(e.Args) == 1 {
			if col, ok := e.Args[0].(*sqlparts.Column); ok && len(e.Name) == 1 {
				name = e.Name[0].Text + "(" + col.Name.Last().Text + ")"
			}
		}
	}
	u := unitNames[strings.ToLower(name)]
	if day, ok := strings.CutPrefix(strings.ToLower(name), "week("); ok && c.dialect == sqlparts.BigQuery && u == "" {
		if at := slices.Index(weekdays, strings.TrimSuffix(day, ")")); at >= 0 {
			return "week+" + strconv.Itoa(at)
		}
	}
	switch {
	case u == "":
		refuse("the unit %s of a date", strings.ToUpper(name))
	case u == "week":
		switch c.dialect {
		case sqlparts.BigQuery, sqlparts.TSQL:
			u = "sunweek"
		case sqlparts.Snowflake: // depends on the parameter WEEK_START
			c.open = true
			u = [2]string{"isoweek", "sunweek"}[c.variant]
		default:
			u = "isoweek"
		}
	}
	return u
}

// instant converts a value to a date or timestamp of kind k; a date or timestamp is returned unchanged. A string is
// converted if it is in ISO 8601 format; otherwise evaluation fails.
func (c *transpiler) instant(x expr, k Kind) expr {
	if c.learn {
		c.learnTime(x, k)
		return expr{sql: "TIMESTAMP '2000-01-01'", kind: k, near: x.near}
	}
	out := x
	out.column, out.affinity, out.literal = nil, noAffinity, nil
	switch {
	case x.kind == Date || x.kind == Timestamp:
		return out
	case x.kind == Null:
		out.sql, out.kind = "CAST(NULL AS "+k.Type()+")", k
		return out
	case x.kind == Text && x.literal != nil:
		return c.literalAs(x, Timestamp)
	case x.kind == Text:
		for _, col := range x.near {
			c.values.dates(col)
		}
		out.kind = k
		out.sql = "(CASE WHEN regexp_full_match(" + x.sql + ", '" + isoText + "') THEN CAST(" + x.sql + " AS " + k.Type() +
			") WHEN " + x.sql + " IS NULL THEN NULL ELSE error('a text that is no date') END)"
		return out
	}
	refuse("a date made of a number or a truth value")
	return x
}

// isoText matches a date or timestamp that every dialect parses in the same way.
const isoText = `[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9]{2}:[0-9]{2}:[0-9]{2})?`

// learnTime records that a column is a date or a timestamp. A column with a time of day becomes a timestamp.
func (c *transpiler) learnTime(x expr, k Kind) {
	if x.column != nil && x.column.Declared == "" && c.dialect != sqlparts.SQLite &&
		(x.column.Kind == Date && k == Timestamp || x.column.dateLike && x.column.Kind == Text) {
		x.column.Kind = k
		return
	}
	c.learnKind(x, k)
}

// convert casts a date or timestamp to kind k.
func convert(x expr, k Kind) expr {
	if x.kind != k {
		x.sql, x.kind = "CAST("+x.sql+" AS "+k.Type()+")", k
	}
	return x
}

// add returns a date plus or minus n units. If the resulting month is too short for the day, all dialects use its
// last day.
func (c *transpiler) add(x, n expr, unit string, minus bool) expr {
	if !c.learn {
		if n.kind != Int && n.kind != Null {
			refuse("a date and a number of units that is no whole number")
		}
	}
	x = c.instant(x, Date)
	n = c.numeric(n)
	out := x
	out.near = both(x, n)
	unit = strings.TrimPrefix(strings.TrimPrefix(unit, "iso"), "sun")
	factor := ""
	if unit == "quarter" {
		unit, factor = "month", " * 3"
	}
	if x.kind == Date && microseconds[unit] != 0 && unit != "day" {
		out = convert(x, Timestamp)
	}
	op := " + "
	if minus {
		op = " - "
	}
	out.sql = "CAST(" + out.sql + op + "to_" + unit + "s(CAST(" + n.sql + factor + " AS " +
		map[bool]string{true: "BIGINT", false: "INTEGER"}[microseconds[unit] != 0 && unit != "day"] + ")) AS " +
		out.kind.Type() + ")"
	for _, col := range x.near {
		if n.literal != nil {
			c.values.offset(col, n.literal.Text)
		}
	}
	return out
}

// weekNumber returns SQL for the number of the week that contains a date, counted from a week in 1970. unit
// determines the first day of a week.
func weekNumber(x, unit string) string {
	shift := "3"
	if unit == "sunweek" {
		shift = "4"
	} else if day, ok := strings.CutPrefix(unit, "week+"); ok {
		n, _ := strconv.Atoi(day)
		shift = strconv.Itoa(4 - n)
	}
	return "CAST(floor((date_diff('day', DATE '1970-01-01', CAST(" + x + " AS DATE)) + " + shift + ") / 7.0) AS BIGINT)"
}

// boundaries returns the number of starts of a unit, such as of a month, that are crossed between two dates.
func (c *transpiler) boundaries(unit string, from, to expr, k Kind) expr {
	from, to = c.instant(from, k), c.instant(to, k)
	out := expr{kind: Int, near: both(from, to)}
	switch unit {
	case "isoweek", "sunweek", "week+2", "week+3", "week+4", "week+5", "week+6":
		out.sql = "(" + weekNumber(to.sql, unit) + " - " + weekNumber(from.sql, unit) + ")"
	default:
		if unit != "day" && microseconds[unit] != 0 {
			from, to = convert(from, Timestamp), convert(to, Timestamp)
		} else {
			from, to = convert(from, Date), convert(to, Date)
		}
		out.sql = "CAST(date_diff('" + unit + "', " + from.sql + ", " + to.sql + ") AS BIGINT)"
	}
	return out
}

// elapsed returns the number of whole units between two timestamps.
func (c *transpiler) elapsed(unit string, from, to expr) expr {
	if microseconds[unit] == 0 {
		refuse("a difference of instants in units of different length")
	}
	from, to = convert(c.instant(from, Timestamp), Timestamp), convert(c.instant(to, Timestamp), Timestamp)
	return expr{
		sql: "((epoch_us(" + to.sql + ") - epoch_us(" + from.sql + ")) // " + strconv.FormatInt(microseconds[unit], 10) +
			")",
		kind: Int, near: both(from, to)}
}

// truncated returns the start of the unit that contains x.
func (c *transpiler) truncated(unit string, x expr, k Kind) expr {
	x = c.instant(x, k)
	out := x
	switch unit {
	case "sunweek":
		out.sql = "CAST(date_trunc('week', " + x.sql + " + to_days(1)) - to_days(1) AS " + x.kind.Type() + ")"
	case "isoweek":
		out.sql = "CAST(date_trunc('week', " + x.sql + ") AS " + x.kind.Type() + ")"
	case "week+2", "week+3", "week+4", "week+5", "week+6":
		n, _ := strconv.Atoi(strings.TrimPrefix(unit, "week+"))
		by := " - to_days(" + strconv.Itoa(n-1) + ")"
		out.sql = "CAST(date_trunc('week', " + x.sql + by + ")" + strings.Replace(by, "-", "+", 1) + " AS " + x.kind.Type() +
			")"
	default:
		out.sql = "CAST(date_trunc('" + unit + "', " + x.sql + ") AS " + x.kind.Type() + ")"
	}
	return out
}

// lastDay returns the last day of the unit that contains x.
func (c *transpiler) lastDay(unit string, x expr) expr {
	x = c.instant(x, Date)
	out := convert(x, Date)
	switch unit {
	case "month":
		out.sql = "last_day(" + out.sql + ")"
	case "year", "quarter", "isoweek", "sunweek":
		step := map[string]string{"year": "to_years(1)", "quarter": "to_months(3)"}[unit]
		if step == "" {
			step = "to_days(7)"
		}
		out.sql = "CAST(" + c.truncated(unit, out, Date).sql + " + " + step + " - to_days(1) AS DATE)"
	default:
		refuse("the last day of this unit")
	}
	return out
}

// part returns a part of a date or timestamp, such as the month, as a number.
func (c *transpiler) part(unit string, x expr) expr {
	unit = strings.ToLower(unit)
	k, sql := Date, ""
	switch unit {
	case "year", "month", "day", "quarter":
		sql = "CAST(extract(" + unit + " FROM %s) AS BIGINT)"
	case "hour", "minute":
		k, sql = Timestamp, "CAST(extract("+unit+" FROM %s) AS BIGINT)"
	case "second":
		k, sql = Timestamp, "CAST(extract("+unit+" FROM %s) AS BIGINT)"
	case "dayofmonth":
		sql = "CAST(extract(day FROM %s) AS BIGINT)"
	case "dayofyear", "doy":
		sql = "CAST(extract(doy FROM %s) AS BIGINT)"
	case "isoyear", "yearofweekiso":
		sql = "CAST(extract(isoyear FROM %s) AS BIGINT)"
	case "isoweek", "weekiso", "week_iso":
		sql = "CAST(extract(week FROM %s) AS BIGINT)"
	case "isodow", "dayofweekiso", "dayofweek_iso":
		sql = "CAST(extract(isodow FROM %s) AS BIGINT)"
	case "date":
		out := c.instant(x, Timestamp)
		return convert(out, Date)
	case "week", "weekofyear":
		switch c.dialect {
		case sqlparts.BigQuery:
			sql = "CAST(strftime(%s, '%%U') AS BIGINT)"
		case sqlparts.Postgres, sqlparts.DuckDB, sqlparts.Databricks, sqlparts.Redshift:
			sql = "CAST(extract(week FROM %s) AS BIGINT)"
		}
	case "dayofweek", "dow", "weekday":
		sunday := "CAST(extract(dow FROM %s) AS BIGINT)"
		switch {
		case unit == "dayofweek" &&
			(c.dialect == sqlparts.BigQuery || c.dialect == sqlparts.Databricks || c.dialect == sqlparts.MySQL):
			sql = "(" + sunday + " + 1)"
		case unit == "weekday" && c.dialect == sqlparts.MySQL:
			sql = "(CAST(extract(isodow FROM %s) AS BIGINT) - 1)"
		case unit != "weekday" &&
			(c.dialect == sqlparts.Postgres || c.dialect == sqlparts.DuckDB || c.dialect == sqlparts.Redshift):
			sql = sunday
		case unit != "dow" && c.dialect == sqlparts.Snowflake: // depends on the parameter WEEK_START
			c.open = true
			sql = [2]string{sunday, "CAST(extract(isodow FROM %s) AS BIGINT)"}[c.variant]
		}
	case "epoch", "epoch_second":
		if c.dialect == sqlparts.Snowflake || unit == "epoch" {
			k, sql = Timestamp, "(epoch_us(CAST(%s AS TIMESTAMP)) // 1000000)"
		}
	}
	if sql == "" {
		refuse("the part %s of a date", strings.ToUpper(unit))
	}
	x = c.instant(x, k)
	if k == Timestamp && x.kind == Date {
		x = convert(x, Timestamp)
	}
	return expr{sql: strings.ReplaceAll(strings.Replace(sql, "%s", x.sql, 1), "%%", "%"), kind: Int, near: x.near}
}

// timePart is an element of a date format, in the syntax of the engine and of package time.
type timePart struct{ engine, layout string }

var (
	percentParts = map[string]timePart{
		"%Y": {"%Y", "2006"}, "%m": {"%m", "01"}, "%d": {"%d", "02"}, "%H": {"%H", "15"}, "%M": {"%M", "04"},
		"%S": {"%S", "05"}, "%y": {"%y", "06"},
		"%B": {"%B", "January"}, "%b": {"%b", "Jan"}, "%A": {"%A", "Monday"}, "%a": {"%a", "Mon"}, "%j": {"%j", ""},
		"%F": {"%Y-%m-%d", "2006-01-02"}, "%T": {"%H:%M:%S", "15:04:05"},
		"%I": {"%I", "03"}, "%p": {"%p", "PM"}, "%U": {"%U", ""}, "%W": {"%W", ""}, "%u": {"%u", ""}, "%w": {"%w", ""},
		"%R": {"%H:%M", "15:04"}, "%G": {"%G", ""}, "%V": {"%V", ""},
	}
	mysqlParts = map[string]timePart{
		"%Y": {"%Y", "2006"}, "%m": {"%m", "01"}, "%d": {"%d", "02"}, "%H": {"%H", "15"}, "%i": {"%M", "04"},
		"%s": {"%S", "05"}, "%S": {"%S", "05"}, "%y": {"%y", "06"},
		"%M": {"%B", "January"}, "%b": {"%b", "Jan"}, "%W": {"%A", "Monday"}, "%a": {"%a", "Mon"}, "%j": {"%j", ""},
		"%T": {"%H:%M:%S", "15:04:05"},
	}
	snowflakeParts = map[string]timePart{
		"YYYY": {"%Y", "2006"}, "YY": {"%y", "06"}, "MM": {"%m", "01"}, "DD": {"%d", "02"}, "HH24": {"%H", "15"},
		"MI": {"%M", "04"}, "SS": {"%S", "05"}, "MON": {"%b", "Jan"}, "MMMM": {"%B", "January"}, "DY": {"%a", "Mon"},
	}
	postgresParts = map[string]timePart{
		"YYYY": {"%Y", "2006"}, "YY": {"%y", "06"}, "MM": {"%m", "01"}, "DD": {"%d", "02"}, "HH24": {"%H", "15"},
		"MI": {"%M", "04"}, "SS": {"%S", "05"}, "Mon": {"%b", "Jan"}, "Dy": {"%a", "Mon"}, "IYYY": {"%G", ""},
		"IW": {"%V", ""},
	}
	javaParts = map[string]timePart{
		"yyyy": {"%Y", "2006"}, "yy": {"%y", "06"}, "MM": {"%m", "01"}, "dd": {"%d", "02"}, "HH": {"%H", "15"},
		"mm": {"%M", "04"}, "ss": {"%S", "05"}, "MMM": {"%b", "Jan"}, "MMMM": {"%B", "January"}, "E": {"%a", "Mon"},
		"EEEE": {"%A", "Monday"},
	}
	percentPart = lazyregexp.New(`%.`)
	letters     = lazyregexp.New(`(?i)YYYY|YY|MMMM|MM|MON|DD|DY|HH24|MI|SS`)
	pgLetters   = lazyregexp.New(`IYYY|YYYY|YY|MM|Mon|DD|Dy|HH24|MI|SS|IW`)
	javaLetters = lazyregexp.New(`y+|M+|d+|H+|m+|s+|E+`)
	separators  = lazyregexp.New(`^[-/ :.,_TWQ]*$`)
)

// format parses a literal date format of the dialect and returns it in the syntax of the engine and of package time.
// layout is empty if package time does not support it.
func (c *transpiler) format(e expr) (engine, layout string) {
	if e.literal == nil || e.literal.Kind != sqlparts.String {
		refuse("a format of dates that is no text")
	}
	text := e.literal.Text
	parts, piece, fold := percentParts, percentPart, false
	switch c.dialect {
	case sqlparts.Snowflake:
		parts, piece, fold = snowflakeParts, letters, true
	case sqlparts.Postgres, sqlparts.Redshift:
		parts, piece = postgresParts, pgLetters
	case sqlparts.Databricks:
		parts, piece = javaParts, javaLetters
	case sqlparts.MySQL:
		parts = mysqlParts
	}
	known := true
	at := 0
	literal := func(s string) {
		if !separators.MatchString(s) {
			refuse("a format of dates with %q", s)
		}
		engine, layout = engine+s, layout+s
		if strings.ContainsAny(s, "_") {
			known = false
		}
	}
	for _, span := range piece.FindAllStringIndex(text, -1) {
		literal(text[at:span[0]])
		name := text[span[0]:span[1]]
		if fold {
			name = strings.ToUpper(name)
		}
		p, ok := parts[name]
		if !ok {
			refuse("a format of dates with %q", name)
		}
		engine, layout, known = engine+p.engine, layout+p.layout, known && p.layout != ""
		at = span[1]
	}
	literal(text[at:])
	if !known {
		layout = ""
	}
	return engine, layout
}

// formatted converts a date to a string in a format. For Snowflake it refuses formats in which the case of month or
// day names is not as the engine writes them.
func (c *transpiler) formatted(x, format expr, k Kind) expr {
	engine, layout := c.format(format)
	x = c.instant(x, k)
	out := expr{sql: "strftime(" + x.sql + ", " + quoteText(engine) + ")", kind: Text, near: x.near, made: true}
	for _, col := range x.near {
		c.values.layout(col, layout, false)
	}
	if c.dialect == sqlparts.Snowflake && strings.ContainsAny(engine, "bBa") {
		if f := format.literal.Text; !strings.Contains(f, "MON") && !strings.Contains(f, "DY") {
			refuse("names of months or days in this case")
		}
	}
	return out
}

// parsed converts a string to a date by a format. Evaluation fails for a string that the format would not produce,
// since dialects differ for it; with try, a string without a digit becomes NULL.
func (c *transpiler) parsed(x, format expr, k Kind, try bool) expr {
	engine, layout := c.format(format)
	if c.learn {
		if x.column != nil && x.column.Kind == Null {
			x.column.Kind = Text
		}
		for _, col := range x.near {
			c.values.layout(col, layout, true)
		}
		return expr{sql: "TIMESTAMP '2000-01-01'", kind: k, near: x.near}
	}
	if layout == "" {
		refuse("a date read in this format")
	}
	for _, col := range x.near {
		c.values.layout(col, layout, true)
	}
	x = c.text(x)
	read := "try_strptime(" + x.sql + ", " + quoteText(engine) + ")"
	none := ""
	if try { // a string without a digit is not a date in any format
		none = " WHEN NOT regexp_matches(" + x.sql + ", '[0-9]') THEN NULL"
	}
	return expr{
		sql: "(CASE WHEN " + x.sql + " IS NULL THEN NULL WHEN strftime(" + read + ", " + quoteText(engine) + ") = " + x.sql +
			" THEN CAST(" + read + " AS " + k.Type() + ")" + none +
			" ELSE error('a text that is no date of the format') END)",
		kind: k, near: x.near,
	}
}

// fromEpoch returns the timestamp that is x units after 1970-01-01, with perSecond units in a second.
func (c *transpiler) fromEpoch(x expr, perSecond int64) expr {
	finer := perSecond // units per second in the columns of x
	if n := float64(perSecond) * x.scale; x.scale > 1 && n <= 1e9 && n == math.Trunc(n) {
		finer = int64(n)
	}
	for _, col := range x.near {
		c.values.epoch(col, min(finer, 1_000_000))
	}
	if c.learn {
		if x.column != nil && x.column.Kind == Null {
			x.column.Kind = Int
		}
		return expr{sql: "TIMESTAMP '2000-01-01'", kind: Timestamp, near: x.near}
	}
	x = c.numeric(x)
	factor := strconv.FormatInt(1_000_000/perSecond, 10)
	return expr{sql: "make_timestamp(CAST(floor(" + x.sql + " * " + factor + ") AS BIGINT))", kind: Timestamp,
		near: x.near}
}

// toEpoch returns the number of whole units since 1970-01-01, with perSecond units in a second.
func (c *transpiler) toEpoch(x expr, perSecond int64) expr {
	x = convert(c.instant(x, Timestamp), Timestamp)
	return expr{
		sql:  "CAST(floor(epoch_us(" + x.sql + ") / " + strconv.FormatInt(1_000_000/perSecond, 10) + ".0) AS BIGINT)",
		kind: Int, near: x.near}
}

// utc reports whether the optional time zone argument is missing or UTC.
func utc(args []expr) bool {
	return len(args) == 0 ||
		len(args) == 1 && args[0].literal != nil &&
			slices.Contains([]string{"utc", "etc/utc", "gmt", "+00", "+00:00"}, strings.ToLower(args[0].literal.Text))
}

// timeFunction is a call of a date or time function that is being translated.
type timeFunction struct {
	*transpiler
	s    *scope
	e    *sqlparts.Call
	name string
}

func (c *timeFunction) arg(i int) expr { return c.expr(c.s, c.e.Args[i]) }

// args returns the translated arguments from index from.
func (c *timeFunction) args(from int) (list []expr) {
	for i := from; i < len(c.e.Args); i++ {
		list = append(list, c.arg(i))
	}
	return list
}

func (c *timeFunction) in(list ...sqlparts.Dialect) bool { return slices.Contains(list, c.dialect) }

// timeCall translates a call of a date or time function; ok is false if the function is not one.
func (c *transpiler) timeCall(s *scope, e *sqlparts.Call, name string) (expr, bool) {
	f := &timeFunction{transpiler: c, s: s, e: e, name: name}
	if out, ok := f.clock(); ok || c.dialect == sqlparts.SQLite {
		return out, ok
	}
	if c.dialect == sqlparts.BigQuery {
		return f.ofBigQuery()
	}
	for _, family := range []func() (expr, bool){f.arithmetic, f.conversion, f.parts} {
		if out, ok := family(); ok {
			return out, true
		}
	}
	return expr{}, false
}

// clock translates the functions that return the current date or time.
func (c *timeFunction) clock() (out expr, ok bool) {
	n := len(c.e.Args)
	switch c.name {
	case "current_date", "curdate", "today":
		if n == 0 || n == 1 && c.dialect == sqlparts.BigQuery && utc(c.args(0)) {
			c.values.date(today)
			if c.dialect == sqlparts.SQLite {
				return expr{sql: "'" + today + "'", kind: Text, made: true}, true
			}
			return expr{sql: "DATE '" + today + "'", kind: Date}, true
		}
	case "current_timestamp", "now", "getdate", "current_datetime", "sysdate", "localtimestamp":
		if n == 0 && c.dialect != sqlparts.SQLite || n == 1 && c.dialect == sqlparts.BigQuery && utc(c.args(0)) {
			c.values.date(today)
			return expr{sql: "TIMESTAMP '" + now + "'", kind: Timestamp}, true
		}
	}
	return out, false
}

// ofBigQuery translates the other functions of BigQuery.
func (c *timeFunction) ofBigQuery() (out expr, ok bool) {
	n, name := len(c.e.Args), c.name
	switch name {
	case "date":
		switch {
		case n == 3:
			y, m, d := c.numeric(c.arg(0)), c.numeric(c.arg(1)), c.numeric(c.arg(2))
			return expr{sql: "make_date(" + y.sql + ", " + m.sql + ", " + d.sql + ")", kind: Date,
				near: append(both(y, m), d.near...)}, true
		case n == 1 || n == 2 && utc(c.args(1)):
			return convert(c.instant(c.arg(0), Timestamp), Date), true
		}
	case "timestamp", "datetime":
		if n == 1 || n == 2 && utc(c.args(1)) {
			return convert(c.instant(c.arg(0), Timestamp), Timestamp), true
		}
		if zone, yes := c.e.Args[n-1].(*sqlparts.Literal); n == 2 && name == "timestamp" && yes {
			if m := offset.FindStringSubmatch(zone.Text); m != nil { // the zone has a fixed offset
				hours, _ := strconv.Atoi(m[2])
				minutes, _ := strconv.Atoi(m[3])
				x := convert(c.instant(c.arg(0), Timestamp), Timestamp)
				x.sql = "(" + x.sql + map[string]string{"+": " - ", "-": " + "}[m[1]] + "to_minutes(" +
					strconv.Itoa(60*hours+minutes) + "))"
				return x, true
			}
		}
	case "date_add", "date_sub", "datetime_add", "datetime_sub", "timestamp_add", "timestamp_sub":
		if iv, yes := c.e.Args[n-1].(*sqlparts.Interval); yes && n == 2 {
			amount, unit := c.interval(c.s, iv)
			x := c.arg(0)
			if !strings.HasPrefix(name, "date_") {
				x = convert(c.instant(x, Timestamp), Timestamp)
			}
			return c.add(x, amount, unit, strings.HasSuffix(name, "sub")), true
		}
	case "date_diff", "datetime_diff":
		if n == 3 {
			k := Date
			if name == "datetime_diff" {
				k = Timestamp
			}
			to, from := c.arg(0), c.arg(1)
			if k == Date && !c.learn && (to.kind == Timestamp || from.kind == Timestamp) {
				refuse("DATE_DIFF of times")
			}
			return c.boundaries(c.unit(c.e.Args[2]), from, to, k), true
		}
	case "timestamp_diff":
		if n == 3 {
			return c.elapsed(c.unit(c.e.Args[2]), c.arg(1), c.arg(0)), true
		}
	case "date_trunc", "timestamp_trunc", "datetime_trunc":
		if n == 2 {
			k := Timestamp
			if name == "date_trunc" {
				k = Date
			}
			return c.truncated(c.unit(c.e.Args[1]), c.arg(0), k), true
		}
	case "format_date", "format_timestamp", "format_datetime":
		if n == 2 || n == 3 && utc(c.args(2)) {
			k := Timestamp
			if name == "format_date" {
				k = Date
			}
			return c.formatted(c.arg(1), c.arg(0), k), true
		}
	case "parse_date", "parse_timestamp", "parse_datetime":
		if n == 2 || n == 3 && utc(c.args(2)) {
			k := Timestamp
			if name == "parse_date" {
				k = Date
			}
			return c.parsed(c.arg(1), c.arg(0), k, false), true
		}
	case "last_day":
		if n == 1 {
			return c.lastDay("month", c.arg(0)), true
		}
		if n == 2 {
			return c.lastDay(c.unit(c.e.Args[1]), c.arg(0)), true
		}
	case "unix_seconds", "unix_millis", "unix_micros":
		if n == 1 {
			return c.toEpoch(c.arg(0), epochUnits[strings.TrimPrefix(name, "unix_")]), true
		}
	case "timestamp_seconds", "timestamp_millis", "timestamp_micros":
		if n == 1 {
			return c.fromEpoch(c.arg(0), epochUnits[strings.TrimPrefix(name, "timestamp_")]), true
		}
	}
	return out, false
}

// arithmetic translates functions that add, subtract or truncate dates and times.
func (c *timeFunction) arithmetic() (out expr, ok bool) {
	n, name := len(c.e.Args), c.name
	switch name {
	case "dateadd", "timestampadd", "timeadd":
		if n == 3 && c.in(sqlparts.Snowflake, sqlparts.Redshift, sqlparts.TSQL, sqlparts.Databricks) {
			return c.add(c.arg(2), c.arg(1), c.unit(c.e.Args[0]), false), true
		}
	case "datediff", "timestampdiff", "date_diff":
		switch {
		case n == 3 &&
			(c.in(sqlparts.Snowflake, sqlparts.Redshift, sqlparts.TSQL) && name != "date_diff" ||
				c.in(sqlparts.DuckDB) && name != "timestampdiff"):
			return c.boundaries(c.unit(c.e.Args[0]), c.arg(1), c.arg(2), Timestamp), true
		case n == 2 && name == "datediff" && c.in(sqlparts.MySQL, sqlparts.Databricks):
			return c.boundaries("day", c.arg(1), c.arg(0), Date), true
		}
	case "date_add", "date_sub":
		if n == 2 && c.in(sqlparts.MySQL, sqlparts.DuckDB) {
			if iv, yes := c.e.Args[1].(*sqlparts.Interval); yes && (name == "date_add" || c.dialect == sqlparts.MySQL) {
				amount, unit := c.interval(c.s, iv)
				x := c.add(c.arg(0), amount, unit, name == "date_sub")
				if c.dialect == sqlparts.DuckDB {
					x = convert(x, Timestamp)
				}
				return x, true
			}
		}
		if n == 2 && c.in(sqlparts.Databricks) {
			return convert(c.add(convert(c.instant(c.arg(0), Date), Date), c.arg(1), "day", name == "date_sub"), Date), true
		}
	case "date_trunc":
		if n == 2 && c.in(sqlparts.Snowflake, sqlparts.Postgres, sqlparts.Redshift, sqlparts.DuckDB, sqlparts.Databricks) {
			unit, x := c.e.Args[0], c.e.Args[1]
			out := c.truncated(c.unit(unit), c.expr(c.s, x), Timestamp)
			if c.in(sqlparts.Postgres, sqlparts.Redshift, sqlparts.Databricks) {
				out = convert(out, Timestamp)
			}
			return out, true
		}
	case "last_day":
		if n == 1 && c.in(sqlparts.Snowflake, sqlparts.MySQL, sqlparts.Databricks, sqlparts.DuckDB, sqlparts.Redshift) {
			return c.lastDay("month", c.arg(0)), true
		}
		if n == 2 && c.in(sqlparts.Snowflake) {
			return c.lastDay(c.unit(c.e.Args[1]), c.arg(0)), true
		}
	}
	return out, false
}

// conversion translates functions that convert between times and strings or numbers.
func (c *timeFunction) conversion() (out expr, ok bool) {
	n, name := len(c.e.Args), c.name
	switch name {
	case "to_date", "try_to_date", "date":
		if n == 2 && name != "date" && c.in(sqlparts.Snowflake, sqlparts.Databricks) || n == 2 && c.in(sqlparts.Snowflake) {
			return c.parsed(c.arg(0), c.arg(1), Date, strings.HasPrefix(name, "try") || c.in(sqlparts.Databricks)), true
		}
		if n == 1 &&
			c.in(sqlparts.Snowflake, sqlparts.Databricks, sqlparts.MySQL, sqlparts.Redshift, sqlparts.Postgres,
				sqlparts.DuckDB) &&
			!strings.HasPrefix(name, "try") {
			return convert(c.instant(c.arg(0), Timestamp), Date), true
		}
	case "to_timestamp_ltz":
		if c.in(sqlparts.Snowflake) && n == 1 {
			x := c.arg(0)
			if c.learn && x.kind == Null && x.column != nil || x.kind == Int || x.kind == Real {
				x = c.fromEpoch(x, 1)
				if c.open = true; c.variant == 1 && !c.learn { // depends on the session's time zone
					x.sql = "(" + x.sql + " - to_hours(8))"
				}
				return x, true
			}
			return convert(c.instant(x, Timestamp), Timestamp), true
		}
	case "to_timestamp", "to_timestamp_ntz", "try_to_timestamp", "try_to_timestamp_ntz":
		if !c.in(sqlparts.Snowflake) {
			break
		}
		try := strings.HasPrefix(name, "try")
		if n == 2 {
			if l, yes := c.e.Args[1].(*sqlparts.Literal); yes && l.Kind == sqlparts.Number {
				if per := epochUnits[l.Text]; per != 0 && !try {
					return c.fromEpoch(c.arg(0), per), true
				}
				break
			}
			return c.parsed(c.arg(0), c.arg(1), Timestamp, try), true
		}
		if n == 1 && !try {
			x := c.arg(0)
			if c.learn && x.kind == Null && x.column != nil || x.kind == Int || x.kind == Real {
				return c.fromEpoch(x, 1), true
			}
			return convert(c.instant(x, Timestamp), Timestamp), true
		}
	case "to_char", "to_varchar":
		if n == 2 && c.in(sqlparts.Snowflake, sqlparts.Postgres, sqlparts.Redshift) {
			f, yes := c.e.Args[1].(*sqlparts.Literal)
			if yes && f.Kind == sqlparts.String && !strings.ContainsAny(f.Text, "90") {
				return c.formatted(c.arg(0), c.arg(1), Timestamp), true
			}
		}
		if n == 1 && c.in(sqlparts.Snowflake) {
			return c.text(c.arg(0)), true
		}
	case "strftime":
		if n == 2 && c.in(sqlparts.DuckDB) {
			x, f := c.arg(0), c.arg(1)
			if x.literal != nil && strings.Contains(x.literal.Text, "%") {
				x, f = f, x
			}
			return c.formatted(x, f, Timestamp), true
		}
	case "date_format":
		if n == 2 && c.in(sqlparts.MySQL, sqlparts.Databricks) {
			return c.formatted(c.arg(0), c.arg(1), Timestamp), true
		}
	}
	return out, false
}

// parts translates functions that extract a part of a time or compose a date.
func (c *timeFunction) parts() (out expr, ok bool) {
	n, name := len(c.e.Args), c.name
	switch name {
	case "date_part", "datepart", "extract":
		if n == 2 &&
			c.in(sqlparts.Snowflake, sqlparts.Postgres, sqlparts.DuckDB, sqlparts.TSQL, sqlparts.Databricks, sqlparts.Redshift) {
			unit := ""
			switch u := c.e.Args[0].(type) {
			case *sqlparts.Column:
				unit = u.Name.Last().Text
			case *sqlparts.Literal:
				unit = u.Text
			}
			if unitNames[unit] != "" && len(unit) > 2 {
				unit = strings.TrimSuffix(unit, "s")
			}
			return c.part(unit, c.arg(1)), true
		}
	case "year", "month", "day", "quarter", "hour", "minute", "second", "dayofmonth", "dayofyear", "dayofweek",
		"dayofweekiso", "week", "weekiso", "weekofyear", "weekday", "yearofweekiso", "isodow":
		if n == 1 && (name != "weekday" || c.in(sqlparts.MySQL)) {
			return c.part(name, c.arg(0)), true
		}
	case "dayname", "monthname":
		if n == 1 && c.in(sqlparts.Snowflake, sqlparts.DuckDB, sqlparts.MySQL) {
			f := map[string]string{"dayname": "%A", "monthname": "%B"}[name]
			if c.in(sqlparts.Snowflake) {
				f = map[string]string{"dayname": "%a", "monthname": "%b"}[name]
			}
			x := c.instant(c.arg(0), Date)
			return expr{sql: "strftime(" + x.sql + ", '" + f + "')", kind: Text, near: x.near, made: true}, true
		}
	case "make_date", "date_from_parts", "datefromparts":
		if n == 3 {
			y, m, d := c.numeric(c.arg(0)), c.numeric(c.arg(1)), c.numeric(c.arg(2))
			if name == "make_date" || c.dialect == sqlparts.TSQL {
				return expr{sql: "make_date(" + y.sql + ", " + m.sql + ", " + d.sql + ")", kind: Date,
					near: append(both(y, m), d.near...)}, true
			}
		}
	}
	return out, false
}

// offset matches a time zone with a fixed offset from UTC, such as +02:00.
var offset = lazyregexp.New(`^([+-])([0-9]{1,2}):?([0-9]{2})?$`)

// epochUnits maps names of units, and Snowflake's scales, to the number of units in a second.
var epochUnits = map[string]int64{"seconds": 1, "millis": 1_000, "micros": 1_000_000, "0": 1, "3": 1_000,
	"6": 1_000_000}

// interval returns the amount and the unit of an interval with a single unit. Others are refused.
func (c *transpiler) interval(s *scope, e *sqlparts.Interval) (amount expr, unit string) {
	if e.Unit != "" {
		x := c.expr(s, e.X)
		if x.kind == Text && x.literal != nil {
			n, err := strconv.Atoi(strings.TrimSpace(x.literal.Text))
			if err != nil {
				refuse("INTERVAL of this form")
			}
			x = whole(n)
		}
		return x, c.unit(&sqlparts.Column{Name: sqlparts.Name{{Text: e.Unit}}})
	}
	if l, ok := e.X.(*sqlparts.Literal); ok {
		if f := strings.Fields(l.Text); len(f) == 2 {
			if n, err := strconv.Atoi(f[0]); err == nil {
				return whole(n), c.unit(&sqlparts.Column{Name: sqlparts.Name{{Text: f[1]}}})
			}
		}
	}
	refuse("INTERVAL of this form")
	return amount, unit
}

func whole(n int) expr {
	text := strconv.Itoa(n)
	return expr{sql: text + "::BIGINT", kind: Int, literal: &sqlparts.Literal{Kind: sqlparts.Number, Text: text}}
}

// shifted translates a date plus or minus a number of days or an interval, and the difference of two dates. ok is
// false for any other operation.
func (c *transpiler) shifted(s *scope, e *sqlparts.Binary) (out expr, ok bool) {
	minus := e.Op == "-"
	if iv, yes := e.R.(*sqlparts.Interval); yes && (minus || e.Op == "+") {
		x := c.expr(s, e.L)
		amount, unit := c.interval(s, iv)
		x = c.add(x, amount, unit, minus)
		if c.dialect == sqlparts.Postgres || c.dialect == sqlparts.DuckDB || c.dialect == sqlparts.Redshift ||
			c.dialect == sqlparts.BigQuery {
			x = convert(x, Timestamp)
		}
		return x, true
	}
	if iv, yes := e.L.(*sqlparts.Interval); yes && e.Op == "+" {
		return c.shifted(s, &sqlparts.Binary{Op: e.Op, L: e.R, R: iv})
	}
	if c.learn || minus == (e.Op == "+") {
		return out, false
	}
	switch c.dialect {
	case sqlparts.Snowflake, sqlparts.Postgres, sqlparts.DuckDB, sqlparts.Redshift, sqlparts.BigQuery:
	default:
		return out, false
	}
	l, r := c.expr(s, e.L), c.expr(s, e.R)
	switch {
	case l.kind == Date && r.kind == Int:
		return c.add(l, r, "day", minus), true
	case l.kind == Int && r.kind == Date && !minus:
		return c.add(r, l, "day", false), true
	case l.kind == Date && r.kind == Date && minus && c.dialect != sqlparts.BigQuery:
		return c.boundaries("day", r, l, Date), true
	}
	return out, false
}
