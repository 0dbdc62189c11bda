// Package prompt holds the prompts of judges: templates in our own words, written from the specifications in the
// papers they follow, and the JSON Schemas of the replies.
//
// A prompt has a version that changes with its text, and rendering is deterministic: the same material gives the
// same bytes, so that a ledger recognizes a repeated question. All material of a case (question, SQL, results,
// schema) is untrusted and may contain instructions, ready-made verdicts and invisible characters. It is set off by
// markers that its writer could not know, invisible characters are escaped, and the prompt states that nothing
// within the markers is addressed to the judge. Long strings and tables are cut, and each cut is marked.
//
// The standard text/template is used, since a prompt needs conditions and nothing else.
package prompt

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/template"

	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
)

//go:embed templates
var files embed.FS

// Prompt is one question that a judge can be asked.
type Prompt struct {
	Purpose string          // names the question in records: rose/prover
	Version string          // name and number of the template
	Schema  json.RawMessage // of the reply

	Temperature float64 // 0.1 for verdicts; [at] sets another

	system   string
	user     *template.Template
	relation bool // whether it includes the relation of the results
	criteria bool // whether it shows acceptance criteria
	differs  bool // whether it shows a counterexample
}

// registered holds the prompts that load has made.
var registered []*Prompt

// all lists the prompts by version. Two that share a purpose ask the same question of different
// material.
func all() []*Prompt {
	return slices.SortedFunc(slices.Values(registered),
		func(a, b *Prompt) int { return strings.Compare(a.Version, b.Version) })
}

// Material is the part of a case that a judge is shown. A prompt renders only the fields that it uses.
type Material struct {
	Question string
	Evidence string // hints that came with the question
	Schema   string // DDL
	Dialect  string // of both queries

	PredSQL, GoldSQL       string
	PredResult, GoldResult *scoring.Table // nil if it is not known
	ResultsKnown           bool           // whether it is known that the results are, or are not, the same
	Failed                 bool           // the agent's query failed when it ran

	Response       string // the agent's answer in prose
	Interpretation string // the question in the agent's words
	Expected       string // how an agent should react, if that is not simply to answer
	Relation       string // the relation of the results, as found from the evidence, in a sentence
	Facts          string // what the front end read of the agent's query
	Rules          string // of the application
	Criteria       string // of the evaluation, a line each: they come before the prompt's own rules
	Differences    string // the differences of the two queries, as found from their SQL, a line each
	Counterexample string // a small database on which the two queries differ, as text

	Opinion string // the statement of another judge: the Prover's reason, the analysis of a verdict
}

const userMark = "\n=== user ===\n"

// load reads a prompt's files and lists it. They are part of the program: a fault in them stops it
// at its start.
func load(purpose, name string, version int, schema string) *Prompt {
	system, user, ok := strings.Cut(read(name+".txt"), userMark)
	if !ok {
		panic("prompt " + name + " has no user part")
	}
	s := read(schema + ".schema.json")
	if !json.Valid([]byte(s)) {
		panic("the schema of prompt " + name + " is not JSON")
	}
	p := &Prompt{
		Purpose: purpose, Version: fmt.Sprintf("%s/%d", name, version), Schema: json.RawMessage(s),
		Temperature: scoring.JudgeTemperature,
		system:      strings.TrimSpace(system) + "\n\n" + strings.TrimSpace(read("untrusted.txt")),
		user:        template.Must(template.New(name).Funcs((&page{}).funcs()).Parse(user)),
		relation:    strings.Contains(user, ".Relation"), criteria: strings.Contains(user, ".Criteria"),
		differs: strings.Contains(user, ".Counterexample"),
	}
	if err := p.user.Execute(io.Discard, Material{}); err != nil {
		panic(err)
	}
	registered = append(registered, p)
	return p
}

// at sets the temperature of a prompt.
func at(temperature float64, p *Prompt) *Prompt {
	p.Temperature = temperature
	return p
}

// InPaperForm returns the prompt without badger's own finding, the relation between the results. It is the same
// prompt if there is no such note. The version names the form: rose_refuter-paper/2.
func (p *Prompt) InPaperForm() *Prompt {
	if !p.relation {
		return p
	}
	plain := *p
	plain.relation, plain.Version = false, variant(p.Version, "paper")
	return &plain
}

// variant is the version of a prompt's variant: rose_refuter-paper/2.
func variant(version, name string) string {
	base, number, _ := strings.Cut(version, "/")
	return base + "-" + name + "/" + number
}

func read(name string) string {
	b, err := files.ReadFile("templates/" + name)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// Request returns the request for the judge about the material. With acceptance criteria or a counterexample its
// version has a suffix: rose_prover-criteria/1, flex_same-counterexample/1.
func (p *Prompt) Request(m Material) judgebackend.Request {
	if !p.relation {
		m.Relation = "" // a question that does not show it does not change with it
	}
	version := p.Version
	if !p.criteria {
		m.Criteria = ""
	} else if m.Criteria != "" {
		version = variant(version, "criteria")
	}
	if !p.differs {
		m.Counterexample = ""
	} else if m.Counterexample != "" {
		version = variant(version, "counterexample")
	}
	pg := page{marker: marker(m)}
	var user bytes.Buffer
	t := template.Must(p.user.Clone()).Funcs(pg.funcs())
	if err := t.Execute(&user, m); err != nil {
		panic(err) // load has executed it
	}
	return judgebackend.Request{
		Purpose: p.Purpose, PromptVersion: version, Schema: p.Schema, Temperature: p.Temperature, NonceField: "nonce",
		Messages: []judgebackend.Message{
			{Role: judgebackend.System, Content: p.system},
			{Role: judgebackend.User, Content: strings.TrimSpace(user.String())},
		},
	}
}

// marker is a word that follows from the whole material, so that no part of the material can hold
// it.
func marker(m Material) string {
	h := sha256.New()
	for i, s := range []string{
		m.Question, m.Evidence, m.Schema, m.Dialect, m.PredSQL, m.GoldSQL, m.Opinion, Table(m.PredResult),
		Table(m.GoldResult), m.Response, m.Interpretation, m.Relation, m.Differences, m.Facts, m.Rules, m.Expected,
		m.Criteria, m.Counterexample,
	} {
		if s != "" { // so that a new field leaves the questions that do not use it as they are
			fmt.Fprintf(h, "%d %d %s\n", i, len(s), s)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:6])
}

// page renders the parts of one user message.
type page struct{ marker string }

func (p *page) funcs() template.FuncMap {
	return template.FuncMap{
		"text":    p.text,
		"result":  p.result,
		"columns": p.columns,
	}
}

// text sets off one string of the case. Strings longer than most characters are cut in the middle.
func (p *page) text(title string, most int, s string) string {
	s = strings.TrimSpace(visible(s))
	if s == "" {
		return title + ": none given.\n"
	}
	return p.block(title, cut(s, most))
}

// result sets off a table.
func (p *page) result(title string, t *scoring.Table) string {
	if t == nil {
		return title + ": not known.\n"
	}
	return p.block(title, Table(t))
}

func (p *page) block(title, body string) string {
	return fmt.Sprintf("%s:\n[material %s]\n%s\n[end of material %s]\n", title, p.marker, body, p.marker)
}
