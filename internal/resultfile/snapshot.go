package resultfile

import (
	"context"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// Snapshots reads results that cases refer to by file:PATH. It implements [scoring.SnapshotReader].
type Snapshots struct{ Options }

var _ scoring.SnapshotReader = (*Snapshots)(nil)

// ReadSnapshot returns the result in the file that ref, file:PATH, names.
func (s *Snapshots) ReadSnapshot(ctx context.Context, ref string) (*scoring.Table, error) {
	path, ok := strings.CutPrefix(ref, "file:")
	if !ok {
		return nil, errcode.New(errcode.InvalidArgument, "expected a reference file:PATH")
	}
	return Read(ctx, path, &s.Options)
}
