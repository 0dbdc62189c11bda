package server

import "github.com/badger-eval/badger/udf"

// Load is the current load of a server.
type Load struct {
	Calls int64 // in flight, including streams
	Bytes int64 // of memory reserved for calls and cached data
	udf.Load
}

// Load returns the current load of the server.
func (s *Server) Load() Load {
	return Load{Calls: s.active.Load(), Bytes: s.admission.held.Load(), Load: s.catalogue.Load()}
}

// known returns a function's name, or "unknown" if it does not exist: each name becomes a time series of metrics, and
// callers can send any name.
func (s *Server) known(function string) string {
	if function == "" || function == "score_case" {
		return function
	}
	if _, err := s.catalogue.Function(function); err == nil {
		return function
	}
	return "unknown"
}
