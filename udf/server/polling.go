package server

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/udf"
)

// pollable is a wire whose caller can poll for the reply: a POST that is answered with 202 is followed by GETs with
// the same id. A POST that is answered with 503 is sent again with that id.
type pollable interface {
	wire
	// callID returns the caller's id of the batch, which is the same if the batch is sent again, or "".
	callID(h http.Header) string
}

// callID returns the batch id of Snowflake's external functions. Service functions send none.
func (snowflake) callID(h http.Header) string {
	return h.Get("sf-external-function-query-batch-id")
}

const (
	pollTime     = 9 * time.Minute // time limit of a batch: Snowflake gives up after 10 minutes
	pollWait     = 2 * time.Second // how long a poll waits before the response 202
	abandonAfter = 3 * time.Minute // time after which a batch without a poll is cancelled
	mostReplies  = 64 << 20        // bytes of stored replies
	mostPolled   = 1024            // batches that run concurrently; one caller may have three quarters
)

// errForgotten is the error of polls for an unknown batch: unlike a POST, a GET has no body to compute the batch
// from.
var errForgotten = errcode.New(errcode.NotFound, "no call with this batch id is known; run the statement again")

// errNotShared asks the caller to send the batch again, to this server or another. Without a call store a poll could
// reach a server that does not know the batch, and a GET has no body to compute it from.
var errNotShared = errcode.New(errcode.Unavailable,
	"the batch is not done; it continues, send it again (servers that share a warehouse let the caller poll)")

var errOtherContent = errcode.New(errcode.InvalidArgument, "another request was sent under this batch id")

// batches holds the batches of this process whose callers may poll.
type batches struct {
	mu      sync.Mutex
	all     map[string]*polledBatch
	ended   []*polledBatch // the finished ones with stored replies, the oldest first
	kept    int64          // bytes of stored replies and bodies
	running int
	of      map[string]int // running ones by caller
	account *admission     // whose memory the stored replies use
}

// polledBatch is a batch with an id of its caller.
type polledBatch struct {
	id, hash string
	caller   string
	fn       *udf.Function
	body     []byte
	ctx      context.Context //nolint:containedctx // of the batch
	cancel   context.CancelFunc
	abandon  *time.Timer // cancels it if its caller stops polling

	// Set before done is closed.
	done  chan struct{}
	reply []byte
	err   error
	nulls int

	// Guarded by batches.mu.
	told  bool // its caller was asked to poll
	ended time.Time

	keeping sync.Mutex
	kept    bool // it is in the call store
}

func (p *polledBatch) running() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// open returns the batch with an id, or creates it; mine means that it was created and the caller must run it.
func (b *batches) open(ctx context.Context, id, hash string, fn *udf.Function,
	body []byte) (p *polledBatch, mine bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p = b.all[id]; p != nil {
		if p.hash != hash {
			return nil, false, errOtherContent
		}
		if p.running() || p.reply != nil && time.Since(p.ended) < udf.KeepCalls {
			return p, false, nil
		}
	}
	caller := shareFrom(ctx).Name()
	if caller != "" && b.of[caller] >= int(threeQuarters(mostPolled)) {
		return nil, false, busy("caller batches", 0, "this caller has %d batches that are not done", b.of[caller])
	}
	if b.running >= mostPolled {
		return nil, false, busy("batches", 0, "too many batches are not done")
	}
	b.running++
	b.of[caller]++
	p = &polledBatch{id: id, hash: hash, caller: caller, fn: fn, body: body, done: make(chan struct{})}
	p.ctx, p.cancel = context.WithCancel(context.WithoutCancel(ctx))
	p.abandon = time.AfterFunc(pollTime+abandonAfter, p.cancel)
	b.all[id] = p
	return p, true, nil
}

func (b *batches) find(id string) *polledBatch {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p := b.all[id]; p != nil && (p.running() || p.reply != nil) {
		return p
	}
	return nil
}

// end records that a batch is done. If its caller was not asked to poll and it asked no judge, only its hash is
// stored, not the reply.
func (b *batches) end(p *polledBatch, reply []byte, nulls int, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.running--
	if b.of[p.caller]--; b.of[p.caller] == 0 {
		delete(b.of, p.caller)
	}
	p.reply, p.nulls, p.err, p.ended = reply, nulls, err, time.Now()
	p.abandon.Stop()
	p.cancel()
	close(p.done)
	if b.all[p.id] != p {
		return
	}
	if err != nil { // it may be sent again
		delete(b.all, p.id)
		return
	}
	if !p.told && !p.fn.Once {
		p = &polledBatch{id: p.id, hash: p.hash, done: p.done, ended: p.ended}
		b.all[p.id] = p
	}
	for len(b.ended) > 0 && (b.kept+p.size() > mostReplies || time.Since(b.ended[0].ended) > udf.KeepCalls) {
		b.forget()
	}
	if !b.account.Take(p.size()) {
		delete(b.all, p.id)
		return
	}
	b.ended = append(b.ended, p)
	b.kept += p.size()
}

