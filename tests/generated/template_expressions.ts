/**
 * Templates made by chance of what formulas write: values, operators, slices, methods, filters and Salt's functions that merge, look up
 * and change maps. Each prints what it computed, and then what became of the values that it gave away.
 *
 * `node template_expressions.ts SEED COUNT` prints them for `record_template_expressions.py`.
 */
import process from "node:process";
import { type Choices, choices } from "./random.ts";

/** What templates find as `pillar` and `grains`. */
export const PILLAR = {
  app: { port: 80, tags: ["a", "b"], deep: { on: true, off: null, "1": "one" }, name: "web" },
  list: [3, 1, 2],
  none: null,
  empty: {},
  number: 1,
  text: "été",
};
export const GRAINS = {
  os: "Debian",
  os_family: "Debian",
  osfinger: "Debian-12",
  osmajorrelease: 12,
  roles: ["web", "db"],
  id: "golden",
  kernel: "Linux",
  nested: { a: { b: [1, 2] } },
};

const ATOMS = [
  "none",
  "true",
  "false",
  "0",
  "1",
  "2",
  "-1",
  "1.0",
  "2.5",
  "-0.0",
  "1e3",
  "10",
  "12345678901234567890",
  "''",
  "'a'",
  "'b'",
  "'A b'",
  "'été'",
  "'1'",
  "'01'",
  "'true'",
  "'No'",
  "'x=1'",
  "'a,b, c'",
  "' pad '",
  "'a.b:c'",
  "'line\\nnext'",
  "'%s and %d'",
  "'{} {0}'",
  "'10.0.0.1'",
  "'10.0.0.0/24'",
  "'::1'",
  "'\"q\" \\'s\\''",
  "'2024-02-29'",
  "'😀'",
  "'ß'",
] as const;
const KEYS = ["'a'", "'b'", "'c'", "'port'", "1", "'1'", "true", "none", "1.0", "'x y'", "'été'"] as const;
const NAMES = ["a", "b", "c"] as const;

const atom = (random: Choices) => random.pick(ATOMS);

function list(random: Choices, depth: number): string {
  return `[${Array.from({ length: random.below(4) }, () => value(random, depth - 1)).join(", ")}]`;
}

function tuple(random: Choices, depth: number): string {
  const items = Array.from({ length: random.below(4) }, () => value(random, depth - 1));
  return items.length === 1 ? `(${items[0]},)` : `(${items.join(", ")})`;
}

function map(random: Choices, depth: number, keys: readonly string[] = KEYS): string {
  return `{${
    Array.from({ length: random.below(4) }, () => `${random.pick(keys)}: ${value(random, depth - 1)}`).join(", ")
  }}`;
}

/** A literal. */
function value(random: Choices, depth = 2): string {
  if (depth <= 0 || random.chance(0.45)) return atom(random);
  return random.pick([list, list, tuple, map, map, map])(random, depth);
}

const words = (random: Choices) =>
  `[${random.some(["'b'", "'a'", "'B'", "'c'", "'a'", "'é'", "'10'", "'9'"], 0, 5).join(", ")}]`;
const numbers = (random: Choices) =>
  `[${random.some(["3", "1", "2.5", "-1", "1", "0", "true", "10", "1.0"], 0, 5).join(", ")}]`;
const text = (random: Choices) => random.pick(ATOMS.filter((one) => one.startsWith("'")));
const path = (random: Choices) =>
  random.pick([
    "'app'",
    "'app:port'",
    "'app:tags:0'",
    "'app:tags:-1'",
    "'app:tags:5'",
    "'app:deep:on'",
    "'app:deep:off'",
    "'app:deep:1'",
    "'none'",
    "'none:x'",
    "'list:1'",
    "'number:x'",
    "'nothing'",
    "'app:nothing:x'",
    "'text'",
    "'empty'",
    "''",
    "'app.port'",
    "'app:deep:on:x'",
    "':app'",
  ]);

/** Something of a name that holds a value, or a literal. */
const given = (random: Choices): string => random.chance(0.6) ? random.pick(NAMES) : value(random, 2);
const whole = (random: Choices) => random.pick(["0", "1", "2", "-1", "-2", "3", "100"]);

