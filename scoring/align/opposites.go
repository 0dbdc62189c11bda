package align

import "slices"

// opposites are words for the two directions of one measure, the one of which is the other with the
// other sign.
var opposites = inPairs([][2]string{
	{"loss", "profit"}, {"loss", "gain"}, {"losses", "profits"}, {"losses", "gains"}, {"debit", "credit"}, {"deficit", "surplus"}, {"decrease", "increase"}, {"reduction", "increase"},
	{"decline", "growth"}, {"drop", "rise"}, {"fall", "rise"}, {"shrinkage", "growth"}, {"outflow", "inflow"}, {"withdrawal", "deposit"}, {"expense", "income"}, {"west", "east"}, {"south", "north"},
	{"below", "above"}, {"behind", "ahead"}, {"late", "early"}, {"delay", "lead"}, {"depreciation", "appreciation"}, {"shortfall", "excess"}, {"shortfall", "surplus"}, {"down", "up"},
	{"payable", "receivable"}, {"depth", "elevation"}, {"depth", "altitude"}, {"discount", "surcharge"}, {"discount", "markup"},
})

// exclusives are other words of which one says what the other denies. Neither is the other with the
// other sign.
var exclusives = inPairs([][2]string{
	{"active", "inactive"}, {"valid", "invalid"}, {"paid", "unpaid"}, {"enabled", "disabled"}, {"verified", "unverified"}, {"resolved", "unresolved"}, {"read", "unread"},
	{"used", "unused"}, {"success", "failure"}, {"succeeded", "failed"}, {"successful", "failed"}, {"passed", "failed"}, {"present", "absent"}, {"present", "missing"}, {"included", "excluded"},
	{"minimum", "maximum"}, {"win", "loss"}, {"won", "lost"}, {"winner", "loser"}, {"male", "female"}, {"men", "women"}, {"home", "away"}, {"buyer", "seller"}, {"import", "export"},
	{"inbound", "outbound"}, {"arrival", "departure"}, {"sender", "receiver"}, {"upload", "download"},
})

func inPairs(list [][2]string) map[[2]string]bool {
	m := map[[2]string]bool{}
	for _, p := range list {
		a, b := words(p[0])[0], words(p[1])[0]
		m[[2]string{a, b}], m[[2]string{b, a}] = true, true
	}
	return m
}

// Opposite tells whether two names say opposite things, as profit and loss do: the number under one
// name is the number under the other with its sign changed.
func Opposite(a, b string) bool { return contrast(words(a), words(b), opposites) }

// exclude tells whether the words of two names contradict each other, so that the columns cannot
// hold the same thing: they say opposite things, or one denies the other, as active and inactive do.
func exclude(x, y []string) bool { return contrast(x, y, opposites) || contrast(x, y, exclusives) }

// contrast tells whether each of two names has a word that contrasts with one of the other, and no
// name has both.
func contrast(x, y []string, pairs map[[2]string]bool) bool {
	return slices.ContainsFunc(x, func(v string) bool {
		return slices.ContainsFunc(y, func(w string) bool {
			return pairs[[2]string{v, w}] && !slices.Contains(x, w) && !slices.Contains(y, v)
		})
	})
}
