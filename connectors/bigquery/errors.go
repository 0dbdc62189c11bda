package bigquery

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"

	"cloud.google.com/go/auth"
	bq "google.golang.org/api/bigquery/v2"
	"google.golang.org/api/googleapi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/lazyregexp"
)

// reasons are the error codes of BigQuery's error reasons.
var reasons = map[string]errcode.Code{
	"accessDenied": errcode.PermissionDenied, "blocked": errcode.PermissionDenied, "forbidden": errcode.PermissionDenied,
	"insufficientPermissions": errcode.PermissionDenied,
	"accessNotConfigured":     errcode.FailedPrecondition, "billingNotEnabled": errcode.FailedPrecondition,
	"resourceInUse": errcode.FailedPrecondition, "policyViolation": errcode.PermissionDenied,
	"notFound": errcode.NotFound, "duplicate": errcode.AlreadyExists, "alreadyExists": errcode.AlreadyExists,
	"invalid": errcode.InvalidArgument, "invalidQuery": errcode.InvalidArgument, "invalidUser": errcode.InvalidArgument,
	"required": errcode.InvalidArgument, "badRequest": errcode.InvalidArgument,
	"parseError": errcode.InvalidArgument, "invalidParameter": errcode.InvalidArgument,
	"incompatibleSchema": errcode.InvalidArgument,
	"rateLimitExceeded":  errcode.Unavailable, "jobRateLimitExceeded": errcode.Unavailable,
	"userRateLimitExceeded": errcode.Unavailable,
	"quotaExceeded":         errcode.FailedPrecondition, "resourcesExceeded": errcode.FailedPrecondition,
	"billingTierLimitExceeded": errcode.FailedPrecondition, "bytesBilledLimitExceeded": errcode.FailedPrecondition,
	"responseTooLarge": errcode.ResourceExhausted,
	"backendError":     errcode.Unavailable, "internalError": errcode.Unavailable, "jobBackendError": errcode.Unavailable,
	"jobInternalError": errcode.Unavailable,
	"tableUnavailable": errcode.Unavailable, "stopped": errcode.Cancelled, "timeout": errcode.DeadlineExceeded,
	"notImplemented": errcode.Unimplemented,
	"authError":      errcode.Unauthenticated, "unauthorized": errcode.Unauthenticated,
}

// again are the reasons for which a request is retried, or a failed job, which changed nothing, is run again.
var again = map[string]bool{
	"backendError": true, "internalError": true, "jobBackendError": true, "jobInternalError": true,
	"rateLimitExceeded": true, "jobRateLimitExceeded": true,
	"userRateLimitExceeded": true, "tableUnavailable": true,
}

// fault is an error of BigQuery or its clients.
type fault struct {
	code            errcode.Code
	reason, message string
	status          int  // HTTP status; 0 if none
	transient       bool // a retry may succeed
}

// faultOf classifies an error of the clients.
func faultOf(err error) fault {
	var rest *googleapi.Error
	var job *jobError
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fault{code: errcode.Of(err)}
	case errors.As(err, &job):
		return reasonFault(job.Reason, job.Message)
	case errors.As(err, &rest):
		f := fault{message: rest.Message, status: rest.Code}
		if len(rest.Errors) > 0 {
			f = reasonFault(rest.Errors[0].Reason, rest.Errors[0].Message)
			f.status = rest.Code
		}
		if f.message == "" {
			f.message = rest.Message
		}
		if f.code == errcode.Unknown {
			f.code = httpCodes[rest.Code]
		}
		if f.code == errcode.OK {
			f.code = errcode.Unavailable
		}
		if rest.Code == http.StatusTooManyRequests || rest.Code >= 500 && rest.Code != http.StatusNotImplemented {
			f.transient = true
		}
		return f
	}
	var code *errcode.Error
	if errors.As(err, &code) {
		return fault{code: code.Code}
	}
	var token *auth.Error
	if errors.As(err, &token) {
		return fault{code: errcode.Unauthenticated, reason: "token", transient: token.Temporary()}
	}
	if s, ok := status.FromError(err); ok && s.Code() != codes.OK && s.Code() != codes.Unknown {
		code := errcode.Code(s.Code()) //nolint:gosec // the numbers are gRPC's
		switch s.Code() {
		case codes.Aborted:
			code = errcode.Unavailable
		case codes.OutOfRange:
			code = errcode.InvalidArgument
		case codes.ResourceExhausted:
			reason := "rateLimitExceeded"
			if strings.Contains(strings.ToLower(s.Message()), "quota") {
				reason = "quotaExceeded"
			}
			return reasonFault(reason, s.Message())
		}
		retry := s.Code() == codes.Unavailable || s.Code() == codes.Aborted || s.Code() == codes.Internal ||
			s.Code() == codes.DeadlineExceeded
		return fault{code: code, message: s.Message(), transient: retry}
	}
	var network net.Error
	switch code, _ := driverbase.Transport(err); {
	case code == errcode.Unauthenticated:
		return fault{code: code, reason: "certificate"}
	case code != errcode.Unknown, errors.As(err, &network):
		return fault{code: errcode.Unavailable, reason: "connection", transient: true}
	}
	return fault{code: errcode.Unknown}
}

