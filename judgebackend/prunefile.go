package judgebackend

import (
	"github.com/badger-eval/badger/internal/erase"
	"github.com/badger-eval/badger/internal/errcode"
)

// PruneFile erases the assessments of a ledger file for which expired returns true, and damaged lines, in place, so
// that other processes may use the file meanwhile: an erased line is a miss. It returns their number; if dry is set, it
// only counts.
func PruneFile(path string, dry bool, expired func(*Assessment) bool) (int64, error) {
	n, err := erase.Lines(path, dry, func(line []byte) bool {
		a, err := readAssessment(line)
		return err != nil || a.RequestHash == "" || expired(&a)
	})
	if err != nil {
		return n, errcode.New(errcode.OfFile(err), "judge ledger: %w", err)
	}
	return n, nil
}
