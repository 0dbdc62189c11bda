package resultfile

import (
	"bytes"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/jsonscan"
	"github.com/badger-eval/badger/internal/lazyregexp"
)

// noResult returns the error for input that is not a result, although it can be read as a string column: a page, a
// message, a sentence, or a drawn table.
func noResult(what string) error {
	return errcode.New(errcode.InvalidArgument, "%s; expected CSV, JSON, Parquet or Arrow with the rows of a result", what)
}

var (
	// markup matches the beginning of an HTML or XML document.
	markup = lazyregexp.New(`(?i)^<(!doctype|!--|\?xml|/?[a-z][a-z0-9:-]*(\s[^<>]*)?/?>)`)

	// failure matches the beginning of an error message of a database, a driver or a program: a word such as error and
	// a colon, or an engine's error code. A column header such as error has neither.
	failure = lazyregexp.New(`^(?i:(?:\w+[ .])*(?:fatal|panic|failed|failure|fault|exception|\w*error|\w*exception)(?: \d+| \([^)]*\))*\s*(?:\[[^\]]*\]\s*)*:\s*\S)` +
		`|^(?:\w+\.)+(?i:errors?|exceptions?)\.\w+:\s` +
		`|^(?i:traceback \(most recent call last\)|sql compilation error|sql execution error|access denied for|permission denied|query failed|statement failed|execution failed|request failed|uncaught )` +
		`|^(?:ORA|PLS|TNS|SQL|DB2|PG|MYSQL)-?\d{3,5}[A-Z]?\b:?\s` + `|^Msg \d+, Level \d+` + `|^SQLSTATE\b` +
		`|^\[(?:Error|ERROR|[0-9A-Z]{5})\]` + `|^\d{6} \([0-9A-Z]{5}\)` +
		`|^\[[A-Z][A-Z0-9_.]{5,}\] ` + `|^Code: \d+\. DB::`)

	// opening matches the beginning of a reply in prose, which precedes or replaces a result.
	opening = lazyregexp.New(`(?i)^(?:i['’]m |i am |i cannot |i can['’]t |i could |i couldn['’]t |i don['’]t |i do not |i was |i have |i['’]ve |i need |sorry\b|my apologies|apologies\b|unfortunately\b|as an ai\b|here(?:['’]s| is| are) |there (?:is|are|were|was) no |this query |the query |the table |the database |the result|the answer |based on |please |could you |can you |let me |to answer |it (?:looks|seems|appears) )`)

	// emptied matches messages that database clients print for a result without rows.
	emptied = lazyregexp.New(`(?i)^(?:\(?(?:0|no) (?:rows?|results?|records?|data)(?: (?:returned|selected|found|affected|in set|available))*\)?\.?|empty set\b.*|query (?:ok|returned)\b.*|(?:no|empty) (?:result(?: set)?|output|response)s?\.?)$`)

	rule = lazyregexp.New(`^[\s|+:;,=─━═│┃║┼╪╫╬├┤┝┥┠┨╞╡╟╢╠╣-]*[-=─━═]{2,}[\s|+:;,=─━═│┃║┼╪╫╬├┤┝┥┠┨╞╡╟╢╠╣-]*$`)
	box  = lazyregexp.New(`^(?:\+[-=+]+\+?|[─━═┌┏╔╭┬].*)$`)
)

// IsPointer reports whether a file with this beginning is a pointer of Git LFS, in place of a file that is elsewhere.
func IsPointer(head []byte) bool {
	return bytes.HasPrefix(head, []byte("version https://git-lfs.github.com/"))
}

// Pointer says what a pointer of Git LFS is, and what to do.
const Pointer = "a pointer of Git LFS; run git lfs pull"

// words returns the number of words of a line.
func words(line string) int { return len(strings.Fields(line)) }

// checkText returns an error if the input is not a query result but a document, an error message, a sentence or a drawn
// table. head is its beginning.
func checkText(head string) error {
	lines := strings.FieldsFunc(head, func(r rune) bool { return r == '\n' || r == '\r' })
	lines = slices.DeleteFunc(lines, func(l string) bool { return strings.TrimSpace(l) == "" })
	if len(lines) == 0 {
		return nil
	}
	first := strings.TrimSpace(lines[0])
	switch {
	case markup.MatchString(first):
		return noResult("a page or document in HTML or XML")
	case strings.HasPrefix(first, "```"):
		return noResult("text in Markdown, fenced with ```; take the fences away")
	case box.MatchString(first), len(lines) > 1 && rule.MatchString(lines[1]) && words(first) > 0:
		return noResult("a table that is drawn with lines, as Markdown and the clients of databases print it: write it as CSV, without the lines")
	case failure.MatchString(first):
		return noResult("an error message")
	case emptied.MatchString(first) && len(lines) == 1:
		return noResult("the words of a client for a result without rows: write the header of the columns alone")
	case opening.MatchString(first) && words(first) > 3:
		return noResult("a sentence")
	case sentence(first) && !columns(lines):
		return noResult("a sentence")
	}
	return nil
}

