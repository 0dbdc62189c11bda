"""The component sets of SQL queries by sqlglot, an independent parser.

Written from the definition in components.go (type Components), not from the Go code, so that the two can be compared.
sqlglot is used for the structure alone: its tables of known functions are emptied, so that it keeps names and arguments
as they are written.

Reads JSON lines {"id", "dialect", "sql"} from standard input, writes one line per query to standard output:
{"id", "components": {"select": [...], ..., "keywords": [...]}, "inner": [{...}, ...]} or {"id", "error": "..."};
"inner" has the sets, tables excepted, of every query inside, as if each were a final one.
"""

import json
import logging
import re
import sys

import sqlglot
from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.tokens import TokenType

logging.disable(logging.CRITICAL)
sys.setrecursionlimit(20000)

# The aggregate functions of functions.go, for what GROUP BY ALL and aliases in GROUP BY stand for.
AGGREGATES = set(
    """any_value approx_count_distinct approx_distinct approx_percentile approx_quantile approx_quantiles
    approx_top_count approx_top_k approx_top_sum array_agg array_concat_agg array_union_agg array_unique_agg avg bit_and
    bit_or bit_xor bitand_agg bitor_agg bitxor_agg bool_and bool_or booland_agg boolor_agg checksum_agg collect_list
    collect_set corr count count_big count_if countif covar_pop covar_samp every first group_concat grouping
    grouping_id hash_agg hll hll_count json_agg json_arrayagg json_group_array json_group_object json_object_agg
    json_objectagg jsonb_agg jsonb_object_agg kurtosis last list listagg logical_and logical_or max max_by maxby mean
    median min min_by minby mode object_agg percentile percentile_approx percentile_cont percentile_disc product
    quantile quantile_cont quantile_disc regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx
    regr_sxy regr_syy skew skewness some std stddev stddev_pop stddev_samp stdev stdevp string_agg sum sum_distinct
    total try_avg try_sum var var_pop var_samp variance varp xmlagg arg_max arg_min argmax argmin""".split()
)

TYPE_CLASSES = {
    "int": "INT BIGINT SMALLINT TINYINT MEDIUMINT INT128",
    "float": "FLOAT DOUBLE",
    "decimal": "DECIMAL BIGDECIMAL MONEY BIGNUM",
    "text": "TEXT VARCHAR CHAR NVARCHAR NCHAR BPCHAR NAME TINYTEXT MEDIUMTEXT LONGTEXT",
    "bool": "BOOLEAN",
    "date": "DATE",
    "time": "TIME",
    "timestamp": "TIMESTAMP TIMESTAMPTZ TIMESTAMPNTZ TIMESTAMPLTZ DATETIME DATETIME2 SMALLDATETIME",
    "bytes": "BINARY VARBINARY BLOB TINYBLOB MEDIUMBLOB LONGBLOB",
    "json": "JSON JSONB VARIANT SUPER",
}
CLASS_OF = {name: c for c, names in TYPE_CLASSES.items() for name in names.split()}

# Precedences of the definition, loosest first.
OR, XOR, AND, NOT, COMPARE, OTHER, SUM, PRODUCT, POWER, ARROW, UNARY, POSTFIX, ATOM = range(1, 14)

BINARY = {
    exp.EQ: ("=", COMPARE), exp.NEQ: ("<>", COMPARE), exp.LT: ("<", COMPARE), exp.LTE: ("<=", COMPARE),
    exp.GT: (">", COMPARE), exp.GTE: (">=", COMPARE), exp.NullSafeEQ: ("is not distinct from", COMPARE),
    exp.NullSafeNEQ: ("is distinct from", COMPARE), exp.Overlaps: ("overlaps", COMPARE),
    exp.DPipe: ("||", OTHER), exp.BitwiseAnd: ("&", OTHER), exp.BitwiseOr: ("|", OTHER), exp.BitwiseXor: ("^", POWER),
    exp.BitwiseLeftShift: ("<<", OTHER), exp.BitwiseRightShift: (">>", OTHER),
    exp.Add: ("+", SUM), exp.Sub: ("-", SUM), exp.Mul: ("*", PRODUCT), exp.Div: ("/", PRODUCT), exp.Mod: ("%", PRODUCT),
    exp.IntDiv: ("div", PRODUCT), exp.Pow: ("^", POWER), exp.Xor: ("xor", XOR),
    exp.Collate: ("collate", POSTFIX), exp.AtTimeZone: ("at time zone", POSTFIX),
}  # fmt: skip
COMPARISONS = {  # operator: (negated, mirrored)
    "=": ("<>", "="), "<>": ("=", "<>"), "<": (">=", ">"), "<=": (">", ">="), ">": ("<=", "<"), ">=": ("<", "<="),
    "is distinct from": ("is not distinct from", "is distinct from"),
    "is not distinct from": ("is distinct from", "is not distinct from"),
}  # fmt: skip
LIKES = {
    exp.Like: "like", exp.ILike: "ilike", exp.RegexpLike: "regexp", exp.Glob: "glob", exp.SimilarTo: "similar to",
    exp.Match: "match",
}  # fmt: skip
NULLARY = (exp.CurrentDate, exp.CurrentTime, exp.CurrentTimestamp, exp.CurrentDatetime, exp.CurrentUser,
           exp.Localtime, exp.Localtimestamp, exp.SessionUser)  # fmt: skip
