package thrift_test

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/badger-eval/badger/connectors/internal/thrift"
)

// The bytes are those of the protocol's specification: a strict header, then type, number and value
// of each field, and a zero.
func TestAppend(t *testing.T) {
	got := thrift.Append(nil, thrift.Message{Name: "Go", Kind: thrift.Call, Seq: 7, Fields: thrift.Struct{1: true, 2: int32(-2), 3: "é", 4: thrift.Struct{1: int16(5)}}})
	want := []byte{
		0x80, 1, 0, 1, 0, 0, 0, 2, 'G', 'o', 0, 0, 0, 7,
		2, 0, 1, 1,
		8, 0, 2, 0xff, 0xff, 0xff, 0xfe,
		11, 0, 3, 0, 0, 0, 2, 0xc3, 0xa9,
		12, 0, 4, 6, 0, 1, 0, 5, 0,
		0,
	}
	if !bytes.Equal(got, want) {
		t.Errorf("got  % x\nwant % x", got, want)
	}
}

func TestRoundTrip(t *testing.T) {
	m := thrift.Message{Name: "FetchResults", Kind: thrift.Reply, Seq: math.MinInt32, Fields: thrift.Struct{
		1: int8(-1), 2: int64(math.MaxInt64), 3: 0.1, 1281: []byte{0, 255}, 5: map[string]string{"a": "b", "": "c"},
		6: []any{thrift.Struct{1: false}, thrift.Struct{}}, 7: []any{[]byte("x"), []byte("y")}, 8: []any{int64(1)},
	}}
	got, err := thrift.Parse(thrift.Append(nil, m))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(m, got); diff != "" {
		t.Error(diff)
	}
}

func TestBroken(t *testing.T) {
	whole := thrift.Append(nil, thrift.Message{Name: "F", Kind: thrift.Reply, Fields: thrift.Struct{1: "text", 2: []thrift.Struct{{1: int64(1)}}}})
	for n := range whole {
		if _, err := thrift.Parse(whole[:n]); !errors.Is(err, thrift.ErrBroken) {
			t.Errorf("the first %d of %d bytes: %v, want ErrBroken", n, len(whole), err)
		}
	}
	if _, err := thrift.Parse([]byte("<html>no such page</html>")); !errors.Is(err, thrift.ErrBroken) {
		t.Errorf("a page: %v, want ErrBroken", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(thrift.Append(nil, thrift.Message{Name: "F", Kind: thrift.Reply, Fields: thrift.Struct{1: "text", 2: []thrift.Struct{{1: int64(1)}}, 3: map[string]string{"a": "b"}}}))
	f.Add([]byte{0x80, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 15, 0, 1, 12, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := thrift.Parse(b)
		if err != nil && (!errors.Is(err, thrift.ErrBroken) || m.Fields != nil) {
			t.Errorf("%v, want ErrBroken and nothing else", err)
		}
	})
}
