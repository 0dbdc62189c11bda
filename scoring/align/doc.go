// Package align finds how the columns of two results correspond, from the evidence alone: stage 1 of the BADGER paper's hybrid
// execution accuracy (section 5.2) without a model.
//
// It looks at values first and names second. Columns that hold the same multiset of values are recognized by one pass over each
// column; where several columns hold the same values, the rows decide which is which, by refining groups of columns as graph
// isomorphism tests do, so that many columns of few values cost no permutations. What is left is compared pair by pair, down a
// ladder from equality over text that stands for numbers or dates, last-bit noise, rounding, percent for fraction, to a relative
// tolerance; the tightest rung on which all values agree is the comparison of that pair. So a tolerance never hides a difference that the values themselves can show:
// a column of prices that lie within 1 % of each other, shifted by a row, is equal as a multiset without tolerance and is then compared without one.
//
// Where the evidence leaves doubt ([Doubts]), a judge may be asked for a [Proposal], which is checked against the values part by part ([Accept]).
//
// An alignment says how sure it is and why; it does not score. Package cell does that under it.
package align
