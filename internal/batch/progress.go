package batch

import (
	"sync/atomic"
	"time"

	"github.com/badger-eval/badger/scoring"
)

// Progress is the progress of a run. Counts are of cases whose scores are stored.
type Progress struct {
	Total   int64 // number of cases in the source; 0 if unknown
	Done    int64 // cases scored in this call
	Failed  int64 // cases of Done with a failed score
	Unread  int64 // cases of Done and Skipped that could not be read
	Skipped int64 // cases whose scores were stored before
	Scores  int64 // scores stored in this call

	Rate    float64       // cases per second in the last half minute
	Elapsed time.Duration // since the start of this call
	ETA     time.Duration // estimated time left at that rate; negative if unknown
}

// meter measures the progress of a run. Only the storing goroutine uses it, except for the atomic fields.
type meter struct {
	now     func() time.Time
	start   time.Time
	total   atomic.Int64
	skipped atomic.Int64
	surplus atomic.Int64 // items of the source beyond the first of their identity

	done, failed, unread, scores int64
	samples                      []sample // in the last half minute, oldest first
}

type sample struct {
	at   time.Time
	done int64
}

// rateWindow is the period over which the rate is measured: long enough for a steady rate, short enough to show a
// judge that becomes slower.
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
