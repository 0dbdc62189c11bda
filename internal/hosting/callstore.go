package hosting

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/sql/store"
	"github.com/badger-eval/badger/udf"
)

// CallTable is the table of stored calls; [store.Store] implements it.
type CallTable interface {
	WriteCalls(ctx context.Context, calls ...store.Call) error
	Calls(ctx context.Context, ids ...string) ([]store.Call, error)
	AnswerCall(ctx context.Context, id, reply string) error
	ForgetCalls(ctx context.Context, before time.Time) error
}

// CallStore is a [udf.CallStore] in a table of a warehouse. Requests and replies are compressed, because warehouses
// limit the size of a value.
type CallStore struct {
	table CallTable
	now   func() time.Time

	mu    sync.Mutex
	swept time.Time
}

// NewCallStore returns a store in the table t. now is the clock by which calls expire.
func NewCallStore(t CallTable, now func() time.Time) *CallStore {
	return &CallStore{table: t, now: now}
}

const (
	together   = 500         // maximum calls in one statement
	sweepEvery = time.Hour   // interval at which expired calls are deleted
	mostBytes  = 64 << 20    // limit of a decompressed request or reply
	slack      = time.Minute // maximum difference between clocks
)

// Keep implements udf.CallStore. It does not overwrite a call that has a reply.
func (s *CallStore) Keep(ctx context.Context, calls []udf.KeptCall) error {
	s.sweep(ctx)
	for some := range slices.Chunk(calls, together) {
		ids := make([]string, len(some))
		for i := range some {
			ids[i] = some[i].ID
		}
		there, err := s.table.Calls(ctx, ids...)
		if err != nil {
			return err
		}
		replied := map[string]bool{}
		for i := range there {
			replied[there[i].ID] = there[i].Reply != ""
		}
		var rows []store.Call
		for i := range some {
			if c := &some[i]; !replied[c.ID] {
				rows = append(rows,
					store.Call{ID: c.ID, ContentHash: c.Hash, Function: c.Function, Request: pack(c.Request), Expires: c.Expires})
			}
		}
		if err := s.table.WriteCalls(ctx, rows...); err != nil {
			return err
		}
	}
	return nil
}

// Find implements udf.CallStore.
func (s *CallStore) Find(ctx context.Context, ids []string) (out []udf.KeptCall, err error) {
	for some := range slices.Chunk(ids, together) {
		rows, err := s.table.Calls(ctx, some...)
		if err != nil {
			return nil, err
		}
		for i := range rows {
			r := &rows[i]
			if r.Expires.Add(slack).Before(s.now()) {
				continue
			}
			c := udf.KeptCall{ID: r.ID, Hash: r.ContentHash, Function: r.Function, Expires: r.Expires}
			if c.Request, err = unpack(r.Request); err != nil {
				return nil, err
			}
			if r.Reply != "" {
				if c.Reply, err = unpack(r.Reply); err != nil {
					return nil, err
				}
			}
			out = append(out, c)
		}
	}
	return out, nil
}

// Answer implements udf.CallStore.
func (s *CallStore) Answer(ctx context.Context, id string, reply []byte) error {
	return s.table.AnswerCall(ctx, id, pack(reply))
}

// sweep deletes expired calls if sweepEvery has passed since the last time.
func (s *CallStore) sweep(ctx context.Context) {
	now := s.now()
	s.mu.Lock()
	due := now.Sub(s.swept) > sweepEvery
	if due {
		s.swept = now
	}
	s.mu.Unlock()
	if due {
		_ = s.table.ForgetCalls(ctx, now.Add(-slack)) // tried again in an hour
	}
}

func pack(b []byte) string {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write(b)
	_ = w.Close()
	return base64.StdEncoding.EncodeToString(out.Bytes())
}

func unpack(text string) ([]byte, error) {
	damaged := errcode.New(errcode.DataLoss, "a call that was kept is damaged")
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, damaged
	}
	r, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		return nil, damaged
	}
	out, err := io.ReadAll(io.LimitReader(r, mostBytes+1))
	if err != nil || len(out) > mostBytes {
		return nil, damaged
	}
	return out, nil
}
