package resultfile

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/pqarrow"
	"github.com/apache/arrow/go/v17/parquet/schema"

	"github.com/badger-eval/badger/internal/arrowtable"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// readParquet reads a Parquet file. It checks the number of rows in the footer against the limit before it reads any.
func (r *reader) readParquet(in readerAtSeeker) (*scoring.Table, error) {
	if err := r.checkFooter(in); err != nil {
		return nil, err
	}
	mem := r.limits.Allocator()
	properties := parquet.NewReaderProperties(mem)
	properties.BufferedStreamEnabled, properties.BufferSize = true, 64<<10 // else a chunk is read whole
	f, err := file.NewParquetReader(in, file.WithReadProps(properties))
	if err != nil {
		return nil, errcode.New(errcode.DataLoss, "no valid Parquet footer: the file is truncated or corrupt")
	}
	columns := f.MetaData().Schema.NumColumns()
	if err := r.limits.CheckRows(f.NumRows()); err != nil {
		return nil, err
	}
	// no column takes less than a bit per value
	if err := r.limits.CheckBytes(f.NumRows() / 8 * int64(columns)); err != nil {
		return nil, err
	}
	if err := r.checkChunks(f, in); err != nil {
		return nil, err
	}
	if err := r.checkPages(f, in); err != nil {
		return nil, err
	}
	if err := checkArrowSchema(f); err != nil {
		return nil, err
	}
	if columns == 0 {
		return scoring.EmptyTable(int(f.NumRows())), nil
	}
	// Columns are not read in parallel: a panic of the library on malformed bytes could not be
	// caught in its goroutines.
	arrowFile, err := pqarrow.NewFileReader(f, pqarrow.ArrowReadProperties{BatchSize: min(max(f.NumRows(), 1), 1<<16)},
		mem)
	if err != nil {
		return nil, arrowtable.Classify(err)
	}
	records, err := arrowFile.GetRecordReader(r.ctx, nil, nil)
	if err != nil {
		return nil, arrowtable.Classify(err)
	}
	defer records.Release()
	a := arrowtable.NewAccumulator(withLogicalTypes(records.Schema(), f.MetaData().Schema), r.limits)
	if r.limits.CheckBytes(f.NumRows()*int64(columns)*8) == nil { // a footer may claim anything
		a.Reserve(f.NumRows())
	}
	for records.Next() {
		if err := a.Append(records.Record()); err != nil {
			return nil, err
		}
		if err := r.ctx.Err(); err != nil {
			return nil, err
		}
	}
	if err := records.Err(); err != nil && !errors.Is(err, io.EOF) {
		return nil, arrowtable.Classify(err)
	}
	if a.Rows() != f.NumRows() {
		return nil, errcode.New(errcode.DataLoss, "%d rows, its footer says %d", a.Rows(), f.NumRows())
	}
	t, err := a.Table()
	if err != nil {
		return nil, err
	}
	return t, exactInt96(f, t)
}

// footerGrowth is the maximum memory in bytes for each byte of the footer, which consists of lists of small structures.
const footerGrowth = 40

// checkFooter reserves the memory for the footer, whose length is at the end of the file. It returns an error if the
// footer is larger than the file or an eighth of the limit.
func (r *reader) checkFooter(in readerAtSeeker) error {
	size, err := in.Seek(0, io.SeekEnd)
	if err != nil {
		return ioError(err)
	}
	end := make([]byte, 8)
	if size < int64(len(end)) {
		return ioError(io.ErrUnexpectedEOF)
	}
	if _, err := in.ReadAt(end, size-int64(len(end))); err != nil {
		return ioError(err)
	}
	footer := int64(binary.LittleEndian.Uint32(end))
	if footer > size {
		return errcode.New(errcode.DataLoss, "no valid Parquet footer: the file is truncated or corrupt")
	}
	if most := r.limits.Bytes; most > 0 && footer > most/8 {
		return errcode.New(errcode.ResourceExhausted, "a footer of %d bytes, expected at most %d", footer, most/8)
	}
	return r.limits.Extra(footerGrowth * footer)
}

// byteStreamSplit is an encoding that the library does not know. A file with it would seem empty.
const byteStreamSplit = parquet.Encoding(9)

// checkChunks returns an error if a column chunk is larger than the file, has an unsupported encoding or compression,
// or if the chunks exceed the limits when decompressed. The library allocates what their sizes claim.
func (r *reader) checkChunks(f *file.Reader, in io.Seeker) error {
	size, err := in.Seek(0, io.SeekEnd)
	if err != nil {
		return ioError(err)
	}
	total := int64(0)
	for g := range f.NumRowGroups() {
		group := f.MetaData().RowGroup(g)
		for i := range group.NumColumns() {
			chunk, err := group.ColumnChunk(i)
			if err != nil {
				return arrowtable.Classify(err)
			}
			if slices.Contains(chunk.Encodings(), byteStreamSplit) {
				return errcode.New(errcode.Unimplemented,
					"column %d (%q) is encoded as BYTE_STREAM_SPLIT, which is unsupported; write it as PLAIN or with a dictionary",
					i+1,
					chunk.PathInSchema().String())
			}
			if _, err := compress.GetCodec(chunk.Compression()); err != nil {
				return errcode.New(errcode.Unimplemented,
					"column %d (%q) is compressed with %v, which is unsupported; use snappy, zstd or gzip", i+1,
					chunk.PathInSchema().String(), chunk.Compression())
			}
			if n := chunk.TotalCompressedSize(); n < 0 || n > size || chunk.TotalUncompressedSize() < 0 {
				return errcode.New(errcode.DataLoss, "malformed content: a column chunk larger than the file")
			}
			if total += chunk.TotalUncompressedSize(); total < 0 {
				return errcode.New(errcode.DataLoss, "malformed content")
			}
			if err := r.limits.CheckBytes(total); err != nil {
				return err
			}
		}
	}
	return nil
}

