package judgebackend

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
)

// Kind is the kind of a failed call. The names are part of logs and reasons and never change their meaning.
type Kind string

// The kinds of failure.
const (
	KindInternal     Kind = "internal"     // a defect here
	KindInvalid      Kind = "invalid"      // the request is malformed, or the endpoint reports that
	KindTooLong      Kind = "too_long"     // the prompt does not fit the model
	KindUnauthorized Kind = "unauthorized" // no valid credentials
	KindDenied       Kind = "denied"       // valid credentials, not allowed
	KindBilling      Kind = "billing"      // no credit or quota left
	KindNotFound     Kind = "not_found"    // no such model or address
	KindRateLimited  Kind = "rate_limited" // too many calls or tokens at once
	KindServer       Kind = "server"       // the endpoint's fault
	KindNetwork      Kind = "network"      // no connection, or it was cut
	KindTimeout      Kind = "timeout"      // no answer in time
	KindCancelled    Kind = "cancelled"    // the caller gave up
	KindMalformed    Kind = "malformed"    // the endpoint's answer is not in its protocol
	KindOversized    Kind = "oversized"    // the answer is bigger than allowed
	KindRefused      Kind = "refused"      // the model or a content filter declined
	KindLength       Kind = "length"       // the reply was cut at its token limit
	KindBadReply     Kind = "bad_reply"    // the reply does not satisfy its schema, repair included
	KindUntrusted    Kind = "untrusted"    // the host's certificate is not trusted
	KindUnready      Kind = "unready"      // the connection is not in a state to be asked
	KindEgress       Kind = "egress"       // a host that the configuration does not name
	KindBudget       Kind = "budget"       // the budget would be passed
	KindCircuitOpen  Kind = "circuit_open" // not tried: the last calls showed that none can succeed
	KindNoKey        Kind = "no_key"       // the key does not exist yet
	KindNoJudge      Kind = "no_judge"     // the backend is none
	KindReplayMiss   Kind = "replay_miss"  // no recorded answer to this request
	KindStore        Kind = "store"        // the ledger cannot be read
	KindUnsupported  Kind = "unsupported"  // not offered by this backend
)

// kinds holds the consequences of each kind: code is its errcode, retry whether another attempt may
// help, lost whether the attempt may have been billed though no answer came, trips whether no other
// call could do better, so that the circuit opens.
var kinds = map[Kind]struct {
	code               errcode.Code
	retry, lost, trips bool
	text               string
}{
	KindInternal:     {errcode.Internal, false, false, false, "internal error"},
	KindInvalid:      {errcode.InvalidArgument, false, false, false, "request not accepted"},
	KindTooLong:      {errcode.InvalidArgument, false, false, false, "prompt too long for the model"},
	KindUnauthorized: {errcode.Unauthenticated, false, false, true, "credentials not accepted"},
	KindDenied:       {errcode.PermissionDenied, false, false, false, "not allowed"},
	KindBilling:      {errcode.FailedPrecondition, false, false, true, "no credit or quota left"},
	KindNotFound:     {errcode.NotFound, false, false, true, "no such model or address"},
	KindRateLimited:  {errcode.ResourceExhausted, true, false, false, "rate limited"},
	KindServer:       {errcode.Unavailable, true, false, false, "server error"},
	KindNetwork:      {errcode.Unavailable, true, true, false, "connection failed"},
	KindTimeout:      {errcode.DeadlineExceeded, true, true, false, "no answer in time"},
	KindCancelled:    {errcode.Cancelled, false, true, false, "cancelled"},
	KindMalformed:    {errcode.DataLoss, true, true, false, "answer is not in the endpoint's protocol"},
	KindOversized:    {errcode.DataLoss, false, true, false, "answer bigger than allowed"},
	KindRefused:      {errcode.FailedPrecondition, false, false, false, "the model declined to answer"},
	KindLength:       {errcode.DataLoss, false, false, false, "reply cut at its token limit"},
	KindBadReply:     {errcode.DataLoss, false, false, false, "reply does not satisfy its schema"},
	KindUntrusted:    {errcode.FailedPrecondition, false, false, true, "the host's certificate is not trusted"},
	KindUnready:      {errcode.FailedPrecondition, false, false, false, "the connection is not in a state to be asked"},
	KindEgress:       {errcode.PermissionDenied, false, false, false, "host is not on the allow list"},
	KindBudget:       {errcode.ResourceExhausted, false, false, false, "the budget would be passed"},
	KindCircuitOpen: {errcode.Unavailable, false, false, false,
		"not asked, because earlier calls showed that none can succeed"},
	KindNoKey:       {errcode.Unavailable, false, false, false, "the key is not available yet"},
	KindNoJudge:     {errcode.FailedPrecondition, false, false, false, "no judge configured"},
	KindReplayMiss:  {errcode.NotFound, false, false, false, "no recorded answer"},
	KindStore:       {errcode.Unavailable, false, false, false, "the ledger cannot be read"},
	KindUnsupported: {errcode.Unimplemented, false, false, false, "not offered by this backend"},
}

