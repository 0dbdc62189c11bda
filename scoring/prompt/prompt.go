// Package prompt contains the prompts of judges, written in our own words from the specifications in the papers, and
// the JSON Schemas of the replies.
//
// A prompt has a version that changes with its text, and rendering is deterministic: the same material gives the
// same bytes, so that a ledger recognizes a repeated question. All material of a case (question, SQL, results,
// schema) is untrusted and may contain instructions, ready-made verdicts and invisible characters. It is set off by
// markers that its writer could not know. Invisible characters and the tokens of chat templates are escaped. The prompt
// states that nothing within the markers is addressed to the judge. Long strings and tables are cut, and each cut is
// marked.
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
	"slices"
	"strings"
	"sync"
	"text/template"

	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
)

//go:embed templates
var files embed.FS

// Prompt is one question that a judge can be asked.
type Prompt struct {
	Purpose string          // identifies the question in recorded replies, such as rose/prover
	Version string          // name and number of the template, such as rose_prover/1
	Schema  json.RawMessage // JSON Schema of the reply

	Temperature float64 // 0.1 for verdicts; [at] sets another

	system   string
	user     func() *template.Template // parsed at the first use: most commands ask no judge
	relation bool                      // whether it includes the relation of the results
	criteria bool                      // whether it includes acceptance criteria
	differs  bool                      // whether it includes a counterexample
	earlier  bool                      // whether it includes the earlier turns of a conversation
}

// registered holds all prompts, as load adds them.
var registered []*Prompt

// all returns all prompts sorted by version. Prompts with the same purpose ask the same question in different
// situations.
func all() []*Prompt {
	return slices.SortedFunc(slices.Values(registered),
		func(a, b *Prompt) int { return strings.Compare(a.Version, b.Version) })
}

// Material is the part of a case that a judge is shown. A prompt renders only the fields that it uses.
type Material struct {
	Question string
	Earlier  []scoring.Turn // the turns of the conversation before the question, the oldest first
	Evidence string         // hints that came with the question
	Schema   string         // DDL
	Dialect  string         // of both queries

	PredSQL, GoldSQL       string
	PredResult, GoldResult *scoring.Table // nil if it is not known
	ResultsKnown           bool           // whether it is known if the two results are the same
	Failed                 bool           // the agent's query failed when it ran

	Response       string // the agent's answer in prose
	Interpretation string // the question in the agent's words
	Expected       string // the expected reaction of the agent, if that is not an answer
	Relation       string // the relation of the results that badger found, in a sentence
	Facts          string // facts that the front end extracted from the agent's query
	Rules          string // rules of the application
	Criteria       string // acceptance criteria of the deployment, one on each line; they override the prompt's own rules
	Differences    string // the differences of the two queries that badger found in their SQL, one on each line
	Counterexample string // a small database on which the two queries differ, as text

	Statements []Statement // of the response
	Passages   []Passage   // that the agent retrieved

	Opinion string // a judge's reply to an earlier question: the Prover's reason, or the analysis of a verdict
}

const userMark = "\n=== user ===\n"

// load returns the prompt in the embedded files and registers it. It panics if a file is missing or its schema invalid.
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
		user: sync.OnceValue(func() *template.Template {
			return template.Must(template.New(name).Funcs((&page{}).funcs()).Parse(user))
		}),
		relation: strings.Contains(user, ".Relation"), criteria: strings.Contains(user, ".Criteria"),
		differs: strings.Contains(user, ".Counterexample"), earlier: strings.Contains(user, ".Earlier"),
	}
	registered = append(registered, p)
	return p
}

// at sets the temperature of a prompt and returns it.
func at(temperature float64, p *Prompt) *Prompt {
	p.Temperature = temperature
	return p
}

// InPaperForm returns the prompt without the relation between the results that badger found. It returns p itself if
// that does not include it. The version has a suffix: rose_refuter-paper/2.
func (p *Prompt) InPaperForm() *Prompt {
	if !p.relation {
		return p
	}
	plain := *p
	plain.relation, plain.Version = false, variant(p.Version, "paper")
	return &plain
}

// variant returns the version of a prompt's variant: rose_refuter-paper/2 for rose_refuter/2 and paper.
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

// Request returns the request to the judge with the material. If it includes acceptance criteria, a counterexample or
// earlier turns, its version has a suffix: rose_prover-criteria/1, flex_same-counterexample/1, refusal-conversation/1.
func (p *Prompt) Request(m Material) judgebackend.Request {
	if !p.relation {
		m.Relation = "" // clear it, so that it does not affect the marker
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
	if !p.earlier {
		m.Earlier = nil
	} else if len(m.Earlier) > 0 {
		version = variant(version, "conversation")
	}
	pg := page{marker: marker(m)}
	var user bytes.Buffer
	t := template.Must(p.user().Clone()).Funcs(pg.funcs())
	if err := t.Execute(&user, m); err != nil {
		panic(err) // the tests ask every prompt
	}
	return judgebackend.Request{
		Purpose: p.Purpose, PromptVersion: version, Schema: p.Schema, Temperature: p.Temperature, NonceField: "nonce",
		Messages: []judgebackend.Message{
			{Role: judgebackend.System, Content: p.system},
			{Role: judgebackend.User, Content: strings.TrimSpace(user.String())},
		},
	}
}

// marker returns a hash of the whole material, so that the material cannot contain it.
func marker(m Material) string {
	h := sha256.New()
	for i, s := range []string{
		m.Question, m.Evidence, m.Schema, m.Dialect, m.PredSQL, m.GoldSQL, m.Opinion, Table(m.PredResult),
		Table(m.GoldResult), m.Response, m.Interpretation, m.Relation, m.Differences, m.Facts, m.Rules, m.Expected,
		m.Criteria, m.Counterexample, conversation(m.Earlier), numberedStatements(m.Statements), passages(m.Passages),
	} {
		if s != "" { // so that a new field does not change prompts without it
			fmt.Fprintf(h, "%d %d %s\n", i, len(s), s)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:6])
}

// page renders the parts of one user message. marker is the code in the markers.
type page struct{ marker string }

func (p *page) funcs() template.FuncMap {
	return template.FuncMap{
		"text":    p.text,
		"result":  p.result,
		"columns": p.columns,
		"turns":   p.turns,

		"statements": p.statements,
		"passage":    p.passage,
	}
}

// text returns a block with one string of the case. A string of more than most characters is cut in the middle.
func (p *page) text(title string, most int, s string) string {
	s = strings.TrimSpace(visible(s))
	if s == "" {
		return title + ": none given.\n"
	}
	return p.block(title, cut(s, most))
}

// result returns a block with a table.
func (p *page) result(title string, t *scoring.Table) string {
	if t == nil {
		return title + ": not known.\n"
	}
	return p.block(title, Table(t))
}

func (p *page) block(title, body string) string {
	return fmt.Sprintf("%s:\n[material %s]\n%s\n[end of material %s]\n", title, p.marker, body, p.marker)
}
