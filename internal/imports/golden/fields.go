package golden

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/imports"
	"github.com/badger-eval/badger/internal/jsonscan"
	"github.com/badger-eval/badger/scoring"
)

// field says which key of a case a member of a record becomes.
type field struct {
	name string   // of the member, or a path of names that points separate; it is the name that is written
	also []string // its other names
	to   string   // key of a case, one of targets
	need bool     // a record without it is not a case

	read  func(c *Case, raw json.RawMessage) error // nil: that of the key
	write func(c *Case) json.RawMessage            // nil: that of the key
}

// target reads and writes a key of a case. A value is a text unless raw reads it.
type target struct {
	text  func(c *Case) *string
	read  func(c *Case, raw json.RawMessage) error
	write func(c *Case) json.RawMessage
}

// targets are the keys of a case that fields name.
var targets = map[string]target{
	"case_id":        {text: func(c *Case) *string { return &c.ID }, read: readID, write: writeID},
	"question":       {text: func(c *Case) *string { return &c.Question }},
	"evidence":       {text: func(c *Case) *string { return &c.Evidence }},
	"schema_ddl":     {text: func(c *Case) *string { return &c.Schema }},
	"database":       {text: func(c *Case) *string { return &c.Database }},
	"dataset":        {text: func(c *Case) *string { return &c.Dataset }},
	"dialect":        {text: func(c *Case) *string { return &c.Dialect }},
	"human.label":    {text: func(c *Case) *string { return &c.Label }, read: readLabel},
	"human.note":     {text: func(c *Case) *string { return &c.Note }},
	"tags":           {read: readTags, write: writeTags},
	"gold.sql":       {read: readGoldSQL, write: writeGoldSQL},
	"gold.result":    {read: readGoldResult, write: writeGoldResult},
	"gold":           {read: readGold, write: writeGoldSQL},
	"agent.sql":      {text: func(c *Case) *string { return &c.Answer.SQL }},
	"agent.response": {text: func(c *Case) *string { return &c.Answer.Response }},
	"agent.error":    {text: func(c *Case) *string { return &c.Answer.Error }},
	"agent.result":   {read: readAgentResult, write: func(c *Case) json.RawMessage { return c.Answer.Result }},
	"agent":          {read: readAnswer, write: writeAnswer},
	"expected.tools": {read: readTools, write: func(c *Case) json.RawMessage { return c.Tools }},
}

// words describe the keys that a record may need.
var words = map[string]string{"case_id": "an ID", "question": "a question", "database": "the name of a database",
	"gold.sql": "a query"}

// kindOf names the type of a JSON value in messages.
func kindOf(raw json.RawMessage) string {
	switch {
	case len(raw) == 0:
		return "nothing"
	case raw[0] == '"':
		return "text"
	case raw[0] == '{':
		return "an object"
	case raw[0] == '[':
		return "a list"
	case raw[0] == 't' || raw[0] == 'f':
		return "true or false"
	case raw[0] == 'n':
		return "null"
	}
	return "a number"
}

func expected(what string, raw json.RawMessage) error {
	return errcode.New(errcode.InvalidArgument, "expected %s, found %s", what, kindOf(raw))
}

// textIn returns the value of a JSON string.
func textIn(raw json.RawMessage) (string, error) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", expected("text", raw)
	}
	return string(jsonscan.Unquote(raw)), nil
}

// textsIn returns a text, or the texts of a list.
func textsIn(raw json.RawMessage) (texts []string, err error) {
	if len(raw) > 0 && raw[0] == '[' {
		for _, one := range jsonscan.ParseList(raw) {
			text, err := textIn(one)
			if err != nil {
				return nil, expected("a list of texts", one)
			}
			texts = append(texts, text)
		}
		return texts, nil
	}
	text, err := textIn(raw)
	if err != nil {
		return nil, expected("text or a list of texts", raw)
	}
	return []string{text}, nil
}

