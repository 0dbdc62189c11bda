package main

import (
	"fmt"
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
)

// release is the version of a release build, such as v1.2.3, which the linker sets: -X
// main.release=v1.2.3. Other builds have the version that the go command derives from the commit.
var release string

// version returns the version of this build, or "development" if it is unknown.
func version() string {
	if release != "" {
		return release
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "development"
	}
	return info.Main.Version
}

// versionText returns the output of --version: the version alone on the first line, for scripts, then the details
// of the build.
func versionText() string {
	commit := "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		settings := map[string]string{}
		for _, s := range info.Settings {
			settings[s.Key] = s.Value
		}
		if r := settings["vcs.revision"]; r != "" {
			commit = r + " of " + settings["vcs.time"]
			if settings["vcs.modified"] == "true" {
				commit += ", with changes"
			}
		}
	}
	in, out := builtConnectors()
	text := fmt.Sprintf("%s\ncommit: %s\ngo: %s %s/%s\nconnectors: %s", version(), commit, runtime.Version(), runtime.GOOS,
		runtime.GOARCH, orNone(in))
	if len(out) > 0 {
		text += "\nbuilt without: " + strings.Join(out, ", ")
	}
	return text
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// builtConnectors returns the sorted names of the connectors in this build, and of those it was built without.
func builtConnectors() (in, out []string) {
	return slices.Sorted(maps.Keys(linked)), slices.Compact(slices.Sorted(maps.Values(leftOut)))
}

// checkBuilt returns an error if url needs a connector that this build lacks.
func checkBuilt(url string) error {
	scheme, _, _ := strings.Cut(url, ":")
	if connector := leftOut[scheme]; connector != "" {
		return withoutConnector(connector)
	}
	return nil
}

func withoutConnector(name string) error {
	return errcode.AsUsage(
		errcode.New(errcode.Unimplemented,
			"this badger was built without %s (build tag no_%s); badger --version names the connectors it has", name, name))
}
