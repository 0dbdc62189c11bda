package store

import (
	"time"

	"github.com/badger-eval/badger/connectors/driver"
)

// Calls reads the rows of calls with some ids.
func Calls(d driver.Dialect, ids []string) (query string, args []any) {
	list := params(d, &args, ids)
	return "SELECT call_id, content_hash, function, request, reply, expires_ms FROM badger.calls WHERE call_id IN (" + list + ")", args
}

// AnswerCall writes the reply of a call that has none yet.
func AnswerCall(d driver.Dialect, id, reply string) (query string, args []any) {
	return "UPDATE badger.calls SET reply = " + d.Param(1) + " WHERE call_id = " + d.Param(2) + " AND reply IS NULL", []any{reply, id}
}

// ForgetCalls deletes the calls that expired before a time.
func ForgetCalls(d driver.Dialect, before time.Time) (query string, args []any) {
	return "DELETE FROM badger.calls WHERE expires_ms < " + d.Param(1), []any{before.UnixMilli()}
}

// ForgetCall deletes one call.
func ForgetCall(d driver.Dialect, id string) (query string, args []any) {
	return "DELETE FROM badger.calls WHERE call_id = " + d.Param(1), []any{id}
}
