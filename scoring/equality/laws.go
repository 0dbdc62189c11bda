package equality

// Laws lists the laws in the order of the page. A law that is not listed has no pairs, and the reverse: a test holds that.
func Laws() []Law { return laws }

var laws = []Law{
	{
		Name: "non_finite", About: "Numbers",
		Says: "Infinity equals only itself, and minus infinity likewise. It is near no number and no multiple or sum of one. NaN counts as NULL, as in the BADGER paper, and not as 0.",
	},
	{
		Name: "sign", About: "Numbers",
		Says: "A number with the other sign is another number, unless both names say opposite things, as profit and loss do.",
	},
	{
		Name: "converted_units", About: "Numbers",
		Says: "A number is the same in another unit where both names say so, each its own unit, or where one name or the question does and the distinct numbers show at least four digits. No name may say " +
			"another unit. That all numbers are the same multiple proves nothing.",
	},
	{
		Name: "punctuation", About: "Text",
		Says: "Blanks, quotes, final stops and dashes between words carry nothing. Signs, points, operators and whatever stands between two digits are content.",
	},
	{
		Name: "lists", About: "Text",
		Says: "The order of a list in a cell carries nothing where gold's query aggregates it without an order or, if that query is not known, where the items are words and the lists have different " +
			"lengths. Otherwise it may be a pair, a place or a route, and the order is content.",
	},
	{
		Name: "joined_texts", About: "Shape",
		Says: "Columns joined in one text, in their order, are the same columns, and so are the parts of a text that gold shows whole. The last name stands first only before a comma. Digits of two parts must " +
			"not run into one number.",
	},
	{
		Name: "pivot", About: "Shape",
		Says: "Rows shown as columns, or the reverse, are the same data. Labels that stand on both sides, as values and as headers, carry their own values; where no label does, at least four different " +
			"values must tell them apart.",
	},
	{
		Name: "headers", About: "Shape",
		Says: "Columns may be called and ordered in any way. Where two headers stand on both sides, they bind: values under each other's headers are wrong.",
	},
	{
		Name: "nothing_and_zero", About: "Rows",
		Says: "In a count or a sum, by its name or query, nothing is 0: NULL may stand for 0, and groups without members may be shown or left out. In any other measure 0 is a value. A row with the total " +
			"of the others is a row too many, whatever it is called.",
	},
	{
		Name: "coincidence", About: "Rows",
		Says: "Results that go together by their numbers alone are not the same: names or queries must say that one counts, sums or repeats the other.",
	},
}
