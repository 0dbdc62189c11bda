// Package batch scores what a run has not scored yet.
//
// A [Source] yields the answers of an agent. A [Runner] scores them concurrently with a [scoring.Engine]. A [Ledger]
// stores the scores and is the only record of progress. A run that was interrupted continues by skipping the scores
// in its ledger. There is no separate checkpoint that could contradict the ledger.
//
// Only a limited number of cases is in memory at a time. For every case of the source, the run stores about 150 bytes
// to recognize duplicates.
package batch
