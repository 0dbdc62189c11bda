package metric

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"unicode"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// overrules returns the status that the parsed query proves for filter i of the question, which the judge calls
// applied, and why; status is "" if it proves none. doubt is the reason of a warning if the query compares with
// another value that may be a code for the one in the question. Neither contains values, which may be data. asked and
// inQuery are the filters of the question and of the query in normal form.
func (s *querySpec) overrules(i int, q *stefAsked, asked *stefFilter, inQuery []stefFilter,
	rules *stefRules) (status, why, doubt string) {
	if len(q.RHS) == 0 && asked.Op != "is null" && asked.Op != "is not null" || asked.Op == "other" {
		return "", "", ""
	}
	if len(s.Filters)+len(s.Ignored) == 0 {
		if len(q.RHS) > 0 && !slices.ContainsFunc(q.RHS, rules.mentions) && !(isFlag(asked.RHS) && rules.mentions(q.LHS)) {
			return "missing", fmt.Sprintf("filter %d is not applied: the query has no condition", i+1), ""
		}
		return "", "", ""
	}
	if len(q.SQLFilters) != 1 {
		return "", "", ""
	}
	at := q.SQLFilters[0] - 1
	there := &inQuery[at]
	if !s.decided[at] || restrictedElsewhere(inQuery, at) {
		return "", "", ""
	}
	by := fmt.Sprintf("filter %d is not applied: filter %d of the query", i+1, at+1)
	switch {
	case asked.LHS == there.LHS && oppositeOperators(asked.Op, there.Op):
		return "incorrect", by + " is its opposite", ""
	case sameColumn(asked, there):
		if a, ok := numberRangeOf(asked); ok {
			if b, ok := numberRangeOf(there); ok && !a.equal(b) {
				return "incorrect", by + " restricts to other numbers", ""
			}
		}
		if isEquality(asked.Op) && isEquality(there.Op) && otherNames(q.RHS, s.Filters[at].RHS) {
			return "incorrect", by + " restricts to another name", ""
		}
	}
	if isEquality(asked.Op) && isEquality(there.Op) && !similarValues(q.RHS, s.Filters[at].RHS) {
		return "", "", fmt.Sprintf("filter %d: filter %d of the query has another value, which may be a code for it",
			i+1, at+1)
	}
	return "", "", ""
}

// isFlag reports whether the values are truth values, which a name such as active_users may imply.
func isFlag(values []string) bool {
	flags := []string{"true", "false", "1", "0", "yes", "no", "y", "n", "t", "f"}
	return len(values) == 1 && slices.Contains(flags, values[0])
}

// restrictedElsewhere reports whether another filter of the query is about the same column, so that one alone does not
// show what the column is restricted to.
func restrictedElsewhere(inQuery []stefFilter, at int) bool {
	for i := range inQuery {
		if i != at && inQuery[i].LHS == inQuery[at].LHS {
			return true
		}
	}
	return false
}

// mentions reports whether the query contains a value, also as a part of a name.
func (r *stefRules) mentions(value string) bool {
	key := nameKey(value)
	return key == "" || strings.Contains(r.query, key)
}

// oppositeOperators reports whether two operators hold for different rows, whatever the values are.
func oppositeOperators(a, b string) bool {
	opposite := func(a, b string) bool {
		return a == "is null" && b == "is not null" || a == "=" && b == "<>" || a == "<>" && b == "in" ||
			a == "not "+b && (b == "in" || b == "like" || b == "ilike" || b == "between") || a == "=" && b == "not in"
	}
	return opposite(a, b) || opposite(b, a)
}

func isEquality(op string) bool { return op == "=" || op == "in" || op == "like" || op == "ilike" }

// sameColumn reports whether two filters in normal form are about the same column. One name may contain the other if
// both compare with years, as in year and year(order_date).
func sameColumn(a, b *stefFilter) bool {
	if a.LHS == b.LHS {
		return true
	}
	years := func(f *stefFilter) bool {
		return len(f.RHS) > 0 && !slices.ContainsFunc(f.RHS, func(v string) bool {
			return len(v) != 4 || !plainNumber.MatchString(v) || v < "1900" || v > "2100"
		})
	}
	return years(a) && years(b) && (strings.Contains(a.LHS, b.LHS) || strings.Contains(b.LHS, a.LHS)) &&
		min(len(a.LHS), len(b.LHS)) >= len("year")
}

// numberRange is the set of numbers that a filter restricts a column to.
type numberRange struct {
	values         []string // for =, in and their opposites
	except         bool     // all but values
	lo, hi         *big.Rat // nil: unbounded
	loOpen, hiOpen bool
}

