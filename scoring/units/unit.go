package units

import (
	"math/big"
	"slices"
	"strings"
)

// Measure is a physical or other quantity that units measure, such as length or money.
type Measure string

// The measures.
const (
	Money       Measure = "money"
	Length      Measure = "length"
	Mass        Measure = "mass"
	Duration    Measure = "duration"
	Temperature Measure = "temperature"
	Data        Measure = "data"
	Area        Measure = "area"
	Volume      Measure = "volume"
	Speed       Measure = "speed"
	Throughput  Measure = "throughput"
	FuelEconomy Measure = "fuel economy"
	Energy      Measure = "energy"
	Power       Measure = "power"
	Pressure    Measure = "pressure"
	Frequency   Measure = "frequency"
	Angle       Measure = "angle"
	Force       Measure = "force"
	Electricity Measure = "electricity"
	Substance   Measure = "substance" // amount of substance, and international units
	Share       Measure = "share"
	Count       Measure = "count" // thousands, millions, lakhs of anything
)

// Unit is a unit of measure.
type Unit struct {
	Measure Measure
	Symbol  string // unique symbol, such as km or USD
	// Base identifies the base unit. Units of the same measure with different bases cannot be converted: months
	// have no fixed number of days. For money it lists the codes of the possible currencies, or is empty if the
	// unit is a part of any currency, such as a cent.
	Base string

	factor *big.Rat // size in base units
	binary *big.Rat // other factor in use: KB is 1000 or 1024 bytes; nil if none
	offset *big.Rat // value in base units = factor × value + offset; nil: 0
}

// Decimal returns the factor to the base unit as a decimal. ok is false if it is not a finite decimal, or if it alone
// does not convert: for money, °C and °F, and sizes with two meanings, such as KB.
func (u *Unit) Decimal() (factor string, ok bool) {
	if u.binary != nil || u.offset != nil || u.Measure == Money {
		return "", false
	}
	digits, exact := u.factor.FloatPrec()
	return u.factor.FloatString(digits), exact
}

// PowerOfTen returns n if the unit is 10^n of its base unit; ok is false otherwise.
func (u *Unit) PowerOfTen() (n int, ok bool) { return powerOfTen(u.factor) }

// Stated is the unit of numbers that a name, other text or an expression states. The zero value states none.
type Stated struct {
	Unit  *Unit // nil if not stated
	Scale *Unit // thousands, millions or another scale; nil if not stated
	Per   *Unit // the denominator of a rate: hours in km per hour; nil if not stated
	// PerThing: it is a rate whose denominator is not a unit, such as orders per customer.
	PerThing bool
	// Share: the text mentions a share, such as a rate or a probability, but not its unit.
	Share bool
}

// Known reports whether a unit, a scale or a denominator is stated.
func (s *Stated) Known() bool { return s.Unit != nil || s.Scale != nil || s.Per != nil }

// Percent reports whether the stated unit is the percent or the percentage point.
func (s *Stated) Percent() bool {
	return s.Unit != nil && s.Unit.Measure == Share && s.Unit.factor.Cmp(hundredth) == 0
}

// Speaks reports whether a share of a whole is stated.
func (s *Stated) Speaks() bool { return s.Share || s.Unit != nil && s.Unit.Measure == Share }

// NoShare reports whether the stated numbers cannot be shares of a whole: they have another unit, a scale, or a
// denominator without a word for a share.
func (s *Stated) NoShare() bool {
	return s.Unit != nil && s.Unit.Measure != Share || s.Scale != nil || (s.Per != nil || s.PerThing) && !s.Speaks()
}

// String returns the statement as text, such as USD*million or km/h; "" if it states none.
func (s Stated) String() string {
	var b strings.Builder
	if s.Unit != nil {
		b.WriteString(s.Unit.Symbol)
	}
	if s.Scale != nil {
		if s.Unit != nil {
			b.WriteByte('*')
		}
		b.WriteString(s.Scale.Symbol)
	}
	if s.Per != nil {
		b.WriteString("/" + s.Per.Symbol)
	}
	return b.String()
}

// Or returns s with the unit and scale, or the denominator, of other if s states none.
func (s Stated) Or(other Stated) Stated {
	if s.Unit == nil && s.Scale == nil {
		s.Unit, s.Scale = other.Unit, other.Scale
	}
	if s.Per == nil && !s.PerThing {
		s.Per, s.PerThing = other.Per, other.PerThing
	}
	s.Share = s.Share || other.Share
	return s
}

// Relation is how two statements are related.
type Relation int

// The relations.
const (
	Unknown   Relation = iota // a side states none, or they state different parts
	Same                      // the same unit
	Converted                 // another unit, to which numbers can be converted
	Other                     // units without a conversion: two currencies, a length and a mass
)

// Conversion converts numbers of the first of two statements to those of the second.
type Conversion struct {
	Factors []*big.Rat // more than one if a unit has two meanings, such as KB
	Offset  *big.Rat   // added after multiplying; nil: 0
}

// PowerOfTen returns n if the conversion is only a multiplication by 10^n; ok is false otherwise, also for nil.
func (c *Conversion) PowerOfTen() (n int, ok bool) {
	if c == nil || len(c.Factors) != 1 || c.Offset != nil {
		return 0, false
	}
	return powerOfTen(c.Factors[0])
}

