package sqlparts

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode"
)

// Unwrap finds the SQL in an agent's reply: in a Markdown fence, in backticks, as a member of a JSON object, after
// reasoning in <think> tags or after words such as "Here is the SQL:". It returns the SQL and the wrappings around
// it, outermost first. It returns the text unchanged if it is plain SQL or no SQL is found.
//
// Only prose is left out: if there is SQL outside of the part that would be returned, Unwrap returns the text
// unchanged, so that no statement is lost.
func Unwrap(text string, d Dialect) (sql string, around []string) {
	if unwrapped(text) || isSQL(text, d) {
		return text, nil
	}
	sql = strings.TrimSpace(strings.TrimPrefix(text, "\ufeff"))
	for range maxWrappings {
		inner, what := unwrapOnce(sql, d)
		if what == "" {
			break
		}
		sql, around = strings.TrimSpace(inner), append(around, what)
		if isSQL(sql, d) {
			return sql, around
		}
	}
	// Part of the remaining text may not parse; it is SQL all the same if it starts like a statement.
	if len(around) > 0 && beginsAsSQL(sql, d) {
		return sql, around
	}
	return text, nil
}

const maxWrappings = 6

// unwrapped is a cheap check that reports whether text certainly has no wrapping: it has no fence and no closing tag,
// and either starts like a query or has no other sign of a wrapping.
func unwrapped(text string) bool {
	if strings.Contains(text, "```") || strings.Contains(text, "~~~") || strings.Contains(text, "</") {
		return false
	}
	if !strings.ContainsAny(text, "`{<:\"") && !hasLabel(text) {
		return true
	}
	text = strings.TrimLeft(text, " \t\r\n(")
	for _, word := range []string{"select", "with", "from", "values"} {
		if len(text) > len(word) && strings.EqualFold(text[:len(word)], word) && !isWordByte(text[len(word)]) {
			return true
		}
	}
	return text == ""
}

func isWordByte(c byte) bool { return isLetter(c) || isDigit(c) || c == '_' || c >= 0x80 }

// isSQL reports whether text consists of statements of known kinds that were parsed completely. A statement that
// only changes the session, such as USE or SHOW, is parsed by its first words only, so one over several lines is
// considered prose.
func isSQL(text string, d Dialect) bool {
	s := Parse(text, d)
	return len(s.Statements) > 0 && len(s.Notes) == 0 && !slices.ContainsFunc(s.Statements, func(st *Statement) bool {
		return st.Kind == KindOther ||
			st.Query == nil && st.Effects.ReadOnly() && strings.Contains(s.SQL[st.Start:st.End], "\n")
	})
}

// beginsAsSQL reports whether the first statement in text is of a known kind.
func beginsAsSQL(text string, d Dialect) bool {
	s := Parse(text, d)
	return len(s.Statements) > 0 && s.Statements[0].Kind != KindOther
}

// holdsSQL reports whether words, which should be prose, contain a statement that parses and that reads a table or
// changes anything: the whole text, or one line.
func holdsSQL(words string, d Dialect) bool {
	for part := range strings.SplitSeq(words+"\n", "\n") {
		if runs(part, d) {
			return true
		}
	}
	return runs(words, d)
}

func runs(words string, d Dialect) bool {
	s := Parse(words, d)
	var carried stretches
	for _, n := range s.Notes {
		carried = append(carried, n.Span)
	}
	carried = carried.merged()
	return slices.ContainsFunc(s.Statements, func(st *Statement) bool {
		if i := slices.IndexFunc(carried, func(c Span) bool { return c.Start >= st.Start && c.Start < st.End }); i >= 0 ||
			st.Kind == KindOther {
			return false
		}
		return st.Effects&^(Session|Unknown) != 0 || st.Effects&Unknown != 0 && st.Kind != KindOther
	})
}

// unwrapOnce removes the outermost wrapping; what is empty if there is none.
func unwrapOnce(text string, d Dialect) (inner, what string) {
	for _, off := range []func(string, Dialect) (string, string){withoutThinking, withoutTag, outOfJSON, outOfFence,
		outOfQuotes, withoutWords} {
		if inner, what = off(text, d); what != "" {
			return inner, what
		}
	}
	return "", ""
}

