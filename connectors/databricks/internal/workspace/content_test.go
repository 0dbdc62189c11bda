package workspace

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/pierrec/lz4/v4"

	"github.com/badger-eval/badger/internal/errcode"
)

// No byte of a compressed file behind its magic can be changed without notice, also where what is read then is well
// formed: a digit of a number.
func TestChangedFilesAreNoticed(t *testing.T) {
	var plain []byte
	for i := range 100 {
		plain = binary.LittleEndian.AppendUint64(plain, uint64(i*i*7919))
	}
	var out bytes.Buffer
	z := lz4.NewWriter(&out)
	_, err := z.Write(plain)
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	file := out.Bytes()
	if err := checkContent(file); err != nil {
		t.Fatal(err)
	}
	if err := checkContent(plain); err != nil {
		t.Errorf("a file that is not compressed: %v", err)
	}
	for at := len(lz4Magic); at < len(file); at++ {
		changed := bytes.Clone(file)
		changed[at] ^= 0xff
		if err := checkContent(changed); errcode.Of(err) != errcode.DataLoss {
			t.Errorf("byte %d of %d: %v, want data loss", at, len(file), err)
		}
	}
	if err := checkContent(file[:len(file)-1]); errcode.Of(err) != errcode.DataLoss {
		t.Errorf("without its last byte: %v, want data loss", err)
	}
}
