// Package judgebackend asks one question of one model and returns one answer.
//
// A [Backend] has one method, Complete. Each kind of backend has a [Provider], which opens it, in a separate
// package: openai (any compatible endpoint, including Azure), anthropic, and inwarehouse (models inside the
// warehouse, called with a query that returns one string). A program lists the [Providers] that it is linked with,
// and [Providers.Open] opens a backend by name: "openai:gpt-4o", "anthropic:claude-sonnet-4-5", "cortex:…",
// "bigqueryai:…", "aiquery:…", "replay:FILE" (recorded replies) and "none". Packages prompt and metric decide what
// a judge is asked and what its reply means. This package ensures that a reply is paid for once, within a budget,
// from a host that the configuration names, and recorded.
//
// # Wrappers
//
// [NewStack] wraps a backend, always in this order, outermost first:
//
//	ledger         a stored reply is not paid for again
//	single flight  concurrent equal requests share one call
//	budget         calls that could exceed the budget are not made
//	record         every reply becomes an assessment
//	retry          full jitter, honors Retry-After
//	concurrency    additive increase, multiplicative decrease on 429
//	rate           limits requests and tokens per minute
//	attempt        circuit, time limit, audit line
//
// The order has reasons. A ledger hit costs nothing, so that the ledger is outside the budget. Single flight includes
// the lookup in the ledger, because an equal request could otherwise start between a miss and the call. The budget is
// outside the retries: a failed attempt that may have been billed is charged its maximum cost, and the next attempt
// must fit the budget again. Only replies are recorded, not failed attempts, so that the record is outside the retries
// as well. A request that waits between attempts has no slot, so that concurrency and rate are inside the retries and
// apply to each attempt. The time limit is innermost, because it must not include the time of waiting for a slot. The
// circuit is checked twice: before the budget, so that a run with a bad key ends quickly, and at the attempt, so that
// requests that wait for a slot are not sent.
//
// # Identities and callers
//
// [Identity] identifies the source of an answer: a backend, its model and its host. It is part of the answer, so it
// is hashed and stored. A Caller of udf/identity is a name with roles that a server has authenticated. It decides
// what may be asked, and an answer does not depend on it. This package knows at most the name of the caller that
// pays: see [WithPayer].
//
// # What leaves the machine
//
// HTTP backends share one guarded transport: the address of every request and every connection must be on the allow
// list, redirects are refused, and proxies named by the environment are ignored. The in-warehouse backends, replay
// and none have no transport at all. The SDKs' own retries, environment variables and tracing are off. Each attempt
// writes an audit line with hashes, sizes and the host, never content. Errors contain no content and no keys. With
// [OpenOptions].ShowWords, as in a command, they contain the start of the endpoint's own message, on one line and with
// the key and parts of the prompt masked. Without it, as in a server, whose errors go to its callers, their text is
// this package's own, and the log has the endpoint's message, at most once a minute.
//
// # Libraries
//
// The official SDKs (openai-go, anthropic-sdk-go) know the vendors' wire forms and follow them;
// both let a caller supply the HTTP client, which is where the guard sits. They, and HTTP itself, are
// imported by the providers' packages and not by this one, so that scoring can be built without them.
// santhosh-tekuri/jsonschema validates replies: it implements every draft, keeps numbers exact and
// passes the official suite. golang.org/x/time/rate takes the time as an argument, so that a test
// can bring its own clock. Retry and circuit are written here: cenkalti/backoff spreads its waits
// around the interval and not over it, sony/gobreaker counts failures where this circuit opens on
// the first failure of certain kinds, both read the system's clock, and either needs as much code
// around it as it saves. golang.org/x/sync/singleflight ends every caller when the first one gives
// up, which the one here does not.
package judgebackend
