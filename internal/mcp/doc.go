// Package mcp gives agents read-only tools over golden sets and runs, by the Model Context Protocol.
//
// The tools are [Server]'s files: check_answer, explain_case, compare_runs, failing_cases and golden_gaps. They score
// with the engine and read what other commands read; nothing is scored here.
//
// Agents that see the tools are also the agents that are evaluated, so a caller is treated as an adversary who wants
// the gold answers. Unless show_gold is configured, a reply depends on the gold answer of a case only by an [Outcome],
// one of a few words, and every outcome that a caller sees is counted before it is shown ([Ledger]): a caller learns
// at most log2(number of outcomes) bits with each. Replies that have the same outcome are the same bytes, and leave at
// one of few times ([pace]).
//
// The protocol is spoken by github.com/modelcontextprotocol/go-sdk, the official SDK: the protocol has four versions in
// use and a transport whose details differ between them, and what hosts send is what the SDK's authors test against.
// It adds 15 small packages and no service. Its tools of typed Go functions are not used: arguments are read
// here, since numbers of a result must keep every digit.
package mcp
