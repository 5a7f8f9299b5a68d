/**
 * Calls of everything that edits files as text, made from a seed: files in several scripts and in no encoding, with all kinds of line
 * ends and white space. `node text_edits.ts SEED COUNT` prints them for `record_text_edits.py`.
 */
import { type Choices, choices } from "./random.ts";

export interface EditCase {
  /** `file.replace`; of a state `state:file.keyvalue`. */
  fun: string;
  /** Arguments by name; `{dir}` is the directory of the case, whose file is `f`. */
  args: Record<string, unknown>;
  /** What the file has before, in Base64. */
  before: string;
}

const WORDS = [
  "foo=bar",
  "# comment",
  "#foo",
  "key = value",
  "Voilà",
  "été",
  "naïve",
  "日本語",
  "привет мир",
  "שלום",
  "e\u0301",
  "x\u00a0y",
  "\u3000x",
  "😀",
  "\ufeff",
  "a\tb",
  "  indented",
  "\tindented",
  "[section]",
  "[é]",
  "clé=été",
  "; c",
  "",
  "   ",
  "İ",
  "ſs",
  "K",
  "ß",
  "ΣΑΣ",
  "٣",
  "foo",
  "FOO",
  "à",
  "1.2.3.4 host été",
  "a b",
  "x\x0by",
  "x\x0cy",
  "x\x1cy",
  "x\x85y",
  "x\u2028y",
  "foo bar foo",
  "é é",
  "start",
  "end",
  "#-- start managed zone --",
  "#-- end managed zone --",
  "°",
  "µm",
  "key=Vé",
  "foo: bar",
  "\\d",
  "$HOME",
  "a/b'c",
];
const ATOMS = [
  "foo",
  "é",
  "à",
  "ï",
  "\\s",
  "\\S",
  "\\w",
  "\\W",
  "\\d",
  "\\D",
  "\\b",
  "\\B",
  ".",
  "[^x]",
  "[àé]",
  "[^é]",
  "[a-z]",
  "[à-é]",
  "[\\w-]",
  "[^\\w\\s]",
  "^",
  "$",
  "\\A",
  "\\Z",
  "(\\w+)",
  "(?P<n>\\S+)",
  "(a|b)",
  "(?:é|x)",
  "x",
  " ",
  "=",
  "日",
  "\\t",
  "\\xe9",
  "\\u00e9",
  "(?=é)",
  "(?<!f)",
  "o",
  "k",
  "s",
  "#",
  "😀",
  "\\.",
  "\\n",
  "(?i:É)",
  "(?-i:f)",
  "(?a:\\w)",
  "(?#é)",
  "\\141",
  "\u00a0",
  "\\\\",
  "[[]",
];
const QUANTIFIERS = ["", "", "", "", "+", "*", "?", "+?", "*?", "{2}", "{1,2}"];
const PREFIXES = ["", "", "", "", "", "(?i)", "(?m)", "(?s)", "(?x)", "(?a)", "(?u)", "(?L)", "(?ai)", "(?is)"];
const WHOLE = [
  "\\s+$",
  "^\\s+",
  "^ville=(\\S+).*$",
  "\\W",
  "\\bfoo\\b",
  "^#?\\s*foo.*",
  "(\\w) \\1",
  "^$",
  "^.*$",
  "é",
  "É",
  "Voil.",
  "na.ve",
  "(?i)É",
  "(?i)voilà",
  "[^\\x00-\\x7f]+",
  "foo",
  "^(\\S+)\\s*=\\s*(.*)$",
  "x*",
  "(",
  "*",
  "[",
  "\\",
  "(?P<n>a)(?P=n)",
  "\\x80",
  "\\s",
  "k",
  "(?i)k",
  "(?i)s",
];
const REPLACEMENTS = [
  "",
  "X",
  "\\1",
  "\\g<0>",
  "\\g<n>",
  "é",
  "日本",
  "\\n",
  "\\\\",
  "-",
  5,
  true,
  "foo",
  "foo=bar",
  "été",
  "\\g<1>é",
  "a\nb",
  "a\r\nb",
  "\\é",
  "\\q",
  "#",
  "\u00a0",
];
const ENDS = ["\n", "\n", "\n", "\n", "\r\n", "\r", "\n\n", ""];

const utf8 = new TextEncoder();
const base64 = (bytes: Uint8Array) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));

