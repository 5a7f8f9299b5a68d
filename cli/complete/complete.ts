/** Finds candidates for the word at the cursor, in the tables of options and among known names. */
import { type Option, takesValue } from "../options/option.ts";
import { PROGRAMS } from "../options/programs.ts";
import type { Program } from "../options/request.ts";

/** A possible word, and its meaning for shells that show one. */
interface Candidate {
  word: string;
  help?: string;
}

export interface Completion {
  /** Whether files or directories are possible, too: the shell itself can complete these. */
  also: "nothing" | "files" | "directories";
  candidates: Candidate[];
}

/** Names that this host knows; each function is called only where its names are possible. */
export interface KnownNames {
  /** Returns ids of minions whose key has a status. */
  minions(status: "accepted" | "pre" | "rejected" | "denied"): string[];
  nodegroups(): string[];
  /** Returns dotted names of SLS files in the file roots. */
  sls(): Promise<readonly string[]>;
  /** Returns grains of the minions that the master has seen: name → values. */
  grains(): Promise<ReadonlyMap<string, ReadonlySet<string>>>;
  /** Returns functions with the names of their parameters: `{"test.echo": ["text"]}`. */
  functions(family: "modules" | "runners"): Promise<Readonly<Record<string, readonly string[]>>>;
  /** Returns the possible values of an option, by its destination; undefined if any value is possible. */
  values(dest: string): readonly string[] | undefined;
}

/** Options that take a file or directory. */
const PATHS: Readonly<Record<string, Completion["also"]>> = {
  config_dir: "directories",
  gen_keys_dir: "directories",
  file_root: "directories",
  pillar_root: "directories",
  states_dir: "directories",
  module_dirs: "directories",
  cachedir: "directories",
  profiling_path: "directories",
  log_file: "files",
  key_logfile: "files",
  output_file: "files",
  pidfile: "files",
  saltfile: "files",
  priv: "files",
  pub: "files",
  signature_path: "files",
};

/** Actions of `salt-key` → statuses of the keys that they apply to. */
const KEYS: Readonly<Record<string, readonly ("accepted" | "pre" | "rejected" | "denied")[]>> = {
  accept: ["pre"],
  reject: ["pre"],
  delete: ["accepted", "pre", "rejected", "denied"],
  print: ["accepted", "pre", "rejected", "denied"],
  finger: ["accepted", "pre", "rejected", "denied"],
  rotate: ["accepted"],
  history: ["accepted", "pre", "rejected", "denied"],
};

const none: Completion = { also: "nothing", candidates: [] };
const words = (list: Iterable<string>): Completion => ({
  also: "nothing",
  candidates: [...list].map((word) => ({ word })),
});

/** The relevant words before the cursor: given options, and positional words. */
interface Before {
  given: Set<string>;
  positionals: string[];
  /** The option that takes the current word as its value. */
  waiting: Option | undefined;
  /** True after `--`: the following words are not options. */
  literal: boolean;
}

function readBefore(options: readonly Option[], before: readonly string[]): Before {
  const byName = new Map(options.flatMap((option) => option.names.map((name) => [name, option] as const)));
  const read: Before = { given: new Set(), positionals: [], waiting: undefined, literal: false };
  for (const word of before) {
    if (read.waiting !== undefined) {
      read.waiting = undefined;
    } else if (read.literal || !word.startsWith("-") || word === "-") {
      read.positionals.push(word);
    } else if (word === "--") {
      read.literal = true;
    } else if (word.startsWith("--")) {
      const option = byName.get(word.split("=")[0]!);
      if (option === undefined) continue;
      read.given.add(option.dest);
      if (takesValue(option) && !word.includes("=")) read.waiting = option;
    } else takeLetters(byName, word, read);
  }
  return read;
}

/** Handles bundled short options. The last one may take the next word as its value, unless its value is attached. */
function takeLetters(byName: ReadonlyMap<string, Option>, word: string, read: Before): void {
  const letters = [...word.slice(1)];
  for (const [index, letter] of letters.entries()) {
    const option = byName.get(`-${letter}`);
    if (option === undefined) return;
    read.given.add(option.dest);
    if (!takesValue(option)) continue;
    if (index === letters.length - 1) read.waiting = option;
    return;
  }
}

/**
 * Finds candidates for one word of a command line.
 *
 * @param before the words between the program's name and the current word
 * @param current the beginning of the current word, up to the cursor
 */
export async function complete(
  program: Program,
  before: readonly string[],
  current: string,
  known: KnownNames,
): Promise<Completion> {
  const options = PROGRAMS[program]({}).groups.flatMap((group) => group.options);
  const read = readBefore(options, before);
  return narrowed(await fitting(program, options, read, current, known), current);
}

function narrowed({ also, candidates }: Completion, current: string): Completion {
  const fit = candidates.filter(({ word }) => word.startsWith(current));
  const seen = new Set<string>();
  return { also, candidates: fit.filter(({ word }) => !seen.has(word) && seen.add(word)) };
}

