package preflight

import "testing"

// Tables of routes as the kernel writes them: proc(5), and net/ipv6/route.c.
func TestDefaultRoute(t *testing.T) {
	const head = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"
	for _, tc := range []struct {
		why, four, six string
		want           bool
	}{
		{"none", head, "", false},
		{"a network of its own", head + "eth0\t0000A8C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n", "", false},
		{"a gateway", head + "eth0\t00000000\t0100A8C0\t0003\t0\t0\t0\t00000000\t0\t0\t0\n", "", true},
		{"one that rejects", head + "*\t00000000\t00000000\t0201\t0\t0\t0\t00000000\t0\t0\t0\n", "", false},
		{"IPv6", head, "00000000000000000000000000000000 00 00000000000000000000000000000000 00 fe800000000000000000000000000001 00000400 00000001 00000000 00000003     eth0\n", true},
		{"IPv6, of the kernel itself, which rejects", head, "00000000000000000000000000000000 00 00000000000000000000000000000000 00 00000000000000000000000000000000 ffffffff 00000001 00000000 00200200       lo\n", false},
	} {
		if got := hasDefault(tc.four, tc.six); got != tc.want {
			t.Errorf("%s: %v, want %v", tc.why, got, tc.want)
		}
	}
}
