package resultfile

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// A cell that comes in small pieces is read whole.
func TestCSVScanOfSmallPieces(t *testing.T) {
	want := bytes.Repeat([]byte("abcdefgh"), 1<<15)
	for _, quote := range []string{"", `"`} {
		text := "h\n" + quote + string(want) + quote + "\n"
		s := newCSVScanner(t.Context(), iotest.OneByteReader(strings.NewReader(text)), ',', 0)
		if err := s.next(); err != nil || string(s.cells[0].text) != "h" {
			t.Fatalf("header: %v", err)
		}
		if err := s.next(); err != nil || len(s.cells) != 1 || !bytes.Equal(s.cells[0].text, want) {
			t.Errorf("quote %q: %v, %d cells", quote, err, len(s.cells))
		}
		if err := s.next(); !errors.Is(err, io.EOF) {
			t.Errorf("quote %q: %v at the end", quote, err)
		}
	}
}

// fill asks for as much as the record has, whatever the pieces, and takes less at the end of the text.
func TestCSVFillDoubles(t *testing.T) {
	text := bytes.Repeat([]byte("x"), 1<<20)
	s := newCSVScanner(t.Context(), iotest.OneByteReader(bytes.NewReader(text)), ',', 0)
	fills := 0
	for !s.eof {
		before := s.end
		if err := s.fill(); err != nil {
			t.Fatal(err)
		}
		if fills++; !s.eof && s.end < 2*before && s.end != len(s.buf) {
			t.Fatalf("fill %d read %d bytes after %d", fills, s.end-before, before)
		}
	}
	if s.end != len(text) || fills > 50 {
		t.Errorf("%d bytes in %d fills", s.end, fills)
	}
}
