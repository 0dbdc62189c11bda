package metric

import (
	"maps"
	"math/big"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/badger-eval/badger/internal/lazyregexp"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
	"github.com/badger-eval/badger/scoring/naming"
)

// columnSums computes totals, counts and shares of single columns of a result. Sums are exact.
type columnSums struct {
	t       *scoring.Table
	units   *unitWorth
	sums    map[int]*big.Rat // by column; nil if a value cannot be read
	counts  map[int][2]int   // the rows with a value, and the distinct values, of a column
	numbers []int            // columns of numbers
	views   map[int]cell.View
	partial bool        // the query may return only some of the rows
	totals  func() bool // whether a row is a total of others, or may be
}

var (
	cutsRows = lazyregexp.New(`(?i)\b(?:limit|top|fetch|sample|tablesample|qualify|offset)\b`)
	rollsUp  = lazyregexp.New(`(?i)\b(?:rollup|cube|grouping\s+sets)\b`)
	// notAdded matches words of names of columns whose values are not added up.
	notAdded = lazyregexp.New(`^(?:avg|average|mean|median|rate|ratio|share|pct|percent|percentage|min|max|id|year|month|rank|` +
		`price|age|score|cumulative|running|total|durchschnitt|anteil|moyenne|promedio|media)$`)
)

func newColumnSums(t *scoring.Table, sql string, units *unitWorth, numbers map[int]cell.View) *columnSums {
	x := &columnSums{t: t, units: units, sums: map[int]*big.Rat{}, counts: map[int][2]int{}, views: numbers,
		partial: cutsRows.MatchString(sql)}
	for _, k := range slices.Sorted(maps.Keys(numbers)) {
		if t.Columns[k].Type != scoring.Bool {
			x.numbers = append(x.numbers, k)
		}
	}
	x.totals = sync.OnceValue(func() bool { return rollsUp.MatchString(sql) || t.Rows() > 1 && x.hasTotalRow() })
	return x
}

// totalKeys returns the keys of the labels that a row may have that sums up the others. NULL and "" are among them.
var totalKeys = sync.OnceValue(func() map[uint64]bool {
	keys := map[uint64]bool{cell.NullKey: true}
	for _, label := range append(strings.Split(totalWords, "|"), "grand total", "all", "") {
		keys[cell.TextKey(label)] = true
	}
	return keys
})

// hasTotalRow reports whether a cell outside of the columns of numbers has one of the totalKeys.
func (x *columnSums) hasTotalRow() bool {
	keys := totalKeys()
	held := make([]uint64, x.t.Rows())
	for k := range x.t.Columns {
		if slices.Contains(x.numbers, k) {
			continue
		}
		cell.Keys(&x.t.Columns[k], cell.View{Kind: scoring.KindText}, 0, held)
		if slices.ContainsFunc(held, func(key uint64) bool { return keys[key] }) {
			return true
		}
	}
	return false
}

// sum returns the sum of a column of numbers, or nil if a value cannot be read.
func (x *columnSums) sum(k int) *big.Rat {
	if sum, ok := x.sums[k]; ok {
		return sum
	}
	byScale := map[int]*big.Int{} // sums of unscaled numbers, by their decimal digits
	sum := new(big.Rat)
	for i := range x.t.Rows() {
		values := x.values(k, i)
		if len(values) == 0 {
			if !x.t.Columns[k].IsNull(i) {
				sum = nil
				break
			}
			continue
		}
		n, scale, ok := unscaledOf(values[0])
		if !ok {
			sum.Add(sum, values[0])
			continue
		}
		if byScale[scale] == nil {
			byScale[scale] = new(big.Int)
		}
		byScale[scale].Add(byScale[scale], n)
	}
	if sum != nil {
		for scale, n := range byScale {
			sum.Add(sum, product(new(big.Rat).SetInt(n), powerOfTen(-scale)))
		}
	}
	x.sums[k] = sum
	return sum
}

// unscaledOf returns a whole number and the decimal digits by which it is shifted; ok is false for other fractions.
func unscaledOf(r *big.Rat) (n *big.Int, scale int, ok bool) {
	if r.IsInt() {
		return r.Num(), 0, true
	}
	scale, ok = r.FloatPrec()
	if !ok {
		return nil, 0, false
	}
	return product(r, powerOfTen(scale)).Num(), scale, true
}

