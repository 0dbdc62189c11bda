package golden

import (
	"encoding/json"
	"slices"

	"github.com/badger-eval/badger/internal/jsonscan"
)

// Case is a case as a golden set gives it.
type Case struct {
	ID       string // "" if the record has none
	Question string
	Evidence string
	Schema   string
	Database string
	Dataset  string
	Dialect  string
	Tags     []string
	Golds    []Gold
	Tools    json.RawMessage // the expected calls; nil if the set does not say
	Options  jsonscan.Object // of metrics, by name
	Meta     jsonscan.Object // what no field names

	Answer   Answer
	Answered bool   // an answer is part of the record
	Label    string // pass or fail; "" if there is none
	Note     string // of the label

	alike string // the member that may be the gold, if there is none; "": none
}

// Gold is an accepted answer.
type Gold struct {
	SQL    string
	Result json.RawMessage // a result or, as a string, a reference to one
}

// Answer is the answer of an agent.
type Answer struct {
	SQL      string
	Result   json.RawMessage
	Response string
	Error    string
}

func (a *Answer) empty() bool {
	return a.SQL == "" && a.Result == nil && a.Response == "" && a.Error == ""
}

// gold returns the first gold, and adds it if there is none.
func (c *Case) gold() *Gold {
	if len(c.Golds) == 0 {
		c.Golds = append(c.Golds, Gold{})
	}
	return &c.Golds[0]
}

// addGolds adds an accepted answer for each query.
func (c *Case) addGolds(queries ...string) {
	for _, sql := range queries {
		c.Golds = append(c.Golds, Gold{SQL: sql})
	}
}

// hasGold reports whether there is a query or a result to compare with, or a call that is expected.
func (c *Case) hasGold() bool {
	return c.Tools != nil || slices.ContainsFunc(c.Golds, func(g Gold) bool { return g.SQL != "" || g.Result != nil })
}

// members appends members to an object that is written.
type members struct{ to []byte }

func (m *members) raw(name string, value json.RawMessage) {
	if len(value) == 0 {
		return
	}
	if n := len(m.to); n > 0 && m.to[n-1] != '{' && m.to[n-1] != '[' {
		m.to = append(m.to, ',')
	}
	if name != "" {
		m.to = append(jsonscan.AppendString(m.to, name), ':')
	}
	m.to = jsonscan.AppendCompact(m.to, value)
}

func (m *members) text(name, value string) {
	if value != "" {
		m.raw(name, quoted(value))
	}
}

func (m *members) list(name string, values []string) {
	if len(values) > 0 {
		m.raw(name, textList(values))
	}
}

// quoted returns a text as JSON.
func quoted(text string) json.RawMessage { return jsonscan.AppendString(nil, text) }

func textList(values []string) json.RawMessage {
	l := members{[]byte{'['}}
	for _, v := range values {
		l.raw("", quoted(v))
	}
	return append(l.to, ']')
}

// objectText returns the members of an object in their order; nil if there are none.
func objectText(o jsonscan.Object) json.RawMessage {
	if len(o) == 0 {
		return nil
	}
	m := members{[]byte{'{'}}
	for _, one := range o {
		m.raw(string(one.Name), one.Value)
	}
	return append(m.to, '}')
}

// text returns the members of the case in a case file other than its ID and the answer.
func (c *Case) text() []byte {
	var m members
	m.text("question", c.Question)
	m.text("evidence", c.Evidence)
	m.text("schema_ddl", c.Schema)
	m.text("database", c.Database)
	m.text("dataset", c.Dataset)
	m.text("dialect", c.Dialect)
	m.list("tags", c.Tags)
	var golds []json.RawMessage
	for _, g := range c.Golds {
		one := members{[]byte{'{'}}
		one.text("sql", g.SQL)
		one.raw("result", g.Result)
		golds = append(golds, append(one.to, '}'))
	}
	switch {
	case len(golds) == 1:
		m.raw("gold", golds[0])
	case len(golds) > 1:
		l := members{[]byte{'['}}
		for _, g := range golds {
			l.raw("", g)
		}
		m.raw("gold", append(l.to, ']'))
	}
	if c.Tools != nil {
		m.raw("expected", objectText(jsonscan.Object{{Name: []byte("tools"), Value: c.Tools}}))
	}
	if c.Label != "" || c.Note != "" {
		h := members{[]byte{'{'}}
		h.text("label", c.Label)
		h.text("note", c.Note)
		m.raw("human", append(h.to, '}'))
	}
	m.raw("options", objectText(c.Options))
	m.raw("meta", objectText(c.Meta))
	return m.to
}

// text returns the members of the answer in a case file.
func (a *Answer) text() []byte {
	var m members
	m.text("sql", a.SQL)
	m.raw("result", a.Result)
	m.text("error", a.Error)
	m.text("response", a.Response)
	return m.to
}
