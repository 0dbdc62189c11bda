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

// Options are the options of a connector's URLs by their names. A name that ends in a point, such
// as "param.", is the beginning of many.
type Options map[string]Option

// Option is an option of a URL.
type Option struct {
	takes string                        // for errors: "a positive number"
	set   func(name, value string) bool // false for what it does not take
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

// Takes is an option that set takes; what it takes is for errors, such as "a number".
func Takes(what string, set func(value string) bool) Option {
	return Option{what, func(_, value string) bool { return set(value) }}
}

// Text takes any text.
func Text(to *string) Option {
	return Takes("a value", func(v string) bool { *to = v; return true })
}

// Bool takes true or false.
func Bool(to *bool) Option {
	return Takes("true or false", func(v string) (ok bool) {
		b, err := strconv.ParseBool(v)
		*to = b
		return err == nil
	})
}

// Positive takes a whole number from 1 on; what names its unit: "a positive number of bytes".
func Positive[T int | int64](to *T, what string) Option {
	return Takes(what, func(v string) bool {
		n, err := strconv.ParseInt(v, 10, strconv.IntSize)
		*to = T(n)
		return err == nil && n > 0
	})
}

// Port takes the number of a port.
func Port(to *int) Option {
	return Takes("a number from 1 to 65535", func(v string) bool {
		n, err := strconv.ParseUint(v, 10, 16)
		*to = int(n) //nolint:gosec // 16 bits
		return err == nil && n > 0
	})
}

// Duration takes a duration of at least so much; what describes its form.
func Duration(to *time.Duration, least time.Duration, what string) Option {
	return Takes(what, func(v string) bool {
		d, err := time.ParseDuration(v)
		*to = d
		return err == nil && d >= least
	})
}

// Choice takes one of some words, in any case of letters.
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

// Proxy takes the address of a proxy, see [driver.ParseProxy].
func Proxy(to **url.URL) Option {
	return Takes(driver.WantProxy, func(v string) bool {
		u, err := driver.ParseProxy(v)
		*to = u
		return err == nil
	})
}

// Each takes any text for each of the names that begin alike.
func Each(to *map[string]string) Option {
	return Option{"a value", func(name, value string) bool {
		if *to == nil {
			*to = map[string]string{}
		}
		(*to)[name] = value
		return true
	}}
}