// emulated matches the messages of emulators that report a failed statement as an internal error.
var emulated = lazyregexp.New(
	`^failed to (?:analyze|parse statements|format query|query|exec)\b[^:]*: (?:failed to parse statement: )?`)

func reasonFault(reason, message string) fault {
	if m := emulated.FindString(message); m != "" {
		reason, message = "invalidQuery", message[len(m):]
		if strings.HasPrefix(message, "Table not found: ") {
			reason = "notFound"
		}
	}
	code, known := reasons[reason]
	if !known {
		code = errcode.Unknown
	}
	f := fault{code: code, reason: reason, message: message, transient: again[reason]}
	if noFunction.MatchString(message) {
		f.code = errcode.NotFound
	}
	if conflicting.MatchString(message) {
		f.code, f.reason, f.transient = errcode.Unavailable, "conflict", true
	}
	return f
}

var noFunction = lazyregexp.New(`^(?:Table-valued f|F)unction not found: `)

// conflicting matches messages of statements that failed because of a concurrent one; they changed nothing.
var conflicting = lazyregexp.New(
	`(?i)due to concurrent update|aborted due to concurrent|too many DML statements outstanding`)

var httpCodes = map[int]errcode.Code{
	400: errcode.InvalidArgument, 401: errcode.Unauthenticated, 403: errcode.PermissionDenied, 404: errcode.NotFound,
	409: errcode.AlreadyExists, 412: errcode.FailedPrecondition,
	413: errcode.ResourceExhausted, 429: errcode.Unavailable, 499: errcode.Cancelled, 500: errcode.Unavailable,
	501: errcode.Unimplemented, 502: errcode.Unavailable,
	503: errcode.Unavailable, 504: errcode.DeadlineExceeded,
}

func codeOf(err error) errcode.Code {
	if err == nil {
		return errcode.OK
	}
	return faultOf(err).code
}

// jobError is the error of a failed job.
type jobError struct{ *bq.ErrorProto }

func (e *jobError) Error() string { return e.Reason + ": " + e.Message }

// errorOf returns the error to show: the operation, the kind of failure, the names in the message, and a remedy. Cell
// values and SQL text, which messages may quote, are only in the cause.
func (c *Conn) errorOf(err error, what string) error {
	if driverbase.Told(err) {
		return err
	}
	f := faultOf(err)
	text := shown(f)
	if remedy := c.remedy(f); remedy != "" {
		text += "; " + remedy
	}
	return errcode.Because(err, f.code, "bigquery: %s: %s", what, text)
}

const identifier = "[`\\w.:$\\-]+"

