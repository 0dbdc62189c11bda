package sqlparts

import "strings"

// identOf returns the name that a token spells, without quotes and with escapes resolved.
func (p *parser) identOf(t *token) Ident {
	s := p.textOf(t)
	switch t.kind {
	case tokQuoted, tokDouble:
		quote := s[0]
		if quote == '[' {
			quote = ']'
		}
		s = s[1:]
		if n := len(s); n > 0 && s[n-1] == quote {
			s = s[:n-1]
		}
		if strings.IndexByte(s, quote) >= 0 {
			s = strings.ReplaceAll(s, string([]byte{quote, quote}), string(quote))
		}
		if p.dialect == BigQuery && strings.IndexByte(s, '\\') >= 0 {
			s = unescape(s)
		}
		return Ident{Text: s, Quoted: true}
	case tokString:
		return Ident{Text: p.stringOf(t), Quoted: true}
	}
	return Ident{Text: s}
}

// stringOf returns the value of a string token. If the string is not closed, the value extends to the end of the
// input.
func (p *parser) stringOf(t *token) string {
	s := p.textOf(t)
	if s[0] == '$' { // $tag$ … $tag$
		n := strings.IndexByte(s[1:], '$') + 2
		if len(s) >= 2*n && strings.HasSuffix(s, s[:n]) {
			return s[n : len(s)-n]
		}
		return s[min(n, len(s)):]
	}
	escapes, raw := p.syntax.backslash, false
	k := 0
	for k < len(s) && s[k] != '\'' && s[k] != '"' {
		switch s[k] | 0x20 {
		case 'e':
			escapes = true
		case 'r':
			raw = true
		}
		k++
	}
	if k >= len(s) {
		return s
	}
	quote := s[k]
	width := 1
	if p.syntax.triple && strings.HasPrefix(s[k:], triples[quote]) {
		width = 3
	}
	if width == 1 && quote == '\'' && p.syntax.continued {
		return continuedText(s, k, escapes)
	}
	body := s[k+width:]
	if n := len(body); n >= width && strings.Count(body[n-width:], string(quote)) == width {
		body = body[:n-width]
	}
	if raw {
		return body
	}
	return bodyText(body, quote, width == 1, escapes)
}

// continuedText returns the value of a string that may continue on later lines. Its first quote is at k.
func continuedText(s string, k int, escapes bool) string {
	text := ""
	for k >= 0 {
		end, closed := quoteEnd(s, k, '\'', escapes)
		body := s[k+1 : end]
		if closed {
			body = body[:len(body)-1]
		}
		text += bodyText(body, '\'', true, escapes)
		k = continuation(s, end)
	}
	return text
}

// bodyText returns the value of the text between two quotes.
func bodyText(body string, quote byte, doubled, escapes bool) string {
	if doubled && strings.IndexByte(body, quote) >= 0 {
		body = strings.ReplaceAll(body, string([]byte{quote, quote}), string(quote))
	}
	if escapes && strings.IndexByte(body, '\\') >= 0 {
		body = unescape(body)
	}
	return body
}

// unescape resolves the backslash escapes that all dialects share. Others are kept as written.
func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch c := s[i]; c {
		case '\\', '\'', '"', '`':
			b.WriteByte(c)
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case 'r':
			b.WriteByte('\r')
		case 'b':
			b.WriteByte('\b')
		case '0':
			b.WriteByte(0)
		default:
			b.WriteByte('\\')
			b.WriteByte(c)
		}
	}
	return b.String()
}