UNITS = {"year", "quarter", "month", "week", "day", "hour", "minute", "second", "millisecond", "microsecond", "nanosecond"}


def plain_dialect(name):
    """A dialect of sqlglot that knows no functions and remembers which joins are commas."""
    base = type(Dialect.get_or_raise(name))
    parser = base.parser_class

    def parse_join(self, *args, **kwargs):
        comma = self._curr is not None and self._curr.token_type == TokenType.COMMA
        join = parser._parse_join(self, *args, **kwargs)
        if join is not None and comma:
            join.meta["comma"] = True
        return join

    plain = type("Parser", (parser,), {
        "FUNCTIONS": {},
        "FUNCTION_PARSERS": {k: v for k, v in parser.FUNCTION_PARSERS.items()
                             if k in ("CAST", "TRY_CAST", "SAFE_CAST", "EXTRACT", "ARRAY", "POSITION", "OVERLAY")},
        "NO_PAREN_FUNCTION_PARSERS": {k: v for k, v in parser.NO_PAREN_FUNCTION_PARSERS.items() if k in ("ANY", "CASE")},
        "_parse_join": parse_join,
    })  # fmt: skip
    return type("Plain" + name.title(), (base,), {"Parser": plain})


DIALECTS = {}


def dialect_of(name):
    if name not in DIALECTS:
        DIALECTS[name] = plain_dialect(name)
    return DIALECTS[name]


def strip_prefix(name):
    """sales__amount is amount: cut before the last double underscore with text on both sides."""
    for i in range(len(name) - 3, 0, -1):
        if name[i : i + 2] == "__":
            return name[i + 2 :]
    return name


def column_name(name):
    name = strip_prefix(name)
    if re.fullmatch(r"(?:[^\W\d][\w$]*|\$\w+)", name):
        return name.lower()
    return '"' + name.lower().replace('"', '""') + '"'


def string(s):
    return "'" + s.replace("'", "''") + "'"


def is_query(e):
    return isinstance(e, (exp.Query, exp.Subquery, exp.Values))


def has_query(e):
    return isinstance(e, exp.Expression) and e.find(exp.Select, exp.SetOperation) is not None


def unparen(e):
    while isinstance(e, exp.Paren):
        e = e.this
    return e


def constant(e):
    e = unparen(e)
    while isinstance(e, (exp.Cast, exp.Neg)):
        e = unparen(e.this)
    return isinstance(e, (exp.Literal, exp.Boolean, exp.Null))


def walk(e):
    """The nodes of an expression, nested queries left out."""
    yield e
    if isinstance(e, (exp.Select, exp.SetOperation)):
        return
    for child in e.iter_expressions():
        yield from walk(child)


