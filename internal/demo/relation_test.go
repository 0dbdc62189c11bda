package demo_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/badger-eval/badger/internal/demo"
)

// A relation says how an answer's result differs from the gold result. It returns "" if it
// holds, else why it does not. The relations are written here from their meaning, on exact numbers,
// and share no code with badger's metrics.
type relation func(gold, pred demo.Snapshot, ordered bool) string

// accepting relations keep the answer, rejecting ones lose it.
var accepting = map[string]relation{
	"exact":                all(sameNames, sameRows),
	"rewritten":            all(sameNames, sameRows),
	"lucky":                sameRows,
	"renamed_columns":      all(otherNames, sameRows),
	"permuted_columns":     permuted,
	"extra_columns":        extraColumns,
	"row_number":           rowNumber,
	"duplicate_rows":       duplicateRows,
	"zero_filled_groups":   zeroFilled,
	"tie_in_top_n":         tie,
	"rounded":              cellwise(rounded(1)),
	"percent_for_fraction": cellwise(rounded(100)),
	"currency_text":        cellwise(currency),
	"date_text":            cellwise(dateText),
	"null_label":           cellwise(func(g, p any) bool { s, ok := p.(string); return g == nil && ok && s != "" }),
}

var rejecting = map[string]relation{
	"missing_filter":     otherRows,
	"wrong_join":         otherRows,
	"wrong_aggregate":    otherRows,
	"count_not_distinct": otherRows,
	"wrong_year":         otherRows,
	"boundary":           otherRows,
	"null_trap":          all(otherRows, zero),
	"wrong_literal":      all(otherRows, zero),
	"or_for_and":         otherRows,
	"missing_join":       otherRows,
	"integer_division":   otherRows,
	"unordered":          unordered,
	"ascending_top_n":    disjoint,
	"inner_for_left":     droppedZeroes,
	"empty_answer":       empty,
	"missing_columns":    missingColumns,
	"precision_lost":     cellwise(lastDigits),
}

func all(rs ...relation) relation {
	return func(g, p demo.Snapshot, ordered bool) string {
		for _, r := range rs {
			if why := r(g, p, ordered); why != "" {
				return why
			}
		}
		return ""
	}
}

// number reads a cell exactly.
func number(v any) (*big.Rat, bool) {
	switch v := v.(type) {
	case json.Number:
		return new(big.Rat).SetString(v.String())
	case string:
		if strings.ContainsAny(v, "eE/_") {
			return nil, false
		}
		return new(big.Rat).SetString(v)
	}
	return nil, false
}

// key writes a cell so that equal values have equal keys, whatever their type.
func key(v any) string {
	if r, ok := number(v); ok {
		return "#" + r.RatString()
	}
	return fmt.Sprintf("%T:%v", v, v)
}

func rowKeys(rows [][]any) []string {
	out := make([]string, len(rows))
	for i, row := range rows {
		cells := make([]string, len(row))
		for j, v := range row {
			cells[j] = key(v)
		}
		out[i] = strings.Join(cells, "\x00")
	}
	return out
}

func names(s demo.Snapshot) []string {
	out := make([]string, len(s.Columns))
	for i, c := range s.Columns {
		out[i] = c.Name
	}
	return out
}

// project picks columns by position.
func project(s demo.Snapshot, columns []int) demo.Snapshot {
	out := demo.Snapshot{}
	for _, c := range columns {
		out.Columns = append(out.Columns, s.Columns[c])
	}
	for _, row := range s.Rows {
		cells := make([]any, len(columns))
		for i, c := range columns {
			cells[i] = row[c]
		}
		out.Rows = append(out.Rows, cells)
	}
	return out
}

// byName finds the columns of s that are called like those of want.
func byName(s, want demo.Snapshot) ([]int, bool) {
	var at []int
	for _, n := range names(want) {
		i := slices.Index(names(s), n)
		if i < 0 {
			return nil, false
		}
		at = append(at, i)
	}
	return at, true
}

func column(s demo.Snapshot, c int) []string { return rowKeys(project(s, []int{c}).Rows) }

func sorted(s []string) []string { return slices.Sorted(slices.Values(s)) }

func without(s []string, drop []string) []string {
	left := map[string]int{}
	for _, v := range drop {
		left[v]++
	}
	var out []string
	for _, v := range s {
		if left[v] > 0 {
			left[v]--
			continue
		}
		out = append(out, v)
	}
	return out
}

