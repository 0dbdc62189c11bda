// Package cell compares two results cell by cell under a given alignment. This is stage 2 of hybrid
// execution accuracy in the BADGER paper (section 5.2, Algorithm 2). The package takes no context,
// returns no error, makes no calls and reads no clock: the same tables and alignment give the same
// counts.
//
// Every cell has a 64-bit key. Cells are equal exactly if their keys are equal, and rows are compared by keys. Keys
// of numbers use every digit: 1, 1.0 and 1.00 have the same key, and 2^63-1 and 2^63-2 have different ones. A
// double is equal to the shortest decimal that parses to the same double. Numbers are compared by magnitude only if
// an alignment allows a difference (rounding, tolerance).
//
// Rows are matched by their content, never by their position. Equal rows are matched first, then
// the others so that as many cells as possible are equal, up to a documented size (see matcher).
// [Paper] is the algorithm as the paper prints it, which depends on the order of rows.
package cell
