// Package cell compares two results cell by cell under a given alignment: stage 2 of the BADGER paper's hybrid execution
// accuracy (section 5.2, Algorithm 2). It takes no context and returns no error, asks nobody and reads no clock: the same
// tables and alignment give the same counts.
//
// Every cell becomes a 64-bit key such that cells are equal exactly when their keys are; rows are then compared by keys.
// Numbers keep every digit on the way to their key: 1, 1.0 and 1.00 share one, and 2^63-1 and 2^63-2 do not. Doubles stand for
// the shortest decimal that reads back as them. Only where an alignment allows a difference (rounding, tolerance) are numbers compared by magnitude.
//
// Rows are matched by their content, never by their position: equal ones first, then so that as many cells as possible are equal, up to
// a documented size (see matcher). [Paper] is the algorithm as the paper prints it, which goes by the order of rows.
package cell
