import { hex } from "../../../protocol/crypto/hex.ts";
import { SystemError } from "../../../base/errors.ts";
import type { JobContext } from "../../../model/loader/family.ts";
import { basename } from "../../../language/python/posixpath.ts";
import { str, truthy, typeName } from "../../../language/python/values.ts";
import { compileSearch } from "../../../language/python/substitute.ts";
import type { FileStat } from "../../../runtime/fs.ts";
import { latin1, textOf } from "../../bytes.ts";
import { findAccount, findGroup } from "../../../runtime/accounts.ts";
import { isLink } from "../../linux/paths.ts";
import { pythonError } from "../../python_errors.ts";
import { matchesStart } from "./regexp.ts";

/** A file that is looked at. `stat()` follows a link unless it is broken. */
export interface SearchedFile {
  path: string;
  name: string;
  stat(): FileStat;
}

type Test = (found: SearchedFile) => boolean;
type Action = (found: SearchedFile) => unknown;

/** An invalid option; the message is the return. */
export class FindError extends Error {}

const LETTERS: Partial<Record<FileStat["kind"], string>> = {
  block: "b",
  character: "c",
  directory: "d",
  file: "f",
  symlink: "l",
  fifo: "p",
  socket: "s",
};

const UNITS: Record<string, number> = { b: 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30, t: 2 ** 40 };

/** A value that must be text. @throws as Python's `method` would on another value */
function text(value: unknown, method: string): string {
  if (typeof value === "string") return value;
  throw pythonError("AttributeError", `'${typeName(value)}' object has no attribute '${method}'`);
}

function expression(value: unknown, ignoreCase: boolean): RegExp {
  try {
    return compileSearch(str(value), ignoreCase ? { i: true } : {});
  } catch (error) {
    if (error instanceof SyntaxError) throw new FindError(`invalid regular expression: "${str(value)}"`);
    throw error;
  }
}

/** Matches a shell pattern. As in Salt it has no sets, and a question mark also matches nothing. */
function named(value: unknown, ignoreCase: boolean): Test {
  const source = text(value, "replace").replaceAll(".", "\\.").replaceAll("?", ".?").replaceAll("*", ".*");
  const pattern = compileSearch(`${source}$`, ignoreCase ? { i: true } : {});
  return ({ name }) => matchesStart(pattern, name);
}

function ofTypes(value: unknown): Set<string> {
  const letters = [...text(value, "strip").replace(/[,\s]/g, "")];
  for (const letter of letters) {
    if (!Object.values(LETTERS).includes(letter)) throw new FindError(`invalid file type "${letter}"`);
  }
  return new Set(letters);
}

const letterOf = (found: SearchedFile) => LETTERS[found.stat().kind] ?? "?";

/** Ids of users or groups, each from an id or a name. */
function owners(value: unknown, what: string, idOf: (name: string) => number | undefined): Set<number> {
  const names = text(value, "replace").replaceAll(",", " ").split(/\s+/).filter((name) => name !== "");
  return new Set(names.map((name) => {
    const id = /^\d+$/.test(name) ? Number(name) : idOf(name);
    if (id === undefined) throw new FindError(`no such ${what} "${name}"`);
    return id;
  }));
}

/** Bounds of a size such as `+5k`; without a sign it covers the whole unit. */
function sizeBounds(value: unknown): [number, number] {
  const [, sign, number = "", unit = ""] = /^([+-]?)(.*?)([bkmgt]?)$/is.exec(text(value, "strip").trim())!;
  const multiplier = UNITS[unit.toLowerCase()] ?? 1;
  const digits = number.trim();
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(digits)) throw new FindError(`invalid size: "${str(value)}"`);
  const size = Math.trunc(Number(digits) * multiplier);
  if (sign === "-") return [0, size];
  return sign === "+" ? [size, Infinity] : [size, size + multiplier - 1];
}

const AGE =
  /^\s*([+-]?)\s*(?:(\d+(?:\.\d*)?)\s*w)?\s*(?:(\d+(?:\.\d*)?)\s*d)?\s*(?:(\d+(?:\.\d*)?)\s*h)?\s*(?:(\d+(?:\.\d*)?)\s*m)?\s*(?:(\d+(?:\.\d*)?)\s*s)?\s*$/i;
const AGE_SECONDS = [604800, 86400, 3600, 60, 1];

/** Files last changed before an age, or after it with a minus: `2w3d`, `-1d`. */
function changed(value: unknown, now: number): Test {
  const match = AGE.exec(str(value));
  if (match === null) throw new FindError(`invalid time interval: '${str(value)}'`);
  const [, sign, ...parts] = match;
  const given = parts.map((part, at) => part === undefined ? undefined : Number(part) * AGE_SECONDS[at]!);
  const resolution = AGE_SECONDS[given.findLastIndex((part) => part !== undefined)];
  if (resolution === undefined) {
    throw pythonError("TypeError", "unsupported operand type(s) for /: 'int' and 'NoneType'");
  }
  const seconds = given.reduce<number>((sum, part) => sum + (part ?? 0), 0);
  const limit = now - Math.trunc(seconds / resolution) * resolution;
  // Whole seconds, as in the field that real Salt compares.
  const time = (found: SearchedFile) => Math.floor(found.stat().mtimeMs / 1000);
  return sign === "-" ? (found) => time(found) >= limit : (found) => time(found) <= limit;
}

