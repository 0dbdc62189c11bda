package server

import (
	"strconv"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/jsonscan"
	"github.com/badger-eval/badger/udf"
)

// plain is the general format. A request is {"rows":[…]}, where a row is an array of arguments or an object by name.
// A reply is {"results":[…],"problems":[{"row":0,"status":…,"code":…,"reason":…}]}, with a problem for each row that
// has no value.
type plain struct{}

func (plain) traits() traits {
	return traits{name: "json", budget: 10 * time.Minute, compress: 1024}
}

func (plain) decode(r *request) error {
	if err := decodeRows(r); err != nil {
		return err
	}
	r.batch.Explain = true
	return nil
}

func decodeRows(r *request) error {
	if err := r.resolve(r.name); err != nil {
		return err
	}
	return r.members(func(key []byte) func() error {
		if string(key) == "rows" {
			return func() error { return r.rows("rows", r.rowArray) }
		}
		return nil
	}, "rows")
}

// members reads the body, an object. handler returns the function that reads the value of a member, or nil if the
// member is ignored. A member with a handler must not be duplicated, and the required one must be present.
func (r *request) members(handler func(key []byte) func() error, required string) error {
	s := &r.scan
	if err := s.Object(); err != nil {
		return errcode.New(errcode.InvalidArgument, "body: %w", err)
	}
	var seen []string
	for first := true; ; first = false {
		key, ok, err := s.Key(first)
		if err != nil {
			return errcode.New(errcode.InvalidArgument, "body: %w", err)
		}
		if !ok {
			break
		}
		read := handler(key)
		if read == nil {
			if _, err := s.Skip(); err != nil {
				return errcode.New(errcode.InvalidArgument, "body: %w", err)
			}
			continue
		}
		name := string(key)
		for _, before := range seen {
			if before == name {
				return errcode.New(errcode.InvalidArgument, "body: duplicate member %q", name)
			}
		}
		seen = append(seen, name)
		if err := read(); err != nil {
			return err
		}
	}
	if err := s.End(); err != nil {
		return errcode.New(errcode.InvalidArgument, "body: %w", err)
	}
	for _, name := range seen {
		if name == required {
			return nil
		}
	}
	return errcode.New(errcode.InvalidArgument, "body: expected a member %q, an array of rows", required)
}

// rows reads an array of rows and calls read for each. what is the array's name in errors.
func (r *request) rows(what string, read func() error) error {
	s := &r.scan
	if err := s.Array(); err != nil {
		return errcode.New(errcode.InvalidArgument, "%s: %w", what, err)
	}
	for {
		more, err := s.More(r.batch.Rows == 0)
		if err != nil {
			return errcode.New(errcode.InvalidArgument, "%s: %w", what, err)
		}
		if !more {
			return nil
		}
		if err := read(); err != nil {
			return err
		}
	}
}

// rowArray reads the arguments of a row as an array, or as an object by name.
func (r *request) rowArray() error {
	if r.scan.Peek() == '{' {
		return r.named()
	}
	if err := r.scan.Array(); err != nil {
		return atRow(r.batch.Rows, err)
	}
	return r.positional(true)
}

// appendResults appends all results as a JSON array. exact is that of udf.AppendValue.
func appendResults(dst []byte, r *request, exact bool) []byte {
	dst = append(dst, '[')
	for i := range r.batch.Rows {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = udf.AppendValue(dst, &r.out, i, exact)
	}
	return append(dst, ']')
}

func (plain) encode(dst []byte, r *request) []byte {
	dst = appendResults(append(dst, `{"results":`...), r, false)
	if len(r.batch.Problems) > 0 {
		dst = append(dst, `,"problems":`...)
		dst = appendProblems(dst, r.batch.Problems)
	}
	return append(dst, '}')
}

func appendProblems(dst []byte, problems []udf.Problem) []byte {
	dst = append(dst, '[')
	for i, p := range problems {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, `{"row":`...)
		dst = strconv.AppendInt(dst, int64(p.Row), 10)
		dst = append(dst, `,"status":`...)
		dst = jsonscan.AppendString(dst, string(p.Status))
		if p.Code != errcode.OK {
			dst = append(dst, `,"code":`...)
			dst = jsonscan.AppendString(dst, p.Code.String())
		}
		dst = append(dst, `,"reason":`...)
		dst = jsonscan.AppendString(dst, p.Reason)
		dst = append(dst, '}')
	}
	return append(dst, ']')
}

func (plain) fault(dst []byte, err error, requestID string) []byte {
	return appendFault(dst, err, requestID)
}

// appendFault appends {"error":{"code":…,"message":…},"request_id":…}.
func appendFault(dst []byte, err error, requestID string) []byte {
	code, reason := udf.PublicError(err)
	dst = append(dst, `{"error":{"code":`...)
	dst = jsonscan.AppendString(dst, code.String())
	dst = append(dst, `,"message":`...)
	dst = jsonscan.AppendString(dst, reason)
	dst = append(dst, `},"request_id":`...)
	dst = jsonscan.AppendString(dst, requestID)
	return append(dst, '}')
}
