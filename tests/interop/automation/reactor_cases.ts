/** Reactors as people write them: SLS files, the events that they react to, and where the map of reactors names them. */

/** One reactor. `SRV` in any text stands for the directory of the files. */
export interface ReactorCase {
  name: string;
  /** Files by name; a text alone is that of the SLS that the event is for. */
  sls: string | Record<string, string>;
  /** Entries of the option `reactor`, in which `TAG` is the tag of this case. @default its one SLS, or all of them */
  reactor?: unknown[];
  /** What comes after the tag of the case. */
  tag?: string;
  data?: Record<string, unknown>;
  /** A file that the reaction makes, instead of events. */
  touches?: string;
}

const local = (fun: string, ...lines: string[]) => reaction("local", fun, lines);
const runner = (fun: string, ...lines: string[]) => reaction("runner", fun, lines);
const wheel = (fun: string, ...lines: string[]) => reaction("wheel", fun, lines);

function reaction(type: string, fun: string, lines: readonly string[]): string {
  return `react:\n  ${type}.${fun}:\n${lines.map((line) => `    ${line}\n`).join("")}`;
}

const TGT = "- tgt: m1";

/** Arguments of jobs on minions. */
const LOCAL: Record<string, string> = {
  "args as a list of maps": local("state.apply", TGT, "- args:", "  - mods: web", "  - test: true"),
  "args as a map": local("state.apply", TGT, "- args:", "    mods: web", "    test: true"),
  "args with a nested pillar": local(
    "state.sls",
    TGT,
    "- args:",
    "  - mods: web",
    "  - pillar:",
    "      a: {b: [1, 2]}",
  ),
  "args empty": local("test.arg", TGT, "- args: []"),
  "args null": local("test.arg", TGT, "- args:"),
  "args a text": local("test.arg", TGT, "- args: one"),
  "args a number": local("test.arg", TGT, "- args: 1"),
  "args a list of texts": local("test.arg", TGT, "- args: [one, two]"),
  "args a list of numbers": local("test.arg", TGT, "- args: [1, 2]"),
  "args of maps with two keys": local("test.arg", TGT, "- args:", "  - a: 1", "    b: 2"),
  "args with a name twice": local("test.arg", TGT, "- args:", "  - a: 1", "  - a: 2"),
  "args text and map": local("test.arg", TGT, "- args:", "  - one", "  - b: 2"),
  "args and arg": local("test.arg", TGT, "- args:", "  - a: 1", "- arg: [x]", "- kwarg: {y: 2}"),
  "arg a list": local("cmd.run", TGT, "- arg:", "  - ls -l"),
  "arg a text": local("cmd.run", TGT, "- arg: ls -l"),
  "arg a number": local("test.arg", TGT, "- arg: 5"),
  "arg null": local("test.arg", TGT, "- arg:"),
  "arg a map": local("test.arg", TGT, "- arg: {a: 1}"),
  "arg texts that look like numbers": local("test.arg", TGT, "- arg: ['1', '[1, 2]', '{a: b}', 'a=b', 'true', '01']"),
  "arg of every type": local(
    "test.arg",
    TGT,
    "- arg: [1, 1.5, true, null, text, [a, [b]], {a: {b: c}}, 2026-03-02, 2026-03-02 10:00:00, 0x10, 010, 1e3, ~, yes]",
  ),
  "arg with text of other scripts": local("test.arg", TGT, "- arg: ['grüße', '日本', \"tab\\t\"]"),
  "kwarg a map": local("test.arg", TGT, "- kwarg:", "    a: 1", "    b: [x, y]"),
  "kwarg a list of maps": local("test.arg", TGT, "- kwarg:", "  - a: 1", "  - b: 2"),
  "kwarg null": local("test.arg", TGT, "- kwarg:"),
  "kwarg empty": local("test.arg", TGT, "- kwarg: {}"),
  "kwarg a text": local("test.arg", TGT, "- kwarg: text"),
  "arg and kwarg": local("test.arg", TGT, "- arg: [a]", "- kwarg: {b: c}"),
  "neither arg nor args": local("state.highstate", TGT),
  "state.apply without a state": local("state.apply", "- tgt: '*'"),
  "queue in args": local("state.apply", TGT, "- args:", "  - mods: web", "  - queue: True"),
  "queue in kwarg": local("state.apply", TGT, "- arg: [web]", "- kwarg: {queue: true, pillar: {a: b}}"),
  "queue beside tgt": local("state.apply", TGT, "- queue: True"),
  "cmd.run of old": "react:\n  cmd.cmd.run:\n    - tgt: m1\n    - arg:\n      - touch /tmp/x\n",
  "cmd as alias of state.apply": "react:\n  cmd.state.apply:\n    - tgt: m1\n    - kwarg: {mods: web}\n",
  "args named like fields": local("test.arg", TGT, "- args:", "  - tgt: x", "  - ret: y", "  - jid: z", "  - user: u"),
  "args with fun": local("test.arg", TGT, "- args:", "  - fun: x", "  - name: n", "  - order: 3"),
  "args with hidden names": local("test.arg", TGT, "- args:", "  - __x: 1", "  - __kwarg__: 2"),
  "args with names that are no texts": local("test.arg", TGT, "- args:", "  - 1: one", "  - two: 2"),
  "tgt a glob": local("test.ping", "- tgt: 'm*'"),
  "tgt a list of YAML": local("test.ping", "- tgt: [m1, m2]", "- tgt_type: list"),
  "tgt a list of YAML without its type": local("test.ping", "- tgt: [m1, m2]"),
  "tgt a list with commas": local("test.ping", "- tgt: m1,m2", "- tgt_type: list"),
  "tgt a list with one that is not there": local("test.ping", "- tgt: m1,nosuch", "- tgt_type: list"),
  "tgt pcre": local("test.ping", "- tgt: 'm[12]'", "- tgt_type: pcre"),
  "tgt compound": local("test.ping", "- tgt: 'm1 or L@web1 and not m2'", "- tgt_type: compound"),
  "tgt grain": local("test.ping", "- tgt: 'os:Debian'", "- tgt_type: grain"),
  "tgt nodegroup": local("test.ping", "- tgt: pair", "- tgt_type: nodegroup"),
  "tgt ipcidr": local("test.ping", "- tgt: 10.0.0.0/8", "- tgt_type: ipcidr"),
  "tgt of nobody": local("test.ping", "- tgt: nosuch"),
  "tgt missing": local("test.ping", "- arg: [1]"),
  "tgt empty": local("test.ping", "- tgt: ''"),
  "tgt a number": local("test.ping", "- tgt: 7"),
  "tgt_type that there is not": local("test.ping", TGT, "- tgt_type: nosuch"),
  "expr_form": local("test.ping", "- tgt: m1,m2", "- expr_form: list"),
  "ret": local("test.ping", TGT, "- ret: mongo"),
  "ret of several": local("test.ping", TGT, "- ret: mongo,redis"),
  "ret a list": local("test.ping", TGT, "- ret: [mongo, redis]"),
  "ret_config and ret_kwargs": local("test.ping", TGT, "- ret: mongo", "- ret_config: alt", "- ret_kwargs: {a: b}"),
  "metadata": local("test.ping", TGT, "- metadata: {ticket: 7}"),
  "timeout": local("test.ping", TGT, "- timeout: 3"),
  "delimiter": local("test.ping", "- tgt: 'os|Debian'", "- tgt_type: grain", "- delimiter: '|'"),
  "module_executors": local("test.ping", TGT, "- module_executors: [direct_call]", "- executor_opts: {a: b}"),
  "subset and batch": local("test.ping", "- tgt: 'm*'", "- subset: 1", "- batch: 1"),
  "fields that there are not": local("test.ping", TGT, "- comment: hello", "- saltenv: dev"),
  "kwarg that makes __kwarg__": local("test.arg", TGT, "- arg:", "  - __kwarg__: true", "    a: 1"),
  "several functions in one": local("test.ping,test.id", TGT),
  "a function without a module": "react:\n  local.ping:\n    - tgt: m1\n",
};

