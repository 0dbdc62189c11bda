package export

import (
	"bufio"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
)

var _ = register(
	Format{Name: "csv", File: "cases.csv", Type: "text/csv; charset=utf-8",
		open: func(w io.Writer, o Options) (Writer, error) { return newCSV(w, o), nil }})

// csvColumns are the columns that precede those of the metrics.
var csvColumns = []string{"eval_run_id", "agent_name", "agent_version", "batch_id", "case_id", "question", "tier",
	"tags", "unreadable_tags", "outcome", "reason", "relation", "difference", "tokens_in", "tokens_out", "cost_usd",
	"latency_ms"}

// csvWriter writes a table as CSV with a line for each answer. After csvColumns it has a column score_METRIC for each
// metric, empty without a value, then outcome_METRIC for each, which shows why a value is missing. Values have all
// their digits.
//
// The format is RFC 4180: lines end with CR LF, and fields with quotes, commas, line ends, or blanks at either end are
// quoted. Package encoding/csv would change line ends within fields.
//
// Spreadsheets treat a cell that begins with = + - @, a tab or a line end as a formula. Such a string gets a preceding
// apostrophe, also if blanks precede the sign. A string that begins with an apostrophe gets one more, so that removing
// one restores the string. Numbers are unchanged, negative ones too.
//
// Control characters other than tabs and line ends are replaced by symbols, such as ␛, and characters that change the
// direction of writing by their numbers, such as U+202E, so that a terminal does not interpret them. JSON Lines has the
// unchanged strings.
type csvWriter struct {
	w *bufio.Writer
	o Options
}

// newCSV returns a csvWriter to w that has written the headings. Close returns an error of writing them.
func newCSV(w io.Writer, o Options) Writer {
	c := &csvWriter{bufio.NewWriter(w), o}
	line := append([]string(nil), csvColumns...)
	for _, m := range o.Metrics {
		line = append(line, "score_"+m)
	}
	for _, m := range o.Metrics {
		line = append(line, "outcome_"+m)
	}
	_ = c.line(line) // Close returns the error
	return c
}

// Add writes the line of an answer.
func (c *csvWriter) Add(a *Answer) error {
	relation, difference := a.difference()
	outcome, by := a.verdict(c.o.Metric)
	line := []string{
		a.RunID, a.Agent, a.Version, a.Batch, a.CaseID, a.Question, a.Tier, joinedTags(a.Tags), a.unreadableTags(),
		string(outcome), a.reason(by), relation, difference,
	}
	for i := range line {
		line[i] = guarded(line[i])
	}
	line = append(line, spentFields(a.Spent)...)
	for _, m := range c.o.Metrics {
		value := ""
		if s := a.Score(m); s != nil && s.Status == scoring.StatusOK {
			value = strconv.FormatFloat(s.Value, 'g', -1, 64)
		}
		line = append(line, value)
	}
	for _, m := range c.o.Metrics {
		line = append(line, string(a.Outcome(m)))
	}
	return c.line(line)
}

var tagSigns = strings.NewReplacer(`\`, `\\`, ";", `\;`)

// joinedTags joins tags with semicolons. Semicolons and backslashes in tags are escaped with a backslash, so that the
// tags can be split again.
func joinedTags(tags []string) string {
	out := make([]string, len(tags))
	for i, t := range tags {
		out[i] = tagSigns.Replace(t)
	}
	return strings.Join(out, ";")
}

func (c *csvWriter) line(fields []string) error {
	for i, f := range fields {
		if i > 0 {
			_ = c.w.WriteByte(',')
		}
		if strings.ContainsAny(f, "\",\r\n") || strings.TrimSpace(f) != f {
			f = `"` + strings.ReplaceAll(f, `"`, `""`) + `"`
		}
		_, _ = c.w.WriteString(f)
	}
	_, err := c.w.WriteString("\r\n") // of any of these writes
	return err
}

// Close flushes the buffer.
func (c *csvWriter) Close() error { return c.w.Flush() }

// plainNumber matches strings that every spreadsheet reads as a number.
var plainNumber = regexp.MustCompile(`^[-+]?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

// formulaSigns are the characters that begin formulas in spreadsheets; full-width ones in East Asian versions.
const formulaSigns = "=+-@\t\r\n＝＋－＠"

// symbol returns the replacement of a control character: its picture in Unicode, if any. Characters that change the
// direction of writing are replaced by their number.
func symbol(r rune) string {
	switch {
	case r < 0x20:
		return string(0x2400 + r)
	case r == 0x7f:
		return "\u2421"
	case r < 0xa0:
		return string(utf8.RuneError)
	}
	return printable.Number(r)
}

// guarded returns s so that spreadsheets do not treat it as a formula and terminals do not interpret it. Invalid UTF-8
// is replaced.
func guarded(s string) string {
	s = printable.Spell(strings.ToValidUTF8(s, "\ufffd"), symbol)
	if s == "" || plainNumber.MatchString(s) {
		return s
	}
	if s[0] == '\'' || strings.IndexAny(s, formulaSigns) == 0 ||
		strings.IndexAny(strings.TrimLeft(s, " \u00a0\ufeff"), formulaSigns) == 0 {
		return "'" + s
	}
	return s
}