func sameNames(g, p demo.Snapshot, _ bool) string {
	if !slices.Equal(names(g), names(p)) {
		return fmt.Sprintf("columns %q, gold %q", names(p), names(g))
	}
	return ""
}

func otherNames(g, p demo.Snapshot, _ bool) string {
	if slices.Equal(names(g), names(p)) {
		return "the names are the same"
	}
	return ""
}

func sameRows(g, p demo.Snapshot, ordered bool) string {
	a, b := rowKeys(g.Rows), rowKeys(p.Rows)
	if !ordered {
		a, b = sorted(a), sorted(b)
	}
	if len(g.Columns) != len(p.Columns) || !slices.Equal(a, b) {
		return "the rows differ"
	}
	return ""
}

// otherRows holds where no accepting relation does.
func otherRows(g, p demo.Snapshot, ordered bool) string {
	for _, name := range slices.Sorted(maps.Keys(accepting)) {
		if accepting[name](g, p, ordered) == "" {
			return "the answer is still right: " + name
		}
	}
	return ""
}

func permuted(g, p demo.Snapshot, ordered bool) string {
	at, ok := byName(p, g)
	if !ok || len(p.Columns) != len(g.Columns) || slices.IsSorted(at) {
		return "not the same columns in another order"
	}
	return sameRows(g, project(p, at), ordered)
}

func extraColumns(g, p demo.Snapshot, ordered bool) string {
	at, ok := byName(p, g)
	if !ok || len(p.Columns) <= len(g.Columns) {
		return "not the gold columns and more"
	}
	return sameRows(g, project(p, at), ordered)
}

func rowNumber(g, p demo.Snapshot, ordered bool) string {
	at, ok := byName(p, g)
	if !ok || len(p.Columns) != len(g.Columns)+1 || slices.Contains(at, 0) {
		return "not the gold columns and one in front"
	}
	for i := range p.Rows {
		if !slices.Contains(column(p, 0), fmt.Sprintf("#%d", i+1)) {
			return "the first column does not number the rows"
		}
	}
	return sameRows(g, project(p, at), ordered)
}

func duplicateRows(g, p demo.Snapshot, _ bool) string {
	a, b := sorted(rowKeys(g.Rows)), sorted(rowKeys(p.Rows))
	if len(b) <= len(a) || !slices.Equal(a, slices.Compact(b)) {
		return "not the gold rows with some repeated"
	}
	return ""
}

// zeroFilled: all gold rows, and more whose measures are 0 or NULL.
func zeroFilled(g, p demo.Snapshot, _ bool) string {
	if len(p.Rows) <= len(g.Rows) || len(p.Columns) != len(g.Columns) || len(g.Columns) < 2 {
		return "not more rows of the same key and measures"
	}
	if len(without(rowKeys(g.Rows), rowKeys(p.Rows))) > 0 {
		return "gold rows are missing"
	}
	return onlyZeroes(p, without(rowKeys(p.Rows), rowKeys(g.Rows)))
}

// droppedZeroes is zeroFilled the other way round: the rows without matches are missing.
func droppedZeroes(g, p demo.Snapshot, _ bool) string { return zeroFilled(p, g, false) }

func onlyZeroes(s demo.Snapshot, rows []string) string {
	for _, row := range s.Rows {
		if !slices.Contains(rows, rowKeys([][]any{row})[0]) {
			continue
		}
		for _, v := range row[1:] {
			if n, ok := number(v); v != nil && (!ok || n.Sign() != 0) {
				return "a row of its own has a measure that is not 0"
			}
		}
	}
	return ""
}

// tie: as many rows with the same measures, and the rows that differ all have the smallest measure.
func tie(g, p demo.Snapshot, _ bool) string {
	at, ok := byName(p, g)
	if !ok || len(p.Rows) != len(g.Rows) {
		return "not as many rows of the same columns"
	}
	p = project(p, at)
	others := without(rowKeys(p.Rows), rowKeys(g.Rows))
	if len(others) == 0 {
		return "the same rows"
	}
	for c := range g.Columns {
		if !slices.Equal(sorted(column(g, c)), sorted(column(p, c))) {
			continue
		}
		least := column(g, c)[len(g.Rows)-1]
		for i, row := range rowKeys(p.Rows) {
			if slices.Contains(others, row) && column(p, c)[i] != least {
				return "rows above the tie differ"
			}
		}
		return ""
	}
	return "no measure stays the same"
}

func zero(_, p demo.Snapshot, _ bool) string {
	if n, ok := number(p.Rows[0][0]); !ok || len(p.Rows) != 1 || n.Sign() != 0 {
		return "the count is not 0"
	}
	return ""
}

