package relation

import (
	"slices"

	"github.com/badger-eval/badger/scoring/naming"
)

var owedKinds = []Kind{
	{
		Name: "owed", Display: "Amounts owed with the other sign", Group: ShownOtherwise,
		Class: Presentational, find: owed,
		Meaning: "All other columns agree and each measure that does not is gold's with the other sign in every row, where one side is never above 0 and the name of the other says that it counts what is owed, lost or paid.", Example: "(negative) = (-3), (-2); (debt) = (3), (2)",
	},
}

// owingWords are words in names of amounts that are shown as positive numbers although they are negative in a balance.
var owingWords = wordSet("debt debts debit debits owed owing loss losses deficit deficits overdraft overdrafts liability liabilities outflow outflows expense expenses cost costs shortfall shortfalls refund refunds refunded withdrawal withdrawals payout payouts arrears writeoff writeoffs decrease reduction decline discount deduction deductions penalty spend spending")

// balanceWords are words in names of amounts that may be negative or positive; a negative one is owed.
var balanceWords = wordSet("balance balances negative negatives net amount amounts result cashflow change delta profit profits income saldo value sum total")

func owed(e *evidence) *found {
	pairs := e.explained(func(g, p float64) bool { return g == -p }, 1)
	if pairs == nil || slices.ContainsFunc(pairs, func(m measurePair) bool { return !e.owes(&m) }) {
		return nil
	}
	return e.measureFound(pairs, "gold's with the other sign, as the name of what is owed has it")
}

func (e *evidence) owes(m *measurePair) bool {
	if naming.Read(e.gold.Columns[m.gold].Name).Reversed(naming.Read(e.pred.Columns[m.pred].Name)) {
		return false // that is more specific
	}
	below, above := naming.Words(e.gold.Columns[m.gold].Name), naming.Words(e.pred.Columns[m.pred].Name)
	least := m.g
	if slices.ContainsFunc(m.g, func(f float64) bool { return f > 0 }) {
		below, above, least = above, below, m.p
	}
	return !slices.ContainsFunc(least, func(f float64) bool { return f > 0 }) && anyWord(above, owingWords) &&
		!anyWord(below, owingWords) && anyWord(below, balanceWords)
}