func (x *columnSums) values(k, i int) []*big.Rat {
	return exactValues(cell.Read(&x.t.Columns[k], x.views[k], i))
}

// count returns the number of rows with a value in a column, and of its distinct values.
func (x *columnSums) count(k int) (rows, distinct int) {
	counts, ok := x.counts[k]
	if !ok {
		keys := make([]uint64, x.t.Rows())
		cell.Keys(&x.t.Columns[k], cell.View{Kind: scoring.KindText}, 0, keys)
		seen, n := map[uint64]bool{}, 0
		for _, key := range keys {
			if key != cell.NullKey {
				seen[key] = true
				n++
			}
		}
		counts = [2]int{n, len(seen)}
		x.counts[k] = counts
	}
	return counts[0], counts[1]
}

// claimReading holds what the words of a claim say of its figure.
type claimReading struct {
	words   []string        // of the claim, without its numbers
	known   map[string]bool // the words that a check accounts for, and those that are in plainWords
	columns []int           // columns of numbers that the claim names; if it names none, the only one of the result
	named   bool            // whether the claim names them
	noun    []string        // the words after the figure, at most two
}

// check computes totals, counts and shares of one column that the claim may state. computed reports whether one is
// equal to the figure, and sure whether every word of the claim is known, so that it can state nothing else. against
// reports whether the claim is one of those without doubt, and none is equal.
func (x *columnSums) check(s *figureSearch) (computed, against bool) {
	r, ok := x.read(s)
	if !ok {
		return false, false
	}
	adds, equal := x.share(s, &r)
	tried := adds
	if !s.row.named || len(s.row.rows) == 0 { // about all rows
		total, is := x.total(s, &r)
		count, counted := x.countOf(s, &r)
		adds, tried, equal = adds || total, tried || total || count, equal || is || counted
	}
	if !tried || x.totals() {
		return false, false
	}
	sure := !x.partial && len(s.claim.Figures) == 1 && s.number.bound == noBound &&
		!slices.ContainsFunc(r.words, func(w string) bool { return !r.known[w] }) && (r.named || !adds)
	s.at.sure = equal && sure
	return equal, !equal && sure
}

func (x *columnSums) read(s *figureSearch) (r claimReading, ok bool) {
	claim := strings.ToLower(plainDigits(s.claim.Claim))
	stated := strings.ToLower(strings.TrimSpace(plainDigits(s.at.Stated)))
	_, after, ok := aroundFigure(claim, stated)
	if !ok {
		return r, false
	}
	if m := numberInProse.FindStringSubmatch(stated); m != nil {
		after = m[4] + after
	}
	r.noun = words(unitAfter(after).rest)
	r.noun = r.noun[:min(2, len(r.noun))]
	r.known = map[string]bool{}
	for _, w := range words(claim) {
		if unicode.IsDigit([]rune(w)[0]) {
			w = strings.TrimLeftFunc(w, unicode.IsDigit) // 3k
		}
		if w == "" {
			continue
		}
		r.words = append(r.words, w)
		r.known[w] = plainWords[w] || magnitudes[w] != nil || percentAfter.MatchString(w)
	}
	for _, k := range x.numbers {
		if k == s.column || s.column < 0 && r.names(x.t.Columns[k].Name) {
			r.columns = append(r.columns, k)
		}
	}
	if r.named = len(r.columns) > 0; !r.named && len(x.numbers) == 1 {
		r.columns = x.numbers
	}
	return r, true
}

// names reports whether the claim contains all words of a column's name.
func (r *claimReading) names(column string) bool {
	parts := naming.Words(column)
	return len(parts) > 0 && !slices.ContainsFunc(parts, func(p string) bool {
		return !slices.ContainsFunc(r.words, func(w string) bool { return singular(w) == singular(p) })
	})
}

// mark adds the words of a column's name to those that are known.
func (r *claimReading) mark(column string) {
	for _, p := range naming.Words(column) {
		for _, w := range r.words {
			if singular(w) == singular(p) {
				r.known[w] = true
			}
		}
	}
}

