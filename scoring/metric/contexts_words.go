package metric

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/badger-eval/badger/internal/lazyregexp"
)

// languageWords are frequent words by which the language of a text is known.
var languageWords = map[string]map[string]bool{
	"en": wordSet("the of and was were is are in to has had have by from with for on its at than per thousand billion percent"),
	"de": wordSet("der die das den dem des ein eine einen und ist war waren im um auf mit von hat haben wurde wurden für bei in zu nach"),
	"fr": wordSet("le la les l un une des du et est était ont a été sont de en dans pour par au aux sur avec d"),
	"es": wordSet("el la los las un una y es fue son de en por para con del al se ha han lo que"),
	"it": wordSet("il lo la i gli le un una e è sono di in nel nella del della dei ha hanno per con da si al l"),
	"pt": wordSet("o a os as um uma e é foi são de em no na do da dos das por para com ao se"),
	"nl": wordSet("de het een en is was waren van in op met voor door bij naar heeft zijn werd om"),
	"pl": wordSet("w we i na o z ze do od jest był była było są się przez po roku za"),
	"sv": wordSet("och är var en ett den det i på av för med till från har hade som de"),
	"da": wordSet("og er var en et den det i på af for med til fra har havde som de ble blev"),
	"tr": wordSet("ve bir bu da de ile için yılında olarak oldu göre yüzde"),
	"ru": wordSet("и в на с по за о был была было были что это году составила составил составило из к до"),
}

// languageOf returns the code of the language that a text is written in, or "" if it is none of the known ones or not
// clear.
func languageOf(text string) string {
	latin, other := 0, map[string]int{}
	for _, r := range text {
		switch {
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			other["ja"] += 10
		case unicode.Is(unicode.Han, r):
			other["zh"] += 2
		case unicode.Is(unicode.Hangul, r):
			other["ko"] += 2
		case strings.ContainsRune("پچژگکی", r): // Persian and Urdu
			other["fa"] += 10
		case unicode.Is(unicode.Arabic, r):
			other["ar"]++
		case unicode.Is(unicode.Devanagari, r):
			other["hi"]++
		case unicode.IsLetter(r):
			latin++
		}
	}
	best, most, tie := "", latin, false
	for code, n := range other {
		if n > most {
			best, most = code, n
		}
	}
	if best == "fa" {
		return ""
	}
	if best != "" {
		return best
	}
	most = 0
	list := words(text)
	for code, set := range languageWords {
		n := 0
		for _, w := range list {
			if set[w] {
				n++
			}
		}
		switch {
		case n > most:
			best, most, tie = code, n, false
		case n == most && n > 0:
			tie = true
		}
	}
	if tie {
		return ""
	}
	return best
}

// changes are the beginnings of words for a rise and for a fall, in the languages of faithfulness_words.go and Danish
// and Norwegian. A beginning that ends in a full stop is a whole word.
var changes = [2]string{
	`up. rose rise risen rising increas grew. grow gained. gains. gain. climb higher. surg soar jump. jumped. ` +
		`stieg gestiegen steig anstieg wuchs gewachs wachs zunahm zugenommen zunimmt zunehm erhöh zulegt zugelegt zuwachs ` +
		`augment hauss accru croît grimp progressé progresse. progressent. ` +
		`subió subieron suben. sube. subido subida aument crec creci incrementó incrementaron incremento ` +
		`cresc cresciut salit salì. salirono rialz subiu subiram subida sobe. sobem. ` +
		`steeg. stegen. gestegen stijg groei toegenomen toename ` +
		`wzros wzrós rosł rośnie. zwiększ ` +
		`steg. stig öka ökn växt vuxit stiger. stigning øk øg voks vekst ` +
		`arttı artış artmış artar artıyor yüksel büyü ` +
		`вырос рост. роста. увелич возрос поднял повыс прирост ` +
		`ارتفع ارتفا زاد زادت ازداد زيادة نما. نمت बढ बढ़ वृद्धि`,
	`down. fell. fall. falls. fallen. falling. decreas drop. drops. dropped. dropping. declin shrank shrink shrunk lost. lose. loses. loss. losses. lower. lowered. sank. sink ` +
		`sunk. slump plung plummet tumbl slid. slipp dipped. reduc contracted. contraction. ` +
		`gesunk fiel. fielen. gefallen fällt. rückgang zurückg verring abnahm abgenommen abnimmt abnehm schrumpf senk ` +
		`diminu baiss recul chut. chuté chute. réduit réduc décr descendu ` +
		`bajó. bajaron. bajan. bajado bajada disminu cayó. cayeron. caen. caído caída descend descenso redujo redujeron decrec ` +
		`calat calò. calarono. calo. scese. scesi. scesa. sceso. ridott ridus riduz crollat crollò. ` +
		`caiu. caíram. caem. caiu queda. baixou. baixaram. reduz reduç desceu desceram recuou ` +
		`daal gedaald daling zakt gezakt afgenomen afname krimp kromp gekrompen ` +
		`spad zmniejsz zmala obniż skurcz ` +
		`sjönk sjunk minsk föll. fallit faldt falder. falt. falle reduser ` +
		`düş azal gerile küçül ` +
		`упал упад сниз сокра уменьш паден просел спад ` +
		`انخفض انخفاض تراجع هبط هبوط نقص قلّ घट गिर कमी`,
}

