package sqlparts

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// clockValue is the kind of value that a clock function returns.
type clockValue uint8

const (
	clockDate       clockValue = iota + 1 // the local date
	clockTime                             // the local time of day
	clockZonedTime                        // the local time of day with its zone
	clockInstant                          // a timestamp with time zone
	clockWall                             // the local date and time
	clockUTC                              // date and time in UTC
	clockUTCDate                          // the date in UTC
	clockUTCTime                          // the time of day in UTC
	clockUnix                             // seconds since 1970
	clockPrecise                          // as clockWall, of T-SQL's type datetime2
	clockUTCPrecise                       // as clockUTC, of T-SQL's type datetime2
	clockSince                            // age(x), which is age(CURRENT_DATE, x)
	clockArgument                         // SQLite's time value 'now', written or implied
	clockWord                             // PostgreSQL's 'now', 'today' … as a date or time
	clockText                             // a string: timeofday()
)

// clockFunction is a function that reads the clock.
type clockFunction struct {
	value   clockValue
	keyword bool   // it may be written without parentheses
	called  bool   // it may be called with parentheses
	word    string // of clockWord: the word in lower case
	typ     string // of clockWord: the type of the date or time
}

// argues reports whether a call of the function reads the clock only with certain arguments.
func (f *clockFunction) argues() bool {
	return f.value == clockArgument || f.value == clockSince || f.value == clockUnix
}

// clockFunctions are the functions that read the clock, by dialect and name in lower case.
var clockFunctions = func() (all [len(syntaxes)]map[string]*clockFunction) {
	add := func(value clockValue, form, names string, dialects ...Dialect) {
		for name := range strings.FieldsSeq(names) {
			for _, d := range append(dialects, Generic) {
				if all[d] == nil {
					all[d] = map[string]*clockFunction{}
				}
				f := all[d][name]
				if f == nil {
					f = &clockFunction{value: value}
					all[d][name] = f
				}
				f.keyword, f.called = f.keyword || form != "()", f.called || form != "word"
			}
		}
	}
	const word, call, either = "word", "()", "either"
	add(clockDate, either, "current_date", Snowflake, BigQuery, Databricks, Redshift, Postgres, DuckDB, MySQL)
	add(clockInstant, either, "current_timestamp", Snowflake, BigQuery, Databricks, Redshift, Postgres, DuckDB)
	add(clockTime, either, "current_time", Snowflake, BigQuery, Databricks, MySQL)
	add(clockZonedTime, either, "current_time", Redshift, Postgres, DuckDB)
	add(clockTime, either, "localtime", Postgres, Redshift, DuckDB, Snowflake)
	add(clockWall, either, "localtimestamp", Postgres, Redshift, DuckDB, Databricks)
	add(clockInstant, call, "now", Postgres, Redshift, DuckDB, Databricks, Snowflake)
	add(clockInstant, call, "transaction_timestamp", Postgres, Redshift, DuckDB)
	add(clockInstant, call, "statement_timestamp clock_timestamp", Postgres, Redshift)
	add(clockText, call, "timeofday", Postgres, Redshift)
	add(clockSince, call, "age", Postgres, DuckDB)

	add(clockDate, call, "today", DuckDB)
	add(clockInstant, call, "get_current_timestamp", DuckDB)
	add(clockZonedTime, call, "get_current_time", DuckDB)
	add(clockTime, call, "current_localtime", DuckDB)
	add(clockWall, call, "current_localtimestamp", DuckDB)

	add(clockUTC, call, "getdate", Redshift)
	add(clockUTC, word, "sysdate", Redshift)

	add(clockInstant, either, "localtimestamp", Snowflake)
	add(clockInstant, call, "getdate systimestamp", Snowflake)
	add(clockUTC, call, "sysdate", Snowflake)

	add(clockWall, either, "current_datetime", BigQuery)

	add(clockDate, call, "curdate", Databricks, MySQL)
	add(clockInstant, call, "getdate", Databricks)
	add(clockUnix, call, "unix_timestamp", Databricks, MySQL)

	add(clockWall, either, "current_timestamp localtime localtimestamp", MySQL)
	add(clockWall, call, "now sysdate", MySQL)
	add(clockTime, call, "curtime", MySQL)
	add(clockUTCDate, either, "utc_date", MySQL)
	add(clockUTCTime, either, "utc_time", MySQL)
	add(clockUTC, either, "utc_timestamp", MySQL)

	add(clockWall, word, "current_timestamp", TSQL)
	add(clockDate, word, "current_date", TSQL)
	add(clockWall, call, "getdate", TSQL)
	add(clockUTC, call, "getutcdate", TSQL)
	add(clockPrecise, call, "sysdatetime", TSQL)
	add(clockUTCPrecise, call, "sysutcdatetime", TSQL)
	add(clockInstant, call, "sysdatetimeoffset", TSQL)

	add(clockUTCDate, word, "current_date", SQLite)
	add(clockUTCTime, word, "current_time", SQLite)
	add(clockUTC, word, "current_timestamp", SQLite)
	add(clockArgument, call, "date time datetime julianday unixepoch strftime timediff", SQLite)
	return all
}()

