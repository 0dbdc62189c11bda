// Package calm keeps the Snowflake driver from doing what nobody asked for when a program starts:
// unpacking and loading a native library, and asking the metadata servers of three clouds what
// machine this is. Both are switched by environment variables, the first of which is read when the
// driver's package is initialised; this package imports nothing of it and is therefore initialised
// before. A variable that is set already stays as it is.
package calm

import "os"

func init() {
	for _, name := range []string{"SF_DISABLE_MINICORE", "SNOWFLAKE_DISABLE_PLATFORM_DETECTION"} {
		if _, set := os.LookupEnv(name); !set {
			_ = os.Setenv(name, "true")
		}
	}
}
