package install

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// cronField is one of the five fields of a cron expression: its name, its least and greatest number, and the names that
// stand for numbers.
type cronField struct {
	name        string
	least, most int
	names       []string
	last        bool // it may name the last of a month, such as L or 5L
}

var cronFields = []cronField{
	{name: "minute", most: 59},
	{name: "hour", most: 23},
	{name: "day of the month", least: 1, most: 31, last: true},
	{name: "month", least: 1, most: 12,
		names: []string{"", "JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"}},
	{name: "day of the week", most: 7, names: []string{"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"}, last: true},
}

// knowLast are the warehouses whose schedules know the last day of a month and the last weekday of a month.
// PostgreSQL's pg_cron, BigQuery and cron itself do not.
var knowLast = []string{"snowflake", "databricks", "redshift"}

// check reports what is wrong with the text of a field: a list of *, numbers, names and ranges, each with a step if it
// has one.
func (f *cronField) check(text, warehouse string) error {
	for _, item := range strings.Split(text, ",") {
		value, step, stepped := strings.Cut(item, "/")
		if n, err := strconv.Atoi(step); stepped && (err != nil || n < 1) {
			return fmt.Errorf("%q of the %s: expected a step of at least 1, as in */15", item, f.name)
		}
		if rest, last := strings.CutSuffix(value, "L"); f.last && last && !stepped {
			if !slices.Contains(knowLast, warehouse) {
				return fmt.Errorf("%q of the %s: schedules of %s do not know the last of a month", item, f.name, warehouse)
			}
			if rest == "" {
				continue
			}
			value = rest
		}
		if value == "*" {
			continue
		}
		from, to, ranged := strings.Cut(value, "-")
		low, err := f.number(from)
		if err != nil {
			return err
		}
		if !ranged {
			continue
		}
		high, err := f.number(to)
		if err != nil {
			return err
		}
		if high < low {
			return fmt.Errorf("%q of the %s: a range goes from its lower to its higher end", item, f.name)
		}
	}
	return nil
}

// number is the number that a text of the field is or names.
func (f *cronField) number(text string) (int, error) {
	if n := slices.Index(f.names, strings.ToUpper(text)); n >= 0 && text != "" {
		return n, nil
	}
	n, err := strconv.Atoi(text)
	switch {
	case err != nil || text[0] == '+':
		return 0, fmt.Errorf("%.20q is no %s; expected *, numbers, lists, ranges such as 1-5 and steps such as */15", text,
			f.name)
	case n > f.most:
		return 0, fmt.Errorf("%s is above %d, the highest value of its field", text, f.most)
	case n < f.least:
		return 0, fmt.Errorf("%s is below %d, the lowest value of its field", text, f.least)
	}
	return n, nil
}

// fromSunday writes Sunday as 0 in a field of days of the week that has it as 7, which not every warehouse knows.
func fromSunday(field string) string {
	var out []string
	for _, item := range strings.Split(field, ",") {
		value, step, stepped := strings.Cut(item, "/")
		from, to, ranged := strings.Cut(value, "-")
		switch {
		case value == "7":
			out = append(out, "0")
		case ranged && to == "7":
			low, _ := cronFields[4].number(from) // check has accepted it
			by := 1
			if stepped {
				by, _ = strconv.Atoi(step)
			}
			for d := low; d <= 7; d += by {
				if text := strconv.Itoa(d % 7); !slices.Contains(out, text) {
					out = append(out, text)
				}
			}
		default:
			out = append(out, item)
		}
	}
	return strings.Join(out, ",")
}