/** Arguments of functions of the master. */
const MASTER: Record<string, string> = {
  "runner args": runner("test.arg", "- args:", "  - a: 1", "  - b: [x]"),
  "runner args a map": runner("test.arg", "- args: {a: 1}"),
  "runner args a list of texts": runner("test.arg", "- args: [one]"),
  "runner arg": runner("test.arg", "- arg: [one, 2]"),
  "runner kwarg": runner("test.arg", "- kwarg: {a: 1}"),
  "runner arg and kwarg": runner("test.arg", "- arg: [one]", "- kwarg: {a: 1}"),
  "runner arg a text": runner("test.arg", "- arg: one", "- kwarg: {a: 1}"),
  "runner without arguments": runner("test.arg"),
  "runner arguments beside": runner("event.send", "- tag: seen/beside", "- data: {a: 1}"),
  "runner argument missing": runner("event.send", "- data: {a: 1}"),
  "runner argument missing in args": runner("event.send", "- args:", "  - data: {a: 1}"),
  "runner argument that there is not": runner("event.send", "- args:", "  - tag: seen/x", "  - nosuch: 1"),
  "runner argument beside that there is not": runner("event.send", "- tag: seen/y", "- nosuch: 1"),
  "runner event.send": runner("event.send", "- args:", "  - tag: seen/it", "  - data: {host: '{{ data.host }}'}"),
  "runner salt.cmd": runner("salt.cmd", "- args:", "  - fun: test.arg", "  - a: 1"),
  "runner salt.cmd of old": runner("salt.cmd", "- arg: [test.arg, x]", "- kwarg: {y: z}"),
  "runner that there is not": runner("nosuch.fun", "- arg: [1]"),
  "runner that there is not in args": runner("nosuch.fun", "- args:", "  - a: 1"),
  "runner that fails": runner("error.error", "- args:", "  - name: ValueError", "  - message: no"),
  "runner state.orchestrate": runner(
    "state.orchestrate",
    "- args:",
    "  - mods: orch.deploy",
    "  - pillar:",
    "      who: m1",
  ),
  "runner state.orch of old": runner("state.orch", "- mods: orch.deploy", "- pillar: {who: m2}"),
  "runner state.orchestrate of a file that is not there": runner("state.orchestrate", "- args:", "  - mods: orch.none"),
  "wheel args": wheel("key.list", "- args:", "  - match: acc"),
  "wheel args a map": wheel("key.list", "- args: {match: pre}"),
  "wheel beside": wheel("key.list", "- match: rej"),
  "wheel arg": wheel("key.list", "- arg: [den]", "- kwarg: {}"),
  "wheel arg alone": wheel("key.list", "- arg: [acc]"),
  "wheel key.accept": wheel("key.accept", "- args:", "  - match: {{ data.who }}"),
  "wheel key.accept of old": wheel("key.accept", "- match: {{ data.who }}"),
  "wheel key.reject": wheel("key.reject", "- args:", "  - match: pend2", "  - include_accepted: false"),
  "wheel key.delete": wheel("key.delete", "- args:", "  - match: gone"),
  "wheel key.delete of nobody": wheel("key.delete", "- match: nosuch"),
  "wheel key.list_all": wheel("key.list_all"),
  "wheel that there is not": wheel("nosuch.fun"),
  "wheel argument missing": wheel("key.accept"),
  "wheel minions.connected": wheel("minions.connected"),
};

