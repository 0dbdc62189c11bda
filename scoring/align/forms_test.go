package align_test

import (
	"encoding/csv"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/jsonscan"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/align"
	"github.com/badger-eval/badger/scoring/cell"
)

// A form is two results that are the same data in two forms, or that only look so. A result is a
// line of columns, name:TYPE, and lines of cells, all set off by bars.
type form struct {
	why, gold, pred string
	asked           string
	equal           bool
}

// formTable makes a result of its lines, every cell by the type of its column, VARCHAR if none
// is written.
func formTable(t *testing.T, s string) *scoring.Table {
	t.Helper()
	r := csv.NewReader(strings.NewReader(s))
	r.Comma, r.LazyQuotes, r.FieldsPerRecord = '|', true, -1
	lines, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	b := []byte(`{"columns":[`)
	types := make([]string, len(lines[0]))
	for i, c := range lines[0] {
		name, typ, ok := strings.Cut(c, ":")
		if !ok {
			typ = "VARCHAR"
		}
		if types[i] = typ; i > 0 {
			b = append(b, ',')
		}
		b = append(jsonscan.AppendString(append(b, `{"name":`...), name), `,"type":`...)
		b = append(jsonscan.AppendString(b, typ), '}')
	}
	b = append(b, `],"rows":[`...)
	for k, line := range lines[1:] {
		if k > 0 {
			b = append(b, ',')
		}
		b = append(b, '[')
		for i, c := range line {
			if i > 0 {
				b = append(b, ',')
			}
			switch {
			case c == "NULL":
				b = append(b, "null"...)
			case types[i] == "JSON" || types[i] == "BOOLEAN":
				b = append(b, c...)
			default:
				b = jsonscan.AppendString(b, c)
			}
		}
		b = append(b, ']')
	}
	table, err := scoring.ParseResult(append(b, `]}`...))
	if err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	return table
}

func checkForms(t *testing.T, forms []form) {
	t.Helper()
	for _, f := range forms {
		gold, pred := formTable(t, f.gold), formTable(t, f.pred)
		a := align.Align(gold, pred, align.Options{Asked: f.asked})
		if got := cell.Compare(gold, pred, &a, cell.Options{}).Score == 1; got != f.equal {
			t.Errorf("%s: equal is %v, want %v\n%s\n%s\n%+v", f.why, got, f.equal, f.gold, f.pred, a)
		}
		if !f.equal || len(gold.Columns) != len(pred.Columns) {
			continue
		}
		a = align.Align(pred, gold, align.Options{Asked: f.asked})
		if cell.Compare(pred, gold, &a, cell.Options{}).Score != 1 {
			t.Errorf("%s, the other way round: not equal\n%s\n%s\n%+v", f.why, f.gold, f.pred, a)
		}
	}
}

