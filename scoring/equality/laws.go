package equality

import "slices"

// Laws lists the laws in the order of the page. A law that is not listed has no pairs, and the reverse: a test holds that.
func Laws() []Law { return slices.Concat(laws, relationLaws) }

var laws = []Law{
	{
		Name: "non_finite", About: "Numbers",
		Says: "Infinity equals only itself, and minus infinity likewise. It is near no number and no multiple or sum of one. NaN counts as NULL, as in the BADGER paper, and not as 0.",
	},
}
