package judgebackend

// OfOneJudge reports whether a failure of this kind concerns the judge that was asked, so that another judge may
// still reply. It is false for the budget, the ledger, a caller that gave up, bugs, and for "".
func OfOneJudge(k Kind) bool {
	switch k {
	case "", KindInternal, KindCancelled, KindBudget, KindStore, KindEgress:
		return false
	}
	return true
}

// HasReply reports whether a failure of this kind comes with a reply that cannot be used. It was paid for and is
// recorded, so that the same failure follows from the record.
func HasReply(k Kind) bool {
	switch k {
	case KindOversized, KindRefused, KindLength, KindBadReply:
		return true
	}
	return false
}