func TestPeriods(t *testing.T) {
	checkForms(t, []form{
		{"month numbers for first days", "month:DATE|v:INT\n2022-04-01|5\n2022-05-01|9\n2022-06-01|2", "month:INT|v:INT\n4|5\n5|9\n6|2", "", true},
		{"month numbers of another year than asked", "month:DATE|v:INT\n2022-04-01|5\n2022-05-01|9", "month:INT|v:INT\n4|5\n5|9", "Admissions per month in 2021", false},
		{"month numbers of the year asked", "month:DATE|v:INT\n2022-04-01|5\n2022-05-01|9", "m:INT|v:INT\n4|5\n5|9", "Admissions per month in 2022", true},
		{"month numbers shifted by one", "month:DATE|v:INT\n2022-04-01|5\n2022-05-01|9", "month:INT|v:INT\n3|5\n4|9", "", false},
		{"ranks are no months", "month:DATE|v:INT\n2022-01-01|5\n2022-02-01|9\n2022-03-01|2", "rank:INT|v:INT\n1|5\n2|9\n3|2", "", false},
		{"a column of years beside says another year", "month:DATE|v:INT\n2022-04-01|5\n2022-05-01|9", "year:INT|month:INT|v:INT\n2021|4|5\n2021|5|9", "", false},
		{"a column of years beside says the same", "month:DATE|v:INT\n2022-04-01|5\n2022-05-01|9", "year:INT|month:INT|v:INT\n2022|4|5\n2022|5|9", "", true},
		{"months over two years", "month:DATE|v:INT\n2021-12-01|5\n2022-01-01|9", "month:INT|v:INT\n12|5\n1|9", "", false},
		{"names of months for first days", "month:TIMESTAMP|v:INT\n2019-10-01 00:00:00|5\n2019-11-01 00:00:00|9", "month|v:INT\nOctober|5\nNovember|9", "", true},
		{"short names", "period:DATE|v:INT\n2019-10-01|5\n2019-11-01|9", "mon|v:INT\nOct|5\nNov|9", "Per month of 2019", true},
		{"names in German", "monat|v:INT\nMärz|5\nMai|9", "month|v:INT\nMarch|5\nMay|9", "", true},
		{"names of months for days in them", "month:DATE|v:INT\n2019-10-05|5\n2019-11-05|9", "month|v:INT\nOctober|5\nNovember|9", "", false},
		{"year and month as text for a name, of the year asked", "month|v:INT\nFebruary|5\nMay|9", "month|v:INT\n2020-02|5\n2020-05|9", "by month, 2020", true},
		{"of another year", "month|v:INT\nFebruary|5\nMay|9", "month|v:INT\n2019-02|5\n2019-05|9", "by month, 2020", false},
		{"last days of months", "month:DATE|v:INT\n2024-01-01|5\n2024-02-01|9", "month_end:DATE|v:INT\n2024-01-31|5\n2024-02-29|9", "", true},
		{"last days of the months before", "month:DATE|v:INT\n2024-02-01|5\n2024-03-01|9", "month_end:DATE|v:INT\n2024-01-31|5\n2024-02-29|9", "", false},
		{"begin and end of contracts", "begin:DATE|v:INT\n2024-01-01|5\n2024-02-01|9", "end:DATE|v:INT\n2024-01-31|5\n2024-02-29|9", "", false},
		{"not the last day in a leap year", "month:DATE|v:INT\n2024-01-01|5\n2024-02-01|9", "month_end:DATE|v:INT\n2024-01-31|5\n2024-02-28|9", "", false},
		{"a day in text, the last of a month", "month|v:INT\n2023-06|5\n2023-07|9", "month|v:INT\n2023-06-30|5\n2023-07-31|9", "", true},
		{"numbers of year and month", "month|v:INT\nJun 2023|5\nJul 2023|9", "ym:INT|v:INT\n202306|5\n202307|9", "", true},
		{"labels with apostrophes", "month|v:INT\nJun 2023|5\nJul 2023|9", "month|v:INT\nJun '23|5\nJul '23|9", "", true},
		{"a day of a month is no year", "d|v:INT\nJun 23|5\nJul 24|9", "d|v:INT\nJun 2023|5\nJul 2024|9", "", false},

		{"quarters", "quarter|v:INT\n2021-Q3|5\n2021-Q4|9", "q|v:INT\nQ3 2021|5\nQ4 2021|9", "", true},
		{"quarters in words", "quarter|v:INT\n2021-Q1|5\n2021-Q2|9", "q|v:INT\nfirst quarter of 2021|5\nsecond quarter of 2021|9", "", true},
		{"1Q21", "quarter|v:INT\n2021-Q1|5\n2021-Q2|9", "q|v:INT\n1Q21|5\n2Q21|9", "", true},
		{"quarters as numbers", "quarter:INT|v:INT\n1|5\n2|9\n4|7", "period|v:INT\n2021Q1|5\n2021Q2|9\n2021Q4|7", "per quarter of 2021", true},
		{"quarters as numbers, of another year", "quarter:INT|v:INT\n1|5\n2|9\n4|7", "period|v:INT\n2020Q1|5\n2020Q2|9\n2020Q4|7", "per quarter of 2021", false},
		{"quarters as first days", "quarter:INT|v:INT\n1|5\n2|9\n4|7", "quarter_start:DATE|v:INT\n2021-01-01|5\n2021-04-01|9\n2021-10-01|7", "", true},
		{"quarters as last days", "quarter:INT|v:INT\n1|5\n2|9\n4|7", "quarter_end:DATE|v:INT\n2021-03-31|5\n2021-06-30|9\n2021-12-31|7", "", true},
		{"exchanged", "quarter:INT|v:INT\n1|5\n2|9", "quarter|v:INT\nQ2|5\nQ1|9", "", false},
		{"a quarter is no month", "quarter|v:INT\n2021-Q1|5\n2021-Q2|9", "month|v:INT\n2021-01|5\n2021-02|9", "", false},
		{"half-years", "half|v:INT\nH1 2018|5\nH2 2018|9", "half|v:INT\n2018-H1|5\n2018-H2|9", "", true},
		{"half-years exchanged", "half|v:INT\nH1 2018|5\nH2 2018|9", "half|v:INT\n2018-H2|5\n2018-H1|9", "", false},
		{"half-years in words", "half|v:INT\nH1 2018|5\nH2 2018|9", "half|v:INT\n1st half 2018|5\n2nd half 2018|9", "", true},
		{"half-years as days", "half|v:INT\nH1 2018|5\nH2 2018|9", "half:DATE|v:INT\n2018-01-01|5\n2018-07-01|9", "", true},

		{"ISO weeks as Mondays", "week:DATE|v:INT\n2020-12-28|5\n2021-01-04|9", "week|v:INT\n2020-W53|5\n2021-W01|9", "", true},
		{"a week that there is not", "week:DATE|v:INT\n2020-12-28|5\n2021-01-04|9", "week|v:INT\n2021-W53|5\n2021-W01|9", "", false},
		{"weeks as numbers", "week:INT|v:INT\n14|5\n15|9", "week|v:INT\nKW 14|5\nKW 15|9", "", true},
		{"weeks as Mondays and numbers", "week:INT|v:INT\n14|5\n15|9", "monday_of_week:DATE|v:INT\n2022-04-04|5\n2022-04-11|9", "", true},
		{"weeks as Sundays", "week:INT|v:INT\n14|5\n15|9", "week:DATE|v:INT\n2022-04-03|5\n2022-04-10|9", "", false},
		{"a year and a week as a number", "week|v:INT\n2022-W14|5\n2022-W15|9", "yearweek:INT|v:INT\n202214|5\n202215|9", "", true},

		{"weekdays by numbers", "weekday|v:INT\nTuesday|5\nSunday|9", "dow:INT|v:INT\n2|5\n7|9", "", true},
		{"weekdays by numbers, Sunday being 0", "weekday|v:INT\nTuesday|5\nSunday|9", "dow:INT|v:INT\n2|5\n0|9", "", true},
		{"weekdays by other numbers", "weekday|v:INT\nTuesday|5\nSunday|9", "dow:INT|v:INT\n3|5\n1|9", "", false},
		{"weekdays from Monday as 0", "weekday|v:INT\nMonday|5\nTuesday|9", "dow:INT|v:INT\n0|5\n1|9", "", false},
		{"short weekdays", "weekday|v:INT\nTuesday|5\nSunday|9", "day|v:INT\nTue|5\nSun|9", "", true},
		{"weekdays in French", "weekday|v:INT\nTuesday|5\nSunday|9", "jour|v:INT\nmardi|5\ndimanche|9", "", true},

		{"years as days", "year:INT|v:INT\n2015|5\n2016|9", "year:DATE|v:INT\n2015-01-01|5\n2016-01-01|9", "", true},
		{"years as last days", "year:INT|v:INT\n2015|5\n2016|9", "year_end:DATE|v:INT\n2015-12-31|5\n2016-12-31|9", "", true},
		{"a year for a day that was asked", "begin:DATE|v:INT\n2015-01-01|5\n2016-01-01|9", "begin:INT|v:INT\n2015|5\n2016|9", "On which day did each lease begin?", false},
		{"years as days in them", "year:INT|v:INT\n2015|5\n2016|9", "year:DATE|v:INT\n2015-02-01|5\n2016-02-01|9", "", false},
		{"fiscal years", "fiscal_year|v:INT\nFY2015|5\nFY2016|9", "fiscal_year:INT|v:INT\n2015|5\n2016|9", "", true},
		{"fiscal years in two digits", "fy|v:INT\nFY2015|5\nFY2016|9", "fiscal_year|v:INT\nFY15|5\nFY16|9", "", true},
		{"a fiscal year is no calendar year", "period|v:INT\nFY2015|5\nFY2016|9", "year:INT|v:INT\n2015|5\n2016|9", "", false},
		{"a fiscal year begins on no known day", "period|v:INT\nFY2015|5\nFY2016|9", "period:DATE|v:INT\n2015-01-01|5\n2016-01-01|9", "", false},
	})
}