/** Slices and items. */
function part(random: Choices): string {
  const bound = () => random.chance(0.35) ? "" : whole(random);
  return random.pick([
    () => `[${bound()}:${bound()}]`,
    () => `[${bound()}:${bound()}:${random.pick(["", "1", "-1", "2", "-2"])}]`,
    () => `[${whole(random)}]`,
    () => `[${random.pick(KEYS)}]`,
    () => `.${random.pick(["a", "b", "port", "x", "1"])}`,
  ])();
}

type Kind = "text" | "list" | "map" | "number";
type Maker = (random: Choices) => string;

const fixed = (names: string): Maker[] => names.trim().split(/\s*\n\s*/).map((name) => () => name);

/** Methods by the kind of what has them. */
const METHODS: Record<Kind, Maker[]> = {
  map: [
    (random) => `.get(${random.pick(KEYS)})`,
    (random) => `.get(${random.pick(KEYS)}, ${value(random, 1)})`,
    () => ".items()|list",
    () => ".keys()|list",
    () => ".values()|list",
    () => ".items()",
    () => ".copy()",
    (random) => `.setdefault(${random.pick(KEYS)}, ${given(random)})`,
    (random) => `.pop(${random.pick(KEYS)})`,
    (random) => `.pop(${random.pick(KEYS)}, ${atom(random)})`,
    (random) => `.fromkeys(${words(random)}, ${atom(random)})`,
  ],
  list: [
    (random) => `.pop(${whole(random)})`,
    (random) => `.index(${random.pick(["'a'", "1", "'z'"])})`,
    (random) => `.count(${random.pick(["'a'", "1", "true", "1.0"])})`,
    () => ".copy()",
  ],
  text: [
    (random) => `.split(${random.pick(["", "','", "' '", "'.'", "',', 1", "none, 1", "sep='a'", "''"])})`,
    (random) => `.rsplit(${random.pick(["'.', 1", "", "':'", "none, 1"])})`,
    (random) => `.replace(${text(random)}, ${text(random)}${random.pick(["", ", 1"])})`,
    (random) => `.startswith(${random.pick(["'a'", "('a', '1')", "'é'", "1", "'b', 1"])})`,
    (random) => `.endswith(${random.pick(["'a'", "('b', 'é')", "''"])})`,
    (random) => `.${random.pick(["strip", "lstrip", "rstrip"])}(${random.pick(["", "' '", "'a1'", "none"])})`,
    (random) =>
      `.${
        random.pick([
          "title",
          "upper",
          "capitalize",
          "swapcase",
          "isdigit",
          "isalpha",
          "isalnum",
          "isspace",
          "istitle",
          "isupper",
          "isnumeric",
          "casefold",
          "isidentifier",
          "splitlines",
          "encode",
          "isdecimal",
          "isprintable",
          "expandtabs",
          "lower",
          "islower",
        ])
      }()`,
    (random) => `.join(${words(random)})`,
    (random) => `.format(${atom(random)}, ${atom(random)})`,
    (random) => `.${random.pick(["find", "rfind", "index", "count"])}(${text(random)})`,
    (random) => `.${random.pick(["partition", "rpartition"])}(${random.pick(["'.'", "','", "'='", "''"])})`,
    (random) => `.zfill(${whole(random)})`,
    (random) => `.${random.pick(["center", "ljust", "rjust"])}(${random.pick(["9", "9, '*'", "2", "9, ''"])})`,
    (random) => `.${random.pick(["removeprefix", "removesuffix"])}('a')`,
    (random) => `.encode('${random.pick(["utf-8", "ascii", "latin-1"])}')`,
    (random) => `.splitlines(${random.pick(["true", "keepends=true"])})`,
  ],
  number: fixed(`.bit_length()
    .is_integer()
    .real
    .imag
    .conjugate()
    .as_integer_ratio()
    .hex()`),
};

