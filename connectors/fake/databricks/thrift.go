package databricks

import (
	"context"
	"encoding/binary"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/badger-eval/badger/connectors/internal/thrift"
)

// thrift handles a call of the protocol.
func (s *Server) thrift(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	m, err := thrift.Parse(body)
	if err != nil || m.Kind != thrift.Call {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	step := s.step(m.Name)
	s.follow(step, w, r, func(w http.ResponseWriter, r *http.Request) {
		if !s.allowed(w, r) {
			return
		}
		var resp thrift.Struct
		if step.Fault != nil {
			resp = thrift.Struct{1: status(step.Fault)}
		} else {
			resp = s.dispatch(m.Name, m.Fields.Struct(1))
			if step.Skip {
				resp = s.dispatch(m.Name, m.Fields.Struct(1))
			}
		}
		answer := thrift.Message{Name: m.Name, Kind: thrift.Reply, Seq: m.Seq, Fields: thrift.Struct{0: resp}}
		if resp == nil {
			answer.Kind, answer.Fields = thrift.Exception, thrift.Struct{1: "no such method", 2: int32(1)}
		}
		w.Header().Set("Content-Type", "application/x-thrift")
		_, _ = w.Write(thrift.Append(nil, answer))
	})
}

var ok = thrift.Struct{1: int32(0)}

func status(f *Fault) thrift.Struct {
	code := int32(3)
	if f.Handle {
		code = 4
	}
	return thrift.Struct{1: code, 3: f.State, 5: f.Message, 6: f.Message}
}

func (s *Server) dispatch(method string, args thrift.Struct) thrift.Struct {
	switch method {
	case "OpenSession":
		return s.openSession(args)
	case "CloseSession":
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.sessions, string(args.Struct(1).Struct(1).Bytes(1)))
		return thrift.Struct{1: ok}
	case "ExecuteStatement":
		return s.execute(args)
	}
	s.mu.Lock()
	op := s.operations[string(args.Struct(1).Struct(1).Bytes(1))]
	s.mu.Unlock()
	if op == nil {
		return thrift.Struct{1: status(&Fault{State: "HY000", Message: "Invalid OperationHandle", Handle: true})}
	}
	switch method {
	case "GetOperationStatus":
		return op.status(50 * time.Millisecond)
	case "GetResultSetMetadata":
		return op.metadata()
	case "FetchResults":
		return op.fetch(args)
	case "CancelOperation":
		op.cancel()
		return thrift.Struct{1: ok}
	case "CloseOperation":
		op.close()
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.operations, op.id)
		return thrift.Struct{1: ok}
	}
	return nil
}