// readID reads a text or a number.
func readID(c *Case, raw json.RawMessage) (err error) {
	if raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9' {
		c.ID = string(raw)
		return nil
	}
	if c.ID, err = textIn(raw); err != nil {
		return expected("text or a number", raw)
	}
	if c.ID = strings.TrimSpace(c.ID); strings.IndexByte(c.ID, 0) >= 0 {
		return errcode.New(errcode.InvalidArgument, "contains a NUL byte, which not every warehouse can store")
	}
	return nil
}

func writeID(c *Case) json.RawMessage { return textOrNil(c.ID) }

func textOrNil(text string) json.RawMessage {
	if text == "" {
		return nil
	}
	return quoted(text)
}

// numberOrText returns a whole number as a number, and other texts as text.
func numberOrText(text string) json.RawMessage {
	if n := len(text); n > 0 && n < 16 && strings.Trim(text, "0123456789") == "" && (text[0] != '0' || n == 1) {
		return json.RawMessage(text)
	}
	return textOrNil(text)
}

func readLabel(c *Case, raw json.RawMessage) error {
	text := string(raw)
	if raw[0] == '"' {
		text = string(jsonscan.Unquote(raw))
	}
	passes, said := scoring.ReadLabel(text)
	switch {
	case said && passes:
		c.Label = "pass"
	case said:
		c.Label = "fail"
	case !strings.EqualFold(strings.TrimSpace(text), "unsure"):
		return errcode.New(errcode.InvalidArgument, "expected true, false, 1, 0, pass, fail or unsure")
	}
	return nil
}

// readTags reads a list of texts, its JSON as text, or texts with commas in between.
func readTags(c *Case, raw json.RawMessage) error {
	if raw[0] == '"' {
		text := strings.TrimSpace(string(jsonscan.Unquote(raw)))
		if tags, err := scoring.ParseTags(text); err == nil {
			c.Tags = append(c.Tags, tags...)
			return nil
		}
		for tag := range strings.SplitSeq(text, ",") {
			if tag = strings.TrimSpace(tag); tag != "" {
				c.Tags = append(c.Tags, tag)
			}
		}
		return nil
	}
	tags, err := textsIn(raw)
	c.Tags = append(c.Tags, tags...)
	return err
}

func writeTags(c *Case) json.RawMessage {
	if len(c.Tags) == 0 {
		return nil
	}
	return textList(c.Tags)
}

// readTag reads a tag.
func readTag(c *Case, raw json.RawMessage) error {
	tag, err := textIn(raw)
	if err == nil && tag != "" {
		c.Tags = append(c.Tags, tag)
	}
	return err
}

// readGoldSQL reads a query, or a list of accepted ones.
func readGoldSQL(c *Case, raw json.RawMessage) error {
	queries, err := textsIn(raw)
	for _, sql := range queries {
		if strings.TrimSpace(sql) != "" {
			c.addGolds(sql)
		}
	}
	return err
}

// writeGoldSQL writes the query, or the list of accepted ones.
func writeGoldSQL(c *Case) json.RawMessage {
	queries := c.queries()
	switch len(queries) {
	case 0:
		return nil
	case 1:
		return quoted(queries[0])
	}
	return textList(queries)
}

// queries returns the accepted queries.
func (c *Case) queries() (all []string) {
	for _, g := range c.Golds {
		if g.SQL != "" {
			all = append(all, g.SQL)
		}
	}
	return all
}

func readGoldResult(c *Case, raw json.RawMessage) error {
	c.gold().Result = bytes.Clone(raw)
	return nil
}

func writeGoldResult(c *Case) json.RawMessage {
	if len(c.Golds) == 0 {
		return nil
	}
	return c.Golds[0].Result
}

// readGold reads a query, or one value as a result of one row and column. Any other text stays in meta.
func readGold(c *Case, raw json.RawMessage) error {
	text := string(raw)
	if raw[0] == '"' {
		text = string(jsonscan.Unquote(raw))
	}
	switch {
	case imports.StartsSQL(text):
		c.addGolds(text)
	case raw[0] != '{' && raw[0] != '[' && isOneValue(text):
		c.addGolds("")
		c.Golds[len(c.Golds)-1].Result = oneValue(text)
	default:
		return errKept
	}
	return nil
}

