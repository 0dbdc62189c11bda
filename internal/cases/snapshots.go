package cases

import (
	"context"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/resultfile"
	"github.com/badger-eval/badger/scoring"
)

// Snapshots resolves the references of results: file:PATH from disk, everything else from the
// warehouse.
type Snapshots struct {
	Files     *resultfile.Snapshots  // nil: no files
	Warehouse scoring.SnapshotReader // nil: no warehouse
}

// Allow permits file: references of a warehouse's cases in the given directories. References of a case file are
// relative to the file.
func (s *Snapshots) Allow(directories []string) {
	if s.Files == nil && len(directories) > 0 {
		s.Files = &resultfile.Snapshots{Options: resultfile.Options{Roots: directories}}
	}
}

// ReadSnapshot resolves one reference.
func (s Snapshots) ReadSnapshot(ctx context.Context, ref string) (*scoring.Table, error) {
	const file = "file:"
	// kinds are read in any case, as those of warehouses are
	if len(ref) >= len(file) && strings.EqualFold(ref[:len(file)], file) {
		ref = file + ref[len(file):]
		if s.Files == nil {
			return nil, errcode.New(errcode.PermissionDenied, "file: references are not allowed here: list the directories that they may lie in under results.files of the configuration (--config)")
		}
		return s.Files.ReadSnapshot(ctx, ref)
	}
	if s.Warehouse == nil {
		return nil, errcode.New(errcode.FailedPrecondition, "there is no warehouse here to resolve a %s reference",
			ref[:strings.IndexByte(ref+":", ':')])
	}
	return s.Warehouse.ReadSnapshot(ctx, ref)
}
