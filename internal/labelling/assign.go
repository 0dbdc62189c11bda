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

// Next is the result of assigning the next item to an annotator.
type Next struct {
	Item *Item // nil: no item could be assigned
	Busy bool  // answers remain, but other annotators have them open
	Gone bool  // an answer is no longer in the warehouse, so that it cannot be shown
}

// candidates is the number of items that are examined per query.
const candidates = 100

// Next assigns to the annotator me the first item of the queue that needs annotators, that me has neither labelled
// nor skipped, that can be shown and that is not in not. It reserves a place for as long as the annotator renews it,
// so that no more annotators than required get an item. A warehouse without claims (driver.Dialect.NoClaims) reserves
// nothing. A closed queue is an error.
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

// Shown returns the cases whose answer of agent of can be shown, in their order: it must be exactly one row of
// agent_runs. A run over a case file has no such rows, and among several rows it is unknown which is the answer.
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

// Open reserves a place for an annotator, or renews it, if one is free. Reservations only affect which items Next
// assigns to others.
func (s *Store) Open(ctx context.Context, q *Queue, item *Item, me string) error {
	held, err := s.leases(ctx, q)
	if err != nil {
		return err
	}
	_, err = s.take(ctx, q, item, me, held[item.Position])
	return err
}

// places are the reserved places of an item: the owner by the number of the place.
type places map[int64]string

func (p places) others(me string) (names []string) {
	for _, owner := range p {
		if owner != ownerOf(me) && !slices.Contains(names, owner) {
			names = append(names, owner)
		}
	}
	return names
}

// of returns the key of the annotator's place, or "" if there is none.
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

// leases returns the reserved places of a queue by position of the item.
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

// take reserves a place of an item for an annotator, or renews the annotator's place, and reports whether it
// succeeded. An item has as many places as it requires annotators; claims in the database decide concurrent attempts.
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

// keep renews the annotator's place with this key. It reports whether the place is still theirs and the item still
// needs their label.
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

// wanted reports whether an item needs the annotator me, who has a place: me has not labelled it, and the others who
// labelled it or have a place are fewer than required. It reads places before labels, and both after the place was
// reserved: an annotator releases a place only after the label is saved, so that each other one is seen.
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

// answered returns the owners of other annotators who labelled an item, and whether me did.
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

// Leave releases the annotator's places of an item.
func (s *Store) Leave(ctx context.Context, q *Queue, item *Item, me string) error {
	keys := make([]string, q.Annotators)
	for place := range keys {
		keys[place] = leaseKey(q, item.Position, int64(place))
	}
	return s.Warehouse.ReleaseClaims(ctx, ownerOf(me), keys...)
}