/** Forms of the SLS itself. */
const FORMS: Record<string, string | Record<string, string>> = {
  "function in the list": "react:\n  local:\n    - test.arg\n    - tgt: m1\n    - arg: [1]\n",
  "function last in the list": "react:\n  local:\n    - tgt: m1\n    - arg: [1]\n    - test.arg\n",
  "short form": "react: runner.test.arg\n",
  "short form of local": "react: local.test.ping\n",
  "two functions of an id": "react:\n  local.test.arg:\n    - tgt: m1\n  runner.test.arg:\n    - arg: [1]\n",
  "two functions of an id of one type": "react:\n  local.test.arg:\n    - tgt: m1\n  local.test.ping:\n    - tgt: m1\n",
  "several reactions":
    "b:\n  local.test.arg:\n    - tgt: m1\n    - arg: [b]\na:\n  local.test.arg:\n    - tgt: m1\n    - arg: [a]\n",
  "order of reactions":
    "a:\n  local.test.arg:\n    - tgt: m1\n    - arg: [a]\n    - order: last\nb:\n  local.test.arg:\n" +
    "    - tgt: m1\n    - arg: [b]\nc:\n  local.test.arg:\n    - tgt: m1\n    - arg: [c]\n    - order: first\nd:\n" +
    "  local.test.arg:\n    - tgt: m1\n    - arg: [d]\n    - order: 2\ne:\n  local.test.arg:\n    - tgt: m1\n    - arg: [e]\n" +
    "    - order: -1\n",
  "requisites":
    "a:\n  local.test.arg:\n    - tgt: m1\n    - arg: [a]\n    - require:\n      - local: b\nb:\n  local.test.arg:\n" +
    "    - tgt: m1\n    - arg: [b]\n",
  "a map instead of the list": "react:\n  local.test.ping:\n    tgt: m1\n",
  "a text instead of the list": "react:\n  local.test.ping: m1\n",
  "no list": "react:\n  local.test.ping:\n",
  "no function": "react:\n  local:\n    - tgt: m1\n",
  "two functions in the list": "react:\n  local:\n    - tgt: m1\n    - test.ping\n    - test.id\n",
  "body null": "react:\n",
  "body a list": "react:\n  - local.test.ping\n",
  "an id that is a number": "7:\n  local.test.ping:\n    - tgt: m1\n",
  "ids as anchors": "one: &one\n  local.test.arg:\n    - tgt: m1\n    - arg: [x]\ntwo: *one\n",
  "an id twice": "a:\n  local.test.arg:\n    - tgt: m1\na:\n  local.test.ping:\n    - tgt: m1\n",
  "a list": "- a\n- b\n",
  "a text": "just words\n",
  "a number": "5\n",
  "empty": "",
  "blank lines": "\n   \n\n",
  "comments alone": "# nothing\n# here\n",
  "a comment of jinja": "{# nothing #}\n",
  "jinja that says nothing": "{% if data.host == 'other' %}\na:\n  local.test.ping:\n    - tgt: m1\n{% endif %}\n",
  "include": "include:\n  - other\nreact:\n  local.test.ping:\n    - tgt: m1\n",
  "exclude": "exclude:\n  - id: other\nreact:\n  local.test.ping:\n    - tgt: m1\n",
  "extend": "extend:\n  other:\n    local:\n      - tgt: m2\nreact:\n  local.test.ping:\n    - tgt: m1\n",
  "YAML that cannot be read": "react:\n  local.test.ping:\n   - tgt: [m1\n",
  "tabs": "react:\n\tlocal.test.ping:\n\t\t- tgt: m1\n",
  "line ends of Windows": "react:\r\n  local.test.arg:\r\n    - tgt: m1\r\n    - arg: [a]\r\n",
  "jinja that cannot be read": "{% if data %}\nreact:\n  local.test.ping:\n    - tgt: m1\n",
  "an undefined name": "react:\n  local.test.arg:\n    - tgt: m1\n    - arg: ['{{ nosuch }}']\n",
  "an undefined field": "react:\n  local.test.arg:\n    - tgt: m1\n    - arg: ['{{ data.nosuch }}']\n",
  "a field of an undefined field": "react:\n  local.test.arg:\n    - tgt: m1\n    - arg: ['{{ data.nosuch.more }}']\n",
  "#!jinja|yaml": "#!jinja|yaml\nreact:\n  local.test.arg:\n    - tgt: m1\n    - arg: ['{{ data.host }}']\n",
  "#!yaml": "#!yaml\nreact:\n  local.test.arg:\n    - tgt: m1\n    - arg: ['{{ data.host }}']\n",
  "#!json": '#!json\n{"react": {"local.test.arg": [{"tgt": "m1"}, {"arg": [1]}]}}\n',
  "#!jinja|json": '#!jinja|json\n{"react": {"local.test.arg": [{"tgt": "m1"}, {"arg": ["{{ tag }}"]}]}}\n',
  "#!nosuch": "#!nosuch\nreact:\n  local.test.ping:\n    - tgt: m1\n",
  "a runner and a job":
    "a:\n  runner.test.arg:\n    - arg: [1]\nb:\n  local.test.arg:\n    - tgt: m1\n    - arg: [2]\n",
  "a wrong one beside a right one":
    "a:\n  runner.nosuch.fun:\n    - arg: [1]\nb:\n  local.test.arg:\n    - arg: [no]\nc:\n" +
    "  local.test.arg:\n    - tgt: m1\n    - arg: [2]\n",
};

