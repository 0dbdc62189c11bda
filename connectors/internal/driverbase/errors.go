package driverbase

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"

	"github.com/badger-eval/badger/internal/errcode"
)

// Told reports whether an error can be shown unchanged: nil, an error with a code, or a context's error. Other errors
// are from a vendor, and their text may contain values and SQL.
func Told(err error) bool {
	var ours *errcode.Error
	return err == nil || errors.As(err, &ours) || errors.Is(err, context.Canceled) ||
		errors.Is(err, context.DeadlineExceeded)
}

// states maps SQLSTATEs of ISO 9075 and of warehouses to error codes. A key of two characters is a class of SQLSTATEs.
var states = map[string]errcode.Code{
	"02": errcode.NotFound, "08": errcode.Unavailable, "0A": errcode.Unimplemented, "0L": errcode.PermissionDenied,
	"0P": errcode.PermissionDenied,
	"21": errcode.InvalidArgument, "22": errcode.InvalidArgument, "23": errcode.InvalidArgument,
	"23503": errcode.FailedPrecondition, "23505": errcode.AlreadyExists,
	"25": errcode.FailedPrecondition, "25006": errcode.PermissionDenied, "28": errcode.Unauthenticated,
	"2B": errcode.FailedPrecondition, "2D521": errcode.Unavailable,
	"2F": errcode.InvalidArgument, "34": errcode.InvalidArgument, "3D": errcode.NotFound, "3F": errcode.NotFound,
	"40": errcode.Unavailable,
	"42": errcode.InvalidArgument, "42501": errcode.PermissionDenied, "42701": errcode.AlreadyExists,
	"42704": errcode.NotFound, "42710": errcode.AlreadyExists,
	"42723": errcode.AlreadyExists, "42883": errcode.NotFound, "42P01": errcode.NotFound, "42P06": errcode.AlreadyExists,
	"42P07": errcode.AlreadyExists, "42S02": errcode.NotFound,
	"44": errcode.InvalidArgument, "53": errcode.FailedPrecondition, "53300": errcode.Unavailable,
	"54": errcode.InvalidArgument, "55": errcode.FailedPrecondition, "55P03": errcode.Unavailable,
	"56": errcode.FailedPrecondition, "57": errcode.Unavailable, "57P04": errcode.NotFound, "58": errcode.Unavailable,
	"72": errcode.Unavailable,
	"F0": errcode.Internal, "HV": errcode.Unavailable, "KD": errcode.Unavailable, "P0": errcode.InvalidArgument,
	"XX": errcode.Unavailable, "XX001": errcode.DataLoss, "XX002": errcode.DataLoss,
}

// SQLState returns the error code of a SQLSTATE, or that of its class if the SQLSTATE is unknown; errcode.Unknown if
// both are.
func SQLState(state string) errcode.Code {
	code, known := states[state]
	if !known && len(state) == 5 {
		code, known = states[state[:2]]
	}
	if !known {
		return errcode.Unknown
	}
	return code
}

// Transport classifies an error of the connection to a warehouse, and describes it: Unavailable if the host is unknown
// or unreachable, or the connection is lost; Unauthenticated for an untrusted certificate or a server without TLS. It
// returns errcode.Unknown and "" for other errors.
func Transport(err error) (errcode.Code, string) {
	var (
		dns         *net.DNSError
		authority   x509.UnknownAuthorityError
		hostname    x509.HostnameError
		invalid     x509.CertificateInvalidError
		certificate *tls.CertificateVerificationError
		refused     tls.RecordHeaderError
		dial        *net.OpError
	)
	switch {
	case errors.As(err, &dns):
		return errcode.Unavailable, "its host is not known"
	case errors.As(err, &authority), errors.As(err, &hostname), errors.As(err, &invalid), errors.As(err, &certificate):
		return errcode.Unauthenticated, "its certificate is not trusted"
	case errors.As(err, &refused):
		return errcode.Unauthenticated, "it does not support encryption"
	case errors.As(err, &dial) && dial.Op == "dial":
		return errcode.Unavailable, "the server does not answer"
	case errors.As(err, &dial), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return errcode.Unavailable, "the connection was lost"
	}
	return errcode.Unknown, ""
}