// sqliteTime are SQLite's functions whose argument is a time value such as 'now'.
var sqliteTime = nameSet("date time datetime julianday unixepoch strftime timediff")

// clockOf returns the clock function with the name n in the dialect, or nil if n is not one.
func clockOf(d Dialect, n Name) *clockFunction {
	if len(n) > 1 && !slices.Contains(builtins, strings.ToLower(n[len(n)-2].Text)) || int(d) >= len(clockFunctions) {
		return nil
	}
	return clockFunctions[d][strings.ToLower(n.Last().Text)]
}

// reads reports whether the call c reads the clock. arg is the argument that means the current time, or the argument of
// age(x) before which the time must be inserted; nil if there is none.
func (f *clockFunction) reads(d Dialect, c *Call) (reads bool, arg Expr) {
	switch {
	case c.bare():
		return f.keyword, nil
	case !f.called:
		return false, nil
	}
	switch f.value {
	case clockSince:
		return len(c.Args) == 1, first(c.Args)
	case clockUnix:
		return len(c.Args) == 0, nil
	case clockArgument:
		return sqliteReads(d, c)
	default:
		return len(c.Args) <= 1, nil
	}
}

func first(args []Expr) Expr {
	if len(args) == 0 {
		return nil
	}
	return args[0]
}

// sqliteReads reports whether a call of SQLite's date functions reads the clock: its time value is 'now', or it has
// none. In other dialects, DATE(x) reads no clock.
func sqliteReads(d Dialect, c *Call) (reads bool, arg Expr) {
	name, at := strings.ToLower(c.Name.Last().Text), 0
	if name == "strftime" {
		at = 1
	}
	for i, a := range c.Args {
		if i >= at && (i == at || name == "timediff") && isText(a, "now") {
			return true, a
		}
	}
	switch {
	case d != SQLite, name == "timediff",
		len(c.Args) > at && !isText(c.Args[at], "subsec") && !isText(c.Args[at], "subsecond"):
		return false, nil
	}
	return name != "strftime" || len(c.Args) > 0, nil
}

// readsNow reports whether a string such as 'now', cast to the type, means the current time in the dialect.
func readsNow(d Dialect, typ string) bool {
	switch d {
	case Postgres, Redshift, Databricks, Generic:
		return strings.HasPrefix(typ, "date") || strings.HasPrefix(typ, "timestamp") || strings.HasPrefix(typ, "time") ||
			typ == "abstime"
	}
	return false
}

// wordClock returns the clock function that is equivalent to a string such as 'now' when it is parsed as a date or
// time, or nil.
func wordClock(text, typ string) *clockFunction {
	switch w := strings.ToLower(strings.TrimSpace(text)); w {
	case "now", "today", "tomorrow", "yesterday":
		if strings.HasPrefix(typ, "time") && !strings.HasPrefix(typ, "timestamp") && w != "now" {
			return nil
		}
		return &clockFunction{value: clockWord, word: w, typ: typ}
	}
	return nil
}

// PinClock returns the SQL of a script in which every call that reads the clock is replaced by the instant, as a
// literal of the type that the call has in the dialect. A local date or time, such as CURRENT_DATE, is in the time
// zone of the instant. n is the number of replaced calls. If a call may have been missed, why gives its position
// and the reason, and the returned SQL must not be used.
//
// Instants are whole seconds in the years 1 to 9999. Calls in views and user-defined functions cannot be replaced.
func (s *Script) PinClock(t time.Time) (text string, n int, why string) {
	if t.Nanosecond() != 0 || t.Year() < 1 || t.Year() > 9999 {
		return "", 0, "the instant is not one of whole seconds of the years 1 to 9999"
	}
	if s.Dialect == Generic {
		return "", 0, "the dialect is not known, and with it what the clock returns"
	}
	if why := s.hiddenClock(); why != "" {
		return "", 0, why
	}
	var changes []change
	for _, d := range s.Dependences(nil) {
		if d.On != OnClock {
			continue
		}
		c, ok := s.pinned(&d, t)
		if !ok {
			return "", 0, fmt.Sprintf("%s, %s, reads the clock in a way that cannot be pinned", s.Place(d), d.What)
		}
		if next := strings.TrimLeft(s.SQL[c.End:], " \t\r\n"); d.call != nil && c.Span == d.Span && next != "" &&
			(next[0] == '.' || next[0] == '[') {
			c.text = "(" + c.text + ")" // now().year()
		}
		changes = append(changes, c)
	}
	n = len(changes)
	text = apply(s.SQL, append(changes, s.namesKept(changes)...))
	if n > 0 { // the result must parse completely, with as many statements, and read no clock
		again := Parse(text, s.Dialect)
		if len(again.Notes) > 0 || len(again.Statements) != len(s.Statements) ||
			slices.ContainsFunc(again.Dependences(nil), func(d Dependence) bool { return d.On == OnClock }) {
			return "", 0, "the text with the pinned clock is not read as the same query"
		}
	}
	return text, n, ""
}

