package equality

import "slices"

// Laws lists the laws in the order of the page. A law that is not listed has no pairs, and the
// reverse: a test holds that.
func Laws() []Law { return slices.Concat(laws, relationLaws) }

var laws = []Law{
	{
		Name: "exact_numbers", About: "Numbers",
		Says: "Numbers are equal where their values are, whatever their types and however many zeros stand behind the point. Values are compared exactly, to any number of digits. Between " +
			"doubles, the last bits that the order of adding leaves behind (a relative difference of 1e-12) do not count. Decimals have none.",
		Change: "`numbers: exact` in `hybrid_ex` makes the last bits count.",
	},
	{
		Name: "rounding", About: "Numbers",
		Says: "A number equals the one that it was rounded to: one side shows fewer digits behind the point than the other, and no value is more than half a unit of the last of them away. What a side " +
			"shows is known from text, from a DECIMAL type, and from the digits in JSON and CSV; up to three zeros behind the last digit that its numbers need count as shown. Rounding must leave two significant digits of nearly every value (four of five) and must not make all of " +
			"them the same. A whole number of gold is not what a fraction was rounded to, an identifier is never rounded, and nothing is rounded to tens or thousands unless it shows that (see " +
			"`short_forms`). Where the question says how to round, an answer that is not rounded is another one.",
		Change: "`numbers: exact` in `hybrid_ex`, or `columns: {\"price\": \"exact\"}` for one column.",
	},
	{
		Name: "tolerance", About: "Numbers",
		Says: "There is no other tolerance unless a deployment sets one, and `verdict` never uses one. Of four labelled answers that lay within 1 % of gold, and were not rounded, people called three wrong. " +
			"With a tolerance, identifiers, instants, coordinates, counts and shares near 1 are still compared without it, and so are whole numbers unless a name says that they measure something " +
			"(revenue, average). `hybrid_ex` says in its reason where a value rests on a tolerance.",
		Change: "`tolerance: 0.01` in `hybrid_ex` is the paper's relative δ; `numbers` is exact, rounded, relative or absolute; `columns` sets a rule for one column, which then holds whatever the column contains.",
	},
	{
		Name: "non_finite", About: "Numbers",
		Says: "Infinity equals only itself, and minus infinity likewise. It is near no number and no multiple or sum of one. NaN counts as NULL, as in the BADGER paper, and not as 0.",
	},
	{
		Name: "percent", About: "Numbers",
		Says: "A fraction equals its percentage, 0.125 and 12.5, where all fractions lie within 0 and 1 (or -1 and 1), all percentages within 0 and 100, and something bears it out: a percent sign, the name of a " +
			"column, the question, several values, or one value of three digits. Several values bear nothing out where the question asks how many and one side holds whole numbers. 12% is 0.12; it is 12 only in a column whose name says that it holds percentages.",
	},
	{
		Name: "units", About: "Numbers",
		Says: "A number written as text is that number: with the sign or code of a currency, groups of digits, a decimal comma, in parentheses for negative ones, or with a unit of measure. A unit may be missing " +
			"on one side; two different units are two values, also where the names of both columns state them (price_usd, price_eur; tenure_years, tenure_months). A column with two currencies stays text.",
	},
	{
		Name: "short_forms", About: "Numbers",
		Says: "1.2M, 850K and 2.3B are the numbers that they stand for, and equal each number that would be shown so: rounded to as many digits in that unit. A rounded short form must show two significant " +
			"digits. A small m is no million.",
	},
	{
		Name: "codes", About: "Text",
		Says: "Text is read as numbers only where that loses nothing. A column stays text where a cell begins with zeros (007), has an exponent that a code could have (12e3), is in parentheses for no " +
			"amount, where digits behind the point are not those of printed numbers (1.10 beside 1.2, or 1.10 against 1.1 where no name says that something is measured), or where two texts of the column would become one number. The CSV reader keeps such columns too.",
	},
	{
		Name: "texts", About: "Text",
		Says: "Texts are equal regardless of letter case, of outer blanks and the number of inner ones, of quotes around the whole, and of how letters are composed (Unicode NFC). Letter case counts in a column of " +
			"gold that holds texts which differ in nothing else.",
	},
	{
		Name: "truth_values", About: "Text",
		Says: "True and false equal 1 and 0, and words of one vocabulary: true, false, t, f; yes, no, y, n; on, off; 0, 1. A column with words of two vocabularies stays text. Between two columns of text, a " +
			"column that shows one letter again and again stays text too.",
	},
	{
		Name: "dates_and_times", About: "Dates and times",
		Says: "A date equals its midnight and an instant itself in every zone. Text is read as a date where all cells of the column fit one layout; where day and month could change places, the other side decides. " +
			"A quarter and a month equal their first day. Times of day are read from 13:30 and 1:30 PM, instants from seconds, milliseconds or microseconds since 1970. " +
			"Infinity is one value, whatever the type. Intervals are equal where they are to the engines that write them, with days of 24 hours and months of 30 days: 36:00:00 equals 1 day 12:00:00.",
	},
	{
		Name: "json", About: "Nested values",
		Says: "JSON, structs and maps are equal where their content is: the order of members, white space and how a number is written do not count, the order of an array, letter case and missing members do. " +
			"Text that is JSON equals it, and an array of numbers or texts equals its elements with commas between them.",
	},
	{
		Name: "headers", About: "Columns",
		Says: "Values say which columns correspond, names come second: a column may be renamed and stand anywhere. But names that stand on both sides, each of them once, bind where columns would change places " +
			"under them: min, max = 1, 9 is not min, max = 9, 1, also where the names are synonyms. Equal values do not go together under names " +
			"that deny each other, as profit and loss or active and inactive do. Names that engines give, such as col_1, say nothing.",
	},
	{
		Name: "nulls", About: "Rows",
		Says: "NULL equals NULL and nothing else. Blank text is NULL where a column of text is read as numbers, dates or truth values. A gold column without a value may be missing. `verdict` also takes a row that is NULL throughout, which one query leaves out by IS NOT NULL or an inner join.",
	},
	{
		Name: "rows", About: "Rows",
		Says:   "Both results hold the same rows equally often. Their order does not count here; `verdict` looks at it where the question asks for it. Columns that gold does not have do not count. `verdict` also takes rows that repeat because one query alone drops repetitions, and an answer without a column that gold holds to one value that the question names.",
		Change: "`extra_columns: penalize` in `hybrid_ex` makes extra columns count.",
	},
}
