import { hex } from "../../../crypto/hex.ts";
import { SystemError } from "../../../errors.ts";
import type { JobContext } from "../../../loader/context.ts";
import { compareText, sorted } from "../../../python/compare.ts";

import { basename, join, relpath } from "../../../python/posixpath.ts";
import { str } from "../../../python/repr.ts";
import { compileSearch } from "../../../python/substitute.ts";
import { truthy } from "../../../python/truth.ts";
import { typeName } from "../../../python/type_name.ts";
import type { FileStat } from "../../../runtime/fs.ts";
import { findAccount, findGroup, groupName } from "../../linux/accounts.ts";
import { globPaths, isLink, lookAt, walk } from "../../linux/paths.ts";
import { latin1, textOf } from "../../bytes.ts";
import { pythonError } from "../../python_errors.ts";
import { matchesStart } from "./regexp.ts";
import { pathOf } from "./stats.ts";

/** Something that is looked at: its path and name, and what it is, links followed where they lead anywhere. */
interface Found {
  path: string;
  name: string;
  stat(): FileStat;
}

type Test = (found: Found) => boolean;
type Action = (found: Found) => unknown;

/** An option that cannot be: its message is the return. */
class FindError extends Error {}

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

/** A value that is text, as every option but a few must be. */
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

/** The names that a pattern of the shell means. Like Salt's it knows no sets, and a question mark may stand for nothing. */
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

const letterOf = (found: Found) => LETTERS[found.stat().kind] ?? "?";

/** Numbers of users or groups, each given as a number or a name. */
function owners(value: unknown, what: string, idOf: (name: string) => number | undefined): Set<number> {
  const names = text(value, "replace").replaceAll(",", " ").split(/\s+/).filter((name) => name !== "");
  return new Set(names.map((name) => {
    const id = /^\d+$/.test(name) ? Number(name) : idOf(name);
    if (id === undefined) throw new FindError(`no such ${what} "${name}"`);
    return id;
  }));
}

/** Bounds of a size such as `+5k`; one without a sign means the whole unit. */
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

/** Files changed before, or with a minus after, so long ago: `-1d`, `2w3d`. */
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
  // Whole seconds, as the field of the status that real Salt asks has them.
  const time = (found: Found) => Math.floor(found.stat().mtimeMs / 1000);
  return sign === "-" ? (found) => time(found) >= limit : (found) => time(found) <= limit;
}

/** What is printed of a file: several words of it make a list. */
function printer(context: JobContext, value: unknown): Action {
  const { crypto, fs } = context.runtime;
  const words = str(value).replaceAll(",", " ").split(/\s+/).filter((word) => word !== "");
  const fields: Record<string, (found: Found) => unknown> = {
    path: ({ path }) => path,
    name: ({ path }) => basename(path),
    size: (found) => found.stat().size,
    type: letterOf,
    mode: (found) => found.stat().mode & 0o777,
    mtime: (found) => Math.floor(found.stat().mtimeMs / 1000),
    user: (found) => findAccount(fs, found.stat().uid)?.name ?? found.stat().uid,
    group: (found) => groupName(fs, found.stat().gid) ?? found.stat().gid,
    md5: (found) => found.stat().kind === "file" ? hex(crypto.hash("md5", fs.read(found.path))) : "",
  };
  const chosen = (words.length === 0 ? ["path"] : words).filter((word) => Object.hasOwn(fields, word));
  return (found) => {
    const shown = chosen.map((word) => fields[word]!(found));
    return shown.length === 1 ? shown[0] : shown;
  };
}

interface Search {
  /** Tests that need only the name, then those that need the file, then its content. */
  tests: Test[][];
  actions: Action[];
  least: number;
  most: number | undefined;
}

