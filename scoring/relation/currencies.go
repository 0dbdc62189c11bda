package relation

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/badger-eval/badger/internal/lazyregexp"
	"github.com/badger-eval/badger/scoring"
)

var currencyKinds = []Kind{{
	Name: "currency_in_text", Display: "Amounts written with a currency code (EUR 5)", Group: ShownOtherwise,
	Class: Presentational, find: currencyInText,
	Meaning: "All other columns agree, and the answer writes gold's numbers as text with the code of a currency, which differs from row to row; a column of both results has the same code in each row. By the law of units such a column stays text, so that its cells differ.",
	Example: "('EUR', 1200), ('SEK', 90.5); ('EUR', '1,200.00 EUR'), ('SEK', '90.50 SEK')",
}}

// amountText matches an amount in digits, with commas between groups of three or without, before or after a code of
// three capitals.
var amountText = lazyregexp.New(
	`^(?:([A-Z]{3}) ?)?(-?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?)(?: ?([A-Z]{3}))?$`)

// amount returns the number and the code of a currency in a text; ok is false if it does not have exactly these.
func amount(text string) (n *big.Rat, code string, ok bool) {
	m := amountText.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil || (m[1] == "") == (m[3] == "") {
		return nil, "", false
	}
	n, ok = new(big.Rat).SetString(strings.ReplaceAll(m[2], ",", ""))
	return n, m[1] + m[3], ok
}

// currencyInText returns a finding if each gold column left to explain is the answer's column with a currency in each
// cell, which another column states row by row; else nil.
func currencyInText(e *evidence) *found {
	s := e.solidPart()
	if s == nil || s.rows == nil || len(s.gold) == 0 || len(s.gold) != len(s.pred) || !s.rows.unique() ||
		!s.rows.sameBag() {
		return nil
	}
	r := &found{}
	var partner []int32
	by := ""
	for _, g := range s.gold {
		p := -1
		for k := range e.a.Columns {
			if c := &e.a.Columns[k]; c.Gold == g {
				p = c.Pred
			}
		}
		if p < 0 && len(s.gold) == 1 {
			p = s.pred[0]
		}
		if p < 0 || !e.gold.Columns[g].Type.Numeric() || e.pred.Columns[p].Type != scoring.String {
			return nil
		}
		if partner == nil {
			partner = s.rows.partners()
		}
		codes := currenciesIn(&e.gold.Columns[g], &e.pred.Columns[p], partner)
		if codes == nil {
			return nil
		}
		if by = e.stating(s.pairs, codes); by == "" {
			return nil
		}
		r.proof.GoldColumns, r.proof.PredColumns = append(r.proof.GoldColumns, g), append(r.proof.PredColumns, p)
	}
	r.text = fmt.Sprintf("All figures agree, but the answer writes %s as text with the currency of %s in each row.",
		named(e.gold, r.proof.GoldColumns), by)
	return r
}

// currenciesIn returns the code of the currency in each cell of the answer's column of strings, by gold row, "" for
// NULL. It returns nil unless the cells are gold's numbers with codes that are not all the same. partner holds the
// answer's row for each gold row.
func currenciesIn(gold, pred *scoring.Column, partner []int32) []string {
	codes := make([]string, len(partner))
	first, several := "", false
	for i, j := range partner {
		if gold.IsNull(i) != pred.IsNull(int(j)) {
			return nil
		}
		if gold.IsNull(i) {
			continue
		}
		n, code, ok := amount(pred.Text(int(j)))
		want, known := new(big.Rat).SetString(gold.Value(i).String())
		if !ok || !known || n.Cmp(want) != 0 {
			return nil
		}
		if first == "" {
			first = code
		}
		codes[i], several = code, several || code != first
	}
	if !several {
		return nil
	}
	return codes
}

// stating returns the name of the first gold column of pairs that has the codes, row by row; "" if there is none.
func (e *evidence) stating(pairs []int, codes []string) string {
	for _, k := range pairs {
		c := &e.gold.Columns[e.a.Columns[k].Gold]
		if c.Type != scoring.String {
			continue
		}
		same := true
		for i, code := range codes {
			same = same && (code == "" || !c.IsNull(i) && strings.EqualFold(strings.TrimSpace(c.Text(i)), code))
		}
		if same {
			return columnName(e.gold, e.a.Columns[k].Gold)
		}
	}
	return ""
}
