package labelling

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// Next is the next item for an annotator.
type Next struct {
	Item *Item // nil: nothing
	Busy bool  // answers are left that others have before them at this moment
	Gone bool  // the remaining answers are no longer in the warehouse, so that they cannot be shown
}

// candidates is how many answers of a queue are examined in one go.
const candidates = 100

// Next gives an annotator the first answer of a queue that they have neither answered nor skipped,
// that wants annotators, that can be shown, and that is none of not. It is kept for them while they renew it: then no
// more people than the queue asks for are given an answer. If the warehouse cannot decide who
// comes first (driver.Dialect.NoClaims), nothing is kept.
func (s *Store) Next(ctx context.Context, q *Queue, me string, not ...string) (Next, error) {
	if !q.ClosedAt.IsZero() {
		return Next{}, errcode.New(errcode.FailedPrecondition, "queue %s: it was closed", q.ID)
	}
	for try := 0; ; try++ {
		next, yielded, err := s.next(ctx, q, me, not)
		if err != nil || next.Item != nil || !yielded || try == 3 {
			return next, err
		}
		select { // two who gave way to each other
		case <-time.After(time.Duration(1+rand.IntN(20<<try)) * time.Millisecond): //nolint:gosec // a pause
		case <-ctx.Done():
			return next, ctx.Err()
		}
	}
}

func (s *Store) next(ctx context.Context, q *Queue, me string, not []string) (next Next, yielded bool, err error) {
	held, err := s.leases(ctx, q)
	if err != nil {
		return next, false, err
	}
	for from := int64(1); ; {
		items, err := s.Warehouse.QueueItems(ctx,
			store.ItemFilter{Queue: q.ID, Me: me, From: from, Open: q.Annotators, Limit: candidates})
		if err != nil || len(items) == 0 {
			return next, yielded, err
		}
		shown, err := s.Shown(ctx, q.Answer(""), casesOf(items))
		if err != nil {
			return next, yielded, err
		}
		for i := range items {
			item := &items[i]
			from = item.Position + 1
			if slices.Contains(not, item.CaseID) {
				continue
			}
			if !slices.Contains(shown, item.CaseID) {
				next.Gone = true
				continue
			}
			if item.Done+int64(len(held[item.Position].others(me))) >= q.Annotators {
				next.Busy = true
				continue
			}
			given, err := s.take(ctx, q, item, me, held[item.Position])
			if err != nil {
				return next, yielded, err
			}
			if given {
				next.Item = item
				return next, false, nil
			}
			yielded, next.Busy = true, true
		}
	}
}

func casesOf(items []Item) []string {
	out := make([]string, len(items))
	for i := range items {
		out[i] = items[i].CaseID
	}
	return out
}

// Shown returns the cases whose answer of an agent is visible to people, in their order: the answer is one row of
// agent_runs. A run over a file leaves only scores, and among several rows the answer is ambiguous.
func (s *Store) Shown(ctx context.Context, of scoring.AnswerID, cases []string) ([]string, error) {
	there, err := s.Warehouse.Answered(ctx, of, cases)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, id := range cases {
		if there[id] == 1 {
			out = append(out, id)
		}
	}
	return out, nil
}

// Open reserves an answer for an annotator if it has a free place. It also extends a lease. It affects only what
// other annotators are assigned.
func (s *Store) Open(ctx context.Context, q *Queue, item *Item, me string) error {
	held, err := s.leases(ctx, q)
	if err != nil {
		return err
	}
	_, err = s.take(ctx, q, item, me, held[item.Position])
	return err
}

// places are the leases of an answer: owner by place.
type places map[int64]string

func (p places) others(me string) (names []string) {
	for _, owner := range p {
		if owner != ownerOf(me) && !slices.Contains(names, owner) {
			names = append(names, owner)
		}
	}
	return names
}

// of returns the key of an annotator's place, "" if none.
func (p places) of(q *Queue, item *Item, me string) string {
	for _, place := range slices.Sorted(maps.Keys(p)) {
		if p[place] == ownerOf(me) {
			return leaseKey(q, item.Position, place)
		}
	}
	return ""
}

func ownerOf(annotator string) string { return "label:" + annotator }

func leasePrefix(q *Queue) string { return "label:" + q.ID + ":" }

func leaseKey(q *Queue, position, place int64) string {
	return leasePrefix(q) + strconv.FormatInt(position, 10) + ":" + strconv.FormatInt(place, 10)
}

