//go:build !linux

package preflight

// openFiles, freeBytes and defaultRoute are known on Linux, where containers run.
func openFiles() (n uint64, known bool) { return 0, false }

func freeBytes(string) (n uint64, known bool) { return 0, false }

func defaultRoute() (route, known bool) { return false, false }