// size estimates the memory in bytes of a finished batch.
func (p *polledBatch) size() int64 { return int64(len(p.reply)+len(p.body)) + 512 }

// forget removes the oldest finished batch. The caller holds b.mu.
func (b *batches) forget() {
	old := b.ended[0]
	b.ended = b.ended[1:]
	b.kept -= old.size()
	b.account.Give(old.size())
	if b.all[old.id] == old {
		delete(b.all, old.id)
	}
}

// spare removes all finished batches to free their memory. It does nothing if b.mu is locked.
func (b *batches) spare() {
	if !b.mu.TryLock() {
		return
	}
	defer b.mu.Unlock()
	for len(b.ended) > 0 {
		b.forget()
	}
}

// tell records that the caller was asked to poll.
func (b *batches) tell(p *polledBatch) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p.told = true
}

func (b *batches) wasTold(p *polledBatch) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return p.told
}

// servePolled serves a batch with an id; one without an id is served by serveBatch. A batch that is not done in time
// continues. If the server has a call store, the response asks the caller to poll, and the store gets the batch and its
// reply, which every replica then finds. Without a call store the caller must send the batch again.
func (s *Server) servePolled(w pollable, x *exchange) error {
	callersID := w.callID(x.r.Header)
	switch {
	case callersID == "" && x.r.Method == http.MethodGet:
		return errcode.New(errcode.InvalidArgument,
			"a GET asks for the reply to a batch: expected sf-external-function-query-batch-id")
	case callersID == "":
		return s.serveBatch(w, x)
	}
	x.query = correlation(callersID)
	// A caller cannot ask for another's.
	id := udf.KeptID([]byte(w.traits().name), []byte(x.caller), []byte(callersID))
	wait := s.deadline(w.traits()).After
	var p *polledBatch
	var err error
	if x.r.Method == http.MethodGet {
		wait = min(wait, pollWait)
		p, err = s.poll(w, x, id)
	} else {
		p, err = s.post(w, x, id)
	}
	if err != nil {
		return err
	}
	var over <-chan time.Time
	if wait > 0 {
		t := time.NewTimer(wait)
		defer t.Stop()
		over = t.C
	}
	select {
	case <-p.done:
		if p.err != nil {
			return s.cut(p.err)
		}
		x.nulls = p.nulls
		x.reply(http.StatusOK, p.reply, w.traits())
		return nil
	case <-x.r.Context().Done(): // the batch continues: the same will be sent again
		return s.cut(x.r.Context().Err())
	case <-over:
	}
	s.batches.tell(p)
	if p.running() {
		p.abandon.Reset(abandonAfter)
	}
	if s.catalogue.Calls() == nil {
		return errNotShared
	}
	if err := s.keep(p); err != nil {
		return err
	}
	x.reply(http.StatusAccepted, []byte("{}"), traits{compress: 1 << 30})
	return nil
}

// post starts the batch in the body, or returns it if it is known.
func (s *Server) post(w wire, x *exchange, id string) (*polledBatch, error) {
	body, leave, err := s.body(x)
	if err != nil {
		return nil, err
	}
	defer leave()
	req, err := s.accepted(w, x, body)
	if err != nil {
		return nil, err
	}
	p, mine, err := s.batches.open(withShare(x.r.Context(), x.share), id, udf.KeptID([]byte(req.fn.Name), body), req.fn,
		body)
	if err != nil || !mine {
		if errors.Is(err, errOtherContent) {
			s.log.Error("a batch id came with another content", slog.String("request_id", x.id),
				slog.String("query_id", x.query))
		}
		req.release()
		return p, err
	}
	if kept := s.findKept(x.r.Context(), p); kept != nil {
		switch {
		case kept.Hash != p.hash:
			err = errOtherContent
		case kept.Reply != nil:
			s.batches.tell(p)
			s.batches.end(p, kept.Reply, 0, nil)
			req.release()
			return p, nil
		}
		if err != nil {
			s.batches.end(p, nil, 0, err)
			req.release()
			return nil, err
		}
		s.batches.tell(p)
		p.setKept()
	}
	s.runBatch(x, p, req)
	return p, nil
}

