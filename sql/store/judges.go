package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// retiredJudge is the kind of a row that deactivates a judge: it has a version and no source. A later version
// activates the judge again.
const retiredJudge = "retired"

// Judge is a row of judges: a promoted version of a judge file. Rows are never changed.
type Judge struct {
	Name       string
	Version    int
	Kind       string // starlark, expression, prompt, sql or retired
	Source     string // the text of the judge file
	Hash       string // SHA-256 of the text, in hexadecimal
	PromotedAt time.Time
	PromotedBy string
	Tested     string // JSON: the results of its test, or that it was not tested; empty: unknown
}

// WriteJudge promotes a version of a judge. If the version exists with the same text, it is unchanged and
// WriteJudge returns false. If it exists with another text, WriteJudge returns an error (AlreadyExists). It also
// does for a version below the latest or below the one that deactivated the judge (FailedPrecondition): such a
// version would never run.
func (w *Store) WriteJudge(ctx context.Context, j Judge) (written bool, err error) {
	sum := sha256.Sum256([]byte(j.Source))
	if hash := hex.EncodeToString(sum[:]); j.Hash == "" {
		j.Hash = hash
	} else if j.Hash != hash {
		return false, errcode.New(errcode.InvalidArgument, "promoting judge %q: the hash is not that of the text", j.Name)
	}
	if j.Name == "" || j.Version < 1 || (j.Source == "") != (j.Kind == retiredJudge) || j.PromotedAt.IsZero() {
		return false, errcode.New(errcode.InvalidArgument, "promoting a judge: expected name, version from 1, text and time")
	}
	versions, err := w.judges(ctx, j.Name)
	if err != nil {
		return false, err
	}
	if n := len(versions); n > 0 && versions[n-1].Kind == retiredJudge && j.Version <= versions[n-1].Version {
		return false, errcode.New(errcode.FailedPrecondition,
			"judge %q was retired by version %d; increase the version above it to activate the judge", j.Name,
			versions[n-1].Version)
	}
	for _, v := range versions {
		switch {
		case v.Version == j.Version && v.Hash == j.Hash:
			return false, nil
		case v.Version == j.Version:
			return false, errcode.New(errcode.AlreadyExists,
				"judge %q: version %d is already promoted with other content; increase the version", j.Name, j.Version)
		case v.Version > j.Version:
			return false, errcode.New(errcode.FailedPrecondition,
				"judge %q: version %d is already promoted, and the latest version runs; increase the version above it", j.Name,
				v.Version)
		}
	}
	b := newRows("judges")
	defer b.release()
	b.row(j.Name, int64(j.Version), j.Kind, j.Source, j.Hash, j.PromotedAt, j.PromotedBy, j.Tested)
	return true, b.merge(ctx, w)
}

// Judges lists the promoted versions, sorted by name and version. It returns nil if the table does not exist. A text
// whose hash differs from the recorded one is an error (DataLoss).
func (w *Store) Judges(ctx context.Context) ([]Judge, error) {
	all, err := w.judges(ctx)
	if errcode.Of(err) == errcode.NotFound {
		return nil, nil
	}
	return all, err
}

// RetireJudge deactivates a promoted judge and returns the version that records this. For a judge that is inactive
// already, it returns the existing version. A judge that was never promoted is an error (NotFound).
func (w *Store) RetireJudge(ctx context.Context, name, by string, at time.Time) (version int, err error) {
	versions, err := w.judges(ctx, name)
	if err != nil {
		return 0, err
	}
	if len(versions) == 0 {
		all, err := w.NewestJudges(ctx)
		if err != nil {
			return 0, err
		}
		var names []string
		for i := range all {
			names = append(names, all[i].Name)
		}
		return 0, errcode.New(errcode.NotFound, "no judge %.60q is promoted%s", name, scoring.SuggestOrList(name, names))
	}
	last := versions[len(versions)-1]
	if last.Kind == retiredJudge {
		return last.Version, nil
	}
	_, err = w.WriteJudge(ctx,
		Judge{Name: name, Version: last.Version + 1, Kind: retiredJudge, PromotedAt: at, PromotedBy: by})
	return last.Version + 1, err
}

// NewestJudges lists the latest version of each active judge, sorted by name: those that run.
func (w *Store) NewestJudges(ctx context.Context) ([]Judge, error) {
	all, err := w.Judges(ctx)
	var newest []Judge
	for _, j := range all {
		if n := len(newest); n > 0 && newest[n-1].Name == j.Name {
			newest[n-1] = j
		} else {
			newest = append(newest, j)
		}
	}
	return slices.DeleteFunc(newest, func(j Judge) bool { return j.Kind == retiredJudge }), err
}

// judges reads all promoted versions, or those of the judge with the name, if one is given.
func (w *Store) judges(ctx context.Context, name ...any) (out []Judge, err error) {
	for j, err := range Rows(ctx, w, promoted(w.SQL(), name)) {
		if err != nil {
			return nil, err
		}
		if sum := sha256.Sum256([]byte(j.Source)); hex.EncodeToString(sum[:]) != j.Hash {
			return nil, errcode.New(errcode.DataLoss,
				"reading judges: %q version %d was changed after it was promoted", j.Name, j.Version)
		}
		out = append(out, j)
	}
	return out, nil
}

// promoted returns the statement for the versions of promoted judges: all, or those with a name.
func promoted(d driver.Dialect, name []any) Select[Judge] {
	where := ""
	if len(name) > 0 {
		where = " WHERE name = " + d.Param(1)
	}
	return Select[Judge]{
		What: "reading judges",
		Fields: []field[Judge]{
			{SQL: "name", In: func(j *Judge) any { return &j.Name }},
			{SQL: "version", In: func(j *Judge) any { return &j.Version }},
			{SQL: "kind", In: func(j *Judge) any { return &j.Kind }},
			{SQL: "source", In: func(j *Judge) any { return &j.Source }},
			{SQL: "hash", In: func(j *Judge) any { return &j.Hash }},
			{SQL: "promoted_at", In: func(j *Judge) any { return &j.PromotedAt }},
			{SQL: "promoted_by", In: func(j *Judge) any { return &j.PromotedBy }},
			{SQL: "tested", In: func(j *Judge) any { return &j.Tested }},
		},
		From: " FROM badger.judges" + where + " ORDER BY name, version", Args: name,
	}
}