/** The result of a file: one field, or a list of several. */
function printer(context: JobContext, value: unknown): Action {
  const { crypto, fs } = context.runtime;
  const words = str(value).replaceAll(",", " ").split(/\s+/).filter((word) => word !== "");
  const fields: Record<string, (found: SearchedFile) => unknown> = {
    path: ({ path }) => path,
    name: ({ path }) => basename(path),
    size: (found) => found.stat().size,
    type: letterOf,
    mode: (found) => found.stat().mode & 0o777,
    mtime: (found) => Math.floor(found.stat().mtimeMs / 1000),
    user: (found) => findAccount(context.runtime, found.stat().uid)?.name ?? found.stat().uid,
    group: (found) => findGroup(context.runtime, found.stat().gid)?.name ?? found.stat().gid,
    md5: (found) => found.stat().kind === "file" ? hex(crypto.hash("md5", fs.read(found.path))) : "",
  };
  const chosen = (words.length === 0 ? ["path"] : words).filter((word) => Object.hasOwn(fields, word));
  return (found) => {
    const shown = chosen.map((word) => fields[word]!(found));
    return shown.length === 1 ? shown[0] : shown;
  };
}

export interface Search {
  /** Tests that need only the name, then those that need the file, then its content. */
  tests: { byName: Test[]; byStat: Test[]; byContent: Test[] };
  actions: Action[];
  leastDepth: number;
  mostDepth: number | undefined;
}

/** Adds the tests and actions of one option. */
type Criterion = (search: Search, value: unknown, context: JobContext, dryRun: boolean) => void;

const CRITERIA: Record<string, Criterion> = {
  name: ({ tests }, value) => tests.byName.push(named(value, false)),
  iname: ({ tests }, value) => tests.byName.push(named(value, true)),
  regex: ({ tests }, value) => tests.byName.push(matching(value, false)),
  iregex: ({ tests }, value) => tests.byName.push(matching(value, true)),
  type: ({ tests }, value) => tests.byStat.push(typed(value)),
  owner({ tests }, value, { runtime }) {
    const ids = owners(value, "user", (name) => findAccount(runtime, name)?.uid);
    tests.byStat.push((found) => ids.has(found.stat().uid));
  },
  group({ tests }, value, { runtime }) {
    const ids = owners(value, "group", (name) => findGroup(runtime, name)?.gid);
    tests.byStat.push((found) => ids.has(found.stat().gid));
  },
  size({ tests }, value) {
    const [low, high] = sizeBounds(value);
    tests.byStat.push((found) => found.stat().size >= low && found.stat().size <= high);
  },
  mtime: ({ tests }, value, { runtime: { clock } }) => tests.byStat.push(changed(value, clock.now() / 1000)),
  grep: ({ tests }, value, context) => tests.byContent.push(containing(context, value)),
  print: ({ actions }, value, context) => actions.push(printer(context, value)),
  delete({ tests, actions }, value, context, dryRun) {
    tests.byStat.push(typed(text(value, "strip").includes("a") ? "bcdpfls" : value));
    actions.push(dryRun ? ({ path }) => path : remover(context));
  },
  exec: ({ actions }, value, context) => actions.push(executor(context, value)),
};

function matching(value: unknown, ignoreCase: boolean): Test {
  const pattern = expression(value, ignoreCase);
  return ({ name }) => matchesStart(pattern, name);
}

function typed(value: unknown): Test {
  const types = ofTypes(value);
  return (found) => types.has(letterOf(found));
}

function containing({ runtime: { fs } }: JobContext, value: unknown): Test {
  const pattern = expression(value, false);
  return (found) => {
    if (found.stat().kind !== "file") return false;
    pattern.lastIndex = 0;
    const bytes = fs.read(found.path);
    return pattern.test(textOf(bytes) ?? latin1(bytes));
  };
}

/** Removes what was found; what cannot be removed is left out of the results. */
function remover({ runtime: { fs } }: JobContext): Action {
  return ({ path }) => {
    try {
      fs.remove(path, { recursive: !isLink(fs, path) });
      return path;
    } catch (error) {
      if (error instanceof SystemError) return undefined;
      throw error;
    }
  };
}

/** Runs a command in which `{}` is the path. */
function executor(context: JobContext, value: unknown): Action {
  const options = { python_shell: false, rstrip: false, ignore_retcode: true };
  return async ({ path }) => {
    const command = text(value, "replace").replaceAll("{}", path);
    try {
      return `${command}:\n${str(await context.call("cmd.run_stdout", [command], options))}\n`;
    } catch {
      return `${path}: Failed`;
    }
  };
}

/** Reads the options of `file.find`. @throws {FindError} whose message is the return, after `error: ` */
export function searchOf(context: JobContext, options: Record<string, unknown>): Search {
  const search: Search = {
    tests: { byName: [], byStat: [], byContent: [] },
    actions: [],
    leastDepth: 0,
    mostDepth: undefined,
  };
  for (const [key, value] of Object.entries(options)) {
    if (key === "mindepth") search.leastDepth = Number(value);
    else if (key === "maxdepth") search.mostDepth = value === null ? undefined : Number(value);
    else if (key !== "test" && !key.startsWith("_")) {
      if (!truthy(value)) throw new FindError(`missing value for "${key}" option`);
      const name = key.toLowerCase();
      if (!Object.hasOwn(CRITERIA, name)) throw new FindError(`invalid option "${key}"`);
      CRITERIA[name]!(search, value, context, truthy(options.test));
    }
  }
  if (search.actions.length === 0) search.actions.push(printer(context, ""));
  return search;
}