/** What templates see. */
const JINJA: Record<string, string> = {
  "tag and data": local(
    "test.arg",
    TGT,
    "- args:",
    "  - tag: {{ tag }}",
    "  - host: {{ data['host'] }}",
    "  - n: {{ data.n }}",
  ),
  "parts of the tag": "{% set parts = tag.split('/') %}\n" +
    local("test.arg", TGT, "- arg: ['{{ parts[0] }}', {{ parts | length }}]"),
  "data of data": local(
    "test.arg",
    TGT,
    "- arg: ['{{ data['data']['what'] }}', '{{ data.data.get('none', 'else') }}']",
  ),
  "data as JSON": local(
    "test.arg",
    TGT,
    "- args:",
    "  - all: {{ data.data | tojson }}",
    "  - list: {{ data.list | json }}",
  ),
  "data as YAML": local(
    "test.arg",
    TGT,
    "- args:",
    "  - all: {{ data.data | yaml }}",
    "  - host: {{ data.host | yaml_dquote }}",
  ),
  "a loop over data":
    "{% for one in data.list %}\nreact_{{ one }}:\n  local.test.arg:\n    - tgt: m1\n    - arg: [{{ one }}]\n{% endfor %}\n",
  "a loop over a map":
    "{% for key, value in data.data.items() | sort %}\nreact_{{ loop.index }}:\n  local.test.arg:\n    - tgt: m1\n" +
    "    - arg: ['{{ key }}', '{{ value }}']\n{% endfor %}\n",
  "a condition": "{% if 'm1' in data.host and data.n > 3 %}\n" + local("test.arg", TGT, "- arg: [yes]") +
    "{% else %}\n" +
    local("test.arg", TGT, "- arg: [no]") + "{% endif %}\n",
  "a macro":
    "{% macro job(id, what) %}\n{{ id }}:\n  local.test.arg:\n    - tgt: m1\n    - arg: [{{ what }}]\n{% endmacro %}\n" +
    "{{ job('one', 1) }}{{ job('two', 2) }}\n",
  "grains of the master's host": local("test.arg", TGT, "- arg: ['{{ grains.kernel }}', '{{ grains['os_family'] }}']"),
  "functions of the master's host": local(
    "test.arg",
    TGT,
    "- arg: [{{ salt['test.echo']('x') }}, {{ salt.test.echo('y') }}]",
  ),
  "cmd.run of the master's host": local("test.arg", TGT, "- arg: [{{ salt['cmd.run']('echo hello') }}]"),
  "a default": local(
    "test.arg",
    TGT,
    "- arg: [{{ data.get('none', 7) }}, {{ data.none | default('d') }}, {{ data.none or 'o' }}]",
  ),
  "opts": local("test.arg", TGT, "- arg: ['{{ opts.id }}', '{{ opts.get('file_client') }}', '{{ opts['__role'] }}']"),
  "names of states": local(
    "test.arg",
    TGT,
    "- arg: ['{{ sls }}', '{{ saltenv }}', '{{ slspath | default('none') }}', '{{ env | default('no') }}']",
  ),
  "a raw block": local("test.arg", TGT, "- arg: ['{% raw %}{{ x }}{% endraw %}']"),
  "an import of salt://": "{% from 'map.jinja' import value with context %}\n" +
    local("test.arg", TGT, "- arg: [{{ value }}]"),
  "an include of salt://": "{% include 'part.jinja' %}\n",
  "a comment between": "{# who #}\nreact: {# what #}\n  local.test.arg:\n    - tgt: m1 {# where #}\n    - arg: [1]\n",
  "line statements":
    "react:\n  local.test.arg:\n    - tgt: m1\n    - arg:\n{%- for one in data.list %}\n      - {{ one }}\n{%- endfor %}\n",
  "the target of the data": "react:\n  local.test.arg:\n    - tgt: {{ data.host }}\n    - arg: [here]\n",
  "text that breaks YAML": local("test.arg", TGT, "- arg: [{{ data.evil }}]"),
  "text that breaks YAML quoted": local(
    "test.arg",
    TGT,
    "- arg: [{{ data.evil | yaml_dquote }}, {{ data.evil | yaml_squote }}]",
  ),
  "_stamp": "{% if data._stamp %}\n" + local("test.arg", TGT, "- arg: [stamped]") + "{% endif %}\n",
  "do and set": "{% do data.update({'x': 5}) %}{% set y = data.x + 1 %}\n" +
    local("test.arg", TGT, "- arg: [{{ y }}, {{ data.x }}]"),
  "load_yaml": "{% load_yaml as one %}\na: 1\n{% endload %}\n" + local("test.arg", TGT, "- arg: [{{ one.a }}]"),
  "pillar of the master's host": local("test.arg", TGT, "- arg: ['{{ pillar.get('x', 'none') }}']"),
  "random and time": "{% set now = None | strftime('%Y') %}\n" +
    local("test.arg", TGT, "- arg: [{{ now | int > 2000 }}]"),
};

