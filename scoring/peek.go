package scoring

import (
	"bytes"
	"cmp"
	"encoding/json"
	"sync"

	"github.com/badger-eval/badger/internal/jsonscan"
)

// PeekAnswerID parses only the identity of the answer in one case of a case file. Parts that are missing or invalid
// are empty.
func PeekAnswerID(data []byte) AnswerID {
	data = jsonscan.QuoteNonFinite(data)
	var m identityMembers
	if m.scan(data) {
		return m.answerID()
	}
	return peekByReflection(data)
}

// identityMembers are the values of the members of a case that identify the answer, with one field for each of their
// names (see caseAliases).
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
		{"agent", nil},
	}, func() bool {
		return scanMembers(s, []member{{"name", &m.agentName}, {"version", &m.agentVersion}, {"batch_id", &m.agentBatch}},
			nil)
	}) && s.End() == nil
}

// scanners are reused to save allocating buffers for strings with escapes.
var scanners = sync.Pool{New: func() any { return new(jsonscan.Scanner) }}

// member is the name of a member of an object and a pointer to its value, which is nil if the member is an object.
type member struct {
	name string
	to   *nameJSON
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

// peekByReflection is [PeekAnswerID] with encoding/json.
func peekByReflection(data []byte) AnswerID {
	var j struct {
		CaseID nameJSON `json:"case_id"`
		Agent  struct {
			Name    nameJSON `json:"name"`
			Version nameJSON `json:"version"`
			BatchID nameJSON `json:"batch_id"`
		} `json:"agent"`
		// Aliases of the members above, see caseAliases.
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
