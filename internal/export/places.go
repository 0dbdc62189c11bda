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

// Places are the lines of a case file on which the cases stand that are being scored.
type Places struct {
	batch.Source
	path string

	mu sync.Mutex
	at map[scoring.AnswerID]int
}

// Placed is a source of a file's cases that takes note of their lines.
func Placed(s batch.Source, path string) *Places {
	return &Places{Source: s, path: filepath.ToSlash(filepath.Clean(path)), at: map[scoring.AnswerID]int{}}
}

// PlacesIn returns the lines of all cases of a file. If a line names no agent, version or batch, only the case
// counts.
func PlacesIn(ctx context.Context, source batch.Source, path string) (*Places, error) {
	p := Placed(source, path)
	for _, err := range p.Cases(ctx) {
		if err != nil {
			return nil, err
		}
	}
	return p, nil
}

// Cases yields the cases of the source.
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

// Copies finds the cases that several lines give.
func (p *Places) Copies(ctx context.Context) (map[scoring.AnswerID]batch.Copies, error) {
	return batch.FindCopies(ctx, p.Source)
}

// Count is the number of cases.
func (p *Places) Count(ctx context.Context) (int64, error) {
	if c, ok := p.Source.(batch.Counter); ok {
		return c.Count(ctx)
	}
	return 0, errcode.New(errcode.Unimplemented, "the number of cases of the source is unknown")
}

// take is the line of a case, which is forgotten, or that of its question, which stays; the zero value
// if neither is known.
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
