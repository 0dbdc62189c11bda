package export

import (
	"context"
	"iter"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// Places is a source of a case file's cases that records their lines as they are read.
type Places struct {
	batch.Source
	path string

	mu sync.Mutex
	at map[scoring.AnswerID]int
}

// Placed returns a source that yields the cases of s, from the file path, and records their lines.
func Placed(s batch.Source, path string) *Places {
	return &Places{Source: s, path: filepath.ToSlash(filepath.Clean(path)), at: map[scoring.AnswerID]int{}}
}

// PlacesIn reads all cases of a file and returns their lines. A line that names no agent, version or batch applies to
// all answers to its question.
func PlacesIn(ctx context.Context, source batch.Source, path string) (*Places, error) {
	p := Placed(source, path)
	for _, err := range p.Cases(ctx) {
		if err != nil {
			return nil, err
		}
	}
	return p, nil
}

// Cases yields the cases of the source and records their lines.
func (p *Places) Cases(ctx context.Context) iter.Seq2[batch.Item, error] {
	return func(yield func(batch.Item, error) bool) {
		for item, err := range p.Source.Cases(ctx) {
			if n, bad := strconv.Atoi(item.Place[strings.LastIndexByte(item.Place, ':')+1:]); err == nil && bad == nil {
				p.mu.Lock()
				p.at[item.AnswerID] = n
				p.mu.Unlock()
			}
			if !yield(item, err) {
				return
			}
		}
	}
}

// Copies returns the cases that several lines of the file contain.
func (p *Places) Copies(ctx context.Context) (map[scoring.AnswerID]batch.Copies, error) {
	return batch.FindCopies(ctx, p.Source)
}

// Count returns the number of cases. The error is Unimplemented if the source does not know it.
func (p *Places) Count(ctx context.Context) (int64, error) {
	if c, ok := p.Source.(batch.Counter); ok {
		return c.Count(ctx)
	}
	return 0, errcode.New(errcode.Unimplemented, "the number of cases of the source is unknown")
}

// take returns the line of an answer, which is then removed, or that of its question, which is kept. It returns the
// zero Place if neither is known.
func (p *Places) take(id scoring.AnswerID) Place {
	if p == nil {
		return Place{}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	n, known := p.at[id]
	if delete(p.at, id); !known {
		n, known = p.at[scoring.AnswerID{CaseID: id.CaseID}]
	}
	if !known {
		return Place{}
	}
	return Place{File: p.path, Line: n}
}
