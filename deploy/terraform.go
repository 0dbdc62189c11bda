package deploy

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
)

// hclText writes a text as a literal of Terraform's language, which has the escapes of JSON. A text
// that holds the beginning of a template means itself.
func hclText(s string) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return "", err
	}
	return strings.NewReplacer("${", "$${", "%{", "%%{").Replace(strings.TrimSuffix(b.String(), "\n")), nil
}

// variable is a variable of a container's environment.
type variable struct{ Name, Value string }

// environmentOf is the configuration of badger serve as variables, ordered so that equal signs align.
func environmentOf(p *page) []variable {
	d := p.Values.Deploy
	var out []variable
	add := func(name, value string) {
		if value != "" {
			out = append(out, variable{name, value})
		}
	}
	add("BADGER_RESULTS_WAREHOUSE", d.Warehouse)
	if d.Judge.Backend != "" {
		add("BADGER_JUDGE_BACKEND", strings.TrimSuffix(d.Judge.Backend+":"+d.Judge.Model, ":"))
		add("BADGER_JUDGE_BASE_URL", d.Judge.URL)
		if d.Judge.Secret != "" {
			add("BADGER_JUDGE_KEY_FILE", "/etc/badger/secrets/judge/value")
		}
	}
	longest := 0
	for _, v := range out {
		longest = max(longest, len(v.Name))
	}
	for i := range out {
		out[i].Name += strings.Repeat(" ", longest-len(out[i].Name))
	}
	return out
}

// quartz is a schedule of cron in Quartz' form, which begins with seconds, counts days of the week
// from 1 for Sunday, and needs a ? for the day that does not count.
func quartz(cron string) (string, error) {
	f := strings.Fields(cron)
	if len(f) == 0 {
		return "", nil
	}
	if len(f) != 5 {
		return "", errcode.New(errcode.InvalidArgument, "values: schedule.cron is %.60q, want five fields", cron)
	}
	day, week := f[2], f[4]
	switch {
	case week == "*":
		week = "?"
	case day != "*":
		return "", errcode.New(errcode.InvalidArgument, "values: schedule.cron is %.60q; Databricks takes a day of the month or of the week, not both", cron)
	default:
		day = "?"
		parts := strings.FieldsFunc(week, func(c rune) bool { return c == ',' || c == '-' })
		for _, p := range parts {
			if len(p) != 1 || p[0] < '0' || p[0] > '7' {
				return "", errcode.New(errcode.InvalidArgument, "values: schedule.cron is %.60q; want days of the week from 0 to 7, with commas and dashes", cron)
			}
		}
		week = strings.Map(func(c rune) rune {
			if c >= '0' && c <= '7' {
				return '1' + (c-'0')%7
			}
			return c
		}, week)
	}
	return strings.Join([]string{"0", f[0], f[1], day, f[3], week}, " "), nil
}
