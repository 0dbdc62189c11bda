package judging

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
)

// Panel is several judges with a rule: see [scoring.Panel]. It is named by the backend panel:NAME, wherever a judge is.
type Panel struct {
	Rule     scoring.PanelRule `yaml:"rule"` // majority, unanimity or escalation
	Members  []panelMember     `yaml:"members"`
	Arbiter  *panelMember      `yaml:"arbiter,omitempty"`          // escalation: asked if the members do not decide
	Quorum   int               `yaml:"quorum,omitempty" least:"0"` // members whose replies suffice; default all
	Tie      string            `yaml:"tie,omitempty"`              // majority: abstain, pass or fail; default abstain
	Within   float64           `yaml:"within,omitempty" least:"0"` // difference of values that agree, without a verdict; default 0
	SureFrom float64           `yaml:"sure_from,omitempty"`
	Unsure   []float64         `yaml:"unsure,omitempty"` // escalation: values between the two are unsure
}

// panelMember is a judge of a panel. Unset fields are taken from the judge of all metrics, as for a [Metric].
type panelMember struct {
	Name   string `yaml:"name,omitempty"` // default: backend, model and settings
	Metric `yaml:",inline"`

	Sample int `yaml:"sample,omitempty" least:"0"` // number of the sample, for several replies by one model
}

const panelKind = "panel"

// panelOf returns the name of the panel that a backend names, such as trio in panel:trio.
func panelOf(backend string) (name string, ok bool) {
	kind, name, _ := strings.Cut(backend, ":")
	return name, kind == panelKind
}

// seat is a judge of a panel with its endpoint.
type seat struct {
	key      string // in the configuration
	of       *panelMember
	endpoint Endpoint
}

// seats returns the judges of a panel, the arbiter last.
func (c *Config) seats(name string) (all []seat, err error) {
	p, ok := c.Panels[name]
	if !ok {
		return nil, errcode.Usage("panel:%s: unknown panel%s", name,
			scoring.Suggest(name, slices.Sorted(maps.Keys(c.Panels))))
	}
	key := "judge.panels." + name
	add := func(key string, m *panelMember) {
		s := seat{key: key, of: m}
		own := m.Metric
		if _, isPanel := panelOf(c.Backend); own.Backend == "" && !isPanel {
			own.Backend = c.Backend
		}
		_, nested := panelOf(own.Backend)
		switch {
		case err != nil:
		case nested || own.Backend == "" || own.Backend == "none":
			err = errcode.Usage("%s: expected the backend of a model, such as openai:MODEL", key)
		default:
			common := c.common()
			s.endpoint, _, err = common.endpointOf(key, own)
		}
		all = append(all, s)
	}
	for i := range p.Members {
		add(fmt.Sprintf("%s.members[%d]", key, i), &p.Members[i])
	}
	if p.Arbiter != nil {
		add(key+".arbiter", p.Arbiter)
	}
	return all, err
}

// common returns the configuration whose connection other judges use if they set none. If the common judge is a panel,
// it is the connection of its judges of one kind: a key must not go to the address of another kind.
func (c *Config) common() *Config {
	if _, ok := panelOf(c.Backend); !ok {
		return c
	}
	out := *c
	out.Backend = ""
	if kinds := c.panelKinds(); len(kinds) == 1 {
		out.Backend = kinds[0] + ":"
	}
	return &out
}

// panelKinds returns the kinds of backends of the judges of panels that set no connection.
func (c *Config) panelKinds() (kinds []string) {
	for _, p := range c.Panels {
		for _, m := range append(slices.Clip(p.Members), deref(p.Arbiter)...) {
			kind, _, _ := strings.Cut(m.Backend, ":")
			if kind != "" && !m.ownWay() && !slices.Contains(kinds, kind) {
				kinds = append(kinds, kind)
			}
		}
	}
	return kinds
}

func deref(m *panelMember) []panelMember {
	if m == nil {
		return nil
	}
	return []panelMember{*m}
}

// checkPanels returns a usage error if a panel is not valid, or if the connection of the common judge cannot be that
// of the judges of a panel.
func (c *Config) checkPanels() error {
	if name, ok := panelOf(c.Backend); ok {
		if _, err := c.seats(name); err != nil {
			return err
		}
		if c.ownWay() && len(c.panelKinds()) > 1 {
			return errcode.Usage("judge: the judges of the panels have backends of several kinds; set base_url, key and the " +
				"other settings of the connection at each of them instead")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Panels)) {
		all, err := c.seats(name)
		if err != nil {
			return err
		}
		if _, err := c.Panels[name].of(name, all, func(s *seat) (scoring.Member, error) {
			b := offline{id: judgebackend.Identity{Backend: s.endpoint.Backend}}
			return scoring.Member{Name: cmp.Or(s.of.Name, s.key), Judge: s.judge(b)}, nil
		}); err != nil {
			return err
		}
	}
	return nil
}

func (s *seat) judge(b judgebackend.Backend) scoring.Judge {
	return scoring.Judge{Backend: b, Temperature: s.of.Temperature, Sample: s.of.Sample}
}

