package databricks

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/apache/arrow/go/v17/arrow"
)

// Kept is the result of an earlier statement of the Statement Execution API.
type Kept struct {
	SQL         string // in Databricks' dialect; run at the first request
	Result      *Result
	Format      string // JSON_ARRAY (the default), ARROW_STREAM, CSV
	External    bool   // as links to files; ARROW_STREAM always is
	Compression string // LZ4_FRAME
	ChunkRows   int64  // rows in a chunk; 0 is all rows
	Polls       int    // number of polls before the statement has ended
	State       string // the state to report instead of SUCCEEDED
	Code        string // error code of a statement with State FAILED
	Message     string
	Truncated   bool
	Forbidden   bool // it belongs to another account

	schema *wire
	chunks [][]arrow.Record
}

// Keep adds a result under a statement ID.
func (s *Server) Keep(id string, k Kept) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if k.Format == "" {
		k.Format = "JSON_ARRAY"
	}
	s.kept[id] = &k
}

func restFault(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"error_code": code, "message": message})
}

// find returns the statement of a request, or writes an error response and returns nil.
func (s *Server) find(w http.ResponseWriter, r *http.Request) *Kept {
	if !s.allowed(w, r) {
		return nil
	}
	id := r.PathValue("id")
	s.mu.Lock()
	k := s.kept[id]
	s.mu.Unlock()
	switch {
	case k == nil:
		restFault(w, http.StatusNotFound, "NOT_FOUND", "The statement "+id+" was not found.")
		return nil
	case k.Forbidden:
		restFault(w, http.StatusForbidden, "PERMISSION_DENIED", "You do not have permission to access the statement.")
		return nil
	}
	return k
}

// load runs the statement at the first request, and splits its rows into chunks.
func (s *Server) load(k *Kept) *Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	if k.schema != nil {
		return nil
	}
	var records []arrow.Record
	if k.Result != nil {
		k.schema = wireOf(k.Result.Record.Schema(), k.Result.Types, false)
		rec, err := k.schema.record(k.Result.Record)
		if err != nil {
			return &Fault{Message: err.Error()}
		}
		records = append(records, rec)
	} else {
		rows, fault := s.runSQL(context.Background(), k.SQL, nil)
		if fault != nil {
			return fault
		}
		defer rows.Release()
		k.schema = wireOf(rows.Schema(), nil, false)
		for rows.Next() {
			rec, err := k.schema.record(rows.Record())
			if err != nil {
				return &Fault{Message: err.Error()}
			}
			records = append(records, rec)
		}
	}
	limit := k.ChunkRows
	if limit == 0 {
		limit = 1 << 40
	}
	var held []arrow.Record
	n := int64(0)
	for _, rec := range records {
		for at := int64(0); at < rec.NumRows(); {
			end := min(rec.NumRows(), at+limit-n)
			held = append(held, rec.NewSlice(at, end))
			n += end - at
			at = end
			if n == limit {
				k.chunks, held, n = append(k.chunks, held), nil, 0
			}
		}
	}
	if len(held) > 0 || len(k.chunks) == 0 {
		k.chunks = append(k.chunks, held)
	}
	return nil
}

func (s *Server) statement(w http.ResponseWriter, r *http.Request) {
	k := s.find(w, r)
	if k == nil {
		return
	}
	s.mu.Lock()
	polls := k.Polls
	k.Polls = max(0, polls-1)
	s.mu.Unlock()
	answer := map[string]any{"statement_id": r.PathValue("id")}
	state := map[string]any{"state": "SUCCEEDED"}
	answer["status"] = state
	switch {
	case polls > 0:
		state["state"] = []string{"RUNNING", "PENDING"}[polls%2]
	case k.State != "":
		state["state"] = k.State
		if k.Code != "" {
			state["error"] = map[string]string{"error_code": k.Code, "message": k.Message}
		}
	default:
		if fault := s.load(k); fault != nil {
			state["state"], state["error"] = "FAILED", map[string]string{"error_code": "BAD_REQUEST", "message": fault.Message}
			break
		}
		columns := []map[string]any{}
		for i, f := range k.schema.schema.Fields() {
			c := map[string]any{"name": f.Name, "position": i, "type_text": k.schema.types[i],
				"type_name": typeName(k.schema.types[i])}
			if d, ok := f.Type.(*arrow.Decimal128Type); ok {
				c["type_precision"], c["type_scale"] = d.Precision, d.Scale
			}
			columns = append(columns, c)
		}
		total := int64(0)
		for _, ch := range k.chunks {
			total += count(ch)
		}
		m := map[string]any{
			"format": k.Format, "schema": map[string]any{"column_count": len(columns), "columns": columns},
			"total_chunk_count": len(k.chunks), "total_row_count": total, "truncated": k.Truncated,
		}
		if k.Compression != "" {
			m["result_compression"] = k.Compression
		}
		answer["manifest"] = m
		answer["result"] = s.part(k, 0)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer)
}

func typeName(sql string) string {
	switch base := baseOf(sql); base {
	case "BIGINT":
		return "LONG"
	case "SMALLINT":
		return "SHORT"
	case "TINYINT":
		return "BYTE"
	case "TIMESTAMP_NTZ", "VARIANT", "GEOGRAPHY":
		return "USER_DEFINED_TYPE"
	case "VOID":
		return "NULL"
	default:
		return base
	}
}

func count(records []arrow.Record) (n int64) {
	for _, r := range records {
		n += r.NumRows()
	}
	return n
}

func (s *Server) chunk(w http.ResponseWriter, r *http.Request) {
	k := s.find(w, r)
	if k == nil {
		return
	}
	n, err := strconv.Atoi(r.PathValue("n"))
	if err != nil || k.State != "" || n < 0 || n >= len(k.chunks) {
		restFault(w, http.StatusNotFound, "NOT_FOUND", "The result is not available any more.")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(s.part(k, n))
}

// part returns the JSON form of chunk n.
func (s *Server) part(k *Kept, n int) map[string]any {
	start := int64(0)
	for _, ch := range k.chunks[:n] {
		start += count(ch)
	}
	rows := count(k.chunks[n])
	out := map[string]any{"chunk_index": n, "row_offset": start, "row_count": rows}
	if n+1 < len(k.chunks) {
		out["next_chunk_index"] = n + 1
	}
	if rows == 0 {
		return out
	}
	if k.Format == "ARROW_STREAM" || k.External {
		var body []byte
		if k.Format == "ARROW_STREAM" {
			body = packed(k.schema.file(k.chunks[n]), k.Compression != "")
		} else {
			body, _ = json.Marshal(cells(k.chunks[n]))
		}
		address, expires := s.store(body)
		link := map[string]any{"external_link": address, "expiration": expires.UTC().Format("2006-01-02T15:04:05.000Z"),
			"http_headers": map[string]string{"X-Storage-Key": "k"}}
		for key, v := range out {
			link[key] = v
		}
		return map[string]any{"external_links": []any{link}}
	}
	out["data_array"] = cells(k.chunks[n])
	return out
}

// cells returns rows as strings; nil is NULL.
func cells(records []arrow.Record) [][]*string {
	out := [][]*string{}
	for _, rec := range records {
		for row := range int(rec.NumRows()) {
			line := make([]*string, rec.NumCols())
			for i, col := range rec.Columns() {
				if col.IsValid(row) {
					text := cellText(col, row)
					line[i] = &text
				}
			}
			out = append(out, line)
		}
	}
	return out
}
