package agreement

import "math"

// DefaultLevel is the default confidence level of intervals.
const DefaultLevel = 0.95

// Wilson returns the score interval of the share part / whole (Wilson 1927; without continuity correction) at a
// confidence level such as 0.95. It is within 0 and 1, and has a positive width even if the share is 0 or 1. If whole
// is 0 it is undefined, from 0 to 1.
func Wilson(part, whole int, level float64) Interval {
	if whole <= 0 {
		return Interval{Lo: 0, Hi: 1, Why: noCases}
	}
	n, p, z := float64(whole), float64(part)/float64(whole), math.Sqrt2*math.Erfinv(level)
	middle := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	out := Interval{Lo: max(0, middle-half), Hi: min(1, middle+half), Defined: true}
	if part == 0 {
		out.Lo = 0 // exactly, despite rounding
	}
	if part == whole {
		out.Hi = 1
	}
	return out
}
