package metric

import (
	"math/big"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/badger-eval/badger/internal/lazyregexp"
)

// The words of this file are in lower case. They are of English, German, French, Spanish, Italian, Portuguese, Dutch,
// Polish, Swedish, Turkish, Russian, Arabic, Hindi, Chinese, Japanese and Korean. Other words do not change what a
// figure means.

// boundWords are words for the relation between a number and a cell, by where they are: before the number, or after
// it and its unit. The kinds are tried in this order, so that no more than is not more than.
var boundWords = []struct {
	bound         numberBound
	before, after string
}{
	{atMost,
		`at most|up to|no more than|not more than|no greater than|not exceeding|not over|maximum of|a maximum of` +
			`|höchstens|maximal|bis zu|nicht mehr als|au plus|au maximum|jusqu['’]à|pas plus de|no más de|como máximo|como mucho` +
			`|hasta|a lo sumo|al massimo|fino a|non più di|no máximo|até|não mais de|não mais que|hoogstens|maximaal` +
			`|niet meer dan|ten hoogste|co najwyżej|maksymalnie|nie więcej niż|högst|som mest|upp till|inte mer än|en fazla|en çok` +
			`|не более|не более чем|не больше|максимум|самое большее|최대|최대한|많아야|最多|至多|不超过|不超過|不高于|不多于|最大|最大で|多くとも` +
			`|لا يزيد عن|لا يتجاوز|ما لا يزيد عن|حتى|अधिकतम|ज़्यादा से ज़्यादा|अधिक से अधिक`,
		`or less|or fewer|or lower|or below|or under|at most|at the most|and below|and under|oder weniger|ou moins|o menos` +
			`|o meno|ou menos|of minder|lub mniej|eller mindre|eller färre|veya daha az|или менее|или меньше|以下|以内|及以下|이하` +
			`|على الأكثر|أو أقل|या कम|या उससे कम|तक`},
	{atLeast,
		`at least|no less than|not less than|no fewer than|a minimum of|minimum of|mindestens|wenigstens|nicht weniger als` +
			`|au moins|au minimum|pas moins de|al menos|como mínimo|por lo menos|no menos de|almeno|come minimo|non meno di` +
			`|pelo menos|no mínimo|ao menos|não menos de|minstens|ten minste|tenminste|minimaal|niet minder dan|co najmniej` +
			`|przynajmniej|minimum|nie mniej niż|minst|åtminstone|inte mindre än|en az|не менее|не менее чем|не меньше|как минимум` +
			`|по меньшей мере|минимум|최소|최소한|적어도|至少|最少|不少于|不低于|不少於|不低於|少なくとも|最低|最低でも` +
			`|لا يقل عن|ما لا يقل عن|على الأقل|कम से कम|न्यूनतम`,
		`or more|or higher|or greater|or above|or over|and above|and up|and more|at least|at the least|oder mehr|ou plus|o más` +
			`|o più|ou mais|of meer|lub więcej|eller mer|eller fler|veya daha fazla|или более|или больше|и более|и выше|以上|及以上|이상` +
			`|على الأقل|أو أكثر|या अधिक|या उससे अधिक`},
	{nearly,
		`nearly|almost|just under|just below|just shy of|just short of|shy of|slightly under|slightly below|slightly less than` +
			`|a little less than|approaching|close on|knapp|fast|beinahe|nahezu|près de|presque|un peu moins de|casi` +
			`|poco menos de|quasi|poco meno di|quase|pouco menos de|bijna|haast|krap|prawie|niemal|niemalże|blisko|nästan` +
			`|knappt|närmare|neredeyse|почти|без малого|거의|近|将近|將近|接近|几乎|幾乎|ほぼ|ما يقرب من|ما يقارب|قرابة`,
		`弱|近く|に迫る|에 가까운|에 육박|가까이`},
	{moreThan,
		`more than|greater than|higher than|larger than|exceed|exceeds|exceeded|exceeding|surpass|surpasses|surpassed|topped` +
			`|in excess of|upwards of|beyond|crossed|just over|slightly over|well over|mehr als|höher als|größer als|plus de` +
			`|supérieur à|supérieure à|dépasse|a dépassé|más de|superior a|mayor que|supera|superó|più di|superiore a` +
			`|ha superato|mais de|mais que|maior que|superou|meer dan|hoger dan|więcej niż|wyższy niż|przekroczył|przekroczyła` +
			`|mer än|fler än|högre än|более|более чем|больше|больше чем|свыше|превысил|превысила|превысило|超过|超過|超|逾|多于|高于|大于` +
			`|多於|高於|突破|أكثر من|ما يزيد عن|أعلى من|تجاوز|تجاوزت`,
		`超|を超|を上回|を突破|초과|을 넘|를 넘|을 초과|를 초과|['’]?(?:den|dan|ten|tan) (?:fazla|çok)` +
			`|से अधिक|से ज़्यादा|से ज्यादा|से ऊपर`},
	{lessThan,
		`less than|fewer than|lower than|smaller than|short of|weniger als|niedriger als|kleiner als|moins de|inférieur à` +
			`|inférieure à|menos de|inferior a|menor que|meno di|inferiore a|menos que|minder dan|lager dan|mniej niż` +
			`|niższy niż|mindre än|färre än|lägre än|менее|менее чем|меньше|меньше чем|不到|不足|少于|低于|小于|少於|低於|未满|未滿` +
			`|أقل من|أدنى من`,
		`未満|に満たない|を下回|미만|을 밑|를 밑|['’]?(?:den|dan|ten|tan) az|से कम|से नीचे`},
	{over,
		`over|above|über|oberhalb von|au-dessus de|por encima de|oltre|acima de|além de|boven|ruim|ponad|powyżej|över|drygt|выше` +
			`|فوق`,
		`(?:[ıiuü]n|n[ıiuü]n)? üzerinde|余り|余|多`},
	{under,
		`under|below|beneath|unter|unterhalb von|sous|en dessous de|au-dessous de|por debajo de|bajo|sotto|sotto i|abaixo de` +
			`|onder|poniżej|под|ниже|تحت`,
		`(?:[ıiuü]n|n[ıiuü]n)? altında`},
	{about,
		`~|≈|±|about|around|approx|approximately|roughly|some|ca|c|close to|cerca de|perto de|लगभग|差不多|in the region of|in the order of|or so` +
			`|etwa|rund|ungefähr|zirka|um die|annähernd|environ|autour de|à peu près|quelque|alrededor de|aproximadamente|unos|unas` +
			`|en torno a|circa|attorno a|intorno a|all['’]incirca|cerca de|por volta de|em torno de|ongeveer|rond|zo['’]n|około|ok` +
			`|mniej więcej|ungefär|cirka|omkring|runt|yaklaşık|около|примерно|приблизительно|порядка|약|대략|约|大约|約|大約|大概|左右` +
			`|およそ|おおよそ|حوالي|نحو|تقريبا|زهاء|करीब|तकरीबन|क़रीब`,
		`左右|上下|程度|前後|ほど|くらい|ぐらい|정도|안팎|가량|쯤|여|تقريبا|تقريبًا|के करीब|के आसपास|के लगभग|or so|give or take`},
}

