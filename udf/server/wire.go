package server

import (
	"net/http"
	"sync"
	"time"
	"unicode/utf8"
	"unsafe"

	"github.com/badger-eval/badger/internal/account"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/jsonscan"
	"github.com/badger-eval/badger/udf"
)

// wire is the JSON format in which one kind of caller sends a batch and receives its results.
type wire interface {
	traits() traits
	// decode reads the function's name and its arguments into r.batch. An error means that the whole batch is
	// invalid.
	decode(r *request) error
	// encode appends the reply with the results, in the order of the rows.
	encode(dst []byte, r *request) []byte
	// fault appends the response body for a batch that failed as a whole.
	fault(dst []byte, err error, requestID string) []byte
}

// traits are the limits and options of a wire.
type traits struct {
	name     string
	reply    int           // maximum bytes of a reply; 0: no limit
	budget   time.Duration // default time limit of a call, see Options.Timeouts; 0: no limit
	compress int           // minimum bytes of replies that are compressed if the caller accepts it
	digest   bool          // replies have the header Content-MD5
}

// request is one batch while the server processes it.
type request struct {
	wire      wire
	catalogue *udf.Catalogue
	header    http.Header
	name      string // of the function, from the path; may be empty
	body      []byte
	maxRows   int
	tally     *account.Tally // counts the call's memory

	scan    jsonscan.Scanner
	fn      *udf.Function
	batch   udf.Batch
	numbers []int64 // Snowflake's row numbers
	query   string  // the caller's id of the statement
	out     udf.Column
	nulls   int // number of NULLs in out
}

var requests = sync.Pool{New: func() any { return new(request) }}

// release returns the request to its pool, without the body: strings that a function kept may refer to its memory.
func (r *request) release() {
	r.batch.Clear()
	clear(r.out.Texts)
	r.wire, r.catalogue, r.header, r.name, r.body, r.fn, r.query, r.tally, r.nulls = nil, nil, nil, "", nil, nil, "",
		nil, 0
	r.numbers = r.numbers[:0]
	r.scan.Reset(nil)
	requests.Put(r)
}

// resolve finds the function and prepares the batch for its arguments.
func (r *request) resolve(name string) (err error) {
	if r.fn, err = r.catalogue.Function(name); err != nil {
		return err
	}
	r.batch.Reset(r.fn, len(r.fn.Params))
	return nil
}

// positional reads the arguments of one row up to the end of the array, whose opening bracket was read. first means
// that no element of the array was read yet.
func (r *request) positional(first bool) error {
	row := r.batch.Rows
	for k := 0; ; k++ {
		more, err := r.scan.More(first && k == 0)
		if err != nil {
			return atRow(row, err)
		}
		if !more {
			return r.endRow(k)
		}
		if k == len(r.fn.Params) {
			return atRow(row,
				errcode.New(errcode.InvalidArgument, "%s takes %s, got more than %d arguments", r.fn.Name, r.fn.Arity(), k))
		}
		if err := r.value(k); err != nil {
			return atRow(row, err)
		}
	}
}

// named reads the arguments of one row from an object, by parameter name.
func (r *request) named() error {
	row := r.batch.Rows
	if err := r.scan.Object(); err != nil {
		return atRow(row, err)
	}
	for first := true; ; first = false {
		key, ok, err := r.scan.Key(first)
		if err != nil {
			return atRow(row, err)
		}
		if !ok {
			break
		}
		k := r.param(key)
		if k < 0 {
			return atRow(row,
				errcode.New(errcode.InvalidArgument, "%s has no parameter %.60q; it takes %s", r.fn.Name, key, r.fn.Arity()))
		}
		if r.batch.Args[k].Len() > row {
			return atRow(row, errcode.New(errcode.InvalidArgument, "duplicate parameter %q", key))
		}
		if err := r.value(k); err != nil {
			return atRow(row, err)
		}
	}
	for k := range r.batch.Args { // absent is NULL
		if r.batch.Args[k].Len() == row {
			r.batch.Args[k].AppendNull()
		}
	}
	r.batch.Rows++
	return r.checkRows()
}

func (r *request) param(name []byte) int {
	for k := range r.fn.Params {
		if r.fn.Params[k].Name == string(name) {
			return k
		}
	}
	return -1
}

// endRow completes a row that had n arguments; omitted optional ones are NULL.
func (r *request) endRow(n int) error {
	if n < len(r.fn.Params) {
		if err := r.fn.CheckArity(n); err != nil {
			return atRow(r.batch.Rows, err)
		}
		for k := n; k < len(r.fn.Params); k++ {
			r.batch.Args[k].AppendNull()
		}
	}
	r.batch.Rows++
	return r.checkRows()
}

func (r *request) checkRows() error {
	if r.batch.Rows > r.maxRows {
		return errcode.New(errcode.ResourceExhausted, "more than %d rows in one batch (limits.batch_rows)", r.maxRows)
	}
	return r.tally.Add(rowBytes(r.fn))
}

func atRow(row int, err error) error {
	return errcode.New(errcode.Of(err), "row %d: %w", row, err)
}

// value reads one JSON value as argument k of the current row. A value of the wrong type fails the row, not the
// batch. Numbers and nested values keep their text.
func (r *request) value(k int) error {
	col, s := &r.batch.Args[k], &r.scan
	var text []byte
	var err error
	switch s.Peek() {
	case '"':
		start := s.Offset()
		if text, err = s.String(); err != nil {
			return err
		}
		if len(text) != s.Offset()-start-2 { // had escapes: the scanner's scratch space is not ours to keep
			if err := r.tally.Add(int64(len(text))); err != nil {
				return err
			}
			text = append(make([]byte, 0, len(text)), text...)
		}
	case 'n':
		if err := s.Null(); err != nil {
			return err
		}
		col.AppendNull()
		return nil
	default:
		if text, err = s.Skip(); err != nil {
			return err
		}
	}
	if wrong := col.AppendText(textOf(text)); wrong != "" {
		if err := r.tally.Add(badBytes); err != nil {
			return err
		}
		r.batch.BadArgument(r.fn, k, r.batch.Rows, wrong)
	}
	return nil
}

// cutText returns s, or its longest prefix of at most n bytes that ends at the boundary of a character.
func cutText(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// bytesOf returns the bytes of s, without a copy. They must not be modified.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// textOf returns bytes as a string. They must not be modified afterwards.
func textOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
