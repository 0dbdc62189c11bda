package bigquery

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/badger-eval/badger/connectors/duckdb"
)

// apiError is an error of the REST API.
type apiError struct {
	status          int
	reason, message string
}

func (e *apiError) Error() string { return e.reason + ": " + e.message }

func notFound(what string) *apiError {
	return &apiError{http.StatusNotFound, "notFound", "Not found: " + what}
}

func invalid(message string) *apiError {
	return &apiError{http.StatusBadRequest, "invalidQuery", message}
}

// serve handles one request with f, or applies the operation's next fault.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, operation string, f func(*http.Request) (any, error)) {
	fault := s.fault(operation)
	if !s.allowed(r.Header.Get("Authorization")) {
		writeError(w, &apiError{http.StatusUnauthorized, "authError", "Invalid Credentials"})
		return
	}
	if fault.any() && !fault.Done {
		s.meet(w, fault)
		return
	}
	answer, err := f(r)
	if fault.any() {
		s.meet(w, fault)
		return
	}
	if err != nil {
		writeError(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(answer) //nolint:errcheck // the client is gone
}

func (s *Server) meet(w http.ResponseWriter, f Fault) {
	if f.Cut {
		if h, ok := w.(http.Hijacker); ok {
			if conn, _, err := h.Hijack(); err == nil {
				conn.Close() //nolint:errcheck // that is the fault
			}
		}
		return
	}
	if f.RetryAfter != "" {
		w.Header().Set("Retry-After", f.RetryAfter)
	}
	writeError(w, &apiError{f.Status, f.Reason, f.Message})
}

func writeError(w http.ResponseWriter, err error) {
	var e *apiError
	if !errors.As(err, &e) {
		e = &apiError{http.StatusInternalServerError, "internalError", err.Error()}
	}
	type item struct {
		Reason  string `json:"reason"`
		Message string `json:"message"`
	}
	body := map[string]any{
		"error": map[string]any{"code": e.status, "message": e.message, "errors": []item{{e.reason, e.message}}}}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(e.status)
	json.NewEncoder(w).Encode(body) //nolint:errcheck // the client is gone
}

// quote quotes a name in the engine's SQL.
var quote = duckdb.Dialect.Identifiers.Quoted
