package batch

import (
	"context"
	"hash/maphash"
	"iter"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// Copies describes several items of a source with the same identity.
type Copies struct {
	Items  int
	Places []string // of the first few items; empty if places add nothing to the identity
}

// copyFinder is a source that can find its duplicate identities before it is read.
type copyFinder interface {
	Copies(ctx context.Context) (map[scoring.AnswerID]Copies, error)
}

// FindCopies returns the duplicates of a source by identity, or nil if it is not a [copyFinder].
func FindCopies(ctx context.Context, src Source) (map[scoring.AnswerID]Copies, error) {
	if f, ok := src.(copyFinder); ok {
		return f.Copies(ctx)
	}
	return nil, nil
}

const placesOfCopies = 3

// ReadCopies finds the duplicates of a source by reading it without loading cases: once, and again if there are any.
func ReadCopies(ctx context.Context, src Source) (map[scoring.AnswerID]Copies, error) {
	seen, out := newIdentities(), map[scoring.AnswerID]Copies{}
	for item, err := range src.Cases(ctx) {
		if err != nil {
			return nil, err
		}
		if !seen.add(item.AnswerID) {
			out[item.AnswerID] = Copies{}
		}
	}
	if len(out) == 0 {
		return out, nil
	}
	for item, err := range src.Cases(ctx) {
		if err != nil {
			return nil, err
		}
		if c, is := out[item.AnswerID]; is {
			if c.Items++; c.Items <= placesOfCopies {
				c.Places = append(c.Places, item.Place)
			}
			out[item.AnswerID] = c
		}
	}
	return out, nil
}

// identities is a set of identities. It stores hashes of 128 bits, which take a quarter of the memory. The
// probability of a collision among a million is below 1 in 10^26.
type identities struct {
	seeds  [2]maphash.Seed
	hashes map[[2]uint64]struct{}
}

func newIdentities() identities {
	return identities{[2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}, map[[2]uint64]struct{}{}}
}

// add adds an identity and reports whether it is new.
func (s *identities) add(of scoring.AnswerID) bool {
	n := len(s.hashes)
	s.hashes[s.hash(of)] = struct{}{}
	return len(s.hashes) > n
}

func (s *identities) has(of scoring.AnswerID) bool {
	_, is := s.hashes[s.hash(of)]
	return is
}

func (s *identities) hash(of scoring.AnswerID) [2]uint64 {
	return [2]uint64{maphash.Comparable(s.seeds[0], of), maphash.Comparable(s.seeds[1], of)}
}

// Distinct yields the items of a source, one for each identity. Several items with the same identity become one that
// cannot be loaded, at the position of the first and with its question, because it is unknown which one is the
// answer. An item whose names cannot be stored in every warehouse becomes one that cannot be loaded, named by its
// place. A duplicate that [FindCopies] did not report ends the source with a FailedPrecondition error.
func Distinct(ctx context.Context, src Source) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		copies, err := FindCopies(ctx, src)
		if err != nil {
			yield(Item{}, err)
			return
		}
		seen := newIdentities()
		distinct(ctx, src, copies, &seen)(yield)
	}
}

// distinct is [Distinct] with the duplicates of the source. It adds the identities of the source to seen.
func distinct(ctx context.Context, src Source, copies map[scoring.AnswerID]Copies,
	seen *identities) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		for item, err := range src.Cases(ctx) {
			if err != nil {
				yield(item, err)
				return
			}
			c, several := copies[item.AnswerID]
			switch first := seen.add(item.AnswerID); {
			case !first && several:
				continue
			case !first:
				// found only now, because the source is read once
				yield(Item{},
					errcode.New(errcode.FailedPrecondition,
						"duplicate case %.200q at %s, already scored; remove one of its rows and start a new run", item.CaseID,
						item.Place))
				return
			case several:
				item = unclear(item, c)
			}
			if item = kept(item); item.CaseID == item.Place {
				seen.add(item.AnswerID)
			}
			if !yield(item, nil) {
				return
			}
		}
	}
}

// unclear returns the item, which cannot be loaded, that replaces several items with the same identity.
func unclear(item Item, c Copies) Item {
	err := severalRows(item.AnswerID, c)
	item.Bytes = 0
	item.Load = func(context.Context) (*scoring.Case, error) { return nil, err }
	return item
}

func severalRows(of scoring.AnswerID, c Copies) error {
	whose, where := "", ""
	if of := of.Of(); of != "" {
		whose = " of " + of
	}
	if len(c.Places) > 0 {
		where = " (" + strings.Join(c.Places, ", ")
		if len(c.Places) < c.Items {
			where += ", …"
		}
		where += ")"
	}
	return errcode.New(errcode.AlreadyExists, "case %.200q%s has %d rows%s, expected one; none of them is scored",
		of.CaseID, whose, c.Items, where)
}
