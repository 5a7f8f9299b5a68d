/**
 * Whole trees made from a seed: top files, states with all kinds of requisites and arguments, Jinja with maps and macros, pillar that is
 * merged, and mistakes. `compare_trees.ts` holds them against a real Salt. `{dir}` is the directory of a tree: `states`, `dev`, `pillar`
 * and `out`, which its states write to.
 *
 * What Brine does otherwise on purpose is not in them, or named in `compare_trees.ts`: the external pillar `nodegroups`, and those groups of
 * `file_tree`, without a master; modes and encoded texts that no run can use (`docs/internals/states.md`); and rings by accident of a name
 * (Salt takes a failed import for the SLS itself if its path ends in that name).
 */
import { type Choices, choices } from "./random.ts";

export interface TreeCase {
  /** Path → text. */
  files: Record<string, string>;
  /** Options of the minion. */
  opts: Record<string, unknown>;
  /** Functions with their words. */
  calls: string[][];
}

/** A piece of a template in the place of a value. */
class Expression {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Value = Expression | string | number | boolean | null | Value[] | { [key: string]: Value };
type Arguments = { [key: string]: Value };

/** What a tree has, for references. */
interface Built {
  random: Choices;
  files: Record<string, string>;
  /** Declared states of the tree so far: id and module. */
  states: { id: string; module: string; name: string; sls: string }[];
  sls: string[];
  /** Names of this file that hold a map or a list. */
  locals: string[];
  template: boolean;
  /** True if a state must not be run for real. */
  dry: boolean;
  /** True if states may run more than once: their conditions call no functions then. */
  twice: boolean;
}

const GRAINS: Record<string, unknown> = {
  kernel: "Linux",
  os: "Debian",
  os_family: "Debian",
  osfinger: "Debian-12",
  osrelease: "12",
  osmajorrelease: 12,
  oscodename: "bookworm",
  osarch: "amd64",
  cpuarch: "x86_64",
  init: "systemd",
  num_cpus: 4,
  mem_total: 8000,
  shell: "/bin/sh",
  saltversion: "3006",
  host: "web1",
  id: "web1.example.com",
  fqdn: "web1.example.com",
  nodename: "web1.example.com",
  ipv4: ["127.0.0.1", "192.0.2.7"],
  roles: ["web", "db"],
  site: { name: "berlin", rack: 7 },
};

// Values

const TEXTS = [
  "one",
  "two words",
  "x: y",
  "# no comment",
  "it's",
  'say "hi"',
  "ünïcode",
  "a\nb",
  "a\nb\n",
  " padded ",
  "yes",
  "0755",
  "1.0",
  "null",
  "%{x}",
  "{{ '{{' }}",
  "tab\there",
  "",
];
const text = (random: Choices): string => random.pick(TEXTS);
const scalar = (random: Choices): Value =>
  random.pick<Value>([text(random), text(random), 1, 0, 8080, -3, 1.5, 1e21, true, false, null]);

function value(random: Choices, depth = 2): Value {
  if (depth === 0 || random.chance(0.55)) return scalar(random);
  if (random.chance(0.5)) return Array.from({ length: random.below(4) }, () => value(random, depth - 1));
  return map(random, depth);
}

const KEYS = ["a", "b", "c", "port", "name", "zeta", "opts"];
function map(random: Choices, depth = 2): { [key: string]: Value } {
  return Object.fromEntries(random.some(KEYS, 1, 4).map((key) => [key, value(random, depth - 1)]));
}

// YAML

const PLAIN = /^[A-Za-z/{][\w /.{}-]*[\w/}]$/;
const WORDS = /^(?:y|n|yes|no|on|off|true|false|null|none)$/i;

function written(random: Choices, one: Value): string {
  if (one instanceof Expression) return random.chance(0.8) ? one.text : JSON.stringify(one.text).replaceAll('\\"', "'");
  if (one === null) return random.pick(["null", "~", "Null"]);
  if (typeof one === "boolean") return random.pick(one ? ["true", "True", "yes", "on"] : ["false", "False", "no"]);
  if (typeof one === "number") return String(one);
  if (typeof one === "object") return flow(random, one);
  if (PLAIN.test(one) && !WORDS.test(one) && !one.includes("{{") && random.chance(0.7)) return one;
  if (!/[\n\t]/.test(one) && random.chance(0.4)) return `'${one.replaceAll("'", "''")}'`;
  return JSON.stringify(one);
}

function flow(random: Choices, one: Value): string {
  if (Array.isArray(one)) return `[${one.map((item) => flow(random, item)).join(", ")}]`;
  if (one instanceof Expression) return JSON.stringify(one.text).replaceAll('\\"', "'");
  if (typeof one !== "object" || one === null) {
    return typeof one === "string" ? JSON.stringify(one) : written(random, one);
  }
  const items = Object.entries(one).map(([key, item]) => `${key}: ${flow(random, item)}`);
  return items.length === 0 ? "{}" : `{ ${items.join(", ")} }`;
}

/** A value behind a key or a dash, with its line break. */
function block(random: Choices, one: Value, indent: string): string {
  const nested = typeof one === "object" && one !== null && !(one instanceof Expression);
  if (!nested || random.chance(0.2)) {
    if (typeof one === "string" && /^\S[^]*\n/.test(one) && random.chance(0.6)) {
      const lines = one.replace(/\n$/, "").split("\n");
      return ` |${one.endsWith("\n") ? "" : "-"}\n${lines.map((line) => `${indent}  ${line}\n`).join("")}`;
    }
    return ` ${written(random, one)}\n`;
  }
  if (Array.isArray(one)) {
    if (one.length === 0) return " []\n";
    return `\n${one.map((item) => `${indent}  -${block(random, item, `${indent}  `)}`).join("")}`;
  }
  if (Object.keys(one).length === 0) return " {}\n";
  return `\n${
    Object.entries(one).map(([key, item]) => `${indent}  ${key}:${block(random, item, `${indent}  `)}`).join("")
  }`;
}

const document = (random: Choices, one: Arguments): string =>
  Object.entries(one).map(([key, item]) => `${key}:${block(random, item, "")}`).join("");

// Expressions

const SIMPLE = [
  "grains.os",
  "grains['site']['name']",
  "grains.id",
  "pillar['app']['name']",
  "pillar.app.port",
  "salt['pillar.get']('app:port', 1)",
  "salt['pillar.get']('app:nope', 'fallback')",
  "salt.pillar.get('app:name')",
  "salt['grains.get']('site:rack')",
  "salt['grains.get']('nope', 'none')",
  "salt['config.get']('app:name', 'conf')",
  "salt['cmd.run']('echo out')",
  "salt['test.echo']('said')",
  "sls",
  "slspath",
  "tpldir",
  "tplfile",
  "tpldot",
  "tplroot",
  "saltenv",
  "opts['id']",
  "opts.id | upper",
  "grains.roles | join('-')",
  "grains.ipv4 | first",
  "pillar.get('list', []) | length",
  "'%s-%d' | format('x', 3)",
  "pillar.app.name | default('d')",
  "pillar.nothing | default('d')",
  "(pillar.app.port | int) + 1",
  "'yes' if grains.os == 'Debian' else 'no'",
  "'a' ~ 1 ~ none",
  "pillar.app.users | map(attribute='name') | join(',')",
  "pillar.app.users | selectattr('admin') | list | length",
  "pillar.list | sort | join(' ')",
  "'text' | replace('t', 'T')",
  "'x y' | regex_replace('(x) (y)', '\\\\2 \\\\1')",
  "'abc' | md5",
  "'abc' | sha256 | truncate(9)",
  "[3, 1, 2] | max",
  "'10.0.0.1/24' | ipaddr",
  "'a,b' | to_bool",
  "pillar.app.opts.keys() | sort | first",
  "salt['match.glob']('web*')",
  "salt['file.file_exists']('{dir}/out/f0')",
  "salt['pillar.item']('app', 'list').keys() | list | length",
  "loop is defined",
  "nothing is undefined",
];
/** Filters, tests and methods, most of them Salt's. */
const FILTERED = [
  "[1, 2, 2] | unique",
  "[1, 2] | union([2, 3])",
  "[1, 2] | intersect([2])",
  "[1, 2] | difference([2])",
  "[1, 2] | symmetric_difference([2, 3])",
  "'ab12' | regex_match('([a-z]+)(.*)')",
  "'ab12' | regex_search('([0-9])', ignorecase=True)",
  "'a.b' | regex_escape",
  "'x' | sequence | length",
  "'12' | to_num",
  "'it' | quote",
  "'abc' | base64_encode",
  "'YWJj' | base64_decode",
  "'abc' | hmac('key', 'eBWf9bstXg+NiP5AOwppB5HMvZiYMPzEM9W5YMm/AmQ=')",
  "1457456400 | strftime('%Y')",
  "'web1' is match('web')",
  "'web1' is match('WEB', ignorecase=True)",
  "1 is equalto(1)",
  "{'b': 1, 'a': 2} | dictsort | first",
  "[{'a': 1}, {'a': 2}] | sum(attribute='a')",
  "pillar.list | batch(2) | list",
  "[1, 2, 3] | slice(2) | list",
  "'a b c' | title",
  "'text\\nmore' | indent(2, true)",
  "3.14159 | round(2, 'floor')",
  "'<a>' | e",
  "1536 | filesizeformat",
  "'k=v w' | urlencode",
  "'/a' | path_join('b', 'c')",
  "[1, [2, [3]]] | flatten",
  "[1, [2, [3]]] | flatten(levels=1)",
  "[1, 2, 3] | combinations(2) | list",
  "[true, false] | exactly_one_true",
  "'a' | check_whitelist_blacklist(whitelist=['a'])",
  "'abc' | substring_in_list(['b', 'x'])",
  "'hello_world' | to_camelcase",
  "'HelloWorld' | to_snake_case",
  "'1 KiB' | human_to_bytes",
  "'fe80::1' | is_ipv6",
  "'10.0.0.0/30' | network_hosts",
  "'10.0.0.0/24' | network_size",
  "'fe80::1' | ipwrap",
  "{'a': 1} | compare_dicts({'a': 2})",
  "['a'] | compare_lists(['b'])",
  "{} | set_dict_key_value('a:b:c', 1)",
  "{'a': [1]} | append_dict_key_value('a', 2)",
  "{'a': [1]} | extend_dict_key_value('a', [2])",
  "{'a': {'b': 1}} | update_dict_key_value('a', {'c': 2})",
  "'{\"a\": [1]}' | load_json",
  "'a: [1, x]' | load_yaml",
  "[1, 2, 3] | avg",
  "'abc' | reverse",
  "['b', 'a'] | sort(reverse=True) | first",
  "pillar.app.users | rejectattr('admin', 'defined') | list | length",
  "'a-b-c'.split('-')[1]",
  "pillar.app.name[:2]",
  "-7 // 2 ~ -7 % 3 ~ 2 ** 10",
  "'%03d|%r|%5.1f' % (7, 'a', 2)",
  "'{:>5}|{0[a]}'.format('a', **{'0': 1})",
  "'{a:>5}|'.format(a='x')",
  "(1, 2)[-1]",
  "(1, 'a')",
  "{1: 'one', (1, 2): 'two'}",
  "1 < 2 < 3",
];
/** Calls of functions that say the same on each host. */
const CALLS = [
  "salt['slsutil.boolstr']('yes', true='on', false='off')",
  "salt['slsutil.banner'](width=20, title='x')",
  "salt['slsutil.path_exists']('web.sls')",
  "salt['slsutil.file_exists']('map.jinja')",
  "salt['slsutil.dir_exists']('files')",
  "salt['slsutil.findup']('app', 'map.jinja')",
  "salt['slsutil.serialize']('json', {'a': 1})",
  "salt['slsutil.deserialize']('yaml', 'a: [1]')",
  "salt['slsutil.renderer'](string='a: 1', default_renderer='yaml')",
  "salt['slsutil.renderer']('salt://files/plain.txt', default_renderer='jinja')",
  "salt['slsutil.update']({'a': {'b': 1}}, {'a': {'c': 2}})",
  "salt['slsutil.merge_all']([{'a': 1}, {'b': [2]}])",
  "salt['match.compound']('G@os:Debian and web*')",
  "salt['match.compound']('not ( I@app:name:shop or E@db.* )')",
  "salt['match.pillar']('app:name:shop')",
  "salt['match.list']('a,web1.example.com')",
  "salt['match.pcre']('web\\\\d')",
  "salt['match.ipcidr']('192.0.2.0/24')",
  "salt['match.filter_by']({'web*': 'x', 'db*': 'y'})",
  "salt['match.search_by']({'a': ['web*'], 'b': ['db*', 'E@web']})",
  "salt['pillar.keys']('app')",
  "salt['pillar.ls']()",
  "salt['pillar.raw']('list')",
  "salt['pillar.get']('app:users:0:name')",
  "salt['pillar.get']('list:0', 'd')",
  "salt['pillar.get']('app|port', delimiter='|')",
  "salt['pillar.get'](1, 'd')",
  "salt['pillar.get']((1, 2), 'd')",
  "salt['pillar.get']('app', [], merge=True)",
  "salt['pillar.filter_by']({'shop': 'x', 'default': 'y'}, pillar='app:name')",
  "salt['pillar.fetch']('app:name')",
  "pillar.get(1, 'd')",
  "pillar.get(('a', 1), 'd')",
  "salt['grains.get']('roles:0')",
  "salt['grains.get'](1, 'd')",
  "salt['grains.item']('os', 'nope')",
  "salt['grains.has_value']('roles')",
  "salt['grains.equals']('os', 'Debian')",
  "salt['config.get']('app:port', merge='recurse')",
  "salt['config.get']('site', delimiter='.')",
  "salt['config.option']('id')",
  "salt['cp.get_file_str']('salt://files/plain.txt')",
  "salt['cp.list_states']() | length",
  "salt['cp.list_master'](prefix='files')",
  "salt['file.read']('{dir}/states/files/plain.txt')",
  "salt['file.basename']('/a/b')",
  "salt['file.join']('a', 'b')",
  "salt['hashutil.digest']('a')",
  "salt['environ.get']('NO_SUCH', 'd')",
  "salt['test.arg'](1, a=2).args",
  "salt['test.kwarg'](a=[1]).a",
  "salt['cmd.shell']('echo $((1+2))')",
  "salt['cmd.retcode']('exit 3')",
  "salt['cmd.run_all']('echo a; exit 2').retcode",
  "salt['cmd.has_exec']('sh')",
  "salt['state.sls_exists']('none')",
  "salt['user.info']('root').uid",
  "salt['sys.list_functions']('test.echo')",
  "salt['log.info']('said')",
];
const ALL_EXPRESSIONS = [...SIMPLE, ...SIMPLE, ...FILTERED, ...CALLS];
const STRUCTURES = [
  "pillar.app.opts",
  "pillar.app.users",
  "pillar.list",
  "grains.roles",
  "grains.site",
  "salt['pillar.get']('app:opts', {}, merge=True)",
  "salt['pillar.get']('app:opts', default={'a': 'd', 'z': {'y': 1}}, merge=True)",
  "salt['grains.filter_by']({'Debian': {'pkg': 'apache2', 'a': 1}, 'default': {'pkg': 'none'}})",
  "salt['grains.filter_by']({'Debian': {'pkg': 'apache2', 'a': 1}, 'RedHat': {'pkg': 'httpd'}}, merge=pillar.app.opts)",
  "salt['grains.filter_by']({'x': {'a': 1, 'b': {'c': 2}}, 'berlin': {'b': {'d': 3}}}, grain='site:name', base='x')",
  "salt['slsutil.merge'](pillar.app.opts, {'a': {'n': 1}, 'zeta': [1]}, strategy='recurse')",
  "salt['slsutil.merge']({'b': [1], 'a': 2}, pillar.app.opts, merge_lists=True)",
  "salt['defaults.merge']({'b': 1, 'a': {'c': 2}}, {'a': {'d': 3}})",
  "salt['config.get']('app', {})",
  "dict(pillar.app.opts, extra=1)",
  "[1, 'two', none, true]",
  "{'k': [1, 2], 'j': {'x': none}}",
  "range(3) | list",
];
const BROKEN = [
  "pillar.missing.more",
  "nothing",
  "nothing.more",
  "grains['nope']",
  "salt['no.such']()",
  "salt['pillar.get']()",
  "1 / 0",
  "'a' + 1",
  "pillar.app.name.foo.bar",
  "[1, 2",
  "x | no_filter",
  "salt['pillar.fetch']('nope')",
  "salt['test.raise_exception']('ValueError')",
  "raise('stop here')",
];

function expression({ random, locals }: Built): string {
  if (random.chance(0.004)) return random.pick(BROKEN);
  if (locals.length > 0 && random.chance(0.25)) {
    const name = random.pick(locals);
    return random.pick([`${name} | json`, `${name} | length`, `${name} | string`, `${name}`]);
  }
  return random.pick(ALL_EXPRESSIONS);
}

/** Texts that are computed when a state is called. */
const SLOTS = [
  "__slot__:salt:test.echo(said)",
  "__slot__:salt:pillar.get(app:name) ~ -more",
  "__slot__:salt:test.arg(1, k=two).kwargs.k",
  "__slot__:salt:grains.get(site).name ~ /x",
  "__slot__:salt:no.such(1)",
  "__slot__:salt:test.echo(said",
  "__slot__:salt:test.raise_exception(ValueError)",
  "__slot__:nope:test.echo(said)",
];

/** A text that may be a template. */
function words(built: Built): Value {
  const { random, template } = built;
  if (random.chance(0.02)) return random.pick(SLOTS);
  if (!template || random.chance(0.6)) return text(random);
  const inner = expression(built);
  return new Expression(random.pick([
    `{{ ${inner} }}`,
    `{{ ${inner} }}`,
    `x-{{ ${inner} }}`,
    `{{ ${inner} }}/{{ ${expression(built)} }}`,
    `{{ (${inner}) | string | yaml_dquote }}`,
    `{{ (${inner}) | string | yaml_encode }}`,
    `{{ (${inner}) | json }}`,
  ]));
}

function structure(built: Built): Value {
  const { random, template } = built;
  if (!template || random.chance(0.5)) return map(random);
  const inner = random.pick(STRUCTURES);
  return new Expression(random.pick([
    `{{ ${inner} | json }}`,
    `{{ ${inner} | yaml }}`,
    `{{ ${inner} }}`,
    `{{ ${inner} | tojson }}`,
    `{{ (${inner}) | yaml(True) }}`,
  ]));
}

// States

const PATHS = ["f0", "f1", "f2", "f3", "d0", "d0/g", "d1/h", "d1", "l0"];
const path = (random: Choices): string => `{dir}/out/${random.pick(PATHS)}`;
/** No directory: where `ini` cannot read, it knows in Salt whether a dry run is one of the whole run or of `prereq`. */
const plainPath = (random: Choices): string => `{dir}/out/${random.pick(["f0", "f1", "f2", "f3"])}`;
const MODES: Value[] = ["0644", "600", 755, 644, "4755", 700];
const LINES = ["alpha", "beta = 1", "#gamma=2", "  delta", "alpha beta", "# comment", "key: value", "beta"];

const maybe = (random: Choices, share: number, args: () => Arguments): Arguments => random.chance(share) ? args() : {};

const backup = (random: Choices) =>
  maybe(random, 0.1, () => ({ backup: random.pick<Value>([false, "minion", ".bak", ""]) }));
const creates = (random: Choices) => maybe(random, 0.4, () => ({ makedirs: random.chance(0.9) }));

/** What a file is made from. */
function contents(built: Built): Arguments {
  const { random } = built;
  const kind = random.below(14);
  if (kind < 5) return { contents: words(built) };
  if (kind < 6) return { contents: Array.from({ length: 1 + random.below(3) }, () => words(built)) };
  if (kind < 7) {
    return {
      contents_pillar: random.pick<Value>(["app:name", "list", "app:port", "nope", "app:opts", ["app:name", "list"]]),
    };
  }
  if (kind < 8) return { contents_grains: random.pick(["os", "roles", "nope", "site"]) };
  if (kind < 9) return {};
  return {
    source: random.pick<Value>([
      "salt://files/t.j2",
      "salt://files/t.j2",
      "salt://files/plain.txt",
      "salt://files/missing",
      ["salt://files/missing", "salt://files/plain.txt"],
      "salt://files/t.j2?saltenv=dev",
      "{dir}/out/f0",
      "salt://files",
    ]),
    ...maybe(
      random,
      0.7,
      () => ({
        template: random.pick(["jinja", "jinja", "jinja", "nope", "py"].slice(0, random.chance(0.95) ? 3 : 5)),
      }),
    ),
    ...maybe(random, 0.4, () => ({ context: structure(built) })),
    ...maybe(random, 0.3, () => ({ defaults: structure(built) })),
    ...maybe(
      random,
      0.1,
      () => ({ source_hash: random.pick(["md5=d41d8cd98f00b204e9800998ecf8427e", "nope", "salt://files/plain.txt"]) }),
    ),
  };
}

type Maker = (built: Built) => Arguments;

const FILES: Record<string, Maker> = {
  "file.managed": (built) => ({
    name: path(built.random),
    ...contents(built),
    ...creates(built.random),
    ...backup(built.random),
    ...maybe(built.random, 0.3, () => ({ mode: built.random.pick([...MODES, "keep"]) })),
    ...maybe(built.random, 0.1, () => ({ user: built.random.pick<Value>(["root", "nobody", 0, "nosuchuser"]) })),
    ...maybe(built.random, 0.1, () => ({ group: built.random.pick<Value>(["root", 0, "nosuchgroup"]) })),
    ...maybe(built.random, 0.1, () => ({ dir_mode: built.random.pick(MODES) })),
    ...maybe(built.random, 0.1, () => ({ replace: built.random.chance(0.3) })),
    ...maybe(built.random, 0.1, () => ({ show_changes: false })),
    ...maybe(built.random, 0.1, () => ({ create: false })),
    ...maybe(built.random, 0.1, () => ({ contents_newline: false })),
    ...maybe(built.random, 0.05, () => ({ allow_empty: false })),
    ...maybe(built.random, 0.05, () => ({ follow_symlinks: false })),
    ...maybe(built.random, 0.05, () => ({ encoding: built.random.pick(["utf-8", "latin-1", "nope"]) })),
    ...maybe(built.random, 0.05, () => ({ check_cmd: built.random.pick(["true", "false", "grep -q one"]) })),
    ...maybe(built.random, 0.05, () => ({ new_file_diff: true })),
    ...maybe(built.random, 0.05, () => ({ tmp_ext: ".tmp" })),
    ...maybe(built.random, 0.05, () => ({ skip_verify: true })),
    ...maybe(built.random, 0.05, () => ({ saltenv: built.random.pick(["dev", "base", "nope"]) })),
    ...maybe(built.random, 0.03, () => ({ contents_delimiter: "|" })),
  }),
  "file.directory": ({ random }) => ({
    name: path(random),
    ...creates(random),
    ...maybe(random, 0.3, () => ({ mode: random.pick(MODES) })),
    ...maybe(random, 0.2, () => ({ file_mode: random.pick(MODES) })),
    ...maybe(random, 0.2, () => ({ dir_mode: random.pick(MODES) })),
    ...maybe(random, 0.2, () => ({ user: "root" })),
    ...maybe(
      random,
      0.3,
      () => ({ recurse: random.some<Value>(["mode", "user", "group", "ignore_files", "silent"], 1, 2) }),
    ),
    ...maybe(random, 0.2, () => ({ clean: true })),
    ...maybe(random, 0.1, () => ({ exclude_pat: random.pick(["g*", "E@h$"]) })),
    ...maybe(random, 0.1, () => ({ force: true })),
    ...maybe(random, 0.1, () => ({ max_depth: random.below(3) })),
    ...maybe(random, 0.1, () => ({ allow_symlink: true })),
    ...maybe(random, 0.1, () => ({ children_only: true })),
  }),
  "file.recurse": (built) => ({
    name: path(built.random),
    source: built.random.pick(["salt://tree", "salt://tree", "salt://tree/", "salt://none", "salt://files/plain.txt"]),
    ...maybe(built.random, 0.3, () => ({ clean: true })),
    ...maybe(built.random, 0.2, () => ({ include_pat: built.random.pick(["*.txt", "E@b", "sub/*"]) })),
    ...maybe(built.random, 0.2, () => ({ exclude_pat: built.random.pick(["*.txt", "E@b", "sub/*"]) })),
    ...maybe(built.random, 0.3, () => ({ file_mode: built.random.pick([...MODES, "keep"]) })),
    ...maybe(built.random, 0.2, () => ({ dir_mode: built.random.pick(MODES) })),
    ...maybe(built.random, 0.3, () => ({ template: "jinja" })),
    ...maybe(built.random, 0.2, () => ({ include_empty: true })),
    ...maybe(built.random, 0.1, () => ({ maxdepth: built.random.below(2) })),
    ...maybe(built.random, 0.1, () => ({ replace: false })),
    ...maybe(built.random, 0.2, () => ({ context: structure(built) })),
  }),
  "file.symlink": ({ random }) => ({
    name: path(random),
    target: random.pick([path(random), "relative/target", "{dir}/out/nowhere"]),
    ...maybe(random, 0.3, () => ({ force: true })),
    ...creates(random),
    ...maybe(random, 0.1, () => ({ backupname: random.pick(["old", "{dir}/out/old"]) })),
    ...maybe(random, 0.1, () => ({ mode: random.pick(MODES) })),
  }),
  "file.hardlink": ({ random }) => ({
    name: path(random),
    target: path(random),
    ...creates(random),
    ...maybe(random, 0.3, () => ({ force: true })),
  }),
  "file.replace": ({ random }) => ({
    name: path(random),
    pattern: random.pick(["^alpha.*$", "beta", "(b)eta = (\\d)", "none", "^\\s*#\\s*"]),
    repl: random.pick<Value>(["ALPHA", "\\2 \\1", "", "new line", "\\g<0>!"]),
    ...maybe(random, 0.2, () => ({ count: random.below(3) })),
    ...maybe(random, 0.2, () => ({ append_if_not_found: true })),
    ...maybe(random, 0.2, () => ({ prepend_if_not_found: true })),
    ...maybe(random, 0.1, () => ({ not_found_content: "fresh" })),
    ...maybe(
      random,
      0.2,
      () => ({ flags: random.pick<Value>([["MULTILINE"], ["IGNORECASE", "MULTILINE"], 8, ["NOPE"]]) }),
    ),
    ...maybe(random, 0.2, () => ({ ignore_if_missing: true })),
    ...maybe(random, 0.2, () => ({ show_changes: false })),
    ...maybe(random, 0.1, () => ({ bufsize: "file" })),
    ...backup(random),
  }),
  "file.line": ({ random }) => ({
    name: path(random),
    mode: random.pick(
      ["ensure", "replace", "delete", "insert", "ensure", "nope"].slice(0, random.chance(0.95) ? 5 : 6),
    ),
    ...maybe(random, 0.9, () => ({ content: random.pick(LINES) })),
    ...maybe(random, 0.4, () => ({ match: random.pick(LINES) })),
    ...maybe(random, 0.4, () => ({ after: random.pick(LINES) })),
    ...maybe(random, 0.3, () => ({ before: random.pick(LINES) })),
    ...maybe(random, 0.3, () => ({ location: random.pick(["start", "end"]) })),
    ...maybe(random, 0.2, () => ({ indent: false })),
    ...maybe(random, 0.2, () => ({ create: true })),
    ...maybe(random, 0.2, () => ({ quiet: true })),
  }),
  "file.blockreplace": (built) => ({
    name: path(built.random),
    ...maybe(built.random, 0.8, () => ({ marker_start: "# start", marker_end: "# end" })),
    ...maybe(built.random, 0.8, () => ({ content: words(built) })),
    ...maybe(built.random, 0.5, () => ({ append_if_not_found: true })),
    ...maybe(built.random, 0.2, () => ({ prepend_if_not_found: true })),
    ...maybe(built.random, 0.2, () => ({ insert_before_match: "beta" })),
    ...maybe(built.random, 0.2, () => ({ insert_after_match: "alpha" })),
    ...maybe(built.random, 0.2, () => ({ source: "salt://files/t.j2", template: "jinja" })),
    ...maybe(built.random, 0.2, () => ({ show_changes: false })),
    ...maybe(built.random, 0.2, () => ({ append_newline: built.random.pick<Value>([true, false, null]) })),
    ...backup(built.random),
  }),
  "file.append": (built) => ({
    name: path(built.random),
    ...built.random.chance(0.8)
      ? { text: built.random.chance(0.5) ? words(built) : [built.random.pick(LINES), words(built)] }
      : { source: "salt://files/plain.txt", template: "jinja" },
    ...creates(built.random),
    ...maybe(built.random, 0.2, () => ({ ignore_whitespace: built.random.chance(0.5) })),
  }),
  "file.prepend": (built) => ({
    name: path(built.random),
    text: built.random.chance(0.5) ? words(built) : [built.random.pick(LINES), built.random.pick(LINES)],
    ...creates(built.random),
    ...maybe(built.random, 0.2, () => ({ header: true })),
  }),
  "file.keyvalue": ({ random }) => ({
    name: path(random),
    ...random.chance(0.6)
      ? { key: random.pick(["beta", "gamma", "key", "fresh"]), value: scalar(random) }
      : { key_values: { beta: scalar(random), gamma: "x", fresh: 1 } },
    ...maybe(random, 0.7, () => ({ separator: random.pick(["=", " = ", ": ", " "]) })),
    ...maybe(random, 0.3, () => ({ uncomment: "#" })),
    ...maybe(random, 0.5, () => ({ append_if_not_found: true })),
    ...maybe(random, 0.2, () => ({ prepend_if_not_found: true })),
    ...maybe(random, 0.2, () => ({ search_only: true })),
    ...maybe(random, 0.2, () => ({ show_changes: false })),
    ...maybe(random, 0.2, () => ({ ignore_if_missing: true })),
    ...maybe(random, 0.2, () => ({ count: random.below(3) })),
    ...maybe(random, 0.2, () => ({ key_ignore_case: true, value_ignore_case: true })),
    ...maybe(random, 0.1, () => ({ create_if_missing: true })),
  }),
  "file.serialize": (built) => ({
    name: path(built.random),
    ...built.random.chance(0.8)
      ? { dataset: structure(built) }
      : { dataset_pillar: built.random.pick(["app", "app:opts", "nope", "list"]) },
    ...maybe(
      built.random,
      0.8,
      () => ({
        [built.random.pick(["serializer", "formatter"])]: built.random.pick([
          "yaml",
          "json",
          "yaml",
          "json",
          "python",
          "nope",
        ]),
      }),
    ),
    ...maybe(built.random, 0.2, () => ({ merge_if_exists: true })),
    ...maybe(built.random, 0.2, () => ({ serializer_opts: [{ indent: built.random.pick([2, 4, 8]) }] })),
    ...maybe(built.random, 0.2, () => ({ mode: built.random.pick(MODES) })),
    ...maybe(built.random, 0.1, () => ({ show_changes: false })),
    ...creates(built.random),
    ...backup(built.random),
  }),
  "file.absent": ({ random }) => ({ name: random.pick([path(random), path(random), "{dir}/out/none"]) }),
  "file.missing": ({ random }) => ({ name: path(random) }),
  "file.exists": ({ random }) => ({ name: path(random) }),
  "file.touch": ({ random }) => ({
    name: path(random),
    ...creates(random),
    ...maybe(random, 0.1, () => ({ mtime: 1_500_000_000 })),
  }),
  "file.copy": ({ random }) => ({
    name: path(random),
    source: path(random),
    ...maybe(random, 0.3, () => ({ force: true })),
    ...creates(random),
    ...maybe(random, 0.2, () => ({ preserve: true })),
    ...maybe(random, 0.2, () => ({ subdir: true })),
    ...maybe(random, 0.2, () => ({ mode: random.pick(MODES) })),
  }),
  "file.rename": ({ random }) => ({
    name: path(random),
    // Not its own name: what no run can do fails in a dry run, too.
    source: random.pick(["{dir}/out/e0", "{dir}/out/e1", "{dir}/out/none"]),
    ...maybe(random, 0.3, () => ({ force: true })),
    ...creates(random),
  }),
  "file.comment": ({ random }) => ({
    name: path(random),
    regex: random.pick(["^alpha", "beta$", "^none", "^#?gamma"]),
    ...maybe(random, 0.2, () => ({ char: random.pick(["//", ";"]) })),
    ...maybe(random, 0.2, () => ({ ignore_missing: true })),
    ...backup(random),
  }),
  "file.uncomment": ({ random }) => ({
    name: path(random),
    regex: random.pick(["gamma", "^comment", "none"]),
    ...maybe(random, 0.2, () => ({ char: "#" })),
    ...backup(random),
  }),
  "file.accumulated": (built) => ({
    name: "acc",
    filename: path(built.random),
    text: built.random.chance(0.5) ? words(built) : ["a", "b"],
    require_in: [{ file: built.random.pick(built.states)?.id ?? "none" }],
  }),
  "file.tidied": ({ random }) => ({
    name: "{dir}/out/d0",
    matches: [".*"],
    ...maybe(random, 0.5, () => ({ rmdirs: true })),
  }),
  "file.cached": ({ random }) => ({
    name: random.pick([
      "salt://files/plain.txt",
      "salt://files/missing",
      "{dir}/out/f0",
      "salt://files/t.j2?saltenv=dev",
    ]),
    ...maybe(random, 0.2, () => ({ saltenv: "dev" })),
    ...maybe(random, 0.1, () => ({ skip_verify: true })),
  }),
  "file.not_cached": ({ random }) => ({ name: random.pick(["salt://files/s.sh", "salt://files/missing"]) }),
  "file.pruned": ({ random }) => ({
    name: path(random),
    ...maybe(random, 0.3, () => ({ recurse: true })),
    ...maybe(random, 0.2, () => ({ ignore_errors: true })),
    ...maybe(random, 0.2, () => ({ older_than: random.pick<Value>([0, 5]) })),
  }),
  "file.decode": ({ random }) => ({ name: path(random), encoded_data: "b25lCg==", encoding_type: "base64" }),
  "ini.options_present": (built) => ({
    name: plainPath(built.random),
    sections: { s1: { k: scalar(built.random), j: 2 }, ...maybe(built.random, 0.5, () => ({ s2: { x: "y" } })) },
    ...maybe(built.random, 0.2, () => ({ separator: " = " })),
    ...maybe(built.random, 0.2, () => ({ strict: true })),
  }),
  "ini.options_absent": ({ random }) => ({ name: plainPath(random), sections: { s1: ["k", "none"] } }),
  "ini.sections_absent": ({ random }) => ({ name: plainPath(random), sections: ["s1", "none"] }),
};

const COMMANDS = [
  "echo out",
  "true",
  "false",
  "exit 3",
  "echo err >&2",
  "printf 'a\\nb'",
  "cat f0",
  "pwd",
  "echo $HOME $X",
  "no-such-program",
  "echo; echo 'changed=yes comment=\"it did\" k=v'",
  'echo \'{"changed": true, "comment": "as JSON", "k": [1]}\'',
  "echo changed=no",
  "umask",
  "kill -9 $$",
  "echo one; echo two >&2; exit 4",
];
const OTHERS: Record<string, Maker> = {
  "cmd.run": (built) => ({
    name: built.random.pick(COMMANDS),
    ...maybe(built.random, 0.3, () => ({ cwd: built.random.pick(["{dir}/out", "/nonexistent"]) })),
    ...maybe(
      built.random,
      0.2,
      () => ({ env: built.random.pick<Value>([[{ X: "1" }], { X: 2, HOME: "/h" }, "X=1", [{ X: false }]]) }),
    ),
    ...maybe(built.random, 0.2, () => ({ shell: "/bin/bash" })),
    ...maybe(built.random, 0.1, () => ({ stateful: built.random.pick<Value>([true, [{ test_name: "echo t" }]]) })),
    ...maybe(built.random, 0.2, () => ({ creates: built.random.pick<Value>(["{dir}/out/f0", ["{dir}/out/f0", "/"]]) })),
    ...maybe(built.random, 0.1, () => ({ success_retcodes: [3] })),
    ...maybe(built.random, 0.1, () => ({ success_stdout: built.random.pick<Value>([["out"], "out", ["one"]]) })),
    ...maybe(built.random, 0.1, () => ({ success_stderr: built.random.pick<Value>([["err"], "two"]) })),
    ...maybe(built.random, 0.05, () => ({ stdin: "given\n" })),
    ...maybe(built.random, 0.05, () => ({ timeout: 30 })),
    ...maybe(built.random, 0.05, () => ({ prepend_path: "/nonexistent" })),
    ...maybe(built.random, 0.05, () => ({ runas: built.random.pick(["root", "nosuchuser"]) })),
    ...maybe(built.random, 0.05, () => ({ ignore_timeout: true })),
    ...maybe(built.random, 0.03, () => ({ args: ["x"] })),
    ...maybe(built.random, 0.1, () => ({ hide_output: true })),
    ...maybe(built.random, 0.1, () => ({ output_loglevel: "quiet" })),
  }),
  "cmd.wait": ({ random }) => ({ name: random.pick(COMMANDS) }),
  "cmd.script": ({ random }) => ({
    name: random.pick(["salt://files/s.sh", "salt://files/s.sh a b", "salt://files/missing.sh"]),
    ...maybe(random, 0.3, () => ({ source: "salt://files/s.sh" })),
    ...maybe(random, 0.3, () => ({ args: "x 'y z'" })),
    ...maybe(random, 0.3, () => ({ template: "jinja" })),
    ...maybe(random, 0.2, () => ({ cwd: "{dir}/out" })),
  }),
  "cmd.wait_script": ({ random }) => ({ name: random.pick(["salt://files/s.sh", "salt://files/missing.sh"]) }),
  "test.nop": () => ({}),
  "test.succeed_with_changes": () => ({}),
  "test.succeed_without_changes": () => ({}),
  "test.fail_without_changes": () => ({}),
  "test.fail_with_changes": () => ({}),
  "test.configurable_test_state": (built) => ({
    changes: built.random.pick<Value>([true, false, "Random"].slice(0, 2)),
    result: built.random.pick<Value>([true, true, false]),
    comment: words(built),
    ...maybe(built.random, 0.1, () => ({ warnings: built.random.pick<Value>(["careful", ["a", "b"]]) })),
  }),
  "test.show_notification": (built) => ({ text: words(built) }),
  "test.check_pillar": ({ random }) => ({
    ...maybe(random, 0.6, () => ({ present: ["app:name", random.pick(["list", "nope"])] })),
    ...maybe(random, 0.3, () => ({ string: "app:name" })),
    ...maybe(random, 0.3, () => ({ integer: ["app:port"] })),
    ...maybe(random, 0.3, () => ({ listing: "list" })),
    ...maybe(random, 0.3, () => ({ dictionary: "app" })),
  }),
  "module.run": (built) => {
    const { random } = built;
    return random.pick<Arguments>([
      { name: "test.echo", m_text: "x" },
      { name: "test.echo", text: words(built) },
      { name: "test.arg", args: [1, "b"], kwargs: { c: 3 } },
      { name: "no.such" },
      { "test.echo": [{ text: "x" }] },
      { "test.echo": ["said"] },
      { "test.arg": ["a", { b: 2 }], "test.ping": [] },
      { "no.such": [] },
      { "test.arg": [1, 2, { kw: [1] }] },
      { name: "test.true" },
      { "test.false": [] },
      { "cmd.run": [{ cmd: "echo hi" }] },
      { name: "cmd.run", cmd: "exit 3" },
      { name: "cmd.run_all", cmd: "exit 3" },
      { name: "test.arg", m_name: "x", args: 5 },
      { name: "pillar.get", key: "app:port" },
      { "pillar.get": [{ key: "app:name" }], "test.echo": [5] },
      { "test.raise_exception": ["ValueError", "said"] },
      { "state.single": [{ fun: "test.fail_without_changes" }, { name: "inner" }] },
      { "config.get": ["test"] },
      {},
    ]);
  },
  "module.wait": ({ random }) => random.pick<Arguments>([{ name: "test.true" }, { "test.echo": [{ text: "x" }] }]),
};

const SYSTEM: Record<string, Maker> = {
  "user.present": ({ random }) => ({
    name: random.pick(["root", "newuser", "daemon"]),
    ...maybe(random, 0.4, () => ({ uid: random.pick<Value>([0, 4321, "4321"]) })),
    ...maybe(random, 0.3, () => ({ gid: random.pick<Value>([0, 4321, "root"]) })),
    ...maybe(random, 0.3, () => ({ shell: random.pick(["/bin/bash", "/bin/zsh"]) })),
    ...maybe(random, 0.3, () => ({ home: "/home/x" })),
    ...maybe(random, 0.3, () => ({ groups: random.some<Value>(["adm", "daemon", "nosuch"], 1, 2) })),
    ...maybe(random, 0.2, () => ({ optional_groups: ["nosuch", "adm"] })),
    ...maybe(random, 0.2, () => ({ fullname: "Some One" })),
    ...maybe(random, 0.2, () => ({ remove_groups: false })),
    ...maybe(random, 0.1, () => ({ system: true })),
  }),
  "user.absent": ({ random }) => ({
    name: random.pick(["nosuch", "daemon"]),
    ...maybe(random, 0.3, () => ({ purge: true })),
  }),
  "group.present": ({ random }) => ({
    name: random.pick(["root", "newgroup", "daemon"]),
    ...maybe(random, 0.4, () => ({ gid: random.pick<Value>([0, 4321, 1]) })),
    ...maybe(random, 0.3, () => ({ addusers: ["daemon"] })),
    ...maybe(random, 0.3, () => ({ delusers: ["bin"] })),
    ...maybe(random, 0.2, () => ({ members: ["daemon", "bin"] })),
    ...maybe(random, 0.2, () => ({ system: true })),
  }),
  "group.absent": ({ random }) => ({ name: random.pick(["nosuch", "daemon"]) }),
  "host.present": ({ random }) => ({
    name: random.pick<Value>(["localhost", "new.example.com"]) as Value,
    ip: random.pick<Value>(["127.0.0.1", "192.0.2.1", ["192.0.2.1"]]),
    ...maybe(random, 0.2, () => ({ clean: true })),
    ...maybe(random, 0.2, () => ({ comment: "said" })),
  }),
  "host.absent": ({ random }) => ({
    name: random.pick(["localhost", "nope"]),
    ip: random.pick<Value>(["127.0.0.1", "192.0.2.1", ["127.0.0.1"]]),
  }),
  "host.only": ({ random }) => ({ name: "192.0.2.1", hostnames: random.some<Value>(["a", "b"], 1, 2) }),
  "environ.setenv": ({ random }) => ({
    name: random.pick(["FOO", "BAR"]),
    value: random.pick<Value>(["x", 1, { A: "1", B: "2" }, false, ""]),
    ...maybe(random, 0.2, () => ({ false_unsets: true })),
  }),
  "alias.present": () => ({ name: "postmaster", target: "root" }),
};

const ALL_FILES = Object.keys(FILES);
const ALL_OTHERS = Object.keys(OTHERS);
const ALL_SYSTEM = Object.keys(SYSTEM);

const REQUISITES = [
  "require",
  "require",
  "watch",
  "onchanges",
  "onfail",
  "prereq",
  "listen",
  "use",
  "require_in",
  "watch_in",
  "onchanges_in",
  "onfail_in",
  "prereq_in",
  "listen_in",
  "use_in",
  "require_any",
  "watch_any",
  "onchanges_any",
  "onfail_any",
];

/** Those that run no state a second time. */
const ONCE = REQUISITES.filter((one) => !/prereq|listen|use/.test(one));

function requisites(built: Built, own: number): Arguments {
  const { random, states } = built;
  const found: Arguments = {};
  if (own === 0 || random.chance(0.55)) return found;
  for (let left = random.pick([1, 1, 2]); left > 0; left--) {
    const name = random.pick(built.twice ? REQUISITES : ONCE);
    const others = states.slice(0, own);
    const to = random.chance(0.02) ? random.pick(states) : random.pick(others);
    const reference = random.below(100);
    const one: Value = reference < 70
      ? { [to.module]: random.chance(0.9) ? to.id : to.name }
      : reference < 82
      ? to.id
      : reference < 90
      ? { id: to.id }
      : reference < 94
      ? { sls: random.pick(built.sls) }
      : reference < 96
      ? { [to.module]: "missing" }
      : { [to.module]: `${to.id.slice(0, 2)}*` };
    found[name] = [...(found[name] as Value[] | undefined ?? []), one];
  }
  return found;
}

const CONDITIONS: Value[] = [
  "true",
  "false",
  ["true", "false"],
  ["test -e {dir}/out/f0"],
  "no-such-program",
  "exit 3",
  true,
  false,
  [true],
  5,
  [[5]],
];
/** Conditions that Salt counts the first time only. */
const CALLED: Value[] = [
  [{ fun: "test.true" }],
  [{ fun: "test.false" }],
  [{ fun: "file.file_exists", path: "{dir}/out/f0" }],
  [{ fun: "match.glob", args: ["web*"] }],
  [{ fun: "pillar.get", args: ["app:name"] }],
  [{ fun: "pillar.get", key: "nope" }, "true"],
  [{ fun: "cmd.retcode", cmd: "false" }],
  [{ fun: "cmd.run", args: ["exit 3"] }],
  [{ fun: "test.arg", args: [1], get_return: "args" }],
  [{ fun: "test.arg", a: 1, get_return: "kwargs:none" }],
  [{ fun: "test.echo", args: ["__slot__:salt:test.echo(x)"] }],
  [{ fun: "slsutil.renderer", string: "{% raw %}{{ not opts.test }}{% endraw %}", default_renderer: "jinja|yaml" }],
  [{ nope: 1 }],
  [{ fun: "no.such" }],
  { fun: "test.false" },
];

function common({ random, twice }: Built, family: string): Arguments {
  const conditions = twice ? CONDITIONS : [...CONDITIONS, ...CALLED];
  return {
    ...maybe(random, 0.05, () => ({ order: random.pick<Value>([1, 2, -1, "last", "first", 50]) })),
    ...maybe(random, 0.05, () => ({ onlyif: random.pick(conditions) })),
    ...maybe(random, 0.05, () => ({ unless: random.pick(conditions) })),
    ...maybe(random, 0.02, () => ({ failhard: true })),
    ...maybe(
      random,
      family === "file" ? 0 : 0.02,
      () => ({ check_cmd: random.pick<Value>([["true"], ["false"], "true"]) }),
    ),
    ...maybe(random, twice ? 0.02 : 0, () => ({
      retry: random.pick<Value>([
        { attempts: 2, interval: 0 },
        { attempts: 3, interval: 0, splay: 0 },
        { attempts: 2, interval: 0, until: false },
        { attempts: 1, interval: 0 },
        { attempts: "2", interval: 0 },
        5,
      ]),
    })),
    ...maybe(random, 0.02, () => ({ reload_modules: true })),
    ...maybe(random, 0.02, () => ({ reload_pillar: true })),
    ...maybe(random, 0.02, () => ({ reload_grains: true })),
    ...maybe(random, 0.03, () => ({ fire_event: random.pick<Value>([false, true, "own/tag"]) })),
    ...maybe(random, 0.02, () => ({ aggregate: random.pick<Value>([true, false]) })),
    ...maybe(
      random,
      family === "cmd" ? 0 : 0.02,
      () => ({ creates: random.pick<Value>(["{dir}/out/f0", ["/"], "/"]) }),
    ),
    ...maybe(random, family === "test" ? 0.02 : 0, () => ({ parallel: true })),
    ...maybe(random, 0.01, () => ({ require: random.pick<Value>([[], "text", [5], [{}], { file: "x" }, null]) })),
    ...maybe(random, 0.02, () => ({ onfail_stop: false })),
    ...maybe(random, 0.02, () => ({ umask: "077" })),
  };
}

/** A state in one of the styles that people write. */
function declaration(built: Built, own: number): string {
  const { random, states } = built;
  const { id, module: family } = states[own]!;
  const table = family === "file" || family === "ini" ? FILES : { ...OTHERS, ...SYSTEM };
  const fun = random.pick(Object.keys(table).filter((one) => one.startsWith(`${family}.`)));
  const made = { ...table[fun]!(built) };
  const [, short] = fun.split(".");
  const args: Arguments = {};
  const name = made.name;
  delete made.name;
  if (name !== undefined) {
    if (random.chance(0.06) && family !== "module") {
      args.names = [name, ...random.chance(0.5) ? [{ "{dir}/out/n2": [{ order: 3 }] }] : ["{dir}/out/n1"]];
    } else if (name !== id) args.name = name;
  }
  Object.assign(args, made);
  if (random.chance(0.01)) args[random.pick(["nope", "sourc", "mod"])] = 1;
  for (const [key, item] of Object.entries({ ...requisites(built, own), ...common(built, family) })) {
    args[key] = Array.isArray(args[key]) && Array.isArray(item) ? [...args[key], ...item] : item;
  }
  const items = Object.entries(args);
  if (items.length === 0 && random.chance(0.6)) {
    return random.pick([`${id}: ${fun}\n`, `${id}:\n  ${fun}\n`, `${id}:\n  ${fun}: []\n`]);
  }
  if (items.length === 0) return `${id}:\n  ${family}:\n    - ${short}\n`;
  const indent = random.pick(["    ", "    ", "  "]);
  const list = items.map(([key, item]) => `${indent}- ${key}:${block(random, item, `${indent}  `)}`).join("");
  const more = random.chance(0.06) ? beside(built, family, own) : "";
  if (random.chance(0.15)) return `${id}:\n  ${family}:\n${indent}- ${short}\n${list}${more}`;
  if (random.chance(0.05)) {
    return `${id}:\n  ${family}.${short}: ${flow(random, items.map(([key, item]) => ({ [key]: item })))}\n${more}`;
  }
  return `${id}:\n  ${fun}:\n${list}${more}`;
}

/** A second function of an id. */
function beside(built: Built, family: string, own: number): string {
  const { random } = built;
  const fun = random.pick([
    "test.nop",
    "test.succeed_with_changes",
    "cmd.wait",
    "cmd.run",
    "test.fail_without_changes",
  ]);
  if (fun.startsWith(`${family}.`)) return "";
  const args = { ...fun.startsWith("cmd") ? { name: "echo beside" } : {}, ...requisites(built, own) };
  const list = Object.entries(args).map(([key, item]) => `    - ${key}:${block(random, item, "      ")}`).join("");
  return list === "" ? `  ${fun}: []\n` : `  ${fun}:\n${list}`;
}

// Files of states

/** Lines at the head of a file that set names. */
function head(built: Built): string {
  const { random, locals } = built;
  const lines: string[] = [];
  const name = () => {
    const one = `v${locals.length}`;
    locals.push(one);
    return one;
  };
  while (random.chance(0.45)) {
    const kind = random.below(12);
    if (kind < 3) lines.push(`{% set ${name()} = ${random.pick(STRUCTURES)} %}`);
    else if (kind < 4) lines.push(`{%- set ${name()} = ${random.pick(SIMPLE)} -%}`, "");
    else if (kind < 6) {
      lines.push(
        `{% from ${
          random.pick(
            ['"map.jinja"', '"map.jinja"', '"./map.jinja"', 'tpldir ~ "/map.jinja"', '"none.jinja"'].slice(
              0,
              random.chance(0.9) ? 2 : 5,
            ),
          )
        } import app_map as ${name()}${random.pick(["", " with context"])} %}`,
      );
    } else if (kind < 7) lines.push(`{% import_yaml "defaults.yaml" as ${name()} %}`);
    else if (kind < 8) lines.push(`{% import_json "data.json" as ${name()} %}`);
    else if (kind < 9) lines.push(`{% import_text "files/plain.txt" as ${name()} %}`);
    else if (kind < 10) {
      lines.push(
        `{% load_yaml as ${name()} %}\n${document(random, map(random))}x: {{ (${
          random.pick(SIMPLE)
        }) | json }}\n{% endload %}`,
      );
    } else if (kind < 11) lines.push(`{% do pillar.app.opts.update({'added': ${random.below(9)}}) %}`);
    else if (locals.length > 0) lines.push(`{% do ${random.pick(locals)}.update({'z': 1}) %}`);
  }
  return lines.map((line) => `${line}\n`).join("");
}

/** A note with a text that is computed. */
const note = (id: string, of: string) => `${id}-note:\n  test.show_notification:\n    - text: {{ ${of} }}\n`;

/** States inside of a block that is seen less often. */
function blockAround({ random }: Built, body: string, id: string): string {
  const inner = random.pick(ALL_EXPRESSIONS);
  return random.pick([
    `{% set caught %}{{ ${inner} }} {{ sls }}{% endset %}\n${body}${note(id, "caught | json")}`,
    `{% import "macros.jinja" as lib${
      random.pick(["", " with context"])
    } %}\n${body}{{ lib.note('${id}-note', ${inner}) }}\n`,
    `{% filter indent(0) %}\n${body}{% endfilter %}\n`,
    `{% filter replace('  ', '  ') %}${body}{% endfilter %}`,
    `${body}${id}-raw:\n  test.show_notification:\n    - text: "{% raw %}{{ x }}{% endraw %}"\n`,
    `{% macro c(name) %}{{ caller(name) }}{% endmacro %}{% call(given) c('${id}-called') %}\n{{ given }}: test.nop\n{% endcall %}\n${body}`,
    `{% for one in [] %}x{% else %}\n${body}{% endfor %}\n`,
    `{% with given = ${inner} %}\n${note(id, "given | json")}{% endwith %}\n${body}`,
    `{%- if true -%}\n${body}{%- endif %}\n`,
    `{% do salt['log.info']('x') %}\n${body}`,
    `{% set ns = namespace(n=0) %}{% for i in range(5) %}{% if i == 3 %}{% break %}{% elif i == 1 %}{% continue %}{% endif %}{% set ns.n = ns.n + i %}{% endfor %}\n${
      note(id, "ns.n")
    }${body}`,
    `{% include "part.jinja"${random.pick(["", " ignore missing", " without context"])} %}\n${body}`,
    `{% include "none.jinja" ignore missing %}\n${body}`,
    `{% profile as 'x' %}\n${body}{% endprofile %}\n`,
    `{% for row in [1, [2, [3]]] recursive %}{% if row is iterable %}{{ loop(row) }}{% else %}\n${id}-{{ row }}: test.nop\n{% endif %}{% endfor %}\n${body}`,
    `{% for one in ['a', 'b', 'c'] %}\n${id}-{{ loop.cycle('x', 'y') }}{{ loop.revindex }}-{{ loop.previtem | default('no') }}: test.nop\n{% endfor %}\n${body}`,
    `{# said\n#}{{- "" -}}\n${body}`,
    `{% set a, b = (1, ${inner}) %}\n${body}${note(id, "[a, b] | json")}`,
    `{% import_yaml "map.jinja" as whole %}\n${body}${note(id, "whole | json")}`,
    `{% load_text as words %}\n{{ ${inner} }}\n{% endload %}\n${body}${note(id, "words | json")}`,
    `{% load_json as data %}\n{"a": [1, {{ (${inner}) | string | json }}]}\n{% endload %}\n${body}${
      note(id, "data | json")
    }`,
    `${body}${note(id, `(${inner}) | yaml`)}`,
    `${body}${note(id, `(${inner}) | yaml_dquote`)}`,
    `${body}${note(id, `(${inner}) | yaml_squote`)}`,
  ]);
}

/** States inside of a block. */
function wrapped(built: Built, body: string, own: number): string {
  const { random } = built;
  const id = built.states[own]!.id;
  const kind = random.below(14);
  if (kind < 7) return body;
  if (kind >= 12) return blockAround(built, body, id);
  if (kind === 7) {
    return `{% if ${
      random.pick([
        "grains.os == 'Debian'",
        "grains['os_family'] != 'RedHat'",
        "'web' in grains.roles",
        "pillar.get('nope')",
        "salt['match.grain']('os:Debian')",
        "pillar.app.port > 80",
        "pillar.app is mapping",
      ])
    } %}\n${body}{% ${random.pick(["endif", "else %}\nelse-" + id + ": test.nop\n{% endif"])} %}\n`;
  }
  if (kind === 8) {
    const [first, ...rest] = body.split("\n");
    const over = random.pick(["['x', 'y']", "grains.roles", "pillar.list", "range(2)", "[]"]);
    return `{% for item in ${over} ${random.chance(0.2) ? "if loop is defined or item " : ""}%}\n${
      first!.replace(id, `${id}-{{ ${random.pick(["item", "loop.index", "loop.index0 ~ loop.last"])} }}`)
    }\n${rest.join("\n")}{% endfor %}\n`;
  }
  if (kind === 9) {
    return `{% macro m${own}(suffix, more=none) %}\n${body}{% endmacro %}\n{{ m${own}('a'${
      random.pick(["", ", more=1", ", {'x': 1}"])
    }) }}\n`;
  }
  if (kind === 10) {
    return `{% from "macros.jinja" import note %}\n${body}{{ note('${id}-note', ${random.pick(SIMPLE)}) }}\n`;
  }
  return `{% for key, item in ${random.pick(["pillar.app.opts", "{'b': 1, 'a': 2}", "grains.site"])}.items()${
    random.pick(["", " | sort", " | list"])
  } %}\n${id}-{{ key }}:\n  test.show_notification:\n    - text: {{ item | string | json }}\n{% endfor %}\n${body}`;
}

const SHEBANGS = ["#!jinja|yaml", "#!yaml", "#! jinja | yaml", "#!jinja|json", "#!json", "#!nope", "#!jinja|yaml "];

function stateFile(built: Built, sls: string, ids: number[]): string {
  const { random } = built;
  built.locals = [];
  const shebang = random.chance(0.06) ? random.pick(SHEBANGS) : undefined;
  built.template = shebang === undefined || shebang.includes("jinja");
  const at = built.sls.indexOf(sls);
  let all = shebang === undefined ? "" : `${shebang}\n`;
  if (built.template && !/json/.test(shebang ?? "")) all += head(built);
  const next = built.sls[at + 1];
  if (next !== undefined && random.chance(0.9) || random.chance(0.02)) {
    const one = random.chance(0.03) ? "none" : next ?? random.pick(built.sls);
    const relative = one.startsWith("app.") && sls.startsWith("app") ? `.${one.slice(3)}` : one;
    all += `include:\n  - ${
      random.pick([
        one,
        one,
        relative,
        `base: ${one}`,
        `{ base: ${one} }`,
        one,
        `${one}\n  - dev: only_dev`,
        `${one}\n  - app*`,
      ])
    }\n`;
  }
  for (const own of ids) {
    const body = declaration(built, own);
    all += built.template ? wrapped(built, body, own) : body;
  }
  if (random.chance(0.08)) {
    const to = random.pick(built.states);
    const [name, item] = Object.entries(requisites(built, built.states.length - 1))[0] ??
      random.pick<[string, Value]>([["order", 4], ["names", ["x", "y"]], ["name", "{dir}/out/f3"], ["makedirs", true], [
        "context",
        { a: 1 },
      ], ["onlyif", ["true"]]]);
    all += `extend:\n  ${random.chance(0.9) ? to.id : "missing"}:\n    ${to.module}:\n      - ${name}:${
      block(random, item, "      ")
    }`;
  }
  if (random.chance(0.04)) {
    all += `exclude:\n  - ${
      random.pick([`sls: ${random.pick(built.sls)}`, `id: ${random.pick(built.states).id}`, random.pick(built.sls)])
    }\n`;
  }
  return all;
}

// Pillar

function pillar(random: Choices, files: Record<string, string>): void {
  const app: Arguments = {
    name: random.pick(["shop", "my app", "x"]),
    port: random.pick<Value>([80, 8080]),
    users: [{ name: "ann", admin: true }, { name: "bob", ...maybe(random, 0.5, () => ({ admin: false })) }],
    opts: map(random),
  };
  const body = (one: Arguments) => document(random, one);
  files["pillar/p.sls"] = body({
    app,
    list: random.pick<Value>([["b", "a"], [2, 1], ["x"]]),
    ...maybe(random, 0.3, () => map(random)),
  });
  const names = ["p"];
  if (random.chance(0.6)) {
    names.push("q");
    const include = random.chance(0.4)
      ? `include:\n${
        random.pick([
          "  - r\n",
          "  - r:\n      key: deep\n",
          "  - r:\n      defaults:\n        given: 5\n      key: deep:er\n",
          "  - none\n",
          "  - .r\n",
          "  - r*\n",
          "  - r:\n      defaults: {given: [1]}\n",
          "  - r:\n      key: app:opts\n  - sub\n",
          "  - sub.deep\n",
          "  r\n",
          "  - 5\n",
        ])
      }`
      : "";
    files["pillar/q.sls"] = include + body({
      app: { opts: map(random), ...maybe(random, 0.4, () => ({ port: 81, users: [{ name: "eve" }] })) },
      ...maybe(random, 0.4, () => ({ list: ["q"] })),
      extra: new Expression(
        random.pick([
          "{{ grains.os }}",
          "{{ opts.id }}",
          "{{ salt['grains.get']('site:rack') }}",
          "{{ grains.roles | json }}",
        ]),
      ),
    });
    files["pillar/r.sls"] = `from_r: {{ given | default('no') }}\napp:\n  opts: ${flow(random, map(random))}\n`;
  }
  if (random.chance(0.15)) {
    files["pillar/sub/init.sls"] = random.pick([
      "sub: {{ sls }} {{ slspath }} {{ tpldir }}\n",
      "{% import_yaml 'values.yaml' as values %}\nsub: {{ values | json }}\n",
      "#!yaml\nsub: '{{ no template }}'\n",
      '#!jinja|json\n{"sub": "{{ grains.os }}"}\n',
      "{% set found = salt['slsutil.merge']({'a': 1}, {'b': 2}) %}\nsub: {{ found }}\n",
      "sub: {{ salt['cmd.run']('echo x') }} {{ pillarenv }} {{ saltenv }}\n",
      "include:\n  - .deep\nsub: {{ grains.get('site:rack', 'none') }}\n",
      "sub: {{ pillar.get('list', 'none') | json }} {{ pillar.get('count', 0) }}\n",
      "sub: {{ salt['pillar.get']('app:opts', {}) | json }}\ncount: {{ (opts.pillar | default({})).get('count', 0) + 1 }}\n",
    ]);
    files["pillar/sub/deep.sls"] = "deep: {{ sls }}\napp: { opts: { deep: true } }\n";
    files["pillar/values.yaml"] = "v: [1, 2]\n";
    names.push(random.pick(["sub", "sub", "sub.deep"]));
  }
  if (random.chance(0.02)) {
    files["pillar/q.sls"] = `${files["pillar/q.sls"] ?? ""}\nbad: {{ ${random.pick(BROKEN)} }}\n`;
  }
  const top: string[] = [];
  const targets = [
    "'*'",
    "'*'",
    "'web*'",
    "'os:Debian'",
    "'G@os:Debian and web1*'",
    "'web1\\..*'",
    "group1",
    "'N@group1'",
  ];
  for (const name of [...names, ...random.chance(0.05) ? ["none"] : []]) {
    const target = name === "p" ? "'*'" : random.pick(targets);
    const match = target.includes("os:Debian'")
      ? "    - match: grain\n"
      : /[GN]@/.test(target) && random.chance(0.5)
      ? "    - match: compound\n"
      : target === "group1"
      ? "    - match: nodegroup\n"
      : target.includes("..*")
      ? "    - match: pcre\n"
      : random.chance(0.03)
      ? "    - ignore_missing: true\n"
      : "";
    top.push(`  ${target}:\n${match}    - ${name}\n`);
  }
  const merged = new Map<string, string>();
  for (const one of top) {
    const [target] = one.split("\n");
    merged.set(target!, (merged.get(target!) ?? `${target}\n`) + one.slice(target!.length + 1));
  }
  let all = `base:\n${[...merged.values()].join("")}`;
  if (random.chance(0.15)) {
    all += `${random.pick(["dev", "dev", "'{{ saltenv }}'", "nope"])}:\n  '*':\n    - ${
      random.pick(["d", "d", "p"])
    }\n`;
  }
  files["pillar/top.sls"] = all;
  files["pillar_dev/d.sls"] = "from_dev: {{ pillarenv | default('unset') }}\napp: { port: 82 }\n";
  if (random.chance(0.2)) files["pillar_dev/top.sls"] = `${random.pick(["base", "dev"])}:\n  '*':\n    - d\n`;
}

// Top files

function top(built: Built): void {
  const { random, files } = built;
  const targets = [
    ["'*'", ""],
    ["'web*'", ""],
    ["'web1.example.com'", ""],
    ["'E@web\\d'", "    - match: compound\n"],
    ["'web\\d.*'", "    - match: pcre\n"],
    ["'os:Debian'", "    - match: grain\n"],
    ["'roles:web'", "    - match: grain\n"],
    ["'app:name:shop'", "    - match: pillar\n"],
    ["'G@os:Debian and not db*'", "    - match: compound\n"],
    ["'web1.example.com,other'", "    - match: list\n"],
    ["'db*'", ""],
    ["group1", "    - match: nodegroup\n"],
    ["'192.0.2.0/24'", "    - match: ipcidr\n"],
    ["'os:(Debian|RedHat)'", "    - match: grain_pcre\n"],
    ["'app:name:(shop|x)'", "    - match: pillar_pcre\n"],
    ["'app:port:80'", "    - match: pillar_exact\n"],
    ["'I@app:name:shop or S@192.0.2.0/24'", "    - match: compound\n"],
    ["'N@group1 and not ( L@a,b or P@os:Red.* )'", "    - match: compound\n"],
    ["'N@group2'", "    - match: compound\n"],
    ["group2", "    - match: nodegroup\n"],
    ["'site:name:b*'", "    - match: grain\n"],
    ["'J@app:name:(shop|x) and K@os'", "    - match: compound\n"],
    ["'*'", "    - match: nope\n"],
  ];
  const part = () => {
    const used = new Set<string>();
    return Array.from({ length: 1 + random.below(3) }, () => {
      const [target, match] = random.pick(targets.slice(0, random.chance(0.97) ? -1 : undefined));
      if (used.has(target!)) return "";
      used.add(target!);
      const names = random.some(random.chance(0.95) ? built.sls : [...built.sls, "none", "app.*"], 1, 2);
      return `  ${target}:\n${match}${random.chance(0.05) ? "    - order: 2\n" : ""}${
        names.map((name) => `    - ${name}\n`).join("")
      }`;
    }).join("");
  };
  let all = random.chance(0.1) ? "{% set who = grains.id %}\n" : "";
  all += `base:\n${part()}`;
  if (random.chance(0.2)) all += `dev:\n  '*':\n    - ${random.pick(["only_dev", "web", "none"])}\n`;
  files["states/top.sls"] = all;
  files["dev/only_dev.sls"] = "from-dev:\n  test.show_notification:\n    - text: {{ saltenv }} {{ sls }}\n";
  if (random.chance(0.2)) {
    files["dev/top.sls"] = `${random.pick(["base", "dev"])}:\n  '*':\n    - ${random.pick(["only_dev", "web"])}\n`;
  }
}

// Mistakes

function mistaken(random: Choices, body: string): string {
  const lines = body.split("\n");
  const at = random.below(lines.length);
  const line = lines[at]!;
  switch (random.below(10)) {
    case 0:
      lines.splice(at, 1);
      break;
    case 1:
      lines.splice(at, 0, line);
      break;
    case 2:
      lines[at] = ` ${line}`;
      break;
    case 3:
      lines[at] = line.replace(/^ /, "");
      break;
    case 4:
      lines[at] = line.replace(/[:'"}\]-]/, "");
      break;
    case 5: {
      const place = random.below(line.length + 1);
      lines[at] = line.slice(0, place) +
        random.pick([
          ":",
          "{",
          "}",
          "[",
          "'",
          '"',
          "\t",
          "%}",
          "{{",
          "{%",
          "#",
          "&a",
          "*a",
          "|",
          "@",
          "!x",
          ",",
          "- ",
          "\\",
        ]) + line.slice(place);
      break;
    }
    case 6:
      lines.splice(
        at,
        0,
        random.pick([
          "- x",
          "x",
          "x: y",
          "{% if x %}",
          "{% endif %}",
          "---",
          "...",
          "? a",
          "a: b: c",
          "\tx: 1",
          "{{ nothing.x }}",
          "{# open",
        ]),
      );
      break;
    case 7:
      lines[at] = line.replace(
        /: .*/,
        `: ${random.pick(["", "[", "{a: 1", "'open", "5", "null", "[1, 2]", "{a: 1}", "2001-01-01"])}`,
      );
      break;
    case 8:
      lines.length = at;
      break;
    default:
      lines[at] = line.replace(/\w+/, (word) => word.slice(1));
  }
  return lines.join("\n");
}

// Trees

const SUPPORT: Record<string, string> = {
  "tree/hosts/web1.example.com/app/tree": "from {{ grains.os }}\n",
  "tree/hosts/web1.example.com/plain": "text",
  "stack/stack.cfg": "common.yml\nminions/{{ minion_id }}.yml\nos/{{ __grains__.os }}.yml\n",
  "stack/common.yml": "app:\n  opts: {stack: 1}\nlist: [stack]\n",
  "stack/minions/web1.example.com.yml":
    "list:\n  __: merge-first\n  x: y\napp: {__: merge-last, port: {{ stack.app.opts.stack }}}\n",

  "states/files/plain.txt": "alpha\nbeta = 1\n#gamma=2\n",
  "states/files/s.sh": "#!/bin/sh\necho script $1 $2\n",
  "states/tree/a.txt": "in a\n",
  "states/tree/b": "{{ grains.os }}\n",
  "states/tree/sub/c.txt": "in c\n",
  "states/data.json": '{"zeta": 1, "alpha": [1, 2, {"x": null}]}\n',
  "states/macros.jinja":
    "{% macro note(id, what) -%}\n{{ id }}:\n  test.show_notification:\n    - text: {{ what | json }}\n{%- endmacro %}\n",
  "states/part.jinja":
    "part-of-{{ sls }}:\n  test.show_notification:\n    - text: {{ tplfile | default('none') }} {{ grains.id | default('x') }}\n",
  "dev/files/t.j2": "dev {{ grains.id }}\n",
};

function support(random: Choices, files: Record<string, string>): void {
  Object.assign(files, SUPPORT);
  files["states/defaults.yaml"] = document(random, map(random));
  files["states/map.jinja"] = random.pick([
    "{% set app_map = salt['grains.filter_by']({'Debian': {'pkg': 'x', 'opts': {'a': 1}}, 'default': {}}, merge=salt['pillar.get']('app:opts')) %}\n",
    "{% import_yaml 'defaults.yaml' as defaults %}\n{% set app_map = salt['pillar.get']('app:opts', default=defaults, merge=True) %}\n",
    "{% import_yaml 'defaults.yaml' as defaults %}\n{% set app_map = salt['defaults.merge'](defaults, pillar.get('app', {})) %}\n",
    "{% import_yaml 'defaults.yaml' as defaults %}\n{% do salt['slsutil.update'](defaults, {'opts': {'n': 1}}) %}\n{% set app_map = defaults %}\n",
    "{% set app_map = {} %}\n{% for key, item in pillar.app.opts.items() %}{% do app_map.update({key: item}) %}{% endfor %}\n",
    "{% set app_map = salt['slsutil.merge']({'x': {'y': 1}}, pillar.app, strategy='recurse') %}\n",
    "{% set ns = namespace(found={}) %}\n{% for one in pillar.app.users %}{% set ns.found = dict(ns.found, **{one.name: one}) %}{% endfor %}\n{% set app_map = ns.found %}\n",
    "{% set app_map = {'dir': tpldir, 'file': tplfile, 'sls': sls} %}\n",
  ]);
  files["states/files/t.j2"] = random.pick([
    "port {{ pillar.app.port }}\n{% for key in context_less | default([]) %}{{ key }}{% endfor %}\n",
    "# {{ source }} {{ tpldir }} {{ sls }}\n{{ a | default('unset') }} {{ port | default(b) | default('none') }}\n",
    "{% for key, item in pillar.app.opts | dictsort %}\n{{ key }} = {{ item }}\n{% endfor %}\n",
    "{%- from 'macros.jinja' import note -%}\n{{ note('id', 'x') }}\nalpha\nbeta = 1\n",
    "{{ salt['pillar.get']('app:users') | yaml(False) }}\n{{ pillar.app | json(indent=2, sort_keys=True) }}\n",
    "{{ accumulator | default('none') }}\n",
    "{% if name is defined %}name {{ name }}{% endif %}\n{{ mode | default('no mode') }} {{ user }}\n",
    "broken {{ nothing.x }}\n",
    "no line break at the end {{ grains['roles'][0] }}",
  ]);
}

/** Pillar of a call. */
const PILLARS = [
  '{"app": {"port": 9, "opts": {"a": [5]}}}',
  '{"list": ["given"]}',
  '{"app": "no map"}',
  "{fresh: 1}",
];

/** A call that changes nothing. */
function readOnly(random: Choices, { sls, states }: Built): string[] {
  const id = random.pick(states).id;
  return random.pick([
    ["state.show_states", ...sls],
    ["state.sls_exists", random.pick([...sls, "none"])],
    ["state.id_exists", id, sls[0]!],
    ["state.show_state_usage"],
    ["state.sls_id", id, sls[0]!, "test=True"],
    ["state.single", "test.succeed_with_changes", "x", "test=True"],
    ["state.single", "file.managed", "{dir}/out/f0", "source=salt://files/t.j2", "template=jinja", "test=True"],
    ["state.high", '{"a": {"test": ["nop", {"require": [{"test": "b"}]}]}, "b": {"test.succeed_with_changes": []}}'],
    ["state.low", '{"state": "test", "fun": "nop", "name": "x"}'],
    ["state.template_str", "a: {test.show_notification: [{text: '{{ grains.os }}'}]}"],
    ["state.top", "top.sls", "test=True"],
    ["state.test", sls[0]!],
    ["cp.list_states"],
    ["cp.list_master"],
    ["cp.list_master_dirs"],
    ["cp.get_file_str", "salt://files/t.j2"],
    ["cp.get_template", "salt://files/t.j2", "{dir}/out/t"],
    ["cp.hash_file", "salt://files/plain.txt"],
    ["slsutil.renderer", `salt://${sls[0]!.replaceAll(".", "/")}.sls`],
    ["slsutil.renderer", "salt://defaults.yaml", "default_renderer=jinja|yaml"],
    ["pillar.item", "app", "nope"],
    ["pillar.get", "app:name"],
    ["pillar.keys", "app"],
    ["pillar.ls"],
    ["pillar.raw"],
    ["pillar.obfuscate"],
    ["pillar.file_exists", "p.sls"],
    ["config.get", "app"],
    ["match.compound", "G@os:Debian and I@app:name:*"],
  ]);
}

function oneCase(random: Choices): TreeCase {
  const files: Record<string, string> = {};
  const dry = random.chance(0.12);
  const sls = random.pick([["web"], ["web"], ["web", "lib"], ["web", "lib", "app"], [
    "app",
    "app.config",
    "app.service",
  ], ["web", "app", "app.config"]]);
  const families = dry
    ? [...ALL_SYSTEM, ...ALL_SYSTEM, "test.nop"]
    : random.chance(0.75)
    ? [...ALL_FILES, ...ALL_FILES, ...ALL_OTHERS]
    : ALL_OTHERS;
  const states = Array.from({ length: 1 + random.below(6) }, (_, at) => {
    const [family] = random.pick(families).split(".");
    const id = random.pick([`s${at}`, `s${at}`, `s${at} of it`, `{dir}/out/${PATHS[at]}`]);
    return { id, module: family!, name: id, sls: random.pick(sls) };
  });
  const built: Built = { random, files, states, sls, locals: [], template: true, dry, twice: random.chance(0.6) };
  pillar(random, files);
  support(random, files);
  for (const one of sls) {
    const ids = states.flatMap((state, at) => state.sls === one ? [at] : []);
    const file = one === "app" || random.chance(0.1)
      ? `${one.replaceAll(".", "/")}/init.sls`
      : `${one.replaceAll(".", "/")}.sls`;
    files[`states/${file}`] = stateFile(built, one, ids);
  }
  const before = random.some(["f0", "f1", "f2", "d0/g", "f3", "e0", "e1"], 0, 4);
  for (const one of before) {
    files[`out/${one}`] = random.pick([
      `${random.some(LINES, 1, 5).join("\n")}\n`,
      "alpha\nbeta",
      "# start\nold\n# end\n",
      "[s1]\nk = v\n",
      "a: 1\n",
      '{"a": 1}\n',
      "",
    ]);
  }
  const withTop = random.chance(0.25);
  if (withTop) top(built);
  while (random.chance(0.14)) {
    const name = random.pick(
      Object.keys(files).filter((one) =>
        /^(?:states|pillar)\/.*(?:sls|jinja|yaml|j2)$/.test(one) && one !== "pillar/top.sls"
      ),
    );
    files[name] = mistaken(random, files[name]!);
  }
  const opts: Record<string, unknown> = {
    id: "web1.example.com",
    file_client: "local",
    root_dir: "{dir}/own",
    cachedir: "{dir}/own/cache",
    state_events: false,
    disable_grains: ["core"],
    file_roots: { base: ["{dir}/states"], dev: ["{dir}/dev"] },
    pillar_roots: {
      base: ["{dir}/pillar"],
      ...random.chance(0.3) ? { dev: ["{dir}/pillar_dev"] } : {},
    },
    nodegroups: { group1: "web*", group2: ["N@group1", "and", "not", "db1"] },
    grains: GRAINS,
    ...random.chance(0.15)
      ? { pillar_source_merging_strategy: random.pick(["smart", "recurse", "aggregate", "overwrite", "none", "list"]) }
      : {},
    ...random.chance(0.1) ? { pillar_merge_lists: true } : {},
    ...random.chance(0.05) ? { failhard: true } : {},
    ...random.chance(0.05) ? { state_aggregate: true } : {},
    ...random.chance(0.1) ? { use_superseded: ["module.run"] } : {},
    ...random.chance(0.1) ? { jinja_sls_env: { trim_blocks: true, lstrip_blocks: true } } : {},
    ...random.chance(0.1) ? { jinja_env: { trim_blocks: true } } : {},
    ...random.chance(0.1) ? { top_file_merging_strategy: random.pick(["merge", "same", "merge_all"]) } : {},
    ...random.chance(0.05) ? { env_order: ["dev", "base"] } : {},
    ...random.chance(0.05) ? { state_auto_order: false } : {},
    ...random.chance(0.03) ? { yaml_utf8: true } : {},
    ...random.chance(0.05) ? { pillar_raise_on_missing: true } : {},
    ...random.chance(0.05) ? { state_top_saltenv: "base" } : {},
    ...random.chance(0.05) ? { default_top: "dev" } : {},
    ...random.chance(0.05) ? { pillarenv: random.pick(["dev", "base"]) } : {},
    ...random.chance(0.05) ? { saltenv: random.pick(["dev", "base"]) } : {},
    ...random.chance(0.05) ? { pillar_includes_override_sls: true } : {},
    ...random.chance(0.03) ? { pillar_safe_render_error: false } : {},
    ...random.chance(0.05) ? { jinja_env: { line_statement_prefix: "%%", line_comment_prefix: "##" } } : {},
    ...random.chance(0.03) ? { renderer: random.pick(["yaml", "jinja|json", "jinja | yaml"]) } : {},
    ...random.chance(0.03) ? { state_events: true } : {},
    ...random.chance(0.03) ? { lock_saltenv: true, saltenv: "base" } : {},
    ...random.chance(0.03) ? { disabled_requisites: random.pick(["require", ["watch", "require_in"]]) } : {},
    ...random.chance(0.03) ? { global_state_conditions: { "*": ["G@os:Debian"], "file.*": ["not G@os:Debian"] } } : {},
    ...random.chance(0.1)
      ? {
        ext_pillar: [random.pick([
          { cmd_yaml: "echo 'app: {opts: {ext: 1}}'" },
          { cmd_json: 'echo \'{"list": ["ext"]}\'' },
          { cmd_yaml: "false" },
          { file_tree: { root_dir: "{dir}/tree", render_default: "jinja", template: true } },
          { stack: "{dir}/stack/stack.cfg" },
          { no_such: 1 },
        ])],
        ...random.chance(0.3) ? { ext_pillar_first: true } : {},
      }
      : {},
  };
  const names = withTop
    ? []
    : [random.chance(0.9) ? sls[0]! : random.pick([sls.join(","), `${sls[0]},only_dev`, "none"])];
  const shown = withTop
    ? random.pick([["state.show_top"], ["state.show_highstate"], ["state.show_lowstate"]])
    : random.pick([
      ["state.show_low_sls", ...names],
      ["state.show_sls", ...names],
      ["pillar.items"],
      ["pillar.items", `pillar=${random.pick(PILLARS)}`],
      ["pillar.items", `pillarenv=${random.pick(["dev", "base"])}`],
      readOnly(random, built),
    ]);
  const run = random.chance(0.2) && withTop ? "state.highstate" : "state.apply";
  const given = [
    ...random.chance(0.1) ? [`pillar=${random.pick(PILLARS)}`] : [],
    ...random.chance(0.05) ? [`pillarenv=${random.pick(["dev", "base", "nope"])}`] : [],
    ...random.chance(0.03) ? [`saltenv=${random.pick(["dev", "base", "nope"])}`] : [],
    ...random.chance(0.03) ? [`exclude=${random.pick(["app", "s0", "[{id: s0}, {sls: lib}]"])}`] : [],
  ];
  const calls = [
    ...random.chance(0.3) ? [shown] : [],
    ...dry || random.chance(0.5) ? [[run, ...names, "test=True", ...given]] : [],
    ...dry ? [] : [[run, ...names, ...given]],
    ...!dry && random.chance(0.2) ? [[run, ...names]] : [],
  ];
  return { files, opts, calls };
}

/** As many trees of a seed. */
export function treeCases(seed: number, count: number): TreeCase[] {
  const random = choices(seed);
  return Array.from({ length: count }, () => oneCase(random));
}
