package imports

import (
	"bytes"
	"io"
	"os"

	"github.com/badger-eval/badger/internal/errcode"
)

// notText are the first bytes of files that are not text, with what each is and what to do.
var notText = []struct {
	at          int // offset
	magic, says string
}{
	{0, "\x1f\x8b", "compressed with gzip: decompress it first, such as with gunzip"},
	{0, "\x28\xb5\x2f\xfd", "compressed with zstd: decompress it first, such as with unzstd"},
	{0, "BZh", "compressed with bzip2: decompress it first, such as with bunzip2"},
	{0, "\xfd7zXZ\x00", "compressed with xz: decompress it first, such as with unxz"},
	{0, "PAR1", "a Parquet file: export it as JSON Lines or CSV"},
	{0, "ARROW1", "an Arrow file: export it as JSON Lines or CSV"},
	{0, "SQLite format 3\x00", "a SQLite database: export it as JSON Lines or CSV"},
	{8, "DUCK", "a DuckDB database: export it as JSON Lines or CSV"},
	{0, "PK\x03\x04", "a spreadsheet or a ZIP archive: save the sheet as CSV, or unpack the archive"},
}

// CheckText returns an error that says what a file is if it is not text, or JSON in UTF-16. A folder is not examined.
func CheckText(path string) error {
	head, err := Head(path)
	if err != nil {
		return err
	}
	head = head[:min(len(head), 64)]
	for _, x := range notText {
		if at := x.at; len(head) > at && bytes.HasPrefix(head[at:], []byte(x.magic)) {
			return errcode.New(errcode.InvalidArgument, "the file is %s", x.says)
		}
	}
	if name := wideJSON(head); name != "" {
		return errcode.New(errcode.InvalidArgument,
			"the file is JSON in %s, expected UTF-8: convert it, such as with iconv -f UTF-16 -t UTF-8", name)
	}
	return nil
}

// Head returns the first 4 KiB of a file, fewer if it is shorter, and nothing of a folder.
func Head(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	head := make([]byte, 4096)
	n, _ := io.ReadFull(f, head) // opening it reports what matters
	return head[:n], nil
}

// wideJSON returns the encoding of text that begins as JSON in UTF-16, with a byte order mark or without, and "" for
// other text.
func wideJSON(head []byte) string {
	at, name := 0, ""
	switch {
	case bytes.HasPrefix(head, []byte{0xff, 0xfe}), bytes.HasPrefix(head, []byte{0xfe, 0xff}):
		at, name = 2, "UTF-16"
	case len(head) > 1 && (head[0] == 0) != (head[1] == 0):
		name = "UTF-16 without a byte order mark"
	}
	text := bytes.TrimLeft(bytes.ReplaceAll(head[at:], []byte{0}, nil), " \t\r\n")
	if name == "" || len(text) == 0 || text[0] != '{' && text[0] != '[' {
		return ""
	}
	return name
}