const CHANGES: ((random: Choices) => string)[] = [
  (random) => `.update(${given(random)})`,
  (random) => `.update({${random.pick(KEYS)}: ${given(random)}})`,
  (random) => `.append(${given(random)})`,
  (random) => `.extend(${given(random)})`,
  (random) => `.insert(${whole(random)}, ${given(random)})`,
  (random) => `.remove(${atom(random)})`,
  (random) => `.pop(${random.pick(KEYS)}, none)`,
  () => ".pop()",
  () => ".popitem()",
  () => ".clear()",
  () => ".sort()",
  () => ".reverse()",
  (random) => `.sort(reverse=${random.pick(["true", "1", "none"])})`,
  (random) => `.setdefault(${random.pick(KEYS)}, []).append(${atom(random)})`,
];

/** Filters by the kind of what they are given. */
const FILTERS: Record<Kind | "any", Maker[]> = {
  any: [
    ...fixed(`default('d')
      default('d', true)
      string
      list
      length
      count
      first
      last
      tojson
      tojson(2)
      tojson(indent=1)
      json
      json(false)
      json(sort_keys=false)
      json(sort_keys=true, indent=2)
      yaml
      yaml(false)
      python
      pprint
      e
      forceescape
      is_list
      is_iter
      to_bool
      join
      int
      float
      sum
      max
      min
      select|list
      flatten
      quote
      yaml_encode
      yaml_dquote
      yaml_squote
      sequence
      attr('a')
      skip
      to_num
      to_bytes
      md5
      json_query('a')
      method_call('get', 'a')
      upper
      trim
      title
      urlencode
      json_encode_list
      json_encode_dict
      json_decode_list
      json_decode_dict
      is_ip
      check_whitelist_blacklist
      exactly_one_true
      exactly_n_true(1)
      get_uid
      which`),
    (random) => `default(${atom(random)}, ${random.pick(["true", "false"])})`,
  ],
  map: [
    ...fixed(`dictsort
      dictsort(true)
      dictsort(by='value')
      dictsort(reverse=true)
      items|list
      list
      xmlattr
      length
      first
      sort
      json
      yaml
      yaml(false)
      update_dict_key_value('a', {'z': 1})
      update_dict_key_value('a:b', {'z': 1})
      set_dict_key_value('a', 1)
      set_dict_key_value('a:b:c', [1])
      set_dict_key_value('a.b', 1, delimiter='.')
      append_dict_key_value('b', 1)
      append_dict_key_value('a:b', 1)
      extend_dict_key_value('b', [1, 2])
      extend_dict_key_value('a:z', [1, 2])
      json_query('keys(@)')
      json_query('*')
      join(',')
      map('upper')|list
      unique
      union({'a': 1})
      method_call('get', 'a', 5)
      method_call('pop', 'a', 5)
      max
      json_encode_dict
      json_decode_dict
      sorted_ignorecase
      urlencode
      tojson`),
    (random) =>
      `traverse(${random.pick(["'a'", "'a:b'", "'a.b'", "['a', 0]", "'0'", "'1:a'", "'b:0'", "'b:-1'", "'c:port'"])}, ${
        atom(random)
      })`,
    (random) => `json_query(${random.pick(["'a'", "'a.b'", "'*'", "'keys(@)'", "'length(@)'", "'a || `1`'"])})`,
  ],
  list: [
    ...fixed(`first
      last
      length
      join(',')
      join('-', 'a')
      map('upper')|list
      map('string')|list
      map('int')|list
      map(attribute='a')|list
      map(attribute='a', default=0)|list
      max
      min
      reject('none')|list
      rejectattr('a')|list
      reverse|list
      select('string')|list
      select('in', [1, 'a'])|list
      select('number')|list
      selectattr('a', 'defined')|list
      selectattr('a', 'equalto', 1)|list
      slice(2)|list
      slice(2, 'z')|list
      sort
      sort(reverse=true)
      sort(case_sensitive=true)
      sort(attribute='a')
      sum
      sum(attribute='a')
      sum(start=5)
      unique|list
      unique(true)|list
      batch(2)|list
      batch(2, 'z')|list
      groupby('a')|list
      groupby('a', default=1)|map('last')|list
      unique
      union([1, 'a', 'z'])
      intersect([1, 'a', 'b'])
      difference([1, 'a', 'b'])
      symmetric_difference([1, 'a', 'z'])
      flatten
      flatten(levels=1)
      flatten(preserve_nulls=true)
      avg
      sequence
      exactly_n_true(2)
      exactly_one_true
      json_query('[0]')
      json_query('[].a')
      json_query('[?a]')
      json_query('sort(@)')
      json_query('[-1]')
      sorted_ignorecase
      random_shuffle(seed='s')
      random_sample(1, seed='s')
      is_list
      substring_in_list(['a'])
      compare_lists([1, 'a'])
      compare_lists(['b'], 'a', 'b')
      json_decode_list
      json_encode_list
      tojson
      min(default=1)
      filter_by_networks(['10.0.0.0/8'])
      method_call('index', 'a')
      dictsort
      map('default', 'x')|list
      map('to_bool')|list
      map('regex_replace', 'a', 'b')|list
      map('int', base=8)|list
      map('abs')|list
      select|list
      reject|list`),
    (random) => `union(${given(random)})`,
    (random) => `difference(${given(random)})`,
    (random) => `intersect(${given(random)})`,
    (random) => `symmetric_difference(${given(random)})`,
    (random) => `map('default', ${atom(random)}, true)|list`,
  ],
  text: [
    ...fixed(`capitalize
      lower
      upper
      title
      trim
      trim('a')
      int
      int(7)
      int(base=16)
      int(0, 8)
      float
      float(7)
      list
      length
      replace('a', 'z')
      replace('a', 'z', 1)
      reverse
      truncate(5)
      truncate(5, true)
      truncate(5, true, '', 0)
      urlencode
      urlize
      wordcount
      wordwrap(3)
      center(9)
      indent
      indent(2, true)
      indent('>', first=true)
      striptags
      format(1, 'x')
      to_bool
      is_hex
      contains_whitespace
      substring_in_list(['a', 'b'])
      check_whitelist_blacklist(['a*'], ['b'])
      check_whitelist_blacklist(blacklist=['b'])
      to_num
      str_to_num
      to_bytes
      sha1
      sha256
      sha512
      base64_encode
      base64_decode
      hmac('k', 'x')
      hmac_compute('k')
      is_ip
      is_ipv4
      is_ipv6
      ipaddr
      ipv4
      ipv6
      ip_host
      ipwrap
      network_hosts
      network_size
      regex_search('([a-z])(.)')
      regex_match('(.).*')
      regex_replace('[a-z]', '_')
      regex_escape
      to_snake_case
      to_camelcase
      to_camelcase(uppercamel=true)
      human_to_bytes
      human_to_bytes(default_unit='K')
      mac_str_to_bytes
      method_call('upper')
      path_join('x', '/y', 'z')
      date_format
      strftime('%Y')
      load_yaml
      load_json
      sorted_ignorecase
      json_encode_list
      mysql_to_dict('a')
      uuid
      filesizeformat
      select|list
      ipaddr('global')
      yaml
      json
      quote
      sequence
      sort
      random_hash|length`),
    (random) => `join(${text(random)})`,
    (random) => `replace(${text(random)}, ${text(random)})`,
    (random) => `substring_in_list(${words(random)})`,
    (random) =>
      `regex_replace(${random.pick(["'a'", "'(.)'", "'A'"])}, ${
        random.pick(["'x'", "'<\\\\1>'", "'', ignorecase=true"])
      }${random.pick(["", ", multiline=true"])})`,
    (random) => `ipaddr(${random.pick(["'private'", "options='global'", "version=4", "'nope'"])})`,
    (random) => `regex_match(${random.pick(["'a'", "'(.)(.)?'", "'A', ignorecase=true", "'(?P<x>a)'"])})`,
  ],
  number: fixed(`abs
    round
    round(1)
    round(0, 'ceil')
    round(-1)
    round(2, 'floor')
    int
    float
    string
    filesizeformat
    filesizeformat(true)
    to_bool
    to_num
    str_to_num
    strftime('%Y')
    date_format
    human_to_bytes
    default(5)
    pprint
    yaml_encode
    is_ip
    ipaddr
    sequence
    tojson
    yaml`),
};

