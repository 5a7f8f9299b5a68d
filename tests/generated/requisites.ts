/**
 * SLS files with requisites of all kinds between states that succeed, fail, change something or nothing, made from a seed.
 * `node requisites.ts SEED COUNT` prints them for `record_requisites.py`.
 *
 * What Brine does otherwise on purpose (`docs/internals/states.md`) is not in them: `onfail_all`, conditions that are an empty list,
 * `parallel` beside `watch`, `listen`, `retry` and `check_cmd`, requisites in `extend` that are no lists, missing functions and conditions with `fun` of states that are run twice.
 */
import { type Choices, choices } from "./random.ts";

export interface RequisiteCase {
  /** Name → text. `a` is applied. */
  files: Record<string, string>;
  /** Options of the minion: `test`, `failhard` and their like. */
  opts: Record<string, boolean>;
}

/** What a file may have beside the rest: Brine does some things otherwise on purpose where they meet others. */
type Style = "parallel" | "functions" | "free";

/** Keywords that a style is without. */
const WITHOUT: Readonly<Record<Style, RegExp>> = {
  parallel: /^(?:watch|listen|retry|check_cmd)/,
  functions: /^(?:prereq|use|retry|listen)/,
  free: /^parallel/,
};

type Item = Record<string, unknown>;

const FUNCTIONS = [
  "nop",
  "nop",
  "succeed_without_changes",
  "succeed_with_changes",
  "succeed_with_changes",
  "succeed_with_changes",
  "fail_without_changes",
  "fail_without_changes",
  "fail_with_changes",
  "configurable_test_state",
  "configurable_test_state",
  "show_notification",
  "check_pillar",
];