// changesIn are the same for scripts without blanks between words.
var changesIn = [2]*lazyregexp.Regexp{
	lazyregexp.New(`增加|增长|增長|上升|上涨|上漲|提高|升至|增至|攀升|大涨|涨|漲|増加|増え|増した|上昇|伸び|伸長|上がっ|上がり|増収|増益|拡大|증가|늘었|늘어|늘고|상승|올랐|성장`),
	lazyregexp.New(`减少|減少|下降|下跌|降低|降至|下滑|跌|缩减|縮減|減っ|減り|減ら|下落|低下|下がっ|下がり|減収|減益|縮小|감소|줄었|줄어|줄고|하락|떨어|내렸`),
}

// separable are German and Dutch verbs whose part that tells a rise from a fall is a separate word.
var separable = lazyregexp.New(`(?i)(?:^|[^\p{L}])(?:nahm|nahmen|nimmt|nehmen|legte|legten|ging|gingen|nam|namen|neemt|gaat)\s[^.;]*?[^\p{L}](zu|ab|toe|af|zurück|achteruit)(?:$|[^\p{L}])`)

type change struct {
	begin string
	whole bool
	up    int // 1, or -1 for a fall
}

var changeWords = func() (out map[rune][]change) {
	out = map[rune][]change{}
	for k, list := range changes {
		for _, w := range strings.Fields(list) {
			first, _ := utf8.DecodeRuneInString(w)
			begin, whole := strings.CutSuffix(w, ".")
			out[first] = append(out[first], change{begin, whole, 1 - 2*k})
		}
	}
	return out
}()

// changeOf returns 1 if a word in lower case is one for a rise, -1 for a fall, else 0.
func changeOf(w string) int {
	w = strings.TrimPrefix(strings.TrimPrefix(w, "و"), "ال")
	first, _ := utf8.DecodeRuneInString(w)
	best := change{}
	for _, c := range changeWords[first] {
		if (w == c.begin || !c.whole && strings.HasPrefix(w, c.begin)) && len(c.begin) > len(best.begin) {
			best = c
		}
	}
	return best.up
}

// changesOf returns the words for a rise or a fall in a text, with 1 or -1.
func changesOf(text string) map[string]int {
	out := map[string]int{}
	low := strings.ToLower(text)
	list := wordsAndMarks(low)
	for i, w := range list {
		if w == "up" && i+1 < len(list) && list[i+1] == "to" {
			continue
		}
		if up := changeOf(w); up != 0 {
			out[w] = up
		}
	}
	for k, in := range changesIn {
		for _, w := range in.FindAllString(low, 20) {
			out[w] = 1 - 2*k
		}
	}
	for _, m := range separable.FindAllStringSubmatch(low, 5) {
		if out[m[1]] = -1; m[1] == "zu" || m[1] == "toe" {
			out[m[1]] = 1
		}
	}
	return out
}

// lossWords matches words of other languages than English after which a number without a sign may be negative.
var lossWords = lazyregexp.New(`(?i)verlust|fehlbetrag|minus|unter null|perte|déficit|pérdida|perdita|perdite|disavanzo|prejuízo|verlies|tekort|strat[aęy]|deficyt|förlust|underskott|` +
	`zarar|убыт|дефицит|минус|赤字|損失|亏损|虧損|マイナス|零下|손실|적자|영하|خسار|عجز|घाटा|नुकसान`)

