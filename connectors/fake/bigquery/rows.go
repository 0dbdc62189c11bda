package bigquery

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	bq "google.golang.org/api/bigquery/v2"
)

// textRows are rows of strings to be inserted into a table.
type textRows struct {
	build *array.RecordBuilder
	n     int
}

func newTextRows(fields []*bq.TableFieldSchema) *textRows {
	columns := make([]arrow.Field, len(fields))
	for i, f := range fields {
		columns[i] = arrow.Field{Name: f.Name, Type: arrow.BinaryTypes.String, Nullable: true}
	}
	return &textRows{build: array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema(columns, nil))}
}

func (t *textRows) set(column int, text string) {
	t.build.Field(column).(*array.StringBuilder).Append(text)
}

// end completes a row. Columns that were not set are NULL.
func (t *textRows) end() {
	t.n++
	for _, b := range t.build.Fields() {
		if b.Len() < t.n {
			b.AppendNull()
		}
	}
}

// insertRows adds all rows to a table, or none.
func (s *Server) insertRows(ctx context.Context, ref *bq.TableReference, fields []*bq.TableFieldSchema,
	rows *textRows) error {
	if rows == nil || rows.n == 0 {
		return nil
	}
	rec := rows.build.NewRecord()
	defer rec.Release()
	r, err := array.NewRecordReader(rec.Schema(), []arrow.Record{rec})
	if err != nil {
		return err
	}
	defer r.Release()
	s.mu.Lock()
	s.next++
	text := fmt.Sprintf("%s.text_%d", anonymous, s.next)
	s.mu.Unlock()
	if _, err := s.db.Create(ctx, text, r); err != nil {
		return err
	}
	defer s.db.Exec(ctx, "DROP TABLE "+text) //nolint:errcheck // in memory
	var names, values []string
	for _, f := range fields {
		n := quote(f.Name)
		names = append(names, n)
		if f.Type == "BYTES" {
			values = append(values, "from_base64("+n+")")
		} else {
			values = append(values, "CAST("+n+" AS "+engineTypes[f.Type]+")")
		}
	}
	err = s.db.Exec(ctx,
		fmt.Sprintf("INSERT INTO %s.%s (%s) SELECT %s FROM %s ORDER BY rowid", quote(ref.DatasetId), quote(ref.TableId),
			strings.Join(names, ", "), strings.Join(values, ", "), text))
	if err == nil {
		s.touch()
	}
	return err
}

// upload is a load job whose rows are being uploaded.
type upload struct {
	project string
	job     *bq.Job
	body    []byte
}

// startUpload starts a load job, whose rows are uploaded with it or in pieces.
func (s *Server) startUpload(w http.ResponseWriter, r *http.Request) {
	fault := s.fault("upload")
	if fault.any() && !fault.Done {
		s.meet(w, fault)
		return
	}
	if !s.allowed(r.Header.Get("Authorization")) {
		s.meet(w, Fault{Status: http.StatusUnauthorized, Reason: "authError"})
		return
	}
	if r.URL.Query().Get("uploadType") == "resumable" {
		u := &upload{project: r.PathValue("project"), job: &bq.Job{}}
		if err := json.NewDecoder(r.Body).Decode(u.job); err != nil {
			writeError(w, invalid("no job"))
			return
		}
		s.mu.Lock()
		s.next++
		id := strconv.Itoa(s.next)
		s.uploads[id] = u
		s.mu.Unlock()
		w.Header().Set("Location", s.REST+"/upload/session/"+id)
		return
	}
	u := &upload{project: r.PathValue("project"), job: &bq.Job{}}
	_, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		writeError(w, invalid("no parts"))
		return
	}
	parts := multipart.NewReader(r.Body, params["boundary"])
	for i := range 2 {
		part, err := parts.NextPart()
		if err == nil && i == 0 {
			err = json.NewDecoder(part).Decode(u.job)
		} else if err == nil {
			u.body, err = io.ReadAll(part)
		}
		if err != nil {
			writeError(w, invalid("no parts"))
			return
		}
	}
	s.finishUpload(w, u, fault)
}

func (s *Server) continueUpload(w http.ResponseWriter, r *http.Request) {
	fault := s.fault("upload")
	s.mu.Lock()
	u := s.uploads[r.PathValue("id")]
	s.mu.Unlock()
	if u == nil || fault.any() && !fault.Done {
		s.meet(w, fault)
		return
	}
	piece, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	u.body = append(u.body, piece...)
	if strings.HasSuffix(r.Header.Get("Content-Range"), "/*") && len(piece) > 0 {
		w.Header().Set("X-Http-Status-Code-Override", "308")
		w.Header().Set("Range", fmt.Sprintf("bytes=0-%d", len(u.body)-1))
		return
	}
	s.finishUpload(w, u, fault)
}

func (s *Server) finishUpload(w http.ResponseWriter, u *upload, fault Fault) {
	load := u.job.Configuration.Load
	rows := newTextRows(load.Schema.Fields)
	for d := json.NewDecoder(strings.NewReader(string(u.body))); ; {
		var row map[string]json.RawMessage
		err := d.Decode(&row)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			writeError(w, invalid("a line is no JSON object"))
			return
		}
		for i, f := range load.Schema.Fields {
			raw, ok := row[f.Name]
			if !ok || string(raw) == "null" {
				continue
			}
			text := string(raw)
			if f.Type != "JSON" && raw[0] == '"' {
				json.Unmarshal(raw, &text) //nolint:errcheck // it was decoded
			}
			rows.set(i, text)
		}
		rows.end()
	}
	answer, err := s.startJob(u.project, u.job, rows)
	switch {
	case fault.any():
		s.meet(w, fault)
	case err != nil:
		writeError(w, err)
	default:
		json.NewEncoder(w).Encode(answer) //nolint:errcheck // the client is gone
	}
}