async function fitting(
  program: Program,
  options: readonly Option[],
  read: Before,
  current: string,
  known: KnownNames,
): Promise<Completion> {
  if (read.waiting !== undefined) return valuesOf(read.waiting, "", current, known);
  if (!read.literal && current.startsWith("--") && current.includes("=")) {
    const name = current.split("=")[0]!;
    const option = options.find(({ names }) => names.includes(name));
    return option === undefined ? none : valuesOf(option, `${name}=`, current, known);
  }
  if (!read.literal && current.startsWith("-")) return optionNames(options);
  return await positional(program, read, current, known);
}

function optionNames(options: readonly Option[]): Completion {
  const candidates = options.flatMap(({ names, help }) => names.map((word) => ({ word, help })));
  // Sort long spellings first, because they explain more.
  return { also: "nothing", candidates: candidates.sort((a, b) => b.word.length - a.word.length) };
}

function valuesOf(option: Option, prefix: string, current: string, known: KnownNames): Completion {
  const states = KEYS[option.dest];
  if (option.metavar !== "" && states !== undefined && option.kind === "text") {
    return words(states.flatMap((status) => known.minions(status)).sort().map((id) => prefix + id));
  }
  const also = PATHS[option.dest];
  if (also !== undefined) return { also, candidates: [] };
  const list = option.choices ?? known.values(option.dest);
  if (list === undefined) return none;
  // A list may be written in one word, separated by commas.
  const comma = option.dest === "return" ? current.slice(prefix.length).lastIndexOf(",") + 1 : 0;
  const head = prefix + current.slice(prefix.length, prefix.length + comma);
  return words(list.map((value) => head + value));
}

async function positional(
  program: Program,
  read: Before,
  current: string,
  known: KnownNames,
): Promise<Completion> {
  const at = read.positionals.length;
  if (program === "salt" || program === "salt-cp") {
    if (at === 0) return await targets(read.given, current, known);
    if (program === "salt-cp") return { also: "files", candidates: [] };
    return await call("modules", read.positionals.slice(1), current, known);
  }
  if (program === "salt-call") return await call("modules", read.positionals, current, known);
  if (program === "salt-run") return await call("runners", read.positionals, current, known);
  return none;
}

/** Ids or node groups, by the type of target that the options select. */
async function targets(given: ReadonlySet<string>, current: string, known: KnownNames): Promise<Completion> {
  if (given.has("nodegroup")) return words(known.nodegroups());
  if (given.has("grain")) return grainTargets(current, await known.grains());
  for (const type of ["pcre", "grain", "grain_pcre", "pillar", "pillar_pcre", "range", "ipcidr", "compound"]) {
    if (given.has(type)) return none;
  }
  const ids = known.minions("accepted").sort();
  if (!given.has("list")) return words(ids);
  const head = current.slice(0, current.lastIndexOf(",") + 1);
  const taken = new Set(head.split(","));
  return words(ids.filter((id) => !taken.has(id)).map((id) => head + id));
}

/** Candidates for `os:Debian`: names of grains, and after the colon values of that grain. */
function grainTargets(current: string, grains: ReadonlyMap<string, ReadonlySet<string>>): Completion {
  const at = current.indexOf(":");
  if (at < 0) return words([...grains.keys()].sort().map((name) => `${name}:`));
  const name = current.slice(0, at);
  return words([...grains.get(name) ?? []].sort().map((value) => `${name}:${value}`));
}

/** Functions whose first argument is a list of SLS files. */
const OF_SLS =
  /^state\.(?:apply|sls|sls_exists|show_sls|show_low_sls|show_lowstate|template|orch|orchestrate|orch_show_sls|orchestrate_show_sls)$/;

/** Candidates for a function, and after it for the names of its parameters. */
async function call(
  family: "modules" | "runners",
  before: readonly string[],
  current: string,
  known: KnownNames,
): Promise<Completion> {
  const functions = await known.functions(family);
  const [fun, ...given] = before;
  if (fun === undefined) {
    const head = current.slice(0, current.lastIndexOf(",") + 1);
    return words(Object.keys(functions).sort().map((name) => head + name));
  }
  const params = Object.hasOwn(functions, fun) ? functions[fun]! : [];
  const taken = new Set(given.map((word) => word.split("=")[0]));
  const named = given.some((word) => !word.includes("=") || word.startsWith("mods="));
  if (OF_SLS.test(fun) && !named) {
    const prefix = current.startsWith("mods=") ? "mods=" : "";
    const head = prefix + current.slice(prefix.length, current.lastIndexOf(",") + 1);
    const files = (await known.sls()).map((name) => ({ word: head + name }));
    const more = params.filter((name) => !taken.has(name)).map((name) => ({ word: `${name}=` }));
    return { also: "nothing", candidates: [...files, ...more] };
  }
  return { also: "files", candidates: params.filter((name) => !taken.has(name)).map((name) => ({ word: `${name}=` })) };
}