export const DATA = {
  host: "m1",
  n: 7,
  list: ["a", "b"],
  data: { what: "door", open: true, at: 1.5 },
  evil: "x]\n    - kwarg: {bad: 'yes'",
};

const ping = (what: string) => `r_${what}:\n  local.test.arg:\n    - tgt: m1\n    - arg: [${what}]\n`;
const same = (what: string) => `same:\n  local.test.arg:\n    - tgt: m1\n    - arg: [${what}]\n`;

/** Ways in which the option `reactor` names tags and files. */
const MAPS: ReactorCase[] = [
  { name: "a text instead of a list", sls: { "x.sls": ping("x") }, reactor: [{ TAG: "SRV/x.sls" }] },
  {
    name: "several SLS",
    sls: { "x.sls": ping("x"), "y.sls": ping("y") },
    reactor: [{ TAG: ["SRV/y.sls", "SRV/x.sls"] }],
  },
  {
    name: "the same id in two SLS",
    sls: { "x.sls": same("x"), "y.sls": same("y") },
    reactor: [{ TAG: ["SRV/y.sls", "SRV/x.sls"] }],
  },
  { name: "an SLS twice", sls: { "x.sls": ping("x") }, reactor: [{ TAG: ["SRV/x.sls", "SRV/x.sls"] }] },
  {
    name: "two entries for a tag",
    sls: { "x.sls": ping("x"), "y.sls": ping("y") },
    reactor: [{ TAG: ["SRV/x.sls"] }, { TAG: ["SRV/y.sls"] }],
  },
  {
    name: "a broken SLS among others",
    sls: { "x.sls": ping("x"), "y.sls": "{% if %}" },
    reactor: [{ TAG: ["SRV/y.sls", "SRV/x.sls"] }],
  },
  {
    name: "a wrong SLS among others",
    sls: { "x.sls": ping("x"), "y.sls": "bad:\n  local.test.ping:\n    tgt: m1\n" },
    reactor: [{ TAG: ["SRV/x.sls", "SRV/y.sls"] }],
  },
  { name: "an SLS that is not there", sls: { "x.sls": ping("x") }, reactor: [{ TAG: ["SRV/none.sls", "SRV/x.sls"] }] },
  { name: "a star", sls: { "x.sls": ping("x") }, tag: "/any/thing", reactor: [{ "TAG/*": ["SRV/x.sls"] }] },
  {
    name: "a star in the middle",
    sls: { "x.sls": ping("x") },
    tag: "/a/b/c/end",
    reactor: [{ "TAG/*/end": ["SRV/x.sls"] }],
  },
  {
    name: "a star that does not match",
    sls: { "x.sls": ping("x") },
    tag: "/a/b/end/more",
    reactor: [{ "TAG/*/end": ["SRV/x.sls"] }],
  },
  { name: "a question mark", sls: { "x.sls": ping("x") }, tag: "/a", reactor: [{ "TAG/?": ["SRV/x.sls"] }] },
  { name: "a class", sls: { "x.sls": ping("x") }, tag: "/b1", reactor: [{ "TAG/[ab][0-9]": ["SRV/x.sls"] }] },
  { name: "a class turned round", sls: { "x.sls": ping("x") }, tag: "/b", reactor: [{ "TAG/[!b]": ["SRV/x.sls"] }] },
  { name: "other letters", sls: { "x.sls": ping("x") }, tag: "/ABC", reactor: [{ "TAG/abc": ["SRV/x.sls"] }] },
  { name: "no star at the end", sls: { "x.sls": ping("x") }, tag: "/more", reactor: [{ TAG: ["SRV/x.sls"] }] },
  {
    name: "an entry of two",
    sls: { "x.sls": ping("x"), "y.sls": ping("y") },
    reactor: [{ TAG: ["SRV/x.sls"], other: [] }, { TAG: ["SRV/y.sls"] }],
  },
  { name: "an entry that is a text", sls: { "x.sls": ping("x") }, reactor: ["TAG", { TAG: ["SRV/x.sls"] }] },
  {
    name: "an entry without files",
    sls: { "x.sls": ping("x") },
    reactor: [{ TAG: null }, { TAG: [] }, { TAG: ["SRV/x.sls"] }],
  },
  { name: "a glob of files", sls: { "p1.sls": ping("p1"), "p2.sls": ping("p2") }, reactor: [{ TAG: ["SRV/p?.sls"] }] },
  { name: "a file of salt://", sls: { "x.sls": ping("x") }, reactor: [{ TAG: ["salt://DIR/x.sls"] }] },
  {
    name: "a file of salt:// that is not there",
    sls: { "x.sls": ping("x") },
    reactor: [{ TAG: ["salt://DIR/none.sls", "SRV/x.sls"] }],
  },
  {
    name: "a file of salt:// in an environment",
    sls: { "x.sls": ping("x") },
    reactor: [{ TAG: ["salt://only.sls?saltenv=dev"] }],
  },
  { name: "a directory", sls: { "x.sls": ping("x") }, reactor: [{ TAG: ["SRV"] }] },
  {
    name: "data that says less",
    sls: { "x.sls": local("test.arg", TGT, "- arg: ['{{ data | length }}', '{{ data.get('host', 'none') }}']") },
    data: {},
  },
  { name: "an event of the reactor's user", sls: { "x.sls": ping("x") }, data: { user: "Reactor" } },
  {
    name: "a chain by event.send",
    sls: {
      "x.sls": runner("event.send", "- args:", "  - tag: TAG/next", "  - data: {a: 1}"),
      "y.sls": local("test.arg", TGT, "- arg: [after]"),
    },
    reactor: [{ TAG: ["SRV/x.sls"] }, { "TAG/next": ["SRV/y.sls"] }],
  },
  {
    name: "a caller with positional arguments",
    sls: "react:\n  caller.cmd.run:\n    - args: ['touch SRV/touched']\n",
    touches: "touched",
  },
  {
    name: "a caller with named arguments",
    sls: "react:\n  caller.cmd.run:\n    - args:\n      - cmd: touch SRV/touched\n",
    touches: "touched",
  },
  {
    name: "a caller with a map",
    sls: "react:\n  caller.file.touch:\n    - args: {name: SRV/touched}\n",
    touches: "touched",
  },
  { name: "a caller of old", sls: "react:\n  caller.file.touch:\n    - arg: [SRV/touched]\n", touches: "touched" },
];

const slsCases = (group: string, table: Record<string, string | Record<string, string>>): ReactorCase[] =>
  Object.entries(table).map(([name, sls]) => ({ name: `${group}: ${name}`, sls }));

export const REACTOR_CASES: ReactorCase[] = [
  ...slsCases("jobs", LOCAL),
  ...slsCases("master", MASTER).map((one) => ({
    ...one,
    data: { ...DATA, who: one.name.includes("old") ? "pend3" : "pend1" },
  })),
  ...slsCases("form", FORMS),
  ...slsCases("template", JINJA),
  ...MAPS.map((one) => ({ ...one, name: `map: ${one.name}` })),
];

/** Files of `file_roots` beside those of the cases. */
export const ROOT_FILES: Record<string, string> = {
  "map.jinja": "{% set value = data.n * 2 %}\n",
  "part.jinja": "react:\n  local.test.arg:\n    - tgt: m1\n    - arg: [{{ data.n }}]\n",
  "orch/deploy.sls": "say:\n  salt.runner:\n    - name: test.arg\n    - arg: [{{ pillar.who }}]\n",
};
export const DEV_FILES: Record<string, string> = { "only.sls": ping("dev") };
