// Package sqlserver is a fake server that speaks the protocol of SQL Server (TDS 7.4, MS-TDS) and runs queries in the
// embedded engine.
package sqlserver

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unicode/utf16"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/fake/engine"
)

// Server is a fake server. Its fields are set before its first connection.
type Server struct {
	Addr     string
	Engine   driver.Conn // runs queries; tests create its tables
	Password string      // of every user
	Token    string      // that is accepted instead of a user; "" is none
	TLS      *tls.Config // nil: encryption is not supported
	// Lost closes the connection instead of sending the rows of a query.
	Lost atomic.Bool
	// Deaf ignores that a statement is cancelled: it counts as running, though nothing is computed, until its caller
	// closes the connection.
	Deaf atomic.Bool

	mu      sync.Mutex
	answers map[string]Answer
	running int
	seen    []string
}

// Answer is the reply to a query that the engine does not have: one column v and one value, an error, or what the
// engine replies to another query.
type Answer struct {
	Query string // that the engine runs instead
	Type  []byte // TYPE_INFO of MS-TDS
	Value []byte // the value as rows contain it
	Error *Error
}

// Error is an error of the server.
type Error struct {
	Number  int32
	Class   byte
	Message string
}

// Start starts a server that ends with its test.
func Start(tb testing.TB) *Server {
	tb.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // of the test
	if err != nil {
		tb.Fatal(err)
	}
	conn, err := engine.Open(tb.TempDir())
	if err != nil {
		tb.Fatal(err)
	}
	s := &Server{Addr: listener.Addr().String(), Engine: conn, answers: map[string]Answer{}}
	var open sync.WaitGroup
	ctx, cancel := context.WithCancel(context.Background())
	tb.Cleanup(func() {
		cancel()
		_ = listener.Close()
		open.Wait()
		_ = conn.Close()
	})
	open.Go(func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			stop := context.AfterFunc(ctx, func() { _ = c.Close() })
			open.Go(func() {
				defer stop()
				defer c.Close() //nolint:errcheck // of a test
				s.serve(c)
			})
		}
	})
	return s
}

// Answer sets the reply to a query.
func (s *Server) Answer(query string, a Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers[query] = a
}

// Running returns the number of queries that run.
func (s *Server) Running() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running
}

// count adds to the number of queries that run.
func (s *Server) count(more int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running += more
}

// Seen returns what the server was sent: sign-ins as user/database, transactions and queries.
func (s *Server) Seen() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.seen...)
}

func (s *Server) note(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, what)
}

// Types of packets.
const (
	packBatch     = 1
	packRPC       = 3
	packReply     = 4
	packAttention = 6
	packTransact  = 14
	packLogin     = 16
	packPrelogin  = 18
)

// wire reads and writes messages.
type wire struct {
	net.Conn
	out []byte
	id  byte
}

// read returns the next message.
func (w *wire) read() (kind byte, message []byte, err error) {
	for {
		var head [8]byte
		if _, err := io.ReadFull(w, head[:]); err != nil {
			return 0, nil, err
		}
		part := make([]byte, max(0, int(binary.BigEndian.Uint16(head[2:]))-8))
		if _, err := io.ReadFull(w, part); err != nil {
			return 0, nil, err
		}
		message = append(message, part...)
		if head[1]&1 != 0 { // the last packet
			return head[0], message, nil
		}
	}
}

// add adds to the reply, and sends full packets.
func (w *wire) add(b []byte) error {
	const most = 4096 - 8
	w.out = append(w.out, b...)
	for len(w.out) > most {
		if err := w.packet(packReply, w.out[:most], false); err != nil {
			return err
		}
		w.out = w.out[most:]
	}
	return nil
}

// end sends the rest of the reply.
func (w *wire) end() error {
	err := w.packet(packReply, w.out, true)
	w.out = nil
	return err
}

func (w *wire) packet(kind byte, b []byte, last bool) error {
	w.id++
	head := []byte{kind, 0, 0, 0, 0, 0, w.id, 0}
	if last {
		head[1] = 1
	}
	binary.BigEndian.PutUint16(head[2:], uint16(len(b)+8)) //nolint:gosec // at most 4096
	_, err := w.Write(append(head, b...))
	return err
}

// handshake carries the records of a TLS handshake in packets.
type handshake struct {
	net.Conn
	w    *wire
	rest []byte
	done bool // the following records are sent as they are
}

// Read reads from the current packet.
func (h *handshake) Read(b []byte) (int, error) {
	if h.done {
		return h.Conn.Read(b)
	}
	if len(h.rest) == 0 {
		_, message, err := h.w.read()
		if err != nil {
			return 0, err
		}
		h.rest = message
	}
	n := copy(b, h.rest)
	h.rest = h.rest[n:]
	return n, nil
}

// Write sends a packet.
func (h *handshake) Write(b []byte) (int, error) {
	if h.done {
		return h.Conn.Write(b)
	}
	return len(b), h.w.packet(packPrelogin, b, true)
}