func TestDurations(t *testing.T) {
	checkForms(t, []form{
		{"ISO 8601", "k|took:INTERVAL\na|02:15:00\nb|00:40:30", "k|took\na|PT2H15M\nb|PT40M30S", "", true},
		{"ISO 8601, another one", "k|took:INTERVAL\na|02:15:00\nb|00:40:30", "k|took\na|PT2H51M\nb|PT40M30S", "", false},
		{"letters of units", "k|took:INTERVAL\na|02:15:00\nb|00:40:30", "k|took\na|2h 15m\nb|40m 30s", "", true},
		{"words of units", "k|took:INTERVAL\na|02:15:00\nb|00:40:30", "k|took\na|2 hours and 15 minutes\nb|40 minutes, 30 seconds", "", true},
		{"pandas", "k|took:INTERVAL\na|2 days 03:00:00\nb|00:40:30", "k|took\na|2 days 03:00:00.000000\nb|0 days 00:40:30", "", true},
		{"a day in hours", "k|took:INTERVAL\na|1 day 03:00:00\nb|00:40:30", "k|took\na|27:00:00\nb|00:40:30", "", true},
		{"the day is lost", "k|took:INTERVAL\na|1 day 03:00:00\nb|00:40:30", "k|took\na|03:00:00\nb|00:40:30", "", false},
		{"Python", "k|took:INTERVAL\na|1 day 03:00:00\nb|00:40:30", "k|took\na|1 day, 3:00:00\nb|0:40:30", "", true},
		{"BigQuery", "k|took:INTERVAL\na|26:05:00\nb|00:40:30", "k|took\na|0-0 1 2:5:0\nb|0-0 0 0:40:30", "", true},
		{"Trino", "k|took:INTERVAL\na|26:05:00\nb|00:40:30", "k|took\na|1 02:05:00.000\nb|0 00:40:30.000", "", true},
		{"a negative one", "k|late_by\na|-00:05:00\nb|00:40:30", "k|late_by\na|-5 minutes\nb|40 min 30 sec", "", true},
		{"without the sign", "k|late_by\na|-00:05:00\nb|00:40:30", "k|late_by\na|5 minutes\nb|40 min 30 sec", "", false},
		{"a month has no certain length", "k|took\na|1 month 2 days\nb|1 month", "k|took\na|32 days\nb|30 days", "", false},
		{"seconds, as the name says", "k|took:INTERVAL\na|02:15:00\nb|00:40:30", "k|seconds:INT\na|8100\nb|2430", "", true},
		{"seconds that are called minutes", "k|took:INTERVAL\na|02:15:00\nb|00:40:30", "k|minutes:INT\na|8100\nb|2430", "", false},
		{"seconds without a name", "k|took:INTERVAL\na|02:15:00\nb|00:40:30", "k|took:INT\na|8100\nb|2430", "", false},
		{"seconds, as the question says", "k|took:INTERVAL\na|02:15:00\nb|00:40:30", "k|took:INT\na|8100\nb|2430", "How many seconds did each take?", true},
		{"hours", "k|took:INTERVAL\na|02:15:00\nb|00:45:00", "k|took_hours:DOUBLE\na|2.25\nb|0.75", "", true},
		{"hours, rounded", "k|took:INTERVAL\na|02:20:00\nb|01:40:30", "k|took_hours:DOUBLE\na|2.33\nb|1.68", "", true},
		{"hours and minutes as a decimal", "k|took:INTERVAL\na|02:15:00\nb|00:45:00", "k|took_hours:DOUBLE\na|2.15\nb|0.45", "", false},
		{"days", "k|took:INTERVAL\na|36:00:00\nb|12:00:00", "k|days:DOUBLE\na|1.5\nb|0.5", "", true},
		{"milliseconds", "k|took:INTERVAL\na|00:00:01.25\nb|00:00:00.04", "k|duration_ms:INT\na|1250\nb|40", "", true},
		{"a fraction shows minutes and seconds", "k|lap\na|1:31.25\nb|1:29.5", "k|seconds:DOUBLE\na|91.25\nb|89.5", "", true},
		{"minutes and seconds run together", "k|lap\na|1:31.25\nb|1:29.5", "k|seconds:DOUBLE\na|131.25\nb|129.5", "", false},
		{"minutes and seconds beside hours", "k|time\na|58:20\nb|1:02:07", "k|time\na|00:58:20\nb|01:02:07", "", true},
		{"two fields, of which nothing says what they are", "k|t\na|01:45\nb|00:50", "k|t\na|00:01:45\nb|00:00:50", "", false},
		{"two fields that a name tells", "k|lap_time\na|01:45\nb|00:50", "k|lap_time\na|00:01:45\nb|00:00:50", "", true},
		{"a time of departure has hours", "k|departure\na|01:45\nb|00:50", "k|departure\na|01:45:00\nb|00:50:00", "", true},
		{"a time of departure has no minutes first", "k|departure\na|01:45\nb|00:50", "k|departure\na|00:01:45\nb|00:00:50", "", false},
		{"zeros behind the second", "k|t\na|14:20:00\nb|06:05:00", "k|t\na|14:20:00.000\nb|06:05:00.000", "", true},
		{"an hour in one digit", "k|t\na|14:20:00\nb|06:05:00", "k|t\na|14:20:00\nb|6:05:00", "", true},
		{"a clock of twelve hours", "k|t\na|14:20\nb|06:05", "k|t\na|2:20 PM\nb|6:05 AM", "", true},
		{"a clock of twelve hours without its halves", "k|t\na|14:20\nb|06:05", "k|t\na|2:20\nb|6:05", "", false},
		{"ratios are no times", "k|ratio\na|16:9\nb|4:3", "k|ratio:TIME\na|16:09:00\nb|04:03:00", "", false},
		{"minutes, shortened", "k|took:INTERVAL\na|02:15:00\nb|00:40:30", "k|took_min:DOUBLE\na|135\nb|40.5", "", true},
		{"hours, shortened", "k|took:INTERVAL\na|02:15:00\nb|00:45:00", "k|hrs:DOUBLE\na|2.25\nb|0.75", "", true},
		{"a rate by hours", "k|took:INTERVAL\na|02:15:00\nb|00:45:00", "k|orders_per_hour:DOUBLE\na|2.25\nb|0.75", "", false},
		{"metres are no minutes", "k|depth\na|90m\nb|45m", "k|seconds:INT\na|5400\nb|2700", "", false},
	})
}

