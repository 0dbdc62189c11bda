package units

import (
	"fmt"
	"maps"
	"math/big"
	"strings"
	"sync"
)

// entry is a unit with its spellings. Those in words and short mean the unit in any context, except a time such as the
// last week; plurals of words are added. Those in doubt have other meanings too and mean it only if the context
// mentions its measure. In cells, letter case matters.
type entry struct {
	measure                      Measure
	symbol, base, factor, offset string
	words                        string // spellings in the singular
	short                        string // spellings without plural; in lower case
	doubt                        string
	plural                       bool // singulars of words are units only after per or a number
}

// entries are the known units, from the SI brochure, NIST SP 811 (customary units), IEC 80000-13 (data), ISO 4217
// (currencies) and business usage: basis points, lakhs, thousands of dollars.
var entries = []entry{
	// Money. Subunits of no currency by itself have no base.
	{Money, "USD", "USD", "1", "", "dollar buck", "usd us$", "$", false},
	{Money, "EUR", "EUR", "1", "", "euro", "eur", "€", false},
	{Money, "GBP", "GBP", "1", "", "sterling quid", "gbp", "£ pound pounds", false},
	{Money, "JPY", "JPY", "1", "", "", "jpy yen", "", false},
	{Money, "CNY", "CNY", "1", "", "", "cny rmb yuan renminbi cnh", "", false},
	{Money, "¥", "JPY CNY", "1", "", "", "¥", "", false},
	{Money, "CHF", "CHF", "1", "", "franc", "chf sfr", "", false},
	{Money, "CAD", "CAD", "1", "", "", "cad ca$ c$", "", false},
	{Money, "AUD", "AUD", "1", "", "", "aud au$ a$", "", false},
	{Money, "NZD", "NZD", "1", "", "", "nzd nz$", "", false},
	{Money, "HKD", "HKD", "1", "", "", "hkd hk$", "", false},
	{Money, "SGD", "SGD", "1", "", "", "sgd s$", "", false},
	{Money, "TWD", "TWD", "1", "", "", "twd nt$", "", false},
	{Money, "INR", "INR", "1", "", "rupee", "inr ₹", "rs", false},
	{Money, "PKR", "PKR", "1", "", "", "pkr", "", false},
	{Money, "LKR", "LKR", "1", "", "", "lkr", "", false},
	{Money, "BDT", "BDT", "1", "", "taka", "bdt ৳", "", false},
	{Money, "kr", "SEK NOK DKK ISK", "1", "", "", "", "kr crown crowns", false},
	{Money, "SEK", "SEK", "1", "", "", "sek krona kronor", "", false},
	{Money, "NOK", "NOK", "1", "", "", "nok", "", false},
	{Money, "DKK", "DKK", "1", "", "", "dkk", "", false},
	{Money, "krone", "NOK DKK", "1", "", "", "krone kroner", "", false},
	{Money, "ISK", "ISK", "1", "", "", "isk", "", false},
	{Money, "PLN", "PLN", "1", "", "zloty", "pln zł", "", false},
	{Money, "CZK", "CZK", "1", "", "koruna", "czk kč", "", false},
	{Money, "HUF", "HUF", "1", "", "forint", "huf", "ft", false},
	{Money, "RON", "RON", "1", "", "", "", "ron lei leu", false},
	{Money, "BGN", "BGN", "1", "", "", "bgn", "lev leva", false},
	{Money, "RUB", "RUB", "1", "", "ruble rouble", "rub ₽", "", false},
	{Money, "UAH", "UAH", "1", "", "hryvnia", "uah ₴", "", false},
	{Money, "TRY", "TRY", "1", "", "", "₺", "try lira", false},
	{Money, "BRL", "BRL", "1", "", "", "brl r$ reais", "real", false},
	{Money, "MXN", "MXN", "1", "", "", "mxn mx$", "", false},
	{Money, "peso", "MXN ARS CLP COP PHP UYU", "1", "", "peso", "", "", false},
	{Money, "ARS", "ARS", "1", "", "", "", "ars", false},
	{Money, "CLP", "CLP", "1", "", "", "clp", "", false},
	{Money, "COP", "COP", "1", "", "", "", "cop", false},
	{Money, "PEN", "PEN", "1", "", "", "", "pen soles", false},
	{Money, "ZAR", "ZAR", "1", "", "", "zar", "rand", false},
	{Money, "NGN", "NGN", "1", "", "naira", "ngn ₦", "", false},
	{Money, "KES", "KES", "1", "", "", "kes ksh", "", false},
	{Money, "EGP", "EGP", "1", "", "", "egp", "", false},
	{Money, "GHS", "GHS", "1", "", "cedi", "ghs ₵", "", false},
	{Money, "MAD", "MAD", "1", "", "", "", "mad", false},
	{Money, "dirham", "AED MAD", "1", "", "dirham", "", "", false},
	{Money, "AED", "AED", "1", "", "", "aed", "", false},
	{Money, "SAR", "SAR", "1", "", "", "", "sar", false},
	{Money, "riyal", "SAR QAR OMR YER", "1", "", "riyal rial", "", "", false},
	{Money, "QAR", "QAR", "1", "", "", "qar", "", false},
	{Money, "KWD", "KWD", "1", "", "", "kwd", "", false},
	{Money, "ILS", "ILS", "1", "", "shekel", "ils ₪", "", false},
	{Money, "KRW", "KRW", "1", "", "", "krw ₩", "won", false},
	{Money, "THB", "THB", "1", "", "baht", "thb ฿", "", false},
	{Money, "VND", "VND", "1", "", "", "vnd ₫", "dong", false},
	{Money, "IDR", "IDR", "1", "", "rupiah", "idr", "rp", false},
	{Money, "MYR", "MYR", "1", "", "ringgit", "myr", "rm", false},
	{Money, "PHP", "PHP", "1", "", "", "₱", "php", false},
	{Money, "KZT", "KZT", "1", "", "tenge", "kzt ₸", "", false},
	{Money, "BTC", "BTC", "1", "", "bitcoin", "btc", "", false},
	{Money, "ETH", "ETH", "1", "", "ether", "eth", "", false},
	{Money, "cent", "", "1/100", "", "cent", "cts ct", "¢ c", false},
	{Money, "eurocent", "EUR", "1/100", "", "eurocent", "", "", false},
	{Money, "penny", "GBP", "1/100", "", "pence", "pence", "p", false},
	{Money, "paisa", "INR PKR", "1/100", "", "", "paise paisa", "", false},
	{Money, "kEUR", "EUR", "1000", "", "", "keur teur", "", false},
	{Money, "MEUR", "EUR", "1000000", "", "", "meur mneur mioeur", "", false},
	{Money, "kUSD", "USD", "1000", "", "", "kusd tusd", "", false},
	{Money, "MUSD", "USD", "1000000", "", "", "musd mnusd miousd", "", false},
	{Money, "kGBP", "GBP", "1000", "", "", "kgbp tgbp", "", false},
	{Money, "MGBP", "GBP", "1000000", "", "", "mgbp mngbp miogbp", "", false},
	{Money, "kCHF", "CHF", "1000", "", "", "kchf tchf", "", false},
	{Money, "MCHF", "CHF", "1000000", "", "", "mchf mnchf miochf", "", false},

	// Counting.
	{Count, "thousand", "", "1000", "", "thousand", "tsd 000s", "k 000", false},
	{Count, "lakh", "", "100000", "", "lakh lac", "", "l", false},
	{Count, "million", "", "1000000", "", "million", "mio mln", "m mm mn mil", false},
	{Count, "crore", "", "10000000", "", "crore", "", "cr", false},
	{Count, "billion", "", "1000000000", "", "billion milliard", "bln mrd", "bn b", false},
	{Count, "trillion", "", "1000000000000", "", "trillion", "trn", "tn", false},
	{Count, "dozen", "", "12", "", "dozen", "", "", false},

	// Shares.
	{Share, "fraction", "", "1", "", "", "", "", false}, // no name states it with certainty
	{Share, "%", "", "1/100", "", "percent percentage", "% pct perc prct pcnt", "", false},
	{Share, "pp", "", "1/100", "", "", "ppt", "pp", false},
	{Share, "‰", "", "1/1000", "", "permille promille", "‰ permil promill pml", "", false},
	{Share, "bp", "", "1/10000", "", "basispoint", "bps ‱", "bp", false},
	{Share, "ppm", "", "1/1000000", "", "", "ppm", "", false},
	{Share, "ppb", "", "1/1000000000", "", "", "ppb", "", false},

	// Length.
	{Length, "m", "", "1", "", "metre meter", "mtr mtrs", "m", false},
	{Length, "nm", "", "1/1000000000", "", "nanometre nanometer", "", "nm", false},
	{Length, "µm", "", "1/1000000", "", "micrometre micrometer micron", "µm μm um", "", false},
	{Length, "mm", "", "1/1000", "", "millimetre millimeter", "mm", "", false},
	{Length, "cm", "", "1/100", "", "centimetre centimeter", "cm cms", "", false},
	{Length, "dm", "", "1/10", "", "decimetre decimeter", "", "dm", false},
	{Length, "km", "", "1000", "", "kilometre kilometer", "km kms", "", false},
	{Length, "inch", "", "0.0254", "", "inch", "inches", `in "`, false},
	{Length, "ft", "", "0.3048", "", "foot", "ft feet", "'", true},
	{Length, "yd", "", "0.9144", "", "yard", "yd yds", "", true},
	{Length, "mi", "", "1609.344", "", "mile", "mi", "", false},
	{Length, "nmi", "", "1852", "", "", "nmi", "", false},
	{Length, "ly", "light year", "1", "", "lightyear", "", "ly", false},

	// Mass.
	{Mass, "g", "", "1", "", "gram gramme", "gms", "g gr gm", false},
	{Mass, "kg", "", "1000", "", "kilogram kilogramme kilo", "kg kgs", "", false},
	{Mass, "mg", "", "1/1000", "", "milligram", "mg mgs", "", false},
	{Mass, "µg", "", "1/1000000", "", "microgram", "µg μg mcg ug", "", false},
	{Mass, "ng", "", "1/1000000000", "", "nanogram", "", "ng", false},
	{Mass, "t", "", "1000000", "", "tonne", "metricton", "t mt", false},
	{Mass, "ton", "", "1000000", "", "ton", "", "", false},
	{Mass, "kt", "", "1000000000", "", "kilotonne kiloton", "", "kt", false},
	{Mass, "short ton", "", "907184.74", "", "shortton", "", "", false},
	{Mass, "long ton", "", "1016046.9088", "", "longton", "", "", false},
	{Mass, "lb", "", "453.59237", "", "", "lb lbs", "pound pounds", false},
	{Mass, "oz", "", "28.349523125", "", "ounce", "oz ozs", "", false},
	{Mass, "troy oz", "", "31.1034768", "", "troyounce", "", "ozt", false},
	{Mass, "st", "", "6350.29318", "", "", "", "stone st", false},
	{Mass, "carat", "", "0.2", "", "carat", "", "ct", false},

	// Durations. A month has no fixed number of days.
	{Duration, "s", "", "1", "", "second", "sec secs", "s", true},
	{Duration, "ms", "", "1/1000", "", "millisecond milli", "msec msecs millis ms", "", false},
	{Duration, "µs", "", "1/1000000", "", "microsecond", "µs μs us_ usec micros", "us", false},
	{Duration, "ns", "", "1/1000000000", "", "nanosecond", "nsec nanos", "ns", false},
	{Duration, "min", "", "60", "", "minute", "mins", "min m", true},
	{Duration, "h", "", "3600", "", "hour", "hr hrs", "h", true},
	{Duration, "d", "", "86400", "", "day", "", "d", true},
	{Duration, "wk", "", "604800", "", "week", "wks", "wk w", true},
	{Duration, "month", "month", "1", "", "month", "mths mos", "mo mth mon", true},
	{Duration, "quarter", "month", "3", "", "quarter", "qtrs", "", true},
	{Duration, "year", "month", "12", "", "year", "yrs", "yr y a", true},
	{Duration, "decade", "month", "120", "", "decade", "", "", true},

	// Temperatures, in kelvin.
	{Temperature, "K", "", "1", "", "kelvin", "", "k", false},
	{Temperature, "°C", "", "1", "273.15", "celsius centigrade", "°c ℃ degc", "c", false},
	{Temperature, "°F", "", "5/9", "45967/180", "fahrenheit", "°f ℉ degf", "f", false},

	// Data, in bytes.
	{Data, "B", "", "1", "", "byte", "", "b", false},
	{Data, "bit", "", "1/8", "", "bit", "", "", false},
	{Data, "kB", "", "1000", "1024", "kilobyte", "kb kbyte kbytes", "", false},
	{Data, "MB", "", "1000000", "1048576", "megabyte", "mb mbyte mbytes", "meg", false},
	{Data, "GB", "", "1000000000", "1073741824", "gigabyte", "gb gbyte gbytes", "gig gigs", false},
	{Data, "TB", "", "1000000000000", "1099511627776", "terabyte", "tb tbyte tbytes", "", false},
	{Data, "PB", "", "1000000000000000", "1125899906842624", "petabyte", "pb pbyte pbytes", "", false},
	{Data, "KiB", "", "1024", "", "kibibyte", "kib", "", false},
	{Data, "MiB", "", "1048576", "", "mebibyte", "mib", "", false},
	{Data, "GiB", "", "1073741824", "", "gibibyte", "gib", "", false},
	{Data, "TiB", "", "1099511627776", "", "tebibyte", "tib", "", false},
	{Data, "PiB", "", "1125899906842624", "", "pebibyte", "pib", "", false},
	{Data, "kbit", "", "125", "", "kilobit", "kbit kbits", "", false},
	{Data, "Mbit", "", "125000", "", "megabit", "mbit mbits", "", false},
	{Data, "Gbit", "", "125000000", "", "gigabit", "gbit gbits", "", false},

	// Area, in square metres.
	{Area, "m²", "", "1", "", "sqmetre sqmeter", "m² m2 sqm", "", false},
	{Area, "mm²", "", "1/1000000", "", "sqmillimetre sqmillimeter", "mm² mm2", "", false},
	{Area, "cm²", "", "1/10000", "", "sqcentimetre sqcentimeter", "cm² cm2 sqcm", "", false},
	{Area, "km²", "", "1000000", "", "sqkilometre sqkilometer", "km² km2 sqkm", "", false},
	{Area, "ha", "", "10000", "", "hectare", "", "ha", false},
	{Area, "acre", "", "4046.8564224", "", "acre", "", "ac", false},
	{Area, "ft²", "", "0.09290304", "", "sqfoot", "ft² ft2 sqft sqfeet", "sf", false},
	{Area, "yd²", "", "0.83612736", "", "sqyard", "yd² yd2 sqyd", "", false},
	{Area, "in²", "", "0.00064516", "", "sqinch", "in² in2 sqin sqinches", "", false},
	{Area, "mi²", "", "2589988.110336", "", "sqmile", "mi² mi2 sqmi", "", false},

	// Volume, in litres.
	{Volume, "l", "", "1", "", "litre liter", "ltr ltrs", "l", false},
	{Volume, "ml", "", "1/1000", "", "millilitre milliliter", "ml mls", "", false},
	{Volume, "µl", "", "1/1000000", "", "microlitre microliter", "µl μl ul", "", false},
	{Volume, "cl", "", "1/100", "", "centilitre centiliter", "", "cl", false},
	{Volume, "dl", "", "1/10", "", "decilitre deciliter", "", "dl", false},
	{Volume, "hl", "", "100", "", "hectolitre hectoliter", "", "hl", false},
	{Volume, "m³", "", "1000", "", "cbmetre cbmeter", "m³ m3 cbm", "", false},
	{Volume, "cm³", "", "1/1000", "", "cbcentimetre cbcentimeter", "cm³ cm3 ccm", "cc", false},
	{Volume, "ft³", "", "28.316846592", "", "cbfoot", "ft³ ft3 cuft cbfeet", "", false},
	{Volume, "gal", "", "3.785411784", "", "gallon", "gal gals", "", false},
	{Volume, "qt", "", "0.946352946", "", "quart", "", "qt", false},
	{Volume, "pint", "", "0.473176473", "", "pint", "", "pt", false},
	{Volume, "fl oz", "", "0.0295735295625", "", "floz fluidounce", "", "", false},
	{Volume, "bbl", "", "158.987294928", "", "barrel", "bbl bbls", "", false},
	{Volume, "TEU", "TEU", "1", "", "", "teu teus", "", false},

	// Speed, in metres a second.
	{Speed, "m/s", "", "1", "", "", "mps", "", false},
	{Speed, "km/h", "", "5/18", "", "", "kmh kph kmph", "", false},
	{Speed, "mph", "", "0.44704", "", "", "mph", "", false},
	{Speed, "kn", "", "463/900", "", "knot", "kts", "kn kt", false},

	// Throughput, in bytes a second; fuel economy, in metres a litre.
	{Throughput, "kbit/s", "", "125", "", "", "kbps", "", false},
	{Throughput, "Mbit/s", "", "125000", "", "", "mbps", "", false},
	{Throughput, "Gbit/s", "", "125000000", "", "", "gbps", "", false},
	{FuelEconomy, "mpg", "", "1609344000000/3785411784", "", "", "mpg", "", false},
	{FuelEconomy, "km/l", "", "1000", "", "", "kmpl kml", "", false},

	// Energy, in joules; power, in watts.
	{Energy, "J", "", "1", "", "joule", "", "j", false},
	{Energy, "kJ", "", "1000", "", "kilojoule", "kj", "", false},
	{Energy, "MJ", "", "1000000", "", "megajoule", "mj", "", false},
	{Energy, "GJ", "", "1000000000", "", "gigajoule", "gj", "", false},
	{Energy, "cal", "", "4.184", "", "", "", "cal calorie calories", false},
	{Energy, "kcal", "", "4184", "", "kilocalorie", "kcal kcals", "", false},
	{Energy, "Wh", "", "3600", "", "watthour", "wh", "", false},
	{Energy, "kWh", "", "3600000", "", "kilowatthour", "kwh", "", false},
	{Energy, "MWh", "", "3600000000", "", "megawatthour", "mwh", "", false},
	{Energy, "GWh", "", "3600000000000", "", "gigawatthour", "gwh", "", false},
	{Energy, "TWh", "", "3600000000000000", "", "terawatthour", "twh", "", false},
	{Energy, "BTU", "", "1055.05585262", "", "", "btu btus", "", false},
	{Energy, "therm", "", "105505585.262", "", "therm", "", "", false},
	{Power, "W", "", "1", "", "watt", "", "w", false},
	{Power, "kW", "", "1000", "", "kilowatt", "kw", "", false},
	{Power, "MW", "", "1000000", "", "megawatt", "", "mw", false},
	{Power, "GW", "", "1000000000", "", "gigawatt", "gw", "", false},
	{Power, "TW", "", "1000000000000", "", "terawatt", "tw", "", false},
	{Power, "mW", "", "1/1000", "", "milliwatt", "", "", false},
	{Power, "hp", "hp", "1", "", "horsepower", "bhp", "hp", false},

	// Pressure, in pascals.
	{Pressure, "Pa", "", "1", "", "pascal", "", "pa", false},
	{Pressure, "hPa", "", "100", "", "hectopascal", "hpa mbar millibar", "", false},
	{Pressure, "kPa", "", "1000", "", "kilopascal", "kpa", "", false},
	{Pressure, "MPa", "", "1000000", "", "megapascal", "mpa", "", false},
	{Pressure, "bar", "", "100000", "", "", "", "bar bars", false},
	{Pressure, "atm", "", "101325", "", "", "", "atm atmosphere atmospheres", false},
	{Pressure, "psi", "", "6894.757293168", "", "", "psi", "", false},
	{Pressure, "mmHg", "", "133.322387415", "", "", "mmhg", "", false},

	// Others.
	{Frequency, "Hz", "", "1", "", "hertz", "hz", "", false},
	{Frequency, "kHz", "", "1000", "", "kilohertz", "khz", "", false},
	{Frequency, "MHz", "", "1000000", "", "megahertz", "mhz", "", false},
	{Frequency, "GHz", "", "1000000000", "", "gigahertz", "ghz", "", false},
	{Frequency, "rpm", "", "1/60", "", "", "rpm", "", false},
	{Angle, "°", "turn", "1/360", "", "", "", "° deg degs degree degrees", false},
	{Angle, "rad", "radian", "1", "", "radian", "", "rad", false},
	{Angle, "mrad", "radian", "1/1000", "", "milliradian", "", "mrad", false},
	{Force, "N", "", "1", "", "newton", "", "n", false},
	{Force, "kN", "", "1000", "", "kilonewton", "", "kn", false},
	{Electricity, "V", "V", "1", "", "volt", "", "v", false},
	{Electricity, "mV", "V", "1/1000", "", "millivolt", "mv", "", false},
	{Electricity, "kV", "V", "1000", "", "kilovolt", "kv", "", false},
	{Electricity, "A", "A", "1", "", "ampere amp", "", "a", false},
	{Electricity, "mA", "A", "1/1000", "", "milliampere milliamp", "", "ma", false},
	{Electricity, "mAh", "Ah", "1/1000", "", "", "mah", "", false},
	{Electricity, "Ah", "Ah", "1", "", "", "", "ah", false},
	{Electricity, "Ω", "Ω", "1", "", "ohm", "Ω ω", "", false},
	{Substance, "mol", "mol", "1", "", "mole", "", "mol", false},
	{Substance, "mmol", "mol", "1/1000", "", "millimole", "mmol", "", false},
	{Substance, "µmol", "mol", "1/1000000", "", "micromole", "µmol μmol umol", "", false},
	{Substance, "IU", "IU", "1", "", "", "iu", "", false},
}

