// Package custom makes metrics of judge files, so that a practitioner adds a judge without
// compiling anything.
//
// A judge file is of one of four kinds. All have the same header (name, version, summary, needs,
// range, threshold, config) and all become a [scoring.Metric], data and one function, which engine,
// runs, SQL functions, wires and reports treat like any other:
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
// Scripts have no files, no network, no clock, no random numbers, no load and no recursion. Bounded
// are:
//
//   - steps: the interpreter's own count, plus the work of operators, built-in functions, methods, regular
//     expressions and comparisons, by the size of their operands;
//   - memory: strings, lists and other values are charged to a budget before they are created, cumulatively,
//     whether they are still referenced or not. The interpreter's memory for each of its own steps (about 30 bytes)
//     is not charged;
//   - integers have at most 4096 bits, decimals 1000 digits;
//   - what leaves a script: reason, label and detail, and the prompts it sends.
//
// Starlark itself bounds only steps. The rest is done by rewriting a script's syntax tree before it
// is compiled: every operator, slice, attribute, index and built-in function becomes a call of one
// that knows the budget. Tables are never copied: rows are made when they are examined. The
// cancellation of the context ends a script at its next step.
//
// # Libraries
//
// go.starlark.net is the reference implementation in Go of a language made for being embedded:
// deterministic, without side effects, with exact integers, readable by anyone who knows Python.
// Expressions are Starlark too, and not another language, so that there is one sandbox to prove,
// one table of functions to learn, and decimals and 64-bit integers stay exact.
package custom