// serve serves a connection until it is closed.
func (s *Server) serve(c net.Conn) {
	w := &wire{Conn: c}
	kind, message, err := w.read()
	if err != nil || kind != packPrelogin {
		return
	}
	const on, unsupported, required = 1, 2, 3
	encryption := byte(unsupported)
	if s.TLS != nil {
		encryption = required
	}
	asked := option(message, 1)
	// The version, the encryption and whether tokens are required, each with its place.
	reply := []byte{0, 0, 16, 0, 6, 1, 0, 22, 0, 1, 6, 0, 23, 0, 1, 255, 16, 0, 0, 0, 0, 0, encryption, 0}
	if w.packet(packReply, reply, true) != nil || s.TLS == nil && len(asked) > 0 && asked[0] == on {
		return
	}
	if s.TLS != nil {
		h := &handshake{Conn: c, w: w}
		config := s.TLS.Clone()
		config.MaxVersion = tls.VersionTLS12 // with 1.3 the server would send tickets after the handshake
		secure := tls.Server(h, config)
		if secure.Handshake() != nil { //nolint:noctx // of a test
			return
		}
		h.done = true
		w = &wire{Conn: secure}
	}
	if kind, message, err = w.read(); err != nil || kind != packLogin {
		return
	}
	if !s.login(w, message) {
		return
	}
	messages := make(chan struct {
		kind byte
		b    []byte
	})
	closed := make(chan struct{})
	defer close(closed)
	go func() {
		defer close(messages)
		for {
			kind, b, err := w.read()
			if err != nil {
				return
			}
			select {
			case messages <- struct {
				kind byte
				b    []byte
			}{kind, b}:
			case <-closed:
				return
			}
		}
	}()
	for m := range messages {
		switch m.kind {
		case packTransact:
			s.note("begin")
			// The descriptor of the transaction, and the end.
			if w.add([]byte{0xe3, 11, 0, 8, 8, 1, 0, 0, 0, 0, 0, 0, 0, 0}) != nil || w.add(done(0)) != nil || w.end() != nil {
				return
			}
		case packAttention: // what it cancels has ended
			if w.add(done(attention)) != nil || w.end() != nil {
				return
			}
		case packBatch, packRPC:
			ctx, cancel := context.WithCancel(context.Background())
			ended := make(chan error, 1)
			go func() { ended <- s.run(ctx, w, m.kind, m.b) }()
			var err error
			cancelled := false
			for running := true; running; {
				select {
				case err = <-ended:
					running = false
				case a, more := <-messages:
					if more && a.kind == packAttention && s.Deaf.Load() {
						s.count(1)
						cancel()
						<-ended
						for range messages { //nolint:revive // it replies to none
						}
						s.count(-1)
						return
					}
					if !more || a.kind == packAttention {
						cancel()
						cancelled = more
						err, running = <-ended, false
					}
				}
			}
			cancel()
			if err != nil && !cancelled {
				return
			}
			if cancelled && (w.add(done(attention)) != nil || w.end() != nil) {
				return
			}
		default:
			return
		}
	}
}

// option returns an option of a message before the sign-in.
func option(message []byte, token byte) []byte {
	for i := 0; i+5 <= len(message) && message[i] != 255; i += 5 {
		at, n := int(binary.BigEndian.Uint16(message[i+1:])), int(binary.BigEndian.Uint16(message[i+3:]))
		if message[i] == token && at+n <= len(message) {
			return message[at : at+n]
		}
	}
	return nil
}

// login examines a sign-in, and replies.
func (s *Server) login(w *wire, m []byte) bool {
	field := func(at int) []byte {
		from, n := int(binary.LittleEndian.Uint16(m[at:])), int(binary.LittleEndian.Uint16(m[at+2:]))
		return m[from : from+2*n]
	}
	user, hidden, database := text(field(40)), append([]byte(nil), field(44)...), text(field(68))
	for i, b := range hidden {
		b ^= 0xa5
		hidden[i] = b<<4 | b>>4
	}
	token := ""
	if m[27]&0x10 != 0 { // extensions
		at := int(binary.LittleEndian.Uint32(m[binary.LittleEndian.Uint16(m[56:]):]))
		for m[at] != 255 {
			n := int(binary.LittleEndian.Uint32(m[at+1:]))
			if m[at] == 2 { // a token, after a byte of options and its length
				token = text(m[at+10 : at+5+n])
			}
			at += 5 + n
		}
	}
	s.note("sign-in " + user + "/" + database)
	var refused *Error
	switch {
	case token != "" && token != s.Token, token == "" && text(hidden) != s.Password:
		refused = &Error{18456, 14, "Login failed for user '" + user + "'."}
	case database == "absent":
		refused = &Error{4060, 11, "Cannot open database \"absent\" requested by the login. The login failed."}
	}
	if refused != nil {
		_ = w.add(refused.token())
		_ = w.add(done(failed))
		_ = w.end()
		return false
	}
	program := wide("fake")
	ack := append([]byte{1, 0x74, 0, 0, 4, byte(len(program) / 2)}, program...) //nolint:gosec // a short name
	ack = append(ack, 16, 0, 0, 0)
	reply := append([]byte{0xad, byte(len(ack)), 0}, ack...) //nolint:gosec // a short name
	if token != "" {
		reply = append(reply, 0xae, 2, 0, 0, 0, 0, 255)
	}
	return w.add(append(reply, done(0)...)) == nil && w.end() == nil
}

