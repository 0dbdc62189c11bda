// Package batch scores what a run has not scored yet.
//
// A [Source] yields the answers of an agent. A [Runner] scores many of them concurrently with a
// [scoring.Engine]. A [Ledger] stores the scores. The ledger is the only record of progress: a
// stored score is done. A run that was stopped, killed or crashed continues by skipping what its
// ledger holds. There is no checkpoint that could contradict it.
//
// Memory does not grow with the size of cases or scores, because only a bounded window of cases is
// held at a time. For every case the run keeps its identity and state, about 150 bytes, to
// recognize duplicates.
package batch
