// Package cases opens the cases of a run, from a file or the tables of a warehouse, and resolves the results that
// cases refer to.
package cases

import (
	"context"
	"iter"
	"maps"
	"os"

	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/resultfile"
	"github.com/badger-eval/badger/scoring"
)

// file opens the cases in a JSON Lines file that match the pattern of, with a resolver of file references relative to
// the file. If the file does not exist, the error starts with what, such as the flag that names it.
func file(what, path string, of scoring.AnswerID) (batch.Source, Snapshots, error) {
	file := batch.FileSource{Path: path}
	switch info, err := os.Stat(path); {
	case path == "-" && err != nil:
		return nil, Snapshots{}, errcode.Usage(
			"%sfile %q does not exist; cases are read twice, so write standard input to a file first", what, path)
	case err != nil:
		return nil, Snapshots{}, errcode.NoFile(what, path)
	case info.IsDir():
		return nil, Snapshots{}, errcode.Usage("%s%q is a directory, expected a file in JSON Lines", what, path)
	}
	snaps := Snapshots{Files: &resultfile.Snapshots{Options: resultfile.Options{Dir: file.Dir()}}}
	if of != (scoring.AnswerID{}) {
		return chosenCases{file, of}, snaps, nil
	}
	return file, snaps, nil
}

// chosenCases yields the cases of a file that match an agent, a version or a batch. It also yields lines that cannot
// be parsed, so that they are reported.
type chosenCases struct {
	file batch.FileSource
	of   scoring.AnswerID
}

// Cases yields the matching cases.
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

// Copies returns the matching answers that several lines of the file give.
func (s chosenCases) Copies(ctx context.Context) (map[scoring.AnswerID]batch.Copies, error) {
	all, err := s.file.Copies(ctx)
	maps.DeleteFunc(all, func(a scoring.AnswerID, _ batch.Copies) bool { return !a.Matches(s.of) })
	return all, err
}

// ResultFiles returns the files that the cases of the case file at path refer to, each once. It does not look whether
// they exist.
func ResultFiles(ctx context.Context, path string) (files []string, err error) {
	source := batch.FileSource{Path: path}
	snapshots := resultfile.Snapshots{Options: resultfile.Options{Dir: source.Dir()}}
	seen := map[string]bool{}
	for ref, err := range source.References(ctx) {
		if err != nil {
			return nil, err
		}
		if name := snapshots.File(ref); name != "" && !seen[name] {
			seen[name] = true
			files = append(files, name)
		}
	}
	return files, nil
}