func TestCodes(t *testing.T) {
	checkForms(t, []form{
		{"a UUID without dashes", "id:UUID|n:INT\n0e37df36-f698-11e6-8dd4-cb9ced3df976|5\n0e37df36-f698-11e6-8dd4-cb9ced3df977|7", "id|n:INT\n0e37df36f69811e68dd4cb9ced3df976|5\n0E37DF36F69811E68DD4CB9CED3DF977|7", "", true},
		{"in braces", "id:UUID|n:INT\n0e37df36-f698-11e6-8dd4-cb9ced3df976|5", "id|n:INT\n{0E37DF36-F698-11E6-8DD4-CB9CED3DF976}|5", "", true},
		{"as a name of a resource", "id|n:INT\n0e37df36-f698-11e6-8dd4-cb9ced3df976|5", "id|n:INT\nurn:uuid:0e37df36-f698-11e6-8dd4-cb9ced3df976|5", "", true},
		{"as bytes", "id|n:INT\n0e37df36-f698-11e6-8dd4-cb9ced3df976|5", "id:BINARY|n:INT\n0e37df36f69811e68dd4cb9ced3df976|5", "", true},
		{"another UUID", "id|n:INT\n0e37df36-f698-11e6-8dd4-cb9ced3df976|5", "id|n:INT\n0e37df36f69811e68dd4cb9ced3df975|5", "", false},
		{"groups in another order", "id|n:INT\n0e37df36-f698-11e6-8dd4-cb9ced3df976|5", "id|n:INT\n36df370e-98f6-e611-8dd4-cb9ced3df976|5", "", false},
		{"bytes as hexadecimal digits", "md5:BINARY|n:INT\nCAFEBABE01|5\n00112233FF|7", "md5|n:INT\ncafebabe01|5\n00112233ff|7", "", true},
		{"with a prefix", "md5:BINARY|n:INT\nCAFEBABE01|5\n00112233FF|7", "md5|n:INT\n0xcafebabe01|5\n0x00112233ff|7", "", true},
		{"bytes in base64", "md5:BINARY|n:INT\nCAFEBABE01|5\n00112233FF|7", "md5|n:INT\nyv66vgE=|5\nABEiM/8=|7", "", true},
		{"base64 beside hexadecimal text", "md5|n:INT\ncafebabe01|5\n00112233ff|7", "md5|n:INT\nyv66vgE=|5\nABEiM_8|7", "", true},
		{"other bytes in base64", "md5|n:INT\ncafebabe01|5\n00112233ff|7", "md5|n:INT\nyv66vgI=|5\nABEiM/8=|7", "", false},
		{"bytes backwards", "md5:BINARY|n:INT\nCAFEBABE01|5\n00112233FF|7", "md5|n:INT\n01bebafeca|5\nff33221100|7", "", false},
		{"MAC addresses", "mac|n:INT\n00:1a:2b:3c:4d:5e|5\n00:1a:2b:3c:4d:5f|7", "mac|n:INT\n00-1A-2B-3C-4D-5E|5\n001A.2B3C.4D5F|7", "", true},
		{"another MAC address", "mac|n:INT\n00:1a:2b:3c:4d:5e|5", "mac|n:INT\n00-1A-2B-3C-4D-5F|5", "", false},
		{"telephone numbers", "phone|n:INT\n+33 1 70 18 99 00|5\n+33 4 91 00 00 01|7", "phone|n:INT\n+33170189900|5\n+33491000001|7", "", true},
		{"in parentheses", "fax|n:INT\n(202) 555-0143|5\n(202) 555-0188|7", "fax|n:INT\n202-555-0143|5\n202.555.0188|7", "", true},
		{"00 for the plus", "phone|n:INT\n+33 1 70 18 99 00|5", "phone|n:INT\n0033 1 70 18 99 00|5", "", true},
		{"a zero that is not dialled from abroad", "phone|n:INT\n+44 (0)20 7946 0018|5", "phone|n:INT\n+44 20 7946 0018|5", "", true},
		{"the country is lost", "phone|n:INT\n+33 1 70 18 99 00|5", "phone|n:INT\n170189900|5", "", false},
		{"a digit is lost", "phone|n:INT\n+33 1 70 18 99 00|5", "phone|n:INT\n+3317018990|5", "", false},
		{"an IBAN in groups, by its check digits", "account|n:INT\nGB82 WEST 1234 5698 7654 32|5", "account|n:INT\nGB82WEST12345698765432|5", "", true},
		{"another IBAN", "account|n:INT\nGB82 WEST 1234 5698 7654 32|5", "account|n:INT\nGB82WEST12345698765423|5", "", false},
		{"an ISBN", "isbn|n:INT\n978-3-16-148410-0|5\n978-0-13-468599-1|7", "isbn:BIGINT|n:INT\n9783161484100|5\n9780134685991|7", "", true},
		{"an ISBN of ten digits", "isbn|n:INT\n0-8044-2957-X|5", "isbn|n:INT\n080442957X|5", "", true},
		{"a card", "card_number|n:INT\n4111 1111 1111 1111|5", "card_number|n:INT\n4111111111111111|5", "", true},
		{"amounts that a name seems to call codes", "card|n:INT\n1234.56|5\n7890.12|7", "card:INT|n:INT\n123456|5\n789012|7", "", false},
		{"parts of an article are content", "article|n:INT\n12-3|5\n4-56|7", "article|n:INT\n1-23|5\n45-6|7", "", false},
		{"a network has points", "ip|n:INT\n10.1.1.10|5\n10.1.1.1|7", "ip|n:INT\n10.1.11.0|5\n10.1.1.1|7", "", false},
		{"versions have points", "version|n:INT\n1.10|5\n1.2|7", "version|n:INT\n11.0|5\n1.2|7", "", false},
		{"codes that would become one", "phone|n:INT\n555-01|5\n55-501|7", "phone|n:INT\n55501|5\n55501|7", "", false},
	})
}

