package driverbase_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
)

// steps is a stream of some records and then the end or an error.
type steps struct {
	mem     memory.Allocator
	records int
	err     error
	ends    context.CancelFunc // called before the error
	asked   int
	closed  int
}

func (s *steps) Next(context.Context) (arrow.Record, error) {
	if s.asked++; s.asked > s.records {
		if s.ends != nil {
			s.ends()
		}
		return nil, s.err
	}
	b := array.NewRecordBuilder(s.mem, schema("a"))
	defer b.Release()
	b.Field(0).(*array.StringBuilder).Append("x")
	return b.NewRecord(), nil
}

func (s *steps) Close(context.Context) { s.closed++ }

// What the readers of the five connectors did in different ways.
func TestReader(t *testing.T) {
	broken := errors.New("broken")
	for _, tc := range []struct {
		why     string
		records int
		err     error
		read    int // records that are asked for; -1 is all and two more
		cancel  bool
		want    error
		open    bool // the stream is still open before the release
	}{
		{"the end closes the stream, not only the release", 2, nil, -1, false, nil, false},
		{"no records", 0, nil, -1, false, nil, false},
		{"an error closes it and stays", 2, broken, -1, false, broken, false},
		{"an error of an ended context is the context's", 1, broken, -1, true, context.Canceled, false},
		{"nobody reads on", 2, nil, 1, false, nil, true},
		{"nobody reads", 2, nil, 0, false, nil, true},
	} {
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		ctx, cancel := context.WithCancel(t.Context())
		s := &steps{mem: mem, records: tc.records, err: tc.err}
		if tc.cancel {
			s.ends = cancel
		}
		r := driverbase.NewReader(ctx, schema("a"), s)
		read := 0
		for tc.read < 0 || read < tc.read {
			if !r.Next() {
				break
			}
			if read++; r.Record().NumRows() != 1 {
				t.Errorf("%s: %d rows", tc.why, r.Record().NumRows())
			}
		}
		if tc.read < 0 && (read != tc.records || r.Next() || r.Next() || r.Record() != nil || s.asked != tc.records+1) {
			t.Errorf("%s: %d records, asked %d times", tc.why, read, s.asked)
		}
		if !errors.Is(r.Err(), tc.want) || (r.Err() == nil) != (tc.want == nil) {
			t.Errorf("%s: %v, want %v", tc.why, r.Err(), tc.want)
		}
		if open := s.closed == 0; open != tc.open {
			t.Errorf("%s: closed %d times before the release", tc.why, s.closed)
		}
		r.Release()
		if s.closed != 1 {
			t.Errorf("%s: closed %d times", tc.why, s.closed)
		}
		cancel()
		mem.AssertSize(t, 0)
	}
}

func TestReaderOfAnEndedContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := &steps{mem: memory.NewGoAllocator(), records: 1}
	r := driverbase.NewReader(ctx, schema("a"), s)
	defer r.Release()
	if r.Next() || !errors.Is(r.Err(), context.Canceled) || s.asked != 0 || s.closed != 1 {
		t.Errorf("%v, asked %d times, closed %d times", r.Err(), s.asked, s.closed)
	}
}

// Users on several goroutines close the stream once.
func TestReaderIsReleasedOnce(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	s := &steps{mem: mem, records: 1}
	r := driverbase.NewReader(t.Context(), schema("a"), s)
	r.Next()
	var wg sync.WaitGroup
	for range 100 {
		r.Retain()
		wg.Go(r.Release)
	}
	wg.Wait()
	if s.closed != 0 || r.Record() == nil {
		t.Errorf("closed %d times while somebody reads", s.closed)
	}
	r.Release()
	if s.closed != 1 {
		t.Errorf("closed %d times", s.closed)
	}
	mem.AssertSize(t, 0)
}