// withoutThinking removes everything up to the last </think> or similar closing tag, even if the opening tag is
// missing.
func withoutThinking(text string, _ Dialect) (string, string) {
	for _, tag := range []string{"think", "thinking", "reasoning", "thought", "scratchpad"} {
		lower := asciiLower(text)
		end := strings.LastIndex(lower, "</"+tag+">")
		if end < 0 {
			continue
		}
		return text[end+len(tag)+3:], "<" + tag + ">"
	}
	return "", ""
}

// asciiLower returns s with ASCII letters in lower case. Unlike strings.ToLower, it keeps the length.
func asciiLower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c | 0x20
		}
	}
	return string(b)
}

// withoutTag removes <sql>…</sql> and similar tags around the whole text.
func withoutTag(text string, _ Dialect) (string, string) {
	lower := asciiLower(text)
	for _, tag := range []string{"sql", "query", "sql_query", "answer", "final_answer", "final"} {
		if strings.HasPrefix(lower, "<"+tag+">") && strings.HasSuffix(lower, "</"+tag+">") {
			return text[len(tag)+2 : len(text)-len(tag)-3], "<" + tag + ">"
		}
	}
	return "", ""
}

// sqlMembers are the names, in lower case, of members of a JSON object that contain a query.
var sqlMembers = nameSet(`sql query sql_query sqlquery final_sql final_query generated_sql sql_code statement`)

// outOfJSON returns the content of a JSON string, or the query in a JSON object. It removes nothing from an object with
// several queries.
func outOfJSON(text string, _ Dialect) (string, string) {
	var s string
	if strings.HasPrefix(text, `"`) && json.Unmarshal([]byte(text), &s) == nil {
		return s, "a JSON string"
	}
	if !strings.HasPrefix(text, "{") {
		return "", ""
	}
	var members map[string]json.RawMessage
	dec := json.NewDecoder(bytes.NewReader([]byte(text)))
	if dec.Decode(&members) != nil || dec.More() {
		return "", ""
	}
	found, name := "", ""
	for m, raw := range members {
		if !sqlMembers[asciiLower(m)] || json.Unmarshal(raw, &s) != nil {
			continue
		}
		if name != "" {
			return "", ""
		}
		found, name = s, m
	}
	if name == "" {
		return "", ""
	}
	return found, "JSON (" + name + ")"
}

// block is a fenced block of Markdown.
type block struct {
	info, text string
	start, end int // of the block with its fences
}

// outOfFence returns the SQL in a Markdown fence. If several blocks are labeled as or parse as SQL, they must have the
// same text. There may be prose around the fence, but no SQL.
func outOfFence(text string, d Dialect) (string, string) {
	blocks := fences(text)
	var taken []block
	for _, b := range blocks {
		if namesSQL(b.info) &&
			(b.info != "" && b.info != "json" || isSQL(strings.TrimSpace(b.text), d) ||
				strings.HasPrefix(strings.TrimSpace(b.text), "{")) {
			taken = append(taken, b)
		}
	}
	if len(taken) == 0 {
		return "", ""
	}
	for _, b := range taken[1:] {
		if strings.TrimSpace(b.text) != strings.TrimSpace(taken[0].text) {
			return "", ""
		}
	}
	words, at := "", 0
	for _, b := range blocks {
		words, at = words+text[at:b.start]+"\n\n", b.end
	}
	if words += text[at:]; holdsSQL(words, d) {
		return "", ""
	}
	what := "a Markdown fence"
	if strings.TrimSpace(words) != "" {
		what += " with words around it"
	}
	return taken[0].text, what
}

// namesSQL reports whether the word after a fence may label a query: it is empty, json, sql or the name of a dialect.
func namesSQL(info string) bool {
	if info == "" || info == "json" {
		return true
	}
	return info == "sql" || info == "query" || info == "psql" || NamesDialect(info)
}

