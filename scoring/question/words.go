package question

import "strings"

// The vocabulary of questions. A word in none of these lists is treated as a noun or an adjective.
var (
	articles   = set("the a an this that these those all both some any my our your")
	possessing = set("their its his her theirs whose")
	linking    = set("is are was were be been being s")
	auxiliary  = set(
		"is are was were be been being has have had do does did can could will would shall should may might must")
	questions = set("what which who whom whose where when why how whether")
	pronouns  = set("it they them that this those these he she him one ones there i me us we you")
	adverbs   = set("also then please additionally furthermore finally only just not never ever respectively overall altogether together too now next currently actually already still even exactly so far approximately about instead else etc more less")

	amounts = set("one two three four five six seven eight nine ten eleven twelve fifteen twenty thirty fifty hundred thousand dozen several few couple many")

	// tellVerbs are verbs that start a request.
	tellVerbs = set("list show give find return display provide get tell identify output print calculate compute determine select retrieve present describe indicate enumerate fetch " +
		"summarize summarise create generate compare extract pull specify mention add see know name state report count rank order sort return write produce prepare draw make compile include break tabulate " +
		"collect plot chart grab bring supply recall check look search want need explain outline detail figure arrange put")
	// nounsToo are words of tellVerbs that are also nouns. They are verbs if a word such as an article or a question
	// word follows.
	nounsToo = set("name state report count rank order return output display print need want check search look detail figure chart plot present break make write draw add list mention arrange")

	// prepositions start a condition after a request, or an attribute.
	prepositions = set("in from at on for to during since before after between within under over above below against without despite until till via through using among amongst across around near outside inside " +
		"towards toward into onto upon off up down throughout beyond behind except excluding than like as concerning regarding about having where given if when while whenever because unless")
	comparing = set("more less fewer greater larger smaller higher lower over under above below exceeding at exactly between equal equals better worse older younger longer shorter no any a an one two three four five six seven eight nine ten " +
		"zero both either neither some multiple several many few high low only same missing empty valid such different another other not same even")

	// additions are phrases that continue a request with a further output.
	additions = [][]string{
		{"as", "well", "as"}, {"along", "with"}, {"together", "with"}, {"in", "addition", "to"}, {"alongside"}, {"plus"},
		{"accompanied", "by"}, {"coupled", "with"}, {"paired", "with"}, {"next", "to"},
		{"including"}, {"incl"}, {"include"}, {"includes"}, {"inclusive", "of"}, {"showing"}, {"displaying"}, {"listing"},
		{"giving"}, {"stating"}, {"returning"}, {"indicating"}, {"reporting"}, {"naming"},
		{"followed", "by"}, {"besides"}, {"and", "also"},
	}
	// sorting are phrases before what rows are sorted by.
	sorting = [][]string{
		{"sorted"}, {"sort"}, {"ordered", "by"}, {"order", "by"}, {"ordering", "by"}, {"ranked"}, {"rank", "by"},
		{"ranking", "by"}, {"arranged"}, {"in", "order", "of"}, {"according", "to"}, {"based", "on"}, {"in", "terms", "of"},
		{"as", "measured", "by"},
		{"measured", "by"}, {"prioritized", "by"}, {"prioritised", "by"}, {"judged", "by"}, {"ordered"}, {"them", "by"},
		{"in", "the", "order", "of"}, {"results", "by"}, {"descending", "by"}, {"ascending", "by"},
	}
	grouping = [][]string{
		{"for", "each"}, {"for", "every"}, {"of", "each"}, {"of", "every"}, {"in", "each"}, {"in", "every"}, {"on", "each"},
		{"on", "every"}, {"at", "each"}, {"at", "every"}, {"by", "each"}, {"by", "every"}, {"from", "each"},
		{"from", "every"}, {"to", "each"}, {"to", "every"},
		{"within", "each"}, {"per"}, {"each"}, {"every"}, {"grouped", "by"}, {"broken", "down", "by"}, {"split", "by"},
		{"split", "into"}, {"split", "up", "by"}, {"broken", "out", "by"}, {"separated", "by"}, {"separately", "for"},
		{"group", "by"}, {"across", "all"}, {"divided", "by"}, {"segmented", "by"},
	}

	// containers are words for the answer or its parts, which request no column by themselves.
	containers = set("list table overview breakdown summary set kind type sort result results output record records row rows column columns field fields data information detail details ranking rankings timeline collection report query answer line lines " +
		"standing standings leaderboard sequence history schedule chronology queue itinerary agenda order chart everything item items entry entries")
	// identifiers are words for attributes that identify a thing.
	identifiers = set(
		"name names title titles id ids identifier identifiers key keys code codes label labels number numbers")

	measures = set("revenue sale sales turnover income profit loss earning earnings cost price amount total sum number count quantity average mean median rate ratio percentage percent share salary wage pay balance score point rating weight height length width depth size " +
		"duration age distance population area volume speed temperature value budget expenditure spend spending fee tax discount margin growth change difference capacity enrollment enrolment attendance vote goal win frequency probability latency yield stock " +
		"fare mileage much long old often far tall heavy many maximum minimum max min proportion fraction deviation variance quota gdp elevation altitude depth density mark grade gpa credit debit amounts figure headcount occupancy usage consumption output throughput interest premium payout " +
		"bonus overtime magnitude dose dosage intensity level lifespan tenure seniority runtime rank popularity traffic impression click view download")

	// notParticiples are words that end in ed but are not participles.
	notParticiples = set("need speed seed feed breed bed red shed hundred indeed exceed united embed media weed creed deed greed wed sled sacred naked wicked biped")
	irregular      = set("broke broken fallen rose risen froze frozen shook shaken spoke spoken stole stolen woke swam sank sunk struck swung threw thrown tore torn blew blown bent dealt dug fled fought forgot forgotten hung laid leapt meant overcame rang rode ridden sought shone slept slid spun sprang stuck swept swore sworn told withdrew withdrawn wove bore borne bit bitten bred burnt clung crept dreamt foresaw forgave ground hid hidden leant learnt mistook outgrew overtook oversaw proven rebuilt repaid resold shrank spelt spilt split stank strode underwent upheld wound sold bought spent made got won lost took paid sent went came wrote ran saw left held had gave drove flew sang grew began brought taught caught thought built kept led met read said sat shown sung taken written given known grown driven flown born found " +
		"become became lent hit beat cost drew drawn chose chosen ate fell fallen wore stood understood belong belongs live lives contain contains own owns earn earns teach teaches work works play plays come comes exist exists produce produces sell sells offer offers serve serves " +
		"use uses start starts begin begins end ends happen happens appear appears include hold holds need needs require requires share shares study studies attend attends enroll enrolls reside resides report reports belong speak speaks last cover covers handle handles")
)

// Superlative reports whether a word, in lower case, names an end of an order: latest, best, top.
func Superlative(w string) bool { return superlative(w) }

// superlative is Superlative within the package.
func superlative(w string) bool {
	return ends[w] || len(w) > 5 && strings.HasSuffix(w, "est") && !notSuperlatives[w]
}

var (
	ends            = set("most least best worst top bottom maximum minimum max min leading highest lowest fewest latest newest oldest first last final biggest")
	notSuperlatives = set("request interest forest contest harvest digest protest suggest honest arrest priest invest budapest everest midwest northwest southwest conquest manifest modest tempest bequest")
)

// acts reports whether a word may be a verb in the past, a participle, or one of some verbs in the present.
func acts(w string) bool {
	return irregular[w] || len(w) > 3 && strings.HasSuffix(w, "ed") && !notParticiples[w] && !strings.HasSuffix(w, "eed")
}
