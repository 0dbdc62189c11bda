package batch

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/badger-eval/badger/internal/jsonscan"
	"github.com/badger-eval/badger/scoring"
)

// Arrange sorts the lines of the file by the order of the source and, within a case, of metrics (all others after
// them), and keeps only the last line of each key. So a resumed run, even with failed scores computed again, has the
// same bytes as an uninterrupted one. Cases that the source lacks come last. If src is nil, because it cannot be read
// again, the cases stay in the order of their first lines. The new file replaces the old one atomically.
func (s *ScoreFile) Arrange(ctx context.Context, src Source, metrics []*scoring.Metric) error {
	return s.replace(ctx, "arranging the score file", metrics,
		func(write func(scoring.AnswerID) error, order []scoring.AnswerID) error {
			if src != nil {
				for item, err := range Distinct(ctx, src) {
					if err == nil {
						err = write(item.AnswerID)
					}
					if err != nil {
						return err
					}
				}
			}
			return each(order, write)
		})
}

// Remove deletes the lines of the answers. The other lines of each answer are together then. The new file replaces the
// old one atomically.
func (s *ScoreFile) Remove(ctx context.Context, _ string, answers []scoring.AnswerID) error {
	gone := make(map[scoring.AnswerID]bool, len(answers))
	for _, a := range answers {
		gone[a] = true
	}
	untidy := s.untidy
	err := s.replace(ctx, "removing lines of the score file", nil,
		func(write func(scoring.AnswerID) error, order []scoring.AnswerID) error {
			return each(slices.DeleteFunc(order, func(a scoring.AnswerID) bool { return gone[a] }), write)
		})
	s.untidy = untidy
	return err
}

func each(answers []scoring.AnswerID, write func(scoring.AnswerID) error) error {
	for _, a := range answers {
		if err := write(a); err != nil {
			return err
		}
	}
	return nil
}

// replace replaces the file atomically by the answers that choose writes, each with its lines in the order of metrics
// and the last line of each key. An answer that is written again has no lines left. order has all answers of the file
// in the order of their first lines. what describes the work for errors.
func (s *ScoreFile) replace(ctx context.Context, what string, metrics []*scoring.Metric,
	choose func(write func(scoring.AnswerID) error, order []scoring.AnswerID) error) error {
	spans, order, err := s.spans(ctx)
	if err != nil {
		return err
	}
	path, err := filepath.EvalSymlinks(s.path)
	if err != nil {
		return fileError("the score file", err)
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fileError("the score file", err)
	}
	defer os.Remove(tmp.Name()) //nolint:errcheck // gone once it is renamed
	defer tmp.Close()           //nolint:errcheck // closed before it is renamed
	out := bufio.NewWriterSize(tmp, 1<<18)
	if err := choose(func(a scoring.AnswerID) error {
		text, err := s.arranged(spans[a], metrics)
		if err == nil {
			_, err = out.Write(text)
		}
		delete(spans, a)
		return err
	}, order); err != nil {
		return fileError(what, err)
	}
	if info, err := s.f.Stat(); err == nil {
		_ = tmp.Chmod(info.Mode().Perm())
	}
	for _, step := range []func() error{
		out.Flush, tmp.Sync, tmp.Close, s.f.Close,
		func() error { return os.Rename(tmp.Name(), path) },
	} {
		if err := step(); err != nil {
			return fileError(what, err)
		}
	}
	next, err := OpenScoreFile(s.path)
	if err != nil {
		return err
	}
	s.f, s.size, s.untidy = next.f, next.size, false
	return nil
}

// span is a range of bytes with lines of the same answer.
type span struct{ start, end int64 }

// spans returns the ranges of lines of each answer, and the answers in the order of their first lines.
func (s *ScoreFile) spans(ctx context.Context) (map[scoring.AnswerID][]span, []scoring.AnswerID, error) {
	spans := map[scoring.AnswerID][]span{}
	var order []scoring.AnswerID
	at := int64(0)
	known := interned{}
	for l, err := range s.lines(ctx) {
		if err != nil {
			return nil, nil, err
		}
		h, err := s.head(l)
		if err != nil {
			return nil, nil, err
		}
		known.row(&h)
		a := h.AnswerID
		at = l.Offset + int64(l.Length) + 1
		have := spans[a]
		switch n := len(have); {
		case n == 0:
			order = append(order, a)
			fallthrough
		case have[n-1].end != l.Offset:
			spans[a] = append(have, span{l.Offset, at})
		default:
			have[n-1].end = at
		}
	}
	return spans, order, nil
}

// arranged returns the lines of an answer in the order of the metrics, with only the last line of each key.
func (s *ScoreFile) arranged(spans []span, metrics []*scoring.Metric) ([]byte, error) {
	type scoreLine struct {
		key  Key
		rank int
		text []byte
	}
	var all []scoreLine
	known := interned{}
	for _, sp := range spans {
		text := make([]byte, sp.end-sp.start)
		if _, err := io.ReadFull(io.NewSectionReader(s.f, sp.start, sp.end-sp.start), text); err != nil {
			return nil, err
		}
		for text := range bytes.Lines(text) {
			h, err := s.head(jsonscan.Line{Text: text})
			if err != nil {
				return nil, err
			}
			known.row(&h)
			next := scoreLine{key: KeyOf(&h), rank: len(metrics), text: text}
			if i := slices.IndexFunc(metrics,
				func(m *scoring.Metric) bool { return m.Name == h.Score.Metric && m.Version == h.Score.Version }); i >= 0 {
				next.rank = i
			}
			if i := slices.IndexFunc(all, func(have scoreLine) bool { return have.key == next.key }); i >= 0 {
				all[i].text = text
			} else {
				all = append(all, next)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b scoreLine) int { return cmp.Compare(a.rank, b.rank) })
	var out []byte
	for i := range all {
		out = append(out, all[i].text...)
	}
	return out, nil
}