// change is the replacement of a span of SQL text by a text.
type change struct {
	Span
	text string
}

func apply(sql string, changes []change) string {
	slices.SortStableFunc(changes, func(a, b change) int { return int(a.Start - b.Start) })
	var b strings.Builder
	at := int32(0)
	for _, c := range changes {
		b.WriteString(sql[at:c.Start])
		b.WriteString(c.text)
		at = c.End
	}
	b.WriteString(sql[at:])
	return b.String()
}

// hiddenClock describes the first part of a script that may read the clock in a form that [PinClock] cannot replace, or
// returns "".
func (s *Script) hiddenClock() string {
	if len(s.Notes) > 0 {
		return fmt.Sprintf("%s: a part of the query was not read (%s), and may read the clock", s.Place(s.Notes[0]),
			s.Notes[0].What)
	}
	for _, st := range s.Statements {
		if st.Query == nil {
			return fmt.Sprintf("%s: only queries are read through for the clock", s.Place(st))
		}
	}
	var read stretches
	for _, d := range s.Dependences(nil) {
		if d.On == OnClock {
			read = append(read, d.Span)
		}
	}
	read = read.merged()
	for _, m := range s.Mentions(0, len(s.SQL)) {
		f := clockOf(s.Dialect, Name{m.Name.Last()})
		if f == nil || f.argues() || read.has(m.Start) || len(m.Name) == 1 && m.Name[0].Quoted && !m.Called {
			continue
		}
		if m.Called && f.called || f.keyword && !m.Called && len(m.Name) == 1 && f.reserved(s.Dialect, m.Name[0].Text) {
			return fmt.Sprintf("%s: %s may read the clock, and stands where that was not expected", s.Place(m),
				s.SQL[m.Start:m.End])
		}
	}
	var texts []string
	switch s.Dialect {
	case SQLite:
		texts = []string{"now"}
	case Postgres, Redshift, Databricks:
		texts = []string{"now", "today", "tomorrow", "yesterday"}
	default:
		return ""
	}
	postgres := s.Dialect == Postgres || s.Dialect == Redshift
	for _, t := range Tokens(s.SQL, s.Dialect) {
		if t.Kind != TokenString && (t.Kind != TokenName || s.Dialect != SQLite) || read.has(t.Start) {
			continue
		}
		text := strings.ToLower(strings.TrimSpace(t.Value))
		if slices.Contains(texts, text) || postgres && holdsClockWord(text, texts) {
			return fmt.Sprintf("%s: the text '%s' may mean the time of the run there; write the time itself, or another text",
				s.Place(t), text)
		}
		if postgres && spelledByCode.MatchString(s.SQL[t.Start:t.End]) {
			return fmt.Sprintf("%s: a text with characters by their codes may mean the time of the run; write the characters",
				s.Place(t))
		}
	}
	return ""
}

// spelledByCode matches PostgreSQL strings that spell characters by their codes: E'\x6e' and U&'\006e'.
var spelledByCode = regexp.MustCompile(`(?s)^(?i:e)'.*\\(?:[xuU]|[0-7])|^(?i:u)&'.*\\`)

// timeWords are the words that may appear next to 'now', 'today' … in a string that is a date or time.
var timeWords = nameSet("now today tomorrow yesterday allballs am pm ad bc utc gmt zulu z t at")

// holdsClockWord reports whether a string may be a date or time that uses one of the words, such as 'today 10:00',
// or several such values: '{today}' and '[today,tomorrow)'.
func holdsClockWord(text string, words []string) bool {
	found, others := false, false
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) }) {
		found = found || slices.Contains(words, w)
		others = others || !timeWords[w]
	}
	return found && (!others || strings.ContainsAny(text[:1], "{[("))
}

