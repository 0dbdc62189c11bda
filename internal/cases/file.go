// Package cases is where the cases of a run come from: a file or the tables of a warehouse, and
// the results that cases refer to.
package cases

import (
	"context"
	"iter"
	"maps"
	"os"
	"path/filepath"

	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/resultfile"
	"github.com/badger-eval/badger/scoring"
)

// file returns the cases of a file in JSON Lines that match a pattern, and the results that they refer to, relative
// to the file. The error for a file that does not exist begins with what, such as the flag that names it.
func file(what, path string, of scoring.AnswerID) (batch.Source, Snapshots, error) {
	file := batch.FileSource{Path: path}
	if _, err := os.Stat(path); err != nil {
		return nil, Snapshots{}, errcode.Usage("%sthere is no file %q", what, filepath.Base(path))
	}
	snaps := Snapshots{Files: &resultfile.Snapshots{Options: resultfile.Options{Dir: file.Dir()}}}
	if of != (scoring.AnswerID{}) {
		return chosenCases{file, of}, snaps, nil
	}
	return file, snaps, nil
}

// chosenCases are a file's cases of one agent, version or batch. A line that cannot be parsed at all is kept, so
// that it is reported.
type chosenCases struct {
	file batch.FileSource
	of   scoring.AnswerID
}

// Cases yields the chosen ones.
func (s chosenCases) Cases(ctx context.Context) iter.Seq2[batch.Item, error] {
	return func(yield func(batch.Item, error) bool) {
		for item, err := range s.file.Cases(ctx) {
			unread := item.AnswerID == scoring.AnswerID{CaseID: item.Place}
			if err == nil && !unread && !item.Matches(s.of) {
				continue
			}
			if !yield(item, err) {
				return
			}
		}
	}
}

// Copies finds the chosen cases that several lines give.
func (s chosenCases) Copies(ctx context.Context) (map[scoring.AnswerID]batch.Copies, error) {
	all, err := s.file.Copies(ctx)
	maps.DeleteFunc(all, func(a scoring.AnswerID, _ batch.Copies) bool { return !a.Matches(s.of) })
	return all, err
}