// singular returns a word without the ending of an English plural.
func singular(w string) string {
	switch {
	case strings.HasSuffix(w, "ies") && len(w) > 4:
		return w[:len(w)-3] + "y"
	case (strings.HasSuffix(w, "ses") || strings.HasSuffix(w, "xes") || strings.HasSuffix(w, "ches")) && len(w) > 4:
		return w[:len(w)-2]
	case strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && len(w) > 3:
		return w[:len(w)-1]
	}
	return w
}

// added returns the only column that the claim may add up.
func (x *columnSums) added(r *claimReading) (column int, ok bool) {
	columns := slices.DeleteFunc(slices.Clone(r.columns), func(k int) bool {
		return slices.ContainsFunc(naming.Words(x.t.Columns[k].Name), notAdded.MatchString)
	})
	if len(columns) != 1 {
		return 0, false
	}
	return columns[0], true
}

var totalPattern = lazyregexp.New(`(?:^|[^\p{L}\p{M}]|[\p{Han}])(?:` + totalWords + `)(?:$|[^\p{L}\p{M}]|[\p{Han}\p{Hiragana}])`)

// total compares the figure with the sum of a column.
func (x *columnSums) total(s *figureSearch, r *claimReading) (tried, equal bool) {
	k, ok := x.added(r)
	if !ok || !totalPattern.MatchString(strings.ToLower(s.claim.Claim)) {
		return false, false
	}
	r.mark(x.t.Columns[k].Name)
	sum := x.sum(k)
	return sum != nil, sum != nil && s.is(sum, x.units.of(k, s))
}

// is reports whether the figure states a number, or may with another sign.
func (s *figureSearch) is(v *big.Rat, units []*big.Rat) bool {
	n := s.number
	n.prepare(units)
	near, _ := v.Float64()
	return n.matches(near, func() []*big.Rat { return []*big.Rat{v} }, true) >= matchOpen
}

var sharePattern = lazyregexp.New(`(?:^|[^\p{L}\p{M}]|[\p{Han}])(?:` + shareWords + `)`)

// share compares a percentage with a cell's share of the sum of its column.
func (x *columnSums) share(s *figureSearch, r *claimReading) (tried, equal bool) {
	k, ok := x.added(r)
	if !ok || len(s.number.factors) == 1 || !sharePattern.MatchString(strings.ToLower(s.claim.Claim)) {
		return false, false
	}
	row, ok := x.rowOf(s, r)
	if !ok {
		return false, false
	}
	sum, values := x.sum(k), x.values(k, row)
	if sum == nil || sum.Sign() <= 0 || len(values) == 0 {
		return false, false
	}
	r.mark(x.t.Columns[k].Name)
	n := s.number
	n.factors = n.factors[len(n.factors)-1:] // of a fraction
	of := figureSearch{number: n}
	return true, of.is(new(big.Rat).Quo(values[0], sum), nil)
}

// mostLabelWords is the maximum number of words of a row's label that is searched for in a claim.
const mostLabelWords = 6

// rowOf returns the only row whose label the claim contains.
func (x *columnSums) rowOf(s *figureSearch, r *claimReading) (row int, ok bool) {
	if s.row.named {
		if len(s.row.rows) != 1 {
			return 0, false
		}
		for _, w := range words(s.row.text) {
			r.known[w] = true
		}
		return int(s.row.rows[0]), true
	}
	fields := strings.Fields(s.claim.Claim)
	phrases := map[uint64]string{}
	for i := range fields {
		for j := i + 1; j <= min(len(fields), i+mostLabelWords); j++ {
			phrase := strings.TrimSuffix(strings.Trim(strings.Join(fields[i:j], " "), `.,;:!?"'()“”«»`), "'s")
			phrases[cell.TextKey(strings.TrimSuffix(phrase, "’s"))] = phrase
		}
	}
	row = -1
	keys := make([]uint64, x.t.Rows())
	for k := range x.t.Columns {
		if slices.Contains(x.numbers, k) {
			continue
		}
		cell.Keys(&x.t.Columns[k], cell.View{Kind: scoring.KindText}, 0, keys)
		for i, key := range keys {
			if phrase, held := phrases[key]; held && key != cell.NullKey {
				if row >= 0 && row != i {
					return 0, false
				}
				row = i
				for _, w := range words(phrase) {
					r.known[w] = true
				}
			}
		}
	}
	return row, row >= 0
}