function fileOf(random: Choices): Uint8Array {
  if (random.chance(0.03)) return new Uint8Array(0);
  const lines = random.some(WORDS, 1, 9).map((word) => random.chance(0.3) ? `${word}${random.pick(WORDS)}` : word);
  if (random.chance(0.04)) lines[0] = `${lines[0]}${"é".repeat(300)}`;
  const mixed = random.chance(0.2);
  const end = random.chance(0.8) ? "\n" : random.pick(["\r\n", "\r"]);
  let text = lines.map((line) => `${line}${mixed ? random.pick(ENDS) : end}`).join("");
  if (random.chance(0.25)) text = text.replace(/[\r\n]+$/, "");
  if (random.chance(0.05)) text = `\ufeff${text}`;
  if (random.chance(0.03)) {
    const units = Array.from(`\ufeff${text}`, (_, at) => `\ufeff${text}`.charCodeAt(at));
    return Uint8Array.from(units.flatMap((unit) => [unit & 0xff, unit >> 8]));
  }
  if (random.chance(0.05)) return Uint8Array.from(text, (character) => character.charCodeAt(0) & 0xff);
  const bytes = [...utf8.encode(text)];
  if (random.chance(0.05)) bytes.splice(random.below(bytes.length + 1), 0, random.pick([0xe9, 0xff, 0x80, 0xc3]));
  if (random.chance(0.02)) bytes.splice(random.below(bytes.length + 1), 0, 0);
  return Uint8Array.from(bytes);
}

function pattern(random: Choices): string {
  if (random.chance(0.35)) return random.pick(WHOLE);
  const atoms = random.some(ATOMS, 1, 4).map((atom) => atom + random.pick(QUANTIFIERS));
  return random.pick(PREFIXES) + atoms.join("");
}

const flag = (random: Choices) =>
  random.pick<unknown>([
    8,
    8,
    8,
    2,
    10,
    16,
    0,
    24,
    256,
    258,
    32,
    4,
    "IGNORECASE",
    ["MULTILINE", "DOTALL"],
    "ascii",
    "X",
    "none",
  ]);
const text = (random: Choices) => random.pick([...WORDS, "é\n", "été\r\nx", "new", "néw line", "a\nb"]);
const ENCODINGS = [
  undefined,
  undefined,
  undefined,
  undefined,
  "utf-8",
  "latin-1",
  "cp1252",
  "utf-16",
  "ascii",
  "koi8-r",
  "utf-8-sig",
  "nope",
];
const yes = (random: Choices) => random.chance(0.5);

type Maker = (random: Choices) => Record<string, unknown>;
const path = "{dir}/f";
const found: Maker = (random) =>
  random.pick<Record<string, unknown>>([{}, {}, {}, { append_if_not_found: true }, { prepend_if_not_found: true }]);

