// Package custom loads judge files as metrics, so that users can add a judge without compiling the program.
//
// A judge file is of one of four kinds. All have the same header (name, version, summary, needs, range, threshold,
// config), and each becomes a [scoring.Metric], which the rest of the program treats like any other:
//
//   - starlark: process_row(row, config) in Starlark, a dialect of Python, which may ask a model with llm_complete
//   - expression: Starlark expressions for value, label, reason and other members of a score
//   - prompt: a prompt with a JSON Schema of the reply, and expressions that convert the reply to a score
//   - sql: a query of an embedded engine over the case and its results
//
// A judge sees only the parts of a case that its needs name. So it gives the same result wherever it is called
// from, and the arguments of its SQL function follow from its header.
//
// # What a script can and cannot do
//
// Scripts have no files, no network, no clock, no random numbers, no load statement and no recursion. These are
// limited:
//
//   - steps: the interpreter's own count, plus the work of operators, built-in functions, methods, regular
//     expressions and comparisons, by the size of their operands;
//   - memory: strings, lists and other values are charged to a budget before they are created, cumulatively,
//     whether they are still referenced or not. The interpreter's memory for each of its own steps (about 30 bytes)
//     is not charged;
//   - integers have at most 4096 bits, decimals 1000 digits;
//   - the size of a script's output: the reason, label and detail, and its prompts.
//
// Starlark itself limits only steps. For the other limits, a script's syntax tree is rewritten before it is
// compiled: every operator, slice, attribute, index and call of a built-in function becomes a call of a function
// that charges the budget. Tables are never copied: a row is created when the script accesses it. The cancellation
// of the context ends a script at its next step.
//
// # Libraries
//
// go.starlark.net is the reference implementation in Go of Starlark, a language for embedding: deterministic, without
// side effects, with exact integers, and similar to Python. Expressions are Starlark too, so that there is one sandbox
// and one set of functions, and decimals and 64-bit integers are exact.
package custom