/** A literal of a kind. */
function literal(random: Choices, kind: Kind): string {
  switch (kind) {
    case "text":
      return text(random);
    case "list":
      return random.pick([
        words,
        numbers,
        words,
        numbers,
        (r: Choices) => list(r, 2),
        (r: Choices) => tuple(r, 2),
        (r: Choices) => `[${map(r, 1)}, ${map(r, 1)}]`,
      ])(random);
    case "map":
      return map(random, 2);
    case "number":
      return random.pick(ATOMS.filter((one) => /^-?\d/.test(one)));
  }
}

const KINDS: readonly Kind[] = ["text", "list", "map", "number", "map", "list", "text"];

const TESTS = [
  "defined",
  "undefined",
  "none",
  "string",
  "number",
  "integer",
  "float",
  "boolean",
  "true",
  "false",
  "mapping",
  "sequence",
  "iterable",
  "callable",
  "even",
  "odd",
  "divisibleby 2",
  "in [1, 'a']",
  "sameas none",
  "sameas true",
  "eq 1",
  "equalto 'a'",
  "gt 1",
  "lt 'b'",
  "lower",
  "upper",
  "match('a')",
  "match('^.+$', multiline=true)",
  "list",
  "escaped",
  "ge 1.0",
  "ne none",
  "filter",
  "test",
] as const;

