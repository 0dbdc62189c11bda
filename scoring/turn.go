package scoring

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
)

// Turn is a turn of a conversation before the one that is scored. It is never scored itself: it says what the question
// of a later turn refers to.
type Turn struct {
	Question string `json:"question"`
	SQL      string `json:"sql,omitempty"`
	Response string `json:"response,omitempty"`
}

// Position is the place of an answer in a conversation; the zero value is in none.
type Position struct {
	Conversation string
	Turn         int // from 1; 0: unknown
}

// Position returns the place of the answer in its conversation.
func (a *Agent) Position() Position { return Position{a.ConversationID, a.Turn} }

// turnKeys are the members of a turn, for messages.
const turnKeys = `{"question", "sql", "response"}`

// UnmarshalJSON parses an object with the members of a turn. Other members are an error, because a judge would not be
// shown what they say.
func (t *Turn) UnmarshalJSON(b []byte) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(b, &members); err != nil || members == nil {
		return errcode.New(errcode.InvalidArgument, "earlier_turns: expected a list of objects %s", turnKeys)
	}
	type plain Turn
	var out plain
	for name, value := range members {
		into := map[string]*string{"question": &out.Question, "sql": &out.SQL, "response": &out.Response}[name]
		if into == nil {
			return errcode.New(errcode.InvalidArgument, "earlier_turns: unknown member %.40q of a turn; expected %s", name,
				turnKeys)
		}
		if json.Unmarshal(value, into) != nil {
			return errcode.New(errcode.InvalidArgument, "earlier_turns: expected text for %q of a turn", name)
		}
	}
	if strings.TrimSpace(out.Question) == "" {
		return errcode.New(errcode.InvalidArgument, "earlier_turns: a turn has no question; expected %s", turnKeys)
	}
	*t = Turn(out)
	return nil
}

// LacksEarlierTurns returns a warning for a turn of a conversation whose earlier turns are not known, or "". A judge
// reads such a question by itself.
func (a *Agent) LacksEarlierTurns() string {
	if a.Turn > 1 && len(a.Earlier) == 0 {
		return "the question is a later turn of a conversation, and the judge was not shown the turns before it"
	}
	return ""
}

// Conversations holds the turns of conversations, to complete the cases that are later turns. The zero value is empty.
// It must not be changed while cases are completed.
type Conversations struct {
	turns map[conversationID][]numberedTurn
	bytes int
}

// conversationID identifies a conversation. The same name in another batch is another conversation.
type conversationID struct {
	By
	id string
}

type numberedTurn struct {
	number int64
	caseID string
	Turn
}

// maxConversations is the maximum number of bytes of the texts in a Conversations.
const maxConversations = 64 << 20

// Add adds an answer as the turn with a number in a conversation, unless id is empty. It returns an error if the turns
// take too much memory.
func (c *Conversations) Add(of AnswerID, id string, number int64, t Turn) error {
	if id == "" {
		return nil
	}
	if c.bytes += len(t.Question) + len(t.SQL) + len(t.Response); c.bytes > maxConversations {
		return errcode.New(errcode.ResourceExhausted, "the turns of the conversations have more than %d MiB; "+
			"score one batch at a time, or give each answer its earlier_turns", maxConversations>>20)
	}
	if c.turns == nil {
		c.turns = map[conversationID][]numberedTurn{}
	}
	key, turn := conversationID{of.By, id}, numberedTurn{number, of.CaseID, t}
	at, found := slices.BinarySearchFunc(c.turns[key], turn, func(a, b numberedTurn) int {
		return cmp.Or(cmp.Compare(a.number, b.number), strings.Compare(a.caseID, b.caseID))
	})
	if !found { // else several rows give the answer
		c.turns[key] = slices.Insert(c.turns[key], at, turn)
	}
	return nil
}

// Complete adds to a case the turns of its conversation with a lower number, unless the case has its own. A turn
// without a question is omitted.
func (c *Conversations) Complete(in *Case) {
	a := &in.Agent
	if len(a.Earlier) > 0 || a.ConversationID == "" {
		return
	}
	for _, t := range c.turns[conversationID{in.AnswerID().By, a.ConversationID}] {
		if t.number < int64(a.Turn) && strings.TrimSpace(t.Question) != "" {
			a.Earlier = append(a.Earlier, t.Turn)
		}
	}
}
