package metric

import (
	"math/big"
	"slices"
	"strings"
	"unicode"

	"github.com/badger-eval/badger/internal/lazyregexp"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// stefFilter is one condition (lhs, op, rhs) of a question or a query (STEF, equations 3 and 7).
type stefFilter struct {
	LHS string   `json:"lhs"`
	Op  string   `json:"op"`
	RHS []string `json:"rhs,omitempty"` // the values, without quotes
}

// stefNames maps names in the question to names in the database, by the application's column mappings (STEF, section
// 3.5).
type stefNames map[string]string

func namesOf(mappings map[string]string) stefNames {
	n := stefNames{}
	for from, to := range mappings {
		n[nameKey(from)] = nameKey(to)
	}
	return n
}

// key returns the form of a name for comparison: its letters and digits in lower case, replaced by the mapped name if
// there is a mapping for it.
func (n stefNames) key(name string) string {
	k := nameKey(name)
	if to, ok := n[k]; ok {
		return to
	}
	return k
}

// nameKey returns the letters and digits of a name in lower case.
func nameKey(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// caseFunctions matches a call of a function that changes only letter case or outer blanks, which are ignored when
// strings are compared.
var caseFunctions = lazyregexp.New(`^(?:lower|upper|trim|ltrim|rtrim|initcap)\((.*)\)$`)

// sqlFilter converts a condition of a query to a filter. literal reports whether its values are constants; if not,
// RHS is the SQL text.
func sqlFilter(p *sqlparts.Predicate) (f stefFilter, literal bool) {
	f.LHS, f.Op = p.Column, p.Operator
	for m := caseFunctions.FindStringSubmatch(f.LHS); m != nil; m = caseFunctions.FindStringSubmatch(f.LHS) {
		f.LHS = m[1]
	}
	switch {
	case (f.Op == "is" || f.Op == "is not") && p.Value == "null":
		f.Op += " null"
		return f, true
	case p.Value == "":
		return f, false
	}
	for _, v := range p.Values() {
		l := sqlparts.Constant(v)
		if l == nil || l.Kind == sqlparts.Bytes {
			return stefFilter{f.LHS, f.Op, []string{p.Value}}, false
		}
		f.RHS = append(f.RHS, l.Text)
	}
	if len(f.RHS) == 0 {
		f.RHS = []string{p.Value}
		return f, false
	}
	if f.Op == "in" || f.Op == "not in" {
		slices.Sort(f.RHS)
		f.RHS = slices.Compact(f.RHS)
	}
	return f, true
}

// plainNumber matches a number that is compared by value: one without an exponent, which could make it huge.
var plainNumber = lazyregexp.New(`^[+-]?[0-9]{1,60}(?:\.[0-9]{1,60})?$`)

// normal returns the normal form of the filter for comparison (STEF, section 3.2.3): with mapped names, strings in
// lower case with single blanks, numbers by value, patterns without wildcards and lists of one value as equality, and
// lists sorted.
func (f stefFilter) normal(names stefNames) stefFilter {
	out := stefFilter{LHS: names.key(f.LHS), Op: strings.ToLower(strings.Join(strings.Fields(f.Op), " "))}
	for _, v := range f.RHS {
		v = strings.ToLower(strings.Join(strings.Fields(v), " "))
		if plainNumber.MatchString(v) {
			if r, ok := new(big.Rat).SetString(v); ok {
				v = r.RatString()
			}
		}
		out.RHS = append(out.RHS, v)
	}
	switch out.Op {
	case "in", "not in":
		slices.Sort(out.RHS)
		out.RHS = slices.Compact(out.RHS)
	}
	equality := map[string]string{"in": "=", "like": "=", "ilike": "=", "not in": "<>", "not like": "<>",
		"not ilike": "<>"}
	if op, ok := equality[out.Op]; ok && len(out.RHS) == 1 &&
		(strings.HasSuffix(out.Op, "in") || !strings.ContainsAny(out.RHS[0], "%_")) {
		out.Op = op
	}
	return out
}

// equal reports whether two filters in their normal form are the same.
func (f stefFilter) equal(g stefFilter) bool {
	return f.LHS != "" && f.LHS == g.LHS && f.Op == g.Op && slices.Equal(f.RHS, g.RHS)
}