const OPERATORS = ["+", "-", "*", "/", "//", "%", "~", "==", "!=", "<", ">=", "in", "not in", "and", "or"] as const;

const merging = (random: Choices) =>
  random.pick([
    "",
    ", 'smart'",
    ", 'recurse'",
    ", 'overwrite'",
    ", merge_lists=true",
    ", 'recurse', 'yaml', true",
    ", 'nope'",
  ]);

/** Salt's functions that take values from the template, and those that look something up. */
const FUNCTIONS: ((random: Choices) => string)[] = [
  (random) => `salt['slsutil.merge'](${given(random)}, ${given(random)}${merging(random)})`,
  (random) => `salt['slsutil.merge'](${random.pick(NAMES)}, ${random.pick(NAMES)}${merging(random)})`,
  (random) =>
    `salt['slsutil.update'](${random.pick(NAMES)}, ${given(random)}${
      random.pick(["", ", recursive_update=false", ", merge_lists=true"])
    })`,
  (random) =>
    `salt['slsutil.merge_all']([${random.some([...NAMES, "{'a': 1}", "{'a': {'b': 1}}"], 0, 3).join(", ")}]${
      merging(random)
    })`,
  (random) => `salt['slsutil.boolstr'](${atom(random)}, 'yes', 'no')`,
  (random) =>
    `salt['slsutil.serialize']('${
      random.pick(["json", "yaml", "python", "msgpack", "nope", "configparser", "toml"])
    }', ${given(random)})`,
  (random) =>
    `salt['slsutil.deserialize']('${random.pick(["json", "yaml", "python"])}', ${
      random.pick(["'[1, null]'", '\'{"b": 1, "a": 2}\'', "'a: [1, ~]'", "'x'", "''"])
    })`,
  (random) =>
    `salt['defaults.merge'](${given(random)}, ${given(random)}${
      random.pick(["", ", merge_lists=true", ", in_place=false", ", convert_none=false", ", true, false"])
    })`,
  (random) =>
    `salt['defaults.merge'](${random.pick(NAMES)}, ${random.pick(NAMES)}${
      random.pick(["", ", merge_lists=true", ", in_place=false", ", convert_none=false"])
    })`,
  (random) =>
    `salt['defaults.update'](${random.pick(NAMES)}, ${random.pick(NAMES)}${
      random.pick(["", ", merge_lists=false", ", in_place=false"])
    })`,
  (random) => `salt['defaults.deepcopy'](${given(random)})`,
  (random) => `salt['pillar.get'](${path(random)})`,
  (random) => `salt['pillar.get'](${path(random)}, ${given(random)})`,
  (random) => `salt['pillar.get'](${path(random)}, ${given(random)}, merge=true)`,
  (random) =>
    `salt['pillar.get'](${path(random)}, default=${map(random, 2)}, merge=true${
      random.pick(["", ", merge_nested_lists=false", ", merge_nested_lists=true"])
    })`,
  (random) => `salt.pillar.get(${path(random)}, ${atom(random)}${random.pick(["", ", delimiter='.'"])})`,
  (random) => `pillar.get(${random.pick(["'app'", "'none'", "'nothing'", "'app:port'"])}, ${atom(random)})`,
  (random) => `salt['pillar.keys'](${path(random)})`,
  (random) => `salt['pillar.item'](${path(random)})`,
  (random) => `salt['pillar.fetch'](${path(random)}, ${atom(random)})`,
  (random) =>
    `salt['config.get'](${random.pick(["'app:port'", "'os'", "'app'", "'nothing'", "'roles'", "'id'"])}, ${
      given(random)
    }${random.pick(["", ", merge='recurse'", ", merge='overwrite'", ", delimiter='.'", ", omit_pillar=true"])})`,
  (random) => `salt['config.option'](${random.pick(["'app'", "'nothing'", "'os'"])}, ${atom(random)})`,
  (random) => `salt['config.merge'](${random.pick(["'app'", "'nothing'"])}, ${given(random)})`,
  (random) =>
    `salt['grains.get'](${
      random.pick([
        "'os'",
        "'roles'",
        "'nested:a:b'",
        "'nested:a:b:0'",
        "'no'",
        "'nested:a:b:-1'",
        "'roles:1'",
        "'os:x'",
      ])
    }, ${atom(random)})`,
  (random) => `salt['grains.item']('os', ${random.pick(["'roles'", "'no'", "'nested:a'"])})`,
  (random) => `salt['grains.has_value'](${random.pick(["'os'", "'no'", "'nested:a'"])})`,
  (random) =>
    `salt['grains.filter_by']({'Debian': ${map(random, 2)}, 'RedHat': ${map(random, 1)}, 'default': ${map(random, 1)}}${
      random.pick([
        "",
        ", merge=a",
        ", grain='os'",
        ", grain='no', default='RedHat'",
        ", base='default'",
        ", grain='roles'",
        ", default='nope', grain='no'",
        ", grain='osfinger'",
        ", merge=salt['pillar.get']('app')",
      ])
    })`,
  (random) =>
    `salt['grains.filter_by']({'Deb*': {'a': 1}, ${random.pick(["'default': ", "'web': "])}${given(random)}}, ${
      random.pick(["grain='roles'", "grain='os'", "grain='kernel'"])
    })`,
  (random) =>
    `salt['match.filter_by']({'gold*': ${map(random, 1)}, '*': ${map(random, 1)}}, minion_id='golden'${
      random.pick(["", ", merge=a", ", base='*'", ", merge_lists=true"])
    })`,
  (random) =>
    `salt['match.${random.pick(["glob", "list", "pcre", "compound"])}'](${
      random.pick(["'gold*'", "'golden,x'", "'G@os:Debian and gold*'", "'.*n'"])
    })`,
  (random) => `salt['test.echo'](${given(random)})`,
  (random) => `salt['test.arg'](${given(random)}, x=${given(random)})`,
  (random) => `salt['test.kwarg'](a=${given(random)})`,
  (random) => `salt['test.arg_repr'](${given(random)})`,
  (random) => `salt['test.arg_type'](${given(random)})`,
  (random) => `salt['test.tuple'](${atom(random)})`,
  (random) =>
    `salt['hashutil.${
      random.pick(["md5_digest", "sha256_digest", "base64_b64encode", "base64_b64decode", "digest"])
    }'](${text(random)})`,
  (random) => `salt['data.get'](${text(random)})`,
  (random) =>
    `salt['network.${
      random.pick(["is_private", "is_loopback", "convert_cidr", "calc_net", "ip_in_subnet", "reverse_ip"])
    }'](${random.pick(["'10.0.0.1'", "'127.0.0.1'", "'10.0.0.0/24'", "'::1'", "'x'"])})`,
  (random) =>
    `salt['pkg.version_cmp'](${random.pick(["'1.0'", "'1:0.9'", "'1.0~rc1'"])}, ${
      random.pick(["'1.0'", "'1.1'", "'2'"])
    })`,
  (random) => `salt['nope.nope'](${atom(random)})`,
  (random) => `range(${whole(random)}${random.pick(["", `, ${random.below(9)}`])})|list`,
  (random) => `dict(${random.pick(["a=1", "[['a', 1]]", "a", "b=a, c=b", "[('a', 2), ('b', 3)]", "a, b=1", "[1]"])})`,
  (random) => `namespace(a=${given(random)}).a`,
  (random) => `cycler(${atom(random)}, ${atom(random)}).next()`,
];