// contexts are words in names and questions, in the singular, that mention a measure, so that ambiguous spellings next
// to them are units of it.
var contexts = map[Measure]map[string]bool{
	Money: setOf("revenue sale sales amount price cost budget income profit salary spend spending turnover expense balance fee value gmv arr mrr gdp debt loan tax payment paid invoice funding capital valuation asset " +
		"earning wage pay cash money currency capitalization cap bill charge rent ebitda expenditure donation grant premium payout deposit aov ltv gross net investment proceeds billing exchange"),
	Count:  setOf("population inhabitant people user view download unit subscriber follower visitor"),
	Length: setOf("distance dist length len ht hgt height width depth elevation altitude radius diameter range rainfall rain precipitation snow snowfall thickness wavelength jump throw travelled traveled drive driven run swim route track trip waist visibility wave perimeter circumference clearance shoulder span mileage tall wide deep long far ran rode level"),
	Mass:   setOf("weight wt mass load cargo freight payload catch harvest waste emission emissions co2 protein fat sugar carb fiber fibre sodium dose dosage tonnage ore weigh heavy crop shipped produced yield salt portion"),
	Duration: setOf("time duration latency elapsed runtime lap delay wait waiting dur uptime downtime response session ttl ttr mttr turnaround shift travel ride call video film movie song track exposure cycle lead transit flight commute handling " +
		"processing execution ping rtt timeout age tenure outage length took take last stay sla playtime finish pace gap interval long period watch watched training"),
	Temperature: setOf("temp temperature tmax tmin dew freezing boiling melting thermostat fever climate heat warm warmest cold coldest hot hottest weather"),
	Data:        setOf("size storage data traffic memory disk file download upload bandwidth transfer ram cache usage throughput table backup payload bucket index"),
	Area:        setOf("area surface land floor plot field acreage living"),
	Volume: setOf(
		"volume vol fuel capacity water milk consumption tank liquid oil wine beer discharge displacement drink engine"),
	Speed:       setOf("speed velocity wind gust"),
	Energy:      setOf("energy calorie kcal nutrition diet meal burned"),
	Power:       setOf("power capacity generation output load demand solar wattage plant engine"),
	Pressure:    setOf("pressure press barometer barometric tyre tire"),
	Angle:       setOf("angle bearing heading rotation slope inclination latitude longitude azimuth"),
	Force:       setOf("force thrust"),
	Electricity: setOf("voltage current battery charge"),
	Substance:   setOf("glucose cholesterol concentration dose solution"),
	Share:       setOf("rate yield spread interest coupon basis fed change margin return hike cut share percentage"),
}

