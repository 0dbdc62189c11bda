package cell

import "slices"

// Laws returns all laws in the order of the page. Each of them has pairs.
func Laws() []Law { return slices.Concat(laws, relationLaws) }

var laws = []Law{
	{
		Name: "exact_numbers", About: "Numbers",
		Says: "Numbers are equal if their values are, regardless of type and of trailing zeros after the decimal point. Values are compared exactly, to any number of digits. Between " +
			"doubles, the last bits that depend on the order of addition (a relative difference of 1e-12) are ignored. Decimals have no such bits.",
		Change: "`numbers: exact` in `hybrid_ex` makes the last bits count.",
	},
	{
		Name: "rounding", About: "Numbers",
		Says: "A number equals the one that it was rounded to: one side shows fewer decimal places than the other, and no value is more than half a unit of the last of them away. What a side " +
			"shows is known from text, from a DECIMAL type, and from the digits in JSON and CSV; up to three zeros after the last digit that its numbers need count as shown, but a single zero after every " +
			"point (2631.0) shows nothing. Rounding must leave two significant digits of nearly every value (four of five) and must not make all of them the same. Whole numbers of gold, of whatever type, are " +
			"not what fractions were rounded to, unless its query rounds; a count of the answer is not what gold's fraction was rounded to; an identifier is never rounded, and nothing is rounded to tens or " +
			"thousands unless it shows that (see `short_forms`). Digits that are content are not rounded away: several values that all are multiples of a half or a quarter (sizes, ratings, half days) unless " +
			"they are averages, doses, grades, versions, coordinates below three digits, and what 99.98 % availability leaves to 100 %. Numbers that gold's query shows as they are stored keep at least two decimal places. If the question states how to round, or asks for exact numbers, another rounding " +
			"is another answer; with at least two decimals, more will do.",
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
		Says: "A fraction equals its percentage, 0.125 and 12.5, if there is evidence for it. A percent sign does, and so does a name that says percent where the other side's does not. Else all fractions must " +
			"lie within 0 and 1 (or -1 and 1), all percentages within 0 and 100, and a name, the question or a query must speak of a share (a rate, a proportion, a probability, a division), or three " +
			"fractions or more add up to 1. If names, question and queries give no hint, a fraction of three digits is enough evidence. A unit that is not a share, in a name, a cell or the question, forbids it (weight_kg, price_usd, orders_per_customer), and if both names say percent, 0.4 is " +
			"0.4 %. Only for a winning percentage or similar is .625 equal to 62.5. Asked for percent, an answer of 0.025 is 0.025 %, unless a name or gold's query says otherwise. Whole numbers that answer \"how many\" are not percentages, and neither are numbers of things to a thing (0.85 children to a household), or where the question asks by what factor or for a number per 100 or per 1000. 12% is 0.12; it is 12 only in a column whose name says that it holds percentages, or gold's whose query takes it from one called so. Per " +
			"mille, basis points and parts per million stand for fractions in the same way where a name or a cell states them.",
	},
	{
		Name: "units", About: "Numbers",
		Says: "A number written as text is that number: with the sign, code or name of a currency, groups of digits, a decimal comma, in parentheses or with a trailing minus for negative ones, with Cr and Dr, or with a unit of measure. A unit may be missing " +
			"on one side. Two different units are two values, wherever they are stated: in the names of both columns (price_usd, price_eur; dur_ms, dur_s; size_kb, size_kib; per_day, per_hour), in the cells, and, where gold's " +
			"name and cells have none, in its query or the question (in US dollars). Numbers that both sides state in two units of one measure are equal if they are converted by exactly the factor between the units; a power of ten counts in `hybrid_ex` too " +
			"(see `converted_units`). A currency is never another one. A column with two currencies stays text.",
	},
	{
		Name: "short_forms", About: "Numbers",
		Says: "1.2M, 850K, 2.3B, 1.2 Mio., 4.5 lakh and 1.2 Cr are the numbers that they stand for, and equal each number that would be shown so: rounded to as many digits in that unit. A rounded short form must show two significant " +
			"digits. A lower-case m does not mean million.",
	},
	{
		Name: "codes", About: "Text",
		Says: "Text is read as numbers only if no information is lost. A column stays text if a cell begins with zeros (007), has an exponent that a code could have (12e3), is in parentheses for no " +
			"amount, has decimal places unlike those of printed numbers (1.10 next to 1.2, or 1.10 against 1.1 if no name says that something is measured), or if two values of the column would become the same number. The CSV reader keeps such columns too, and of two CSV files the columns that write the same numbers as 3.10 and as 3.1, if neither a name nor the values say that something is measured.",
	},
	{
		Name: "texts", About: "Text",
		Says: "Strings are equal regardless of letter case, of outer blanks and the number of inner ones, of quotes around the whole, and of how letters are composed (Unicode NFC). Letter case counts in a column of " +
			"gold if some of its values differ in nothing else.",
	},
	{
		Name: "spelling", About: "Text",
		Says: "Invisible characters (byte order marks, zero-width spaces, soft hyphens) are ignored. Typographic quotes, dashes and ellipses equal their ASCII forms. If the whole column agrees and no two " +
			"texts become one, ä, ö, ü, ß, å, ø and æ equal ae, oe, ue, ss, aa, oe and ae, as in passports, a comma before a suffix (Jr., Inc.) and entities of HTML carry nothing, and a name may have its last part first, before a comma. Other accents count.",
	},
	{
		Name: "identifiers", About: "Text",
		Says: "Separators and letter case are ignored in a UUID and in bytes. Bytes are the same in hexadecimal digits, in base64 and by type. Both are ignored in a code if a name says that it is a telephone " +
			"number, an ISBN, IBAN, EAN, the number of a card, a post code or similar, or if its check digits do. In a telephone number, 00 equals the plus. No two codes of a column may become equal.",
	},
	{
		Name: "truth_values", About: "Text",
		Says: "True and false equal 1 and 0, and words of one vocabulary: true, false, t, f; yes, no, y, n; on, off; 0, 1; check marks and crosses; ja, nein; oui, non; sí, no and those of other languages. A column with words of two vocabularies stays text. Between two columns of text, a " +
			"column that shows one letter again and again stays text too.",
	},
	{
		Name: "dates_and_times", About: "Dates and times",
		Says: "A date equals its midnight and an instant itself in every zone. Text is read as a date where all cells of the column fit one layout; where day and month could change places, the other side decides, and where they could on both sides, both are read in one layout. " +
			"Times of day are read from 13:30 and 1:30 PM, instants from seconds, milliseconds, microseconds or nanoseconds since 1970, and from the days that spreadsheets count if the name speaks of a date. " +
			"An instant equals itself cut to seconds, milliseconds or microseconds if no two values of the column become equal. Infinity is one value, whatever the type. " +
			"Intervals are equal where they are to the engines that write them, with days of 24 hours and months of 30 days: 36:00:00 equals 1 day 12:00:00.",
	},
	{
		Name: "periods", About: "Dates and times",
		Says: "A year, half-year, quarter, month or ISO week equals itself as a label (2024-Q1, \"first quarter of 2024\", 1Q24), as its first day and, where both sides hold nothing else, its last. It equals its number in the year, " +
			"or its name, if the other side is all of one year and neither the question, a name nor an adjacent column refers to another. A plain number is a period only under a name such as month, and a day only if a " +
			"name, the question or the other side does. A name of first days (week_start) does not fit last days, nor the reverse. Weekdays are numbered from Monday as 1, or from Sunday as 0 if a 0 is among them. Fiscal periods equal labels of the same ones only; where a name or the question speaks of fiscal years, a plain label is one of them.",
	},
	{
		Name: "durations", About: "Dates and times",
		Says: "A duration equals itself in every notation: 01:30:00, 1h 30m, 90 minutes, PT1H30M, 0 days 01:30:00, and as a number of the unit that its name states, or else the question. Hours, minutes and seconds of the answer may be rounded to their last place, a millisecond at the finest. Months and years have no certain length. Two fields, 1:30, " +
			"are minutes and seconds if they have a fraction, if other cells have three fields, or if a name or the question implies it (lap), and hours and minutes if one implies that (departure); otherwise they equal nothing but two fields.",
	},
	{
		Name: "json", About: "Nested values",
		Says: "JSON, structs and maps are equal if their content is. The order of members, white space and the notation of numbers are ignored. The order of an array, letter case and missing members are significant. " +
			"Text that is JSON equals it, and an array of numbers or texts equals its elements with commas between them.",
	},
	{
		Name: "nested_text", About: "Nested values",
		Says: "Lists and structs are the same in the notations of JSON, Python, PostgreSQL, DuckDB and Trino, and quotes around a number are ignored; geometries are in well-known text and GeoJSON.",
	},
	{
		Name: "headers", About: "Columns",
		Says: "Values say which columns correspond, names come second: a column may be renamed and stand anywhere. But names bind where columns would change places under them, in whatever words: " +
			"min, max = 1, 9 is not maximum, minimum = 1, 9, nor are won and lost victories and defeats the wrong way round. A name belongs to the column whose words, synonyms or opposites it shares. Equal values do not go together under names " +
			"that deny each other: opposites such as net and gross, late and on time, active and inactive, and other years, quarters or months; nor where gold's own name stands over other values, alone or, for texts, with a word more (captain against best_captain). Opposites of words that start alike count too (prepaid, postpaid). Where gold has two opposites and the answer two others, such as imports and exports against arrived and departed, something must say which is which. If two columns of the answer are opposites or belong to different years, the one that the question names is meant. If the question mentions a year, quarter, month or percentile, and of no time before or after it, a name must not say another one; nor, of the same thing, the opposite of the state that the question asks for (disabled lockers, asked how many lockers are enabled). Names that hold both opposites, or differ in two, " +
			"carry no information, and neither do those that engines generate, such as col_1.",
	},
	{
		Name: "nulls", About: "Rows",
		Says: "NULL equals NULL and nothing else. Blank text is NULL if a column of text is read as numbers, dates or truth values. Words that programs print for NULL (NULL, (null), None, NaT, NA, N/A) are NULL in files and results without types next to numbers, dates, times and truth values; among strings they are strings, unless a column of numbers or dates of the same CSV file has the word; \\N and <NA> are NULL in CSV everywhere. A gold column without a value may be missing. `verdict` also takes a row that is NULL throughout, which one query leaves out by IS NOT NULL or an inner join.",
	},
	{
		Name: "rows", About: "Rows",
		Says:   "Both results hold the same rows equally often. Their order is ignored here; `verdict` checks it if the question asks for it. Columns that gold does not have are ignored. `verdict` also takes rows that repeat because one query alone drops repetitions, unless the question says which it wants (see `asked`), and an answer without a column that gold holds to one value that the question names.",
		Change: "`extra_columns: penalize` in `hybrid_ex` makes extra columns count.",
	},
	{
		Name: "asked", About: "Rows",
		Says: "`verdict` reads the question. A column that it asks for must be present (\"when\" asks for dates, \"where\" for places), also next to a ranking (\"the three best and their points\"); what only ranks or filters may be left out. If it asks for those that have at least one, or what they did, groups with nothing are too " +
			"many. If it asks for one row per thing, or for something of each or every one of them, equal rows count; if it asks for different ones, for each once or for no repetitions, rows that repeat are too many; if it asks which there are, they may come once, and so may names. If it asks for an order, in any words (timeline, standings, from first to last, " +
			"in which sequence), the rows come in it, and a column that numbers them agrees with it. If it asks for all that tie, or for full names, one of them or initials are not enough; a number per 100 or 1000 is in that unit.",
	},
}
