// Package resultfile reads query results from files: CSV, Parquet, Arrow IPC and JSON.
//
// Formats are recognized by content and, if that does not decide, by the file's name. Every reader limits its memory,
// keeps values exact, and reports the file, row and column of an error without showing the value.
//
// CSV is read by this package, because encoding/csv does not distinguish quoted from unquoted cells, on which the
// difference between text and NULL depends, and is not fast enough. Parquet and Arrow are read with
// github.com/apache/arrow/go/v17, which the whole module uses, and gzip and zstd with github.com/klauspost/compress.
package resultfile

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"golang.org/x/text/encoding/unicode"

	"github.com/badger-eval/badger/internal/arrowtable"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// defaultLimits are the limits for a file if the options set none.
var defaultLimits = arrowtable.Limits{Rows: 20_000_000, Bytes: 2 << 30}

// Options configure how a file is read. With the zero value or nil, format and delimiter are detected and
// [defaultLimits] apply.
type Options struct {
	Delimiter byte     // between CSV cells; 0: detected, one of , ; tab |
	NoHeader  bool     // the first row of a CSV is data; columns have no names
	Nulls     []string // unquoted CSV cells that mean NULL; nil: empty, \N, <NA>, and words such as NULL by column

	// Limits bound the rows and bytes of the table, and the bytes of text after decompression. Zero means the default
	// limit, a negative value no limit.
	Limits arrowtable.Limits

	// Roots are the directories that files may be read from. A path that leads out of all of them, by itself or by a
	// symbolic link, is an error. Relative paths are searched in each in turn. Without roots any file may be read.
	Roots []string

	// Named is the name of the file in errors; its base name if empty.
	Named string

	// Dir is the directory that paths are relative to if there are no roots; the working directory if empty.
	Dir string
}

func (o *Options) limits() arrowtable.Limits {
	l := o.Limits
	if l.Rows == 0 {
		l.Rows = defaultLimits.Rows
	}
	if l.Bytes == 0 {
		l.Bytes = defaultLimits.Bytes
	}
	return l
}

// Read reads a result. Errors name the file, by its base name by default; the code is NotFound for a missing file,
// PermissionDenied for one that may not be read, DataLoss for truncated or corrupt bytes, InvalidArgument for
// malformed content and ResourceExhausted beyond the limits.
func Read(ctx context.Context, path string, o *Options) (*scoring.Table, error) {
	if o == nil {
		o = &Options{}
	}
	name := cmp.Or(o.Named, filepath.Base(path))
	t, err := read(ctx, path, o)
	if err != nil {
		return nil, errcode.New(errcode.Of(err), "file %q: %w", name, err)
	}
	return t, nil
}

func read(ctx context.Context, path string, o *Options) (t *scoring.Table, err error) {
	f, err := o.open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read from
	defer arrowtable.Recover(&err)
	r := &reader{Options: o, ctx: ctx, limits: o.limits().For(ctx), name: strings.ToLower(filepath.Base(path))}
	return r.read(f)
}

// reader reads one file.
type reader struct {
	*Options
	ctx    context.Context //nolint:containedctx // lives for one call
	limits arrowtable.Limits
	name   string // base name in lower case, without the extension of a compression
	size   int64  // bytes of the text; 0 if unknown
}

func (r *reader) read(f *os.File) (*scoring.Table, error) {
	in := bufio.NewReaderSize(f, 1<<16)
	head, err := in.Peek(64)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, ioError(err)
	}
	if IsPointer(head) {
		return nil, errcode.New(errcode.InvalidArgument, "expected a result, found %s", Pointer)
	}
	var plain io.Reader = in
	compressed := true
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, ioError(err)
		}
		plain, r.name = z, strings.TrimSuffix(r.name, ".gz")
	case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		head, _ := in.Peek(zstd.HeaderMaxSize)
		window, err := r.limits.ReserveWindow(head, 0)
		if err != nil {
			return nil, err
		}
		z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(uint64(max(window, 1<<20)))) //nolint:gosec // not negative
		if err != nil {
			return nil, ioError(err)
		}
		defer z.Close()
		plain, r.name = z, strings.TrimSuffix(strings.TrimSuffix(r.name, ".zst"), ".zstd")
	case strings.HasSuffix(r.name, ".gz") || strings.HasSuffix(r.name, ".zst") || strings.HasSuffix(r.name, ".zstd"):
		return nil, errcode.New(errcode.DataLoss,
			"the name ends as that of a compressed file, but the content is not compressed")
	default:
		compressed = false
	}
	if compressed {
		in = bufio.NewReaderSize(plain, 1<<16)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, ioError(err)
	}
	regular := info.Mode().IsRegular()
	if regular && !compressed {
		r.size = info.Size()
	}
	if in, err = r.asUTF8(in); err != nil {
		return nil, err
	}
	format, err := r.format(in)
	if err != nil {
		return nil, err
	}
	if format == csvFormat || format == jsonFormat { // an honest size is refused before anything is read
		if err := r.limits.CheckBytes(r.size); err != nil {
			return nil, err
		}
	}
	switch format {
	case csvFormat:
		return r.readCSV(in)
	case jsonFormat:
		return r.readJSON(in)
	case ipcStream:
		return r.readIPCStream(in)
	}
	var at readerAtSeeker = f
	if compressed || !regular {
		data, err := r.readAll(in)
		if err != nil {
			return nil, err
		}
		at = bytes.NewReader(data)
	}
	if format == ipcFile {
		return r.readIPCFile(at)
	}
	return r.readParquet(at)
}

