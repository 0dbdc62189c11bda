// Package network runs a program under test in an isolated network, and records its actions: every connection it
// attempts, every name it looks up, and every file it writes.
//
// The network is a Linux network namespace in which every IPv4 and IPv6 address is local. A connection to any
// address therefore stays inside and is recorded, whether or not it is accepted. The only name server is the
// test's: it resolves only the names that the test serves. The program sees the machine's files through an overlay,
// so that every change is recorded. The namespaces need root or unprivileged user namespaces; if neither is allowed
// the test is skipped.
package network