// findKept returns the stored call of a judged batch that another replica may have, or nil. If the store is
// unavailable the batch is computed anyway: its judge calls go through the ledger.
func (s *Server) findKept(ctx context.Context, p *polledBatch) *udf.KeptCall {
	if s.catalogue.Calls() == nil || !p.fn.Once {
		return nil
	}
	found, err := s.catalogue.Calls().Find(ctx, []string{p.id})
	if err != nil || len(found) == 0 {
		return nil
	}
	return &found[0]
}

// poll returns the batch of a GET, from memory or from the call store.
func (s *Server) poll(w wire, x *exchange, id string) (*polledBatch, error) {
	if p := s.batches.find(id); p != nil {
		x.function = p.fn.Name
		return p, nil
	}
	if s.catalogue.Calls() == nil {
		return nil, errForgotten
	}
	found, err := s.catalogue.Calls().Find(x.r.Context(), []string{id})
	if err != nil {
		return nil, errcode.New(errcode.Unavailable, "the stored calls cannot be read; try again")
	}
	if len(found) == 0 {
		return nil, errForgotten
	}
	req, err := s.decoded(w, x, found[0].Function, found[0].Request)
	if err != nil {
		return nil, err
	}
	p, mine, err := s.batches.open(withShare(x.r.Context(), x.share), id, found[0].Hash, req.fn, found[0].Request)
	switch {
	case err != nil || !mine:
		req.release()
		return p, err
	case found[0].Reply != nil:
		req.release()
		s.batches.tell(p)
		s.batches.end(p, found[0].Reply, 0, nil)
		return p, nil
	}
	s.batches.tell(p)
	p.setKept()
	s.runBatch(x, p, req)
	return p, nil
}

func (p *polledBatch) setKept() {
	p.keeping.Lock()
	defer p.keeping.Unlock()
	p.kept = true
}

// runBatch starts to compute a batch, which continues if the connection is closed.
func (s *Server) runBatch(x *exchange, p *polledBatch, req *request) {
	own := x.share.detach()
	ctx := withShare(p.ctx, own)
	unhook := context.AfterFunc(s.base, p.cancel)
	go func() {
		defer unhook()
		defer own.end()
		defer req.release()
		reply, err := s.answer(ctx, req, udf.Deadline{After: pollTime, NullRows: s.lateRows.Load()}, nil)
		if err == nil && s.catalogue.Cut() {
			reply, err = nil, udf.ErrStopping // another replica computes the batch: a reply must not be kept if rows were cut
		}
		reply = slices.Clip(reply)
		if err == nil && s.batches.wasTold(p) {
			reply = s.answerKept(p, reply)
		}
		if s.catalogue.Calls() == nil { // replicas share nothing
			p.body = nil
		}
		s.batches.end(p, reply, req.nulls, err)
	}()
}

// keep writes a batch to the call store. If that fails, its caller must send it again, because another replica could
// not answer a poll.
func (s *Server) keep(p *polledBatch) error {
	if s.catalogue.Calls() == nil {
		return nil
	}
	p.keeping.Lock()
	defer p.keeping.Unlock()
	if p.kept {
		return nil
	}
	ctx := context.WithoutCancel(p.ctx)
	err := s.catalogue.Calls().Keep(ctx,
		[]udf.KeptCall{
			{ID: p.id, Hash: p.hash, Function: p.fn.Name, Request: p.body, Expires: time.Now().Add(udf.KeepCalls)}})
	if err != nil {
		return errcode.New(errcode.Unavailable, "the batch is not done and could not be stored; send it again")
	}
	p.kept = true
	if !p.running() && p.err == nil { // it ended meanwhile
		_ = s.catalogue.Calls().Answer(ctx, p.id, p.reply)
	}
	return nil
}

// answerKept stores the reply of a batch whose caller polls, and returns the stored one: if two replicas computed the
// batch, the first reply is used.
func (s *Server) answerKept(p *polledBatch, reply []byte) []byte {
	if s.catalogue.Calls() == nil {
		return reply
	}
	ctx := context.WithoutCancel(p.ctx)
	if s.catalogue.Calls().Answer(ctx, p.id, reply) != nil {
		return reply
	}
	if found, err := s.catalogue.Calls().Find(ctx, []string{p.id}); err == nil && len(found) == 1 &&
		found[0].Reply != nil {
		return found[0].Reply
	}
	return reply
}