class Normal:
    """Writes expressions in the normal form."""

    def __init__(self, dialect, sql):
        self.dialect, self.sql, self.windows = dialect, sql, {}

    # -- names and literals

    def double_quoted(self, e):
        """Tells whether e is an unqualified column in double quotes, which SQLite may read as a string."""
        e = unparen(e)
        return self.dialect == "sqlite" and isinstance(e, exp.Column) and len(e.parts) == 1 and self.ends_double(e)

    def ends_double(self, e):
        """Tells whether e is a column whose own name is in double quotes."""
        e = unparen(e)
        if not isinstance(e, exp.Column) or not isinstance(e.this, exp.Identifier) or not e.this.args.get("quoted"):
            return False
        start = e.this.meta.get("start")
        return start is not None and self.sql[start : start + 1] == '"'

    def value(self, e, left=None):
        """The text of an operand that is expected to be a value."""
        if self.double_quoted(e) and not (left is not None and self.ends_double(left)):
            return string(unparen(e).name)
        return self.text(e)

    # -- expressions

    def text(self, e, level=0):
        e = unparen(e)
        s, own = self.write(e)
        return "(" + s + ")" if own < level else s

    def list(self, es):
        return ", ".join(self.text(e) for e in es)

    def write(self, e):
        """The text of e and its precedence."""
        t = type(e)
        if isinstance(e, (exp.Subquery, exp.Select, exp.SetOperation)):
            return "subquery", ATOM
        if t is exp.Column:
            if isinstance(e.this, exp.Star):
                return self.star(e.this), ATOM
            if isinstance(e.this, exp.Parameter):
                return "$" + e.this.name.lower(), ATOM
            return column_name(e.name), ATOM
        if t is exp.Identifier:
            return column_name(e.name), ATOM
        if t is exp.Star:
            return self.star(e), ATOM
        if t is exp.Literal:
            return (string(e.this) if e.is_string else e.this.lower()), ATOM
        if t is exp.Boolean:
            return ("true" if e.this else "false"), ATOM
        if t is exp.Null:
            return "null", ATOM
        if t is exp.RawString:
            return string(e.this), ATOM
        if t in (exp.And, exp.Or):
            level, word = (AND, " and ") if t is exp.And else (OR, " or ")
            parts = []
            self.chain(e, t, parts)
            return word.join(self.text(x, level + 1) for x in parts), level
        if t is exp.Not:
            return self.negation(e)
        if t is exp.Neg:
            inner = self.text(e.this, UNARY)
            return "-" + (" " if inner[:1] in "-+~.@" else "") + inner, UNARY
        if t is exp.BitwiseNot:
            return "~" + self.text(e.this, UNARY), UNARY
        if t in BINARY:
            return self.binary(e)
        if t in (exp.In, exp.Between, exp.Is, exp.Escape) or t in LIKES:
            x, op, value = self.predicate(e, False)
            return " ".join((self.text(x, COMPARE), op, value)), COMPARE
        if t is exp.Exists:
            return "exists(subquery)", ATOM
        if t is exp.Case:
            return self.case(e), ATOM
        if t in (exp.Cast, exp.TryCast):
            return self.cast(e), ATOM
        if t is exp.Interval:
            return self.interval(e), UNARY
        if t is exp.Extract:
            part = e.this.name.lower() if isinstance(e.this, (exp.Var, exp.Column)) else self.text(e.this)
            return "extract(" + part + " from " + self.text(e.expression, COMPARE + 1) + ")", ATOM
        if t is exp.StrPosition:
            return "position(" + self.text(e.args["substr"], COMPARE + 1) + " in " + self.text(e.this, COMPARE + 1) + ")", ATOM
        if t is exp.Anonymous:
            return self.call(e.name.lower(), e.expressions), ATOM
        if t is exp.SafeFunc:
            inner, own = self.write(e.this)
            return "safe." + inner, own
        if t is exp.Dot:
            return self.dot(e), ATOM
        if isinstance(e, NULLARY):
            return re.sub(r"(?<!^)(?=[A-Z])", "_", t.__name__).lower() + "()", ATOM
        if t in (exp.Window, exp.WithinGroup, exp.Filter, exp.IgnoreNulls, exp.RespectNulls):
            return self.after_call(e), ATOM
        if t is exp.Distinct:
            return "distinct " + self.list(e.expressions), 0
        if t is exp.Tuple:
            return "(" + self.list(e.expressions) + ")", ATOM
        if t is exp.Array:
            if len(e.expressions) == 1 and isinstance(e.expressions[0], (exp.Select, exp.SetOperation)):
                return "array(subquery)", ATOM
            return "array[" + self.list(e.expressions) + "]", ATOM
        if t is exp.Struct:
            return "struct(" + self.list(e.expressions) + ")", ATOM
        if t in (exp.Alias, exp.PropertyEQ):
            value, name = (e.this, e.alias) if t is exp.Alias else (e.expression, e.name)
            return self.text(value) + " as " + column_name(name), 0
        if t is exp.Bracket:
            return self.bracket(e), ATOM
        if t is exp.JSONExtract and e.args.get("variant_extract"):
            return self.path(e), ATOM
        if t is exp.Kwarg:
            return e.this.name.lower() + " => " + self.text(e.expression), 0
        if t is exp.Lambda:
            params = [column_name(p.name) for p in e.expressions]
            return (params[0] if len(params) == 1 else "(" + ", ".join(params) + ")") + " -> " + self.text(e.this), 0
        if t is exp.Parameter:
            return "@" + e.name.lower(), ATOM
        if t is exp.Var:
            return e.name.lower(), ATOM
        if t is exp.Unnest:
            return "unnest(" + self.list(e.expressions) + ")", ATOM
        raise NotImplementedError(t.__name__)

    def chain(self, e, t, parts):
        for x in (e.this, e.expression):
            x = unparen(x)
            if isinstance(x, t):
                self.chain(x, t, parts)
            else:
                parts.append(x)

    def binary(self, e):
        op, level = BINARY[type(e)]
        if isinstance(e, exp.AtTimeZone):
            return self.text(e.this, level) + " at time zone " + self.text(e.args["zone"], UNARY), level
        right = unparen(e.expression)
        if isinstance(right, (exp.Any, exp.All)):
            word = "any" if isinstance(right, exp.Any) else "all"
            inner = self.text(right.this)
            inner = inner if isinstance(unparen(right.this), exp.Tuple) else "(" + inner + ")"
            return self.text(e.this, level) + " " + op + " " + word + inner, level
        r = self.text(right, level + 1)
        if level == COMPARE and self.double_quoted(right) and not self.ends_double(e.this):
            r = string(right.name)
        return self.text(e.this, level) + " " + op + " " + r, level

    def negation(self, e):
        inner = unparen(e.this)
        if isinstance(inner, (exp.In, exp.Between, exp.Is, exp.Escape)) or type(inner) in LIKES:
            x, op, value = self.predicate(inner, True)
            return " ".join((self.text(x, COMPARE), op, value)), COMPARE
        return "not " + self.text(inner, NOT), NOT

    def predicate(self, e, negated):
        """The operand, operator and value of IN, BETWEEN, IS and the pattern predicates."""
        no = "not " if negated else ""
        if isinstance(e, exp.Is):
            return e.this, "is not" if negated else "is", self.text(e.expression, COMPARE + 1)
        if isinstance(e, exp.Between):
            low, high = (self.value(e.args[k], e.this) if self.double_quoted(e.args[k]) else self.text(e.args[k], COMPARE + 1)
                         for k in ("low", "high"))  # fmt: skip
            return e.this, no + "between", low + " and " + high
        if isinstance(e, exp.In):
            return e.this, no + "in", self.in_set(e)
        escape = ""
        if isinstance(e, exp.Escape):
            escape = " escape " + self.text(e.expression, COMPARE + 1)
            e = e.this
        if e.args.get("negate"):
            no = "" if negated else "not "
        op, pattern, quantifier = LIKES[type(e)], unparen(e.expression), ""
        if isinstance(pattern, (exp.Any, exp.All)):
            quantifier = " any" if isinstance(pattern, exp.Any) else " all"
            inner = unparen(pattern.this)
            return e.this, no + op + quantifier, self.text(inner) if isinstance(inner, exp.Tuple) else "(" + self.text(inner) + ")"
        value = string(pattern.name) if self.double_quoted(pattern) and not self.ends_double(e.this) else self.text(pattern, COMPARE + 1)
        return e.this, no + op, value + escape

    def in_set(self, e):
        if e.args.get("query") is not None:
            return "subquery"
        if e.args.get("unnest") is not None:
            return self.text(e.args["unnest"])
        if e.args.get("field") is not None:
            return self.text(e.args["field"], COMPARE + 1)
        if len(e.expressions) == 1 and isinstance(unparen(e.expressions[0]), (exp.Select, exp.SetOperation, exp.Subquery)):
            return "subquery"
        return "(" + ", ".join(sorted({self.value(x) for x in e.expressions}, key=lambda s: s.encode())) + ")"

    def case(self, e):
        s = "case"
        if e.this is not None:
            s += " " + self.text(e.this)
        for branch in e.args["ifs"]:
            s += " when " + self.text(branch.this) + " then " + self.value(branch.args["true"])
        if e.args.get("default") is not None:
            s += " else " + self.value(e.args["default"])
        return s + " end"

    def cast(self, e):
        to = e.to
        if isinstance(e.this, (exp.Struct, exp.Array)) and to.this in (exp.DType.STRUCT, exp.DType.ARRAY):
            return self.text(e.this)  # STRUCT<…>(…) and ARRAY<…>[…]
        name = to.this.name if isinstance(to.this, exp.DType) else str(to.this)
        target = CLASS_OF.get(name, to.sql().lower())
        s = ("try_" if isinstance(e, exp.TryCast) else "") + "cast(" + self.text(e.this) + " as " + target
        if e.args.get("format") is not None:
            s += " format " + self.text(e.args["format"])
        return s + ")"

    def interval(self, e):
        unit = e.args.get("unit")
        unit = unit.name.lower() if unit is not None else ""
        if len(unit) > 2 and unit.endswith("s"):
            unit = unit[:-1]
        this = e.this
        if isinstance(this, exp.Literal):
            value = this.this.strip()
            m = re.fullmatch(r"([+-]?[\d.]+) +(\w+)", value)
            if m and not unit and m.group(2).lower().rstrip("s") in UNITS:
                value, unit = m.group(1), m.group(2).lower().rstrip("s")
            text = value if not this.is_string or re.fullmatch(r"[+-]?[\d.]*\d[\d.]*", value) else string(value)
        else:
            text = self.text(this, UNARY)
        return "interval " + text + (" " + unit if unit else "")

    def call(self, name, args):
        parts, tail = [], ""
        for a in args:
            text, more = self.argument(a)
            parts.append(text)
            tail += more
        return name + "(" + ", ".join(parts) + tail + ")"

    def argument(self, a):
        """The text of an argument and of the clauses sqlglot wraps around it."""
        if isinstance(a, exp.Limit):
            text, tail = self.argument(a.this)
            return text, tail + " limit " + self.text(a.expression)
        if isinstance(a, exp.Order):
            text, tail = self.argument(a.this)
            return text, tail + " " + self.order(a)
        if isinstance(a, exp.HavingMax):
            text, tail = self.argument(a.this)
            return text, tail + " having " + ("max " if a.args.get("max") else "min ") + self.text(a.expression)
        return self.text(a), ""

    def order(self, o):
        return "order by " + ", ".join(self.text(k.this) + (" desc" if k.args.get("desc") else "") for k in o.expressions)

    def after_call(self, e):
        if isinstance(e, exp.WithinGroup):
            return self.text(e.this) + " within group (" + self.order(e.expression) + ")"
        if isinstance(e, exp.Filter):
            return self.text(e.this) + " filter (where " + self.text(e.expression.this) + ")"
        if isinstance(e, exp.IgnoreNulls):
            return self.text(e.this) + " ignore nulls"
        if isinstance(e, exp.RespectNulls):
            return self.text(e.this) + " respect nulls"
        return self.text(e.this) + " over (" + self.window(e) + ")"

    def window(self, w):
        parts = []
        if w.args.get("alias") is not None:
            name = w.args["alias"].name
            base = self.windows.get(name.lower())
            parts.append(self.window(base) if base is not None else name.lower())
        if w.args.get("partition_by"):
            parts.append("partition by " + self.list(w.args["partition_by"]))
        if w.args.get("order") is not None:
            parts.append(self.order(w.args["order"]))
        spec = w.args.get("spec")
        if spec is not None:
            def bound(side):
                x, way = spec.args.get(side), spec.args.get(side + "_side")
                text = x.lower() if isinstance(x, str) else self.text(x)
                return text + (" " + way.lower() if way else "")

            end = bound("end") if spec.args.get("end") is not None else "current row"
            parts.append(spec.args["kind"].lower() + " between " + bound("start") + " and " + end)
        return " ".join(p for p in parts if p)

    def star(self, e):
        s = "*"
        if e.args.get("except_"):
            s += " except (" + ", ".join(column_name(x.name) for x in e.args["except_"]) + ")"
        if e.args.get("replace"):
            s += " replace (" + self.list(e.args["replace"]) + ")"
        if e.args.get("rename"):
            s += " rename (" + self.list(e.args["rename"]) + ")"
        return s

    def dot(self, e):
        if isinstance(e.expression, exp.Anonymous):  # a function with a dotted name
            parts, left = [], e.this
            while isinstance(left, exp.Dot):
                parts.append(left.expression.name)
                left = left.this
            parts.extend(reversed([p.name for p in left.parts] if isinstance(left, exp.Column) else [left.name]))
            return ".".join(reversed(parts)).lower() + "." + self.text(e.expression)
        left = e.this
        while isinstance(left, exp.Dot):
            left = left.this
        if isinstance(left, (exp.Column, exp.Identifier)):  # a long name: fields of a structured column
            return column_name(e.expression.name) if not isinstance(e.expression, exp.Star) else self.star(e.expression)
        if isinstance(e.expression, exp.Star):
            return self.text(e.this, ATOM) + "." + self.star(e.expression)
        return self.text(e.this, ATOM) + "." + column_name(e.expression.name)

    def bracket(self, e):
        index = self.list(e.expressions)
        offset, safe = e.args.get("offset"), e.args.get("safe")
        if offset is not None:
            index = ("safe_" if safe else "") + ("offset" if offset == 0 else "ordinal") + "(" + index + ")"
        return self.text(e.this, ATOM) + "[" + index + "]"

    def path(self, e):
        s, first = self.text(e.this, ATOM) + ":", True
        for p in e.expression.expressions:
            if isinstance(p, exp.JSONPathKey):
                s += ("" if first else ".") + str(p.this).lower()
                first = False
            elif isinstance(p, exp.JSONPathSubscript):
                s += "[" + (p.this if isinstance(p.this, str) else str(p.this)) + "]"
        return s


