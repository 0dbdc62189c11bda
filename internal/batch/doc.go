// Package batch scores what a run has not scored yet.
//
// A [Source] yields the answers of an agent, a [Runner] scores them with a [scoring.Engine], many at a time, and a [Ledger] keeps
// the scores. The ledger is the only record of progress: a stored score is done, and a run that was stopped, killed or crashed
// goes on by leaving out what its ledger holds. There is no checkpoint that could disagree with it.
//
// Memory does not grow with the size of cases or scores: a bounded window of cases is held at a time. What is kept of every case
// is its identity and where it stands, about 150 bytes, so that a case that comes twice is noticed.
package batch
