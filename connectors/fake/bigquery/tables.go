package bigquery

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	bq "google.golang.org/api/bigquery/v2"

	"github.com/badger-eval/badger/internal/errcode"
)

func (s *Server) getDataset(r *http.Request) (any, error) {
	name := r.PathValue("dataset")
	n, err := s.db.QueryText(r.Context(),
		"SELECT CAST(COUNT(*) AS VARCHAR) FROM duckdb_schemas() WHERE schema_name = ? AND NOT internal", name)
	if err != nil {
		return nil, err
	}
	if n == "0" || r.PathValue("project") != Project {
		return nil, notFound("Dataset " + r.PathValue("project") + ":" + name)
	}
	return &bq.Dataset{Location: Location,
		DatasetReference: &bq.DatasetReference{ProjectId: Project, DatasetId: name}}, nil
}

// tableOf returns the metadata of a table or view, its name in the engine, and the job whose result it is, if any.
func (s *Server) tableOf(ctx context.Context, ref *bq.TableReference) (*bq.Table, string, *job, error) {
	missing := notFound(fmt.Sprintf("Table %s:%s.%s", ref.ProjectId, ref.DatasetId, ref.TableId))
	out := &bq.Table{TableReference: ref, Type: "TABLE"}
	if ref.DatasetId == anonymous {
		s.mu.Lock()
		j := s.jobs[ref.TableId]
		s.mu.Unlock()
		if j == nil || j.expired {
			return nil, "", nil, missing
		}
		out.Schema, out.NumRows = j.schema, uint64(j.rows) //nolint:gosec // not negative
		return out, j.table, j, nil
	}
	kind, err := s.db.QueryText(ctx, `SELECT CAST(MAX(k) AS VARCHAR) FROM (SELECT schema_name AS s, table_name AS t, 'TABLE' AS k FROM duckdb_tables() UNION ALL
SELECT schema_name, view_name, 'VIEW' FROM duckdb_views()) WHERE s = ? AND t = ?`, ref.DatasetId, ref.TableId)
	if err != nil {
		return nil, "", nil, err
	}
	s.mu.Lock()
	expires, limited := s.expires[ref.DatasetId+"."+ref.TableId]
	out.LastModifiedTime = uint64(s.modified[""]) //nolint:gosec // not negative
	s.mu.Unlock()
	if kind == "" || ref.ProjectId != Project || limited && time.Now().After(expires) {
		return nil, "", nil, missing
	}
	out.Type = kind
	name := quote(ref.DatasetId) + "." + quote(ref.TableId)
	if _, out.Schema, _, err = s.columns(ctx, name); err != nil {
		return nil, "", nil, err
	}
	n, err := s.count(ctx, name)
	out.NumRows = uint64(n) //nolint:gosec // not negative
	return out, name, nil, err
}

func refOf(r *http.Request) *bq.TableReference {
	return &bq.TableReference{ProjectId: r.PathValue("project"), DatasetId: r.PathValue("dataset"),
		TableId: r.PathValue("table")}
}

func (s *Server) getTable(r *http.Request) (any, error) {
	t, _, _, err := s.tableOf(r.Context(), refOf(r))
	if err != nil {
		return nil, err
	}
	return t, nil
}

// engineTypes are the engine's types for the types of created tables.
var engineTypes = map[string]string{
	"STRING": "VARCHAR", "INTEGER": "BIGINT", "INT64": "BIGINT", "FLOAT": "DOUBLE", "FLOAT64": "DOUBLE",
	"BOOLEAN": "BOOLEAN", "BOOL": "BOOLEAN", "TIMESTAMP": "TIMESTAMPTZ",
	"DATETIME": "TIMESTAMP", "DATE": "DATE", "TIME": "TIME", "BYTES": "BLOB", "NUMERIC": "DECIMAL(38,9)",
	"BIGNUMERIC": "DECIMAL(38,19)", "JSON": "JSON",
}