// boundPattern is the compiled form of an entry of boundWords.
type boundPattern struct {
	bound         numberBound
	before, after *regexp.Regexp
}

var boundPatterns = sync.OnceValue(func() (out []boundPattern) {
	// Between the word and the digits there may be a currency or an article.
	const lead = `[\s("'«„“]*(?:(?:the|a|an|les?|la|el|l[oa]s|os?|as?|il|i|gli|de|den|die|het|pas)\s+)?` +
		`(?:(?:[\p{Lu}\p{Ll}]{2,3})?[$€£¥₹₩₺₽]|usd|eur|gbp|chf|inr|rs\.?|us\$)?[\s:−–+-]*$`
	// Between the number and the word there may be a unit.
	const gap = `^[\s)"'»”]*(?:%|\p{L}{1,12}\s+|[\p{Han}\p{Katakana}\p{Hangul}]{1,3}?|[$€£¥₹₩₺₽]\s*){0,2}?`
	for _, w := range boundWords {
		p := boundPattern{bound: w.bound}
		p.before = regexp.MustCompile(`(?:^|[^\p{L}]|[\p{Han}\p{Hiragana}\p{Katakana}])(?:` + w.before + `)\.?` + lead)
		if w.after != "" {
			p.after = regexp.MustCompile(gap + `(?:` + w.after + `)`)
		}
		out = append(out, p)
	}
	return out
})

