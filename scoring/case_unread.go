package scoring

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// Unread returns a sentence for each part of the case that is ignored or read differently from how it is written:
// an invalid cost, number of tokens or latency, unknown keys and an unknown dialect, each with the most similar known
// one, and the notes on its inline results. It does not resolve references.
func (c *Case) Unread() []string {
	out := slices.Clone(c.Invalid)
	for _, key := range c.UnreadKeys {
		out = append(out, fmt.Sprintf("the key %.80q is not known and not read%s", key, SuggestKey(key)))
	}
	out = append(out, c.UnknownDialect()...)
	for i := range c.Golds {
		out = append(out, c.Golds[i].Result.notes("gold result")...)
	}
	return append(out, c.Pred.Result.notes("result of the agent")...)
}

// Unusual returns a string that identifies the sentences of [Case.Unread]: if it is equal for two cases, so are the
// sentences. It is empty if there are none. It is cheaper to compute than the sentences.
func (c *Case) Unusual() string {
	parts := append(slices.Clip(c.Invalid), c.UnreadKeys...)
	if !sqlparts.NamesDialect(c.Dialect) {
		parts = append(slices.Clip(parts), "dialect "+c.Dialect)
	}
	for i := range c.Golds {
		parts = append(slices.Clip(parts), c.Golds[i].Result.notes("gold result")...)
	}
	return strings.Join(append(slices.Clip(parts), c.Pred.Result.notes("result of the agent")...), "\n")
}

// notes returns the notes of the table, each prefixed with the name of the result. It returns nil for a result
// without a table.
func (r Result) notes(of string) (out []string) {
	if r.Table != nil {
		for _, n := range r.Table.Notes {
			out = append(out, of+": "+n)
		}
	}
	return out
}

// UnknownDialect returns a warning if the case names an unknown dialect, else nil.
func (c *Case) UnknownDialect() []string {
	if sqlparts.NamesDialect(c.Dialect) {
		return nil
	}
	names := sqlparts.DialectNames()
	near := cmp.Or(Suggest(c.Dialect, names), "; known are "+strings.Join(names, ", "))
	return []string{
		fmt.Sprintf("the dialect %.40q is not known, and its SQL is read as that of any dialect (generic)%s", c.Dialect,
			near)}
}

// Strict returns an error if [Case.Unread] reports anything, or if the case has options for an unknown metric.
func (e *Engine) Strict(c *Case) error {
	said := append(c.Unread(), e.UnknownOptions(c)...)
	if len(said) == 0 {
		return nil
	}
	return errcode.New(errcode.InvalidArgument, "case %q: %s", c.ID, strings.Join(said, "; "))
}

// UnknownOptions lists the options of a case that are ignored because no metric has their name.
func (e *Engine) UnknownOptions(c *Case) (out []string) {
	for _, name := range slices.Sorted(maps.Keys(c.Options)) {
		if _, err := e.Metric(name); err != nil {
			out = append(out, "options are not read: "+err.Error())
		}
	}
	return out
}
