package vector

import (
	"strconv"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
)

// appendBits appends the digits of a BIT, whose first byte is the number of unused bits in the second.
func appendBits(b, bits []byte) []byte {
	if len(bits) == 0 {
		return b
	}
	for i := int(bits[0]); i < 8*(len(bits)-1); i++ {
		b = append(b, '0'+bits[1+i/8]>>(7-i%8)&1)
	}
	return b
}

// appendTimeTZ appends a TIMETZ. Its upper 40 bits are the microseconds of the day; its lower 24 bits are the
// difference between the highest zone offset, 15:59:59, and its own, in seconds.
func appendTimeTZ(b []byte, bits uint64) []byte {
	const highest = 16*60*60 - 1
	b = driverbase.AppendClock(b, int64(bits>>24)) //nolint:gosec // 40 bits
	offset := highest - int64(bits&0xffffff)
	sign := byte('+')
	if offset < 0 {
		sign, offset = '-', -offset
	}
	b = append(b, sign)
	b = appendTwo(b, offset/3600)
	if rest := offset % 3600; rest != 0 {
		b = appendTwo(append(b, ':'), rest/60)
		if rest%60 != 0 {
			b = appendTwo(append(b, ':'), rest%60)
		}
	}
	return b
}

// interval is the engine's INTERVAL, three parts that are not converted into each other.
type interval struct {
	months, days int32
	micros       int64
}

func appendTwo(b []byte, n int64) []byte {
	if n < 10 {
		b = append(b, '0')
	}
	return strconv.AppendInt(b, n, 10)
}