// asUTF8 returns a reader that decodes UTF-16 if the input begins with its byte order mark; otherwise it returns in.
func (r *reader) asUTF8(in *bufio.Reader) (*bufio.Reader, error) {
	head, _ := in.Peek(4) // a short file is not text in UTF-16
	switch {
	case bytes.Equal(head, []byte("\xff\xfe\x00\x00")) || bytes.Equal(head, []byte("\x00\x00\xfe\xff")):
		return nil, errcode.New(errcode.InvalidArgument,
			"UTF-32 text; save it as UTF-8, or convert it by iconv -f UTF-32 -t UTF-8")
	case !bytes.HasPrefix(head, []byte("\xff\xfe")) && !bytes.HasPrefix(head, []byte("\xfe\xff")):
		return in, nil
	}
	r.size = 0
	pairs := &inPairs{in: in}
	return bufio.NewReaderSize(unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder().Reader(pairs), 1<<16), nil
}

// inPairs is text in UTF-16. The decoder would read a byte that is left at its end as a character.
type inPairs struct {
	in  io.Reader
	odd bool
}

// Read returns an error at the end of an odd number of bytes.
func (r *inPairs) Read(p []byte) (n int, err error) {
	n, err = r.in.Read(p)
	r.odd = r.odd != (n%2 == 1)
	if r.odd && errors.Is(err, io.EOF) {
		err = errcode.New(errcode.DataLoss, "UTF-16 text with an odd number of bytes: its end is missing")
	}
	return n, err
}

type readerAtSeeker interface {
	io.ReaderAt
	io.Seeker
	io.Reader
}

// readAll returns all input, or an error if it exceeds the limits. It reserves memory before it allocates it.
func (r *reader) readAll(in io.Reader) ([]byte, error) {
	if r.limits.Bytes > 0 {
		in = io.LimitReader(in, r.limits.Bytes+1)
	}
	in = contextReader{r.ctx, in}
	var data []byte
	for size := max(64<<10, r.size+1); ; size *= 2 {
		if err := r.limits.Extra(size); err != nil {
			return nil, err
		}
		before := int64(cap(data))
		data = append(make([]byte, 0, size), data...)
		if err := r.limits.Extra(-before); err != nil {
			return nil, err
		}
		for len(data) < cap(data) {
			n, err := in.Read(data[len(data):cap(data)])
			if data = data[:len(data)+n]; r.limits.Bytes > 0 && int64(len(data)) > r.limits.Bytes {
				return nil, r.limits.CheckBytes(int64(len(data)))
			}
			if errors.Is(err, io.EOF) {
				return data, nil
			}
			if err != nil {
				return nil, ioError(err)
			}
		}
	}
}

type contextReader struct {
	ctx context.Context //nolint:containedctx // lives for one call
	r   io.Reader
}

func (c contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

// ioError returns an error of reading or decompressing with a code: its own, DataLoss for truncated or corrupt data, or
// Unavailable.
func ioError(err error) error {
	var path *os.PathError
	switch {
	case errcode.Of(err) != errcode.Unknown:
		return err
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		return errcode.New(errcode.DataLoss, "ends in the middle: the file is truncated")
	case errors.As(err, &path):
		return errcode.New(errcode.Unavailable, "reading failed: %w", path.Err)
	}
	return errcode.New(errcode.DataLoss, "corrupt: %w", err)
}