func TestTexts(t *testing.T) {
	checkForms(t, []form{
		{"a list of Python", "k|v\na|[\"x y\", \"z\"]\nb|[\"q\"]", "k|v\na|['x y', 'z']\nb|['q']", "", true},
		{"an array of PostgreSQL", "k|v\na|[\"x y\", \"z\"]\nb|[\"q\"]", "k|v\na|{\"x y\",z}\nb|{q}", "", true},
		{"an array of arrays", "k|v:JSON\na|[[1,2],[3,4]]\nb|[[5,6]]", "k|v\na|{{1,2},{3,4}}\nb|{{5,6}}", "", true},
		{"in another nesting", "k|v:JSON\na|[[1,2],[3,4]]\nb|[[5,6]]", "k|v\na|{{1,2,3},{4}}\nb|{{5,6}}", "", false},
		{"a tuple", "k|v:JSON\na|[[1,2],[3,4]]\nb|[[5,6]]", "k|v\na|[(1, 2), (3, 4)]\nb|[(5, 6)]", "", true},
		{"a dict of Python", "k|v:JSON\na|{\"w\":1,\"ok\":true,\"s\":null}\nb|{\"w\":2,\"ok\":false,\"s\":\"x\"}", "k|v\na|{'ok': True, 'w': 1, 's': None}\nb|{'ok': False, 's': 'x', 'w': 2}", "", true},
		{"a struct of DuckDB", "k|v:JSON\na|{\"w\":1,\"s\":null}\nb|{\"w\":2,\"s\":\"Bel Air\"}", "k|v\na|{'w': 1, 's': NULL}\nb|{'w': 2, 's': Bel Air}", "", true},
		{"a map of Trino", "k|v:JSON\na|{\"w\":1,\"h\":7}\nb|{\"w\":2,\"h\":5}", "k|v\na|{w=1, h=7}\nb|{w=2, h=5}", "", true},
		{"members exchanged", "k|v:JSON\na|{\"w\":1,\"h\":7}\nb|{\"w\":2,\"h\":5}", "k|v\na|{w=7, h=1}\nb|{w=5, h=2}", "", false},
		{"letter case in a list", "k|v:JSON\na|[[\"X\"],[\"y\"]]\nb|[[\"z\"]]", "k|v\na|[['x'], ['y']]\nb|[['z']]", "", false},
		{"one element or two", "k|v:JSON\na|[[1,2]]\nb|[[3]]", "k|v\na|{{12}}\nb|{{3}}", "", false},
		{"a point", "k|v\na|POINT(8.68 50.11)\nb|POINT(9.18 48.78)", "k|v\na|{\"type\":\"Point\",\"coordinates\":[8.68,50.11]}\nb|{\"coordinates\":[9.18,48.78],\"type\":\"Point\"}", "", true},
		{"latitude first", "k|v\na|POINT(8.68 50.11)\nb|POINT(9.18 48.78)", "k|v\na|{\"type\":\"Point\",\"coordinates\":[50.11,8.68]}\nb|{\"coordinates\":[48.78,9.18],\"type\":\"Point\"}", "", false},
		{"a line", "k|v\na|LINESTRING (1 2, 3 4.0)\nb|LINESTRING (5 6, 7 8)", "k|v\na|{\"type\":\"LineString\",\"coordinates\":[[1,2],[3,4]]}\nb|{\"type\":\"LineString\",\"coordinates\":[[5,6],[7,8]]}", "", true},
		{"a polygon with a system of coordinates", "k|v\na|SRID=4326;POLYGON((0 0,0 1,1 1,0 0))", "k|v\na|POLYGON ((0 0, 0 1, 1 1, 0 0))", "", true},
		{"a polygon with a hole", "k|v\na|POLYGON((0 0,0 9,9 9,0 0),(1 2,1 3,2 3,1 2))", "k|v\na|{\"type\":\"Polygon\",\"coordinates\":[[[0,0],[0,9],[9,9],[0,0]],[[1,2],[1,3],[2,3],[1,2]]]}", "", true},

		{"a mark of byte order", "code|n:INT\nALPHA|5\nBETA|7", "code|n:INT\n\ufeffALPHA|5\nBETA|7", "", true},
		{"a blank of no width", "code|n:INT\nALPHA|5\nBETA|7", "code|n:INT\nAL\u200bPHA|5\nBETA|7", "", true},
		{"typographic quotes", "pub|n:INT\nThe Dog's Bollocks|5\nRose|7", "pub|n:INT\nThe Dog’s Bollocks|5\nRose|7", "", true},
		{"a typographic dash", "name|n:INT\nKnuth-Bendix|5\nRose|7", "name|n:INT\nKnuth–Bendix|5\nRose|7", "", true},
		{"an ellipsis", "name|n:INT\nAnd so on...|5\nRose|7", "name|n:INT\nAnd so on…|5\nRose|7", "", true},
		{"two codes that differ in a mark alone", "code|n:INT\nA-B|5\nA–B|7", "code|n:INT\nA-B|7\nA–B|5", "", false},
		{"umlauts as in passports", "driver|n:INT\nJörg Weiß|5\nAnne Lück|7", "driver|n:INT\nJoerg Weiss|5\nAnne Lueck|7", "", true},
		{"Danish letters", "driver|n:INT\nSøren Åkjær|5\nBo|7", "driver|n:INT\nSoeren Aakjaer|5\nBo|7", "", true},
		{"umlauts left out", "driver|n:INT\nJörg Weiß|5\nAnne Lück|7", "driver|n:INT\nJorg Weis|5\nAnne Luck|7", "", false},
		{"two persons that passports cannot tell apart", "driver|n:INT\nMüller|5\nMueller|7", "driver|n:INT\nMueller|5\nMueller|7", "", false},
		{"a comma before a suffix", "chair|n:INT\nSammy Davis Jr.|5\nBo Lind|7", "chair|n:INT\nSammy Davis, Jr.|5\nBo Lind|7", "", true},
		{"a comma before the form of a company", "firm|n:INT\nAcme Inc.|5\nBolt Ltd|7", "firm|n:INT\nAcme, Inc.|5\nBolt, Ltd|7", "", true},
		{"another suffix", "chair|n:INT\nSammy Davis Jr.|5\nBo Lind|7", "chair|n:INT\nSammy Davis, Sr.|5\nBo Lind|7", "", false},
		{"entities of HTML", "firm|n:INT\nMarks & Spencer|5\nBolt|7", "firm|n:INT\nMarks &amp; Spencer|5\nBolt|7", "", true},
		{"the last name first", "chair|n:INT\nGrace Hopper|5\nBo Lind|7", "chair|n:INT\nHopper, Grace|5\nLind, Bo|7", "", true},
		{"the last name first without a comma", "chair|n:INT\nGrace Hopper|5\nBo Lind|7", "chair|n:INT\nHopper Grace|5\nLind Bo|7", "", false},
		{"both in the wrong order", "chair|n:INT\nHopper, Grace|5\nLind, Bo|7", "chair|n:INT\nGrace, Hopper|5\nBo, Lind|7", "", false},
	})
}