// shareWords are words, in the singular, that mention a share of a whole.
var shareWords = setOf("rate ratio share fraction proportion margin probability prob frequency percent percentage likelihood chance ctr cvr conversion utilization utilisation occupancy availability uptime churn retention yield " +
	"prevalence penetration coverage turnout reliability accuracy precision recall")

// notShares are words, in the singular, next to which a word of shareWords does not mean a share: heart rate, share
// price, odds ratio.
var notShares = setOf("exchange fx heart pulse respiratory metabolic filtration sedimentation hourly daily nightly weekly monthly day room rack wage labor labour pay birth death fertility hazard bit frame refresh sample flow sampling data baud clock fire spawn " +
	"run strike scoring freight charter limit price outstanding holder shareholder traded issued stock dividend sharpe sortino odds aspect current quick gear compression pe pb earnings signal noise teacher student hip")

// fractional are words next to which percent and pct often mean a fraction: a winning percentage of 62.5 is written
// .625, and PERCENT_RANK ranges from 0 to 1.
var fractional = setOf("win winning won save fg ft shooting slugging fielding obp slg batting throw rank")

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// spelling is a unit that a word may mean; doubt is true if it has other meanings too.
type spelling struct {
	unit  *Unit
	doubt bool
}

// softly are the measures whose ambiguous spellings in a name are units if only the question mentions the measure. For
// other measures, the name must mention it, or the question must ask for such a unit.
var softly = []Measure{Temperature, Money, Share}