// errKept says that a value is kept in meta, because the key cannot hold it.
var errKept = errcode.New(errcode.InvalidArgument, "kept in meta")

// isOneValue reports whether a text is a number as people write it, such as $1,234.50 or 12 %.
func isOneValue(text string) bool {
	text = strings.TrimSpace(text)
	figures := strings.Trim(text, "$€£¥% +-")
	return figures != "" && len(text) < 64 && strings.Trim(figures, "0123456789.,'") == "" &&
		strings.ContainsAny(figures, "0123456789")
}

// oneValue returns a result of one row and one column.
func oneValue(text string) json.RawMessage {
	return append(append([]byte(`{"columns":["value"],"rows":[[`), quoted(strings.TrimSpace(text))...), `]]}`...)
}

func readAgentResult(c *Case, raw json.RawMessage) error {
	c.Answer.Result = bytes.Clone(raw)
	return nil
}

// readAnswer reads a query or, if the text does not begin as one, an answer in prose.
func readAnswer(c *Case, raw json.RawMessage) error {
	text := string(raw)
	if raw[0] == '"' {
		text = string(jsonscan.Unquote(raw))
	}
	if imports.StartsSQL(text) {
		c.Answer.SQL = text
		return nil
	}
	c.Answer.Response = text
	return nil
}

func writeAnswer(c *Case) json.RawMessage {
	if c.Answer.SQL != "" {
		return quoted(c.Answer.SQL)
	}
	return textOrNil(c.Answer.Response)
}

// readTools reads a list of calls.
func readTools(c *Case, raw json.RawMessage) error {
	if raw[0] != '[' {
		return expected("a list of calls", raw)
	}
	c.Tools = bytes.Clone(raw)
	return nil
}

// plain returns the name of a member for comparison: in lower case, with underscores for blanks and hyphens.
func plain(name string) string { return signs.Replace(strings.ToLower(strings.TrimSpace(name))) }

var signs = strings.NewReplacer(" ", "_", "-", "_")

// lookUp returns the value of a member by its name, and the names of the objects that it is in and its own. Without
// such a member, the points of the name separate a path. An object may be in a string.
func lookUp(o jsonscan.Object, name string) (value json.RawMessage, path []string) {
	for _, m := range o {
		if plain(string(m.Name)) == plain(name) {
			return m.Value, []string{string(m.Name)}
		}
	}
	for i := range len(name) {
		if name[i] != '.' {
			continue
		}
		in, at := lookUp(o, name[:i])
		if inner := objectIn(in); inner != nil {
			if value, rest := lookUp(inner, name[i+1:]); value != nil {
				return value, append(at, rest...)
			}
		}
	}
	return nil, nil
}

// objectIn parses an object, or a string that contains one.
func objectIn(raw json.RawMessage) jsonscan.Object {
	if len(raw) > 0 && raw[0] == '"' {
		if raw = bytes.TrimSpace(jsonscan.Unquote(raw)); len(raw) == 0 || raw[0] != '{' || !json.Valid(raw) {
			return nil
		}
	}
	if len(raw) == 0 || raw[0] != '{' {
		return nil
	}
	return jsonscan.ParseObject(raw)
}

// blank reports whether a value is null or blank text.
func blank(raw json.RawMessage) bool {
	return len(raw) == 0 || string(raw) == "null" || raw[0] == '"' && len(bytes.TrimSpace(jsonscan.Unquote(raw))) == 0
}

