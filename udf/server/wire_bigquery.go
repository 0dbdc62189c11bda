package server

import (
	"strconv"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/jsonscan"
	"github.com/badger-eval/badger/udf"
)

// bigquery is the format of BigQuery's remote functions. A request is
// {"requestId":…,"caller":…,"sessionUser":…,"userDefinedContext":{…},"calls":[[arg,…],…]}, a reply {"replies":[…]},
// an error {"errorMessage":…}. The function is named by the path or by "fn" of userDefinedContext; its "fnv", if set,
// must be the version that is served.
type bigquery struct{}

func (bigquery) traits() traits {
	// A request may take 20 minutes and a reply 15 MB; half a minute is kept for the way back.
	return traits{name: "bigquery", reply: 15_000_000, budget: 19*time.Minute + 30*time.Second, compress: 1024}
}

func (bigquery) decode(r *request) error {
	if r.name != "" {
		if err := r.resolve(r.name); err != nil {
			return err
		}
	}
	var calls []byte // if they precede the name of the function
	fn, fnv := "", ""
	err := r.members(func(key []byte) func() error {
		switch string(key) {
		case "calls":
			return func() (err error) {
				if r.fn != nil {
					return r.rows("calls", r.rowArray)
				}
				calls, err = r.scan.Skip()
				return err
			}
		case "userDefinedContext":
			return func() (err error) { fn, fnv, err = r.context(); return err }
		case "requestId":
			return r.requestID
		}
		return nil
	}, "calls")
	if err != nil {
		return err
	}
	switch {
	case r.fn == nil && fn == "":
		return errcode.New(errcode.InvalidArgument,
			`no function: expected its name in the path or as "fn" in userDefinedContext`)
	case r.fn == nil:
		if err := r.resolve(fn); err != nil {
			return err
		}
		r.scan.Reset(calls)
		err = r.rows("calls", r.rowArray)
	case fn != "" && fn != r.fn.Name:
		return errcode.New(errcode.InvalidArgument,
			"the path names the function %s, but userDefinedContext names %.60q; expected the same function", r.fn.Name, fn)
	}
	if err == nil && fnv != "" && fnv != strconv.Itoa(r.fn.Version) {
		return errcode.New(errcode.InvalidArgument, "version %.20q of %s is not served; expected version %d", fnv, r.fn.Name,
			r.fn.Version)
	}
	return err
}

func (r *request) requestID() error {
	if r.scan.Peek() != '"' {
		_, err := r.scan.Skip()
		return err
	}
	id, err := r.scan.String()
	r.query = string(id)
	return err
}

// context returns "fn" and "fnv" of userDefinedContext, an object of strings.
func (r *request) context() (fn, fnv string, err error) {
	s := &r.scan
	if s.Peek() == 'n' {
		return "", "", s.Null()
	}
	if err := s.Object(); err != nil {
		return "", "", errcode.New(errcode.InvalidArgument, "userDefinedContext: %w", err)
	}
	for first := true; ; first = false {
		key, ok, err := s.Key(first)
		if err != nil || !ok {
			return fn, fnv, err
		}
		isFn, isFnv := string(key) == "fn", string(key) == "fnv"
		if s.Peek() != '"' {
			_, err = s.Skip()
		} else if v, e := s.String(); isFn {
			fn, err = string(v), e
		} else if isFnv {
			fnv, err = string(v), e
		} else {
			err = e
		}
		if err != nil {
			return "", "", errcode.New(errcode.InvalidArgument, "userDefinedContext: %w", err)
		}
	}
}

func (bigquery) encode(dst []byte, r *request) []byte {
	return append(appendResults(append(dst, `{"replies":`...), r, true), '}')
}

const bigqueryMessage = 1000 // bytes of an errorMessage, below the 1 KB that BigQuery shows

func (bigquery) fault(dst []byte, err error, requestID string) []byte {
	_, reason := udf.PublicError(err)
	dst = append(dst, `{"errorMessage":`...)
	tail := " (request " + requestID + ")"
	dst = jsonscan.AppendString(dst, cutText(reason, bigqueryMessage-len(tail))+tail)
	return append(dst, '}')
}