// leases are the places that are taken, by position.
func (s *Store) leases(ctx context.Context, q *Queue) (map[int64]places, error) {
	rows, err := s.Warehouse.Leases(ctx, leasePrefix(q), s.now())
	held := map[int64]places{}
	for _, l := range rows {
		position, place, _ := strings.Cut(strings.TrimPrefix(l.Key, leasePrefix(q)), ":")
		at, err := strconv.ParseInt(position, 10, 64)
		if err != nil {
			continue
		}
		n, err := strconv.ParseInt(place, 10, 64)
		if err != nil {
			continue
		}
		if held[at] == nil {
			held[at] = places{}
		}
		held[at][n] = l.Owner
	}
	return held, err
}

// take takes a place of an answer, or makes the one that the annotator has last longer. An answer has
// as many places as it wants annotators, and the database decides who gets a place.
func (s *Store) take(ctx context.Context, q *Queue, item *Item, me string, held places) (bool, error) {
	if key := held.of(q, item, me); key != "" {
		kept, err := s.keep(ctx, q, item, me, key)
		if kept || err != nil {
			return kept, err
		}
		return false, s.Warehouse.ReleaseClaims(ctx, ownerOf(me), key)
	}
	for place := range q.Annotators {
		if _, taken := held[place]; taken {
			continue
		}
		got, err := s.Warehouse.Claim(ctx, ownerOf(me), s.now(), s.until(), leaseKey(q, item.Position, place))
		if err != nil {
			return false, err
		}
		if len(got) == 1 {
			wanted, err := s.wanted(ctx, q, item, me)
			if err != nil || wanted {
				return wanted, err
			}
			return false, s.Warehouse.ReleaseClaims(ctx, ownerOf(me), got[0])
		}
	}
	return false, nil
}

// keep extends the annotator's place. Others who take a place at the same time and find that the answer needs no
// more people return it, so only submitted answers count.
func (s *Store) keep(ctx context.Context, q *Queue, item *Item, me, key string) (bool, error) {
	if err := s.Warehouse.RenewLeases(ctx, ownerOf(me), s.until(), key); err != nil {
		return false, err
	}
	held, err := s.leases(ctx, q)
	if err != nil || held[item.Position].of(q, item, me) != key { // it had expired, and another annotator claimed the item
		return false, err
	}
	answered, mine, err := s.answered(ctx, q, item, me)
	return err == nil && !mine && int64(len(answered)) < q.Annotators, err
}

// wanted reports whether an answer needs this annotator, who holds a place: they have not answered it, and fewer
// annotators have answered or hold a place than it needs. The places and labels of others are read after the place
// is taken, and in this order: an annotator who answered before that has returned their place, so a free place
// alone does not mean that the answer needs another annotator.
func (s *Store) wanted(ctx context.Context, q *Queue, item *Item, me string) (bool, error) {
	held, err := s.leases(ctx, q)
	if err != nil {
		return false, err
	}
	answered, mine, err := s.answered(ctx, q, item, me)
	if err != nil || mine {
		return false, err
	}
	others := held[item.Position].others(me)
	for _, owner := range answered {
		if !slices.Contains(others, owner) {
			others = append(others, owner)
		}
	}
	return int64(len(others)) < q.Annotators, nil
}

// answered are the other owners who answered an item, and whether the annotator did.
func (s *Store) answered(ctx context.Context, q *Queue, item *Item, me string) (others []string, mine bool, err error) {
	of := q.Answer(item.CaseID)
	labels, err := s.Warehouse.LoggedLabels(ctx, store.LabelFilter{
		Queue: q.ID, Cases: []string{of.CaseID}, By: of.By, OfAnswer: true, Newest: true,
	}, 0)
	for i := range labels {
		switch l := &labels[i]; {
		case !answered(l.Verdict) || l.Decides:
		case l.Annotator == me:
			mine = true
		case !slices.Contains(others, ownerOf(l.Annotator)):
			others = append(others, ownerOf(l.Annotator))
		}
	}
	return others, mine, err
}

// Leave returns an answer to the queue.
func (s *Store) Leave(ctx context.Context, q *Queue, item *Item, me string) error {
	keys := make([]string, q.Annotators)
	for place := range keys {
		keys[place] = leaseKey(q, item.Position, int64(place))
	}
	return s.Warehouse.ReleaseClaims(ctx, ownerOf(me), keys...)
}
