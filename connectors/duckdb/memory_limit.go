package duckdb

import (
	"context"
	"strconv"
	"strings"
	"sync"

	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/badger-eval/badger/internal/account"
	"github.com/badger-eval/badger/internal/errcode"
)

// memoryLimiter limits the memory of an engine that is queried now and then: its cache of the file, and the
// working memory of queries. A query that needs more runs again with the memory that the engine has by
// default, and so do writes. The limit applies again when these have finished.
type memoryLimiter struct {
	mu     sync.Mutex
	usual  string // the limit of what needs more: the engine's own, or Options.MostBytes
	more   int64  // by how much it is larger, where it is MostBytes; else 0
	beyond int    // queries that run with it
	lifted bool
}

// sparingLimit is the bound. With 6 million scores it is enough for nearly all queries of the pages. The engine
// uses some 10 to 35 MB more, which it does not account for.
const (
	memoryLimit      = "40MB"
	memoryLimitBytes = 40_000_000
)

// limitMemory applies the limit. The engine then returns unused memory to the system immediately.
func (c *Conn) limitMemory(ctx context.Context, o *Options) error {
	usual, err := c.QueryText(ctx, "SELECT current_setting('memory_limit')")
	if err != nil {
		return err
	}
	set := []string{"SET GLOBAL allocator_flush_threshold = '1MB'",
		"SET GLOBAL allocator_bulk_deallocation_flush_threshold = '1MB'", "SET GLOBAL allocator_background_threads = true"}
	if o.TempDir == "" { // next to the file may not be writable
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

// sparingly runs a query, and runs it again with more memory where the bound is too low for it.
func (c *Conn) sparingly(ctx context.Context, sql string, args []any, done func()) (array.RecordReader, error) {
	c.bind(ctx)
	r, err := c.query(ctx, sql, args, done)
	// only what changes nothing runs again
	if errcode.Of(err) != errcode.ResourceExhausted || !strings.HasPrefix(sql, "SELECT ") || strings.Contains(sql, ";") {
		return r, err
	}
	if err := c.lift(ctx); err != nil {
		return nil, err
	}
	if r, err = c.query(ctx, sql, args, func() {
		c.lower(ctx)
		done()
	}); err != nil {
		c.lower(ctx)
	}
	return r, err
}

// lift lifts the bound for what needs more, until lower. What the engine may take counts with the call
// that it is for, if there is one whose memory counts.
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

func (c *Conn) lower(ctx context.Context) {
	c.limiter.mu.Lock()
	c.limiter.beyond--
	c.limiter.mu.Unlock()
	c.bind(context.WithoutCancel(ctx))
}

// bind sets the bound again if no running query needs more. The engine returns an error while it cannot release the
// memory: the next query tries again.
func (c *Conn) bind(ctx context.Context) {
	s := c.limiter
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lifted && s.beyond == 0 {
		s.lifted = c.limit(ctx, memoryLimit) != nil
	}
}