// The forms of a range: between this number and another, and between another and this one.
var (
	rangeFrom = lazyregexp.New(`(?:^|[^\p{L}])(?:between|zwischen|entre|tra|fra|tussen|między|mellan|между)\s+[^\p{L}]*$`)
	rangeTo   = lazyregexp.New(`(?:^|[^\p{L}])(?:between|zwischen|entre|tra|fra|tussen|między|mellan|между)\s[^.;]*[0-9][^.;]*\s` +
		`(?:and|und|et|y|e|en|a|och|и)\s+[^\p{L}]*$`)
	plusSign = lazyregexp.New(`^\s*\+`)
)

// negation matches a negation at the end of the text before a bound, such as did not in did not exceed.
var negation = lazyregexp.New(`(?:^|[^\p{L}])(?:not|never|without|nicht|nie|niemals|ne|n['’]a|jamais|no|nunca|non|mai|não|niet` +
	`|nooit|nie|inte|aldrig|не|никогда)$|n['’]t$|(?:没有|没|未|沒有|并未)$`)

// opposite returns the bound of a negated one.
func opposite(b numberBound) numberBound {
	switch b {
	case moreThan, over:
		return atMost
	case lessThan, under:
		return atLeast
	case atLeast:
		return lessThan
	case atMost:
		return moreThan
	}
	return b
}

// numberBoundOf returns the relation of a number to cells, from the texts in lower case before and after it. beyond is
// the text after its unit.
func numberBoundOf(before, after, beyond string) numberBound {
	switch {
	case rangeTo.MatchString(before):
		return atMost
	case rangeFrom.MatchString(before):
		return atLeast
	case plusSign.MatchString(after), plusSign.MatchString(beyond):
		return atLeast
	}
	for _, p := range boundPatterns() {
		if at := p.before.FindStringIndex(before); at != nil {
			if negation.MatchString(before[:at[0]]) {
				return opposite(p.bound)
			}
			return p.bound
		}
		if p.after != nil && p.after.MatchString(beyond) {
			return p.bound
		}
	}
	return noBound
}

// magnitudes maps the words that multiply a preceding number to their factors. Several are possible readings: m is
// million or meters, mil is a thousand in Spanish and a million in English.
var magnitudes = func() map[string][]*big.Rat {
	out := map[string][]*big.Rat{}
	for power, words := range map[int]string{
		3: "k thousand thousands tsd tausend mille mila mil duizend tys tysiąc tysiące tysięcy tusen bin тыс тысяча тысячи тысяч " +
			"ألف آلاف الف हज़ार हजार",
		5: "lakh lakhs lac lacs लाख",
		6: "m mm mn mio mil mln million millions millionen millón millones milione milioni milhão milhões miljoen milion miliony miliona " + //nolint:misspell // Polish
			"milionów miljon miljoner milyon млн millioner milionů mi миллион миллиона миллионов مليون ملايين मिलियन", //nolint:misspell // Polish
		7: "crore crores cr करोड़ करोड",
		9: "b bn bi billion billions mrd mia md mds mld mlrd milliarde milliarden milliard milliards miliardo miliardi bilhão " +
			"bilhões miljard miljarden miliard miliardy miliardów miliarda milliarder miljarder milyar млрд миллиард миллиарда " +
			"миллиардов مليار مليارات अरब",
		12: "tn trn bio trillion trillions billionen billón billones biljoen bilion bilionów biljon biljoner trilhão trilhões " +
			"trilyon bilioni трлн триллион триллиона триллионов تريليون खरब",
	} {
		for _, w := range strings.Fields(words) {
			out[w] = append(out[w], powerOfTen(power))
		}
	}
	for _, w := range []string{"m", "mm"} { // meters, millimeters
		out[w] = append(out[w], one)
	}
	return out
}()

