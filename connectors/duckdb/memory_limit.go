package duckdb

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/badger-eval/badger/internal/account"
	"github.com/badger-eval/badger/internal/errcode"
)

// memoryLimiter limits the memory of an engine that is queried rarely: its cache of the file, and the working memory of
// queries. A SELECT that needs more runs again with a higher limit, and other statements use that from the start. The
// low limit is set again before the next query or after lowerAfter: usually several statements follow each other, and
// setting the limits takes longer than most.
type memoryLimiter struct {
	mu     sync.Mutex
	usual  string // the higher limit: the engine's default, or Options.MostBytes
	more   int64  // usual minus memoryLimit in bytes, if usual is from MostBytes; else 0
	beyond int    // number of running statements that use the higher limit
	lifted bool
	later  *time.Timer // sets the low limit; nil until a statement has finished
	closed bool
}

// lowerAfter is the time after which the low limit is set if no statement follows.
const lowerAfter = 100 * time.Millisecond

// memoryLimit is the low limit. With 6 million scores it suffices for nearly all queries of the web pages. The engine
// uses about 10 to 35 MB more, which it does not account for.
const (
	memoryLimit      = "40MB"
	memoryLimitBytes = 40_000_000
)

// limitMemory sets a low memory limit, which is raised for large queries up to MostBytes, unless Options.MemoryLimit is
// set. In both cases the engine then returns unused memory to the system immediately, and has one thread by default.
func (c *Conn) limitMemory(ctx context.Context, o *Options) error {
	usual, err := c.QueryText(ctx, "SELECT current_setting('memory_limit')")
	if err != nil {
		return err
	}
	set := []string{"SET GLOBAL allocator_flush_threshold = '1MB'",
		"SET GLOBAL allocator_bulk_deallocation_flush_threshold = '1MB'", "SET GLOBAL allocator_background_threads = true"}
	if o.TempDir == "" { // the directory of the file may not be writable
		set = append(set, "SET GLOBAL temp_directory = "+Dialect.Literal(ownTempDir()))
	}
	if o.Threads == 0 { // each thread uses memory
		set = append(set, "SET GLOBAL threads = 1")
	}
	c.setup = append(c.setup, set...)
	if err := c.Exec(ctx, strings.Join(set, "; ")); err != nil || o.MemoryLimit != "" {
		return err
	}
	c.setup = append(c.setup, limited(memoryLimit))
	c.limiter = &memoryLimiter{usual: usual}
	if o.MostBytes > 0 {
		most := max(o.MostBytes, 2*memoryLimitBytes)
		c.limiter.usual, c.limiter.more = strconv.FormatInt(most/1000, 10)+"KB", most-memoryLimitBytes
	}
	return c.limit(ctx, memoryLimit)
}

func limited(size string) string { return "SET GLOBAL memory_limit = " + Dialect.Literal(size) }

func (c *Conn) limit(ctx context.Context, size string) error { return c.exec(ctx, limited(size), nil) }

// sparingly runs a query, and if the low limit is exceeded, runs it again with the higher one.
func (c *Conn) sparingly(ctx context.Context, sql string, args []any, done func()) (array.RecordReader, error) {
	c.bind(ctx)
	r, err := c.query(ctx, sql, args, done)
	// only a single SELECT, which changes nothing, may be repeated
	if errcode.Of(err) != errcode.ResourceExhausted || !strings.HasPrefix(sql, "SELECT ") || strings.Contains(sql, ";") {
		return r, err
	}
	if err := c.lift(ctx); err != nil {
		return nil, err
	}
	if r, err = c.query(ctx, sql, args, func() {
		c.lower()
		done()
	}); err != nil {
		c.lower()
	}
	return r, err
}

// lift raises the memory limit until lower. The difference is charged to the account of ctx, if it has one.
func (c *Conn) lift(ctx context.Context) error {
	s := c.limiter
	ctx, reading := account.Begin(ctx)
	if err := reading.Take(ctx, s.more); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.lifted {
		if err := c.limit(ctx, s.usual); err != nil {
			return err
		}
		s.lifted = true
	}
	s.beyond++
	return nil
}

// lower ends the use of the higher limit by one statement. The low one is set soon.
func (c *Conn) lower() {
	s := c.limiter
	s.mu.Lock()
	defer s.mu.Unlock()
	s.beyond--
	switch {
	case s.beyond > 0 || s.closed:
	case s.later == nil:
		s.later = time.AfterFunc(lowerAfter, func() { c.bind(context.Background()) })
	default:
		s.later.Reset(lowerAfter)
	}
}

// endLimit sets the low limit for other connections of the instance. A timer that runs afterwards does nothing, and one
// that runs now has finished: the file is free when its last connection has closed.
func (c *Conn) endLimit() {
	c.bind(context.Background())
	s := c.limiter
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.later != nil {
		s.later.Stop()
	}
}

// bind sets the low limit again if no running statement uses the higher one. The engine rejects that while it cannot
// free the memory; then the next query tries again.
func (c *Conn) bind(ctx context.Context) {
	s := c.limiter
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lifted && s.beyond == 0 && !s.closed {
		s.lifted = c.limit(ctx, memoryLimit) != nil
	}
}