/** Something of a kind: a name that holds one, or a literal. */
function source(random: Choices, kind: Kind): string {
  const names = NAMES.filter((name) => kinds[name] === kind);
  return names.length > 0 && random.chance(0.6) ? random.pick(names) : `(${literal(random, kind)})`;
}

/** Kinds of what the names hold in this template. */
let kinds: Record<string, Kind> = {};

/** An expression. */
function expression(random: Choices, depth = 2): string {
  if (depth <= 0) return given(random);
  const inner = () => expression(random, depth - 1);
  const kind = random.pick(KINDS);
  const filter = () => random.pick(FILTERS[random.chance(0.1) ? "any" : kind])(random);
  return random.pick([
    () => given(random),
    () => `${source(random, random.pick(["text", "list"]))}${part(random)}`,
    () => `${source(random, "map")}${random.pick([`[${random.pick(KEYS)}]`, ".a", ".b.a", ".nope"])}`,
    () => `(${inner()})${part(random)}`,
    () => `${source(random, kind)}${random.pick(METHODS[kind])(random)}`,
    () => `${source(random, kind)}${random.pick(METHODS[kind])(random)}`,
    () => `${source(random, "text")}${random.pick(METHODS.text)(random)}`,
    ...Array.from({ length: 6 }, () => () => `${source(random, kind)}|${filter()}`),
    () => `${source(random, kind)}|${filter()}|${random.pick(FILTERS.any)(random)}`,
    () => `(${inner()})|${random.pick(FILTERS.any)(random)}`,
    () => `(${inner()}) is ${random.chance(0.3) ? "not " : ""}${random.pick(TESTS)}`,
    () => `${source(random, kind)} is ${random.pick(TESTS)}`,
    () =>
      `${source(random, kind)} ${random.pick(OPERATORS)} ${
        source(random, random.chance(0.7) ? kind : random.pick(KINDS))
      }`,
    () => `${atom(random)} ${random.pick(OPERATORS)} ${atom(random)}`,
    () => `${random.pick(["2", "-1", "2.5", "true", "none", "'a'"])} ** ${random.pick(["3", "-2", "2", "false", "a"])}`,
    () => `${random.pick(["not ", "-", "+"])}${source(random, random.pick(["number", kind]))}`,
    () => `(${inner()} if ${given(random)} else ${given(random)})`,
    ...Array.from({ length: 7 }, () => () => random.pick(FUNCTIONS)(random)),
    () => `(${random.pick(FUNCTIONS)(random)})${part(random)}`,
    () => `(${random.pick(FUNCTIONS)(random)})|${random.pick(FILTERS.any)(random)}`,
  ])();
}

