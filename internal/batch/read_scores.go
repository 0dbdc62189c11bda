package batch

import (
	"context"
	"encoding/json"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/jsonscan"
	"github.com/badger-eval/badger/scoring"
)

// FileRow is a row of a score file with its line number, from 1.
type FileRow struct {
	scoring.Row
	Line int
}

// isCase reports whether a line is a case of a case file: it has a gold answer, an agent or a question, and no score.
func isCase(line []byte) bool {
	var keys map[string]json.RawMessage
	if json.Unmarshal(line, &keys) != nil || keys["metric"] != nil || keys["status"] != nil {
		return false
	}
	return slices.ContainsFunc([]string{"gold", "agent", "question", "gold_sql"},
		func(key string) bool { return keys[key] != nil })
}

// ReadScores yields the scores of a file in its order, with their evidence. A line that is not a score is an error,
// also a truncated last line of a killed process. It does not change the file.
func ReadScores(ctx context.Context, path string) iter.Seq2[FileRow, error] {
	return func(yield func(FileRow, error) bool) {
		f, err := os.Open(path)
		if err != nil {
			yield(FileRow{}, fileError("the score file", err))
			return
		}
		defer f.Close()
		for l, err := range jsonscan.Lines(f, defaultMaxLine) {
			r := FileRow{Line: l.Number}
			switch {
			case err != nil:
				err = fileError("the score file", err)
			case ctx.Err() != nil:
				err = ctx.Err()
			case l.Text == nil && l.Length > 0:
				err = errcode.New(errcode.DataLoss, "%s:%d: expected a score: the line has %d bytes, expected at most %d",
					filepath.Base(path), l.Number, l.Length, defaultMaxLine)
			default:
				if err = json.Unmarshal(l.Text, &r.Row); err != nil && isCase(l.Text) {
					err = errcode.New(errcode.DataLoss, "%s:%d: expected a score, as badger run --scores writes them, found a case",
						filepath.Base(path), l.Number)
				} else if err != nil {
					err = errcode.New(errcode.DataLoss, "%s:%d: expected a score: %w", filepath.Base(path), l.Number,
						jsonscan.Explain(err))
				}
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}
