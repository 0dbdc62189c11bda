package databricks

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/badger-eval/badger/connectors/databricks/internal/workspace"
	"github.com/badger-eval/badger/internal/account"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/lazyregexp"
	"github.com/badger-eval/badger/internal/outbound"
)

// The fields of the Statement Execution API's responses that are used. Cells are pointers, since NULL differs from the
// empty string.
type (
	statementAnswer struct {
		Status struct {
			State string `json:"state"`
			Error struct {
				Code    string `json:"error_code"`
				Message string `json:"message"`
			} `json:"error"`
		} `json:"status"`
		Manifest *manifest `json:"manifest"`
		Result   *chunk    `json:"result"`
	}
	manifest struct {
		Format string `json:"format"`
		Schema struct {
			Columns []struct {
				Name      string `json:"name"`
				Type      string `json:"type_name"`
				Text      string `json:"type_text"`
				Precision int32  `json:"type_precision"`
				Scale     int32  `json:"type_scale"`
			} `json:"columns"`
		} `json:"schema"`
		Compression string `json:"result_compression"`
		Rows        int64  `json:"total_row_count"`
		Truncated   bool   `json:"truncated"`
	}
	chunk struct {
		Rows  int64            `json:"row_count"`
		Next  *int             `json:"next_chunk_index"`
		Data  [][]*string      `json:"data_array"`
		Links []workspace.Link `json:"external_links"`
	}
)

const (
	statementsPath = "/api/2.0/sql/statements/"
	readingResult  = "reading the result of a statement"
)

// The delays between two requests for a statement's state.
const (
	firstPoll   = 20 * time.Millisecond
	longestPoll = 2 * time.Second
)

var statementID = lazyregexp.New(`^[0-9A-Za-z][0-9A-Za-z-]{7,63}$`)

// kept is the remedy in errors about results that are not available.
const kept = "Databricks keeps the result of a statement for one hour, if it was run through the Statement Execution API, for the account that ran it; write results that are to stay into a table and refer to table:NAME"

// statement reads the result of an earlier statement. It waits while the statement is still running.
func (c *Conn) statement(ctx context.Context, id string) (*stream, error) {
	if !statementID.MatchString(id) {
		return nil, invalid("expected query:STATEMENT_ID, the id that the Statement Execution API gave")
	}
	var answer statementAnswer
	for poll := firstPoll; ; poll = min(poll*3/2, longestPoll) {
		answer = statementAnswer{} // missing members would keep the values of the last response
		if err := c.get(ctx, statementsPath+id, &answer); err != nil {
			return nil, goneOr(err, id)
		}
		switch answer.Status.State {
		case "SUCCEEDED":
			return c.chunked(ctx, id, &answer)
		case "PENDING", "RUNNING":
			if err := outbound.Wait(ctx, poll); err != nil {
				return nil, err
			}
			continue
		case "CLOSED":
			return nil, errcode.New(errcode.NotFound, "databricks: the result of statement %s has expired or was closed; %s", id,
				kept)
		case "CANCELED":
			return nil, errcode.New(errcode.FailedPrecondition, "databricks: statement %s was cancelled and has no result", id)
		case "FAILED":
			why := readMessage("", "["+answer.Status.Error.Code+"] "+answer.Status.Error.Message)
			return nil, errcode.New(errcode.FailedPrecondition, "databricks: statement %s failed and has no result: %s", id,
				why.text)
		}
		return nil, errcode.New(errcode.Unavailable, "databricks: statement %s is in a state that is not known", id)
	}
}

// goneOr returns an error with a remedy if err says that the statement is missing or belongs to another user, else err.
func goneOr(err error, id string) error {
	var no *workspace.Refusal
	if !errors.As(err, &no) {
		return err
	}
	switch {
	case no.Status == http.StatusNotFound, no.Code == "RESOURCE_DOES_NOT_EXIST", no.Code == "NOT_FOUND",
		no.Status == http.StatusGone:
		return errcode.Because(err, errcode.NotFound,
			"databricks: the result of statement %s does not exist, has expired, or belongs to another account; %s", id, kept)
	case no.Status == http.StatusForbidden:
		return errcode.Because(err, errcode.PermissionDenied,
			"databricks: this account may not read the result of statement %s; %s", id, kept)
	}
	return err
}

func (c *Conn) get(ctx context.Context, path string, into any) error {
	body, err := c.workspace.Do(ctx,
		workspace.Request{What: readingResult, Method: http.MethodGet, Path: path, Repeat: true})
	if err != nil {
		return err
	}
	if json.Unmarshal(body, into) != nil {
		return workspace.Broken("the answer does not have the form of the Statement Execution API")
	}
	return nil
}

// chunks is the source of a result of the Statement Execution API: a chunk holds rows as text, or links to files.
type chunks struct {
	c       *Conn
	id      string
	m       *manifest
	columns []column
	after   *int // index of the next chunk
	first   *chunk
	files   files
	rows    int64 // number of rows so far
	peeked  *part
}