/** What is done with what an expression gave. */
function use(random: Choices): string {
  return random.pick([
    ...Array.from({ length: 10 }, () => () => "{{ r }}"),
    () => "{{ r }}",
    () => "{{ r|json }}",
    () => "{{ r|yaml }}",
    () => "{% for k, v in r.items() %}{{ k }}={{ v }};{% endfor %}",
    () => "{% for x in r %}{{ loop.index }}{{ x }}{{ ',' if not loop.last }}{% endfor %}",
    () => `{% do r${random.pick(CHANGES)(random)} %}{{ r }}`,
    () => `{% do r.a${random.pick(CHANGES)(random)} %}{{ r }}`,
    () => `{% do r.update(b) %}{% do b${random.pick(CHANGES)(random)} %}{{ r }}`,
    () => `{% if r %}{{ r }}{% else %}no{% endif %}`,
    () => `{% set a = a + [r] %}{{ a }}`,
    () => `{% do pillar.app${random.pick(CHANGES)(random)} %}{{ salt['pillar.get']('app') }}{{ pillar.app }}`,
  ])();
}

/** A template: three names, an expression, and what became of all. */
function template(random: Choices): string {
  kinds = {};
  const sets = NAMES.map((name, at) => {
    const kind = kinds[name] = at === 0 ? "map" : random.pick(KINDS);
    if (at > 0 && random.chance(0.1)) {
      const other = random.pick(NAMES.slice(0, at));
      kinds[name] = kinds[other]!;
      return `{% set ${name} = ${other} %}`;
    }
    if (kind === "map" && random.chance(0.15)) {
      return `{% set ${name} = ${
        random.pick(
          ["pillar.app", "grains.nested", "pillar", "{'a': pillar.app}", "{'a': a, 'b': [a]}"].slice(
            0,
            at === 0 ? 4 : 5,
          ),
        )
      } %}`;
    }
    return `{% set ${name} = ${literal(random, kind)} %}`;
  });
  return `${sets.join("")}{% set r = ${expression(random)} %}${use(random)}|{{ a }}|{{ b }}|{{ c }}`;
}

