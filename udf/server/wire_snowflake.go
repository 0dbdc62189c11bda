package server

import (
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/udf"
)

// snowflake is the format of Snowflake's external functions and of service functions in Snowpark Container Services.
// A request is {"data":[[0,arg,…],[1,arg,…]]}, a reply {"data":[[0,result],[1,result]]} with the same row numbers.
type snowflake struct{}

func (snowflake) traits() traits {
	// Gateways end a call after 29 or 30 seconds. Before that, a caller that can poll is asked to poll; for others
	// the call ends as Options.NullRows says. Replies may have 10 MB.
	return traits{name: "snowflake", reply: 10_000_000, budget: 20 * time.Second, digest: true}
}

func (snowflake) decode(r *request) error {
	if err := checkFormat(r.header); err != nil {
		return err
	}
	r.query = r.header.Get("sf-external-function-query-batch-id")
	if r.query == "" {
		r.query = r.header.Get("sf-external-function-current-query-id")
	}
	name := r.name
	if name == "" {
		var err error
		if name, err = functionHeader(r.header); err != nil {
			return err
		}
	}
	if err := r.resolve(name); err != nil {
		return err
	}
	return r.members(func(key []byte) (handler func() error) {
		if string(key) == "data" {
			return func() error { return r.rows("data", r.numberedRow) }
		}
		return nil
	}, "data")
}

// checkFormat returns an error for unsupported versions of the protocol. Missing headers are valid: service functions
// may send none.
func checkFormat(h http.Header) error {
	if f := h.Get("sf-external-function-format"); f != "" && !strings.EqualFold(f, "json") {
		return errcode.New(errcode.InvalidArgument, "sf-external-function-format is %.40q, expected json", f)
	}
	if v := h.Get("sf-external-function-format-version"); v != "" && v != "1.0" {
		return errcode.New(errcode.InvalidArgument, "sf-external-function-format-version is %.40q, expected 1.0", v)
	}
	return nil
}

// functionHeader returns the function's name from the headers, in lower case. It prefers the base64 header, because
// the plain one cannot hold all characters.
func functionHeader(h http.Header) (string, error) {
	name := h.Get("sf-external-function-name")
	if b64 := h.Get("sf-external-function-name-base64"); b64 != "" {
		raw, err := base64.StdEncoding.DecodeString(b64)
		if err != nil {
			return "", errcode.New(errcode.InvalidArgument, "sf-external-function-name-base64 is not base64")
		}
		name = string(raw)
	}
	if name == "" {
		return "", errcode.New(errcode.InvalidArgument,
			"the request names no function: expected the name in the path or in the header sf-external-function-name")
	}
	return strings.ToLower(name), nil
}

// numberedRow reads a row number and arguments: [number, arg, …].
func (r *request) numberedRow() error {
	s, row := &r.scan, r.batch.Rows
	if err := s.Array(); err != nil {
		return atRow(row, err)
	}
	more, err := s.More(true)
	if err != nil {
		return atRow(row, err)
	}
	if !more || s.Peek() == '"' {
		return atRow(row, errcode.New(errcode.InvalidArgument, "expected the row number, an integer"))
	}
	text, isInt, err := s.Number()
	if err != nil {
		return atRow(row, errcode.New(errcode.InvalidArgument, "row number: %w", err))
	}
	n, ok := smallInt(text)
	if !isInt || !ok {
		return atRow(row, errcode.New(errcode.InvalidArgument, "expected the row number, an integer"))
	}
	r.numbers = append(r.numbers, n)
	return r.positional(false)
}

// smallInt parses an integer of 64 bits. It is fast for row numbers, which have few digits.
func smallInt(text []byte) (int64, bool) {
	if len(text) <= 9 {
		var n int64
		for _, c := range text {
			if c < '0' || c > '9' {
				n = -1
				break
			}
			n = n*10 + int64(c-'0')
		}
		if n >= 0 {
			return n, true
		}
	}
	n, err := strconv.ParseInt(string(text), 10, 64)
	return n, err == nil
}

func (snowflake) encode(dst []byte, r *request) []byte {
	dst = append(dst, `{"data":[`...)
	for i, n := range r.numbers {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, '[')
		dst = strconv.AppendInt(dst, n, 10)
		dst = append(dst, ',')
		dst = udf.AppendValue(dst, &r.out, i, false)
		dst = append(dst, ']')
	}
	return append(dst, "]}"...)
}

func (snowflake) fault(dst []byte, err error, requestID string) []byte {
	return appendFault(dst, err, requestID)
}
