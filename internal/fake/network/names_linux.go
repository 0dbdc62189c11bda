package network

import (
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// nameServer is the address of the name server.
var nameServer = netip.MustParseAddr("10.53.0.53")

// names is the name server of the test. It resolves only the names that the test serves.
type names struct {
	mu    sync.Mutex
	addrs map[string]netip.Addr // addresses by name in lower case
	asked []string              // names that were looked up, in order
}

func newNames(t *testing.T) *names {
	t.Helper()
	n := &names{addrs: map[string]netip.Addr{}}
	c, err := net.ListenUDP("udp4", &net.UDPAddr{IP: nameServer.AsSlice(), Port: 53})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	go func() {
		buffer := make([]byte, 4096)
		for {
			size, from, err := c.ReadFromUDP(buffer)
			if err != nil {
				return
			}
			if answer, err := n.answer(buffer[:size]); err == nil {
				_, _ = c.WriteToUDP(answer, from)
			}
		}
	}()
	return n
}

// answer returns the reply to a DNS query: the IPv4 address of a known name, no record for other types, or that the
// name does not exist.
func (n *names) answer(query []byte) ([]byte, error) {
	var m dnsmessage.Message
	if err := m.Unpack(query); err != nil || len(m.Questions) != 1 {
		return nil, err
	}
	q := m.Questions[0]
	name := strings.ToLower(strings.TrimSuffix(q.Name.String(), "."))
	n.mu.Lock()
	n.asked = append(n.asked, name)
	addr, known := n.addrs[name]
	n.mu.Unlock()
	m = dnsmessage.Message{
		Header:    dnsmessage.Header{ID: m.ID, Response: true, RecursionDesired: true, RecursionAvailable: true},
		Questions: m.Questions}
	switch {
	case !known:
		m.RCode = dnsmessage.RCodeNameError
	case q.Type == dnsmessage.TypeA:
		m.Answers = []dnsmessage.Resource{
			{Header: dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class, TTL: 60},
				Body: &dnsmessage.AResource{A: addr.As4()}}}
	}
	return m.Pack()
}