// denialWords matches negations of other languages than English; in French and others that have two words, the second.
var denialWords = lazyregexp.New(`(?i)(?:^|[^\p{L}])(?:nicht|kein\p{L}*|niemals|nie|ohne|pas|jamais|aucun\p{L}*|sans|nunca|sin|ningun\p{L}*|ningún|non|senza|não|sem|nenhum\p{L}*|` +
	`niet|geen|nooit|zonder|nigdy|bez|inte|aldrig|ingen|inga|utan|ikke|değil|не|нет|никогда|без|لا|لم|لن|ليس|ليست|नहीं|बिना)(?:$|[^\p{L}])|` +
	`不|没有|沒有|并未|未曾|ません|なかった|しない|않|못했|아니|[dt]iler?med[iı]|m[aeıiuü]d[ıiuü](?:$|[^\p{L}])`)

// numberNames are numbers in words with their values, by which one word is compared with a figure; those of 0 have none
// or stand for parts and multiples. One and first are left out: they are articles in other languages, or no amount.
var numberNames = func() map[string]int {
	out := map[string]int{}
	for value, list := range map[int]string{
		2: "two zwei deux dos dois duas twee dwa dwie dwóch två iki два две двух اثنان اثنين दो", 3: "three drei trois tres tre três drie trzy üç три трех ثلاثة ثلاث तीन",
		4: "four vier quatre cuatro quattro quatro cztery fyra dört четыре أربعة أربع चार", 5: "five fünf cinq cinco cinque vijf pięć fem beş пять خمسة خمس पांच पाँच",
		6: "six sechs seis zes sześć seks altı шесть ستة छह", 7: "seven sieben sept siete sette sete zeven siedem sju syv yedi семь سبعة سبع सात",
		8: "eight acht huit ocho otto oito osiem åtta otte sekiz восемь ثمانية ثماني आठ", 9: "nine neun neuf nueve nove negen dziewięć nio dokuz девять تسعة تسع नौ",
		10: "ten zehn dix diez dieci dez tien dziesięć tio десять عشرة عشر दस", 11: "eleven elf onze undici jedenaście elva elleve одиннадцать ग्यारह",
		12: "twelve zwölf douze doce dodici doze twaalf dwanaście tolv двенадцать बारह dozen dutzend douzaine docena dozzina dúzia dozijn tuzin dussin düzine дюжина",
		13: "thirteen dreizehn treize trece tredici treze dertien trzynaście tretton тринадцать", 14: "fourteen vierzehn quatorze catorce quattordici catorze veertien czternaście fjorton",
		15: "fifteen fünfzehn quinze quince quindici vijftien piętnaście femton пятнадцать पंद्रह", 16: "sixteen sechzehn seize dieciséis sedici zestien", 17: "seventeen siebzehn diecisiete diciassette zeventien",
		18: "eighteen achtzehn dieciocho diciotto achttien", 19: "nineteen neunzehn diecinueve diciannove negentien", 20: "twenty zwanzig vingt veinte venti vinte twintig dwadzieścia tjugo tyve yirmi двадцать عشرون عشرين बीस",
		30: "thirty dreißig trente treinta trenta trinta dertig trzydzieści trettio tretti otuz тридцать ثلاثون ثلاثين तीस", 40: "forty vierzig quarante cuarenta quaranta quarenta veertig czterdzieści fyrtio førti kırk сорок أربعون चालीस",
		50: "fifty fünfzig cinquante cincuenta cinquanta cinquenta vijftig pięćdziesiąt femtio femti elli пятьдесят خمسون पचास", 60: "sixty sechzig soixante sesenta sessanta sessenta zestig sześćdziesiąt sextio altmış шестьдесят ستون साठ",
		70: "seventy siebzig setenta settanta zeventig siedemdziesiąt sjuttio yetmiş семьдесят سبعون सत्तर", 80: "eighty achtzig ochenta ottanta oitenta tachtig osiemdziesiąt åttio seksen восемьдесят ثمانون अस्सी",
		90: "ninety neunzig noventa novanta negentig dziewięćdziesiąt nittio doksan девяносто تسعون नब्बे", 100: "hundred hundert cent cien ciento cento cem honderd sto hundra hundre yüz сто مئة مائة सौ",
		1000: "thousand tausend mille mil duizend tysiąc tusen тысяча ألف हज़ार हजार",
		0: "half halves halved halving third thirds quarter quarters fifth fifths sixth seventh eighth ninth tenth tenths hundredth double doubled doubles doubling twice triple tripled tripling treble trebled thrice quadrupled quadruple quintupled dozens scores hundreds thousands million millions billion billions trillion couple several twofold threefold fourfold fivefold tenfold " +
			"hälfte halb halbe halben halbes drittel viertel fünftel zehntel doppelt doppelte doppelten dutzende hunderte tausende millionen milliarden zweimal dreimal " +
			"moitié demi demie tiers quart dixième cinquième double doublé doublée triplé triplée dizaine dizaines douzaines centaine centaines millier milliers milliards mitad medio tercio cuarto décima décimo quinto doble triple docenas decenas cientos miles millones mitades " +
			"metà mezzo terzo decimo doppio triplo decine centinaia migliaia milioni dozzine metade meio terço quarto dobro triplo dezenas centenas milhares milhões dúzias helft halve derde kwart tiende dubbele dubbel honderden duizenden tientallen miljoenen " +
			"połowa połowę połowy trzecią jedną ćwierć dziesiątki setki tysiące tysięcy dwukrotnie trzykrotnie dwieście trzysta czterysta pięćset hälften halva tredjedel fjärdedel tiondel femtedel dubbla dubbelt hundratals tusentals halvparten halvdelen tiendedel tredobbelt dobbelt " +
			"yarı yarısı yarısını yarıya katına katı üçte onda yüzlerce binlerce половина половину половины треть четверть десятая десятую вдвое втрое двести триста пятьсот десятки сотни тысячи тысяч нفس نصف ثلث ربع عشرات مئات آلاف ضعف أضعاف تضاعف تضاعفت خمسمئة خمسمائة आधा आधी आधे तिहाई चौथाई दोगुना दोगुनी दुगुना तिगुना दर्जन दर्जनों सैकड़ों हज़ारों",
	} {
		for _, w := range strings.Fields(list) {
			out[w] = value
		}
	}
	return out
}()

