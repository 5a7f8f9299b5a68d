/** What Brine makes of the trees of `trees.ts`, in the form of `record_trees.py`. */
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { callMain } from "../../cli/programs/call.ts";
import { runInProcess } from "../support/program.ts";
import { type Answer, settled as withoutTimes } from "../trees/driver.ts";
import type { TreeCase } from "./trees.ts";

export interface TreeAnswer {
  calls: Answer[];
  /** Path below `out` → mode and text, or the target of a link. */
  left: Record<string, string>;
}

function layOut(directory: string, { files, opts }: TreeCase): void {
  rmSync(directory, { recursive: true, force: true });
  for (const path of ["own/etc", "states", "dev", "pillar", "pillar_dev", "out"]) {
    mkdirSync(join(directory, path), { recursive: true });
  }
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text.replaceAll("{dir}", directory));
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  write("own/etc/minion", JSON.stringify(opts));
}

function* leftIn(directory: string, below = ""): Generator<[string, string]> {
  for (const name of readdirSync(join(directory, below))) {
    const short = join(below, name);
    const path = join(directory, short);
    const stat = lstatSync(path);
    const mode = (stat.mode & 0o7777).toString(8);
    if (stat.isSymbolicLink()) yield [short, `-> ${readlinkSync(path)}`];
    else if (stat.isDirectory()) {
      yield [short, `${mode}/`];
      yield* leftIn(directory, short);
    } else yield [short, `${mode} ${readFileSync(path, "utf8")}`];
  }
}

const byName = ([a]: [string, unknown], [b]: [string, unknown]) => a < b ? -1 : 1;

/** Runs the calls of a tree in a directory, which is emptied before. */
export async function ourTreeAnswer(directory: string, one: TreeCase): Promise<TreeAnswer> {
  layOut(directory, one);
  const calls: Answer[] = [];
  for (const words of one.calls) {
    const argv = ["-c", `${directory}/own/etc`, "--local", "-l", "quiet", "--out", "json", ...words];
    const { stdout, stderr } = await runInProcess("salt-call", callMain, argv);
    const text = stdout.replaceAll(directory, "{dir}");
    try {
      calls.push({ return: (JSON.parse(text) as { local: unknown }).local });
    } catch {
      calls.push({ raised: "error", message: text + stderr.replaceAll(directory, "{dir}") });
    }
  }
  const left = [...leftIn(join(directory, "out"))].toSorted(byName);
  return JSON.parse(
    JSON.stringify({ calls, left: Object.fromEntries(left) }).replaceAll(directory, "{dir}"),
  ) as TreeAnswer;
}

/** What only Python says: where an exception was raised, and which module its class is of. */
const TRACEBACK = /Traceback \(most recent call last\):\n(?:[ \t].*\n|\n)*(?:[\w.]+\.)?(?=\w+(?::|\n|$))/g;

/** The module of an exception without a traceback above it. */
const MODULE = /^(?:jinja2|salt)\.exceptions\.(?=\w+(?::|$))/gm;

/** A traceback among the lines around a fault, where the template has no more of its own. */
const CUT = /\n*Traceback \(most recent call last\):\n(?:[ \t].*\n|\n)*(?:\[\.\.\.\]\n)?---$/;
/** The exceptions that another one was raised from. */
const CHAIN =
  /(?<=An exception occurred in this state: )[^]*(?:During handling of the above exception, another exception occurred|The above exception was the direct cause of the following exception):\n\n/;

/** An error of the system that a state did not expect: Brine says what was being done. */
const OF_THE_SYSTEM =
  /(?<=An exception occurred in this state: )(?:SystemError: Cannot|\w+Error: \[Errno \d+\]|CommandExecutionError: No such file).*/;

/** Brine says which variables a command that cannot be run had. */
const INPUT = /(?<=Unable to run command [^]*)'env': \{[^}]*\}, 'stdin': (?:None|'\.\.\.'), /g;

const withoutTracebacks = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_, item: unknown) => {
    if (typeof item !== "string") return item;
    // A top file that cannot be read: Salt has a traceback, Brine a sentence.
    if (/^Traceback|^Rendering top file failed, render error/.test(item)) return "top file";
    // Brine names the file of a pillar error.
    if (/^Rendering (?:Primary )?Top file failed|^Rendering SLS '[^']*' failed, render error/i.test(item)) {
      return item.split("\n")[0];
    }
    // Salt counts the lines of a traceback among those of the template.
    const told = item.replace(/\n+\[\.\.\.\]\n---$/, "\n---");
    const text = told.replace(CUT, "\n---").replaceAll(TRACEBACK, "").replaceAll(MODULE, "").replace(CHAIN, "")
      .replace(OF_THE_SYSTEM, "OSError").replaceAll(INPUT, "").replaceAll(/__salt\.tmp\.\w+/g, "__salt.tmp");
    return text.replace(/^(Rendering SLS \S+ failed, render error: [^]*?\n)[^]*$/, "$1");
  });

/** An answer without what is free: times, the order of sets, and how a program says that it broke off. */
export function settledTree({ calls, left }: TreeAnswer): TreeAnswer {
  const settle = (one: Answer) =>
    one.raised === undefined ? withoutTimes(withoutTracebacks(one)) as Answer : { raised: "error" };
  return { calls: calls.map(settle), left };
}

type Returned = Record<string, Record<string, unknown>>;

const isRun = (returned: unknown): returned is Returned =>
  typeof returned === "object" && returned !== null && Object.keys(returned).some((key) => key.includes("_|-"));

/** Both answers without what only Salt does. */
export function comparable(ours: TreeAnswer, theirs: TreeAnswer): [ours: TreeAnswer, theirs: TreeAnswer] {
  const [mine, others] = [settledTree(ours), settledTree(theirs)];
  for (const [at, { raised, return: returned }] of others.calls.entries()) {
    // It breaks off in an exception of Python's.
    if (raised !== undefined) mine.calls[at] = { raised };
    const own = mine.calls[at]!.return;
    if (!isRun(returned) || !isRun(own)) continue;
    // It gives two states one number.
    const numbers = Object.values(returned).flatMap(({ __run_num__ }) => __run_num__ ?? []);
    if (new Set(numbers).size < numbers.length) {
      for (const entry of [...Object.values(returned), ...Object.values(own)]) delete entry.__run_num__;
    }
    // It loses what it knows of a state that returned something else than a state may.
    for (const [tag, { name, warnings }] of Object.entries(returned)) {
      // It succeeds with a link to nothing, and writes nothing.
      if (/Failed to detect changes to file: Failed to read/.test(String(warnings))) {
        delete own[tag];
        delete returned[tag];
      }
      if (name !== "later" || own[tag] === undefined) continue;
      for (const key of ["__sls__", "__id__", "__run_num__"]) delete own[tag][key];
    }
  }
  for (const [at, { return: own }] of mine.calls.entries()) {
    const returned = others.calls[at]!.return;
    if (!isRun(returned) || !isRun(own)) continue;
    // It has no entry for a prereq whose function is missing.
    const missing = Object.entries(own).filter(([tag, { comment }]) =>
      !Object.hasOwn(returned, tag) && /^State '[^']*' was not found in SLS/.test(String(comment))
    );
    if (missing.length === 0) continue;
    for (const [tag] of missing) delete own[tag];
    for (const entry of [...Object.values(returned), ...Object.values(own)]) delete entry.__run_num__;
  }
  if (others.calls.some(({ raised }) => raised !== undefined)) mine.left = others.left;
  return [mine, others];
}