const MAKERS: Readonly<Record<string, Maker>> = {
  "file.replace": (random) => {
    const encoding = random.pick(ENCODINGS);
    return {
      path,
      pattern: pattern(random),
      repl: random.pick(REPLACEMENTS),
      ...yes(random) ? { flags: flag(random) } : {},
      ...random.chance(0.2) ? { count: random.pick([1, 2]) } : {},
      ...random.chance(0.1) ? { backslash_literal: true } : {},
      ...random.chance(0.1) ? { dry_run: true } : {},
      ...random.chance(0.1) ? { show_changes: false } : {},
      ...random.chance(0.2) ? { backup: false } : {},
      ...found(random),
      ...random.chance(0.1) ? { not_found_content: text(random) } : {},
      ...encoding === undefined ? {} : { encoding },
    };
  },
  "file.search": (random) => ({
    path,
    pattern: pattern(random),
    ...yes(random) ? { flags: flag(random) } : {},
    multiline: yes(random),
  }),
  "file.blockreplace": (random) => ({
    path,
    content: text(random),
    ...found(random),
    ...yes(random) ? { marker_start: random.pick(WORDS), marker_end: random.pick(WORDS) } : {},
    ...yes(random) ? { append_newline: random.pick([true, false, null]) } : {},
    ...random.chance(0.2) ? { [random.pick(["insert_before_match", "insert_after_match"])]: pattern(random) } : {},
  }),
  "file.line": (random) => ({
    path,
    content: random.pick([...WORDS, "été", "new"]),
    mode: random.pick(["ensure", "insert", "replace", "delete"]),
    ...yes(random) ? { match: pattern(random) } : {},
    ...random.chance(0.4) ? { before: pattern(random) } : {},
    ...random.chance(0.4) ? { after: pattern(random) } : {},
    ...random.chance(0.3) ? { location: random.pick(["start", "end"]) } : {},
    ...random.chance(0.2) ? { indent: false } : {},
  }),
  "file.comment_line": (random) => ({
    path,
    regex: pattern(random),
    cmnt: yes(random),
    ...random.chance(0.3) ? { char: random.pick([";", "é", "//", "##", "\u00a0"]) } : {},
  }),
  "file.uncomment": (random) => ({ path, regex: random.pick(["foo", "^foo", "comment$", "é", ".*"]) }),
  "file.psed": (random) => ({
    path,
    before: pattern(random),
    after: random.pick(REPLACEMENTS),
    ...yes(random) ? { flags: random.pick(["g", "", "gI", "MS", "gX", "L", "U", "Q"]) } : {},
  }),
  "file.append": (random) => ({ path, args: random.pick<unknown>([["é", "x"], "été", ["\u00a0"], []]) }),
  "file.prepend": (random) => ({ path, args: random.pick<unknown>([["é", "x"], "été", ["\r"]]) }),
  "file.write": (random) => ({ path, args: random.pick<unknown>([["é", "x"], "été", [5, true, null]]) }),
  "file.contains": (random) => ({ path, text: random.pick([...WORDS, " été ", "\u00a0", 5]) }),
  "file.contains_regex": (random) => ({
    path,
    regex: pattern(random),
    ...random.chance(0.3) ? { lchar: random.pick(["#", " \t", "é", "\u00a0"]) } : {},
  }),
  "file.contains_glob": (random) => ({
    path,
    glob_expr: random.pick(["*é*", "*foo*", "[!é]*", "*\n", "?*", "*日?語*", "*[à-é]*"]),
  }),
  "file.read": () => ({ path }),
  "ini.get_ini": (random) => ({
    file_name: path,
    ...random.chance(0.2) ? { separator: random.pick([":", " ", "é", "=="]) } : {},
    ...encoding(random),
  }),
  "ini.set_option": (random) => ({
    file_name: path,
    sections: random.pick<unknown>([{ é: { clé: "été" } }, { section: { key: 5 } }, { key: "x" }, {
      section: { foo: "\u00a0" },
    }, { n: { a: { b: "c" } } }]),
    ...random.chance(0.2) ? { no_spaces: true } : {},
    ...encoding(random),
  }),
  "ini.remove_option": (random) => ({
    file_name: path,
    section: random.pick(["é", "section", null]),
    option: random.pick(["clé", "key", "foo"]),
  }),
  "ini.remove_section": (random) => ({ file_name: path, section: random.pick(["é", "section"]) }),
  "hosts.list_hosts": () => ({}),
  "hosts.add_host": (random) => ({ ip: "1.2.3.4", alias: random.pick(["x", "été", "host"]) }),
  "hosts.set_host": (random) => ({ ip: "1.2.3.4", alias: random.pick(["x", "été", ""]) }),
  "hosts.rm_host": (random) => ({ ip: "1.2.3.4", alias: random.pick(["été", "host"]) }),
  "state:file.keyvalue": (random) => ({
    name: path,
    ...random.pick<Record<string, unknown>>([{ key: "foo", value: "é" }, { key: "clé", value: 5 }, {
      key: "KEY",
      value: "x",
    }, { key_values: { foo: "a", clé: "b" } }]),
    separator: random.pick(["=", " = ", ":", "é"]),
    ...found(random),
    ...random.chance(0.4) ? { uncomment: random.pick(["#", "# ", "é", "\u00a0"]) } : {},
    ...yes(random) ? { key_ignore_case: true } : {},
    ...random.chance(0.3) ? { value_ignore_case: true } : {},
    ...random.chance(0.3) ? { count: random.pick([0, 2, -1]) } : {},
  }),
  "state:file.append": (random) => ({
    name: path,
    text: random.pick<unknown>(["été", ["é", "foo"], "a\nb", "foo bar", "\u00a0"]),
    ...yes(random) ? { ignore_whitespace: false } : {},
  }),
  "state:file.prepend": (random) => ({
    name: path,
    text: random.pick<unknown>(["été", ["é", "foo"], "a\nb"]),
    ...random.chance(0.4) ? { header: true } : {},
  }),
  "state:file.replace": (random) => ({
    name: path,
    pattern: pattern(random),
    repl: String(random.pick(REPLACEMENTS)),
    ...found(random),
  }),
  "state:file.comment": (random) => ({ name: path, regex: random.pick(["^foo", "^é", ".*é.*", "^\\w+", "^(\\S+)$"]) }),
  "state:file.uncomment": (random) => ({ name: path, regex: random.pick(["foo", "é", ".*", "\\w+"]) }),
  "state:file.blockreplace": (random) => ({ name: path, content: text(random), append_if_not_found: yes(random) }),
  "state:file.line": (random) => ({
    name: path,
    content: random.pick(["été", "new"]),
    mode: random.pick(["ensure", "replace", "delete"]),
    match: pattern(random),
    after: random.pick(["foo", "é"]),
  }),
  "state:ini.options_present": (random) => ({
    name: path,
    sections: random.pick<unknown>([{ é: { clé: "été" } }, { section: { key: 5 } }]),
  }),
};

function encoding(random: Choices): Record<string, unknown> {
  const name = random.pick(ENCODINGS);
  return name === undefined ? {} : { encoding: name };
}

/** As many cases of a seed, half of them `file.replace`. */
export function editCases(seed: number, count: number): EditCase[] {
  const random = choices(seed);
  const names = Object.keys(MAKERS);
  return Array.from({ length: count }, () => {
    const fun = random.chance(0.3) ? "file.replace" : random.pick(names);
    return { fun, args: MAKERS[fun]!(random), before: base64(fileOf(random)) };
  });
}

if (import.meta.main) {
  const [seed, count] = process.argv.slice(2).map(Number);
  console.log(JSON.stringify(editCases(seed!, count!)));
}
