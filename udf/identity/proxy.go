package identity

import (
	"context"
	"net/netip"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
)

// proxy trusts a header of requests that come from listed addresses.
type proxy struct {
	peers  []netip.Prefix
	header string
}

func newProxy(c Config) (identify, func(string) bool, error) {
	p := &proxy{header: canonical(c.Header)}
	if p.header == "" {
		return nil, nil, errcode.New(errcode.InvalidArgument,
			"header: mode proxy needs the name of the header that names the user, such as X-Forwarded-User")
	}
	switch p.header {
	case "Host", "Authorization", "X-Forwarded-For", "X-Request-Id", "User-Agent", "Origin", "Referer":
		return nil, nil, errcode.New(errcode.InvalidArgument, "header: %s is set by callers and does not identify the user",
			p.header)
	}
	for _, text := range c.Peers {
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			addr, err := netip.ParseAddr(text)
			if err != nil {
				return nil, nil, errcode.New(errcode.InvalidArgument,
					"peers: %.60q is neither an address nor a prefix such as 10.0.0.0/8", text)
			}
			prefix = netip.PrefixFrom(addr, addr.BitLen())
		}
		if prefix.Bits() == 0 {
			return nil, nil, errcode.New(errcode.InvalidArgument, "peers: %s is everybody", text)
		}
		p.peers = append(p.peers, prefix.Masked())
	}
	if len(p.peers) == 0 {
		return nil, nil, errcode.New(errcode.InvalidArgument, "peers: mode proxy needs the addresses of the proxies")
	}
	lower := strings.ToLower(p.header)
	return p, func(h string) bool { return h == lower }, nil
}

func (p *proxy) identify(_ context.Context, r *Request) (string, error) {
	peer := r.Peer.Unmap().WithZone("")
	listed := false
	for _, prefix := range p.peers {
		listed = listed || prefix.Contains(peer)
	}
	if !listed {
		return "", errcode.New(errcode.Unauthenticated, "calls come through the proxy only")
	}
	return userIn(r, p.header)
}

// userIn returns the user that a header names. A missing or duplicate header is an error.
func userIn(r *Request, header string) (string, error) {
	name, err := one(r, header)
	if err == nil && name == "" {
		err = errcode.New(errcode.Unauthenticated, "the header %s, which names the user, is missing", header)
	}
	return name, err
}

func (p *proxy) String() string {
	var peers []string
	for _, prefix := range p.peers {
		peers = append(peers, prefix.String())
	}
	return "proxy (" + p.header + " from " + strings.Join(peers, ", ") + ")"
}

func (p *proxy) err() error { return nil }
