// Package agreement measures the agreement of verdicts: of a metric with labels by people, of two metrics on the same
// cases, and of several people.
//
// Verdicts are [Vote]s, which may be missing. A metric and the labels form a [Confusion], which defines every
// statistic of agreement. A [Stat] is a fraction, never a percentage; if it is not defined, it gives the reason.
// [Bootstrap] returns the confidence interval of any of them, [Compare] tests whether two metrics differ in it, and
// [CrossValidate] reports a graded metric with a threshold chosen on other cases than those it is reported on.
// [Fleiss] and [Alpha] measure the agreement of several people.
//
// Everything is a pure function: resampling is seeded, and the same counts give the same interval.
package agreement