var (
	numberParts = lazyregexp.New(`quinient[oa]s|\p{L}{3,}(?:hundert|tausend|honderd|duizend|hundra|cient[oa]s|centos|cento|teen|tuple[ds]?)\p{L}*|` +
		`(?:hundert|tausend|honderd|duizend|hundra|verdoppel|verdreifach|vervierfach|halbier|verdubbel|verdrievoud|halveer|gehalveerd|halver|fördubbl|tredubbl|duplic|triplic|quadrupl|raddoppi|dimezz|doubl|tripl|dobr|podwoi|potroi|удво|утро|десятк|сотн|половин)\p{L}+`)
	// numbersOfHan matches numbers in the characters of Chinese and Japanese, and in Korean words.
	numbersOfHan = lazyregexp.New(`[二三四五六七八九十百千万億亿两兩〇零]*[十百千万億亿][二三四五六七八九十百千万億亿一]*|[二三四五六七八九两兩][个個人名台家年倍次位件割成分]|[一二三四五六七八九十]+分之[一二三四五六七八九十]+|翻[了]?[一两二三]?番|半分|一半|半数|半數|数[十百千]|倍|` +
		`[이삼사오육칠팔구]?[십백천만][이삼사오육칠팔구십백천만]*\s*(?:명|개|대|원|건|곳|마리|채|배|여)|(?:두|세|네|다섯|여섯|일곱|여덟|아홉|열)\s*(?:명|개|대|배|곳|채|건)|절반|수십|수백|수천|갑절`)
)

// wordsAndMarks is words for scripts with vowel signs, such as Devanagari.
func wordsAndMarks(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
}

// amountsIn returns the numbers, parts and multiples in words of a text from which the figures are removed, in lower
// case.
func amountsIn(text string) (out []string) {
	low := strings.ToLower(text)
	for _, w := range wordsAndMarks(low) {
		if _, ok := numberNames[w]; ok || numberParts.FindString(w) == w {
			out = append(out, w)
		}
	}
	return append(out, numbersOfHan.FindAllString(low, 50)...)
}

