package cases

import (
	"context"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/resultfile"
	"github.com/badger-eval/badger/scoring"
)

// Snapshots resolves the references of results: file:PATH from disk, all others in the warehouse.
type Snapshots struct {
	Files     *resultfile.Snapshots  // nil: file references are an error
	Warehouse scoring.SnapshotReader // nil: other references are an error
}

// Allow permits file: references to the given directories if the cases are from a warehouse. It does nothing for a
// case file, whose references are relative to it.
func (s *Snapshots) Allow(directories []string) {
	if s.Files == nil && len(directories) > 0 {
		s.Files = &resultfile.Snapshots{Options: resultfile.Options{Roots: directories}}
	}
}

// ReadSnapshot implements scoring.SnapshotReader.
func (s Snapshots) ReadSnapshot(ctx context.Context, ref string) (*scoring.Table, error) {
	if _, ok := resultfile.PathIn(ref); ok {
		if s.Files == nil {
			return nil, errcode.New(errcode.PermissionDenied, "file: references are not allowed here: list the directories of the files under results.files in the configuration (--config)")
		}
		return s.Files.ReadSnapshot(ctx, ref)
	}
	if s.Warehouse == nil {
		return nil, errcode.New(errcode.FailedPrecondition, "there is no warehouse here to resolve a %s reference",
			ref[:strings.IndexByte(ref+":", ':')])
	}
	return s.Warehouse.ReadSnapshot(ctx, ref)
}
