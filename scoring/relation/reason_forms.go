package relation

// forms are sentence templates by relation. The first one whose slots are all known is used.
//
// The slots: {gold} and {answer} are the parts of the queries; {columns} and {answer columns} are names of columns;
// {gold rows}, {answer rows}, {missing rows} and {extra rows} are counts with a noun; {rows} is the number of rows of
// the answer and of gold; {size} is a clause about the columns that differ; {values} is the answer's value and gold's;
// {off} is how much the value differs. {more}, {fewer}, {none}, {open}, {higher} and {lower} are conditions without
// text: the answer has more or fewer rows than gold, or none, rows tie in a way that the question leaves open, or its
// only differing column is higher or lower in every row that differs.
var forms = map[string][]string{
	QueryFailed: {"The query did not run: {error}", "The query did not run."},

	// The same data.
	"same":      {"The same {gold rows} as gold.", "No rows, as in gold."},
	"permuted":  {"The same {gold rows} as gold, with the columns in another order."},
	"rounded":   {"The same figures, rounded differently."},
	"scaled":    {"The same figures on another scale, such as percent instead of fractions."},
	"formatted": {"The same values, written differently."},
	"currency_in_text": {
		"The same figures, but {columns} {are} text with a currency in each row, so that no number is left to compare.",
	},
	"tolerance":     {"The same figures within the tolerance."},
	"extra_columns": {"All of gold, and more columns: {answer columns}."},
	"same_query":    {"The same query as gold."},

	// Columns.
	"dropped_asked":       {"Leaves out {columns}; all the rest is right."},
	"dropped_columns":     {"Leaves out {columns}; all the rest is right."},
	"dropped_order_key":   {"Leaves out {columns}, by which gold sorts; all the rest is right."},
	"dropped_filter":      {"Leaves out {columns}, by which gold filters; all the rest is right."},
	"dropped_filter_list": {"Leaves out {columns}, by which gold filters; all the rest is right."},
	"dropped_constant":    {"Leaves out {columns}, which has one value; all the rest is right."},
	"dropped_name_part":   {"Leaves out {columns}, a part of the name; all the rest is right."},
	"null_column_asked":   {"Leaves out {columns}, which the question asks for."},
	"key_for_name":        {"Shows {answer columns} in place of {columns}."},
	"crossed":             {"Shows the values of {answer columns} under other names than gold."},
	"permuted_unnamed":    {"May have exchanged {columns}: the column names do not show which is which."},
	"flag_unnamed":        {"May have true and false exchanged in {columns}: the column names do not show it."},
	"other_unit":          {"Shows {columns} in another unit."},
	"select_differs": {
		"Selects {answer} where gold selects {gold}.",
		"Does not select {gold}.",
		"Also selects {answer}.",
	},
	"other_column":      {"Other values under {columns}."},
	"columns_in_common": {"No row agrees as a whole; {columns} {are} partly right."},

	// Groups and joins.
	"repeated": {
		"Repeats rows: {rows}.{more}",
		"Repeats rows less often: {rows}.",
	},
	"gold_ungrouped": {"Groups as the question asks; gold does not."},
	"fan_out": {
		"Also joins {answer}, which repeats rows of {gold}: {size}.",
		"Also joins {answer}, which repeats rows of {gold}.",
	},
	"tables_more":   {"Also reads {answer}, and {size}.", "Also reads {answer}."},
	"tables_fewer":  {"Does not read {gold}, and {size}.", "Does not read {gold}."},
	"tables_differ": {"Reads {answer} where gold reads {gold}."},
	"outer_join": {
		"Uses another kind of join (outer or inner), and {size}.",
		"Uses another kind of join (outer or inner): {rows}.{more}",
		"Uses another kind of join (outer or inner): {rows}.{fewer}",
		"Uses another kind of join (outer or inner).",
	},
	"zero_dropped":          {"Drops {missing groups} without rows (inner join)."},
	"zero_filled":           {"Also shows {extra groups} without rows (outer join)."},
	"zero_against_question": {"Shows {extra groups} without rows, which are not asked for."},
	"groups_merged":         {"Merges groups with the same name: {rows}."},
	"groups_split":          {"Keeps groups with the same name apart: {rows}."},
	"group_differs": {
		"Groups by {answer} where gold groups by {gold}.",
		"Does not group by {gold}.",
		"Groups by {answer}; gold does not group.",
	},
	"rolled_up":    {"Groups too coarsely: {rows}."},
	"drilled_down": {"Groups too finely: {rows}."},
	"total_row":    {"Adds a row with the total.{more}", "Leaves out the row with the total.{fewer}"},

	// Filters.
	"gold_literal_foreign": {"Filters by {answer} where gold has {gold}, which is not in the question."},
	"gold_and_for_or":      {"Keeps rows that meet either of two conditions, as the question asks; gold requires both: {rows}."},
	"gold_finds_nothing":   {"Finds {answer rows} where gold finds nothing."},
	"gold_empty":           {"Finds {answer rows} where gold has none."},
	"condition_missing": {
		"Leaves out the filter {gold}: {values}.",
		"Leaves out the filter {gold}; {size}.",
		"Leaves out the filter {gold}.",
	},
	"condition_added": {
		"Adds the filter {answer}: {values}.",
		"Adds the filter {answer}; {size}.",
		"Adds the filter {answer}.",
	},
	"null_comparison": {
		"Compares with NULL, which is never true ({answer}): {values}.",
		"Compares with NULL, which is never true ({answer}), and finds nothing; gold has {gold rows}.{none}",
		"Compares with NULL, which is never true ({answer}), and finds nothing.",
	},
	"not_in_null": {
		"Compares by NOT IN with a list that contains NULL, so nothing is found: {values}.",
		"Compares by NOT IN with a list that contains NULL, so nothing is found; gold has {gold rows}.{none}",
		"Compares by NOT IN with a list that contains NULL, so nothing is found.",
	},
	"last_day_lost": {
		"Leaves out the last day: {answer} ends as that day starts; {values}.",
		"Leaves out the last day: {answer} ends as that day starts; {size}.",
		"Leaves out the last day: {answer} ends as that day starts.",
	},
	"filter_missing": {"Leaves out the filter {gold}: {extra rows} too many."},
	"filter_added":   {"Adds the filter {answer}: {missing rows} too few."},
	"literal_case": {
		"Writes {answer} where the data has {gold}: {values}.",
		"Writes {answer} where the data has {gold}.",
	},
	"literal_form": {
		"Writes {answer} where gold has {gold}: {values}.",
		"Writes {answer} where gold has {gold}.",
	},
	"literals_differ": {
		"Filters by {answer} where gold has {gold}: {values}.",
		"Filters by {answer} where gold has {gold}.",
	},
	"literal_foreign": {"Filters by {answer}, which is not in the question; gold has {gold}."},
	"comparison_differs": {
		"Compares by {answer} where gold has {gold}: {values}.",
		"Compares by {answer} where gold has {gold}.",
	},
	"boundary":          {"Off by one at a boundary: {answer} instead of {gold}."},
	"or_for_and":        {"Keeps rows that meet either of two conditions; gold requires both: {rows}."},
	"and_for_or":        {"Keeps only rows that meet both of two conditions; gold requires either: {rows}."},
	"pred_empty":        {"Finds nothing; gold has {gold rows}."},
	"null_rows_kept":    {"Keeps {extra rows} without a value.", "Keeps rows without a value."},
	"null_rows_dropped": {"Drops {missing rows} without a value.", "Drops rows without a value."},
	"blank_rows": {
		"Keeps rows without any value: {rows}.{more}",
		"Drops rows without any value: {rows}.",
	},
	"superset": {"Returns all rows of gold and {extra rows} too many."},
	"subset":   {"Leaves out {missing rows}; the other rows are right."},

	// Sorting and limits.
	"gold_vacuous_limit":  {"Gold sorts and limits a single row, which has no effect."},
	"sort_flipped":        {"Sorted the wrong way round: by {answer}."},
	"order_differs":       {"Sorts by {answer} where gold sorts by {gold}."},
	"order_total_for_raw": {"Sorts by {answer}, a total, where gold sorts by {gold}."},
	"order_raw_for_total": {"Sorts by {answer}, a single value, where gold sorts by {gold}."},
	"reordered": {
		"Returns the rows in another order; gold sorts by {gold}.",
		"Returns the rows in another order.",
	},
	"tie_other": {
		"Chooses other rows among ties at the limit: {differ}.",
		"Chooses other rows among ties at the limit.",
	},
	"tie_unproven": {
		"Chooses other rows among ties at the limit; the question does not say which.{open}",
		"May choose other rows among ties at the limit: {differ}.",
		"May choose other rows among ties at the limit.",
	},
	"tie_all": {"Keeps all tied rows: {rows}."},
	"tie_one": {"Keeps only some of the tied rows: {rows}."},
	"same_order_limit": {
		"Sorts by {gold}, as gold does, but has other rows among the first {gold number}.",
		"Sorts as gold does, but has other rows among the first {gold number}.",
	},
	"limit_longer":         {"Top list too long: {rows}."},
	"limit_shorter":        {"Top list too short: {rows}."},
	"limits_differ":        {"Has another limit: {rows}."},
	"distinct_under_limit": {"Repeated rows are removed before the limit on one side only, the answer's or gold's."},

	// Counting.
	"duplicates": {
		"Does not remove repeated rows: {rows}.{more}",
		"Removes repeated rows: {rows}.",
	},
	"duplicates_extra_columns": {
		"Does not remove repeated rows: {rows}.{more}",
		"Removes repeated rows: {rows}.",
	},
	"duplicates_against_question": {
		"Repeats rows that are asked for once: {rows}.{more}",
		"Removes repeated rows that are asked for: {rows}.",
	},
	"count_distinct": {
		"Counts every row where gold counts different values: {values}.{higher}",
		"Counts different values where gold counts every row: {values}.{lower}",
		"Counts every row where gold counts different values: {size}.{higher}",
		"Counts different values where gold counts every row: {size}.{lower}",
	},
	"pairs_twice": {
		"Has each pair twice, in both orders: joins by {answer} where gold joins by {gold}; {values}.",
		"Has each pair twice, in both orders: joins by {answer} where gold joins by {gold}.",
	},
	"aggregate_differs": {
		"Aggregates by {answer} where gold has {gold}: {values}.",
		"Aggregates by {answer} where gold has {gold}.",
	},
	"ratio_differs":      {"Another ratio: {values}.", "Another ratio."},
	"approximate":        {"An approximate value of {columns} on one side, the exact one on the other."},
	"sum_for_parts":      {"Adds up what gold lists: {rows}."},
	"parts_for_sum":      {"Lists what gold adds up: {rows}."},
	"list_for_count":     {"Lists what gold counts: {rows}."},
	"count_for_list":     {"Counts what gold lists: {rows}."},
	"aggregate_for_list": {"Aggregates what gold lists: {rows}."},

	// Digits lost.
	"truncated":      {"{columns} lost {their} decimals (whole-number division)."},
	"precision_lost": {"The last digits of {columns} are wrong; all the rest is right."},
	"rounding_asked": {"Shows fewer decimals of {columns} than asked."},

	// Other value.
	"by_chance": {"Equal to gold by chance: a wrong query can also return these values."},
	"value_differs": {
		"Another number: {values}. That is {off}.",
		"Another value: {values}.",
	},
	"measures_differ": {"{size}.", "Other figures in {columns}; the other columns agree."},
	"cells_differ":    {"{size}."},
	"overlap":         {"{same of} agree; {differ}."},
	"overlap_high":    {"{same of} agree; {differ}."},
	"disjoint":        {"No value agrees with gold."},
	"unexplained":     {"Differs from gold for an unknown reason."},
	"negated":         {"{columns} {are} right but for the sign."},
	"complement":      {"{columns} {are} 1 (or 100 %) minus gold's share."},
	"multiplied": {
		"{size} by the same factor in every row.",
		"{columns} {are} multiplied by the same number in every row.",
	},
	"shifted":   {"{columns} {are} off by the same number in every row."},
	"unrounded": {"{columns} {are} equal to gold's only after rounding."},
}