const PLAIN = ["require", "require", "watch", "watch", "onchanges", "onchanges", "onfail", "prereq", "listen", "use"];
const OTHER = [
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
const GLOBS = ["s*", "s?", "s[0-2]", "n*", "*", "none*"];

/** Ids and names that a reference may mean. */
interface Declared {
  ids: string[];
  names: string[];
  files: string[];
  style: Style;
}

/** True of those that make the other state wait for this one. */
const isBefore = (requisite: string): boolean => requisite.endsWith("_in") !== requisite.startsWith("prereq");

function target(random: Choices, declared: Declared, own: number, before: boolean): string {
  const { ids, names } = declared;
  if (names.length > 0 && random.chance(0.15)) return random.pick(names);
  if (random.chance(0.03)) return random.pick(GLOBS);
  if (random.chance(0.01)) return "missing";
  // Mostly in one direction, so that few files are rings; rarely the state itself.
  const others = before ? ids.slice(own + 1) : ids.slice(0, own);
  if (others.length > 0 && random.chance(0.93)) return random.pick(others);
  return random.chance(0.02) ? random.pick(ids) : random.pick(ids.filter((_, at) => at !== own));
}

function reference(random: Choices, declared: Declared, own: number, before: boolean): unknown {
  const to = target(random, declared, own, before);
  const kind = random.below(100);
  if (kind < 74) return { test: to };
  if (kind < 86) return to;
  if (kind < 92) return { id: to };
  if (kind < 97 && declared.files.length > 1) return { sls: random.pick(declared.files) };
  if (kind < 98) return { cmd: to };
  if (random.chance(0.8)) return { test: to };
  return random.pick<unknown>([5, ["test", to], { test: 5 }, null, { test: [to] }, { test: to, id: to }, { sls: "z" }]);
}

function requisite(random: Choices, declared: Declared, own: number): Item {
  const names = random.chance(0.7) ? PLAIN : OTHER;
  const name = random.pick(names.filter((one) => !WITHOUT[declared.style].test(one)));
  const all = Array.from(
    { length: random.pick([1, 1, 1, 2, 3]) },
    () => reference(random, declared, own, isBefore(name)),
  );
  if (random.chance(0.003)) return { [name]: all[0] };
  return { [name]: all };
}

const FUNCTION_CONDITIONS: readonly unknown[] = [
  [{ fun: "test.true" }],
  [{ fun: "test.false" }],
  [{ fun: "test.true" }, { fun: "test.false" }],
  [{ fun: "test.echo", args: ["x"] }],
  [{ fun: "test.arg", get_return: "kwargs:a", a: 0 }],
  [{ fun: "no.such" }],
];
const condition = (random: Choices, style: Style): unknown =>
  random.pick<unknown>([
    ...style === "functions" ? FUNCTION_CONDITIONS : [],
    "true",
    "false",
    ["true", "false"],
    ["exit 3"],
    true,
    false,
  ]);

const MORE: readonly ((random: Choices, style: Style) => Item)[] = [
  (random) => ({ order: random.pick<unknown>([1, 2, 5, 0, -1, -2, "first", "last", 10_000]) }),
  (random) => ({ order: random.pick<unknown>([1, 2, -1, "first", "last"]) }),
  () => ({ failhard: true }),
  () => ({ failhard: false }),
  (random, style) => ({ onlyif: condition(random, style) }),
  (random, style) => ({ unless: condition(random, style) }),
  (random) => ({ check_cmd: random.pick<unknown>([["true"], ["false"], "true", "false"]) }),
  () => ({ aggregate: true }),
  () => ({ onfail_stop: false }),
  (random) => ({ name: random.pick(["n0", "n1", "x y", "s0"]) }),
  (random) => ({ names: random.some(["n1", "n2", "n3", { n4: [{ order: 1 }] }], 1, 3) }),
  () => ({ fire_event: false }),
  () => ({ creates: "/" }),
  (random) => ({ creates: random.pick<unknown>(["/nonexistent", ["/", "/nonexistent"]]) }),
];

const configured = (random: Choices): Item[] => [
  { changes: random.pick<unknown>([true, false, true, false, "x"]) },
  { result: random.pick<unknown>([true, true, false, "x"]) },
  { comment: random.pick(["", "said", "two\nlines"]) },
  ...random.chance(0.1) ? [{ warnings: random.pick<unknown>(["careful", ["a", "b"]]) }] : [],
];

function argumentsOf(random: Choices, fun: string, declared: Declared, own: number): Item[] {
  const items: Item[] = fun === "configurable_test_state"
    ? configured(random)
    : fun === "show_notification"
    ? [{ text: "seen" }]
    : fun === "check_pillar"
    ? [{ present: [random.pick(["there", "not_there"])] }]
    : [];
  const used = new Set<string>();
  const add = (item: Item) => {
    const [key] = Object.keys(item);
    if (WITHOUT[declared.style].test(key!) || used.has(key!) && !random.chance(0.05)) return;
    used.add(key!);
    items.push(item);
  };
  const most = own === 0 ? [0, 0, 0, 1] : [0, 1, 1, 1, 2, 2, 3];
  for (let left = random.pick(most); left > 0; left--) add(requisite(random, declared, own));
  while (random.chance(0.25)) add(random.pick(MORE)(random, declared.style));
  if (declared.style === "parallel" && random.chance(0.3)) add({ parallel: true });
  if (declared.style === "free" && random.chance(0.05)) {
    add({ retry: { attempts: random.pick([1, 2, 3]), interval: 0, until: random.chance(0.7) } });
  }
  return items;
}

/** One id with its states. */
function declaration(random: Choices, declared: Declared, own: number): unknown {
  if (random.chance(0.03)) return random.pick(["test.nop", "test.fail_without_changes"]);
  const fun = declared.style === "functions" && random.chance(0.05) ? "nope" : random.pick(FUNCTIONS);
  const items = argumentsOf(random, fun, declared, own);
  const states: Item = random.chance(0.2) ? { test: [fun, ...items] } : { [`test.${fun}`]: items };
  if (random.chance(0.08)) {
    const name = random.pick(["true", "true", "false"]);
    states[random.chance(0.7) ? "cmd.run" : "cmd.wait"] = [{ name }, requisite(random, declared, own)];
  }
  return states;
}

function extension(random: Choices, declared: Declared): Item {
  const id = random.chance(0.05) ? "missing" : random.pick(declared.ids);
  const state = random.chance(0.95) ? "test" : "cmd";
  const [name, value] = Object.entries(requisite(random, declared, declared.ids.length))[0]!;
  return { [id]: { [state]: [{ [name]: Array.isArray(value) ? value : [value] }] } };
}

/** A map as text, one key a line: the order of keys is that of the map. */
const yaml = (document: Item): string =>
  Object.entries(document).map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`).join("");

function oneCase(random: Choices): RequisiteCase {
  const files = random.pick([["a"], ["a"], ["a", "b"], ["a", "b"], ["a", "b", "c"]]);
  const ids = Array.from({ length: 2 + random.below(6) }, (_, at) => `s${at}`);
  const style = random.pick<Style>(["parallel", "functions", "functions", "functions", ...Array(8).fill("free")]);
  const declared: Declared = { ids, names: random.chance(0.1) ? ["n0", "n1", "n2"] : [], files, style };
  const documents: Record<string, Item> = Object.fromEntries(files.map((file) => [file, {}]));
  for (const [at, file] of files.entries()) {
    const next = files[at + 1];
    const included = next === undefined || random.chance(0.05) ? [] : [next];
    if (random.chance(0.02)) included.push(random.pick(["a", "c", "z"]));
    if (included.length > 0) documents[file]!.include = included;
  }
  for (const [at, id] of ids.entries()) documents[random.pick(files)]![id] = declaration(random, declared, at);
  if (random.chance(0.12)) documents[random.pick(files)]!.extend = extension(random, declared);
  if (random.chance(0.06)) {
    documents[random.pick(files)]!.exclude = [
      random.pick<unknown>(["b", { sls: "b" }, { id: random.pick(ids) }, { id: random.pick(ids) }]),
    ];
  }
  const opts: Record<string, boolean> = {};
  if (random.chance(0.25)) opts.test = true;
  if (random.chance(0.08)) opts.failhard = true;
  if (random.chance(0.05)) opts.state_aggregate = true;
  return { files: Object.fromEntries(files.map((file) => [file, yaml(documents[file]!)])), opts };
}

/** As many cases of a seed. */
export function requisiteCases(seed: number, count: number): RequisiteCase[] {
  const random = choices(seed);
  return Array.from({ length: count }, () => oneCase(random));
}

if (import.meta.main) {
  const [seed = 1, count = 100] = process.argv.slice(2).map(Number);
  console.log(JSON.stringify({ seed, cases: requisiteCases(seed, count) }));
}