// dictionary holds the units and their names.
type dictionary struct {
	all        []*Unit
	vocabulary map[string][]spelling // by spellings in lower case
	symbols    map[string]*Unit      // by the symbols of units, in which letter case matters
	singulars  map[string]*Unit      // by singulars that are units only after per or a number: per day, 1 day
	phrases    map[string]string     // spellings of a single word by those of several words
	lexicon    map[string]*word      // all known words in lower case, in the singular and the plural
}

// listed returns the dictionary, which its first use makes: most commands start without it.
var listed = sync.OnceValue(makeDictionary)

// phrases maps spellings of several words to one of a single word.
var phrases = map[string]string{
	"basis point": "bps", "basis points": "bps", "per mille": "permille", "per mil": "permille", "per cent": "percent",
	"percentage point": "ppt", "percentage points": "ppt", "pct point": "ppt", "pct points": "ppt",
	"percent point": "ppt", "percent points": "ppt", "us dollar": "usd", "us dollars": "usd", "u s": "us",
	"american dollars": "usd", "canadian dollars": "cad", "australian dollars": "aud", "singapore dollars": "sgd",
	"hong kong": "hkd", "new zealand": "nzd", "pounds sterling": "gbp", "pound sterling": "gbp", "british pounds": "gbp",
	"british pound": "gbp", "swiss francs": "chf", "swiss franc": "chf", "indian rupees": "inr",
	"japanese yen": "jpy", "chinese yuan": "cny", "swedish kronor": "sek", "swedish krona": "sek",
	"norwegian kroner": "nok", "danish kroner": "dkk", "euro cents": "eurocent", "euro cent": "eurocent",
	"us cents":   "cent",
	"metric ton": "tonne", "metric tons": "tonne", "metric tonnes": "tonne", "short tons": "shortton",
	"short ton": "shortton", "long tons": "longton", "long ton": "longton", "nautical miles": "nmi",
	"nautical mile": "nmi",
	"light years":   "lightyear", "light year": "lightyear", "troy ounces": "troyounce", "troy ounce": "troyounce",
	"fl oz": "floz", "fluid ounces": "fluidounce", "fluid ounce": "fluidounce",
	"degrees celsius": "celsius", "degree celsius": "celsius", "deg celsius": "celsius",
	"degrees fahrenheit": "fahrenheit", "degree fahrenheit": "fahrenheit", "degrees centigrade": "celsius",
	"degrees c": "celsius", "degrees f": "fahrenheit", "deg c": "celsius", "deg f": "fahrenheit",
	"kilowatt hours": "kwh", "kilowatt hour": "kwh", "megawatt hours": "mwh", "megawatt hour": "mwh",
	"gigawatt hours": "gwh", "watt hours": "wh", "watt hour": "wh", "horse power": "horsepower",
}

