package batch

import (
	"context"
	"iter"
	"strconv"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// Distinct yields the items of a source, each with an identity of its own. An answer that came
// before becomes an item that cannot be loaded and says where both are. Its id is made of the
// case's id and its place, so that it has scores of its own, which say the same.
func Distinct(ctx context.Context, src Source) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		places := map[scoring.AnswerID]string{}
		copies := map[scoring.AnswerID]int{} // of those that come several times
		for item, err := range src.Cases(ctx) {
			if err == nil {
				if first, dup := places[item.AnswerID]; dup {
					item = duplicate(item, first, copies, places)
				}
				places[item.AnswerID] = item.Place
			}
			if !yield(item, err) || err != nil {
				return
			}
		}
	}
}

func duplicate(item Item, first string, copies map[scoring.AnswerID]int, places map[scoring.AnswerID]string) Item {
	of := ""
	if whose := item.Of(); whose != "" {
		of = " of " + whose
	}
	err := errcode.New(errcode.AlreadyExists, "case %q%s is there twice, %s and %s; only the first is scored", item.CaseID, of, first, item.Place)
	twin, id := item.AnswerID, item.CaseID+" ("+item.Place+")"
	for item.CaseID = id; ; item.CaseID = id + " #" + strconv.Itoa(copies[twin]+1) { // places of rows in a table are not unique
		copies[twin]++
		if _, taken := places[item.AnswerID]; !taken {
			break
		}
	}
	item.Bytes = 0
	item.Load = func(context.Context) (*scoring.Case, error) { return nil, err }
	return item
}