// arrowSchemaKey is the key in the footer under which some writers store an Arrow schema.
const arrowSchemaKey = "ARROW:schema"

// checkArrowSchema verifies the Arrow schema in the footer, if there is one.
func checkArrowSchema(f *file.Reader) error {
	text := f.MetaData().KeyValueMetadata().FindValue(arrowSchemaKey)
	if text == nil {
		return nil
	}
	stream, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(*text, "="))
	if err != nil {
		return errcode.New(errcode.DataLoss, "malformed content: the Arrow schema in its footer")
	}
	if err := arrowtable.CheckSchema(stream); err != nil {
		return err
	}
	return withoutFixedSizes(f, stream)
}

// withLogicalTypes returns the schema s with extension names on the columns whose Parquet type has no Arrow type: UUID,
// JSON and INTERVAL.
func withLogicalTypes(s *arrow.Schema, p *schema.Schema) *arrow.Schema {
	fields := s.Fields()
	for i := range fields {
		leaf, ok := p.Root().Field(i).(*schema.PrimitiveNode)
		if !ok || fields[i].HasMetadata() && fields[i].Metadata.FindKey(arrowtable.ExtensionKey) >= 0 {
			continue
		}
		name := ""
		switch leaf.LogicalType().(type) {
		case schema.UUIDLogicalType:
			name = arrowtable.ExtensionUUID
		case schema.JSONLogicalType:
			name = arrowtable.ExtensionJSON
		case schema.IntervalLogicalType:
			name = arrowtable.ExtensionInterval
		default:
			continue
		}
		fields[i].Metadata = arrow.NewMetadata([]string{arrowtable.ExtensionKey}, []string{name})
	}
	return arrow.NewSchema(fields, nil)
}

// exactInt96 replaces the top-level INT96 timestamps of t by exact values. The library counts their nanoseconds in 64
// bits, which end in 2262, while 9999-12-31 is common, and gives them a time zone, which the type does not have.
func exactInt96(f *file.Reader, t *scoring.Table) error {
	p := f.MetaData().Schema
	leaf := 0
	for i := range p.Root().NumFields() {
		node := p.Root().Field(i)
		if n, ok := node.(*schema.PrimitiveNode); ok && n.PhysicalType() == parquet.Types.Int96 &&
			n.RepetitionType() != parquet.Repetitions.Repeated {
			c, err := int96Column(f, leaf, t.Columns[i].Name)
			if err != nil {
				return errcode.New(errcode.Of(err), "column %d (%q): %w", i+1, t.Columns[i].Name, err)
			}
			if c.Len() != t.Rows() {
				return errcode.New(errcode.DataLoss, "column %d (%q): %d values of %d", i+1, t.Columns[i].Name, c.Len(), t.Rows())
			}
			t.Columns[i] = c
		}
		leaf += leaves(node)
	}
	return nil
}

func leaves(n schema.Node) int {
	group, ok := n.(*schema.GroupNode)
	if !ok {
		return 1
	}
	sum := 0
	for i := range group.NumFields() {
		sum += leaves(group.Field(i))
	}
	return sum
}

func int96Column(f *file.Reader, leaf int, name string) (scoring.Column, error) {
	b := scoring.NewBuilder(name, scoring.Timestamp, int(f.NumRows()))
	values, levels := make([]parquet.Int96, 1<<12), make([]int16, 1<<12)
	for g := range f.NumRowGroups() {
		chunk, err := f.RowGroup(g).Column(leaf)
		if err != nil {
			return scoring.Column{}, arrowtable.Classify(err)
		}
		in, ok := chunk.(*file.Int96ColumnChunkReader)
		if !ok {
			return scoring.Column{}, errcode.New(errcode.DataLoss, "malformed content")
		}
		present := in.Descriptor().MaxDefinitionLevel()
		for in.HasNext() {
			total, _, err := in.ReadBatch(int64(len(values)), values, levels, nil)
			if err != nil {
				return scoring.Column{}, arrowtable.Classify(err)
			}
			if total == 0 {
				break
			}
			next := 0
			for i := range total {
				if present > 0 && levels[i] < present {
					b.AppendNull()
					continue
				}
				b.Append(int96Value(values[next]))
				next++
			}
		}
		if err := in.Err(); err != nil {
			return scoring.Column{}, arrowtable.Classify(err)
		}
	}
	return b.Column(), nil
}

// int96Value returns the timestamp of an INT96 value, which has the nanoseconds of the day and the Julian day.
func int96Value(v parquet.Int96) scoring.Value {
	const julianEpoch = 2440588                                           // of 1970-01-01
	nanos := int64(binary.LittleEndian.Uint64(v[:8]))                     //nolint:gosec // below 86400e9 in valid files
	days := int64(int32(binary.LittleEndian.Uint32(v[8:]))) - julianEpoch //nolint:gosec // bits
	seconds, rest := days*86400+nanos/1e9, nanos%1e9
	if rest < 0 {
		seconds, rest = seconds-1, rest+1e9
	}
	return scoring.TimestampValue(scoring.Timestamp, seconds, int32(rest)) //nolint:gosec // below 1e9
}
