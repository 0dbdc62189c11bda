package counterexample

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// Functions of dates and times, by dialect. If a result depends on a session setting, such as the first day of a
// week in Snowflake, the two variants assume opposite settings. Instants are in UTC: a function that takes or
// returns the time of another zone is refused.

// now is the instant that queries run at. Both run at the same one, and any may be it.
const (
	today = "2021-06-15"
	now   = today + " 14:30:00"
)

// unitNames are the units that dates are counted in, by all their names, as the engine names them.
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

// microseconds are those of a unit that is always as long.
var microseconds = map[string]int64{"day": 86_400_000_000, "hour": 3_600_000_000, "minute": 60_000_000,
	"second": 1_000_000, "millisecond": 1_000, "microsecond": 1}

// weekdays are the days of a week that starts on Sunday. A unit "week+2" starts on the third of them.
var weekdays = []string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}

// unit reads a unit: a name, a string or WEEK(MONDAY).
func (c *carrier) unit(e sqlparts.Expr) string {
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
		case sqlparts.Snowflake: // by its parameter WEEK_START
			c.open = true
			u = [2]string{"isoweek", "sunweek"}[c.variant]
		default:
			u = "isoweek"
		}
	}
	return u
}

// instant converts a value to a date or a time. A string is converted if it is in ISO 8601 format.
func (c *carrier) instant(x expr, k Kind) expr {
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

// isoText is a date or a time as every dialect reads it.
const isoText = `[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9]{2}:[0-9]{2}:[0-9]{2})?`

// learnTime records that a column is a date or a time. One with a time of day is not a date.
func (c *carrier) learnTime(x expr, k Kind) {
	if x.column != nil && x.column.Declared == "" && c.dialect != sqlparts.SQLite &&
		(x.column.Kind == Date && k == Timestamp || x.column.dateLike && x.column.Kind == Text) {
		x.column.Kind = k
		return
	}
	c.learnKind(x, k)
}

// convert is a date or a time as one of a kind.
func convert(x expr, k Kind) expr {
	if x.kind != k {
		x.sql, x.kind = "CAST("+x.sql+" AS "+k.Type()+")", k
	}
	return x
}

// add adds a number of units. If the month has no such day, all dialects take its last.
func (c *carrier) add(x, n expr, unit string, minus bool) expr {
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

// weekNumber returns the number of a week, from 1. Weeks start on Sunday or Monday.
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

// boundaries counts the bounds of a unit between two dates.
func (c *carrier) boundaries(unit string, from, to expr, k Kind) expr {
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

// elapsed counts the whole units between two instants.
func (c *carrier) elapsed(unit string, from, to expr) expr {
	if microseconds[unit] == 0 {
		refuse("a difference of instants in units of different length")
	}
	from, to = convert(c.instant(from, Timestamp), Timestamp), convert(c.instant(to, Timestamp), Timestamp)
	return expr{
		sql: "((epoch_us(" + to.sql + ") - epoch_us(" + from.sql + ")) // " + strconv.FormatInt(microseconds[unit], 10) +
			")",
		kind: Int, near: both(from, to)}
}

// truncated is the beginning of the unit.
func (c *carrier) truncated(unit string, x expr, k Kind) expr {
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

// lastDay is the last day of the unit.
func (c *carrier) lastDay(unit string, x expr) expr {
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

// part is a part of a date, as a number.
func (c *carrier) part(unit string, x expr) expr {
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
		case unit != "dow" && c.dialect == sqlparts.Snowflake: // by its parameter WEEK_START
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

// timePart is one piece of a format: as the engine writes it, and as package time does.
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
	percentPart = regexp.MustCompile(`%.`)
	letters     = regexp.MustCompile(`(?i)YYYY|YY|MMMM|MM|MON|DD|DY|HH24|MI|SS`)
	pgLetters   = regexp.MustCompile(`IYYY|YYYY|YY|MM|Mon|DD|Dy|HH24|MI|SS|IW`)
	javaLetters = regexp.MustCompile(`y+|M+|d+|H+|m+|s+|E+`)
	separators  = regexp.MustCompile(`^[-/ :.,_TWQ]*$`)
)

// format reads a format of a dialect: as the engine has it, and as package time does, empty if that
// has no such one.
func (c *carrier) format(e expr) (engine, layout string) {
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

// formatted is a date as a string. Snowflake writes as it reads: names in the case of the format.
func (c *carrier) formatted(x, format expr, k Kind) expr {
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

// parsed reads a string as a date. All dialects agree only on strings that the format itself would write: for
// others, the result is unknown.
func (c *carrier) parsed(x, format expr, k Kind, try bool) expr {
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

// fromEpoch is the instant of a number of units since 1970.
func (c *carrier) fromEpoch(x expr, perSecond int64) expr {
	finer := perSecond // the units that the columns count
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

// toEpoch is the number of whole units since 1970.
func (c *carrier) toEpoch(x expr, perSecond int64) expr {
	x = convert(c.instant(x, Timestamp), Timestamp)
	return expr{
		sql:  "CAST(floor(epoch_us(" + x.sql + ") / " + strconv.FormatInt(1_000_000/perSecond, 10) + ".0) AS BIGINT)",
		kind: Int, near: x.near}
}

// utc takes a time zone that is an argument; only UTC is.
func utc(args []expr) bool {
	return len(args) == 0 ||
		len(args) == 1 && args[0].literal != nil &&
			slices.Contains([]string{"utc", "etc/utc", "gmt", "+00", "+00:00"}, strings.ToLower(args[0].literal.Text))
}

// timeFunction is a call of a function of dates or times.
type timeFunction struct {
	*carrier
	s    *scope
	e    *sqlparts.Call
	name string
}

func (c *timeFunction) arg(i int) expr { return c.expr(c.s, c.e.Args[i]) }

// args are the arguments from the given one on.
func (c *timeFunction) args(from int) (list []expr) {
	for i := from; i < len(c.e.Args); i++ {
		list = append(list, c.arg(i))
	}
	return list
}

func (c *timeFunction) in(list ...sqlparts.Dialect) bool { return slices.Contains(list, c.dialect) }

// timeCall writes a function of dates and times; ok is false for one that is not known here.
func (c *carrier) timeCall(s *scope, e *sqlparts.Call, name string) (expr, bool) {
	f := &timeFunction{carrier: c, s: s, e: e, name: name}
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

// clock are the functions of the date and time of the call.
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

// ofBigQuery are BigQuery's functions.
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
			if m := offset.FindStringSubmatch(zone.Text); m != nil { // the time of a zone with a fixed offset
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

// arithmetic are the functions that add, subtract and cut times.
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

// conversion are the functions that read and write times as text or numbers.
func (c *timeFunction) conversion() (out expr, ok bool) {
	n, name := len(c.e.Args), c.name
	switch name {
	case "to_date", "try_to_date", "date":
		if n == 2 && name != "date" && c.in(sqlparts.Snowflake, sqlparts.Databricks) || n == 2 && c.in(sqlparts.Snowflake) {
			return c.parsed(c.arg(0), c.arg(1), Date, strings.HasPrefix(name, "try") || c.in(sqlparts.Databricks)), true
		}
		if n == 1 &&
			c.in(sqlparts.Snowflake, sqlparts.Databricks, sqlparts.MySQL, sqlparts.Redshift, sqlparts.Postgres, sqlparts.DuckDB) &&
			!strings.HasPrefix(name, "try") {
			return convert(c.instant(c.arg(0), Timestamp), Date), true
		}
	case "to_timestamp_ltz":
		if c.in(sqlparts.Snowflake) && n == 1 {
			x := c.arg(0)
			if c.learn && x.kind == Null && x.column != nil || x.kind == Int || x.kind == Real {
				x = c.fromEpoch(x, 1)
				if c.open = true; c.variant == 1 && !c.learn { // by the time zone of the session
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
			if f, yes := c.e.Args[1].(*sqlparts.Literal); yes && f.Kind == sqlparts.String && !strings.ContainsAny(f.Text, "90") {
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

// parts are the functions that take times apart and put dates together.
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

// offset is a zone that is as far from UTC all year.
var offset = regexp.MustCompile(`^([+-])([0-9]{1,2}):?([0-9]{2})?$`)

// epochUnits are how many units a second has, by their names and by Snowflake's scales.
var epochUnits = map[string]int64{"seconds": 1, "millis": 1_000, "micros": 1_000_000, "0": 1, "3": 1_000,
	"6": 1_000_000}

// interval reads an interval of one unit.
func (c *carrier) interval(s *scope, e *sqlparts.Interval) (amount expr, unit string) {
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

// shifted is a date and a number of days, or an interval, added or taken away. The difference of two
// dates is a number of days.
func (c *carrier) shifted(s *scope, e *sqlparts.Binary) (out expr, ok bool) {
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