// reserved reports whether the dialect reserves the word, so that it cannot name a column or an alias.
func (f *clockFunction) reserved(d Dialect, word string) bool {
	if !strings.HasPrefix(strings.ToLower(word), "current_") && d != Redshift {
		return false
	}
	return d != BigQuery && d != Databricks && d != DuckDB
}

// pinned returns the change that replaces a call which reads the clock by the instant t. It returns false if a literal
// cannot replace the call.
func (s *Script) pinned(d *Dependence, t time.Time) (change, bool) {
	f := d.clock
	if f == nil {
		return change{}, false
	}
	literal := s.Dialect.clockLiteral(f, t)
	at := d.Span
	c := change{Span: at, text: literal}
	switch f.value {
	case clockWord:
		from, to := d.arg.Range()
		c.Span = Span{int32(from), int32(to)} //nolint:gosec // within maxText
		return c, true
	case clockSince:
		from, _ := d.arg.Range()
		c.Span, c.text = Span{int32(from), int32(from)}, literal+", " //nolint:gosec // within maxText
		return c, d.call != nil && len(d.call.OrderBy) == 0
	case clockArgument:
		return s.pinnedArgument(d, literal)
	}
	if d.call == nil || len(d.call.Args) == 0 {
		return c, literal != "" && (d.call == nil || d.call.Over == nil && d.call.Filter == nil)
	}
	if s.Dialect == BigQuery { // the argument is a time zone
		convert := map[clockValue]string{clockDate: "DATE", clockTime: "TIME", clockWall: "DATETIME"}[f.value]
		from, to := d.call.Args[0].Range()
		c.text = fmt.Sprintf("%s(%s, %s)", convert, s.Dialect.clockLiteral(&clockFunction{value: clockInstant}, t),
			s.SQL[from:to])
		return c, convert != ""
	}
	l, ok := d.call.Args[0].(*Literal) // the argument is a precision, which does not change whole seconds
	return c, ok && l.Kind == Number && literal != ""
}

// pinnedArgument returns the change of a SQLite date function that replaces 'now' by the literal, or inserts the
// literal as the omitted time value. It returns false if neither is possible.
func (s *Script) pinnedArgument(d *Dependence, literal string) (change, bool) {
	c := d.call
	if d.arg != nil {
		if strings.EqualFold(c.Name.Last().Text, "timediff") && isText(c.Args[0], "now") && isText(c.Args[1], "now") {
			return change{}, false
		}
		from, to := d.arg.Range()
		return change{Span{int32(from), int32(to)}, literal}, true //nolint:gosec // within maxText
	}
	end := c.End - 1
	if s.SQL[end] != ')' {
		return change{}, false
	}
	at := int32(strings.IndexByte(s.SQL[c.Start:], '(')) + c.Start + 1 //nolint:gosec // within maxText
	switch strftime := strings.EqualFold(c.Name.Last().Text, "strftime"); {
	case len(c.Args) == 0:
		return change{Span{at, at}, literal}, true
	case strftime && len(c.Args) == 1:
		_, to := c.Args[0].Range()
		return change{Span{int32(to), int32(to)}, ", " + literal}, true //nolint:gosec // within maxText
	case strftime:
		from, _ := c.Args[1].Range()
		return change{Span{int32(from), int32(from)}, literal + ", "}, true //nolint:gosec // within maxText
	default:
		return change{Span{at, at}, literal + ", "}, true
	}
}