// chunked returns a stream of a result, starting with the first chunk, which is in answer.
func (c *Conn) chunked(ctx context.Context, id string, answer *statementAnswer) (*stream, error) {
	m := answer.Manifest
	switch {
	case m == nil:
		return nil, workspace.Broken("the answer for statement %s does not describe its columns", id)
	case m.Truncated:
		return nil, errcode.New(errcode.DataLoss, "databricks: the result of statement %s is incomplete: it was cut off by row_limit or byte_limit; run the statement without them", id)
	case m.Format != "ARROW_STREAM" && m.Format != "JSON_ARRAY":
		return nil, errcode.New(errcode.Unimplemented, "databricks: the result of statement %s is stored in a format without types; run statements with format ARROW_STREAM or JSON_ARRAY", id)
	}
	s := &chunks{c: c, id: id, m: m, first: answer.Result}
	s.files = files{from: c.workspace, lz4: m.Compression == "LZ4_FRAME", refresh: s.refresh}
	for _, col := range m.Schema.Columns {
		x := column{name: col.Name}
		if x.setType(col.Text); x.sql == "" { // only type_text distinguishes TIMESTAMP_NTZ, VARIANT and GEOGRAPHY
			x.setType(col.Type)
		}
		if x.sql == "DECIMAL" {
			x.precision, x.scale = col.Precision, col.Scale
		}
		s.columns = append(s.columns, x)
	}
	var wire *arrow.Schema
	if m.Format == "ARROW_STREAM" { // the types are in the first part
		p, err := s.next(ctx)
		if err != nil {
			return nil, err
		}
		if p != nil {
			body, err := io.ReadAll(account.ReadingOf(ctx).Reader(ctx, p.stream))
			if err != nil {
				return nil, workspace.Broken("a file of the result cannot be unpacked")
			}
			if wire, err = wireSchema(body); err != nil {
				return nil, err
			}
			p.stream = bytes.NewReader(body)
			s.peeked = p
		}
	}
	return c.stream(s, s.columns, wire)
}

func (s *chunks) close(context.Context) { s.files.close() }

// next returns the next part, or nil at the end.
func (s *chunks) next(ctx context.Context) (*part, error) {
	if p := s.peeked; p != nil {
		s.peeked = nil
		return p, nil
	}
	for {
		if s.files.waiting() {
			p, err := s.files.next(ctx)
			if err != nil {
				return nil, err
			}
			if s.m.Format == "ARROW_STREAM" {
				return p, nil
			}
			var data [][]*string
			if json.NewDecoder(account.ReadingOf(ctx).Reader(ctx, p.stream)).Decode(&data) != nil {
				return nil, workspace.Broken("a file of the result is not a JSON array")
			}
			return s.cells(data, p.rows)
		}
		ch := s.first
		s.first = nil
		if ch == nil {
			if s.after == nil {
				if s.rows != s.m.Rows {
					return nil, workspace.Broken("received %d rows, expected %d", s.rows, s.m.Rows)
				}
				return nil, nil //nolint:nilnil // the end
			}
			ch = &chunk{}
			if err := s.c.get(ctx, s.path(*s.after), ch); err != nil {
				return nil, goneOr(err, s.id)
			}
		}
		s.after = ch.Next
		if len(ch.Links) == 0 {
			if len(ch.Data) > 0 || ch.Rows > 0 {
				s.rows += ch.Rows
				return s.cells(ch.Data, ch.Rows)
			}
			continue
		}
		for _, l := range ch.Links {
			s.after = l.Next
			s.rows += l.Rows
			s.files.add(l)
		}
	}
}

func (s *chunks) path(n int) string {
	return statementsPath + s.id + "/result/chunks/" + strconv.Itoa(n)
}

// refresh requests a chunk again, because its link has expired.
func (s *chunks) refresh(ctx context.Context, expired workspace.Link) ([]workspace.Link, error) {
	var ch chunk
	if err := s.c.get(ctx, s.path(expired.Chunk), &ch); err != nil {
		return nil, goneOr(err, s.id)
	}
	return ch.Links, nil
}

// cells converts rows of strings to arrays.
func (s *chunks) cells(data [][]*string, rows int64) (*part, error) {
	if int64(len(data)) < rows {
		return nil, workspace.Broken("%d rows of a part are missing", rows-int64(len(data)))
	}
	p := &part{rows: rows}
	for i := range s.columns {
		var short bool
		arr, err := s.columns[i].parse(s.c.mem, int(rows), func(row int) (string, bool) {
			if len(data[row]) != len(s.columns) {
				short = true
				return "", false
			}
			v := data[row][i]
			if v == nil {
				return "", false
			}
			return *v, true
		})
		if err == nil && short {
			arr.Release()
			err = workspace.Broken("expected rows of %d cells; a row has another number of cells", len(s.columns))
		}
		if err != nil {
			for _, a := range p.arrays {
				a.Release()
			}
			return nil, err
		}
		p.arrays = append(p.arrays, arr)
	}
	return p, nil
}
