package cell

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/scoring"
)

// Units of an interval in microseconds. Engines compare intervals with days of 24 hours and months of 30 days
// (PostgreSQL, "Date/Time Types"; DuckDB and BigQuery too).
const (
	intervalDay   = 86_400_000_000
	intervalMonth = 30 * intervalDay
)

// intervalUnits are the units that engines write before the time, in microseconds.
var intervalUnits = map[string]int64{
	"year": 12 * intervalMonth, "years": 12 * intervalMonth, "mon": intervalMonth, "mons": intervalMonth,
	"month": intervalMonth, "months": intervalMonth, "day": intervalDay, "days": intervalDay,
}

// parseInterval parses an interval as engines write it, such as 1 year 2 mons 3 days 04:05:06.7 or 36:00:00, and
// returns its length in microseconds. written reports whether only engines write it so: with a time, or with
// PostgreSQL's mon.
func parseInterval(s string) (micros *big.Int, written, ok bool) {
	micros = new(big.Int)
	words := strings.Fields(s)
	if len(words) == 0 {
		return nil, false, false
	}
	for len(words) > 1 {
		n, err := strconv.ParseInt(words[0], 10, 64)
		unit, known := intervalUnits[words[1]]
		if err != nil || !known {
			return nil, false, false
		}
		written = written || strings.HasPrefix(words[1], "mon") && !strings.HasPrefix(words[1], "month")
		micros.Add(micros, new(big.Int).Mul(big.NewInt(n), big.NewInt(unit)))
		words = words[2:]
	}
	if len(words) == 0 {
		return micros, written, true
	}
	clock, ok := intervalClock(words[0])
	if !ok {
		return nil, false, false
	}
	return micros.Add(micros, big.NewInt(clock)), true, true
}

// intervalClock parses [-]H:MM:SS[.ffffff] with two to nine digits of hours, and returns microseconds.
func intervalClock(s string) (micros int64, ok bool) {
	text, negative := strings.CutPrefix(strings.TrimPrefix(s, "+"), "-")
	at := strings.IndexByte(text, ':')
	if at < 2 || at > 9 {
		return 0, false
	}
	hours, err := strconv.ParseUint(text[:at], 10, 31)
	nanos, ok := scoring.ParseClock("00" + text[at:])
	if err != nil || !ok || len(text) < at+len(":00:00") || nanos%1000 != 0 {
		return 0, false
	}
	if micros = int64(hours)*3_600_000_000 + nanos/1000; negative {
		micros = -micros
	}
	return micros, true
}

// IntervalFormat reports whether a column of strings consists of intervals as engines write them. written reports
// whether one of them is written as only engines do: 1 month and 30 days may be words with different meanings, 1 month
// and 720:00:00 are intervals.
func IntervalFormat(c *scoring.Column) (is, written bool) {
	c.Halt().Check()
	is = textual(c) && every(c, func(s string) bool {
		_, w, ok := parseInterval(s)
		written = written || w
		return ok
	})
	return is, is && written
}

// Rewritten returns a column of strings with the cells of c as the view reads them.
func Rewritten(c *scoring.Column, v View) scoring.Column {
	b := scoring.NewBuilder(c.Name, scoring.String, c.Len())
	for i := range c.Len() {
		b.Append(Read(c, v, i))
	}
	return b.Column()
}