// States of the end of a reply.
const (
	failed    = 2
	attention = 0x20
)

// done returns the end of a reply.
func done(status byte) []byte { return []byte{0xfd, status, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0} }

func (e *Error) token() []byte {
	message := wide(e.Message)
	b := binary.LittleEndian.AppendUint32(nil, uint32(e.Number)) //nolint:gosec // bits
	b = append(b, 1, e.Class)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(message)/2)) //nolint:gosec // short
	b = append(append(b, message...), 0, 0, 1, 0, 0, 0)             // no server, no procedure, line 1
	return append([]byte{0xaa, byte(len(b)), byte(len(b) >> 8)}, b...)
}

// text decodes UTF-16.
func text(b []byte) string {
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = binary.LittleEndian.Uint16(b[2*i:])
	}
	return string(utf16.Decode(units))
}

// wide encodes UTF-16.
func wide(s string) (b []byte) {
	for _, u := range utf16.Encode([]rune(s)) {
		b = binary.LittleEndian.AppendUint16(b, u)
	}
	return b
}

var dialect = &engine.Dialect{Rules: []engine.Rule{
	{From: regexp.MustCompile(`@p(\d+)`), To: `$$$1`},
	{From: regexp.MustCompile(`\[(\w+)\]`), To: `"$1"`},
}}

var parameter = regexp.MustCompile(`@p\d+`)

// run runs a query and replies. It returns an error if the connection is lost or ctx ends.
func (s *Server) run(ctx context.Context, w *wire, kind byte, m []byte) error {
	m = m[binary.LittleEndian.Uint32(m):] // after the headers
	query, args, err := text(m), []any(nil), error(nil)
	if kind == packRPC {
		if query, args, err = parameters(m); err != nil {
			return err
		}
	}
	query = strings.TrimSpace(query)
	s.mu.Lock()
	s.seen = append(s.seen, query)
	answer, known := s.answers[query]
	s.mu.Unlock()
	s.count(1)
	defer s.count(-1)
	fail := func(e *Error) error {
		return errors.Join(w.add(e.token()), w.add(done(failed)), w.end())
	}
	switch {
	case known && answer.Error != nil:
		return fail(answer.Error)
	case known && answer.Query != "":
		query = answer.Query
	case known:
		b := append([]byte{0x81, 1, 0, 0, 0, 0, 0, 1, 0}, answer.Type...) // one column that may be NULL
		b = append(append(b, 1), wide("v")...)
		return errors.Join(w.add(append(append(b, 0xd1), answer.Value...)), w.add(done(0)), w.end())
	case len(args) == 0 && parameter.MatchString(query):
		return fail(&Error{137, 15, "Must declare the scalar variable \"@p1\"."})
	case strings.Count(query, "'")%2 == 1:
		return fail(&Error{105, 15, "Unclosed quotation mark after the character string '" + query + "'."})
	}
	r, err := s.Engine.Query(ctx, dialect.Translate(query), args...)
	if err != nil {
		return s.engineError(ctx, err, fail)
	}
	defer r.Release()
	columns, b := make([]column, r.Schema().NumFields()), []byte{0x81, byte(r.Schema().NumFields()), 0} //nolint:gosec // few
	for i, f := range r.Schema().Fields() {
		if columns[i], err = columnOf(f); err != nil {
			return fail(&Error{50000, 16, err.Error()})
		}
		name := wide(f.Name)
		b = append(append(b, 0, 0, 0, 0, 1, 0), columns[i].info...)
		b = append(append(b, byte(len(name)/2)), name...) //nolint:gosec // short
	}
	if err := w.add(b); err != nil {
		return err
	}
	if s.Lost.Load() {
		return errors.New("lost, as the test wants")
	}
	for r.Next() {
		rec := r.Record()
		for row := range int(rec.NumRows()) {
			b := []byte{0xd1}
			for i, c := range columns {
				b = c.append(b, rec.Column(i), row)
			}
			if err := w.add(b); err != nil {
				return err
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
	}
	if err := r.Err(); err != nil {
		return s.engineError(ctx, err, fail)
	}
	return errors.Join(w.add(done(0)), w.end())
}

// engineError replies with the server's error for one of the engine.
func (s *Server) engineError(ctx context.Context, err error, fail func(*Error) error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	f := engine.Explain(err)
	switch f.Kind {
	case engine.NoFunction:
		return fail(&Error{195, 15, "'" + f.Name + "' is not a recognized built-in function name."})
	case engine.NoTable, engine.NoSchema:
		return fail(&Error{208, 16, "Invalid object name '" + f.Name + "'."})
	case engine.NoColumn:
		return fail(&Error{207, 16, "Invalid column name '" + f.Name + "'."})
	case engine.BadValue:
		return fail(&Error{245, 16, "Conversion failed when converting the varchar value " + f.Quoted + " to data type int."})
	}
	return fail(&Error{102, 15, "Incorrect syntax near " + f.Quoted + "."})
}
