package server

import "github.com/badger-eval/badger/udf"

// Load is the current load of a server.
type Load struct {
	Calls int64 // in flight, streams included
	Bytes int64 // of memory that calls hold: bodies, messages and what references read
	udf.Load
}

// Load returns the current load of the server.
func (s *Server) Load() Load {
	return Load{Calls: s.active.Load(), Bytes: s.admission.held.Load(), Load: s.catalogue.Load()}
}

// known returns a function's name in the form for metrics and traces: callers can send any name, and each would be
// a separate series.
func (s *Server) known(function string) string {
	if function == "" || function == "score_case" {
		return function
	}
	if _, err := s.catalogue.Function(function); err == nil {
		return function
	}
	return "unknown"
}