// convert reads the fields of a record into a case. Members that no field reads go to meta.
func convert(fields []field, o jsonscan.Object) (*Case, error) {
	c := &Case{}
	var used [][]string
	for _, f := range fields {
		var value json.RawMessage
		var path []string
		for _, name := range append([]string{f.name}, f.also...) {
			v, at := lookUp(o, name)
			if v == nil || slices.ContainsFunc(used, func(u []string) bool { return slices.Equal(u, at) }) {
				continue
			}
			if value, path = v, at; !blank(v) {
				break
			}
		}
		if blank(value) {
			if f.need && writer(f.to)(c) == nil {
				return nil, errcode.New(errcode.InvalidArgument, "%s is missing: expected %s%s", f.name, words[f.to],
					insteadOf(f.to, fields, without(o, used)))
			}
			if value != nil {
				used = append(used, path)
			}
			continue
		}
		read := f.read
		if read == nil {
			read = reader(f.to)
		}
		err := read(c, value)
		if err == errKept { //nolint:errorlint // a signal of this package
			continue
		}
		if err != nil {
			return nil, errcode.New(errcode.InvalidArgument, "%s: %w", strings.Join(path, "."), err)
		}
		used = append(used, path)
	}
	c.Meta = without(o, used)
	if a := &c.Answer; a.SQL == "" && a.Result == nil && a.Error == "" && isOneValue(a.Response) {
		a.Result = oneValue(a.Response) // as an expected answer, so that they can be compared
	}
	c.Answered = !c.Answer.empty()
	if !c.hasGold() {
		c.alike = maybeGold(fields, c.Meta, "", 0)
	}
	return c, nil
}

// reader returns the function that reads a key of a case.
func reader(to string) func(*Case, json.RawMessage) error {
	t := targets[to]
	if t.read != nil {
		return t.read
	}
	return func(c *Case, raw json.RawMessage) (err error) {
		*t.text(c), err = textIn(raw)
		return err
	}
}

// writer returns the function that writes a key of a case.
func writer(to string) func(*Case) json.RawMessage {
	t := targets[to]
	if t.write != nil {
		return t.write
	}
	return func(c *Case) json.RawMessage { return textOrNil(*t.text(c)) }
}

// without returns the members of o that are not at one of the paths.
func without(o jsonscan.Object, paths [][]string) (rest jsonscan.Object) {
	for _, m := range o {
		var inner [][]string
		whole := false
		for _, path := range paths {
			if path[0] == string(m.Name) {
				whole = whole || len(path) == 1
				inner = append(inner, path[1:])
			}
		}
		switch {
		case whole:
		case inner == nil:
			rest = append(rest, jsonscan.Member{Name: bytes.Clone(m.Name), Value: bytes.Clone(m.Value)})
		default:
			if text := objectText(without(objectIn(m.Value), inner)); text != nil {
				rest = append(rest, jsonscan.Member{Name: bytes.Clone(m.Name), Value: text})
			}
		}
	}
	return rest
}

// record returns a case as a record with these fields, and what meta has.
func record(fields []field, c *Case) jsonscan.Object {
	var o jsonscan.Object
	for _, f := range fields {
		write := f.write
		if write == nil {
			write = writer(f.to)
		}
		if value := write(c); value != nil {
			o = placed(o, strings.Split(f.name, "."), value)
		}
	}
	return merged(o, c.Meta)
}

// placed returns o with a value at a path.
func placed(o jsonscan.Object, path []string, value json.RawMessage) jsonscan.Object {
	if len(path) > 1 {
		var inner jsonscan.Object
		if have := o.Get(path[0]); have != nil {
			inner = jsonscan.ParseObject(have)
		}
		value = objectText(placed(inner, path[1:], value))
	}
	for i := range o {
		if string(o[i].Name) == path[0] {
			o[i].Value = value
			return o
		}
	}
	return append(o, jsonscan.Member{Name: []byte(path[0]), Value: value})
}

// merged returns o with the members of more that it lacks, also in its objects.
func merged(o, more jsonscan.Object) jsonscan.Object {
	for _, m := range more {
		have := o.Get(string(m.Name))
		if have == nil {
			o = append(o, m)
			continue
		}
		if a, b := jsonscan.ParseObject(have), jsonscan.ParseObject(m.Value); a != nil && b != nil {
			o = placed(o, []string{string(m.Name)}, objectText(merged(a, b)))
		}
	}
	return o
}