func (s *Server) insertTable(r *http.Request) (any, error) {
	var t bq.Table
	if err := json.NewDecoder(r.Body).Decode(&t); err != nil || t.TableReference == nil || t.Schema == nil {
		return nil, &apiError{http.StatusBadRequest, "invalid", "no table"}
	}
	var columns []string
	for _, f := range t.Schema.Fields {
		columns = append(columns, quote(f.Name)+" "+engineTypes[f.Type])
	}
	err := s.db.Exec(r.Context(),
		fmt.Sprintf("CREATE TABLE %s.%s (%s)", quote(t.TableReference.DatasetId), quote(t.TableReference.TableId),
			strings.Join(columns, ", ")))
	switch {
	case errcode.Of(err) == errcode.AlreadyExists:
		return nil, &apiError{http.StatusConflict, "duplicate", "Already Exists: Table " + t.TableReference.TableId}
	case err != nil:
		return nil, invalid(err.Error())
	}
	if t.ExpirationTime > 0 {
		s.Set(func(s *Server) {
			s.expires[t.TableReference.DatasetId+"."+t.TableReference.TableId] = time.UnixMilli(t.ExpirationTime)
		})
	}
	return &t, nil
}

func (s *Server) deleteTable(r *http.Request) (any, error) {
	ref := refOf(r)
	if err := s.db.Exec(r.Context(), "DROP TABLE "+quote(ref.DatasetId)+"."+quote(ref.TableId)); err != nil {
		return nil, notFound("Table " + ref.TableId)
	}
	return map[string]any{}, nil
}

func (s *Server) listData(r *http.Request) (any, error) {
	t, name, j, err := s.tableOf(r.Context(), refOf(r))
	if err != nil {
		return nil, err
	}
	if j == nil {
		j = &job{table: name, schema: t.Schema, rows: int64(t.NumRows)} //nolint:gosec // few
	}
	out := &bq.TableDataList{TotalRows: int64(t.NumRows)} //nolint:gosec // few
	out.Rows, out.PageToken, err = s.page(r, j)
	return out, err
}

// page returns the rows of a result after the one that the page token names, and the next token.
func (s *Server) page(r *http.Request, j *job) ([]*bq.TableRow, string, error) {
	limit, err := strconv.ParseInt(r.URL.Query().Get("maxResults"), 10, 64)
	if err != nil || limit < 0 {
		limit = 10_000
	}
	after, first := int64(-1), int64(0)
	if token := r.URL.Query().Get("pageToken"); token != "" {
		if _, err := fmt.Sscanf(token, "after-%d-%d", &after, &first); err != nil {
			return nil, "", &apiError{http.StatusBadRequest, "invalid", "Invalid value for pageToken"}
		}
	}
	token := func(last, next int64) string {
		if next >= j.rows {
			return ""
		}
		return fmt.Sprintf("after-%d-%d", last, next)
	}
	switch {
	case j.endless:
		rec := endlessRecord(first, min(limit, 500))
		defer rec.Release()
		return rowsOf(rec, j.schema), token(first, first+rec.NumRows()), nil
	case j.canned != nil:
		end := min(first+limit, j.rows)
		return j.canned.Rows[first:end], token(end, end), nil
	case j.schema == nil || limit == 0 || j.table == "":
		return nil, "", nil
	}
	list, err := s.listOf(r.Context(), j.table, j)
	if err != nil {
		return nil, "", err
	}
	values := &bq.TableSchema{Fields: append([]*bq.TableFieldSchema{{Type: "INTEGER"}}, j.schema.Fields...)}
	// Row numbers are mostly consecutive. Only if rows were deleted, all following rows are examined.
	var rows []*bq.TableRow
	for _, bound := range []int64{after + limit, math.MaxInt64} {
		reader, err := s.db.Query(r.Context(),
			fmt.Sprintf("SELECT rowid AS badger_id, %s FROM %s WHERE rowid > %d AND rowid <= %d ORDER BY rowid LIMIT %d", list,
				j.table, after, bound, limit))
		if err != nil {
			return nil, "", err
		}
		rows = nil
		for reader.Next() {
			if rec := reader.Record(); rec.NumRows() > 0 {
				rows = append(rows, rowsOf(rec, values)...)
			}
		}
		err = reader.Err()
		reader.Release()
		if err != nil {
			return nil, "", err
		}
		if int64(len(rows)) == limit || first+int64(len(rows)) >= j.rows {
			break
		}
	}
	for _, row := range rows {
		after, _ = strconv.ParseInt(row.F[0].V.(string), 10, 64)
		row.F = row.F[1:]
	}
	return rows, token(after, first+int64(len(rows))), nil
}
