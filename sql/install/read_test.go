package install_test

import (
	"errors"
	"fmt"
	"strings"
)

// A reader of the few kinds of statements that are printed. It shares nothing with what writes
// them.

type token struct {
	kind byte   // 'w' word, 'i' quoted name, 's' text, 'd' dollar-quoted text, 'n' number, 'p' anything else
	text string // without quotes and escapes
}

// tokens reads a statement. Names and texts are unescaped as the warehouse does.
func tokens(sql, warehouse string) (out []token, err error) {
	backslash := map[string]bool{"snowflake": true, "bigquery": true, "databricks": true, "redshift": true, "databend": true}[warehouse]
	quote := byte('"')
	if warehouse == "bigquery" || warehouse == "databricks" || warehouse == "databend" {
		quote = '`'
	}
	for i := 0; i < len(sql); {
		c := sql[i]
		switch {
		case c <= ' ':
			i++
		case c == '\'' || c == quote:
			var b strings.Builder
			k := i + 1
			for ; ; k++ {
				if k >= len(sql) {
					return nil, errors.New("a quote is open")
				}
				escapes := backslash && c == '\'' || warehouse == "bigquery"
				if sql[k] == '\\' && escapes && k+1 < len(sql) {
					k++
					b.WriteByte(map[byte]byte{'n': '\n', 'r': '\r'}[sql[k]])
					if sql[k] != 'n' && sql[k] != 'r' {
						s := b.String()
						b.Reset()
						b.WriteString(s[:len(s)-1] + string(sql[k]))
					}
					continue
				}
				if sql[k] == c {
					doubled := k+1 < len(sql) && sql[k+1] == c && warehouse != "bigquery" && (c != '\'' || warehouse != "databricks")
					if !doubled {
						break
					}
					k++
				}
				b.WriteByte(sql[k])
			}
			kind := byte('s')
			if c == quote {
				kind = 'i'
			}
			out = append(out, token{kind, b.String()})
			i = k + 1
		case c == '$' && (strings.HasPrefix(sql[i:], "$$") || strings.HasPrefix(sql[i:], "$badger$")):
			tag := "$$"
			if sql[i+1] != '$' {
				tag = "$badger$"
			}
			end := strings.Index(sql[i+len(tag):], tag)
			if end < 0 {
				return nil, errors.New("a dollar quote is open")
			}
			out = append(out, token{'d', sql[i+len(tag) : i+len(tag)+end]})
			i += 2*len(tag) + end
		case c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			k := i
			for k < len(sql) && (sql[k] == '_' || sql[k] >= 'a' && sql[k] <= 'z' || sql[k] >= 'A' && sql[k] <= 'Z' || sql[k] >= '0' && sql[k] <= '9') {
				k++
			}
			out = append(out, token{'w', sql[i:k]})
			i = k
		case c >= '0' && c <= '9':
			k := i
			for k < len(sql) && sql[k] >= '0' && sql[k] <= '9' {
				k++
			}
			out = append(out, token{'n', sql[i:k]})
			i = k
		case c >= 0x80:
			return nil, fmt.Errorf("a letter beyond ASCII stands outside quotes at %.20q", sql[i:])
		case strings.HasPrefix(sql[i:], "--") || strings.HasPrefix(sql[i:], "/*"):
			return nil, errors.New("a comment inside a statement")
		default:
			out = append(out, token{'p', string(c)})
			i++
		}
	}
	return out, nil
}

// readFunction is a function as a statement declares it.
type readFunction struct {
	Name     []string
	Params   []readParam
	Returns  string
	NotNull  bool
	Comments []string // of the arguments
	Rest     []token
}

type readParam struct {
	Name     string // "" if arguments have none
	Type     string
	Optional bool
}

type reader struct {
	t []token
}

func (r *reader) peek() token {
	if len(r.t) == 0 {
		return token{}
	}
	return r.t[0]
}

func (r *reader) next() token {
	t := r.peek()
	if len(r.t) > 0 {
		r.t = r.t[1:]
	}
	return t
}

func (r *reader) word(words ...string) bool {
	for i, w := range words {
		if i >= len(r.t) || r.t[i].kind != 'w' && r.t[i].kind != 'p' || !strings.EqualFold(r.t[i].text, w) {
			return false
		}
	}
	r.t = r.t[len(words):]
	return true
}

// name reads identifiers joined by points.
func (r *reader) name() (parts []string, err error) {
	for {
		t := r.next()
		if t.kind != 'w' && t.kind != 'i' {
			return nil, fmt.Errorf("expected a name, got %q", t.text)
		}
		parts = append(parts, t.text)
		if !r.word(".") {
			return parts, nil
		}
	}
}

// dataType reads a type: words, and numbers in parentheses.
func (r *reader) dataType(stop ...string) string {
	var b strings.Builder
	for {
		t := r.peek()
		if t.kind == 'w' {
			for _, s := range stop {
				if strings.EqualFold(t.text, s) {
					return b.String()
				}
			}
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(r.next().text)
			continue
		}
		if t.text != "(" || t.kind != 'p' {
			return b.String()
		}
		for {
			t := r.next()
			b.WriteString(t.text)
			if t.text == ")" || t.kind == 0 {
				break
			}
		}
	}
}

// readCreate reads CREATE FUNCTION and CREATE MACRO; ok is false for other statements.
func readCreate(sql, warehouse string, named bool) (f readFunction, ok bool, err error) {
	t, err := tokens(sql, warehouse)
	if err != nil {
		return f, false, err
	}
	r := &reader{t}
	if !r.word("CREATE") {
		return f, false, nil
	}
	if !r.word("OR", "REPLACE") {
		return f, false, nil
	}
	r.word("SECURE")
	r.word("EXTERNAL")
	macro := r.word("MACRO")
	if !macro && !r.word("FUNCTION") {
		return f, false, nil
	}
	if f.Name, err = r.name(); err != nil {
		return f, true, err
	}
	if !r.word("(") {
		return f, true, errors.New("expected the arguments")
	}
	for !r.word(")") {
		var p readParam
		if named {
			n := r.next()
			if n.kind != 'w' && n.kind != 'i' {
				return f, true, fmt.Errorf("expected an argument, got %q", n.text)
			}
			p.Name = n.text
		}
		if !macro {
			p.Type = r.dataType("DEFAULT", "COMMENT", "NULL")
		}
		p.Optional = r.word("DEFAULT", "NULL") || r.word(":", "=", "NULL")
		r.word("NULL")
		if r.word("COMMENT") {
			f.Comments = append(f.Comments, r.next().text)
		}
		f.Params = append(f.Params, p)
		if !r.word(",") && r.peek().text != ")" {
			return f, true, fmt.Errorf("after argument %d stands %q", len(f.Params), r.peek().text)
		}
	}
	if macro {
		f.Rest = r.t
		return f, true, nil
	}
	if !r.word("RETURNS") {
		return f, true, fmt.Errorf("expected RETURNS, got %q", r.peek().text)
	}
	f.Returns = r.dataType("NOT", "NULL", "CALLED", "REMOTE", "LANGUAGE", "VOLATILE", "STABLE", "COMMENT", "RETURN")
	f.NotNull = r.word("NOT", "NULL")
	r.word("NULL")
	f.Rest = r.t
	return f, true, nil
}

// after finds what follows words in a statement: the option of a function.
func (f *readFunction) after(words ...string) token {
	r := &reader{f.Rest}
	for len(r.t) > 0 {
		if r.word(words...) {
			r.word("=")
			return r.peek()
		}
		r.next()
	}
	return token{}
}
