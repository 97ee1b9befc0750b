import { writeJson } from './write-json.ts';

/** What every template below may read. The JSON is the same text for Python and for us. */
const VARIABLES = `{
  "s": "  Hello, Wörld \\n", "empty": "", "emoji": "a😀b👩‍👧c", "n": 7, "neg": -7, "f": 1.0, "tiny": 1e-7, "big": 1e16,
  "huge": 123456789012345678901234567890, "yes": true, "no": false, "nothing": null, "nel": "\\u0085x\\u001c\\ufeff",
  "list": [3, 1, 2], "names": ["b", "A", "c"], "nulls": [null, "x", null], "mixed": [1, 1.0, "1", true, null, "it's", "q\\"", "\\n\\u200b"],
  "dict": {"b": 1, "a": {"x": [1.5, -0.0]}, "10": null, "2": "two", "items": "mine"}, "no_items": {}, "no_list": [],
  "people": [{"name": "Ann", "age": 3, "tags": ["t"]}, {"name": "Bob"}, {"name": "ann", "age": null}],
  "messages": [{"role": "system", "content": "S"}, {"role": "user", "content": "U"}, {"role": "user", "content": "U"}]
}`;

const TEMPLATES = [
  // How values print.
  '{{ s }}|{{ empty }}|{{ n }}|{{ neg }}|{{ f }}|{{ tiny }}|{{ big }}|{{ huge }}|{{ yes }}|{{ no }}|{{ nothing }}|{{ missing }}',
  '{{ list }}{{ names }}{{ mixed }}{{ dict }}{{ people }}{{ no_items }}{{ no_list }}{{ (1, "a") }}{{ nulls }}',
  '{{ s ~ n ~ f ~ yes ~ nothing ~ missing ~ list }}',
  '{{ n | string + f | string + nothing | string + yes | string + list | string }}',
  '{{ 1.0 }}|{{ 100000000000000000.0 }}|{{ 0.00001 }}|{{ -0.0 }}|{{ 1.5 }}|{{ -5 }}|{{ 12 }}',
  // JSON.
  '{{ dict | tojson }}|{{ mixed | tojson }}|{{ huge | tojson }}|{{ nothing | tojson }}|{{ s | tojson }}|{{ emoji | tojson }}',
  '{{ dict | tojson(indent=2) }}{{ no_items | tojson(indent=4) }}{{ [[], {}] | tojson(indent=4) }}{{ people | tojson(indent=1) }}',
  '{{ emoji | tojson(ensure_ascii=true) }}|{{ nel | tojson(ensure_ascii=True) }}|{{ nel | tojson }}',
  "{{ dict | tojson(separators=(',', ':')) }}|{{ dict | tojson(sort_keys=true) }}|{{ dict | tojson(indent=2, separators=(',', ':')) }}",
  '{{ missing | tojson }}',
  '{{ [tiny, big, f, 2.50] | tojson }}',
  // Truth.
  '{{ "t" if no_list else "f" }}{{ "t" if no_items else "f" }}{{ "t" if empty else "f" }}{{ "t" if 0.0 else "f" }}{{ "t" if missing else "f" }}',
  '{{ not no_list }}{{ not no_items }}{{ not empty }}{{ not list }}{{ not missing }}{{ not 0 }}{{ not nothing }}',
  '{{ no_list or "x" }}|{{ list and "y" }}|{{ empty or no_items or nothing }}|{{ missing or 1 }}|{{ 0 and 1 }}',
  '{{ "shown" if yes }}|{{ "hidden" if no }}|{{ ("hidden" if no) is defined }}',
  // Comparison.
  '{{ messages[1] == messages[2] }}{{ messages[0] == messages[1] }}{{ list == [3,1,2] }}{{ 1 == 1.0 }}{{ true == 1 }}{{ "1" == 1 }}{{ none == missing }}{{ missing == missing2 }}',
  '{{ 2 < 10 }}{{ "b" > "a" }}{{ "Z" < "a" }}{{ [1,2] < [1,3] }}{{ 1.5 >= 1 }}{{ "\uFF5E" < "😀" }}',
  '{{ "a" < 1 }}',
  '{{ none < 1 }}',
  '{{ "ell" in s }}{{ "x" in s }}{{ 1 in list }}{{ 1.0 in list }}{{ "b" in dict }}{{ "b" in dict.b | string }}{{ "z" not in dict }}{{ "x" in missing }}{{ messages[1] in messages }}',
  '{{ "x" in nothing }}',
  '{{ 1 in s }}',
  // Arithmetic.
  '{{ 7 % 3 }}{{ neg % 3 }}{{ 7 // 2 }}{{ neg // 2 }}{{ 7 / 2 }}{{ 6 / 3 }}{{ 2 ** 10 }}{{ 2 * 3.0 }}{{ huge + 1 }}{{ n - 10 }}{{ 1 + 1.5 }}{{ neg % 2.5 }}{{ 7.5 // 2 }}',
  '{{ "ab" * 3 }}{{ list + [4] }}{{ "a" + "b" }}{{ -n }}{{ -f }}{{ +n }}{{ - neg }}',
  '{{ "a" + 1 }}',
  '{{ "a" + nothing }}',
  '{{ "a" + missing }}',
  '{{ 1 // 0 }}',
  // Strings.
  "{{ s.strip() }}|{{ s.lstrip() }}|{{ s.rstrip() }}|{{ 'xxaxx'.strip('x') }}|{{ '\n a\n'.strip('\n') }}|{{ 'abcba'.lstrip('ab') }}|{{ nel.strip() | tojson }}|{{ nel | trim | tojson }}",
  "{{ 'a,b,,c'.split(',') }}{{ ' a  b '.split() }}{{ 'a b c'.split(' ', 1) }}{{ 'a</t>b'.split('</t>')[-1] }}{{ ''.split(',') }}{{ ''.split() }}{{ 'a b  c'.split(none, 1) }}",
  "{{ 'aXbX'.replace('X', 'yy') }}{{ 'aaa'.replace('a', 'b', 2) }}{{ 'ab'.replace('', '-') }}{{ s | replace('l', 'L') }}",
  "{{ s.upper() }}{{ s.lower() }}{{ 'hello wORLD foo_bar'.title() }}{{ 'hELLO'.capitalize() }}{{ s | upper }}{{ 'ß' | upper }}{{ 'x' | capitalize }}",
  "{{ 'abc'.startswith('ab') }}{{ 'abc'.endswith(('x', 'c')) }}{{ 'abc'.find('c') }}{{ 'abc'.find('z') }}{{ 'banana'.count('an') }}{{ '12'.isdigit() }}{{ ''.isdigit() }}{{ ' '.isspace() }}",
  "{{ 'prefix-x'.removeprefix('prefix-') }}{{ 'x.py'.removesuffix('.py') }}{{ ', '.join(['a', 'b']) }}{{ 'a\nb\r\nc\n'.splitlines() }}",
  '{{ emoji | length }}{{ emoji[1] }}{{ emoji[-1] }}{{ emoji[1:3] }}{{ emoji[::-1] | length }}{{ "abc"[0] }}{{ "abc"[10] }}|{{ s | length }}',
  '{{ s | trim | length }}{{ nothing | trim }}{{ 5 | trim }}{{ missing | trim }}|{{ "xax" | trim("x") }}',
  // Lists and dicts.
  '{{ list[0] }}{{ list[-1] }}{{ list[1:] }}{{ list[:-1] }}{{ list[::-1] }}{{ list[5] }}{{ list[5:] }}{{ list[-2:] }}{{ list[:100] }}{{ list[::2] }}',
  '{{ dict.b }}{{ dict["b"] }}{{ dict.missing }}{{ dict.a.x[1] }}{{ dict["10"] }}{{ dict.get("b") }}{{ dict.get("q") }}{{ dict.get("q", 5) }}{{ dict.get("10", 5) }}',
  '{{ dict["items"] }}{% for k, v in dict.items() %}{{ k }}={{ v }};{% endfor %}{{ dict.keys() | list }}{{ dict.values() | list }}',
  '{% for k in dict %}{{ k }};{% endfor %}{% for c in "héy" %}{{ c }}.{% endfor %}{% for x in missing %}x{% else %}none{% endfor %}',
  '{{ dict | length }}{{ list | length }}{{ dict | items | list }}{{ dict | dictsort }}{{ no_items.items() | list }}',
  '{{ nothing.x }}|{{ nothing["x"] }}|{{ n.x }}|{{ s.nope }}|{{ list.nope }}|{{ s["nope"] }}',
  '{{ missing.x }}',
  '{{ missing["x"] }}',
  '{{ dict.missing.deeper }}',
  '{{ nulls[0] }}{{ nulls | first }}{{ nulls | last }}{{ (nulls[0]) is none }}{{ nulls[7] is defined }}',
  // Filters.
  '{{ list | sort }}{{ names | sort }}{{ names | sort(case_sensitive=true) }}{{ list | sort(reverse=true) }}{{ people | sort(attribute="name") | map(attribute="name") | list }}',
  '{{ list | first }}{{ list | last }}{{ no_list | first }}|{{ list | reverse | list }}{{ "abc" | reverse }}{{ [1,2,1,"a","A"] | unique | list }}',
  '{{ list | join(", ") }}{{ list | join }}{{ people | join("-", attribute="name") }}{{ "abc" | join(".") }}{{ [1.0, none, true] | join(" ") }}',
  '{{ people | selectattr("age") | list | length }}{{ people | selectattr("age", "defined") | list | length }}{{ people | selectattr("age", "undefined") | list | length }}{{ people | rejectattr("age", "none") | list | length }}',
  '{{ people | selectattr("name", "equalto", "Bob") | list }}{{ people | rejectattr("name", "eq", "Bob") | list | length }}{{ people | map(attribute="age", default=0) | list }}{{ names | map("upper") | list }}',
  '{{ list | select("odd") | list }}{{ list | reject("odd") | list }}{{ [0, 1, ""] | select | list }}{{ list | sum }}{{ list | max }}{{ list | min }}',
  '{{ missing | default("d") }}{{ nothing | default("d") }}{{ nothing | default("d", true) }}{{ empty | default("d", boolean=true) }}{{ missing | default(none) }}{{ missing | default }}|{{ missing | d(1) }}',
  '{{ "12" | int }}{{ "x" | int }}{{ "x" | int(5) }}{{ 3.9 | int }}{{ "3.9" | int }}{{ "1.5" | float }}{{ "x" | float }}{{ neg | abs }}{{ true | int }}',
  '{{ "a\nb\n\nc" | indent }}|{{ "a\nb" | indent(2, true) }}|{{ "a\n\nb" | indent(width=1, blank=true) }}',
  '{{ names | list }}{{ "abc" | list }}{{ dict | list }}{{ s | safe }}{{ missing | length }}{{ n | nosuchfilter }}',
  '{{ nothing | length }}',
  // Tests.
  '{{ s is string }}{{ n is number }}{{ f is number }}{{ yes is number }}{{ n is integer }}{{ yes is integer }}{{ f is float }}{{ f is integer }}{{ yes is boolean }}{{ nothing is none }}{{ missing is none }}',
  '{{ dict is mapping }}{{ list is mapping }}{{ s is iterable }}{{ dict is iterable }}{{ list is sequence }}{{ dict is sequence }}{{ s is sequence }}{{ n is iterable }}{{ nothing is iterable }}{{ missing is iterable }}{{ (1,2) is sequence }}',
  '{{ missing is defined }}{{ missing is undefined }}{{ nothing is defined }}{{ dict.q is defined }}{{ dict.b is defined }}{{ yes is true }}{{ 1 is true }}{{ no is false }}{{ 0 is false }}',
  '{{ 3 is odd }}{{ 4 is even }}{{ "abc" is lower }}{{ "ABC" is upper }}{{ "1" is lower }}{{ range is callable }}{{ s is callable }}{{ s is not string }}',
  '{{ n is nosuchtest }}',
  // Scope.
  '{% set x = 1 %}{% for i in list %}{% set x = i %}{{ x }}{% endfor %}{{ x }}',
  '{% for i in list %}{% if loop.first %}{% set y = "set" %}{% endif %}{{ y }}|{% endfor %}{{ y }}',
  '{% set x = 0 %}{% for i in list %}{{ x }}{% set x = x + i %}{{ x }};{% endfor %}{{ x }}',
  '{% if yes %}{% set z = 5 %}{% endif %}{{ z }}',
  '{% set ns = namespace(n=0, found=false) %}{% for i in list %}{% set ns.n = ns.n + i %}{% if i == 1 %}{% set ns.found = true %}{% endif %}{% endfor %}{{ ns.n }}{{ ns.found }}{{ ns.missing }}',
  '{% set a, b = 1, 2 %}{{ a }}{{ b }}{% for x, y in [(1, 2), (3, 4)] %}{{ x }}-{{ y }};{% endfor %}',
  '{% set block %}in {{ n }}{% endset %}{{ block }}|{{ block | upper }}',
  '{% for x in [1,2] %}{% for y in [3,4] %}{{ loop.index }}{{ loop.last }}{{ x }}{{ y }};{% endfor %}{{ loop.index }}{% endfor %}',
  '{% macro m(a, b=2, c=none) %}[{{ a }},{{ b }},{{ c }},{{ n }}]{% endmacro %}{{ m(1) }}{{ m(1, c=3) }}{{ m(1, none, 0) }}{{ m() }}',
  '{% macro m() %}<{{ caller() }}>{% endmacro %}{% call m() %}body {{ n }}{% endcall %}',
  '{% macro m() %}{{ later }}{% endmacro %}{% set later = "now" %}{{ m() }}',
  '{% macro m(x) %}{{ varargs }}{{ kwargs }}{% endmacro %}{{ m(1, 2, 3, k=4) }}',
  '{% filter upper %}abc {{ n }}{% endfilter %}',
  // Loops.
  '{% for i in list %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ loop.revindex0 }}{{ loop.first }}{{ loop.last }}{{ loop.length }}{{ loop.previtem }}{{ loop.nextitem }}{{ loop.cycle("a", "b") }};{% endfor %}',
  '{% for i in list if i > 1 %}{{ loop.index }}/{{ loop.length }}:{{ i }};{% else %}none{% endfor %}{% for i in list if i > 9 %}x{% else %}none{% endfor %}',
  '{% for i in range(5) %}{% if i == 1 %}{% continue %}{% endif %}{% if i == 3 %}{% break %}{% endif %}{{ i }}{% endfor %}{{ range(3) | list }}{{ range(5, 1, -2) | list }}',
  '{% for p in people %}{% if loop.changed(p.name | lower) %}{{ p.name }}{% endif %}{% endfor %}',
  '{% for i in nothing %}x{% endfor %}',
  '{% for i in 5 %}x{% endfor %}',
  '{% for m in messages[::-1] %}{{ m.role }}{{ (messages | length - 1) - loop.index0 }}{% endfor %}',
  // White space.
  'a\n  {% if yes %}\n  b\n  {% endif %}\nc\n',
  'a\n  {%- if yes -%}\n  b\n  {%- endif -%}\nc\n\n',
  'a {{- n -}} b\n  {{ n }}\n  {# comment #}\n  c {#- x -#} d\r\ne\rf',
  '  {% set x = 1 %}  \n  {{ x }}\n{% if no %}{% else %}\n  y{% endif %}  z',
  '{%- generation %}\nx{% endgeneration %}\ny',
  // Errors and odds.
  '{{ raise_exception("no") }}',
  '{{ strftime_now("%Y-%m-%d %H:%M:%S %d %b %B %A %a %j %y %I %p %-d %%") }}',
  '{{ s() }}',
  '{{ missing() }}',
  '{{ list.append(1) }}',
  '{{ {"a": 1, "b": [1, 2.0]} }}{{ {"a": 1}.a }}{{ {} }}{{ dict(a=1) }}{{ [1, "a", none] }}',
  '{% set d = {"k": "v"} %}{{ d.k }}{% set d.k = 1 %}',
  '{{ "it\'s" ~ \'"\' }}{{ \'a\\nb\' }}{{ "tab\\t" }}',
  '{{ messages | selectattr("role", "equalto", "user") | list | length }}{{ (messages | last).content }}{{ messages[0]["role"] }}{{ messages | map(attribute="content") | join("/") }}',
  '{{ (n > 5 and "big") or "small" }}{{ 1 if n else 2 if yes else 3 }}{{ n if n != 7 else "seven" }}',
  '{{ s.strip().split(",")[0] | lower }}{{ (s | trim)[:3] }}{{ people[0].tags[0] }}{{ people[0]["age"] + 1 }}',
];

/** The lines that Python reads. */
export const templateLines: readonly string[] = TEMPLATES.map(
  (template) => `{"kind":"template","template":${writeJson(template)},"variables":${VARIABLES.replaceAll('\n', ' ')}}`,
);
