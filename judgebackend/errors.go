package judgebackend

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
)

// Kind is the kind of a failed call. The names appear in logs and reasons, and their meaning never changes.
type Kind string

// The kinds of failure.
const (
	KindInternal     Kind = "internal"     // a bug in badger
	KindInvalid      Kind = "invalid"      // the request is malformed, or the endpoint reports so
	KindTooLong      Kind = "too_long"     // the prompt does not fit the model
	KindUnauthorized Kind = "unauthorized" // no valid credentials
	KindDenied       Kind = "denied"       // valid credentials, not allowed
	KindBilling      Kind = "billing"      // no credit or quota left
	KindRegion       Kind = "region"       // the endpoint serves no callers from here
	KindNotFound     Kind = "not_found"    // no such model or address
	KindRateLimited  Kind = "rate_limited" // too many concurrent calls or tokens
	KindServer       Kind = "server"       // the endpoint failed
	KindNetwork      Kind = "network"      // no connection, or it broke
	KindTimeout      Kind = "timeout"      // no reply in time
	KindCancelled    Kind = "cancelled"    // the caller gave up
	KindMalformed    Kind = "malformed"    // the endpoint's response does not follow its protocol
	KindOversized    Kind = "oversized"    // the response is larger than allowed
	KindRefused      Kind = "refused"      // the model or a content filter declined
	KindLength       Kind = "length"       // the reply was truncated at its token limit
	KindBadReply     Kind = "bad_reply"    // the reply does not satisfy its schema, even after a correction
	KindUntrusted    Kind = "untrusted"    // the host's certificate is not trusted
	KindUnready      Kind = "unready"      // the warehouse connection is not ready for judge calls
	KindEgress       Kind = "egress"       // the host is not on the allow list
	KindBudget       Kind = "budget"       // the call would exceed the budget
	KindCircuitOpen  Kind = "circuit_open" // not tried, because an earlier failure affects all calls
	KindNoKey        Kind = "no_key"       // the key file does not exist yet
	KindNoJudge      Kind = "no_judge"     // no judge is configured
	KindReplayMiss   Kind = "replay_miss"  // no recorded reply to this request
	KindStore        Kind = "store"        // the ledger cannot be read
	KindUnsupported  Kind = "unsupported"  // not offered by this backend
)

// kinds maps each kind to its consequences. code is the errcode. retry means that another attempt may succeed. lost
// means that the attempt may have been billed without a reply. trips means that all other calls would fail, too, so
// that the circuit opens.
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
	KindRegion:       {errcode.PermissionDenied, false, false, true, "the endpoint does not serve this country or region"},
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

// Error is a failed call. Its message contains the endpoint's own words only if [OpenOptions].ShowWords is set,
// because they may mention other callers. errcode.Of returns its code.
type Error struct {
	Kind       Kind
	Backend    string
	Host       string
	Status     int           // HTTP status; 0 if unknown
	RetryAfter time.Duration // the delay of Retry-After; 0 if unset
	Detail     string        // more about the failure, in badger's words
	AtLimit    bool          // of KindLength: the endpoint accepts no higher limit
	NoRetry    bool          // the endpoint says that another attempt is useless
	Unreached  bool          // no connection was made, so that nothing can have been billed

	Said  Said  // the endpoint's message, which classifies the failure
	shown bool  // whether the message contains Said.Words
	cause error // a context's error or another *Error; may be nil
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
	if e.shown && e.Said.words != "" {
		b.WriteString("; the endpoint says: " + e.Said.Words())
	}
	return b.String()
}

// Code returns the errcode of e.Kind, or that of the cause for an open circuit.
func (e *Error) Code() errcode.Code {
	if e.Kind == KindCircuitOpen && e.cause != nil {
		return errcode.Of(e.cause)
	}
	return kinds[e.Kind].code
}

// Unwrap returns an errcode.Error that wraps the cause.
func (e *Error) Unwrap() error { return &errcode.Error{Code: e.Code(), Msg: e.Error(), Err: e.cause} }

// GoString returns Error, so that %#v shows no more than %v.
func (e *Error) GoString() string { return e.Error() }

// LogValue returns Error.
func (e *Error) LogValue() slog.Value { return slog.StringValue(e.Error()) }

// KindOf returns the kind of the first *Error in err's chain, else the kind for its errcode, else KindInternal. For
// nil it returns "".
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

// WordsOf returns the words of the endpoint in err for the log of its operator; "" if there are none.
func WordsOf(err error) string {
	var e *Error
	if !errors.As(err, &e) {
		return ""
	}
	return e.Said.Words()
}

// finishError returns the error for an unusable reply, or nil if the reply is complete.
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

// MapError converts errors of SDKs, networks and warehouse connections to an *Error without their text. The result is
// a copy, because concurrent callers of one call share err.
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
	if known == nil && isDialError(err) {
		out.Unreached = true
		if out.Kind == KindNetwork {
			out.Detail = "the host was not reached"
		}
	}
	return &out
}

// isDialError reports whether no connection was made: the name was not found, or the connection was refused or timed
// out.
func isDialError(err error) bool {
	var op *net.OpError
	var dns *net.DNSError
	return errors.As(err, &dns) || errors.As(err, &op) && op.Op == "dial"
}

// lost reports whether the attempt with this error may have been billed without a reply.
func lost(err error) bool {
	var e *Error
	return kinds[KindOf(err)].lost && (!errors.As(err, &e) || !e.Unreached)
}

// kindOfCode returns the kind for the errcode of an error from elsewhere, such as a warehouse connection.
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

// isEmptyAnswer reports whether err means a response without a body. It is false for a closed connection, which is a
// [url.Error] or, in the middle of a body, [io.ErrUnexpectedEOF].
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
