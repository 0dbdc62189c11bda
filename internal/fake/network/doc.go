// Package network makes a network of its own for a program under test, and records what the
// program does with it: every connection it attempts, every name it looks up, and every file it
// writes.
//
// The network is a Linux network namespace in which every address of IPv4 and IPv6 is this
// machine's. A connection to any address therefore ends inside, and is seen, whether or not
// somebody answers. The only name server is the test's: it knows the names that the test serves and
// no others. The program sees the machine's files through an overlay, so that every change shows.
// The namespaces need root or unprivileged user namespaces; if neither is allowed the test is
// skipped.
package network
