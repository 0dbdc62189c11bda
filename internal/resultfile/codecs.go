package resultfile

import (
	"errors"

	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/golang/snappy"
	"github.com/klauspost/compress/zstd"
)

// init replaces the library's codecs of Parquet pages by codecs that never allocate more than the uncompressed length
// in the page's header, for which memory is reserved.
func init() { //nolint:gochecknoinits // the library's registry is global
	for _, c := range []compress.Compression{compress.Codecs.Gzip, compress.Codecs.Brotli} {
		if codec, err := compress.GetCodec(c); err == nil {
			compress.RegisterCodec(c, boundedCodec{codec})
		}
	}
	if codec, err := compress.GetCodec(compress.Codecs.Snappy); err == nil {
		compress.RegisterCodec(compress.Codecs.Snappy, snappyCodec{boundedCodec{codec}})
	}
	decoder, err := zstd.NewReader(nil, zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderLowmem(true))
	if codec, e := compress.GetCodec(compress.Codecs.Zstd); err == nil && e == nil {
		compress.RegisterCodec(compress.Codecs.Zstd, zstdCodec{boundedCodec{codec}, decoder})
	}
}

// errPage is the value with which a codec panics. The reader of the file recovers it.
var errPage = errors.New("a page is longer than its header says")

// boundedCodec is a codec that returns an empty dst unchanged, because the library's codec would then allocate memory.
type boundedCodec struct{ compress.Codec }

func (b boundedCodec) Decode(dst, src []byte) []byte {
	if len(dst) == 0 {
		return dst
	}
	return b.Codec.Decode(dst, src)
}

type snappyCodec struct{ boundedCodec }

func (s snappyCodec) Decode(dst, src []byte) []byte {
	if n, err := snappy.DecodedLen(src); err != nil || n > len(dst) {
		panic(errPage)
	}
	return s.boundedCodec.Decode(dst, src)
}

type zstdCodec struct {
	boundedCodec
	decoder *zstd.Decoder
}

func (z zstdCodec) Decode(dst, src []byte) []byte {
	out, err := z.decoder.DecodeAll(src, dst[:0:len(dst)])
	if err != nil {
		panic(errPage)
	}
	return out
}