// messages match the parts of messages that may be shown. They contain names but no values.
var messages = []*lazyregexp.Regexp{
	lazyregexp.New(
		`^Not found: (?:Table|Dataset|Project|Job|Routine|Model|Connection|View|Reservation|Function) (` + identifier +
			`)(?: was not found)?(?: in location [\w-]+)?`),
	lazyregexp.New(
		`^(?:Unrecognized name|Table not found|Function not found|Table-valued function not found|Type not found): (` +
			identifier + `)`),
	lazyregexp.New(`^Name (` + identifier + `) not found inside ` + identifier),
	lazyregexp.New(`^Column (` + identifier + `) is not present in table ` + identifier),
	lazyregexp.New(`^Already Exists: (?:Table|Dataset|Job|Routine|Model) (` + identifier + `)`),
	lazyregexp.New(
		`^(?:Access Denied|Permission denied): (?:Project|Dataset|Table|View|Job|BigQuery) (` + identifier + `)`),
	lazyregexp.New(`[Pp]ermission '?(bigquery\.[\w.]+)'?`),
	lazyregexp.New(`^Duplicate column names? in the result are not supported`),
	lazyregexp.New(`^Table name "?(` + identifier + `)"? missing dataset`),
	lazyregexp.New(`(?i)requested entity was not found|table must be qualified with a dataset`),
}

var position = lazyregexp.New(`\[(?:at )?(\d+):(\d+)\]`)

// shown returns the part of an error's message that may be shown.
func shown(f fault) string {
	text := map[string]string{
		"invalidQuery": "the SQL text is not valid, or a value does not fit", "invalid": "the request is not valid",
		"accessDenied": "access denied", "notFound": "not found",
		"quotaExceeded": "a quota is used up", "rateLimitExceeded": "too many requests",
		"jobRateLimitExceeded": "too many jobs", "userRateLimitExceeded": "too many requests of this user",
		"responseTooLarge":         "the result is larger than BigQuery returns",
		"billingTierLimitExceeded": "it needs a higher billing tier than is allowed", "backendError": "BigQuery failed",
		"internalError": "BigQuery failed", "stopped": "the job was cancelled",
		"duplicate": "it exists already", "connection": "the connection was lost", "token": "no access token was given out",
		"certificate":              "the certificate of the other side is not accepted",
		"conflict":                 "another statement changed the table at the same time",
		"bytesBilledLimitExceeded": "it would bill more than max_bytes_billed",
		"resourcesExceeded":        "it needs more resources than BigQuery gives one query",
	}[f.reason]
	if text == "" {
		text = strings.ReplaceAll(f.code.String(), "_", " ")
		if f.reason != "" && plainName(f.reason) {
			text += " (" + f.reason + ")"
		}
	}
	for _, m := range messages {
		if found := m.FindString(f.message); found != "" {
			text = found
			break
		}
	}
	if p := position.FindStringSubmatch(f.message); p != nil {
		text += " (line " + p[1] + ", column " + p[2] + " of the SQL text)"
	}
	return text
}

// remedy returns what the user can do about an error; "" if nothing is known.
func (c *Conn) remedy(f fault) string {
	switch {
	case f.reason == "certificate", f.code == errcode.NotFound && f.reason == "invalidQuery":
		return ""
	case f.status == http.StatusUnauthorized, f.code == errcode.Unauthenticated:
		return "the access token is missing, expired or not accepted; renew the credentials"
	case f.reason == "accessNotConfigured":
		return "enable the BigQuery API in project " + c.o.BillingProject
	case f.reason == "billingNotEnabled":
		return "enable billing in project " + c.o.BillingProject
	case f.code == errcode.PermissionDenied:
		return "the account needs roles/bigquery.jobUser in project " + c.o.BillingProject +
			", roles/bigquery.dataViewer on the data (dataEditor to write) and roles/bigquery.readSessionUser for large results"
	case f.reason == "quotaExceeded":
		return "wait until it is renewed, or have it raised"
	case f.code == errcode.NotFound && c.o.Location == "":
		return "if it exists, name its location (location=…)"
	case f.code == errcode.NotFound:
		return "it must be in location " + c.o.Location
	case f.reason == "bytesBilledLimitExceeded":
		return "raise max_bytes_billed, or have it read less"
	case f.code == errcode.Unavailable:
		return "try again later"
	}
	return ""
}
