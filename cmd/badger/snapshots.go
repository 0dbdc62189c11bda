package main

import (
	"context"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/resultfile"
	"github.com/badger-eval/badger/scoring"
)

// snapshots resolves the references of results: file:PATH from disk, everything else from the
// warehouse.
type snapshots struct {
	files     *resultfile.Snapshots  // nil: no files
	warehouse scoring.SnapshotReader // nil: no warehouse
}

// allow lets file: references of a warehouse's cases lie in the directories of the configuration.
// Those of a case file start from where it is.
func (s *snapshots) allow(c configuration) {
	if s.files == nil && len(c.Results.Files) > 0 {
		s.files = &resultfile.Snapshots{Options: resultfile.Options{Roots: c.Results.Files}}
	}
}

// ReadSnapshot resolves one reference.
func (s snapshots) ReadSnapshot(ctx context.Context, ref string) (*scoring.Table, error) {
	if strings.HasPrefix(ref, "file:") {
		if s.files == nil {
			return nil, errcode.New(errcode.PermissionDenied, "file: references are not allowed here: list the directories that they may lie in under results.files of the configuration (--config)")
		}
		return s.files.ReadSnapshot(ctx, ref)
	}
	if s.warehouse == nil {
		return nil, errcode.New(errcode.FailedPrecondition, "there is no warehouse here to resolve a %s reference", ref[:strings.IndexByte(ref+":", ':')])
	}
	return s.warehouse.ReadSnapshot(ctx, ref)
}