// sentence reports whether a line has more than three words and ends like a sentence, and does not start with a quote.
func sentence(line string) bool {
	end := line[len(line)-1]
	return words(line) > 3 && (end == '.' || end == '!' || end == ':' || strings.HasSuffix(line, "…")) &&
		!strings.HasPrefix(line, `"`)
}

// columns reports whether the first of lines may be a header, even if it looks like a sentence: the second line has as
// many delimiters of some kind as the first, at least one, or is a single word.
func columns(lines []string) bool {
	if len(lines) < 2 {
		return false
	}
	for _, d := range delimiters {
		if n := strings.Count(lines[0], string(d)); n > 0 && strings.Count(lines[1], string(d)) == n {
			return true
		}
	}
	return words(lines[1]) == 1
}

// answers lists the responses of warehouses' APIs by the members of their JSON objects.
var answers = []struct {
	members []string
	of      string
}{
	{[]string{"jobReference"},
		"BigQuery's REST interface (jobs.query, jobs.getQueryResults), where a row is {\"f\": [{\"v\": …}]}"},
	{[]string{"schema", "rows"},
		"BigQuery's REST interface (jobs.query, jobs.getQueryResults), where a row is {\"f\": [{\"v\": …}]}"},
	{[]string{"schema", "totalRows"},
		"BigQuery's REST interface (jobs.query, jobs.getQueryResults), where a row is {\"f\": [{\"v\": …}]}"},
	{[]string{"resultSetMetaData"}, "Snowflake's SQL interface, where the columns are in resultSetMetaData"},
	{[]string{"rowtype", "rowset"}, "Snowflake's driver, where the columns are in rowtype"},
	{[]string{"statement_id", "status"}, "Databricks' statement execution interface, where the columns are in manifest"},
	{[]string{"manifest", "result"}, "Databricks' statement execution interface, where the columns are in manifest"},
	{[]string{"ResultSet"}, "Athena (GetQueryResults), where a row is {\"Data\": [{\"VarCharValue\": …}]}"},
	{[]string{"ColumnMetadata", "Records"},
		"Redshift's Data API (GetStatementResult), where a cell is {\"stringValue\": …}"},
	{[]string{"nextUri"}, "Trino's interface, where the rows are in several pages"},
	{[]string{"infoUri", "stats"}, "Trino's interface, where the rows are in data"},
	{[]string{"meta", "data"}, "ClickHouse (FORMAT JSON), where the columns are in meta; FORMAT JSONEachRow writes rows"},
	{[]string{"data", "schema", "stats"}, "Databend's HTTP interface, where the columns are in schema"},
}

// messages are the names that all members of an error message in JSON have. An object with only such members may still
// be a row.
var messages = strings.Fields("error errors exception message msg code status status_code statuscode detail details description reason type title errno sqlstate sql_state errorcode error_code errortype error_type errormessage error_message " +
	"traceback stack query sql name hint position line requestid request_id statementhandle statement_id success ok timestamp path instance __type")

// checkObject rejects a single object that is the response of a warehouse or an error message and not a row of a
// result.
func checkObject(data []byte) error {
	keys := membersOf(data)
	if len(keys) == 0 {
		return nil
	}
	for _, a := range answers {
		if !slices.ContainsFunc(a.members, func(m string) bool { return !slices.Contains(keys, m) }) {
			return errcode.New(errcode.InvalidArgument,
				`this is the answer of %s and not a result; expected {"columns":…,"rows":…} or a list of rows, [{"a": 1, …}, …]`, a.of)
		}
	}
	says := false
	for _, k := range keys {
		k = strings.ToLower(k)
		if !slices.Contains(messages, k) {
			return nil
		}
		says = says || strings.HasPrefix(k, "err") || k == "exception" || k == "traceback"
	}
	if says || slices.Contains(keys, "message") && len(keys) > 1 {
		return noResult("an error message in JSON")
	}
	return nil
}

// membersOf returns the names of the members of data if it is a single JSON object; otherwise nil.
func membersOf(data []byte) (keys []string) {
	var s jsonscan.Scanner
	s.Reset(data)
	if s.Peek() != '{' || s.Object() != nil {
		return nil
	}
	for first := true; ; first = false {
		key, more, err := s.Key(first)
		if err != nil {
			return nil
		}
		if !more {
			if s.End() != nil {
				return nil
			}
			return keys
		}
		keys = append(keys, string(key))
		if _, err := s.Skip(); err != nil {
			return nil
		}
	}
}