// fences returns the fenced blocks of Markdown, between lines of three or more backticks or tildes, or on one line. A
// block that is not closed extends to the end.
func fences(text string) (blocks []block) {
	open, mark, info, from := -1, "", "", 0
	for at := 0; at < len(text); {
		end := strings.IndexByte(text[at:], '\n')
		next := len(text)
		if end >= 0 {
			next = at + end + 1
		}
		line := strings.TrimSpace(text[at:next])
		fence := leading(line, '`')
		if fence == "" {
			fence = leading(line, '~')
		}
		rest := strings.TrimSpace(strings.TrimPrefix(line, fence))
		switch {
		case len(fence) < 3:
		case open < 0 && strings.HasSuffix(rest, fence): // on one line
			inner := strings.TrimSpace(strings.TrimSuffix(rest, fence))
			word, query, _ := strings.Cut(inner, " ")
			if word = asciiLower(word); word == "" || !namesSQL(word) {
				word, query = "", inner
			}
			if inner != "" {
				blocks = append(blocks, block{word, query, at, next})
			} else {
				open, mark, info, from = at, fence, "", next
			}
		case open < 0:
			word, query, _ := strings.Cut(rest, " ")
			open, mark, info, from = at, fence, asciiLower(word), next
			// the query starts on the line of the fence
			if query != "" && namesSQL(info) || !namesSQL(info) && rest != "" && strings.Contains(rest, " ") {
				from = at + strings.Index(text[at:next], rest)
				if namesSQL(info) {
					from += len(word)
				} else {
					info = ""
				}
			}
		case strings.HasPrefix(line, mark) && rest == "":
			blocks = append(blocks, block{info, text[from:at], open, next})
			open = -1
		}
		// closed at the end of a line of the query
		if open >= 0 && at >= from && strings.HasSuffix(line, mark) && len(line) > len(mark) && fence == "" {
			blocks = append(blocks, block{info, text[from : at+strings.LastIndex(text[at:next], mark)], open, next})
			open = -1
		}
		at = next
	}
	if open >= 0 {
		blocks = append(blocks, block{info, text[from:], open, len(text)})
	}
	return blocks
}

// leading returns the repetitions of sign at the start of a line.
func leading(line string, sign byte) string {
	n := 0
	for n < len(line) && line[n] == sign {
		n++
	}
	return line[:n]
}

// outOfQuotes removes one pair of backticks around the whole text, if the text inside is SQL.
func outOfQuotes(text string, d Dialect) (string, string) {
	if len(text) < 3 || text[0] != '`' || text[len(text)-1] != '`' || text[1] == '`' {
		return "", ""
	}
	if inner := strings.TrimSpace(text[1 : len(text)-1]); isSQL(inner, d) {
		return inner, "backticks"
	}
	return "", ""
}

// hasLabel reports whether the first of several lines is only a label such as SQL or the name of a dialect.
func hasLabel(text string) bool {
	first, _, more := strings.Cut(strings.TrimSpace(text), "\n")
	return more && namesSQL(asciiLower(strings.TrimSpace(first))) && strings.TrimSpace(first) != ""
}

// maxLeads is the maximum number of colons before a query that are examined.
const maxLeads = 8

// withoutWords removes prose before a query that ends in a colon, or a first line that is a label such as SQL.
func withoutWords(text string, d Dialect) (string, string) {
	if hasLabel(text) {
		_, rest, _ := strings.Cut(text, "\n")
		return rest, "a label"
	}
	at := 0
	for range maxLeads {
		colon := strings.IndexByte(text[at:], ':')
		if colon < 0 {
			return "", ""
		}
		at += colon + 1
		before := text[:at-1]
		if strings.ContainsAny(before, ";`") || at < len(text) && !unicode.IsSpace(rune(text[at])) {
			continue
		}
		if rest := strings.TrimSpace(text[at:]); isSQL(rest, d) && !holdsSQL(before, d) {
			return rest, "words before it"
		}
	}
	return "", ""
}
