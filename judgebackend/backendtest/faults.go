package backendtest

// Fault is a way in which a model's endpoint fails.
type Fault string

// The faults. Those from WrongSchema on are complete, billed replies that cannot be used.
const (
	NoFault               Fault = ""
	RateLimited           Fault = "rate_limited"             // 429 without Retry-After
	RateLimitedRetryAfter Fault = "rate_limited_retry_after" // 429 with Retry-After: 7
	ServerError           Fault = "server_error"             // 500
	Overloaded            Fault = "overloaded"               // 529
	Hang                  Fault = "hang"                     // accepts the request and never responds
	SlowTrickle           Fault = "slow_trickle"             // a reply that arrives byte by byte and never ends
	Cut                   Fault = "cut"                      // the connection breaks in the middle of the reply
	MalformedJSON         Fault = "malformed_json"           // 200 with a malformed body
	Unauthorized          Fault = "unauthorized"             // 401
	Billing               Fault = "billing"                  // no credit left, in the vendor's format
	NoModel               Fault = "no_model"                 // 404
	WrongSchema           Fault = "wrong_schema"             // JSON of another structure
	Empty                 Fault = "empty"                    // an empty reply
	RefusalText           Fault = "refusal_text"             // an apology instead of JSON
	Refusal               Fault = "refusal"                  // declined, and marked as such
	Length                Fault = "length"                   // truncated at the token limit, and marked as such
	Oversized             Fault = "oversized"                // 10 MB
)

// Transient returns the faults after which another attempt may succeed.
func Transient() []Fault {
	return []Fault{RateLimited, RateLimitedRetryAfter, ServerError, Overloaded, Hang, SlowTrickle, Cut, MalformedJSON}
}

// Answered returns the faults in which a reply arrives and is billed. Oversized is not among them: whether it is
// billed is unknown.
func Answered() []Fault { return []Fault{WrongSchema, Empty, RefusalText, Refusal, Length} }

// Answer is the response of the fake endpoint or warehouse to one call.
type Answer struct {
	Fault     Fault
	Reply     string
	TokensIn  int // 0 for 11
	TokensOut int // 0 for 7

	Raw *Raw // the whole response, instead of one in the vendor's form
}

// Raw is a response as the fake endpoint writes it.
type Raw struct {
	Status int // 0 for 200
	Type   string
	Body   string
}

func (a Answer) tokens() (in, out int) {
	in, out = a.TokensIn, a.TokensOut
	if in == 0 {
		in = 11
	}
	if out == 0 {
		out = 7
	}
	return in, out
}

// text returns the reply as the fault alters it.
func (a Answer) text() string {
	switch a.Fault {
	case WrongSchema:
		return `{"unexpected": [1, 2, 3]}`
	case Empty:
		return ""
	case RefusalText, Refusal:
		return "I am sorry, but I cannot help with that."
	case Length:
		return a.Reply[:len(a.Reply)/2]
	}
	return a.Reply
}
