package store

import (
	"context"
	"hash/maphash"
	"iter"
	"slices"
	"time"

	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/scoring"
)

// ScoreWriter writes the scores of one run. It stores which answers have scores in the run: scores of other answers
// cannot conflict with existing rows, and are added if the connection can ([driver.Adder]). Other scores are merged;
// after another client has written scores of the run, all are. Calls must not overlap.
type ScoreWriter struct {
	w               *Store
	run, configHash string
	seed            maphash.Seed
	seen            map[uint64]struct{} // hashes of answers with scores; an answer whose hash collides is merged
	mark            driver.Mark
}

// ScoreWriter returns a writer for the scores of a run. It only adds scores after Held has been read to its end.
func (w *Store) ScoreWriter(runID, configHash string) *ScoreWriter {
	return &ScoreWriter{
		w: w, run: runID, configHash: configHash, seed: maphash.MakeSeed(), seen: map[uint64]struct{}{},
		mark: driver.Mark{Column: "eval_run_id", Value: runID, Table: -1},
	}
}

// Held streams the existing scores of the run, like [Store.Scores].
func (s *ScoreWriter) Held(ctx context.Context) iter.Seq2[scoring.Row, error] {
	return func(yield func(scoring.Row, error) bool) {
		n := int64(0)
		for r, err := range s.w.Scores(ctx, s.run) {
			if err == nil {
				n++
				s.seen[s.hash(&r)] = struct{}{}
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
		s.mark.Own, s.mark.Table, s.mark.Alone = n, -1, true
	}
}

// Remove deletes the scores of the answers in the run.
func (s *ScoreWriter) Remove(ctx context.Context, answers []scoring.AnswerID) error {
	of := map[scoring.By][]string{}
	for _, a := range answers {
		of[a.By] = append(of[a.By], a.CaseID)
	}
	for by, cases := range of {
		for some := range slices.Chunk(cases, 500) {
			p := arguments{dialect: s.w.SQL()}
			text := "DELETE FROM badger.scores WHERE eval_run_id = " + p.add(s.run) + " AND agent_name = " + p.add(by.Agent) +
				" AND agent_version = " + p.add(by.Version) + " AND batch_id = " + p.add(by.Batch) + " AND case_id IN (" +
				p.list(some) + ")"
			if err := s.w.decide(ctx, "deleting rows of scores", text, p.args); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *ScoreWriter) hash(r *scoring.Row) uint64 { return maphash.Comparable(s.seed, r.AnswerID) }

// Write writes scores. They replace those of the same answer and metric. Either all are written, or none and an error
// is returned.
func (s *ScoreWriter) Write(ctx context.Context, at time.Time, rows []scoring.Row) error {
	b, err := scoreRows(s.run, s.configHash, at, rows)
	if err != nil {
		return err
	}
	defer b.release()
	again := s.again(rows)
	return b.write(ctx, s.w, func(conn driver.Conn, r array.RecordReader) error {
		to, ok := conn.(driver.Adder)
		if !ok {
			_, err := conn.Merge(ctx, b.table.FullName(), b.table.Key, r)
			return err
		}
		_, err := to.Add(ctx, b.table.FullName(), b.table.Key, r, again, &s.mark)
		return err
	})
}

// again reports whether some of the rows may have the same key as an existing row or as each other. The rows of an
// answer must be consecutive.
func (s *ScoreWriter) again(rows []scoring.Row) (again bool) {
	for i, first := 0, 0; i < len(rows); i++ {
		if i == 0 || rows[i].AnswerID != rows[i-1].AnswerID {
			first = i
			h := s.hash(&rows[i])
			if _, is := s.seen[h]; is {
				again = true
			}
			s.seen[h] = struct{}{}
		}
		for j := first; j < i && !again; j++ {
			again = rows[j].Score.Metric == rows[i].Score.Metric
		}
	}
	return again
}
