// Package agreement measures how far verdicts agree with one another: those of a metric with the
// labels of people, those of two metrics on the same cases, and those of several people.
//
// Verdicts are [Vote]s, which may be missing. A metric and the labels make a [Confusion], from
// which every statistic of agreement follows as a [Stat]: a fraction, never a percentage, which
// says so where it is not defined, and why. [Bootstrap] gives the confidence interval of any of
// them, [Compare] tests whether two metrics differ in it, and [CrossValidate] reports a graded
// metric with a threshold that was chosen on other cases than those it is reported on. [Fleiss] and
// [Alpha] are for people among themselves.
//
// Everything is a pure function: resampling is seeded, and the same counts give the same interval.
package agreement
