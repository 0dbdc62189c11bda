package batch

import (
	"context"
	"iter"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// distinct yields the items of a source, each with an identity of its own: an answer that came before becomes an item of another id,
// made of the case's id and its place, that cannot be loaded and says where both stand.
func distinct(ctx context.Context, src Source) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		places := map[Answer]string{}
		for item, err := range src.Cases(ctx) {
			if err == nil {
				if first, dup := places[item.Answer]; dup {
					item = duplicate(item, first)
				} else {
					places[item.Answer] = item.Place
				}
			}
			if !yield(item, err) || err != nil {
				return
			}
		}
	}
}

func duplicate(item Item, first string) Item {
	of := ""
	if item.Agent != "" || item.AgentVersion != "" {
		of = " of agent " + item.Agent + " " + item.AgentVersion
	}
	err := errcode.New(errcode.AlreadyExists, "case %q%s is there twice, %s and %s; only the first is scored", item.CaseID, of, first, item.Place)
	item.CaseID += " (" + item.Place + ")"
	item.Bytes = 0
	item.Load = func(context.Context) (*scoring.Case, error) { return nil, err }
	return item
}