def lift_nulls(tree):
    """Moves IGNORE NULLS and RESPECT NULLS out of a call's parentheses, where the normal form has them."""
    for node in list(tree.find_all(exp.IgnoreNulls, exp.RespectNulls)):
        parent, child = node.parent, node
        while isinstance(parent, (exp.Order, exp.Limit, exp.HavingMax)):
            parent, child = parent.parent, parent
        if not isinstance(parent, exp.Anonymous) or child not in parent.expressions:
            continue
        node.replace(node.this)
        wrapper = type(node)()
        parent.replace(wrapper)
        wrapper.set("this", parent)


class Extractor:
    def __init__(self, dialect, sql, made):
        self.normal = Normal(dialect, sql)
        self.dialect, self.made = dialect, made
        self.sets = {k: set() for k in ("select", "group_by", "order_by", "tables", "keywords")}
        self.sets["where"], self.sets["having"] = set(), set()

    # -- the final SELECTs

    def query(self, q):
        words = self.sets["keywords"]
        with_ = q.args.get("with_")
        if with_ is not None:
            words.add("WITH")
            if with_.args.get("recursive"):
                words.add("RECURSIVE")
        if isinstance(q, exp.Subquery):
            self.query(q.this)
        elif isinstance(q, exp.SetOperation):
            words.add({exp.Union: "UNION", exp.Intersect: "INTERSECT", exp.Except: "EXCEPT"}[type(q)])
            if q.args.get("distinct") is False:
                words.add("ALL")
            self.query(q.this)
            self.query(q.expression)
        elif isinstance(q, exp.Select):
            self.select(q)
        self.order_by(q)
        limit = q.args.get("limit")
        if limit is not None:
            words.add("LIMIT")
            if isinstance(limit, exp.Limit) and limit.args.get("offset") is not None:
                words.add("OFFSET")
        if q.args.get("offset") is not None:
            words.add("OFFSET")

    def select(self, s):
        words, n = self.sets["keywords"], self.normal
        n.windows = {w.name.lower(): w for w in s.args.get("windows") or []}
        distinct = s.args.get("distinct")
        if distinct is not None:
            words.add("DISTINCT")
            if distinct.args.get("on") is not None:
                self.words(distinct.args["on"])
        for item in s.expressions:
            e = item.this if isinstance(item, exp.Alias) else item
            self.sets["select"].add(n.text(e))
            self.words(e)
        if s.args.get("from_") is not None:
            self.source(s.args["from_"].this)
        for join in s.args.get("joins") or []:
            self.join(join)
        for lateral in s.args.get("laterals") or []:
            words.add("LATERAL")
            self.source(lateral)
        where = s.args.get("where")
        if where is not None:
            words.add("WHERE")
            self.words(where.this)
            self.conditions(where.this, False, None, self.sets["where"])
        if s.args.get("group") is not None:
            words.add("GROUP BY")
            self.group_by(s, s.args["group"])
        for key, word in (("having", "HAVING"), ("qualify", "QUALIFY")):
            if s.args.get(key) is not None:
                words.add(word)
                self.words(s.args[key].this)
                self.conditions(s.args[key].this, False, s, self.sets["having"])
        for w in s.args.get("windows") or []:
            self.words(w)

    def words(self, e):
        words = self.sets["keywords"]
        for node in walk(e):
            if isinstance(node, exp.Or):
                words.add("OR")
            elif isinstance(node, exp.Not):
                words.add("NOT")
            elif isinstance(node, exp.In):
                words.add("IN")
            elif isinstance(node, exp.Between):
                words.add("BETWEEN")
            elif isinstance(node, exp.ILike):
                words.add("ILIKE")
            elif isinstance(node, exp.Like):
                words.add("LIKE")
            elif isinstance(node, exp.Exists):
                words.add("EXISTS")
            elif isinstance(node, exp.Case):
                words.add("CASE")
            elif isinstance(node, exp.Distinct):
                words.add("DISTINCT")
            elif isinstance(node, exp.Window) and node.args.get("over"):
                words.add("OVER")
            if getattr(node, "args", {}).get("negate"):
                words.add("NOT")

    # -- FROM

    def join(self, j):
        words = self.sets["keywords"]
        if not j.meta.get("comma"):
            words.add("JOIN")
            side, kind, method = j.args.get("side"), j.args.get("kind"), j.args.get("method")
            if kind in ("CROSS", "SEMI", "ANTI"):
                words.add(kind)
                if side and kind == "CROSS":
                    words.update((side, "OUTER"))
            elif side:
                words.update((side, "OUTER"))
            else:
                words.add("INNER")
            if method in ("NATURAL", "ASOF"):
                words.add(method)
        self.source(j.this)
        if j.args.get("on") is not None:
            self.words(j.args["on"])

    def source(self, e):
        words = self.sets["keywords"]
        if isinstance(e, exp.Lateral):
            words.add("LATERAL")
            self.function(e.this)
        elif isinstance(e, exp.Unnest) and not self.is_array(e):
            words.add("UNNEST")
        elif isinstance(e, exp.Table):
            self.function(e.this)
        elif isinstance(e, exp.Paren) or isinstance(e, exp.Subquery) and isinstance(e.this, exp.Table):
            self.source(e.this)
        for join in e.args.get("joins") or []:
            self.join(join)
        for lateral in e.args.get("laterals") or []:
            self.source(lateral)
        for p in e.args.get("pivots") or []:
            words.add("UNPIVOT" if p.args.get("unpivot") else "PIVOT")
        if e.args.get("sample") is not None:
            words.add("TABLESAMPLE")

    def is_array(self, e):
        """sqlglot reads FROM t, t.items as an UNNEST that nobody wrote; that one has no position in the text."""
        return not e.meta.get("start") and e.args.get("offset") is None and "offset" not in e.args

    def function(self, f):
        while isinstance(f, exp.Anonymous) and f.name.lower() == "table" and len(f.expressions) == 1:
            f = f.expressions[0]
        if isinstance(f, exp.Anonymous) and f.name.lower() in ("flatten", "unnest"):
            self.sets["keywords"].add(f.name.upper())

    # -- conditions

    def conditions(self, e, negated, s, out):
        e = unparen(e)
        if isinstance(e, (exp.And, exp.Or)):
            self.conditions(e.this, negated, s, out)
            self.conditions(e.expression, negated, s, out)
        elif isinstance(e, exp.Not):
            self.conditions(e.this, not negated, s, out)
        else:
            out.add(self.atom(e, negated, s))

    def atom(self, e, negated, s):
        n = self.normal
        if type(e) in BINARY and BINARY[type(e)][0] in COMPARISONS:
            return self.comparison(e, negated, s)
        if isinstance(e, (exp.In, exp.Between, exp.Is, exp.Escape)) or type(e) in LIKES:
            x, op, value = n.predicate(e, negated)
            rest = [v for k, v in e.args.items() if k != "this"]
            if isinstance(e, exp.Escape):
                rest = [e.this.expression]
            if any(has_query(v) for r in rest for v in (r if isinstance(r, list) else [r])):
                value = "subquery"
            return n.text(self.resolve(s, x)), op, value
        if isinstance(e, exp.Exists):
            return "", "not exists" if negated else "exists", "subquery"
        return n.text(self.resolve(s, e)), "not" if negated else "", "subquery" if has_query(e) or is_query(e) else ""

    def comparison(self, e, negated, s):
        n = self.normal
        op = BINARY[type(e)][0]
        right = unparen(e.expression)
        quantified = isinstance(right, (exp.Any, exp.All))
        if negated:
            op = COMPARISONS[op][0]
        left_text = n.text(self.resolve(s, e.this))
        if quantified:
            is_any = isinstance(right, exp.Any) != negated
            value = "subquery" if has_query(right) else n.text(right.this)
            return left_text, op + (" any" if is_any else " all"), value
        if n.double_quoted(right) and not n.ends_double(e.this):
            left, right_text, ranks = e.this, string(right.name), (self.rank(self.resolve(s, e.this)), 2)
        else:
            left, right = self.resolve(s, e.this), self.resolve(s, right)
            right_text, ranks = n.text(right), (self.rank(left), self.rank(right))
        l, r, value_rank = left_text, right_text, ranks[1]
        if ranks[0] > ranks[1] or ranks == (0, 0) and r.encode() < l.encode():
            l, r, op, value_rank = r, l, COMPARISONS[op][1], ranks[0]
        return l, op, "subquery" if value_rank == 3 else r

    def rank(self, e):
        e = unparen(e)
        if constant(e):
            return 2
        if has_query(e):
            return 3
        return 0 if any(isinstance(x, (exp.Column, exp.Star)) for x in walk(e)) else 1

    # -- items that names and positions stand for

    def items(self, s):
        return [(i.alias if isinstance(i, exp.Alias) else "", i.this if isinstance(i, exp.Alias) else i) for i in s.expressions]

    def resolve(self, s, e):
        e = unparen(e)
        if s is not None and isinstance(e, exp.Column) and len(e.parts) == 1:
            for alias, item in self.items(s):
                if alias and alias.lower() == e.name.lower():
                    return item
        return e

    def position(self, s, e):
        e = unparen(e)
        if not isinstance(e, exp.Literal) or e.is_string or not e.this.isdigit():
            return None
        k, items = int(e.this), self.items(s)
        if not 1 <= k <= len(items) or any(x.is_star for _, x in items[:k] if isinstance(x, (exp.Star, exp.Column, exp.Dot))):
            return None
        return items[k - 1][1]

    def aggregates(self, e):
        for node in walk(e):
            if isinstance(node, (exp.Window, exp.Filter, exp.WithinGroup)):
                return True
            if isinstance(node, exp.Anonymous) and node.name.lower() in AGGREGATES and not isinstance(node.parent, exp.Dot):
                return True
        return False

    def group_by(self, s, g):
        n, out, words = self.normal, self.sets["group_by"], self.sets["keywords"]
        if g.args.get("all") and not g.expressions:
            for _, item in self.items(s):
                if not (isinstance(item, exp.Star) or isinstance(item, exp.Column) and item.is_star) and not self.aggregates(item):
                    out.add(n.text(item))
        for key, word in (("rollup", "ROLLUP"), ("cube", "CUBE"), ("grouping_sets", "GROUPING SETS")):
            for x in g.args.get(key) or []:
                words.add(word)
                for y in x.expressions if isinstance(x, exp.Expression) else []:
                    self.group_item(s, y)
        for e in g.expressions:
            self.group_item(s, e)

    def group_item(self, s, e):
        e = unparen(e)
        for kind, word in ((exp.Rollup, "ROLLUP"), (exp.Cube, "CUBE"), (exp.GroupingSets, "GROUPING SETS")):
            if isinstance(e, kind):
                self.sets["keywords"].add(word)
        if isinstance(e, (exp.Rollup, exp.Cube, exp.GroupingSets, exp.Tuple)):
            for x in e.expressions:
                self.group_item(s, x)
            return
        self.words(e)
        item = self.position(s, e)
        if item is None:
            item = self.resolve(s, e)
            if item is not e and self.aggregates(item):
                item = e
        self.sets["group_by"].add(self.normal.text(item))

    def order_by(self, q):
        order = q.args.get("order")
        if order is None:
            return
        words, s = self.sets["keywords"], q
        words.add("ORDER BY")
        while isinstance(s, (exp.SetOperation, exp.Subquery)):
            s = s.this
        s = s if isinstance(s, exp.Select) else None
        if s is not None:
            self.normal.windows = {w.name.lower(): w for w in s.args.get("windows") or []}
        for key in order.expressions:
            way = "desc" if key.args.get("desc") else "asc"
            words.add(way.upper())
            self.words(key.this)
            item = None
            if s is not None:
                item = self.position(s, key.this)
                item = item if item is not None else self.resolve(s, key.this)
            self.sets["order_by"].add(self.normal.text(item if item is not None else key.this) + " " + way)

    # -- base tables

    def tables(self, tree):
        """Goes through a query from the top, with the common table expressions in view."""
        reached, pending = set(), []

        def visible(name, view):
            while view is not None:
                ctes, n, outer, recursive = view
                for i in range(n - 1, -1, -1):
                    if ctes[i][0] == name:
                        return ctes, i, outer, recursive
                view = outer
            return None

        def reach(found):
            ctes, i, outer, recursive = found
            body = ctes[i][1]
            if id(body) in reached:
                return
            reached.add(id(body))
            n = len(ctes) if recursive else i
            if not recursive and self.dialect in ("snowflake", "tsql") and isinstance(body, exp.SetOperation):
                n = i + 1
            pending.append((body, (ctes, n, outer, recursive), []))

        def enter(node, view, aliases):
            if isinstance(node, (exp.Select, exp.SetOperation, exp.Subquery)) and node.args.get("with_") is not None:
                w = node.args["with_"]
                ctes = [(c.alias.lower(), c.this) for c in w.expressions]
                view = (ctes, len(ctes), view, bool(w.args.get("recursive")))
            if isinstance(node, exp.Select):
                aliases = aliases + [[]]
                sources = [node.args["from_"].this] if node.args.get("from_") is not None else []
                sources += [j.this for j in node.args.get("joins") or []]
                for s in sources:
                    source(s, view, aliases)
            for key, child in ((k, c) for k, v in node.args.items() for c in (v if isinstance(v, list) else [v])):
                if key == "with_" or not isinstance(child, exp.Expression):
                    continue
                if isinstance(child, exp.Table):
                    if not isinstance(node, (exp.From, exp.Join)):
                        source(child, view, aliases)
                    continue
                enter(child, view, aliases)

        def source(t, view, aliases):
            if isinstance(t, exp.Table):
                table(t, view, aliases)
                for j in t.args.get("joins") or []:
                    source(j.this, view, aliases)
                for p in t.args.get("laterals") or []:
                    enter(p, view, aliases)
            if aliases and (t.alias or isinstance(t, exp.Table)):
                aliases[-1].append((t.alias or t.name).lower())
            if isinstance(t, exp.Unnest) and aliases and t.args.get("alias") is not None:
                aliases[-1].extend(c.name.lower() for c in t.args["alias"].args.get("columns") or [])

        def table(t, view, aliases):
            if not isinstance(t.this, exp.Identifier):
                enter(t.this, view, aliases)
                return
            parts = [p.name for p in t.parts]
            name = parts[-1].lower()
            if len(parts) == 1:
                found = visible(name, view)
                if found is not None:
                    reach(found)
                    return
            elif self.dialect == "bigquery" and any(parts[0].lower() in scope for scope in aliases):
                return
            self.sets["tables"].add(name)

        made = (self.made, len(self.made), None, False) if self.made else None
        pending.append((tree, made, []))
        while pending:
            body, view, aliases = pending.pop()
            enter(body, view, aliases)