func makeDictionary() *dictionary {
	d := &dictionary{vocabulary: map[string][]spelling{}, symbols: map[string]*Unit{}, singulars: map[string]*Unit{},
		phrases: maps.Clone(phrases)}
	for i := range entries {
		e := &entries[i]
		u := &Unit{Measure: e.measure, Symbol: e.symbol, Base: e.base, factor: rat(e.factor)}
		switch {
		case e.offset == "":
		case e.measure == Data:
			u.binary = rat(e.offset)
		default:
			u.offset = rat(e.offset)
		}
		d.all = append(d.all, u)
		add := func(w string, doubt bool) { d.vocabulary[w] = append(d.vocabulary[w], spelling{u, doubt}) }
		for _, w := range strings.Fields(e.words) {
			if e.plural {
				d.singulars[w] = u
			} else {
				add(w, false)
			}
			if p := w + "s"; w != "inch" && w != "foot" && w != "celsius" {
				add(p, false)
			}
		}
		for _, w := range strings.Fields(e.short) {
			add(w, false)
		}
		for _, w := range strings.Fields(e.doubt) {
			add(w, true)
		}
		if !strings.Contains(e.symbol, " ") {
			d.symbols[e.symbol] = u
		}
	}
	for _, shape := range []struct{ word, short string }{{"square", "sq"}, {"sq", "sq"}, {"cubic", "cb"}, {"cu", "cb"}} {
		for _, w := range []string{"metre", "meter", "metres", "meters", "m", "km", "kilometre", "kilometer", "kilometres",
			"kilometers", "cm", "centimetre", "centimeter", "centimetres", "centimeters", "mm", "foot", "feet", "ft", "inch",
			"inches", "in", "yard", "yards", "yd", "mile", "miles", "mi"} {
			if _, is := d.vocabulary[shape.short+w]; is {
				d.phrases[shape.word+" "+w] = shape.short + w
			}
		}
	}
	d.phrases["cubic feet"], d.phrases["cu ft"], d.phrases["cubic m"] = "ft3", "ft3", "m3"
	for w, u := range map[string]string{"Mb": "Mbit", "Gb": "Gbit", "Kb": "kbit", "KB": "kB", "L": "l", "mL": "ml",
		"dL": "dl", "min.": "min", "Std": "h"} {
		d.symbols[w] = d.symbols[u]
	}
	d.lexicon = d.words()
	return d
}