// Error is a failed call. Its text is this package's own: what an endpoint wrote may hold the
// prompt or a key and is not kept. errcode.Of gives its code.
type Error struct {
	Kind       Kind
	Backend    string
	Host       string
	Status     int           // HTTP status, 0 for none
	RetryAfter time.Duration // how long the endpoint asks to wait, 0 if it does not say
	Detail     string        // more about it, in this package's words

	Said  Said  // what the endpoint wrote: looked at, never shown
	cause error // a context's error or another *Error
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("judge")
	if e.Backend != "" {
		b.WriteString(" " + e.Backend)
	}
	if e.Host != "" {
		b.WriteString(" at " + e.Host)
	}
	b.WriteString(": " + kinds[e.Kind].text)
	if e.Status != 0 {
		fmt.Fprintf(&b, " (HTTP %d)", e.Status)
	}
	if e.RetryAfter > 0 {
		fmt.Fprintf(&b, "; retry after %v", e.RetryAfter.Round(time.Millisecond))
	}
	if e.Detail != "" {
		b.WriteString(": " + e.Detail)
	}
	return b.String()
}

// Code is the errcode of e's kind; that of its cause for an open circuit.
func (e *Error) Code() errcode.Code {
	if e.Kind == KindCircuitOpen && e.cause != nil {
		return errcode.Of(e.cause)
	}
	return kinds[e.Kind].code
}

// Unwrap gives e's errcode.Error, and below it the cause.
func (e *Error) Unwrap() error { return &errcode.Error{Code: e.Code(), Msg: e.Error(), Err: e.cause} }

// GoString is Error, so that %#v shows no more than %v.
func (e *Error) GoString() string { return e.Error() }

// LogValue is Error.
func (e *Error) LogValue() slog.Value { return slog.StringValue(e.Error()) }

// KindOf is the kind of the first *Error in err's chain, else the one that its errcode suggests; ""
// for nil.
func KindOf(err error) Kind {
	var e *Error
	var coded *errcode.Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &e):
		return e.Kind
	case errors.As(err, &coded):
		return kindOfCode(coded.Code)
	}
	return KindInternal
}

// finishError is the error that comes with an unusable answer.
func (r Response) finishError(id Identity) error {
	e := &Error{Backend: id.Backend, Host: id.Host}
	switch r.FinishReason {
	case FinishLength:
		e.Kind = KindLength
	case FinishRefusal:
		e.Kind = KindRefused
	case FinishOversized:
		e.Kind = KindOversized
	default:
		return nil
	}
	return e
}

// MapError is the one place where errors of SDKs, networks and connections become an *Error. Their
// text is dropped. The result is the caller's own: callers of one flight get the same err.
func MapError(ctx context.Context, id Identity, err error) error {
	out := Error{Kind: KindInternal}
	var known *Error
	var coded *errcode.Error
	switch ctxErr := ctx.Err(); {
	case errors.As(err, &known):
		out = *known
	case errors.Is(ctxErr, context.Canceled):
		out = Error{Kind: KindCancelled, cause: context.Canceled}
	case ctxErr != nil, errors.Is(err, context.DeadlineExceeded):
		out = Error{Kind: KindTimeout, cause: context.DeadlineExceeded}
	case errors.As(err, &coded):
		out.Kind = kindOfCode(coded.Code)
	case isJSONError(err), isEmptyAnswer(err):
		out.Kind = KindMalformed
	case isNetError(err):
		out.Kind = KindNetwork
	}
	if out.Backend == "" {
		out.Backend, out.Host = id.Backend, id.Host
	}
	return &out
}

// kindOfCode gives the kind for errors that others have coded: a connection's, mostly.
func kindOfCode(c errcode.Code) Kind {
	switch c {
	case errcode.Cancelled:
		return KindCancelled
	case errcode.InvalidArgument:
		return KindInvalid
	case errcode.DeadlineExceeded:
		return KindTimeout
	case errcode.NotFound:
		return KindNotFound
	case errcode.PermissionDenied:
		return KindDenied
	case errcode.ResourceExhausted:
		return KindRateLimited
	case errcode.FailedPrecondition:
		return KindUnready
	case errcode.Unavailable, errcode.Unknown:
		return KindServer
	case errcode.DataLoss:
		return KindMalformed
	case errcode.Unauthenticated:
		return KindUnauthorized
	case errcode.Unimplemented:
		return KindUnsupported
	}
	return KindInternal
}

// isEmptyAnswer distinguishes an answer without a body from a closed connection, which is the error of a request
// ([url.Error]) or of a truncated body ([io.ErrUnexpectedEOF]).
func isEmptyAnswer(err error) bool {
	var request *url.Error
	return errors.Is(err, io.EOF) && !errors.As(err, &request)
}

func isJSONError(err error) bool {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	return errors.As(err, &syntax) || errors.As(err, &kind)
}

func isNetError(err error) bool {
	var timeout interface{ Timeout() bool } // net.Error and *url.Error have it
	return errors.As(err, &timeout) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}