// currencyWords are the beginnings of the words for currencies that scoring/units does not have, by their codes.
var currencyWords = []struct{ codes, begin string }{
	{"EUR", "euro|евро|欧元|歐元|ユーロ|유로|يورو|यूरो"},
	{dollars, "dollar|dólar|dolar|доллар|ドル|달러|دولار|डॉलर"},
	{"USD", "美元|us-dollar"},
	{"JPY", "日元|日圆|円|엔|йен"},
	{"CNY", "人民币|人民幣|위안"},
	{"CNY TWD HKD", "元"},
	{"KRW", "원"},
	{"RUB", "руб|rubel|roubl|rublo"},
	{"INR", "रुपये|रुपए"},
	{"INR IDR", "rupie"},
	{"PLN", "złot|zlot"},
	{"TRY", "lira"},
	{"SEK NOK DKK ISK CZK", "kron"},
	{"CHF", "franken"},
	{"GBP", "sterlin|livre sterling|livres sterling|фунт|英镑|英鎊|ポンド|파운드|pfund sterling"},
	{"GBP EGP", "جنيه"},
	{"SAR QAR OMR YER", "ريال"},
	{"AED MAD", "درهم"},
	{"BRL", "reais"},
}

// dollars are the currencies that a dollar without a country may be.
const dollars = "USD CAD AUD NZD HKD SGD TWD MXN"

// pointsAfter matches what makes a percentage one of percentage points, after the number.
var pointsAfter = lazyregexp.New(`^\s*(?:(?:%|percent(?:age)?|per cent|pct)[\s-]*(?:points?\b|punkt)|pps?\b|ppts?\b|prozentpunkt|points? de pourcentage|points? de pour|puntos? porcentual|punti percentual|pontos? percentua|procentpunt|` +
	`punkt\p{L}* procentow|procentenhet|prosentpoeng|procentpoint|yüzde puan|процентн\p{L}* пункт|п\.\s?п|(?:个|個)?百分[点點]|パーセントポイント|ポイント|%ポイント|%p\b|퍼센트포인트|%포인트|نقطة مئوية|نقاط مئوية|प्रतिशत अंक)`)

// otherMonths are names of months in languages that columns of periods are not read in.
var otherMonths = func() map[string]int {
	out := map[string]int{}
	for n, list := range map[int]string{
		1: "stycznia styczeń ocak января январь январе يناير जनवरी", 2: "lutego luty şubat февраля февраль феврале فبراير फरवरी", 3: "marca marzec mars mart mart’ta марта март марте مارس मार्च", 4: "kwietnia kwiecień nisan апреля апрель апреле april أبريل ابريل अप्रैल",
		5: "maja maj mayıs мая май мае مايو मई", 6: "czerwca czerwiec haziran июня июнь июне يونيو जून", 7: "lipca lipiec temmuz июля июль июле يوليو जुलाई", 8: "sierpnia sierpień ağustos августа август августе augusti august أغسطس अगस्त",
		9: "września wrzesień eylül сентября сентябрь сентябре september سبتمبر सितंबर", 10: "października październik ekim октября октябрь октябре أكتوبر अक्टूबर", 11: "listopada listopad kasım ноября ноябрь ноябре نوفمبر नवंबर",
		12: "grudnia grudzień aralık декабря декабрь декабре ديسمبر दिसंबर",
	} {
		for _, w := range strings.Fields(list) {
			out[w] = n
		}
	}
	return out
}()

// contextStems returns the beginnings of the words of a text without figures, see stems. Words of Korean and Hindi are
// shorter.
func contextStems(text string) map[string]bool {
	out := stems(text)
	for _, w := range wordsAndMarks(strings.ToLower(text)) {
		first, _ := utf8.DecodeRuneInString(w)
		n := 0
		switch {
		case unicode.Is(unicode.Hangul, first):
			n = 2
		case unicode.Is(unicode.Devanagari, first):
			n = 3
		}
		if r := []rune(w); n > 0 && len(r) > 1 {
			if len(r) >= stemLength {
				delete(out, string(r[:stemLength]))
			}
			out[string(r[:min(n, len(r))])] = true
		}
	}
	return out
}

// otherThan returns the words of one list that are not in the other, neither whole nor by their beginnings.
func otherThan(a, b []string) (out []string) {
	same := func(v, w string) bool {
		if v == w {
			return true
		}
		x, y := []rune(v), []rune(w)
		return len(x) >= stemLength && len(y) >= stemLength && slices.Equal(x[:stemLength], y[:stemLength])
	}
	for _, w := range a {
		if r, _ := utf8.DecodeRuneInString(w); unicode.IsLetter(r) &&
			!slices.ContainsFunc(b, func(v string) bool { return same(w, v) }) {
			out = append(out, w)
		}
	}
	return out
}