// word holds all lists that a word is in, so that a word of a name takes one lookup.
type word struct {
	spells   bool      // it is a spelling of a unit, or the first word of one
	speaks   []Measure // the measures that it mentions, see contexts
	share    bool      // it is in shareWords
	notShare bool      // it is in notShares
	sport    bool      // it is in fractional
	per      *Unit     // the unit of time of a rate such as daily
}

// states reports whether the word may state a unit, a share or a rate.
func (w *word) states() bool { return w.spells || w.share || w.per != nil }

// words returns the lexicon of the other lists.
func (d *dictionary) words() map[string]*word {
	words := map[string]*word{}
	at := func(w string) *word {
		if words[w] == nil {
			words[w] = &word{}
		}
		return words[w]
	}
	both := func(set map[string]bool, note func(*word)) {
		for w := range set {
			note(at(w))
			note(at(w + "s"))
			if strings.HasSuffix(w, "y") {
				note(at(w[:len(w)-1] + "ies"))
			}
		}
	}
	for w := range d.vocabulary {
		at(w).spells = true
	}
	for w := range d.singulars {
		at(w).spells = true
	}
	for w := range d.phrases {
		first, _, _ := strings.Cut(w, " ")
		at(first).spells = true
	}
	for m, set := range contexts {
		both(set, func(w *word) { w.speaks = append(w.speaks, m) })
	}
	both(shareWords, func(w *word) { w.share = true })
	both(notShares, func(w *word) { w.notShare = true })
	for w := range fractional {
		at(w).sport = true
	}
	for w, p := range periods {
		at(w).per = d.singulars[p]
	}
	at("per").spells = true
	return words
}

