package databricks

import (
	"bytes"
	"context"

	"github.com/badger-eval/badger/connectors/databricks/internal/workspace"
)

// files downloads the files of a result in order, several concurrently ahead of the one that is read.
type files struct {
	from    *workspace.Client
	lz4     bool
	refresh workspace.Refresh

	pending []workspace.Link
	started []*download
}

type download struct {
	link   workspace.Link
	cancel context.CancelFunc
	done   chan struct{}
	body   []byte
	err    error
}

func (f *files) add(l workspace.Link) { f.pending = append(f.pending, l) }
func (f *files) waiting() bool        { return len(f.pending)+len(f.started) > 0 }

func (f *files) close() {
	for _, d := range f.started {
		d.cancel()
	}
	f.started, f.pending = nil, nil
}

// begin starts downloads until the maximum number of concurrent ones is reached.
func (f *files) begin(ctx context.Context) {
	for len(f.started) < workspace.Downloads && len(f.pending) > 0 {
		f.started = append(f.started, f.download(ctx, f.pending[0]))
		f.pending = f.pending[1:]
	}
}

// next returns the rows of the next file.
func (f *files) next(ctx context.Context) (*part, error) {
	f.begin(ctx)
	d := f.started[0]
	f.started = f.started[1:]
	defer d.cancel()
	select {
	case <-d.done:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if d.err != nil {
		return nil, d.err
	}
	return &part{stream: workspace.Unpacked(bytes.NewReader(d.body), f.lz4), rows: d.link.Rows}, nil
}

func (f *files) download(ctx context.Context, l workspace.Link) *download {
	ctx, cancel := context.WithCancel(ctx)
	d := &download{link: l, cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(d.done)
		d.body, d.err = f.from.Download(ctx, l, f.refresh)
	}()
	return d
}
