package workspace

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
)

// Broken returns the error for a result that is incomplete or does not have the expected form.
func Broken(format string, args ...any) error {
	return errcode.New(errcode.DataLoss, "databricks: reading a result: "+format, args...)
}

func invalid(format string, args ...any) error {
	return errcode.New(errcode.InvalidArgument, "databricks: "+format, args...)
}

// Explain returns the error to show for a failed request: the operation and a remedy. The workspace's message is only
// in the cause. Other errors are unchanged.
func (c *Client) Explain(err error) error {
	var no *Refusal
	var lost *lostError
	switch {
	case errors.As(err, &no):
		code, text := c.refusalText(no)
		return errcode.Because(err, code, "databricks: %s: %s", no.what, text)
	case errors.As(err, &lost):
		text := "the workspace at " + c.config.Host + " cannot be reached; check the host and the network"
		if lost.sent {
			text = "the connection to " + c.config.Host + " was lost before the answer came; try again"
		}
		return errcode.Because(err, errcode.Unavailable, "databricks: %s: %s", lost.what, text)
	}
	return err
}

// refusalText returns the part of an error response that may be shown.
func (c *Client) refusalText(no *Refusal) (errcode.Code, string) {
	warehouse := "SQL warehouse " + c.config.warehouse()
	switch no.Status {
	case http.StatusUnauthorized:
		return errcode.Unauthenticated, "the token is missing, expired or not accepted by this workspace; renew it"
	case http.StatusForbidden:
		if strings.Contains(no.detail, "IP") && strings.Contains(no.detail, "block") || strings.Contains(no.detail, "ACL") {
			return errcode.PermissionDenied, "the workspace's IP access list does not allow this machine"
		}
		if strings.Contains(strings.ToLower(no.detail), "token") {
			return errcode.Unauthenticated, "the token is expired or not accepted by this workspace; renew it"
		}
		return errcode.PermissionDenied, "access denied; the account needs CAN USE on " + warehouse
	case http.StatusNotFound:
		return errcode.NotFound, "not found; check the host and http_path: " + warehouse + " must be one of this workspace"
	case http.StatusTooManyRequests:
		return errcode.Unavailable, "too many requests; retry later, or reduce concurrency"
	case http.StatusServiceUnavailable:
		return errcode.Unavailable, warehouse + " is starting, stopped or overloaded; try again later, or start it"
	case http.StatusBadRequest:
		if code := plain(no.Code, ""); code != "" {
			return errcode.InvalidArgument, "the request is not accepted (" + code + ")"
		}
		return errcode.InvalidArgument, "the request is not accepted; check http_path"
	}
	if no.Status >= 500 {
		return errcode.Unavailable, fmt.Sprintf("the service failed (HTTP status %d); try again later", no.Status)
	}
	if no.Status >= 300 && no.Status < 400 {
		return errcode.NotFound, "the host redirects; check that it is the workspace's host, without a path"
	}
	return errcode.Unknown, fmt.Sprintf("HTTP status %d", no.Status)
}

// restError returns the code and the message in the body of an error response.
func restError(body []byte) (code, message string) {
	var e struct {
		Code    any    `json:"error_code"`
		Message string `json:"message"`
	}
	if json.Unmarshal(body, &e) != nil {
		return "", ""
	}
	code, _ = e.Code.(string)
	return code, e.Message
}

var plainWord = regexp.MustCompile(`^[A-Za-z_-]{1,60}$`)

// plain returns s if it is a single word, else other.
func plain(s, other string) string {
	if plainWord.MatchString(s) {
		return s
	}
	return other
}