func rat(s string) *big.Rat {
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		panic(fmt.Sprintf("units: invalid factor %q", s))
	}
	return r
}

// CurrencySign is a sign or code before or after an amount in a cell, and the codes of the currencies that it may mean,
// separated by spaces.
type CurrencySign struct{ Sign, Codes string }

// CurrencySigns returns all currency signs and codes. A sign precedes the signs that are its prefix or suffix. The
// caller must not change the list.
func CurrencySigns() []CurrencySign { return currencySigns }

var currencySigns = func() (list []CurrencySign) {
	for _, s := range []string{
		"US$ USD", "CA$ CAD", "AU$ AUD", "NZ$ NZD", "HK$ HKD", "NT$ TWD", "MX$ MXN", "R$ BRL", "S$ SGD", "A$ AUD", "C$ CAD",
		"$ USD", "€ EUR", "£ GBP", "¥ JPY CNY", "₹ INR", "kr. SEK NOK DKK ISK", "kr SEK NOK DKK ISK", "zł PLN",
		"Kč CZK", "₩ KRW", "₽ RUB", "₺ TRY", "₫ VND", "₪ ILS", "₱ PHP", "฿ THB", "₦ NGN", "₴ UAH", "৳ BDT", "₵ GHS", "₸ KZT",
		"Rs. INR PKR LKR", "Rs INR PKR LKR", "Rp IDR", "RM MYR", "KSh KES", "Fr. CHF", "SFr. CHF",
		"dollars USD", "dollar USD", "euros EUR", "euro EUR", "yen JPY", "rupees INR", "francs CHF",
	} {
		sign, codes, _ := strings.Cut(s, " ")
		list = append(list, CurrencySign{sign, codes})
	}
	for _, code := range strings.Fields("USD EUR GBP JPY CHF CAD AUD INR CNY SEK NOK DKK PLN BRL MXN NZD HKD SGD KRW ZAR CZK HUF RON BGN ISK RUB UAH TRY TWD THB VND IDR MYR PHP PKR LKR BDT ILS AED SAR QAR KWD EGP NGN KES GHS MAD ARS CLP COP PEN KZT RMB") {
		codes := code
		if code == "RMB" {
			codes = "CNY"
		}
		list = append(list, CurrencySign{code, codes})
	}
	return list
}()

