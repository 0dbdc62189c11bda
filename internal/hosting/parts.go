// Package hosting is the part of a server that does not answer calls: it waits for warehouses and files that are
// missing at start, configures the allowed callers and their limits, and applies a changed configuration.
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

// Parts are the warehouses and secret files that badger serve can start without. Each is tried until it is available.
// After that, a failure of the part only affects the calls that need it.
type Parts struct {
	Log        *slog.Logger
	Metrics    *telemetry.Metrics
	Warehouses *connectors.Mux // opens the warehouses
	// EngineBytes is the memory limit of the embedded engine for one query; 0 is the engine's default.
	EngineBytes int64

	all   []*part
	tried chan error // receives each part's error or nil after the first try
	end   context.CancelFunc
	work  sync.WaitGroup

	mu sync.Mutex // guards the fields available and warned of the parts
}

// part is a warehouse or file that may be missing at start.
type part struct {
	key       string // its key in the configuration
	local     bool   // it is a file, so that Check can try it
	try       func(context.Context) error
	available bool
	warned    bool // the log reports it as missing
}

// Durations of the tries.
const (
	firstTry    = 5 * time.Second // how long Start waits for all parts
	longestTry  = 2 * time.Minute
	firstPause  = time.Second
	longestWait = time.Minute
	lastTry     = 3 * time.Second // how long Stop waits for a try to end
)

// Warehouse adds a warehouse that is connected later. prepare is called after connecting and before other uses, then
// after prepare. The part is available when both have succeeded; either may be nil.
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

// File adds a file with a secret. It is available if it can be read and is not empty; its users read it themselves.
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

// Start starts to try all parts. It waits until each was tried once, firstTry has passed, or enough is closed. It
// returns the error of a part whose configuration is invalid, because no later try would succeed.
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

// Stop stops the tries, and waits up to lastTry until they have ended.
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

// Missing returns the keys of the parts that are not available.
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

// tryFor calls f with a context that is cancelled after d. If f succeeds, the context remains valid, because clients
// that f creates may keep it.
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

// Check writes, as comments, the warehouses that it does not connect to, and why files are not available.
func (p *Parts) Check(ctx context.Context, w io.Writer) {
	for _, part := range p.all {
		if !part.local {
			fmt.Fprintf(w, "# %s is not connected to; badger doctor --deployment does that\n", part.key)
		} else if err := part.try(ctx); err != nil {
			fmt.Fprintf(w, "# %s: %s; the server starts without it\n", part.key, err)
		}
	}
}