// numberRangeOf returns the numbers that a filter in normal form restricts to; ok is false if it does not compare with
// numbers.
func numberRangeOf(f *stefFilter) (r numberRange, ok bool) {
	var numbers []*big.Rat
	for _, v := range f.RHS {
		if !isRational(v) {
			return r, false
		}
		n, valid := new(big.Rat).SetString(v)
		if !valid {
			return r, false
		}
		numbers = append(numbers, n)
	}
	if len(numbers) == 0 || len(numbers) > 1 && f.Op != "in" && f.Op != "not in" && f.Op != "between" {
		return r, false
	}
	switch f.Op {
	case "=", "in":
		r.values = slices.Compact(slices.Sorted(slices.Values(f.RHS)))
	case "<>", "not in":
		r.values, r.except = slices.Compact(slices.Sorted(slices.Values(f.RHS))), true
	case "<", "<=":
		r.hi, r.hiOpen = numbers[0], f.Op == "<"
	case ">", ">=":
		r.lo, r.loOpen = numbers[0], f.Op == ">"
	case "between":
		if len(numbers) != 2 {
			return r, false
		}
		r.lo, r.hi = numbers[0], numbers[1]
	default:
		return r, false
	}
	return r, true
}

// isRational reports whether a value has only the characters of a number in normal form, such as 3 or -5/2, and no
// exponent, which could make it huge.
func isRational(v string) bool {
	return strings.IndexFunc(v, func(r rune) bool { return !(r >= '0' && r <= '9' || r == '-' || r == '/') }) < 0
}

// equal reports whether two ranges may be the same set of numbers. If the numbers are whole, > 2022 is >= 2023.
func (r numberRange) equal(o numberRange) bool {
	whole := func(v *big.Rat, open bool, by int64) *big.Rat {
		if v != nil && open && v.IsInt() {
			return new(big.Rat).Add(v, big.NewRat(by, 1))
		}
		return v
	}
	end := func(a *big.Rat, aOpen bool, b *big.Rat, bOpen bool, by int64) bool {
		if a == nil || b == nil {
			return a == nil && b == nil
		}
		a, b = whole(a, aOpen, by), whole(b, bOpen, by)
		return a.Cmp(b) == 0 && (a.IsInt() || aOpen == bOpen)
	}
	return slices.Equal(r.values, o.values) && r.except == o.except && end(r.lo, r.loOpen, o.lo, o.loOpen, 1) &&
		end(r.hi, r.hiOpen, o.hi, o.hiOpen, -1)
}

// otherNames reports whether one value of each side is a proper name, and the names are not alike. Words in lower case
// and abbreviations may be what a column calls the same.
func otherNames(asked, there []string) bool {
	if len(asked) != 1 || len(there) != 1 {
		return false
	}
	proper := func(s string) bool {
		s = strings.Trim(s, "%_ ")
		upper, letters := 0, 0
		for _, r := range s {
			if !unicode.IsLetter(r) && r != ' ' {
				return false
			}
			if letters++; unicode.IsUpper(r) {
				upper++
			}
		}
		return letters >= 4 && unicode.IsUpper([]rune(s)[0]) && upper < letters/2
	}
	a, b := asked[0], there[0]
	if !proper(a) || !proper(b) || similarValues(asked, there) {
		return false
	}
	ka, kb := []rune(nameKey(a)), []rune(nameKey(b))
	return ka[0] != kb[0] // names with the same first letter may be spellings of one: Munich, München
}

// similarValues reports whether each value of one side is contained in one of the other, as 2023 is in 2023-01-01.
func similarValues(a, b []string) bool {
	like := func(x, y string) bool {
		x, y = nameKey(x), nameKey(y)
		return x == y || len(x) > 1 && strings.Contains(y, x) || len(y) > 1 && strings.Contains(x, y)
	}
	covered := func(a, b []string) bool {
		return !slices.ContainsFunc(a, func(x string) bool {
			return !slices.ContainsFunc(b, func(y string) bool { return like(x, y) })
		})
	}
	return covered(a, b) && covered(b, a)
}

// contradictions returns warnings for a reply whose verdict contradicts its parts.
func (r *stefReply) contradictions(m stefMatches) (warnings []string) {
	if r.Verdict != stefVerdicts[0] {
		return nil
	}
	for _, part := range []struct {
		matches bool
		name    string
	}{{m.Outputs, "outputs"}, {m.Aggregations, "aggregations"}, {m.GroupBy, "grouping"}} {
		if !part.matches {
			warnings = append(warnings, "the judge calls the query Correct, and says that its "+part.name+" do not match")
		}
	}
	return warnings
}

// queryKey returns the letters and digits of a query, in which [stefRules.mentions] searches.
func queryKey(sql string, dialect sqlparts.Dialect) string {
	var b strings.Builder
	for _, t := range sqlparts.Tokens(sql, dialect) {
		if t.Kind != sqlparts.TokenComment {
			b.WriteString(nameKey(sql[t.Start:t.End]))
			b.WriteByte(' ')
		}
	}
	return b.String()
}