func TestInstantsNumbersAndTruth(t *testing.T) {
	checkForms(t, []form{
		{"cut to the second", "at:TIMESTAMP|n:INT\n2023-05-06 07:08:09.125|5\n2023-05-06 07:08:10.5|7", "at:TIMESTAMP|n:INT\n2023-05-06 07:08:09|5\n2023-05-06 07:08:10|7", "", true},
		{"cut, so that two become one", "at:TIMESTAMP|n:INT\n2023-05-06 07:08:09.125|5\n2023-05-06 07:08:09.5|7", "at:TIMESTAMP|n:INT\n2023-05-06 07:08:09|5\n2023-05-06 07:08:09|7", "", false},
		{"cut to the minute", "at:TIMESTAMP|n:INT\n2023-05-06 07:08:09|5\n2023-05-06 07:09:10|7", "at:TIMESTAMP|n:INT\n2023-05-06 07:08:00|5\n2023-05-06 07:09:00|7", "", false},
		{"cut to milliseconds", "at:TIMESTAMP|n:INT\n2023-05-06 07:08:09.125678|5", "at|n:INT\n2023-05-06T07:08:09.125|5", "", true},
		{"milliseconds that were asked for", "at:TIMESTAMP|n:INT\n2023-05-06 07:08:09.125|5", "at:TIMESTAMP|n:INT\n2023-05-06 07:08:09|5", "When did each run end, to the millisecond?", false},
		{"nanoseconds from 1970", "at:TIMESTAMP|n:INT\n2023-05-06 07:08:09|5\n2023-05-06 07:08:10|7", "at:BIGINT|n:INT\n1683356889000000000|5\n1683356890000000000|7", "", true},
		{"microseconds from 1970", "at:TIMESTAMP|n:INT\n2023-05-06 07:08:09|5\n2023-05-06 07:08:10|7", "at:BIGINT|n:INT\n1683356889000000|5\n1683356890000000|7", "", true},
		{"an hour off in nanoseconds", "at:TIMESTAMP|n:INT\n2023-05-06 07:08:09|5", "at:BIGINT|n:INT\n1683360489000000000|5", "", false},
		{"days of a spreadsheet", "due_date:DATE|n:INT\n2023-05-06|5\n2023-12-31|7", "due_date:INT|n:INT\n45052|5\n45291|7", "", true},
		{"instants of a spreadsheet", "date:TIMESTAMP|n:INT\n2023-05-06 12:00:00|5\n2023-12-31 06:00:00|7", "date:DOUBLE|n:INT\n45052.5|5\n45291.25|7", "", true},
		{"a day off", "due_date:DATE|n:INT\n2023-05-06|5\n2023-12-31|7", "due_date:INT|n:INT\n45053|5\n45292|7", "", false},
		{"numbers that no name calls days", "due:DATE|n:INT\n2023-05-06|5", "amount:INT|n:INT\n45052|5", "", false},

		{"a minus behind the number", "k|v:INT\na|-340\nb|20", "k|v\na|340-\nb|20", "", true},
		{"a minus that is lost", "k|v:INT\na|-340\nb|20", "k|v\na|340\nb|20", "", false},
		{"codes that end in a dash", "k|v\na|340-\nb|20", "k|v\na|-340\nb|20", "", false},
		{"ordinals", "k|place:INT\na|1\nb|12\nc|33", "k|place\na|1st\nb|12th\nc|33rd", "", true},
		{"ordinals that there are not", "k|place:INT\na|1\nb|12\nc|33", "k|place\na|1th\nb|12th\nc|33rd", "", false},
		{"ordinals in words", "k|place:INT\na|1\nb|2\nc|4", "k|place\na|First\nb|second\nc|fourth", "", true},
		{"places with a hash", "k|place:INT\na|1\nb|2\nc|4", "k|place\na|#1\nb|#2\nc|#4", "", true},
		{"other ordinals", "k|place:INT\na|1\nb|2\nc|3", "k|place\na|1st\nb|3rd\nc|2nd", "", false},
		{"by lakh", "k|v:INT\na|12345678\nb|123456", "k|v\na|1,23,45,678\nb|1,23,456", "", true},

		{"German", "k|ok:BOOLEAN\na|true\nb|false", "k|ok\na|ja\nb|nein", "", true},
		{"French beside English", "k|ok\na|Yes\nb|No", "k|ok\na|oui\nb|non", "", true},
		{"Spanish", "k|ok:BOOLEAN\na|true\nb|false", "k|ok\na|Sí\nb|No", "", true},
		{"Dutch", "k|ok:BOOLEAN\na|true\nb|false", "k|ok\na|ja\nb|nee", "", true},
		{"check marks", "k|ok:BOOLEAN\na|true\nb|false", "k|ok\na|✓\nb|✗", "", true},
		{"check marks exchanged", "k|ok:BOOLEAN\na|true\nb|false", "k|ok\na|✗\nb|✓", "", false},
		{"words of two languages", "k|ok:BOOLEAN\na|true\nb|false", "k|ok\na|oui\nb|nein", "", false},
		{"grades", "k|g\na|T\nb|N", "k|g:BOOLEAN\na|true\nb|false", "", false},
	})
}

