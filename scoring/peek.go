package scoring

import (
	"bytes"
	"cmp"
	"encoding/json"
	"sync"
	"time"

	"github.com/badger-eval/badger/internal/jsonscan"
)

// PeekAnswer parses only the identity of the answer in one case of a case file, and when the agent answered. Parts
// that are missing or invalid are empty.
func PeekAnswer(data []byte) (id AnswerID, at time.Time) {
	data = jsonscan.QuoteNonFinite(data)
	var m identityMembers
	if !m.scan(data) {
		m = peekByReflection(data)
	}
	return m.answer()
}

// identityMembers are the values of the members of a case that identify the answer, with one field for each of their
// names (see caseAliases).
type identityMembers struct {
	caseID                                      nameJSON
	agentName, agentVersion, agentBatch         nameJSON // within agent
	name, version, batch, longBatch, dottedName nameJSON
	dottedVersion, dottedBatch                  nameJSON
	agentRanAt                                  peekedText // within agent
	ranAt, longRanAt, dottedRanAt               peekedText
}

func (m *identityMembers) answer() (id AnswerID, at time.Time) {
	at, _ = ParseInstant(string(cmp.Or(m.agentRanAt, m.ranAt, m.longRanAt, m.dottedRanAt)))
	return AnswerID{CaseID: string(m.caseID), By: By{
		Agent:   string(cmp.Or(m.agentName, m.name, m.dottedName)),
		Version: string(cmp.Or(m.agentVersion, m.version, m.dottedVersion)),
		Batch:   string(cmp.Or(m.agentBatch, m.batch, m.longBatch, m.dottedBatch)),
	}}, at
}

// scan parses the members in one pass. It returns false if encoding/json could parse the line differently: if it is
// not JSON, or if it has members with these names in another letter case or with values of another type.
func (m *identityMembers) scan(line []byte) bool {
	s, _ := scanners.Get().(*jsonscan.Scanner)
	defer scanners.Put(s)
	s.Reset(line)
	defer s.Reset(nil) // the line is not kept
	return scanMembers(s, []member{
		{"case_id", &m.caseID}, {"agent_name", &m.name}, {"agent_version", &m.version}, {"batch_id", &m.batch},
		{"agent_batch_id", &m.longBatch},
		{"agent.name", &m.dottedName}, {"agent.version", &m.dottedVersion}, {"agent.batch_id", &m.dottedBatch},
		{"ran_at", &m.ranAt}, {"agent_ran_at", &m.longRanAt}, {"agent.ran_at", &m.dottedRanAt},
		{"agent", nil},
	}, func() bool {
		return scanMembers(s, []member{{"name", &m.agentName}, {"version", &m.agentVersion}, {"batch_id", &m.agentBatch},
			{"ran_at", &m.agentRanAt}}, nil)
	}) && s.End() == nil
}

// scanners are reused to save allocating buffers for strings with escapes.
var scanners = sync.Pool{New: func() any { return new(jsonscan.Scanner) }}

// peekedText is the value of a member that is a string, and "" for any other value.
type peekedText string

// UnmarshalJSON never fails: [DecodeCase] reports errors.
func (t *peekedText) UnmarshalJSON(b []byte) error {
	var text string
	_ = json.Unmarshal(b, &text)
	*t = peekedText(text)
	return nil
}

// member is the name of a member of an object and a pointer to its value, which is nil if the member is an object.
type member struct {
	name string
	to   json.Unmarshaler
}

// scanMembers parses the listed members of an object and skips the others. It calls inner for the value of the member
// without a pointer. It returns false under the conditions of scan.
func scanMembers(s *jsonscan.Scanner, members []member, inner func() bool) bool {
	if s.Object() != nil {
		return false
	}
	for first := true; ; first = false {
		key, more, err := s.Key(first)
		if err != nil {
			return false
		}
		if !more {
			return true
		}
		found, sure := memberOf(members, key)
		switch {
		case !sure:
			return false
		case found != nil && found.to == nil && s.Peek() == '{':
			if !inner() {
				return false
			}
		default:
			value, err := s.Skip()
			if err != nil ||
				found != nil &&
					(found.to == nil && string(value) != "null" || found.to != nil && found.to.UnmarshalJSON(value) != nil) {
				return false
			}
		}
	}
}

// memberOf returns the member with the name key, or nil. sure is false if encoding/json, which ignores letter case,
// may match key with a listed name that is spelled differently.
func memberOf(members []member, key []byte) (found *member, sure bool) {
	for i := range members {
		if name := members[i].name; len(name) == len(key) {
			if string(key) == name {
				return &members[i], true
			}
			if bytes.EqualFold(key, []byte(name)) {
				return nil, false
			}
		}
	}
	for _, c := range key {
		if c >= 0x80 {
			return nil, false
		}
	}
	return nil, true
}

// peekByReflection parses the members with encoding/json.
func peekByReflection(data []byte) identityMembers {
	var j struct {
		CaseID nameJSON `json:"case_id"`
		Agent  struct {
			Name    nameJSON   `json:"name"`
			Version nameJSON   `json:"version"`
			BatchID nameJSON   `json:"batch_id"`
			RanAt   peekedText `json:"ran_at"`
		} `json:"agent"`
		// Aliases of the members above, see caseAliases.
		Name          nameJSON   `json:"agent_name"`
		Version       nameJSON   `json:"agent_version"`
		BatchID       nameJSON   `json:"batch_id"`
		AgentBatchID  nameJSON   `json:"agent_batch_id"`
		DottedName    nameJSON   `json:"agent.name"`
		DottedVersion nameJSON   `json:"agent.version"`
		DottedBatchID nameJSON   `json:"agent.batch_id"`
		RanAt         peekedText `json:"ran_at"`
		AgentRanAt    peekedText `json:"agent_ran_at"`
		DottedRanAt   peekedText `json:"agent.ran_at"`
	}
	_ = json.Unmarshal(data, &j) // [DecodeCase] reports errors
	return identityMembers{
		caseID:    j.CaseID,
		agentName: j.Agent.Name, agentVersion: j.Agent.Version, agentBatch: j.Agent.BatchID,
		name: j.Name, version: j.Version, batch: j.BatchID, longBatch: j.AgentBatchID,
		dottedName: j.DottedName, dottedVersion: j.DottedVersion, dottedBatch: j.DottedBatchID,
		agentRanAt: j.Agent.RanAt, ranAt: j.RanAt, longRanAt: j.AgentRanAt, dottedRanAt: j.DottedRanAt,
	}
}
