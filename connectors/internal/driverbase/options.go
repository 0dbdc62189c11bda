package driverbase

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
)

// Options maps names to the options of a connector's URLs. A name that ends in a dot, such as "param.", represents all
// names with that prefix.
type Options map[string]Option

// Option is an option of a URL.
type Option struct {
	takes string                        // the valid values, for errors: "a positive number"
	set   func(name, value string) bool // stores a value; false if it is invalid
}

// Read sets the options of a URL's query. Each must be given at most once, and none may be empty. The error has the
// code InvalidArgument, begins with the connector's name and shows no values, which may be secrets.
func (o Options) Read(connector, query string) error {
	invalid := func(format string, args ...any) error {
		return errcode.New(errcode.InvalidArgument, connector+": "+format, args...)
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return invalid("the options after ? are malformed; expected OPTION=VALUE joined by &")
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		key, rest := name, ""
		if before, after, several := strings.Cut(name, "."); several {
			key, rest = before+".", after
		}
		option, known := o[key]
		known = known && (rest != "" || !strings.HasSuffix(key, "."))
		switch v := values[name]; {
		case !known && driver.SecretOption(name):
			return invalid("a URL appears in logs and must not contain %.40s: name a file or an environment variable", name)
		case !known:
			return invalid("unknown option %.40q; there are %s", name, o.names())
		case len(v) != 1:
			return invalid("option %.40s is given %d times", name, len(v))
		case v[0] == "" && rest == "":
			return invalid("option %s: expected %s", name, option.takes)
		case !option.set(rest, v[0]):
			return invalid("option %.40s: expected %s", name, option.takes)
		}
	}
	return nil
}

func (o Options) names() string {
	names := slices.Sorted(maps.Keys(o))
	for i, n := range names {
		if strings.HasSuffix(n, ".") {
			names[i] += "NAME"
		}
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// Takes returns an option whose values set stores; set returns false for an invalid value. what describes the valid
// ones.
func Takes(what string, set func(value string) bool) Option {
	return Option{what, func(_, value string) bool { return set(value) }}
}

// Text returns an option for any value.
func Text(to *string) Option {
	return Takes("a value", func(v string) bool { *to = v; return true })
}

// Bool returns an option for the boolean values of [strconv.ParseBool], such as true and false.
func Bool(to *bool) Option {
	return Takes("true or false", func(v string) (ok bool) {
		b, err := strconv.ParseBool(v)
		*to = b
		return err == nil
	})
}

// Positive returns an option for an integer of at least 1; what describes it, such as "a positive number of bytes".
func Positive[T int | int64](to *T, what string) Option {
	return Takes(what, func(v string) bool {
		n, err := strconv.ParseInt(v, 10, strconv.IntSize)
		*to = T(n)
		return err == nil && n > 0
	})
}

// Port returns an option for a port number.
func Port(to *int) Option {
	return Takes("a number from 1 to 65535", func(v string) bool {
		n, err := strconv.ParseUint(v, 10, 16)
		*to = int(n) //nolint:gosec // 16 bits
		return err == nil && n > 0
	})
}

// Duration returns an option for a duration of at least least; what describes the valid values.
func Duration(to *time.Duration, least time.Duration, what string) Option {
	return Takes(what, func(v string) bool {
		d, err := time.ParseDuration(v)
		*to = d
		return err == nil && d >= least
	})
}

// Choice returns an option for one of some words in lower case, which may be written in any case.
func Choice[T ~string](to *T, words ...T) Option {
	all := string(words[0])
	for i, w := range words[1:] {
		if i+2 == len(words) {
			all += " or " + string(w)
		} else {
			all += ", " + string(w)
		}
	}
	return Takes(all, func(v string) bool { *to = T(strings.ToLower(v)); return slices.Contains(words, *to) })
}

// Proxy returns an option for the address of a proxy, see [driver.ParseProxy].
func Proxy(to **url.URL) Option {
	return Takes(driver.WantProxy, func(v string) bool {
		u, err := driver.ParseProxy(v)
		*to = u
		return err == nil
	})
}

// Each returns an option for all names with a prefix. It stores the values by the rest of the name.
func Each(to *map[string]string) Option {
	return Option{"a value", func(name, value string) bool {
		if *to == nil {
			*to = map[string]string{}
		}
		(*to)[name] = value
		return true
	}}
}
