package driverbase

import (
	"crypto/x509"
	sqldriver "database/sql/driver"
	"time"

	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/badger-eval/badger/internal/errcode"
)

// ReadOnlyError returns the error of all operations that write, for a connector that only reads. what names the engine
// or its databases, and them is the pronoun for that.
func ReadOnlyError(connector, what, them string) error {
	return errcode.New(errcode.PermissionDenied,
		"%s: unsupported: badger reads %s and does not write to %s; use duckdb:FILE or a warehouse for scores and badger's tables",
		connector, what, them)
}

// Drain reads the result of a query to its end and discards it, as Exec of a connector that only reads does. It returns
// err if that is not nil.
func Drain(r array.RecordReader, err error) error {
	if err != nil {
		return err
	}
	defer r.Release()
	for r.Next() { //nolint:revive // the rows are dropped
	}
	return r.Err()
}

// Arguments returns the arguments of a statement as a driver for database/sql takes them. instant converts a time. An
// argument of another type is an error (InvalidArgument).
func Arguments(connector string, args []any, instant func(time.Time) sqldriver.Value) ([]sqldriver.NamedValue, error) {
	out := make([]sqldriver.NamedValue, len(args))
	for i, arg := range args {
		switch v := arg.(type) {
		case nil, bool, int64, float64, string:
			out[i] = sqldriver.NamedValue{Ordinal: i + 1, Value: v}
		case time.Time:
			out[i] = sqldriver.NamedValue{Ordinal: i + 1, Value: instant(v)}
		default:
			return nil, errcode.New(errcode.InvalidArgument, "%s: parameter %d: unsupported type %T", connector, i+1, arg)
		}
	}
	return out, nil
}

// Authorities reads the certificates of authorities from the file of the option tls_ca. An error has the code
// Unauthenticated.
func Authorities(connector, file string) (*x509.CertPool, error) {
	pem, err := ReadFile(connector, "authority (tls_ca)", file)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, errcode.New(errcode.Unauthenticated, "%s: the file %s of tls_ca holds no certificate in PEM form",
			connector, FileName(file))
	}
	return pool, nil
}
