package resultfile

import (
	"bufio"
	"bytes"
	"io"
	"path/filepath"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
)

type format uint8

const (
	csvFormat format = iota
	jsonFormat
	parquetFormat
	ipcFile
	ipcStream
)

var byEnding = map[string]format{
	".csv": csvFormat, ".tsv": csvFormat, ".tab": csvFormat, ".txt": csvFormat, ".psv": csvFormat,
	".json": jsonFormat, ".jsonl": jsonFormat, ".ndjson": jsonFormat,
	".parquet": parquetFormat, ".pq": parquetFormat, ".arrow": ipcFile, ".feather": ipcFile, ".ipc": ipcFile,
	".arrows": ipcStream,
}

// foreign lists unsupported formats by their first bytes, with a message for each.
var foreign = []struct{ magic, says string }{
	{"FEA1", "a Feather file of version 1; write version 2 (Arrow IPC)"},
	{"PK\x03\x04", "a zip archive or spreadsheet; export the sheet as CSV"},
	{"\xd0\xcf\x11\xe0", "a spreadsheet; export the sheet as CSV"},
	{"ORC", "an ORC file; export as Parquet"},
	{"Obj\x01", "an Avro file; export as Parquet"},
	{"SQLite format 3\x00", "a SQLite database; export the result as CSV"},
	{"BZh", "compressed with bzip2; use gzip or zstd"},
	{"\xfd7zXZ\x00", "compressed with xz; use gzip or zstd"},
	{"%PDF-", "a PDF; export the result as CSV"},
	{"{\\rtf", "a document in RTF; export the result as CSV"},
	{"\x89PNG", "a picture; export the result as CSV"},
	{"\x1f\x8b", "compressed twice"},
	{"\x28\xb5\x2f\xfd", "compressed twice"},
}

// format returns the format of the input, by its first bytes and, if they do not decide, by the file's name.
func (r *reader) format(in *bufio.Reader) (format, error) {
	head, err := in.Peek(1 << 10)
	if err != nil && err != io.EOF {
		return 0, ioError(err)
	}
	ending := filepath.Ext(r.name)
	named, known := byEnding[ending]
	switch {
	case bytes.HasPrefix(head, []byte("PAR1")) || bytes.HasPrefix(head, []byte("PARE")):
		return parquetFormat, nil
	case bytes.HasPrefix(head, []byte("ARROW1")):
		return ipcFile, nil
	case bytes.HasPrefix(head, []byte{0xff, 0xff, 0xff, 0xff}):
		return ipcStream, nil
	}
	for _, f := range foreign {
		if bytes.HasPrefix(head, []byte(f.magic)) {
			return 0, errcode.New(errcode.InvalidArgument, "%s", f.says)
		}
	}
	text := strings.TrimLeft(strings.TrimPrefix(string(head), "\ufeff"), " \t\r\n")
	switch {
	case known && named >= parquetFormat:
		return 0, errcode.New(errcode.DataLoss, "the name ends in %s, but the content has another format", ending[1:])
	case known && named == jsonFormat:
		return jsonFormat, nil
	case looksLikeJSON(text) || !known && text != "" && (text[0] == '{' || text[0] == '['):
		return jsonFormat, nil
	}
	return csvFormat, checkText(text)
}

// looksLikeJSON reports whether text starts like a result in JSON and unlike CSV.
func looksLikeJSON(text string) bool {
	for _, start := range []string{`{"columns"`, `{"rows"`, `[{"`, `[["`, `[[`} {
		if strings.HasPrefix(text, start) {
			return true
		}
	}
	return false
}
