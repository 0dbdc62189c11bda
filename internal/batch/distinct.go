package batch

import (
	"context"
	"iter"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// Copies are several items of a source that have one identity.
type Copies struct {
	Items  int
	Places []string // of the first few of them; empty where they say no more than the identity
}

// CopyFinder is a source that finds the identities that several of its items have before it is read.
type CopyFinder interface {
	Copies(ctx context.Context) (map[scoring.AnswerID]Copies, error)
}

// FindCopies asks a source for its copies. One that is no [CopyFinder] tells of none.
func FindCopies(ctx context.Context, src Source) (map[scoring.AnswerID]Copies, error) {
	if f, ok := src.(CopyFinder); ok {
		return f.Copies(ctx)
	}
	return nil, nil
}

const placesOfCopies = 3

// ReadCopies finds the copies of a source by reading it without loading its cases.
func ReadCopies(ctx context.Context, src Source) (map[scoring.AnswerID]Copies, error) {
	first, out := map[scoring.AnswerID]string{}, map[scoring.AnswerID]Copies{}
	for item, err := range src.Cases(ctx) {
		if err != nil {
			return nil, err
		}
		place, again := first[item.AnswerID]
		if !again {
			first[item.AnswerID] = item.Place
			continue
		}
		c := out[item.AnswerID]
		if c.Items == 0 {
			c = Copies{1, []string{place}}
		}
		if c.Items++; c.Items <= placesOfCopies {
			c.Places = append(c.Places, item.Place)
		}
		out[item.AnswerID] = c
	}
	return out, nil
}

// Distinct yields the items of a source, one for each identity. Which of several items with one
// identity is the answer nobody can tell, and their order must not decide what passes: they become
// one item, in the place of the first and with its question, that cannot be loaded and says how many
// there are. A copy that [FindCopies] did not tell of ends the source with an error coded
// FailedPrecondition.
func Distinct(ctx context.Context, src Source) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		copies, err := FindCopies(ctx, src)
		if err != nil {
			yield(Item{}, err)
			return
		}
		distinct(ctx, src, copies)(yield)
	}
}

func distinct(ctx context.Context, src Source, copies map[scoring.AnswerID]Copies) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		seen := map[scoring.AnswerID]bool{}
		for item, err := range src.Cases(ctx) {
			if err != nil {
				yield(item, err)
				return
			}
			c, several := copies[item.AnswerID]
			switch {
			case seen[item.AnswerID] && several:
				continue
			case seen[item.AnswerID]:
				yield(Item{}, errcode.New(errcode.FailedPrecondition, "case %q came again at %s, after it was scored; leave one of its rows, and begin a new run", item.CaseID, item.Place)) // nobody could tell in advance
				return
			case several:
				item = unclear(item, c)
			}
			seen[item.AnswerID] = true
			if !yield(item, nil) {
				return
			}
		}
	}
}

// unclear is what several items with one identity become.
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
	return errcode.New(errcode.AlreadyExists, "case %q%s has %d rows%s, expected one; none of them is scored", of.CaseID, whose, c.Items, where)
}