// characters are the factors of characters that multiply a preceding number without a blank between them.
var characters = map[rune]*big.Rat{
	'十': powerOfTen(1), '百': powerOfTen(2), '千': powerOfTen(3), '万': powerOfTen(4), '萬': powerOfTen(4), '億': powerOfTen(8),
	'亿': powerOfTen(8), '兆': powerOfTen(12),
	'십': powerOfTen(1), '백': powerOfTen(2), '천': powerOfTen(3), '만': powerOfTen(4), '억': powerOfTen(8),
	'조': powerOfTen(12),
}

// numberUnit is what follows the digits of a number.
type numberUnit struct {
	factors []*big.Rat // possible factors of its magnitude; 1 if it has none
	share   string     // percent, permille or basis, of a share
	rest    string     // the text after it
}

var (
	letters      = lazyregexp.New(`^[\p{L}\p{M}]+`)
	percentAfter = lazyregexp.New(`^\s*(?:%|percent\b|percentage|per cent\b|pct\b|pp\b|prozent|pour ?cent|por ?ciento|per ?cento` +
		`|por ?cento|procent|процент|パーセント|ポイント|퍼센트|프로|بالمئة|بالمائة|في المئة|في المائة|प्रतिशत|फ़ीसदी|फीसदी)[\p{L}\p{M}]*`)
	percentBefore = lazyregexp.New(`(?:(?:^|[^0-9\s]\s?)%|yüzde\s*|百分之\s*)$`)
	permilleAfter = lazyregexp.New(`^\s*(?:‰|per ?mille|promille|pro mille|pour mille|por mil\b|promil|промилле|千分之)[\p{L}]*`)
	basisAfter    = lazyregexp.New(`^\s*(?:bps?\b|basis[ -]?points?\b|basispunkte?n?|points? de base|puntos básicos|punti base` +
		`|pontos[- ]base|basispunten|punkt(?:y|ów)? bazow\p{L}*|räntepunkter|baspunkter|baz puan\p{L}*|базисн\p{L}* пункт\p{L}*` +
		`|(?:个|個)?基点|(?:个|個)?基點|ベーシスポイント|베이시스포인트|نقطة أساس|आधार अंक)`)
)

// unitAfter reads the unit at the start of the text that follows the digits of a number.
func unitAfter(written string) numberUnit {
	u := numberUnit{factors: []*big.Rat{one}, rest: strings.ToLower(written)}
	upper := strings.HasPrefix(strings.TrimLeft(written, " "), "M") // of millions, not meters
	for {
		if m := permilleAfter.FindString(u.rest); m != "" { // before the word mille
			u.share, u.rest = "permille", u.rest[len(m):]
			return u
		}
		text := strings.TrimLeft(u.rest, " -")
		r, size := utf8.DecodeRuneInString(text)
		if next, more := utf8.DecodeRuneInString(text[size:]); strings.ContainsRune("多余餘", r) && characters[next] != nil {
			u.multiply(characters[next])
			u.rest = string(r) + text[size+more:]
			continue
		}
		if characters[r] != nil {
			u.multiply(characters[r])
			u.rest = text[size:]
			continue
		}
		word := letters.FindString(text)
		if word == "" {
			break
		}
		factors, stem := magnitudes[word], word
		if factors == nil {
			if m := inflected.FindStringSubmatch(word); m != nil {
				factors, stem = magnitudes[m[1]], m[1]
			}
		}
		if factors == nil {
			break
		}
		if upper {
			factors = slices.DeleteFunc(slices.Clone(factors), func(f *big.Rat) bool { return f.Cmp(one) == 0 })
		}
		u.multiply(factors...)
		u.rest = strings.TrimPrefix(text[len(stem):], ".")
	}
	if m := percentAfter.FindString(u.rest); m != "" {
		u.share, u.rest = "percent", u.rest[len(m):]
	} else if m := basisAfter.FindString(u.rest); m != "" {
		u.share, u.rest = "basis", u.rest[len(m):]
	}
	return u
}

