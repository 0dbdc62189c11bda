package judgebackend

import (
	"context"
	"sync"
)

// flights lets concurrent callers with the same key share one call. The call is cancelled when the last of its
// callers has given up.
type flights struct {
	mu sync.Mutex
	m  map[string]*flight
}

type flight struct {
	done    chan struct{}
	waiting int
	cancel  context.CancelFunc
	resp    Response
	err     error
}

func newFlights() *flights { return &flights{m: map[string]*flight{}} }

// do calls call once for all concurrent callers with the same key. shared reports whether another caller started the
// call.
func (fs *flights) do(ctx context.Context, key string,
	call func(context.Context) (Response, error)) (resp Response, shared bool, err error) {
	fs.mu.Lock()
	f, shared := fs.m[key]
	if !shared {
		callCtx, cancel := context.WithCancel(context.WithoutCancel(ctx))
		f = &flight{done: make(chan struct{}), cancel: cancel}
		fs.m[key] = f
		go fs.run(callCtx, key, f, call)
	}
	f.waiting++
	fs.mu.Unlock()

	select {
	case <-f.done:
		return f.resp, shared, f.err
	case <-ctx.Done():
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if f.waiting--; f.waiting == 0 {
		f.cancel()
		fs.forget(key, f) // later callers must not join a cancelled call
	}
	return Response{}, shared, ctx.Err()
}

func (fs *flights) run(ctx context.Context, key string, f *flight, call func(context.Context) (Response, error)) {
	defer f.cancel()
	defer close(f.done)
	defer func() {
		if recover() != nil {
			f.resp, f.err = Response{}, &Error{Kind: KindInternal, Detail: "a backend panicked"}
		}
		fs.mu.Lock()
		defer fs.mu.Unlock()
		fs.forget(key, f)
	}()
	f.resp, f.err = call(ctx)
}

// forget removes f unless the key has another flight by now. The caller holds fs.mu.
func (fs *flights) forget(key string, f *flight) {
	if fs.m[key] == f {
		delete(fs.m, key)
	}
}