// InCell returns the unit with which a number in a cell is written, such as km or hours; nil if it is unknown or
// ambiguous. Letter case matters: mW is not MW.
func InCell(s string) *Unit {
	if u, ok := listed().symbols[s]; ok {
		return u
	}
	low := strings.ToLower(s)
	if w, ok := phrases[low]; ok {
		low = w
	}
	if u, ok := listed().singulars[low]; ok {
		return u
	}
	var found *Unit
	for _, sp := range listed().vocabulary[low] {
		if len(low) < 3 && sp.doubt && low != s || sp.unit.Measure == Count || sp.unit.Measure == Power && low == "mw" {
			continue
		}
		if found != nil && found.Measure != sp.unit.Measure {
			return nil // one of several
		}
		if found == nil {
			found = sp.unit
		}
	}
	return found
}

// Currency returns the statement of a currency, or of several possible ones, given by their codes.
func Currency(codes string) Stated {
	for _, u := range listed().all {
		if u.Measure == Money && u.Base == codes && u.factor.Cmp(one) == 0 {
			return Stated{Unit: u}
		}
	}
	return Stated{Unit: &Unit{Measure: Money, Symbol: codes, Base: codes, factor: one}}
}

// Fraction returns the unit of shares from 0 to 1.
func Fraction() *Unit { return listed().symbols["fraction"] }

// Alternatives returns a statement for each other unit from which numbers can be converted to the unit of s. It returns
// nil if s has no unit or is a share.
func Alternatives(s Stated) (list []Stated) {
	if s.Unit == nil {
		return nil
	}
	for _, u := range listed().all {
		if u != s.Unit && convertible(u, s.Unit) && u.Measure != Share {
			list = append(list, Stated{Unit: u, Scale: s.Scale, Per: s.Per})
		}
	}
	return list
}

// PercentSign returns the statement that numbers are percentages.
func PercentSign() Stated { return Stated{Unit: listed().symbols["%"]} }