/** Filters, each of which is given every kind of value: most of them refuse some. */
const EDGES = `abs
  capitalize
  count
  default
  dictsort
  e
  first
  float
  int
  items|list
  join
  last
  length
  list
  lower
  map('upper')|list
  max
  min
  pprint
  reject|list
  rejectattr('a')|list
  reverse|list
  round
  select|list
  selectattr('a')|list
  slice(2)|list
  sort
  string
  sum
  title
  tojson
  trim
  truncate
  unique|list
  upper
  urlencode
  wordcount
  wordwrap
  xmlattr
  batch(2)|list
  center
  filesizeformat
  indent
  striptags
  format(1)
  groupby('a')|list
  attr('a')
  forceescape
  replace('a','b')
  to_bool
  is_hex
  contains_whitespace
  substring_in_list(['a'])
  to_num
  to_bytes
  json_decode_list
  json_decode_dict
  md5
  sha256
  base64_encode
  base64_decode
  hmac('a','b')
  hmac_compute('a')
  is_ip
  is_ipv4
  is_ipv6
  ipaddr
  ipv4
  ipv6
  network_hosts
  network_size
  ip_host
  sorted_ignorecase
  yaml_dquote
  yaml_squote
  yaml_encode
  yaml
  json
  python
  regex_search('a')
  regex_match('a')
  regex_replace('a','b')
  regex_escape
  union([1])
  intersect([1])
  difference([1])
  symmetric_difference([1])
  flatten
  combinations(2)|list
  permutations|list
  product|list
  zip([1])|list
  zip_longest([1])|list
  compress([1])|list
  quote
  avg
  to_camelcase
  human_to_bytes
  dict_to_sls_yaml_params
  exactly_n_true
  exactly_one_true
  json_query('a')
  method_call('upper')
  path_join('a')
  is_iter
  is_list
  mysql_to_dict('a')
  mac_str_to_bytes
  random_sample(0)
  strftime
  date_format
  get_uid
  load_yaml
  load_json
  uuid
  file_hashsum
  traverse('a')
  compare_dicts({})
  compare_lists([])
  set_dict_key_value('a',1)
  update_dict_key_value('a',{})
  append_dict_key_value('a',1)
  filter_by_networks(['10.0.0.0/8'])
  str_to_num`.split(/\s*\n\s*/);

/** What is not there, in a list as well, and a value of each type. */
const EDGE_VALUES = ["grains.nope", "[grains.nope]", "none", "5", "{}", "''", "['a']", "true", "('x y'|json)", "2.5"];

/** Where Salt answers by the order of a set or by the day, and where its YAML reads nothing but a plain text. */
const UNCOMPARED = new Set([
  "('x y'|json)|unique|list",
  "[grains.nope]|unique|list",
  "('x y'|json)|load_yaml",
  "none|strftime",
  "none|date_format",
]);

/** Every filter with every kind of value. */
export function edgeCases(): string[] {
  return EDGES.flatMap((filter) => EDGE_VALUES.map((value) => `${value}|${filter}`))
    .filter((one) => !UNCOMPARED.has(one))
    .map((one) => `{{ ${one} }}`);
}

/** As many templates of a seed. */
export function templateCases(seed: number, count: number): string[] {
  const random = choices(seed);
  return Array.from({ length: count }, () => template(random));
}

if (import.meta.main) {
  const [seed, count] = process.argv.slice(2).map(Number);
  console.log(
    JSON.stringify({
      seed,
      pillar: PILLAR,
      grains: GRAINS,
      templates: [...edgeCases(), ...templateCases(seed!, count!)],
    }),
  );
}