func (s *Server) openSession(args thrift.Struct) thrift.Struct {
	namespace := args.Struct(1284)
	x := &session{Catalog: namespace.Text(1), Schema: namespace.Text(2), Conf: args.Map(4)}
	if x.Catalog == "nowhere" {
		return thrift.Struct{
			1: status(&Fault{State: "42704",
				Message: "[NO_SUCH_CATALOG_EXCEPTION] Catalog `nowhere` was not found. SQLSTATE: 42704"}), 2: int32(42248)}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	id := s.guid()
	s.sessions[id] = x
	return thrift.Struct{1: ok, 2: int32(42248), 3: thrift.Struct{1: thrift.Struct{1: id, 2: id}}, 1285: true}
}

// guid returns a new 16-byte ID.
func (s *Server) guid() string {
	s.serial++
	return string(binary.BigEndian.AppendUint64(make([]byte, 8, 16), uint64(s.serial))) //nolint:gosec // counts up
}

// operation is a statement at the service.
type operation struct {
	s      *Server
	id     string
	stop   context.CancelFunc
	ended  chan struct{}
	result Result
	fault  *Fault
	rows   array.RecordReader // nil if the result has no rows
	schema *wire
	lz4    bool
	files  bool

	mu     sync.Mutex
	polls  int
	pages  []page // pages read so far
	at     int    // index of the next page to fetch
	done   bool   // all pages are read
	gone   bool
	halted bool // cancelled
}

// page is some rows of a result.
type page struct {
	start, rows int64
	records     []arrow.Record
}

func (s *Server) execute(args thrift.Struct) thrift.Struct {
	sql := args.Text(2)
	s.mu.Lock()
	if s.sessions[string(args.Struct(1).Struct(1).Bytes(1))] == nil {
		s.mu.Unlock()
		return thrift.Struct{1: status(&Fault{State: "HY000", Message: "Invalid SessionHandle", Handle: true})}
	}
	s.statements = append(s.statements, sql)
	ctx, stop := context.WithCancel(context.Background())
	op := &operation{s: s, id: s.guid(), stop: stop, ended: make(chan struct{}), lz4: s.LZ4 && args.Bool(1284),
		files: s.Files && args.Bool(1283)}
	s.operations[op.id] = op
	var res Result
	found := false
	for i := len(s.canned) - 1; i >= 0 && !found; i-- {
		if s.canned[i].pattern.MatchString(sql) {
			res, found = s.canned[i].result, true
		}
	}
	direct := s.Direct
	s.mu.Unlock()
	op.polls = res.Polls
	nested := args.Struct(1286).Bool(3) && !s.Columns
	go func() {
		defer close(op.ended)
		switch {
		case res.Hangs:
			<-ctx.Done()
			op.fault = &cancelled
		case res.Fault != nil:
			op.fault = res.Fault
		case found:
			op.schema = wireOf(res.Record.Schema(), res.Types, nested)
			op.result = res
		default:
			op.rows, op.fault = s.runSQL(ctx, sql, args.Structs(1288))
			if op.rows != nil {
				op.schema = wireOf(op.rows.Schema(), nil, nested)
			}
		}
	}()
	resp := thrift.Struct{1: ok, 2: thrift.Struct{1: thrift.Struct{1: op.id, 2: op.id}, 2: int32(0), 3: true}}
	if !direct || args.Struct(1281) == nil {
		return resp
	}
	results := thrift.Struct{1: op.status(100 * time.Millisecond)}
	if results.Struct(1).Int(2) == finished {
		results[2] = op.metadata()
		results[3] = op.fetch(thrift.Struct{3: args.Struct(1281).Int(1)})
	}
	resp[1281] = results
	return resp
}

const finished = 2

// status returns the operation's state. It waits at most wait for its end.
func (op *operation) status(wait time.Duration) thrift.Struct {
	out := thrift.Struct{1: ok, 2: int32(1)}
	op.mu.Lock()
	polls := op.polls
	op.polls = max(0, polls-1)
	halted := op.halted
	op.mu.Unlock()
	if polls > 0 {
		out[2] = int32(7)
		return out
	}
	select {
	case <-op.ended:
		switch {
		case halted:
			out[2] = int32(3)
		case op.fault != nil:
			out[2], out[3], out[1281] = int32(5), op.fault.State, op.fault.Message
		default:
			out[2] = int32(finished)
		}
	case <-time.After(wait):
	}
	return out
}

func (op *operation) cancel() {
	op.mu.Lock()
	op.halted = true
	op.mu.Unlock()
	op.stop()
	<-op.ended
}

func (op *operation) close() {
	op.stop()
	<-op.ended
	op.mu.Lock()
	defer op.mu.Unlock()
	if op.gone {
		return
	}
	op.gone = true
	for _, p := range op.pages {
		for _, r := range p.records {
			r.Release()
		}
	}
	op.pages = nil
	if op.rows != nil {
		op.rows.Release()
	}
}

// metadata returns the metadata of the result.
func (op *operation) metadata() thrift.Struct {
	if op.schema == nil {
		return thrift.Struct{1: ok, 2: thrift.Struct{1: []thrift.Struct{}}, 1281: int32(0), 1283: emptySchema}
	}
	out := op.schema.describe()
	out[1], out[1282] = ok, op.lz4
	switch {
	case op.s.Columns:
		out[1281] = int32(1)
	case op.files:
		out[1281] = int32(3)
	default:
		out[1281] = int32(0)
	}
	return out
}

// page returns page n, which it reads with at most limit rows if necessary.
func (op *operation) page(n int, limit int64) (*page, *Fault) {
	for len(op.pages) <= n && !op.done {
		p := page{}
		if len(op.pages) > 0 {
			last := op.pages[len(op.pages)-1]
			p.start = last.start + last.rows
		}
		for p.rows < limit && !op.done {
			rec, fault := op.record()
			if fault != nil {
				return nil, fault
			}
			if rec == nil {
				op.done = true
				break
			}
			p.rows += rec.NumRows()
			p.records = append(p.records, rec)
		}
		op.pages = append(op.pages, p)
	}
	if n >= len(op.pages) {
		return &page{}, nil
	}
	return &op.pages[n], nil
}

// record returns the next record, in the encoding of the protocol.
func (op *operation) record() (arrow.Record, *Fault) {
	if op.rows == nil {
		if op.result.Record == nil {
			return nil, nil
		}
		rec, err := op.schema.record(op.result.Record)
		if op.result.Repeat--; op.result.Repeat < 1 {
			op.result.Record = nil
		}
		if err != nil {
			return nil, &Fault{State: "XX000", Message: err.Error()}
		}
		return rec, nil
	}
	if !op.rows.Next() {
		if err := op.rows.Err(); err != nil {
			return nil, faultOf(err)
		}
		return nil, nil
	}
	rec, err := op.schema.record(op.rows.Record())
	if err != nil {
		return nil, &Fault{State: "XX000", Message: err.Error()}
	}
	return rec, nil
}

// fetch returns a page: the next one, or the one that starts at a requested row.
func (op *operation) fetch(args thrift.Struct) thrift.Struct {
	<-op.ended
	op.mu.Lock()
	defer op.mu.Unlock()
	if op.gone {
		return thrift.Struct{1: status(&Fault{State: "HY000", Message: "Invalid OperationHandle", Handle: true})}
	}
	if op.fault != nil {
		return thrift.Struct{1: status(op.fault)}
	}
	limit := op.s.PageRows
	if limit == 0 {
		limit = 10_000
	}
	if n := args.Int(3); n > 0 {
		limit = min(limit, n)
	}
	if _, seek := args[1282]; seek {
		op.at = 0
		for op.at < len(op.pages) && op.pages[op.at].start+op.pages[op.at].rows <= args.Int(1282) {
			op.at++
		}
	}
	if args.Int(2) == 1 && op.at > 1 { // the previous page
		op.at -= 2
	}
	p, fault := op.page(op.at, limit)
	if fault != nil {
		return thrift.Struct{1: status(fault)}
	}
	op.at++
	return op.send(p, args)
}

// send returns the response for a page.
func (op *operation) send(p *page, args thrift.Struct) thrift.Struct {
	set := thrift.Struct{1: p.start, 2: []thrift.Struct{}}
	resp := thrift.Struct{1: ok, 2: !op.done || op.at < len(op.pages), 3: set}
	switch {
	case op.schema == nil:
		set[1281] = []thrift.Struct{}
	case op.s.Columns:
		set[3] = op.schema.columns(p.records)
	case op.files:
		set[1282] = op.links(p, args)
	default:
		batches := []thrift.Struct{}
		for _, rec := range p.records {
			batches = append(batches, thrift.Struct{1: packed(op.schema.batch(op.extra(rec)), op.lz4), 2: rec.NumRows()})
		}
		set[1281] = batches
	}
	if args.Bool(1283) || args[2] == nil {
		resp[1281] = op.metadata()
	}
	return resp
}

// extra returns a record, and if Extra is set, additional rows that are not announced.
func (op *operation) extra(rec arrow.Record) []arrow.Record {
	if op.s.Extra && rec.NumRows() > 0 {
		return []arrow.Record{rec, rec}
	}
	return []arrow.Record{rec}
}

// links stores a page in files and returns their links.
func (op *operation) links(p *page, args thrift.Struct) []thrift.Struct {
	out := []thrift.Struct{}
	at := p.start
	var held []arrow.Record
	rows := int64(0)
	flush := func() {
		if rows == 0 {
			return
		}
		if from, seek := args[1282].(int64); !seek || at >= from {
			all := held
			switch last := len(held) - 1; {
			case op.s.Extra:
				all = append(append([]arrow.Record{}, held...), held...)
			case op.s.Short:
				all = append(append([]arrow.Record{}, held[:last]...), held[last].NewSlice(0, held[last].NumRows()-1))
			}
			address, expires := op.s.store(packed(op.schema.file(all), op.lz4))
			out = append(out,
				thrift.Struct{1: address, 2: expires.Unix(), 3: at, 4: rows, 5: int64(1),
					6: map[string]string{"X-Storage-Key": "k"}})
		}
		at += rows
		held, rows = nil, 0
	}
	limit := op.s.FileRows
	if limit == 0 {
		limit = 1 << 40
	}
	for _, rec := range p.records {
		held, rows = append(held, rec), rows+rec.NumRows()
		if rows >= limit {
			flush()
		}
	}
	flush()
	return out
}

func hasWord(sql string, words ...string) bool {
	first := strings.ToUpper(strings.TrimLeft(sql, " \t\r\n("))
	for _, w := range words {
		if strings.HasPrefix(first, w) {
			return true
		}
	}
	return false
}