// inflected matches Turkish magnitudes with a case ending.
var inflected = lazyregexp.New(`^(bin|milyon|milyar|trilyon)(?:d[ae]n|t[ae]n|d[ae]|[ıiuü]n?|l[ıiuü]k)$`)

func (u *numberUnit) multiply(by ...*big.Rat) {
	var out []*big.Rat
	for _, a := range u.factors {
		for _, b := range by {
			out = append(out, product(a, b))
		}
	}
	u.factors = out
}

// factorsOf returns the factors of a number with a unit of a share, which may also be before it.
func factorsOf(share, before string) []*big.Rat {
	switch {
	case share == "permille":
		return permilleFactors
	case share == "basis":
		return basisFactors
	case share == "percent", percentBefore.MatchString(before):
		return percentFactors
	}
	return []*big.Rat{one}
}

var (
	// inUnits matches a text that gives figures in thousands or another magnitude.
	inUnits = lazyregexp.New(`(?:^|[^\p{L}\d])(?:in|en|em|w|i|в|as)\s+(?:[$€£¥₹]|[a-z]{3}\s+)?([\p{L}\p{M}]+)`)
	// scaledBy matches a division or multiplication by a power of ten in a query.
	scaledBy = lazyregexp.New(`(?i)([/*])\s*(?:\(\s*)?(1(?:_?000)+(?:\.0*)?|1e[0-9]{1,2}|1(?:0){2,12}(?:\.0*)?|0\.0*1)\b`)
)

// nameMagnitudes are the magnitudes in names of columns that are spelled otherwise than in prose.
var nameMagnitudes = map[string]int{"000": 3, "000s": 3, "ks": 3, "mm": 6, "mill": 6, "bil": 9, "万": 4, "万元": 4,
	"億円": 8, "亿": 8, "億": 8, "百万円": 6, "千円": 3}

// unitsOfName returns what one of a column's unit is worth by its name: 1000 for revenue_k.
func unitsOfName(name string) (out []*big.Rat) {
	fields := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
	for i, word := range fields {
		if power, ok := nameMagnitudes[word]; ok {
			out = append(out, powerOfTen(power))
			continue
		}
		if i == 0 && utf8.RuneCountInString(word) < 3 { // a column b is not of billions
			continue
		}
		for _, f := range magnitudes[word] {
			if f.Cmp(one) != 0 {
				out = append(out, f)
			}
		}
	}
	return out
}

// unitsOfQuery returns the powers of ten by which a query divides or multiplies.
func unitsOfQuery(sql string) (out []*big.Rat) {
	for _, m := range scaledBy.FindAllStringSubmatch(sql, 8) {
		f, ok := new(big.Rat).SetString(strings.ReplaceAll(strings.ToLower(m[2]), "_", ""))
		if !ok || f.Sign() == 0 || f.Cmp(one) == 0 {
			continue
		}
		if m[1] == "*" {
			f.Inv(f)
		}
		if f.Cmp(big.NewRat(100, 1)) == 0 || f.Cmp(big.NewRat(1, 100)) == 0 {
			continue // of percentages
		}
		out = append(out, f)
	}
	return distinctRats(out)
}

// unitsOfText returns the magnitudes that a text gives figures in, as in revenue in thousands.
func unitsOfText(text string) (out []*big.Rat) {
	for _, m := range inUnits.FindAllStringSubmatch(strings.ToLower(text), 8) {
		for _, f := range magnitudes[m[1]] {
			if f.Cmp(one) != 0 && utf8.RuneCountInString(m[1]) > 1 {
				out = append(out, f)
			}
		}
	}
	return distinctRats(out)
}

func distinctRats(list []*big.Rat) []*big.Rat {
	slices.SortFunc(list, (*big.Rat).Cmp)
	return slices.CompactFunc(list, func(a, b *big.Rat) bool { return a.Cmp(b) == 0 })
}
