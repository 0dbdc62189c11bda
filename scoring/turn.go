package scoring

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
)

// Turn is a turn of a conversation before the one that is scored. It gives a later question its meaning, and is not
// scored itself.
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
// Turns are added, then sorted once; after that, cases may be completed from several goroutines.
type Conversations struct {
	turns  map[conversationID][]numberedTurn
	bytes  int
	sorted map[conversationID]sortedTurns
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

// sortedTurns are the turns of a conversation with their numbers, in ascending order.
type sortedTurns struct {
	numbers []int64
	turns   []Turn
}

// maxConversations is the maximum number of bytes of the strings in a Conversations.
const maxConversations = 64 << 20

// Add adds an answer as the turn with a number in a conversation, unless id is empty. It returns an error if the turns
// take too much memory.
func (c *Conversations) Add(of AnswerID, id string, number int64, t Turn) error {
	if id == "" {
		return nil
	}
	if err := c.take(len(t.Question) + len(t.SQL) + len(t.Response)); err != nil {
		return err
	}
	if c.turns == nil {
		c.turns = map[conversationID][]numberedTurn{}
	}
	key := conversationID{of.By, id}
	c.turns[key] = append(c.turns[key], numberedTurn{number, of.CaseID, t})
	return nil
}

// take counts bytes of strings. It returns an error if there are too many.
func (c *Conversations) take(bytes int) error {
	if c.bytes += bytes; c.bytes > maxConversations {
		return errcode.New(errcode.ResourceExhausted, "the turns of the conversations have more than %d MiB; "+
			"score one batch at a time, or give each answer its earlier_turns", maxConversations>>20)
	}
	return nil
}

// CaseIDs returns the questions that the turns answer, sorted.
func (c *Conversations) CaseIDs() []string {
	ids := map[string]bool{}
	for _, turns := range c.turns {
		for _, t := range turns {
			ids[t.caseID] = true
		}
	}
	return slices.Sorted(maps.Keys(ids))
}

// Ask sets the questions of the turns, by case ID; other turns are unchanged. It returns an error if the texts take too
// much memory.
func (c *Conversations) Ask(questions map[string]string) error {
	for _, turns := range c.turns {
		for i := range turns {
			text, is := questions[turns[i].caseID]
			if !is {
				continue
			}
			if err := c.take(len(text) - len(turns[i].Question)); err != nil {
				return err
			}
			turns[i].Question = text
		}
	}
	return nil
}

// Sort orders the turns of each conversation. It keeps one of several rows of an answer, and omits turns without a
// question.
func (c *Conversations) Sort() {
	c.sorted = make(map[conversationID]sortedTurns, len(c.turns))
	for id, turns := range c.turns {
		slices.SortStableFunc(turns, func(a, b numberedTurn) int {
			return cmp.Or(cmp.Compare(a.number, b.number), strings.Compare(a.caseID, b.caseID))
		})
		var out sortedTurns
		for i, t := range turns {
			repeated := i > 0 && t.number == turns[i-1].number && t.caseID == turns[i-1].caseID
			if !repeated && strings.TrimSpace(t.Question) != "" {
				out.numbers, out.turns = append(out.numbers, t.number), append(out.turns, t.Turn)
			}
		}
		c.sorted[id] = out
	}
	c.turns = nil
}

// Complete adds to a case the turns of its conversation with a lower number, unless the case has its own.
func (c *Conversations) Complete(in *Case) {
	a := &in.Agent
	if len(a.Earlier) > 0 || a.ConversationID == "" {
		return
	}
	all := c.sorted[conversationID{in.AnswerID().By, a.ConversationID}]
	n, _ := slices.BinarySearch(all.numbers, int64(a.Turn))
	if n > 0 {
		a.Earlier = all.turns[:n:n] // shared: a long conversation is not copied for each of its turns
	}
}
