package udf

// Load is what a server has to do at a moment.
type Load struct {
	Calls       int64 // in flight, streams included
	Bytes       int64 // of memory that calls hold: bodies, messages and what references read
	RowsRunning int   // of functions that ask no judge
	RowsWaiting int64 // for a worker
	JudgedRows  int   // that run
	JudgedQueue int   // rows that have not begun
	ParkedBytes int64 // of rows that continue although their callers' time is over
}

// Load tells what the server has to do now.
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

// known is a function's name as metrics and traces may hold it: callers can send any, and each would
// be a series of its own.
func (s *Server) known(function string) string {
	if function == "" || function == "score_case" {
		return function
	}
	if _, ok := s.catalogue.current.Load().index[function]; ok {
		return function
	}
	return "unknown"
}
