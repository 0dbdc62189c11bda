package preflight

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// openFiles returns the limit of open files of this process.
func openFiles() (n uint64, known bool) {
	var limit syscall.Rlimit
	err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit)
	return limit.Cur, err == nil
}

// freeBytes returns the number of bytes that can still be written below dir.
func freeBytes(dir string) (n uint64, known bool) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil || s.Bsize <= 0 {
		return 0, false
	}
	return s.Bavail * uint64(s.Bsize), true
}

// defaultRoute reports whether this machine has a default route, by which it can reach other networks.
func defaultRoute() (route, known bool) {
	four, err := os.ReadFile("/proc/net/route")
	if err != nil {
		return false, false
	}
	six, _ := os.ReadFile("/proc/net/ipv6_route") // a kernel may be without it
	return hasDefault(string(four), string(six)), true
}

// hasDefault reports whether the kernel's IPv4 and IPv6 route tables, four and six, have a default route that is up.
// Routes of type reject are ignored.
func hasDefault(four, six string) bool {
	const up, reject = 0x1, 0x200
	for line := range strings.Lines(four) {
		f := strings.Fields(line)
		if len(f) > 7 && f[1] == "00000000" && f[7] == "00000000" && flags(f[3])&(up|reject) == up {
			return true
		}
	}
	for line := range strings.Lines(six) {
		f := strings.Fields(line)
		if len(f) == 10 && strings.Trim(f[0], "0") == "" && f[1] == "00" && f[9] != "lo" && flags(f[8])&(up|reject) == up {
			return true
		}
	}
	return false
}

func flags(hex string) uint64 {
	n, _ := strconv.ParseUint(hex, 16, 64) // as the kernel writes it
	return n
}
