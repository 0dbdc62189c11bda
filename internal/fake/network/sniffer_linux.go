package network

import (
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// own is the source address of the test's own connections, by which they are distinguished from the program's.
var own = netip.MustParseAddr("127.9.9.9")

// attempt is the first packet of a connection, or a datagram.
type attempt struct {
	protocol string // tcp, udp or the number of another one
	to       netip.AddrPort
}

// sniffer records connection attempts and datagrams. All packets of the network pass the loopback interface.
type sniffer struct {
	fd int

	mu       sync.Mutex
	attempts []attempt
	markers  map[uint16]chan struct{} // channels by port, see settle
	serial   uint16
}

// first is a packet filter on IP packets without a link header. It admits the first packet of each TCP connection and
// all packets of other protocols. Extension headers of IPv6 count as other protocols.
var first = []bpf.Instruction{
	bpf.LoadAbsolute{Off: 0, Size: 1},
	bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: 0xf0},
	bpf.JumpIf{Cond: bpf.JumpEqual, Val: 0x60, SkipTrue: 5},
	bpf.LoadAbsolute{Off: 9, Size: 1},
	bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.IPPROTO_TCP, SkipTrue: 8},
	bpf.LoadMemShift{Off: 0},
	bpf.LoadIndirect{Off: 13, Size: 1},
	bpf.Jump{Skip: 3},
	bpf.LoadAbsolute{Off: 6, Size: 1}, // IPv6
	bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.IPPROTO_TCP, SkipTrue: 3},
	bpf.LoadAbsolute{Off: 53, Size: 1},
	bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: 0x12}, // SYN and ACK
	bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: 0x02, SkipTrue: 1},
	bpf.RetConstant{Val: 0xffff},
	bpf.RetConstant{Val: 0},
}

func newSniffer(t *testing.T) *sniffer {
	t.Helper()
	all := int(binary.NativeEndian.Uint16([]byte{unix.ETH_P_ALL >> 8, unix.ETH_P_ALL & 0xff})) // in network order
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatalf("packets cannot be read: %v", err)
	}
	raw, err := bpf.Assemble(first)
	if err != nil {
		t.Fatal(err)
	}
	filter := make([]unix.SockFilter, len(raw))
	for i, r := range raw {
		filter[i] = unix.SockFilter{Code: r.Op, Jt: r.Jt, Jf: r.Jf, K: r.K}
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: (*unix.SockFilter)(unsafe.Pointer(&filter[0]))} //nolint:gosec // a few instructions
	if err := unix.SetsockoptSockFprog(fd, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &program); err != nil {
		t.Fatal(err)
	}
	if err := unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: uint16(all), Ifindex: 1}); err != nil { //nolint:gosec // two bytes
		t.Fatal(err)
	}
	s := &sniffer{fd: fd, markers: map[uint16]chan struct{}{}}
	go s.read()
	t.Cleanup(func() { unix.Close(fd) }) //nolint:errcheck // the end
	return s
}

func (s *sniffer) read() {
	packet := make([]byte, 1<<16)
	for {
		n, from, err := unix.Recvfrom(s.fd, packet, 0)
		if err != nil {
			if err == unix.EINTR { //nolint:errorlint // as the system returns it
				continue
			}
			return
		}
		if l, ok := from.(*unix.SockaddrLinklayer); ok && l.Pkttype == unix.PACKET_OUTGOING { // each comes in again
			s.take(packet[:n])
		}
	}
}

func (s *sniffer) take(p []byte) {
	var src, dst netip.Addr
	var protocol byte
	var body []byte
	switch {
	case len(p) >= 20 && p[0]>>4 == 4:
		src, _ = netip.AddrFromSlice(p[12:16])
		dst, _ = netip.AddrFromSlice(p[16:20])
		protocol, body = p[9], p[min(len(p), int(p[0]&15)*4):]
	case len(p) >= 40 && p[0]>>4 == 6:
		src, _ = netip.AddrFromSlice(p[8:24])
		dst, _ = netip.AddrFromSlice(p[24:40])
		protocol, body = p[6], p[40:]
	default:
		return
	}
	a := attempt{protocol: fmt.Sprint("protocol ", protocol), to: netip.AddrPortFrom(dst, 0)}
	if len(body) >= 4 && (protocol == unix.IPPROTO_TCP || protocol == unix.IPPROTO_UDP) {
		a.protocol = map[byte]string{unix.IPPROTO_TCP: "tcp", unix.IPPROTO_UDP: "udp"}[protocol]
		a.to = netip.AddrPortFrom(dst, binary.BigEndian.Uint16(body[2:]))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case dst == own && a.protocol == "udp":
		if c := s.markers[a.to.Port()]; c != nil {
			close(c)
			delete(s.markers, a.to.Port())
		}
		return
	case src == own, dst == own:
		return
	case protocol == unix.IPPROTO_ICMP && len(body) > 0 && body[0] == 3,
		protocol == unix.IPPROTO_ICMPV6 && len(body) > 0 && body[0] != 128:
		return // the kernel's own reply: the port is closed
	case a.protocol == "udp" && src == nameServer:
		return // the name server's answer
	}
	s.attempts = append(s.attempts, a)
}

// settle returns the recorded attempts, after all packets that were sent before have been recorded. To wait for that,
// it sends a datagram and waits until the sniffer has seen it.
func (s *sniffer) settle(t *testing.T) []attempt {
	t.Helper()
	s.mu.Lock()
	s.serial++
	port, seen := 20_000+s.serial%10_000, make(chan struct{})
	s.markers[port] = seen
	s.mu.Unlock()
	c, err := net.DialUDP("udp4", &net.UDPAddr{IP: own.AsSlice()}, &net.UDPAddr{IP: own.AsSlice(), Port: int(port)})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Write([]byte{0}); err != nil {
		t.Fatal(err)
	}
	<-seen
	if stats, err := unix.GetsockoptTpacketStats(s.fd, unix.SOL_PACKET, unix.PACKET_STATISTICS); err != nil ||
		stats.Drops > 0 {
		t.Fatalf("the record has gaps: %+v, %v", stats, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.attempts)
}

func (s *sniffer) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.attempts = nil
}
