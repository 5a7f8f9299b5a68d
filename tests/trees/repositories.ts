/**
 * Compares Brine with real Salt on trees of other people: `npm run test:repositories`. `BRINE_REPOSITORIES` is a folder of trees or formulas,
 * `BRINE_SALT` the Python of a real Salt. What differs is printed by cause: the same sentence about another path, name or number is the same.
 *
 * A tree has a `tree.json` as those of this folder have, or the usual directories: `states`, `salt` or itself, and `pillar`. Without a top
 * file each of its SLS files with a name of its own is shown and applied dry, with `pillar.example` for a pillar.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type Answer, ourAnswers, readTree, settled, type Tree } from "./driver.ts";
import { saltAnswers } from "./record.ts";

const isDirectory = (path: string) => existsSync(path) && statSync(path).isDirectory();

/** The first of some directories below a tree that is there. */
const firstOf = (root: string, names: readonly string[]) => names.map((name) => join(root, name)).find(isDirectory);

/** A tree that somebody has written, and the calls that show what is in it. */
export function guessTree(root: string, work: string): Tree {
  if (existsSync(join(root, "tree.json"))) return readTree(root);
  const states = firstOf(root, ["states", "salt", "srv/salt", "roots"]) ?? root;
  const pillar = firstOf(root, ["pillar", "srv/pillar", "pillars"]);
  const example = join(root, "pillar.example");
  const own = join(work, "pillar");
  if (pillar === undefined && existsSync(example)) {
    mkdirSync(own);
    cpSync(example, join(own, "example.sls"));
    writeFileSync(join(own, "top.sls"), "base: {'*': [example]}\n");
  }
  const names = readdirSync(states).flatMap((name) => {
    if (name.endsWith(".sls") && name !== "top.sls") return [name.slice(0, -".sls".length)];
    return existsSync(join(states, name, "init.sls")) ? [name] : [];
  });
  const calls = existsSync(join(states, "top.sls"))
    ? ["pillar.items", "state.show_highstate", "state.apply test=True"]
    : names.flatMap((name) => [`state.show_sls ${name}`, `state.apply ${name} test=True`]);
  return {
    file_roots: { base: [states] },
    pillar_roots: { base: [pillar ?? own] },
    opts: {},
    hosts: { "host1.example.com": {} },
    calls,
  };
}

/** A sentence without what another tree says otherwise. */
const cause = (value: unknown): string =>
  (JSON.stringify(value) ?? "nothing").replaceAll(/(['"`]|\\")[^'"`\\]*\1/g, "'…'").replaceAll(/[{/][\w.{}/-]+/g, "/…")
    .replaceAll(/\d+/g, "0")
    .slice(0, 200);

/** Where two answers differ. */
export interface Difference {
  cause: string;
  where: string;
  ours: unknown;
  theirs: unknown;
}

export function* differences(ours: unknown, theirs: unknown, where = ""): Generator<Difference> {
  const [a, b] = [JSON.stringify(ours), JSON.stringify(theirs)];
  if (a === b) return;
  if (typeof ours === "object" && typeof theirs === "object" && ours !== null && theirs !== null) {
    const [mine, others] = [ours as Record<string, unknown>, theirs as Record<string, unknown>];
    for (const key of new Set([...Object.keys(others), ...Object.keys(mine)])) {
      const at = { where: `${where}/${key}`, ours: mine[key], theirs: others[key] };
      if (!Object.hasOwn(mine, key)) yield { cause: `missing: ${cause(others[key])}`, ...at };
      else if (!Object.hasOwn(others, key)) yield { cause: `not in Salt: ${cause(mine[key])}`, ...at };
      else yield* differences(mine[key], others[key], at.where);
    }
    if (JSON.stringify(Object.keys(mine).toSorted()) === JSON.stringify(Object.keys(others).toSorted())) {
      if (Object.keys(mine).join("\0") !== Object.keys(others).join("\0")) {
        yield { cause: "another order of keys", where, ours: Object.keys(mine), theirs: Object.keys(others) };
      }
    }
  } else yield { cause: `${cause(ours)}\n  Salt: ${cause(theirs)}`, where, ours, theirs };
}

async function compare(
  root: string,
  python: string,
): Promise<{ equal: number; found: Difference[] }> {
  const work = mkdtempSync(join(tmpdir(), "brine-repository-"));
  try {
    const tree = guessTree(root, work);
    const [theirs] = saltAnswers(python, [tree]).answers;
    const ours = await ourAnswers(tree);
    let equal = 0;
    const found = Object.entries(theirs!).flatMap(([host, answers]) =>
      answers.flatMap((answer: Answer, at) => {
        const all = [
          ...differences(settled(ours[host]![at]), settled(answer), `${root} ${host} ${String(tree.calls[at])}`),
        ];
        if (all.length === 0) equal += 1;
        return all;
      })
    );
    return { equal, found };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const { BRINE_REPOSITORIES: folder, BRINE_SALT: python } = process.env;
  if (folder === undefined || python === undefined) {
    console.error("Set BRINE_REPOSITORIES to a folder of trees, and BRINE_SALT to the Python of a real Salt.");
    process.exit(2);
  }
  const byCause = new Map<string, string[]>();
  for (const name of readdirSync(folder).toSorted()) {
    const root = resolve(folder, name);
    if (!isDirectory(root)) continue;
    const { equal, found } = await compare(root, python);
    console.log(`${name}: ${equal} calls are equal, ${found.length} differences`);
    for (const { cause, where } of found) byCause.set(cause, [...byCause.get(cause) ?? [], where]);
  }
  for (const [cause, places] of [...byCause].toSorted(([, a], [, b]) => b.length - a.length)) {
    console.log(`\n${places.length} times: ${cause}\n  ${places.slice(0, 3).join("\n  ")}`);
  }
}
