package execution

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/badger-eval/badger/internal/erase"
	"github.com/badger-eval/badger/internal/errcode"
)

// Pruned is the number of records and results that [Prune] deleted.
type Pruned struct{ Records, Results int64 }

// Prune deletes the records of a directory of results for which expired returns true, and the results that no other
// record names. If a line of the index is not a record, the error is InvalidArgument and nothing is deleted.
//
// orphans is the time before which results without any record, and unfinished
// files, are deleted too; zero: none. If dry is set, it only counts. Results are deleted before their records, so that
// the next call completes an interrupted one. No run may use the directory meanwhile.
func Prune(dir string, dry bool, orphans time.Time, expired func(*Record) bool) (n Pruned, err error) {
	index := filepath.Join(dir, indexName)
	old, kept := map[string]bool{}, map[string]bool{}
	gone := func(line []byte) bool {
		r, whole := recordOf(line)
		return !whole || expired(&r)
	}
	foreign, err := erase.Foreign(index, func(line []byte) bool {
		_, whole := recordOf(line)
		return whole
	})
	if err != nil {
		return n, fileError(err)
	}
	if foreign > 0 {
		return n, errcode.New(errcode.InvalidArgument, "results: line %d of %s is not a record of a result, "+
			"so nothing is deleted; expected the directory of execute.snapshots; remove the line if it is damaged",
			foreign, index)
	}
	if _, err := erase.Lines(index, true, func(line []byte) bool {
		if r, whole := recordOf(line); whole && !expired(&r) {
			kept[r.Snapshot] = true
		} else {
			old[r.Snapshot] = true
		}
		return false
	}); err != nil {
		return n, fileError(err)
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		return n, fileError(err)
	}
	for _, f := range files {
		hash, is := strings.CutSuffix(f.Name(), ".json")
		switch {
		case is && isHash.MatchString(hash) && kept[hash]:
			continue
		case is && isHash.MatchString(hash) && old[hash]:
		case (is && isHash.MatchString(hash) || strings.HasPrefix(f.Name(), newFile)) && before(f, orphans):
		default:
			continue
		}
		n.Results++
		if dry {
			continue
		}
		if err := os.Remove(filepath.Join(dir, f.Name())); err != nil {
			return n, fileError(err)
		}
	}
	if n.Records, err = erase.Lines(index, dry, gone); err != nil {
		return n, fileError(err)
	}
	return n, nil
}

// before reports whether a file was last written before a time.
func before(f fs.DirEntry, at time.Time) bool {
	info, err := f.Info()
	return err == nil && info.ModTime().Before(at)
}
