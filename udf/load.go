package udf

// Load is the current load of a server.
type Load struct {
	Calls       int64 // in flight, streams included
	Bytes       int64 // of memory that calls hold: bodies, messages and what references read
	RowsRunning int   // of functions that ask no judge
	RowsWaiting int64 // for a worker
	JudgedRows  int   // that run
	JudgedQueue int   // rows that have not begun
	ParkedBytes int64 // of rows that continue although their callers' time is over
}

// Load returns the current load of the server.
func (s *Server) Load() Load {
	l := Load{Calls: s.active.Load(), Bytes: s.admission.held.Load(), RowsRunning: len(s.catalogue.slots), RowsWaiting: s.catalogue.waiting.Load()}
	j := s.catalogue.jobs
	j.mu.Lock()
	defer j.mu.Unlock()
	l.JudgedRows, l.ParkedBytes = j.running, j.parked
	for _, q := range j.queues {
		l.JudgedQueue += len(q.jobs)
	}
	return l
}

// known returns a function's name in the form for metrics and traces: callers can send any name, and each would be
// a separate series.
func (s *Server) known(function string) string {
	if function == "" || function == "score_case" {
		return function
	}
	if _, ok := s.catalogue.current.Load().index[function]; ok {
		return function
	}
	return "unknown"
}