// countOf compares a figure before the name of a column, or a word for rows, with the number of rows, and of the
// values of that column.
func (x *columnSums) countOf(s *figureSearch, r *claimReading) (tried, equal bool) {
	if len(s.number.factors) > 1 || len(r.noun) == 0 {
		return false, false
	}
	candidates := []*big.Rat{big.NewRat(int64(x.t.Rows()), 1)}
	noun := r.noun[0]
	if differentWords[noun] && len(r.noun) > 1 {
		noun = r.noun[1]
	}
	named := false
	for k := range x.t.Columns {
		name := naming.Words(x.t.Columns[k].Name)
		if len(name) == 0 || singular(name[0]) != singular(noun) || !r.names(x.t.Columns[k].Name) {
			continue
		}
		named = true
		r.mark(x.t.Columns[k].Name)
		rows, distinct := x.count(k)
		candidates = append(candidates, big.NewRat(int64(rows), 1), big.NewRat(int64(distinct), 1))
		if slices.Contains(x.numbers, k) {
			if sum := x.sum(k); sum != nil {
				candidates = append(candidates, sum)
			}
		}
	}
	if !named && !rowWords[noun] {
		return false, false
	}
	r.known[noun] = true
	return true, slices.ContainsFunc(candidates, func(v *big.Rat) bool { return s.is(v, nil) })
}

func wordSet(text string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(text) {
		out[w] = true
	}
	return out
}

const (
	totalWords = `total|totals|totaled|totalled|sum|combined|altogether|together|overall|gesamt|insgesamt|summe|zusammen` +
		`|totale|totaux|somme|totales|suma|somma|complessivo|complessivamente|soma|totaal|samen|łącznie|razem|ogółem|totalt` +
		`|sammanlagt|summa|toplam|toplamda|всего|итого|сумма|общая|общий|合计|总计|总共|共计|合計|總計|総計|총|합계|총계` +
		`|إجمالي|المجموع|مجموع|कुल`
	shareWords = `share|accounts? for|accounted for|makes? up|made up|represents?|represented|contributes?|contributed|% of|percent of` +
		`|anteil|macht|ausmacht|part |représente|cuota|representa|aporta|quota|rappresenta|participação|aandeel|udział|stanowi|andel` +
		`|pay|доля|составляет|占|シェア|割合|占め|비중|차지|حصة|نسبة|हिस्सा|हिस्सेदारी`
)

// differentWords are between a number and what it counts.
var differentWords = wordSet(`different distinct unique verschiedene différents différentes distintos distintas diferentes diversi
	diverse verschillende różnych olika farklı различных`)

// rowWords count the rows of a result.
var rowWords = wordSet(`row rows record records entry entries line lines zeile zeilen datensätze ligne lignes enregistrements fila
	filas registros riga righe linha linhas rij rijen wiersz wiersze wierszy rad rader satır строка строки строк 行 행 صف صفوف पंक्तियाँ`)

// plainWords are words without which a claim of a total, a count or a share states the same.
var plainWords = wordSet(`the a an of in for is are was were be has have had there it this that to at amounts amounted amount comes
	came equals all across over shows show shown returned returns return contains lists result results query data table number
	count value adds up per cent share accounts accounted account makes make made represents represented contributes
	contributed total totals totaled totalled sum combined altogether together overall and entire whole exactly
	der die das den dem ist sind war waren beträgt betrug betragen von im in alle aller es gibt ergebnis anzahl gesamt insgesamt
	summe zusammen anteil macht aus am an liegt bei
	le la les l de du des d est sont était au total totale somme s élève à représente part il y
	el los las es son fue del en hay suma representa cuota un una
	il lo gli i è sono era del della di somma totale rappresenta quota ci
	o os as é são foi do da em soma há representa participação
	het een zijn is was van totaal aandeel er
	usd eur gbp dollars euros euro`)
