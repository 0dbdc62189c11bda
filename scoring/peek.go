package scoring

import (
	"bytes"
	"cmp"
	"encoding/json"
	"sync"

	"github.com/badger-eval/badger/internal/jsonscan"
)

// PeekAnswerID reads the identity of the answer from one case of a case file. Parts that are missing or invalid are
// empty.
func PeekAnswerID(data []byte) AnswerID {
	data = jsonscan.QuoteNonFinite(data)
	var m identityMembers
	if m.scan(data) {
		return m.answerID()
	}
	return peekByReflection(data)
}

// identityMembers are the members of a case that identify the answer, under each of their names (see caseAliases).
type identityMembers struct {
	caseID                                      nameJSON
	agentName, agentVersion, agentBatch         nameJSON // within agent
	name, version, batch, longBatch, dottedName nameJSON
	dottedVersion, dottedBatch                  nameJSON
}

func (m *identityMembers) answerID() AnswerID {
	return AnswerID{CaseID: string(m.caseID), By: By{
		Agent:   string(cmp.Or(m.agentName, m.name, m.dottedName)),
		Version: string(cmp.Or(m.agentVersion, m.version, m.dottedVersion)),
		Batch:   string(cmp.Or(m.agentBatch, m.batch, m.longBatch, m.dottedBatch)),
	}}
}

// scan reads the members in one pass over a line that [DecodeCase] accepts as JSON. It returns false for a line
// that encoding/json may read differently: one that is not JSON, or that has members with these names in another
// letter case or of another kind.
func (m *identityMembers) scan(line []byte) bool {
	s, _ := scanners.Get().(*jsonscan.Scanner)
	defer scanners.Put(s)
	s.Reset(line)
	defer s.Reset(nil) // the line is not kept
	return scanMembers(s, []member{
		{"case_id", &m.caseID}, {"agent_name", &m.name}, {"agent_version", &m.version}, {"batch_id", &m.batch},
		{"agent_batch_id", &m.longBatch},
		{"agent.name", &m.dottedName}, {"agent.version", &m.dottedVersion}, {"agent.batch_id", &m.dottedBatch},
		{"agent", nil},
	}, func() bool {
		return scanMembers(s, []member{{"name", &m.agentName}, {"version", &m.agentVersion}, {"batch_id", &m.agentBatch}},
			nil)
	}) && s.End() == nil
}

// scanners are reused for their buffers, which strings with escapes need.
var scanners = sync.Pool{New: func() any { return new(jsonscan.Scanner) }}

// member is a member of an object and the place of its value; without a place it is an object.
type member struct {
	name string
	to   *nameJSON
}

// scanMembers reads some members of an object and skips the others. inner reads the one without a place.
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

// memberOf finds a member by its name. sure is false if encoding/json may match another name with it, because it
// ignores letter case.
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

// peekByReflection is [PeekAnswerID] by encoding/json.
func peekByReflection(data []byte) AnswerID {
	var j struct {
		CaseID nameJSON `json:"case_id"`
		Agent  struct {
			Name    nameJSON `json:"name"`
			Version nameJSON `json:"version"`
			BatchID nameJSON `json:"batch_id"`
		} `json:"agent"`
		// Other names of the same, see caseAliases.
		Name          nameJSON `json:"agent_name"`
		Version       nameJSON `json:"agent_version"`
		BatchID       nameJSON `json:"batch_id"`
		AgentBatchID  nameJSON `json:"agent_batch_id"`
		DottedName    nameJSON `json:"agent.name"`
		DottedVersion nameJSON `json:"agent.version"`
		DottedBatchID nameJSON `json:"agent.batch_id"`
	}
	_ = json.Unmarshal(data, &j) // [DecodeCase] reports errors
	return AnswerID{
		CaseID: string(j.CaseID),
		By: By{Agent: string(cmp.Or(j.Agent.Name, j.Name, j.DottedName)),
			Version: string(cmp.Or(j.Agent.Version, j.Version, j.DottedVersion)),
			Batch:   string(cmp.Or(j.Agent.BatchID, j.BatchID, j.AgentBatchID, j.DottedBatchID))},
	}
}