func empty(g, p demo.Snapshot, _ bool) string {
	if len(g.Rows) == 0 || len(p.Rows) > 0 {
		return "not an empty answer to a full one"
	}
	return ""
}

func unordered(g, p demo.Snapshot, ordered bool) string {
	if !ordered {
		return "the question asks for no order"
	}
	if sameRows(g, p, true) == "" {
		return "the rows happen to be in order"
	}
	return sameRows(g, p, false)
}

func disjoint(g, p demo.Snapshot, _ bool) string {
	if len(g.Rows) != len(p.Rows) || len(without(rowKeys(g.Rows), rowKeys(p.Rows))) != len(g.Rows) {
		return "not as many rows, all of them others"
	}
	return ""
}

func missingColumns(g, p demo.Snapshot, ordered bool) string {
	at, ok := byName(g, p)
	if !ok || len(p.Columns) >= len(g.Columns) {
		return "not some of the gold columns"
	}
	return sameRows(project(g, at), p, ordered)
}

// cellwise holds where some columns are the same and the cells of the others, at least one, match
// as given. Rows belong together by the columns that are the same; a single row needs none.
func cellwise(match func(gold, pred any) bool) relation {
	return func(g, p demo.Snapshot, ordered bool) string {
		if len(g.Columns) != len(p.Columns) || len(g.Rows) != len(p.Rows) {
			return "not as many columns and rows"
		}
		var same, other []int
		for c := range g.Columns {
			a, b := column(g, c), column(p, c)
			if slices.Equal(sorted(a), sorted(b)) {
				same = append(same, c)
			} else {
				other = append(other, c)
			}
		}
		if len(other) == 0 {
			return "the columns are the same"
		}
		gk, pk := rowKeys(project(g, same).Rows), rowKeys(project(p, same).Rows)
		for i := range g.Rows {
			j := i
			if !ordered && len(g.Rows) > 1 {
				if j = slices.Index(pk, gk[i]); j < 0 || slices.Index(gk, gk[i]) != i {
					return "rows cannot be paired"
				}
			}
			if gk[i] != pk[j] {
				return "rows come in another order"
			}
			for _, c := range other {
				if key(g.Rows[i][c]) != key(p.Rows[j][c]) && !match(g.Rows[i][c], p.Rows[j][c]) {
					return fmt.Sprintf("column %d: %v is not %v", c+1, p.Rows[j][c], g.Rows[i][c])
				}
			}
		}
		return ""
	}
}

// rounded: the answer is the gold number times factor, rounded to at most four places and within
// one percent.
func rounded(factor int64) func(g, p any) bool {
	return func(g, p any) bool {
		a, ok1 := number(g)
		b, ok2 := number(p)
		if !ok1 || !ok2 {
			return false
		}
		a = new(big.Rat).Mul(a, big.NewRat(factor, 1))
		for places := range 5 {
			if r, ok := new(big.Rat).SetString(a.FloatString(places)); ok && r.Cmp(b) == 0 {
				off := new(big.Rat).Sub(a, b)
				return off.Abs(off).Cmp(new(big.Rat).Mul(big.NewRat(1, 100), new(big.Rat).Abs(a))) <= 0
			}
		}
		return false
	}
}

// currency: a text that holds the gold amount rounded to cents, with separators and a sign or code
// of a currency.
func currency(g, p any) bool {
	a, ok := number(g)
	s, isText := p.(string)
	if !ok || !isText {
		return false
	}
	bare := strings.TrimFunc(strings.ReplaceAll(s, ",", ""), func(r rune) bool { return (r < '0' || r > '9') && r != '-' })
	return bare != s && bare == a.FloatString(2)
}

// dateText: the gold date in words, or its month if it is the first of one.
func dateText(g, p any) bool {
	gs, ok1 := g.(string)
	ps, ok2 := p.(string)
	day, err := time.Parse(time.DateOnly, gs)
	return ok1 && ok2 && err == nil && (ps == day.Format("02 Jan 2006") || day.Day() == 1 && ps == day.Format("Jan 2006"))
}

// lastDigits: two long whole numbers that only differ by what a float64 loses.
func lastDigits(g, p any) bool {
	a, ok := number(g)
	f, isNumber := p.(json.Number)
	if !ok || !isNumber {
		return false
	}
	near, _ := a.Float64()
	got, err := f.Float64()
	return err == nil && got == near && len(fmt.Sprint(g)) > 16
}
