package value

import (
	"bytes"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
	bq "google.golang.org/api/bigquery/v2"

	"github.com/badger-eval/badger/internal/errcode"
)

// Batches decodes the batches that the Storage Read API sends for one table. It may be used from several goroutines
// concurrently.
type Batches struct {
	Schema  *arrow.Schema   // of the decoded records
	Table   *bq.TableSchema // schema of the table
	What    string          // names what is read, for errors
	Encoded []byte          // the session's schema message
	Mem     memory.Allocator
}

// Decode decodes a record batch message, which must have the given number of rows. Some servers send a whole stream
// with its schema for each batch; that is decoded too.
func (s *Batches) Decode(batch []byte, rows int64) (arrow.Record, error) {
	rec, err := s.stream(io.MultiReader(bytes.NewReader(s.Encoded), bytes.NewReader(batch)), rows)
	if errcode.Of(err) == errcode.DataLoss {
		if whole, e := s.stream(bytes.NewReader(batch), rows); e == nil {
			return whole, nil
		}
	}
	return rec, err
}

// stream decodes the single record of an Arrow stream.
func (s *Batches) stream(in io.Reader, rows int64) (rec arrow.Record, err error) {
	malformed := func(cause error) error {
		return errcode.Because(cause, errcode.DataLoss,
			"bigquery: %s: a batch of the Storage Read API cannot be decoded as Arrow", s.What)
	}
	defer func() {
		if p := recover(); p != nil {
			err = malformed(fmt.Errorf("%v", p))
		}
	}()
	r, err := ipc.NewReader(in, ipc.WithAllocator(s.Mem))
	if err != nil {
		return nil, malformed(err)
	}
	defer r.Release()
	if !r.Next() {
		return nil, malformed(r.Err())
	}
	got := r.Record()
	if got.NumRows() != rows {
		return nil, malformed(fmt.Errorf("%d rows", got.NumRows()))
	}
	return s.adopt(got)
}

// adopt converts a record to the schema of the result. A column with another name or type means that the table was
// changed during the read, and is an error.
func (s *Batches) adopt(rec arrow.Record) (arrow.Record, error) {
	if int(rec.NumCols()) != s.Schema.NumFields() {
		return nil, errcode.New(errcode.DataLoss,
			"bigquery: %s: the table was changed while it was read: %d columns became %d; read it again", s.What,
			s.Schema.NumFields(), rec.NumCols())
	}
	columns := make([]arrow.Array, rec.NumCols())
	defer func() {
		for _, c := range columns {
			if c != nil {
				c.Release()
			}
		}
	}()
	for i, f := range s.Schema.Fields() {
		col := rec.Column(i)
		if rec.ColumnName(i) != f.Name {
			return nil, errcode.New(errcode.DataLoss,
				"bigquery: %s: the table was changed while it was read: column %d was %q and is %q; read it again", s.What, i+1,
				f.Name, rec.ColumnName(i))
		}
		if text, ok := col.(*array.String); ok && s.Table.Fields[i].Type == "INTERVAL" &&
			s.Table.Fields[i].Mode != "REPEATED" {
			if columns[i], ok = intervalTexts(text, s.Mem); ok {
				continue
			}
			columns[i].Release()
			columns[i] = nil
		}
		data, ok := retyped(col.Data(), f.Type, s.Mem)
		if !ok {
			return nil, errcode.New(errcode.DataLoss,
				"bigquery: %s: column %q: batches of type %s, expected %s; the table may have been changed while it was read",
				s.What, f.Name, col.DataType(), f.Type)
		}
		columns[i] = array.MakeFromData(data)
		data.Release()
	}
	return array.NewRecord(s.Schema, columns, rec.NumRows()), nil
}
