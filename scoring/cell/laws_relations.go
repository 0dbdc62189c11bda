package cell

// relationLaws are the laws about results that are related but not equal.
var relationLaws = []Law{
	{
		Name: "sign", About: "Related results",
		Says: "A number with the other sign is another number, unless both names say opposite things, as profit and loss do, or one side is never above zero and the name of the other says that it counts what is owed, lost or paid out.",
	},
	{
		Name: "converted_units", About: "Related results",
		Says: "A number is the same in another unit if both sides state theirs and the factor between the units, with the offset of temperatures, takes all of gold's numbers to the answer's. The answer " +
			"says its unit by its cells, its name or the question; gold by its cells, its name, its query or the question. If gold states none, the distinct numbers must show at least four digits. An answer " +
			"that does not say that it is in another unit than gold's is another answer, and that all numbers are the same multiple proves nothing. For a difference of temperatures only the factor applies: 10 °C more are 18 °F more.",
	},
	{
		Name: "punctuation", About: "Related results",
		Says: "Blanks, quotes, final stops and dashes between words carry nothing. Signs, points, operators and all characters between two digits are content.",
	},
	{
		Name: "lists", About: "Related results",
		Says: "The order of a list in a cell carries nothing if gold's query aggregates it without an order or, if that query is not known, where the items are words and the lists have different " +
			"lengths, and neither a name (podium, top_sellers, steps) nor the question says that they come in an order. Otherwise it may be a pair, a place or a route, and the order is content.",
	},
	{
		Name: "joined_texts", About: "Related results",
		Says: "Columns joined into a single string, in their order, are the same columns, and so are the parts of a string that gold shows whole. A last name comes first only before a comma. Digits of two parts must " +
			"not run into one number.",
	},
	{
		Name: "parts", About: "Related results",
		Says: "A year and a quarter, month, half-year or ISO week in two columns with such names are the period that the other side shows in one. Columns that are called like the members of a struct are that struct.",
	},
	{
		Name: "pivot", About: "Related results",
		Says: "Rows shown as columns, or the reverse, are the same data. Labels that both sides have, as values and as headers, carry their own values, whatever words they are in: lost and losses, 2024 and n_24, " +
			"true and what the column says. If no label does, at least four different values must distinguish them, and no label may deny the header over its values.",
	},
	{
		Name: "short_names", About: "Related results",
		Says: "A short form equals its name where all else agrees. Public lists decide where they know both: countries (ISO 3166, Olympic codes), states and provinces, months, weekdays, currencies (ISO 4217), languages (ISO 639), " +
			"chemical elements. Elsewhere a short form is a beginning or the initials of all words of a name, and of no other name in the column.",
	},
	{
		Name: "keys", About: "Related results",
		Says: "A key equals the name of the thing whose key it is, and the reverse, where all else agrees: both names say one thing, or both queries take them from one table or join by the key. The key of another table, a number of keys or " +
			"their greatest is none. A key does not stand for another text about a thing, such as an e-mail address. The question must not ask for the other one: names, titles, by name, spelled out, or ids, codes and numbers.",
	},
	{
		Name: "flags", About: "Related results",
		Says: "Truth values are the same the other way round where the name says the opposite, too, in every row. Two labels are truth values where the name of these says which label is true.",
	},
	{
		Name: "nothing_and_zero", About: "Related results",
		Says: "In a count or a sum, by its name or query, nothing is 0: NULL may stand for 0, unless gold's query shows a column as it is stored or the question says that a value is missing or that there is none; and the answer may show groups with nothing that gold leaves out, but not leave out those that gold shows. It may not show them if the question selects things that have or did something (see `asked`). In any other measure, such as a percentage, a growth, a rating or a first or last amount, 0 is a value. A row with the total " +
			"of the others is a row too many, whatever it is called.",
	},
	{
		Name: "totals", About: "Related results",
		Says: "A row of totals that both sides have may be called NULL, as ROLLUP calls it, or by any word for all of them. NULL equals an empty string if the question says that missing values are left empty.",
	},
	{
		Name: "approximate", About: "Related results",
		Says: "If a query counts distinct values, or finds a quantile, by an approximate aggregate, and the other query does the same by an approximate or exact one, for the same column, conditions and quantile, the numbers may differ by 5 %, the largest standard error that an engine documents.",
	},
	{
		Name: "ties", About: "Related results",
		Says: "If a limit cuts through rows that tie, either of them is right: another one, if both queries keep as many of the same rows by the same order and show the value in which they tie; all of them, or as " +
			"many as the answer's limit allows. A sort key of gold that settles the tie says which row it wants, and a query that differs elsewhere is not evidence about the value.",
	},
	{
		Name: "coincidence", About: "Related results",
		Says: "Results that go together by their numbers alone are not the same: names or queries must show that one is a count, a sum or a repetition of the other. If both queries are known and ask for different things, by other literals, tables or aggregates, a result that is empty, or one value that is NULL, 0 or one digit, shows nothing, and neither does one that the answer's query has written into it.",
	},
}
