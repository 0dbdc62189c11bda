// Package hosting is the part of a server that does not answer calls: it waits for warehouses and files that become
// available later, knows the allowed callers and their limits, and applies a changed configuration.
package hosting

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"os"
	"sync"
	"time"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/telemetry"
	"github.com/badger-eval/badger/sql/store"
)

// Parts are the warehouses and files that badger serve can start without. Each is tried until it is available;
// after that, a failure concerns only the calls that need it.
type Parts struct {
	Log        *slog.Logger
	Metrics    *telemetry.Metrics
	Warehouses *connectors.Mux // that warehouses are opened by
	// EngineBytes is the memory that the engine of a warehouse in this process may use for one query that needs
	// more than most; 0 is the engine's default.
	EngineBytes int64

	all   []*part
	tried chan error // an error for each part once it was tried for the first time
	end   context.CancelFunc
	work  sync.WaitGroup

	mu sync.Mutex // guards the fields available and warned of the parts
}

// part is one of them.
type part struct {
	key       string // of the configuration
	local     bool   // it is a file: --check looks at it, too
	try       func(context.Context) error
	available bool
	warned    bool // the log reports that it is missing
}

// Times of trying.
const (
	firstTry    = 5 * time.Second // the server waits so long for all parts before it listens
	longestTry  = 2 * time.Minute
	firstPause  = time.Second
	longestWait = time.Minute
	lastTry     = 3 * time.Second // the end waits so long for a try to notice
)

// Warehouse adds a warehouse, which is connected later. prepare is called with it before it is used, then
// afterwards. It is available when both have succeeded; either may be nil.
func (p *Parts) Warehouse(key, url string, only bool, prepare,
	then func(context.Context, *store.Store) error) (*store.Store, error) {
	later, err := p.Warehouses.Later(url,
		driver.Options{ReadOnly: only, Lasting: true, Sparing: true, MostBytes: p.EngineBytes}, key)
	if err != nil {
		return nil, err
	}
	w := store.New(later)
	p.all = append(p.all, &part{key: key, try: func(ctx context.Context) error {
		err := w.Connect(ctx, func(first *connectors.Warehouse) error {
			if prepare == nil {
				return nil
			}
			return prepare(ctx, store.New(first))
		})
		if err != nil || then == nil {
			return err
		}
		return then(ctx, w)
	}})
	return w, nil
}

// File adds a file with a secret, which others read at each use.
func (p *Parts) File(key, path string) {
	p.all = append(p.all, &part{key: key, local: true, try: func(context.Context) error {
		text, err := os.ReadFile(path) //nolint:gosec // the configuration names it
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return errcode.New(errcode.Unauthenticated, "the file does not exist")
		case err != nil:
			return errcode.New(errcode.Unauthenticated, "the file cannot be read")
		case len(bytes.TrimSpace(text)) == 0:
			return errcode.New(errcode.Unauthenticated, "the file is empty")
		}
		return nil
	}})
}

// Start starts to try all parts and waits until each was tried, but not for long and not after enough. It returns
// the error of a part whose configuration is invalid, which no other try would change.
func (p *Parts) Start(ctx context.Context, enough <-chan struct{}) error {
	ctx, p.end = context.WithCancel(ctx)
	p.tried = make(chan error, len(p.all))
	for _, part := range p.all {
		p.Metrics.Missing(part.key, true)
		p.work.Go(func() { p.await(ctx, part) })
	}
	over := time.NewTimer(firstTry)
	defer over.Stop()
	for range p.all {
		select {
		case err := <-p.tried:
			if code := errcode.Of(err); code == errcode.InvalidArgument || code == errcode.Unimplemented {
				return errcode.AsUsage(err)
			}
		case <-enough:
			return nil
		case <-over.C:
			p.mu.Lock()
			defer p.mu.Unlock()
			for _, part := range p.all {
				if !part.available && !part.warned {
					part.warned = true
					p.Log.Warn("missing: no answer yet", slog.String("part", part.key))
				}
			}
			return nil
		}
	}
	return nil
}

// Stop ends the trying.
func (p *Parts) Stop() {
	if p.end == nil {
		return
	}
	p.end()
	ended := make(chan struct{})
	go func() {
		p.work.Wait()
		close(ended)
	}()
	over := time.NewTimer(lastTry)
	defer over.Stop()
	select {
	case <-ended:
	case <-over.C:
	}
}

// Missing are the keys of the parts that do not exist.
func (p *Parts) Missing() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var keys []string
	for _, part := range p.all {
		if !part.available {
			keys = append(keys, part.key)
		}
	}
	return keys
}

// await tries a part until it is available or ctx ends. It logs a missing part once for each reason.
func (p *Parts) await(ctx context.Context, part *part) {
	said := ""
	for n, pause := 0, firstPause; ; n, pause = n+1, min(2*pause, longestWait) {
		err := tryFor(ctx, longestTry, part.try)
		if ctx.Err() != nil {
			return
		}
		if err == nil {
			p.mu.Lock()
			told := part.warned
			part.available = true
			p.mu.Unlock()
			p.Metrics.Missing(part.key, false)
			if told {
				p.Log.Info("there now", slog.String("part", part.key), slog.Int("tries", n+1))
			}
		} else if err.Error() != said {
			said = err.Error()
			p.mu.Lock()
			part.warned = true
			p.mu.Unlock()
			p.Log.Warn("missing: rows that need it fail until it is available", slog.String("part", part.key),
				slog.String("error", said))
		}
		if n == 0 {
			if err != nil {
				err = errcode.New(errcode.Of(err), "%s: %w", part.key, err)
			}
			p.tried <- err
		}
		if err == nil {
			return
		}
		t := time.NewTimer(time.Duration((0.5 + rand.Float64()/2) * float64(pause))) //nolint:gosec // no secret
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return
		}
	}
}

// tryFor calls f with a context that ends after d, unless f has ended by then: clients that f makes
// may keep the context.
func tryFor(ctx context.Context, d time.Duration, f func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	over := time.AfterFunc(d, cancel)
	err := f(ctx)
	switch late := !over.Stop(); {
	case err == nil:
		return nil
	case late:
		err = errcode.New(errcode.DeadlineExceeded, "no answer within %v", d)
	}
	cancel()
	return err
}

// Check writes, as comments, which parts would be connected to, and what is the matter with those on
// this machine.
func (p *Parts) Check(ctx context.Context, w io.Writer) {
	for _, part := range p.all {
		if !part.local {
			fmt.Fprintf(w, "# %s is not connected to; badger doctor --deployment does that\n", part.key)
		} else if err := part.try(ctx); err != nil {
			fmt.Fprintf(w, "# %s: %s; the server starts without it\n", part.key, err)
		}
	}
}