def final_query(statements):
    """The last query, or the query inside the last statement that has one, and what earlier statements made."""
    made, inside, final = [], None, None
    for st in statements:
        if st is None:
            continue
        q = st if isinstance(st, (exp.Query, exp.Subquery)) else st.args.get("expression")
        if isinstance(st, (exp.Query, exp.Subquery)):
            final = (st, list(made))
        elif isinstance(q, (exp.Query, exp.Subquery)):
            inside = (q, list(made))
            if isinstance(st, exp.Create) and st.kind in ("TABLE", "VIEW"):
                made.append((st.find(exp.Table).name.lower(), q))
    return final or inside


def inner_queries(tree):
    """The queries inside a query that are no arms of a set operation: of WITH, FROM and expressions."""
    for q in tree.find_all(exp.Select, exp.SetOperation):
        while isinstance(q.parent, exp.Subquery):
            q = q.parent
        if q is not tree and not isinstance(q.parent, exp.SetOperation):
            yield q


def components(sql, dialect):
    """The component sets of the final query, and those of all queries inside it but for their tables."""
    statements = sqlglot.parse(sql, dialect=dialect_of(dialect))
    found = final_query(statements)
    if found is None:
        raise ValueError("no query")
    tree, made = found
    lift_nulls(tree)
    inner = []
    for q in inner_queries(tree):
        x = Extractor(dialect, sql, made)
        x.query(q)
        inner.append(sets_of(x))
    x = Extractor(dialect, sql, made)
    x.query(tree)
    x.tables(tree)
    return sets_of(x), inner


def sets_of(x):
    out = {k: sorted(v, key=lambda s: s.encode()) for k, v in x.sets.items() if k not in ("where", "having")}
    for k in ("where", "having"):
        texts = {" ".join(p for p in c if p) for c in x.sets[k]}
        out[k] = sorted(texts, key=lambda s: s.encode())
    return out


def main():
    for line in sys.stdin:
        case = json.loads(line)
        try:
            final, inner = components(case["sql"], case["dialect"])
            answer = {"id": case["id"], "components": final, "inner": inner}
        except Exception as e:  # noqa: BLE001 - the oracle says what it cannot read and goes on
            answer = {"id": case["id"], "error": type(e).__name__ + ": " + str(e).splitlines()[0][:200]}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
