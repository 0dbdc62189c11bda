//go:build !no_duckdb && !no_postgres

package labelling_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/badger-eval/badger/internal/labelling"
	"github.com/badger-eval/badger/internal/sample"
)

// room is what a bystander sees of several people who label one queue at the same time.
type room struct {
	sync.Mutex
	t     *testing.T
	clock *clock
	queue *labelling.Queue
	acked map[string]labelling.Label      // labels of which somebody was told that they are saved, by id
	has   map[string]map[string]time.Time // by case and person: how long they have the case at least
	said  map[string]map[string]bool      // by case and person: they answered
	past  map[string]map[string]bool      // by person and case: what they must not be given
}

func (r *room) mark(of map[string]map[string]bool, a, b string, v bool) {
	if of[a] == nil {
		of[a] = map[string]bool{}
	}
	of[a][b] = v
}

// others are who else has a case or answered it. The room is locked.
func (r *room) others(who, caseID string) map[string]bool {
	others := map[string]bool{}
	for person, until := range r.has[caseID] {
		if person != who && r.clock.now().Before(until) {
			others[person] = true
		}
	}
	for person, said := range r.said[caseID] {
		if person != who && said {
			others[person] = true
		}
	}
	return others
}

// before is what holds before a call that gives somebody a case.
type before struct {
	began  time.Time
	behind map[string]bool            // cases that they are through with
	others map[string]map[string]bool // of each case, who else has or answered it
}

func (r *room) before(who string) before {
	b := before{r.clock.now(), map[string]bool{}, map[string]map[string]bool{}}
	r.Lock()
	defer r.Unlock()
	for id := range r.past[who] {
		b.behind[id] = true
	}
	for id := range r.has {
		b.others[id] = r.others(who, id)
	}
	for id := range r.said {
		b.others[id] = r.others(who, id)
	}
	return b
}

// given notes that somebody is given a case. Others count who had or answered it before the call and
// still do: a label may be sent without a lease at any moment.
func (r *room) given(who, caseID string, b before) {
	r.Lock()
	defer r.Unlock()
	if b.behind[caseID] {
		r.t.Errorf("%s is given %s again", who, caseID)
	}
	others := r.others(who, caseID)
	for person := range others {
		if !b.others[caseID][person] {
			delete(others, person)
		}
	}
	if int64(len(others)) >= r.queue.Annotators {
		r.t.Errorf("%s is given %s, which %d others have or answered", who, caseID, len(others))
	}
	if r.has[caseID] == nil {
		r.has[caseID] = map[string]time.Time{}
	}
	r.has[caseID][who] = b.began.Add(labelling.DefaultLease)
}

// person labels with random steps, and is cut off at random moments.
func (r *room) person(who string, stores []*labelling.Store, seed uint64, steps int) {
	lot := rand.New(rand.NewPCG(seed, 1))
	caseID := "" // before them
	for step := range steps {
		s := stores[lot.IntN(len(stores))] // whichever server answers
		ctx, cancel := context.WithCancel(context.Background())
		if lot.IntN(4) == 0 { // killed in the middle of what follows
			time.AfterFunc(time.Duration(lot.IntN(3000))*time.Microsecond, cancel)
		}
		switch what := lot.IntN(10); {
		case what == 0:
			r.clock.pass(time.Duration(lot.IntN(8)) * time.Minute)
		case what == 1:
			caseID = "" // walks away
		case caseID == "" || what == 2:
			b := r.before(who)
			if got, err := s.Next(ctx, r.queue, who); err == nil && got.Item != nil {
				caseID = got.Item.CaseID
				r.given(who, caseID, b)
			}
		case what == 3:
			began := r.clock.now()
			item, err := s.Item(ctx, r.queue, who, caseID)
			if err == nil && s.Open(ctx, r.queue, item, who) == nil {
				r.Lock()
				if until := r.has[caseID][who]; r.clock.now().Before(until) { // it was theirs all along
					r.has[caseID][who] = began.Add(labelling.DefaultLease)
				}
				r.Unlock()
			}
		default:
			l := say(r.queue, fmt.Sprintf("%s-%d", who, step), who, caseID, []string{"pass", "fail", "unsure", "skip"}[lot.IntN(4)])
			r.Lock()
			delete(r.has[caseID], who) // returned at some moment from now on
			r.Unlock()
			for range 50 { // until it is acknowledged, as a browser does
				var wg sync.WaitGroup
				saved := make([]bool, 1+lot.IntN(2)) // sometimes sent twice at once
				for i := range saved {
					wg.Go(func() {
						got, err := stores[i%len(stores)].Save(ctx, r.queue, l)
						saved[i] = err == nil
						if err == nil {
							r.Lock()
							r.acked[l.ID] = got
							r.Unlock()
						}
					})
				}
				wg.Wait()
				if saved[0] || saved[len(saved)-1] {
					r.Lock()
					r.mark(r.past, who, caseID, true)
					r.mark(r.said, caseID, who, l.Verdict != labelling.Skip)
					r.Unlock()
					break
				}
				cancel()
				ctx, cancel = context.WithCancel(context.Background())
			}
			caseID = ""
		}
		cancel()
	}
}

// However the steps of several people interleave, and wherever they are cut off: every label of which
// somebody was told that it is saved is there once, nobody is given a case that they answered or
// skipped, and no more people than the queue asks for are given a case. One of the rounds, or
// where tests are thorough all.
func TestInterleaving(t *testing.T) {
	const rounds = 6
	for round := range rounds {
		if !sample.Takes(round, rounds, rounds) {
			continue
		}
		for _, annotators := range []int{1, 2} {
			onEngines(t, 2, func(t *testing.T, c *clock, of []*labelling.Store) {
				const cases = 12
				q := queue(t, of[0], cases, labelling.Plan{Annotators: annotators})
				r := &room{
					t: t, clock: c, queue: q, acked: map[string]labelling.Label{}, has: map[string]map[string]time.Time{}, said: map[string]map[string]bool{}, past: map[string]map[string]bool{},
				}
				people := []string{"kim", "lee", "mo"}[:annotators+1]
				var wg sync.WaitGroup
				for i, who := range people {
					wg.Go(func() { r.person(who, of, uint64(100*round+i), 40) })
				}
				wg.Wait()
				rows := map[string]int{}
				for _, l := range logged(t, of[0]) {
					rows[l.ID]++
					if is, acked := r.acked[l.ID]; acked && is != l {
						t.Errorf("acknowledged is %+v, there is %+v", is, l)
					}
				}
				for id := range r.acked {
					if rows[id] != 1 {
						t.Errorf("the label %s, which was acknowledged, is there %d times", id, rows[id])
					}
				}
				if len(r.acked) == 0 {
					t.Error("nobody labelled anything")
				}
				// When all leases have ended, those who are left finish what they are given: nothing stays behind
				// but what everybody passed over.
				c.pass(2 * labelling.DefaultLease)
				for _, who := range people {
					for n := 0; ; n++ {
						caseID := next(t, of[0], q, who)
						if caseID == "" {
							break
						}
						if n > cases {
							t.Fatalf("%s is given more cases than there are", who)
						}
						save(t, of[0], q, say(q, fmt.Sprintf("last-%s-%d", who, n), who, caseID, "pass"))
					}
				}
				for _, who := range people {
					if p, err := of[0].Progress(t.Context(), q, who); err != nil || p.MyLeft != 0 {
						t.Errorf("%s: %+v, %v", who, p, err)
					}
				}
			})
		}
	}
}
