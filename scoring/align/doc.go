// Package align maps the columns of two results to each other, from evidence alone. This is stage 1
// of hybrid execution accuracy in the BADGER paper (section 5.2) without a model.
//
// It compares values first and names second. One pass over each column finds columns that hold the same multiset of
// values. If several columns hold the same values, the rows distinguish them: groups of columns are refined as in
// graph isomorphism tests, so many columns with few values need no permutations. The remaining columns are compared
// pair by pair, with a list of comparisons from strict to loose: equality, strings that represent numbers or dates,
// last-bit noise, rounding, percent for fraction, and relative tolerance. A pair gets the tightest comparison under
// which all values agree.
//
// So a tolerance never hides a difference that the values show. Suppose a column of prices within 1
// % of each other is shifted by one row. As a multiset it is equal without tolerance, and it is
// then compared without one.
//
// If the evidence is uncertain ([Doubts]), a judge may make a [Proposal]. [Accept] checks each part
// of the proposal against the values.
//
// An alignment contains its confidence and the reasons. It does not score; package cell does.
package align