// of returns the panel with the judges that open returns.
func (p Panel) of(name string, all []seat, open func(*seat) (scoring.Member, error)) (*scoring.Panel, error) {
	out := scoring.Panel{Name: name, Rule: p.Rule, Quorum: p.Quorum, Tie: p.Tie, Within: p.Within, SureFrom: p.SureFrom}
	switch len(p.Unsure) {
	case 0:
	case 2:
		out.Unsure = [2]float64(p.Unsure)
	default:
		return nil, errcode.Usage("judge.panels.%s.unsure: expected two numbers, the limits of the range", name)
	}
	for i := range all {
		m, err := open(&all[i])
		if err != nil {
			return nil, err
		}
		if i < len(p.Members) {
			out.Members = append(out.Members, m)
		} else {
			out.Arbiter = &m
		}
	}
	made, err := scoring.NewPanel(out)
	if err != nil {
		return nil, errcode.AsUsage(err)
	}
	return made, nil
}

// panel opens the judges of a panel, unless it is open.
func (c *Config) panel(ctx context.Context, s Env, j *Judges, o judgebackend.StackOptions,
	name string) (*scoring.Panel, error) {
	if p := j.panels[name]; p != nil {
		return p, nil
	}
	all, err := c.seats(name)
	if err != nil {
		return nil, err
	}
	p, err := c.Panels[name].of(name, all, func(at *seat) (scoring.Member, error) {
		stack, err := c.share(ctx, s, j, o, at.endpoint)
		if err != nil {
			return scoring.Member{}, fmt.Errorf("%s: %w", at.key, err)
		}
		judge := at.judge(stack)
		return scoring.Member{Name: cmp.Or(at.of.Name, nameWith(judge)), Judge: judge}, nil
	})
	if err != nil {
		return nil, err
	}
	j.panels[name] = p
	return p, nil
}

// used returns the names of the panels that are a judge of all metrics, of single ones or of tags.
func (c *Config) used() (names []string) {
	add := func(backend string) {
		if name, ok := panelOf(backend); ok && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	add(c.Backend)
	for _, name := range slices.Sorted(maps.Keys(c.Metrics)) {
		add(c.Metrics[name].Backend)
	}
	for _, r := range c.ByTag {
		add(r.Backend)
	}
	return names
}

// describe returns the name of a panel with its rule and judges, such as panel:trio (majority of openai:a, openai:b).
func describe(p *scoring.Panel) string {
	var names []string
	for _, m := range p.Members {
		names = append(names, m.Name)
	}
	text := fmt.Sprintf("%s:%s (%s of %s", panelKind, p.Name, p.Rule, strings.Join(names, ", "))
	if p.Arbiter != nil {
		text += "; arbiter " + p.Arbiter.Name
	}
	return text + ")"
}

// ParsePanel parses a panel of a flag, NAME=RULE:JUDGE,JUDGE,…. The last judge of an escalation is the arbiter.
func ParsePanel(text string) (name string, p Panel, err error) {
	name, of, _ := strings.Cut(text, "=")
	rule, list, ok := strings.Cut(of, ":")
	if !ok || name == "" || list == "" {
		return "", p, errcode.Usage(
			"expected NAME=RULE:JUDGE,JUDGE,…, such as trio=majority:openai:a,openai:b,openai:c")
	}
	p.Rule = scoring.PanelRule(rule)
	for judge := range strings.SplitSeq(list, ",") {
		p.Members = append(p.Members, panelMember{Metric: Metric{Endpoint: Endpoint{Backend: strings.TrimSpace(judge)}}})
	}
	if p.Rule == scoring.Escalation && len(p.Members) > 1 {
		p.Arbiter, p.Members = &p.Members[len(p.Members)-1], p.Members[:len(p.Members)-1]
	}
	return name, p, nil
}

// Recorded returns a panel whose judges reply from records. Their backends are the names of the recorded ones.
func (p Panel) Recorded(name string, replies func(backend string) (scoring.Replies, error)) (*scoring.Panel, error) {
	var all []seat
	for i := range p.Members {
		all = append(all, seat{of: &p.Members[i]})
	}
	if p.Arbiter != nil {
		all = append(all, seat{of: p.Arbiter})
	}
	return p.of(name, all, func(s *seat) (scoring.Member, error) {
		r, err := replies(s.of.Backend)
		if err != nil {
			return scoring.Member{}, errcode.AsUsage(err)
		}
		return scoring.Member{Name: cmp.Or(s.of.Name, s.of.Backend), Replies: r}, nil
	})
}

// NoReply returns a function for [scoring.EngineOptions] that logs the first failure of each judge of a panel.
func NoReply(log *slog.Logger) func(panel, judge, reason string) {
	var mu sync.Mutex
	told := map[string]bool{}
	return func(panel, judge, reason string) {
		mu.Lock()
		defer mu.Unlock()
		if key := panel + "\x00" + judge; !told[key] {
			told[key] = true
			log.Warn("a judge of a panel gave no reply; further failures are not logged", "panel", panel, "judge", judge,
				"reason", reason)
		}
	}
}
