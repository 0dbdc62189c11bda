package batch

import (
	"sync/atomic"
	"time"

	"github.com/badger-eval/badger/scoring"
)

// Progress says how far a run is. Counts are of cases whose scores are stored.
type Progress struct {
	Total   int64 // cases of the source; 0 if not known (yet)
	Done    int64 // scored in this call
	Failed  int64 // of those, cases with a failed score
	Unread  int64 // of those, cases that could not be read
	Skipped int64 // scored before
	Scores  int64 // scores stored in this call

	Rate    float64       // cases a second, over the last half minute
	Elapsed time.Duration // since the beginning of this call
	ETA     time.Duration // until the end at that rate; negative if unknown
}

// meter measures the progress of a run. It is used by the goroutine that stores, but for total,
// skipped and surplus.
type meter struct {
	now     func() time.Time
	start   time.Time
	total   atomic.Int64
	skipped atomic.Int64
	surplus atomic.Int64 // items of the source that share the identity of another

	done, failed, unread, scores int64
	samples                      []sample // of the last half minute, oldest first
}

type sample struct {
	at   time.Time
	done int64
}

// rateWindow is the time over which the rate is measured: long enough to be steady, short enough to
// follow a judge that slows down.
const rateWindow = 30 * time.Second

func (m *meter) stored(rows []scoring.Row) {
	m.done++
	m.scores += int64(len(rows))
	for i := range rows {
		if rows[i].Score.Status == scoring.StatusFailed {
			m.failed++
			return
		}
	}
}

func (m *meter) progress() Progress {
	now := m.now()
	p := Progress{Total: max(m.total.Load()-m.surplus.Load(), 0), Done: m.done, Failed: m.failed, Unread: m.unread,
		Skipped: m.skipped.Load(), Scores: m.scores, Elapsed: now.Sub(m.start), ETA: -1}
	if len(m.samples) == 0 {
		m.samples = append(m.samples, sample{m.start, 0})
	}
	if last := m.samples[len(m.samples)-1]; now.Sub(last.at) >= time.Second {
		m.samples = append(m.samples, sample{now, m.done})
	}
	for len(m.samples) > 1 && now.Sub(m.samples[1].at) >= rateWindow {
		m.samples = m.samples[1:]
	}
	from := m.samples[0]
	if d := now.Sub(from.at).Seconds(); d > 0 {
		p.Rate = float64(p.Done-from.done) / d
	}
	if left := p.Total - p.Done - p.Skipped; p.Total > 0 && left <= 0 {
		p.ETA = 0
	} else if p.Total > 0 && p.Rate > 0 {
		p.ETA = time.Duration(float64(left) / p.Rate * float64(time.Second)).Round(time.Second)
	}
	return p
}
