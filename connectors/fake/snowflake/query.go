package snowflake

import (
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
)

type binding struct {
	Type  string          `json:"type"`
	Value json.RawMessage `json:"value"`
}

// query runs a statement once for each request id: a retry under the same id waits for the same response.
func (s *Server) query(w http.ResponseWriter, r *http.Request) {
	x := s.session(w, r)
	if x == nil {
		return
	}
	text, err := body(r)
	var in struct {
		SQL      string             `json:"sqlText"`
		Bindings map[string]binding `json:"bindings"`
	}
	if err != nil || json.Unmarshal(text, &in) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	id := r.URL.Query().Get("requestId")
	s.mu.Lock()
	q, again := s.requests[id]
	if !again {
		q = &request{done: make(chan struct{})}
		var ctx context.Context
		ctx, q.cancel = context.WithCancel(context.Background())
		s.requests[id] = q
		go func() {
			defer close(q.done)
			rec := httptest.NewRecorder()
			s.run(ctx, rec, x, in.SQL, in.Bindings)
			q.body = rec.Body.Bytes()
		}()
	}
	s.mu.Unlock()
	select {
	case <-q.done:
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(q.body)
	case <-r.Context().Done():
	}
}

// abort cancels the statement of a request.
func (s *Server) abort(w http.ResponseWriter, r *http.Request) {
	text, _ := body(r)
	var in struct {
		RequestID string `json:"requestId"`
	}
	_ = json.Unmarshal(text, &in)
	s.mu.Lock()
	q := s.requests[in.RequestID]
	s.mu.Unlock()
	if q != nil {
		q.cancel()
		<-q.done
	}
	reply(w, nil)
}

var cancelled = Error{"000604", "57014", "SQL execution canceled"}

// run runs a statement and writes the response.
func (s *Server) run(ctx context.Context, w http.ResponseWriter, x *session, sql string, bindings map[string]binding) {
	s.mu.Lock()
	s.statements = append(s.statements, sql)
	id := s.newID()
	var res Result
	found := false
	for i := len(s.canned) - 1; i >= 0 && !found; i-- {
		if s.canned[i].pattern.MatchString(sql) {
			res, found = s.canned[i].result, true
		}
	}
	s.mu.Unlock()
	if !found {
		res = s.execute(ctx, x, sql, bindings)
	}
	if res.Hangs {
		<-ctx.Done()
	}
	if ctx.Err() != nil {
		failQuery(w, cancelled, id)
		return
	}
	kept := &stored{res, id}
	s.mu.Lock()
	s.results[id] = kept
	s.mu.Unlock()
	if res.Polls > 0 {
		_ = json.NewEncoder(w).Encode(map[string]any{
			"success": true, "code": "333334", "message": "Asynchronous execution in progress.",
			"data": map[string]any{"queryId": id, "getResultUrl": "/queries/" + id + "/result"},
		})
		return
	}
	s.send(w, kept)
}

// result handles a request for the result of a statement.
func (s *Server) result(w http.ResponseWriter, r *http.Request) {
	x := s.session(w, r)
	if x == nil {
		return
	}
	id := r.PathValue("id")
	s.mu.Lock()
	kept := s.results[id]
	polls := 0
	if kept != nil {
		polls = kept.Polls
		kept.Polls = max(0, kept.Polls-1)
	}
	s.mu.Unlock()
	switch {
	case kept == nil:
		fail(w, Error{"000709", "02000", "Statement " + id + " not found"})
	case kept.Owner != "" && kept.Owner != x.user:
		fail(w, Error{"000709", "02000", "Statement " + id + " not found"})
	case kept.Expired:
		fail(w, Error{"000710", "02000", "Result for query " + id + " has expired"})
	case polls > 0:
		_ = json.NewEncoder(w).Encode(map[string]any{
			"success": true, "code": "333334", "message": "Asynchronous execution in progress.",
			"data": map[string]any{"queryId": id, "getResultUrl": "/queries/" + id + "/result"},
		})
	default:
		s.send(w, kept)
	}
}

// status handles a request for the state of a statement.
func (s *Server) status(w http.ResponseWriter, r *http.Request) {
	x := s.session(w, r)
	if x == nil {
		return
	}
	id := r.PathValue("id")
	s.mu.Lock()
	defer s.mu.Unlock()
	kept := s.results[id]
	if kept == nil || kept.Owner != "" && kept.Owner != x.user {
		reply(w, map[string]any{"queries": []any{}})
		return
	}
	q := map[string]any{"id": id, "status": "SUCCESS", "errorCode": "", "errorMessage": ""}
	if kept.Polls > 0 {
		kept.Polls--
		q["status"] = "RESUMING_WAREHOUSE"
	} else if kept.Err != nil {
		q["status"], q["errorCode"], q["errorMessage"] = "FAILED_WITH_ERROR", kept.Err.Code, kept.Err.Message
	}
	reply(w, map[string]any{"queries": []any{q}})
}

// send writes the response with a result.
func (s *Server) send(w http.ResponseWriter, r *stored) {
	if r.Err != nil {
		failQuery(w, *r.Err, r.id)
		return
	}
	data := map[string]any{
		"queryId": r.id, "rowtype": r.Columns, "total": len(r.Rows), "returned": len(r.Rows), "statementTypeId": 4096,
		"queryResultFormat": "arrow",
		"parameters":        []any{},
	}
	if r.JSON {
		data["queryResultFormat"], data["rowset"] = "json", r.Rows
	} else if len(r.Rows) > 0 || r.Chunks == 0 {
		ipc, err := Stream(r.Columns, r.Rows)
		if err != nil {
			failQuery(w, Error{"000603", "XX000", err.Error()}, r.id)
			return
		}
		data["rowsetBase64"] = base64.StdEncoding.EncodeToString(ipc)
	}
	var chunks []map[string]any
	for i := range r.Chunks {
		chunks = append(chunks,
			map[string]any{"url": fmt.Sprintf("%s/chunks/%s/%d", s.URL, r.id, i), "rowCount": 1, "uncompressedSize": 1,
				"compressedSize": 1})
	}
	if chunks != nil {
		data["chunks"], data["qrmk"] = chunks, "key"
	}
	reply(w, data)
}

// chunk writes a chunk of a result. It requires no session: knowing the link suffices.
func (s *Server) chunk(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	kept := s.results[r.PathValue("id")]
	s.mu.Unlock()
	n, err := strconv.Atoi(r.PathValue("n"))
	if kept == nil || err != nil || n >= kept.Chunks {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	var out []byte
	if kept.Bytes != nil {
		out = kept.Bytes(n)
	} else if out, err = Stream(kept.Columns, kept.Chunk(n)); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if s.Gzip {
		z := gzip.NewWriter(w)
		defer z.Close() //nolint:errcheck // into memory or a socket
		_, _ = z.Write(out)
		return
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(out)))
	_, _ = w.Write(out)
}
