package scoring

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/scoring/naming"
)

// AsWritten returns copies of two results in which some columns of numbers become strings: pairs that hold the same
// numbers but spell them differently, such as 3.10 and 3.1, since these may be version numbers. They are then
// compared as strings. Columns whose names or values show a measured quantity remain numbers, since the prices 12.50
// and 12.5 are the same. It returns tables without such columns unchanged.
func AsWritten(gold, pred *Table) (g, p *Table) {
	if gold == nil || pred == nil {
		return gold, pred
	}
	var golds, preds []int
	for i := range gold.Columns {
		a := &gold.Columns[i]
		if a.Halt().Check(); a.Written == NotWritten {
			continue
		}
		for j := range pred.Columns {
			b := &pred.Columns[j]
			if b.Written == NotWritten || a.Written == b.Written || !sameNumbers(a, b) || measured(a, b) {
				continue
			}
			golds, preds = append(golds, i), append(preds, j)
		}
	}
	return gold.texts(golds), pred.texts(preds)
}

// sameNumbers reports whether two columns hold the same numbers, each the same number of times, in any order.
func sameNumbers(a, b *Column) bool {
	if a.n != b.n {
		return false
	}
	sum := func(c *Column) (sum uint64) {
		for i := range c.n {
			if !c.IsNull(i) {
				bits := math.Float64bits(c.float(i))
				sum += (bits ^ bits>>29) * 0x9e3779b97f4a7c15
			}
		}
		return sum
	}
	return sum(a) == sum(b)
}

// float returns value i of a column of numbers as a double, rounded if necessary.
func (c *Column) float(i int) float64 {
	if c.Type == Float64 {
		return c.floats[i]
	}
	f, _ := strconv.ParseFloat(c.Value(i).String(), 64)
	return f
}

// codeWords are words in names of columns of codes, such as version numbers. measureWords are words in names of
// columns of measured, counted or computed quantities.
var (
	codeWords = strings.Fields("version ver release build revision rev code sku edition firmware model patch tag chapter section clause article paragraph standard rfc icd cwe isbn")

	measureWords = strings.Fields("revenue sale amount price cost average avg mean total sum balance income profit salary wage spend spent spending budget value fee margin deviation std stddev variance median min max minimum maximum" +
		" weight mass distance duration length width height depth area size volume temperature temp speed pressure power energy time second minute hour day week month year" +
		" rate ratio share percent percentage pct proportion fraction probability score rating grade gpa points discount tax vat freight shipping tip quantity qty density growth change gdp inflation index yield return interest premium payment paid" +
		" usd eur gbp dollar euro pound lat lon latitude longitude altitude elevation")
)

// measured reports whether names or values indicate that two columns of the same numbers are measurements, not codes.
// A part of a code is a small number without a leading zero or a sign.
func measured(a, b *Column) bool {
	for _, c := range []*Column{a, b} {
		if nameHas(c, codeWords) {
			return false
		}
	}
	if nameHas(a, measureWords) || nameHas(b, measureWords) {
		return true
	}
	if a.Written != WrittenPadded {
		a = b
	}
	for i := range a.n {
		if a.IsNull(i) {
			continue
		}
		whole, fraction, _ := strings.Cut(a.written(i), ".")
		if whole[0] == '-' || len(whole) > 3 || len(fraction) > 2 ||
			fraction != "" && fraction[0] == '0' && strings.Trim(fraction, "0") != "" || fraction > "30" {
			return true
		}
	}
	return false
}

func nameHas(c *Column, words []string) bool {
	return slices.ContainsFunc(naming.Words(c.Name),
		func(w string) bool { return slices.Contains(words, w) || slices.Contains(words, naming.Stem(w)) })
}

// written returns number i in the spelling of its column: with Scale decimal digits if it is padded, else without
// trailing zeros.
func (c *Column) written(i int) string {
	digits := -1
	if c.Written == WrittenPadded {
		digits = int(c.Scale)
	}
	if c.Type == Float64 {
		return strconv.FormatFloat(c.floats[i], 'f', digits, 64)
	}
	text := c.Value(i).String()
	if digits < 0 && strings.Contains(text, ".") {
		text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// texts returns a copy of the table in which the columns with these indexes hold strings. If a column would exceed 4
// GiB, it returns the table unchanged.
func (t *Table) texts(columns []int) *Table {
	if len(columns) == 0 {
		return t
	}
	out := *t
	out.Columns = slices.Clone(t.Columns)
	for _, i := range columns {
		c := &t.Columns[i]
		b := NewBuilder(c.Name, String, c.n)
		for r := range c.n {
			if c.IsNull(r) {
				b.AppendNull()
			} else if b.AppendText(String, []byte(c.written(r))) != nil {
				return t // more than 4 GiB
			}
		}
		out.Columns[i] = b.Column()
	}
	return &out
}