// clockLiteral returns the SQL literal of the instant t with the type that the clock function has in the dialect; "" if
// the dialect has no such function.
func (d Dialect) clockLiteral(f *clockFunction, t time.Time) string {
	utc := t.UTC()
	day, clock := t.Format("2006-01-02"), t.Format("15:04:05")
	wall, wallUTC, zoned := day+" "+clock, utc.Format("2006-01-02 15:04:05"), t.Format("2006-01-02 15:04:05-07:00")
	if f.value == clockWord {
		return quoted(wordLiteral(f, t))
	}
	if f.value == clockUnix {
		return "CAST(" + strconv.FormatInt(t.Unix(), 10) + " AS " +
			map[bool]string{true: "SIGNED", false: "BIGINT"}[d == MySQL] + ")"
	}
	switch d {
	case SQLite:
		return quoted(
			map[clockValue]string{clockUTCDate: utc.Format("2006-01-02"), clockUTCTime: utc.Format("15:04:05"),
				clockUTC: wallUTC, clockArgument: wallUTC}[f.value])
	case TSQL:
		iso := "2006-01-02T15:04:05"
		switch f.value {
		case clockDate:
			return "CAST('" + day + "' AS date)"
		case clockWall:
			return "CAST('" + t.Format(iso) + "' AS datetime)"
		case clockUTC:
			return "CAST('" + utc.Format(iso) + "' AS datetime)"
		case clockPrecise:
			return "CAST('" + t.Format(iso) + "' AS datetime2)"
		case clockUTCPrecise:
			return "CAST('" + utc.Format(iso) + "' AS datetime2)"
		case clockInstant:
			return "CAST('" + t.Format(iso+"-07:00") + "' AS datetimeoffset)"
		}
		return ""
	case Snowflake:
		switch f.value {
		case clockDate:
			return "CAST('" + day + "' AS DATE)"
		case clockTime:
			return "CAST('" + clock + "' AS TIME)"
		case clockInstant:
			return "CAST('" + t.Format("2006-01-02 15:04:05 -0700") + "' AS TIMESTAMP_LTZ)"
		case clockUTC:
			return "CAST('" + wallUTC + "' AS TIMESTAMP_NTZ)"
		}
		return ""
	}
	switch f.value {
	case clockDate:
		return "DATE '" + day + "'"
	case clockUTCDate:
		return "DATE '" + utc.Format("2006-01-02") + "'"
	case clockTime:
		return "TIME '" + clock + "'"
	case clockUTCTime:
		return "TIME '" + utc.Format("15:04:05") + "'"
	case clockZonedTime:
		return "TIMETZ '" + t.Format("15:04:05-07:00") + "'"
	case clockInstant:
		if d == BigQuery || d == Databricks {
			return "TIMESTAMP '" + zoned + "'"
		}
		return "TIMESTAMPTZ '" + zoned + "'"
	case clockWall, clockUTC:
		if f.value == clockUTC {
			wall = wallUTC
		}
		switch d {
		case BigQuery:
			return "DATETIME '" + wall + "'"
		case Databricks:
			return "TIMESTAMP_NTZ '" + wall + "'"
		}
		return "TIMESTAMP '" + wall + "'"
	case clockSince:
		return "TIMESTAMP '" + day + " 00:00:00'"
	case clockText:
		return "CAST(" + quoted(t.Format("Mon Jan 02 15:04:05.000000 2006 MST")) + " AS text)"
	}
	return ""
}

// wordLiteral returns the date or time to which PostgreSQL's 'now', 'today' … evaluate.
func wordLiteral(f *clockFunction, t time.Time) string {
	switch f.word {
	case "today":
		t = time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location())
	case "tomorrow":
		t = time.Date(t.Year(), t.Month(), t.Day()+1, 0, 0, 0, 0, t.Location())
	case "yesterday":
		t = time.Date(t.Year(), t.Month(), t.Day()-1, 0, 0, 0, 0, t.Location())
	}
	zoned := strings.Contains(f.typ, "tz") || strings.Contains(f.typ, "with time zone")
	switch {
	case strings.HasPrefix(f.typ, "date"):
		return t.Format("2006-01-02")
	case strings.HasPrefix(f.typ, "timestamp") && zoned, f.typ == "abstime":
		return t.Format("2006-01-02 15:04:05-07:00")
	case strings.HasPrefix(f.typ, "timestamp"):
		return t.Format("2006-01-02 15:04:05")
	case zoned:
		return t.Format("15:04:05-07:00")
	}
	return t.Format("15:04:05")
}

// namesKept returns insertions of AS name for unnamed columns of a select list that are a replaced call, so that the
// columns keep the names that the engine derives from the call.
func (s *Script) namesKept(changes []change) (names []change) {
	at := map[int32]Span{}
	for _, c := range changes {
		at[c.End] = c.Span
	}
	keep := func(it *Item) {
		c, ok := it.Expr.(*Call)
		if !ok || it.Alias.Text != "" || at[c.End] != c.Span {
			return
		}
		name, quote := strings.Join(strings.Fields(s.SQL[c.Start:c.End]), ""), `"`
		switch s.Dialect {
		case Postgres, Redshift:
			name = strings.ToLower(c.Name.Last().Text)
		case DuckDB:
			name = strings.ToLower(name)
		case SQLite:
		case MySQL:
			quote = "`"
		default:
			return
		}
		names = append(names,
			change{Span{c.End, c.End}, " AS " + quote + strings.ReplaceAll(name, quote, quote+quote) + quote})
	}
	for _, st := range s.Statements {
		Walk(st, func(n Node) bool {
			if sel, ok := n.(*Select); ok {
				for _, it := range sel.Items {
					keep(it)
				}
			}
			return true
		})
	}
	return names
}
