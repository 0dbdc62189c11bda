package bigquery

import (
	"bytes"
	"context"
	"encoding/json"
	"strconv"

	"github.com/apache/arrow/go/v17/arrow"
	"golang.org/x/sync/errgroup"
	bq "google.golang.org/api/bigquery/v2"

	"github.com/badger-eval/badger/connectors/bigquery/internal/value"
	"github.com/badger-eval/badger/internal/errcode"
)

// The approximate size of the rows of a load job, and the maximum number of concurrent ones. Rows are kept until their
// job has ended, for retries.
const (
	pieceBytes = 4 << 20
	piecesOut  = 2
)

// load fills a staging table by load jobs. Each adds all of its rows or none. Rows are sent as JSON lines
// whose values are strings.
func (m *merge) load(ctx context.Context, into *bq.TableReference, next func() (arrow.Record, error)) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	jobs, loading := errgroup.WithContext(ctx)
	jobs.SetLimit(piecesOut)
	send := func(piece []byte) {
		jobs.Go(func() error {
			_, err := m.c.run(loading, &bq.JobConfiguration{Load: &bq.JobConfigurationLoad{
				DestinationTable: into, Schema: m.stageSchema(), SourceFormat: "NEWLINE_DELIMITED_JSON",
				WriteDisposition: "WRITE_APPEND", CreateDisposition: "CREATE_NEVER",
			}}, piece)
			return err
		})
	}
	var piece bytes.Buffer
	texts := json.NewEncoder(&piece)
	texts.SetEscapeHTML(false)
	err := m.eachRow(next, func(rec arrow.Record, row int) error {
		if err := m.line(&piece, texts, rec, row); err != nil {
			return err
		}
		if piece.Len() >= pieceBytes {
			send(piece.Bytes())
			piece = bytes.Buffer{}
		}
		return loading.Err() // a load job has failed
	})
	wrong := err != nil && loading.Err() == nil // the error is of the rows, not of a load job
	if wrong {
		stop()
	} else if err == nil && piece.Len() > 0 {
		send(piece.Bytes())
	}
	if failed := jobs.Wait(); failed != nil && !wrong {
		return m.c.errorOf(failed, m.c.subject())
	}
	return err
}

// line appends a row as a line of JSON; missing members are NULL. texts writes to the same buffer.
func (m *merge) line(to *bytes.Buffer, texts *json.Encoder, rec arrow.Record, row int) error {
	quoted := func(text string) {
		_ = texts.Encode(text)    // a string can always be encoded
		to.Truncate(to.Len() - 1) // the line break
	}
	to.WriteString(`{"` + rowNumber + `":"` + strconv.FormatInt(m.plan.Rows, 10) + `"`)
	for col, f := range m.columns {
		cell, err := m.cell(rec, col, row)
		if err != nil {
			return err
		}
		if cell == nil {
			continue
		}
		to.WriteByte(',')
		quoted(f.Name)
		to.WriteByte(':')
		text := value.Text(m.types[col], cell)
		if f.Type != "JSON" {
			quoted(text)
		} else if err := json.Compact(to, []byte(text)); err != nil { // removes line breaks
			return m.plan.CellError(col, errcode.New(errcode.InvalidArgument, "expected JSON"))
		}
	}
	to.WriteString("}\n")
	return nil
}
