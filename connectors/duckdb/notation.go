package duckdb

import "strconv"

// appendBits writes a BIT: the first byte says how many bits of the second do not count.
func appendBits(b, bits []byte) []byte {
	if len(bits) == 0 {
		return b
	}
	for i := int(bits[0]); i < 8*(len(bits)-1); i++ {
		b = append(b, '0'+bits[1+i/8]>>(7-i%8)&1)
	}
	return b
}

// appendTimeTZ writes a TIMETZ: microseconds of the day in the upper 40 bits, and in the lower 24
// how far the zone's offset in seconds lies below the highest, 15:59:59.
func appendTimeTZ(b []byte, bits uint64) []byte {
	const highest = 16*60*60 - 1
	b = appendClock(b, int64(bits>>24)) //nolint:gosec // 40 bits
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

// append writes 1 year 2 months 3 days 04:05:06.7.
func (v interval) append(b []byte) []byte {
	start := len(b)
	unit := func(n int32, name string) {
		if n == 0 {
			return
		}
		if len(b) > start {
			b = append(b, ' ')
		}
		b = append(append(strconv.AppendInt(b, int64(n), 10), ' '), name...)
		if n != 1 {
			b = append(b, 's')
		}
	}
	unit(v.months/12, "year")
	unit(v.months%12, "month")
	unit(v.days, "day")
	if v.micros == 0 && len(b) > start {
		return b
	}
	if len(b) > start {
		b = append(b, ' ')
	}
	if v.micros < 0 {
		b = append(b, '-')
	}
	return appendClock(b, v.micros)
}

// appendClock writes HH:MM:SS[.ffffff] of the magnitude of micros, with as many hours as it takes.
func appendClock(b []byte, micros int64) []byte {
	u := uint64(micros) //nolint:gosec // the magnitude follows
	if micros < 0 {
		u = -u
	}
	seconds, fraction := int64(u/1e6), u%1e6 //nolint:gosec // 2^63/1e6
	b = appendTwo(b, seconds/3600)
	b = appendTwo(append(b, ':'), seconds/60%60)
	b = appendTwo(append(b, ':'), seconds%60)
	if fraction == 0 {
		return b
	}
	digits := strconv.FormatUint(1e6+fraction, 10)
	end := len(digits)
	for digits[end-1] == '0' {
		end--
	}
	return append(append(b, '.'), digits[1:end]...)
}

func appendTwo(b []byte, n int64) []byte {
	if n < 10 {
		b = append(b, '0')
	}
	return strconv.AppendInt(b, n, 10)
}
