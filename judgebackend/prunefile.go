package judgebackend

import (
	"github.com/badger-eval/badger/internal/erase"
	"github.com/badger-eval/badger/internal/errcode"
)

// PruneFile erases the assessments of a ledger file for which expired returns true, in place, so that other processes
// may use the file meanwhile: an erased line is a miss. It returns their number; if dry is set, it only counts. If any
// line is not an assessment, the error is InvalidArgument and nothing is erased: the file may not be a ledger.
func PruneFile(path string, dry bool, expired func(*Assessment) bool) (int64, error) {
	parsed := func(line []byte) (a Assessment, ok bool) {
		a, err := readAssessment(line)
		return a, err == nil && a.RequestHash != ""
	}
	foreign, err := erase.Foreign(path, func(line []byte) bool {
		_, ok := parsed(line)
		return ok
	})
	if err != nil {
		return 0, errcode.New(errcode.OfFile(err), "judge ledger: %w", err)
	}
	if foreign > 0 {
		return 0, errcode.New(errcode.InvalidArgument, "judge ledger: line %d of %s is not a judge's reply, "+
			"so nothing is deleted; expected the file of judge.ledger; remove the line if it is damaged", foreign, path)
	}
	n, err := erase.Lines(path, dry, func(line []byte) bool {
		a, ok := parsed(line)
		return !ok || expired(&a)
	})
	if err != nil {
		return n, errcode.New(errcode.OfFile(err), "judge ledger: %w", err)
	}
	return n, nil
}
