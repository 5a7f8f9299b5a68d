/**
 * Holds generated trees against a real Salt: `npm run test:trees -- SEED COUNT`. `BRINE_SALT` is the Python of that Salt. What differs is printed by
 * cause, with the smallest tree of the first of each that still shows it (not with `--quick`). A third number is that of the only tree to look at.
 * `--record` writes the answers for `trees_test.ts` instead.
 *
 * Brine follows 3006 (`docs/internals/states.md`). For a later Salt, `BRINE_SALT_3006` is the Python of a 3006: what that makes as Brine does is a
 * difference of release, and listed apart.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { type Difference, differences } from "../trees/repositories.ts";
import { comparable, ourTreeAnswer, settledTree, type TreeAnswer } from "./tree_answers.ts";
import { type TreeCase, treeCases } from "./trees.ts";

/** A process of real Salt that answers one tree after the other. */
export class RealSalt {
  readonly #process: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  version = "";

  constructor(python: string, directory: string) {
    this.#process = spawn(python, [join(import.meta.dirname, "record_trees.py"), directory], {
      stdio: ["pipe", "pipe", "ignore"],
    });
    const lines: Interface = createInterface({ input: this.#process.stdout! });
    this.#lines = lines[Symbol.asyncIterator]();
  }

  async open(): Promise<this> {
    this.version = (JSON.parse(await this.#line()) as { salt: string }).salt;
    return this;
  }

  async #line(): Promise<string> {
    const { value, done } = await this.#lines.next();
    if (done === true) throw new Error("Real Salt has ended: run record_trees.py by hand to see why");
    return value;
  }

  async answer(one: TreeCase): Promise<TreeAnswer> {
    this.#process.stdin!.write(`${JSON.stringify(one)}\n`);
    return JSON.parse(await this.#line()) as TreeAnswer;
  }

  close(): void {
    this.#process.stdin!.end();
  }
}

/** Salt's own options were hidden by a name of `context`. */
const HIDDEN = /AttributeError: '\w+' object has no attribute 'get'|KeyError: 'cachedir'/;

/** What both answers to a tree show where Brine does otherwise on purpose: `docs/internals/states.md` and `compatibility.md` say why. */
const ON_PURPOSE: Record<string, RegExp> = {
  "each error names the first SLS": /Specified SLS \w+ in saltenv nope is not available/,
  "file.serialize over a directory": /Specified target [^"]* is a directory.*(?:Is a directory|"d0\/d0\w{8}")/,
  "file.copy onto the same file": /they are the same file/,
  "dry run of file.cached with a file of this host": /File will be cached: [^s]/,
  "line of a value of with": /\{% with [^\\]*<=====/,
};

/** Both answers to a tree, and how they differ. */
async function compared(salt: RealSalt, directory: string, one: TreeCase) {
  const [theirs, ours] = await Promise.all([salt.answer(one), ourTreeAnswer(directory, one)]);
  return { theirs, ours, found: [...differences(...comparable(ours, theirs))] as Difference[] };
}

/** Options that stay in the smallest tree: without them none runs. */
const NEEDED = new Set([
  "id",
  "file_client",
  "root_dir",
  "cachedir",
  "state_events",
  "disable_grains",
  "file_roots",
  "pillar_roots",
  "grains",
]);

/** The smallest tree that still does something: without calls, options, files and lines that it does it without. */
async function reduced(one: TreeCase, still: (smaller: TreeCase) => Promise<boolean>): Promise<TreeCase> {
  let smallest = one;
  const attempt = async (next: TreeCase) => {
    const kept = await still(next);
    if (kept) smallest = next;
    return kept;
  };
  for (const words of one.calls.toReversed()) {
    if (smallest.calls.length > 1) {
      await attempt({
        ...smallest,
        calls: smallest.calls.filter((other) => other !== words),
      });
    }
  }
  const needed = Object.fromEntries(Object.entries(one.opts).filter(([name]) => NEEDED.has(name)));
  if (!await attempt({ ...smallest, opts: needed })) {
    for (const name of Object.keys(one.opts).filter((option) => !NEEDED.has(option))) {
      const { [name]: _, ...opts } = smallest.opts;
      await attempt({ ...smallest, opts });
    }
  }
  const halves = async (paths: string[]): Promise<void> => {
    const without = Object.fromEntries(Object.entries(smallest.files).filter(([path]) => !paths.includes(path)));
    if (await attempt({ ...smallest, files: without }) || paths.length === 1) return;
    await halves(paths.slice(0, paths.length >> 1));
    await halves(paths.slice(paths.length >> 1));
  };
  await halves(Object.keys(smallest.files));
  for (const path of Object.keys(smallest.files)) {
    for (let size = smallest.files[path]!.split("\n").length >> 1; size >= 1; size >>= 1) {
      for (let at = 0; at + size <= smallest.files[path]!.split("\n").length;) {
        const text = smallest.files[path]!.split("\n").toSpliced(at, size).join("\n");
        if (!await attempt({ ...smallest, files: { ...smallest.files, [path]: text } })) at += size;
      }
    }
  }
  return smallest;
}

const shown = ({ files, calls, opts }: TreeCase): string => {
  const { grains: _, ...rest } = opts;
  return [
    ...Object.entries(files).map(([path, text]) => `--- ${path}\n${text}`),
    ...calls.map((words) => `$ ${words.join(" ")}`),
    JSON.stringify(rest),
  ].join("\n");
};

if (import.meta.main) {
  const python = process.env.BRINE_SALT;
  if (python === undefined) {
    console.error("Set BRINE_SALT to the Python of a real Salt.");
    process.exit(2);
  }
  const record = process.argv.includes("--record");
  const [seed = 1, count = 100, only] = process.argv.slice(2).filter((word) => /^\d+$/.test(word)).map(Number);
  const work = mkdtempSync(join(process.env.BRINE_TREES_DIR ?? tmpdir(), "brine-trees-"));
  const salt = await new RealSalt(python, join(work, "a")).open();
  const followed = process.env.BRINE_SALT_3006;
  const older = followed === undefined ? undefined : await new RealSalt(followed, join(work, "c")).open();
  const trees = treeCases(seed, count);
  const reduces = !record && !process.argv.includes("--quick");
  const causes = new Map<string, number[]>();
  const ofRelease = new Map<string, number[]>();
  const answers: TreeAnswer[] = [];
  let equal = 0;
  let broken = 0;
  let later = 0;
  const intended = new Map<string, number[]>();
  for (const [at, one] of trees.entries()) {
    if (only !== undefined && at !== only) continue;
    const { found, ours, theirs: said } = await compared(salt, join(work, "b"), one);
    if (record) answers.push(settledTree(said));
    if (said.calls.some(({ raised }) => raised !== undefined)) broken += 1;
    if (older !== undefined && found.length > 0 && (await compared(older, join(work, "b"), one)).found.length === 0) {
      later += 1;
      const kind = `${found[0]!.where.split("/").at(-1)}: ${found[0]!.cause}`;
      ofRelease.set(kind, [...ofRelease.get(kind) ?? [], at]);
      continue;
    }
    if (HIDDEN.test(JSON.stringify(said))) {
      broken += 1;
      continue;
    }
    const both = JSON.stringify([one.calls, ours, said]);
    const purpose = found.length === 0 ? undefined : Object.keys(ON_PURPOSE).find((of) => ON_PURPOSE[of]!.test(both));
    if (purpose !== undefined) {
      intended.set(purpose, [...intended.get(purpose) ?? [], at]);
      continue;
    }
    if (found.length === 0) equal += 1;
    // What follows from the first difference of a tree is not counted.
    for (const { cause, where, ours: here, theirs } of found.slice(0, 1)) {
      const kind = `${where.split("/").at(-1)}: ${cause}`;
      const places = causes.get(kind);
      causes.set(kind, [...places ?? [], at]);
      if (places !== undefined) continue;
      console.log(`\n=== tree ${at} at ${where}`);
      console.log(`ours: ${JSON.stringify(here)}\nSalt: ${JSON.stringify(theirs)}`);
      if (!reduces) continue;
      const least = await reduced(
        one,
        async (next) => (await compared(salt, join(work, "b"), next)).found.some((other) => other.cause === cause),
      );
      console.log(shown(least));
    }
  }
  console.log(
    `\nSalt ${salt.version}, seed ${seed}: ${equal} of ${count} trees are equal, ${later} differ by release; Salt breaks off in ${broken}`,
  );
  for (const [title, kinds] of [["", causes], [" by release", ofRelease], [" on purpose", intended]] as const) {
    for (const [cause, places] of [...kinds].toSorted(([, a], [, b]) => b.length - a.length)) {
      console.log(`${places.length} times${title} (${places.slice(0, 8)}): ${cause.split("\n")[0]}`);
    }
  }
  if (record) {
    writeFileSync(join(import.meta.dirname, "../vectors/trees.json"), `${JSON.stringify({ seed, answers })}\n`);
  }
  salt.close();
  older?.close();
  rmSync(work, { recursive: true, force: true });
}