func powerOfTen(f *big.Rat) (n int, ok bool) {
	for _, side := range []struct {
		of, other *big.Int
		sign      int
	}{{f.Num(), f.Denom(), 1}, {f.Denom(), f.Num(), -1}} {
		digits := side.of.String()
		if side.other.IsInt64() && side.other.Int64() == 1 && digits[0] == '1' && strings.Trim(digits[1:], "0") == "" {
			return side.sign * (len(digits) - 1), true
		}
	}
	return 0, false
}

// Compare returns how two statements are related and, if they are Converted, how to convert numbers of the first to
// those of the second.
func Compare(a, b Stated) (Relation, *Conversion) {
	if !a.Known() || !b.Known() {
		return Unknown, nil
	}
	a, b = a.share(b), b.share(a)
	known := false // both sides state something
	if a.Unit != nil && b.Unit != nil {
		if !convertible(a.Unit, b.Unit) {
			return Other, nil
		}
		known = true
	}
	known = known || a.Scale != nil && (b.Scale != nil || b.Unit != nil) || b.Scale != nil && a.Unit != nil
	if a.Per != nil && b.Per != nil {
		if !convertible(a.Per, b.Per) {
			return Other, nil
		}
		known = true
	}
	if !known {
		return Unknown, nil
	}
	c := &Conversion{Factors: []*big.Rat{new(big.Rat).Quo(a.of(), b.of())}}
	if a.Unit != nil && b.Unit != nil {
		ratio := new(big.Rat).Quo(a.Unit.factor, b.Unit.factor)
		rest := new(big.Rat).Quo(c.Factors[0], ratio)
		for _, f := range ratios(a.Unit, b.Unit) {
			if f = new(big.Rat).Mul(f, rest); !slices.ContainsFunc(c.Factors, func(g *big.Rat) bool { return g.Cmp(f) == 0 }) {
				c.Factors = append(c.Factors, f)
			}
		}
		if a.Unit != b.Unit && (a.Unit.offset != nil || b.Unit.offset != nil) {
			c.Offset = new(big.Rat).Quo(new(big.Rat).Sub(zeroIfNil(a.Unit.offset), zeroIfNil(b.Unit.offset)), b.Unit.factor)
		}
	}
	same := c.Factors[0].Cmp(one) == 0 && c.Offset == nil
	if same && a.Unit != nil && b.Unit != nil && (a.Unit.binary == nil) != (b.Unit.binary == nil) &&
		a.Unit.factor.Cmp(b.Unit.factor) != 0 {
		same = false
	}
	if same {
		return Same, nil
	}
	return Converted, c
}

// share returns s with a denominator such as per 1000 replaced by the unit of the equal share, per mille, if other is a
// share and s has no unit. Otherwise it returns s unchanged.
func (s Stated) share(other Stated) Stated {
	if s.Unit != nil || s.Scale != nil || s.Per == nil || s.Per.Measure != Count || other.Unit == nil ||
		other.Unit.Measure != Share {
		return s
	}
	s.Unit, s.Per = &Unit{Measure: Share, Symbol: "per " + s.Per.Symbol, Base: other.Unit.Base,
		factor: new(big.Rat).Inv(s.Per.factor)}, nil
	return s
}

var one, zero, hundredth = big.NewRat(1, 1), new(big.Rat), big.NewRat(1, 100)

func zeroIfNil(r *big.Rat) *big.Rat {
	if r == nil {
		return zero
	}
	return r
}

// ratios returns the factors between two units, one for each meaning of units with two.
func ratios(a, b *Unit) (all []*big.Rat) {
	readings := func(u *Unit) []*big.Rat {
		if u.binary != nil {
			return []*big.Rat{u.factor, u.binary}
		}
		return []*big.Rat{u.factor}
	}
	for i, f := range readings(a) {
		for k, g := range readings(b) {
			if a.binary != nil && b.binary != nil && i != k {
				continue // one reading throughout
			}
			all = append(all, new(big.Rat).Quo(f, g))
		}
	}
	return all
}

// of returns the size of the stated unit in base units.
func (s *Stated) of() *big.Rat {
	f := new(big.Rat).Set(one)
	if s.Unit != nil {
		f.Mul(f, s.Unit.factor)
	}
	if s.Scale != nil {
		f.Mul(f, s.Scale.factor)
	}
	if s.Per != nil {
		f.Quo(f, s.Per.factor)
	}
	return f
}

// convertible reports whether numbers in one unit can be converted to the other. For money, they must have a currency
// in common.
func convertible(a, b *Unit) bool {
	if a.Measure != b.Measure {
		return false
	}
	if a.Base == b.Base {
		return true
	}
	if a.Measure != Money {
		return false
	}
	if a.Base == "" || b.Base == "" {
		return true
	}
	_, ok := SharedCurrency(a.Base, b.Base)
	return ok
}

// SharedCurrency returns the codes that two lists of codes, separated by spaces, have in common; ok is false if there
// are none.
func SharedCurrency(a, b string) (codes string, ok bool) {
	if a == b {
		return a, true
	}
	var both []string
	for _, code := range strings.Fields(a) {
		if slices.Contains(strings.Fields(b), code) {
			both = append(both, code)
		}
	}
	return strings.Join(both, " "), both != nil
}
