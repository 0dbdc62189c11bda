package preflight

import (
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/connectors/doctor"
)

// machine checks the process: its memory limit, its limit of open files, and the user that it runs as.
func machine(getenv func(string) string) []doctor.Check {
	checks := []doctor.Check{memoryCheck(getenv("GOMEMLIMIT"), memoryLimit("/sys/fs/cgroup"))}
	const few = 4096
	switch n, known := openFiles(); {
	case !known:
		checks = append(checks,
			doctor.Check{Name: "open files", Status: doctor.Skipped, Detail: "the limit is not known here"})
	case n < few:
		checks = append(checks,
			doctor.Check{Name: "open files", Status: doctor.Warning, Detail: "the limit is " + strconv.FormatUint(n, 10),
				Fix: "raise it to " + strconv.Itoa(few) + " or more: each caller and each question of a judge is a connection"})
	default:
		checks = append(checks,
			doctor.Check{Name: "open files", Status: doctor.OK, Detail: "the limit is " + strconv.FormatUint(n, 10)})
	}
	if uid := os.Getuid(); uid == 0 {
		return append(checks,
			doctor.Check{Name: "user", Status: doctor.Warning, Detail: "this runs as root",
				Fix: "run it as another user: badger needs no rights of root"})
	}
	return append(checks,
		doctor.Check{Name: "user", Status: doctor.OK,
			Detail: "user " + strconv.Itoa(os.Getuid()) + ", group " + strconv.Itoa(os.Getgid())})
}

// memoryCheck compares the container's memory limit in bytes (0: none) with that of the Go runtime. variable is the
// value of GOMEMLIMIT, for messages.
func memoryCheck(variable string, limit uint64) doctor.Check {
	const name = "memory"
	gc := debug.SetMemoryLimit(-1) // only asks
	switch {
	case limit == 0:
		return doctor.Check{Name: name, Status: doctor.OK, Detail: "no limit of a container is seen"}
	case gc == math.MaxInt64:
		return doctor.Check{
			Name: name, Status: doctor.Warning,
			Detail: "the container's limit is " + mebibytes(limit) + ", and GOMEMLIMIT is not set",
			Fix: "set GOMEMLIMIT to about 80 % of the limit, such as " + strconv.FormatUint(limit/10*8>>20, 10) +
				"MiB: the runtime then collects garbage before the container is killed",
		}
	case uint64(gc) > limit/20*19: //nolint:gosec // above 0
		return doctor.Check{Name: name, Status: doctor.Warning,
			Detail: "GOMEMLIMIT=" + variable + " leaves nothing of the container's " + mebibytes(limit) +
				" for the embedded engine", Fix: "set GOMEMLIMIT to about 80 % of the limit"}
	}
	return doctor.Check{Name: name, Status: doctor.OK,
		Detail: "the container's limit is " + mebibytes(limit) + ", GOMEMLIMIT=" + variable}
}

// memoryLimit returns the memory limit in bytes of a control group (version 2 or 1) with its files below root, or 0 if
// it has no limit.
func memoryLimit(root string) uint64 {
	for _, file := range []string{"memory.max", "memory/memory.limit_in_bytes"} {
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			continue
		}
		n, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
		if err != nil || n > 1<<60 { // "max", and version 1's largest number
			return 0
		}
		return n
	}
	return 0
}