function searchOf(context: JobContext, options: Record<string, unknown>): Search {
  const { clock, fs } = context.runtime;
  const search: Search = { tests: [[], [], []], actions: [], least: 0, most: undefined };
  const byName = (test: Test) => search.tests[0]!.push(test);
  const byStat = (test: Test) => search.tests[1]!.push(test);
  const dry = truthy(options.test);
  const criteria: Record<string, (value: unknown) => void> = {
    name: (value) => byName(named(value, false)),
    iname: (value) => byName(named(value, true)),
    regex(value) {
      const pattern = expression(value, false);
      byName(({ name }) => matchesStart(pattern, name));
    },
    iregex(value) {
      const pattern = expression(value, true);
      byName(({ name }) => matchesStart(pattern, name));
    },
    type(value) {
      const types = ofTypes(value);
      byStat((found) => types.has(letterOf(found)));
    },
    owner(value) {
      const ids = owners(value, "user", (name) => findAccount(fs, name)?.uid);
      byStat((found) => ids.has(found.stat().uid));
    },
    group(value) {
      const ids = owners(value, "group", (name) => findGroup(fs, name));
      byStat((found) => ids.has(found.stat().gid));
    },
    size(value) {
      const [low, high] = sizeBounds(value);
      byStat((found) => found.stat().size >= low && found.stat().size <= high);
    },
    mtime: (value) => byStat(changed(value, clock.now() / 1000)),
    grep(value) {
      const pattern = expression(value, false);
      search.tests[2]!.push((found) => {
        if (found.stat().kind !== "file") return false;
        pattern.lastIndex = 0;
        const bytes = fs.read(found.path);
        return pattern.test(textOf(bytes) ?? latin1(bytes));
      });
    },
    print: (value) => search.actions.push(printer(context, value)),
    delete(value) {
      const all = text(value, "strip").includes("a");
      const types = ofTypes(all ? "bcdpfls" : value);
      byStat((found) => types.has(letterOf(found)));
      search.actions.push(({ path }) => {
        if (dry) return path;
        try {
          fs.remove(path, { recursive: !isLink(fs, path) });
          return path;
        } catch (error) {
          if (error instanceof SystemError) return undefined;
          throw error;
        }
      });
    },
    exec(value) {
      search.actions.push(async ({ path }) => {
        const command = text(value, "replace").replaceAll("{}", path);
        try {
          const output = await context.call("cmd.run_stdout", [command], {
            python_shell: false,
            rstrip: false,
            ignore_retcode: true,
          });
          return `${command}:\n${str(output)}\n`;
        } catch {
          return `${path}: Failed`;
        }
      });
    },
  };
  for (const [key, value] of Object.entries(options)) {
    if (key === "mindepth") search.least = Number(value);
    else if (key === "maxdepth") search.most = value === null ? undefined : Number(value);
    else if (key !== "test" && !key.startsWith("_")) {
      if (!truthy(value)) throw new FindError(`missing value for "${key}" option`);
      if (!Object.hasOwn(criteria, key.toLowerCase())) throw new FindError(`invalid option "${key}"`);
      criteria[key.toLowerCase()]!(value);
    }
  }
  if (search.actions.length === 0) search.actions.push(printer(context, ""));
  return search;
}

/** Files below what a pattern means that fit all options; what the actions made of each, sorted. */
export async function find(context: JobContext, args: Record<string, unknown>): Promise<unknown> {
  const { fs } = context.runtime;
  const words = args.args as unknown[];
  const options = { ...args.kwargs as Record<string, unknown> };
  if (words.includes("delete")) options.delete = "f";
  else if (words.includes("print")) options.print = "path";
  let search: Search;
  try {
    search = searchOf(context, options);
  } catch (error) {
    if (error instanceof FindError) return `error: ${error.message}`;
    throw error;
  }
  const results: unknown[] = [];
  const visit = async (path: string, name: string) => {
    let stat: FileStat | undefined;
    const found: Found = {
      path,
      name,
      stat() {
        stat ??= lookAt(fs, path) ?? lookAt(fs, path, { follow: false });
        if (stat === undefined) {
          throw pythonError("FileNotFoundError", `[Errno 2] No such file or directory: '${path}'`);
        }
        return stat;
      },
    };
    if (!search.tests.flat().every((test) => test(found))) return;
    for (const action of search.actions) {
      const result = await action(found);
      if (result !== undefined) results.push(result);
    }
  };
  for (const top of globPaths(fs, pathOf(context, args.path))) {
    if (search.least < 1) await visit(top, basename(top));
    for (const walked of walk(fs, top)) {
      const below = walked.path === top ? "." : relpath(walked.path, top);
      const depth = below === "." ? 1 : below.split("/").length + 1;
      if (depth >= search.least && (search.most === undefined || search.most >= depth)) {
        for (const name of [...walked.directories, ...walked.files]) await visit(join(walked.path, name), name);
      }
      if (search.most !== undefined && depth > search.most) walked.directories.length = 0;
    }
  }
  return inOrder(results);
}

/** Texts and numbers sorted as such, lists by their first member that differs. */
function inOrder(results: unknown[]): unknown[] {
  if (!results.every((result) => Array.isArray(result))) return sorted(results) ?? results;
  return results.sort((one: unknown[], other: unknown[]) => {
    for (const [at, value] of one.entries()) {
      if (value === other[at]) continue;
      if (typeof value === "string" && typeof other[at] === "string") return compareText(value, other[at]);
      return Number(value) - Number(other[at]);
    }
    return 0;
  });
}
