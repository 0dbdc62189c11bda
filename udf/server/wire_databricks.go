package server

import (
	"time"

	"github.com/badger-eval/badger/udf"
)

// databricks is the format for http_request, with one row per call: the request is an object of arguments by name,
// where absent is the same as null, and the reply is the result itself. An error is the JSON envelope of a failed
// score, so that SQL can read it whatever the status is.
type databricks struct{}

func (databricks) traits() traits {
	return traits{name: "databricks", budget: 55 * time.Second, compress: 1024}
}

func (databricks) decode(r *request) error {
	if err := r.resolve(r.name); err != nil {
		return err
	}
	if err := r.named(); err != nil {
		return err
	}
	return r.scan.End()
}

func (databricks) encode(dst []byte, r *request) []byte {
	return udf.AppendValue(dst, &r.out, 0, true)
}

func (databricks) fault(dst []byte, err error, requestID string) []byte {
	code, reason := udf.PublicError(err)
	return udf.AppendFailure(dst, code, reason, requestID)
}

// databricksBatch is the format for Python UDFs on batches, and for SQL that collects rows into one call: the request
// is {"rows":[[arg,…],…]}, the reply {"results":[…]}.
type databricksBatch struct{ databricks }

func (databricksBatch) traits() traits {
	return traits{name: "databricks_batch", budget: 10 * time.Minute, compress: 1024}
}

func (databricksBatch) decode(r *request) error { return decodeRows(r) }

func (databricksBatch) encode(dst []byte, r *request) []byte {
	return append(appendResults(append(dst, `{"results":`...), r, true), '}')
}