func TestTruthUnderAName(t *testing.T) {
	checkForms(t, []form{
		{"open under is_open", "k|state\na|open\nb|closed", "k|is_open:BOOLEAN\na|true\nb|false", "", true},
		{"open under is_closed", "k|state\na|open\nb|closed", "k|is_closed:BOOLEAN\na|true\nb|false", "", false},
		{"closed under is_closed", "k|state\na|open\nb|closed", "k|is_closed:BOOLEAN\na|false\nb|true", "", true},
		{"passed in other forms of the word", "k|result\na|pass\nb|fail", "k|passed:INT\na|1\nb|0", "", true},
		{"passed under failed", "k|result\na|pass\nb|fail", "k|failed:BOOLEAN\na|true\nb|false", "", false},
		{"a word and its denial", "k|status\na|verified\nb|unverified", "k|verified\na|yes\nb|no", "", true},
		{"a word that denies nothing", "k|status\na|verified\nb|blue", "k|verified:BOOLEAN\na|true\nb|false", "", false},
		{"a name that says something else", "k|state\na|open\nb|closed", "k|flag:BOOLEAN\na|true\nb|false", "", false},
		{"the other rows", "k|state\na|open\nb|closed", "k|is_open:BOOLEAN\na|false\nb|true", "", false},
	})
}
