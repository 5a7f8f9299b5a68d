/**
 * Records what real Salt answers to the trees of this folder: `node record.ts PYTHON…`, each with a release of Salt, 3006 first. Answers
 * of a later release are kept where they differ from those of 3006. `BRINE_TREES` names the trees to record again, instead of all.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Answers, configurations, readTree, settled, type Tree } from "./driver.ts";

const HERE = import.meta.dirname;

/** Names of the trees of this folder. */
export const treeNames = (): string[] =>
  readdirSync(HERE).filter((name) => statSync(join(HERE, name)).isDirectory() && !["masters", "recorded"].includes(name)).toSorted();

/** What the Salt of a Python answers. */
export function saltAnswers(python: string, trees: readonly Tree[]): { salt: string; answers: Answers[] } {
  const work = mkdtempSync(join(tmpdir(), "brine-record-"));
  try {
    writeFileSync(
      join(work, "job.json"),
      JSON.stringify(trees.map((tree) => ({ hosts: configurations(tree), calls: tree.calls }))),
    );
    const said = execFileSync(python, [join(HERE, "record.py"), join(work, "job.json")], {
      encoding: "utf8",
      maxBuffer: 2 ** 30,
      stdio: ["ignore", "pipe", "ignore"],
    });
    return JSON.parse(said);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const [first, ...more] = process.argv.slice(2);
  const chosen = process.env.BRINE_TREES?.split(",");
  const names = treeNames().filter((name) => chosen?.includes(name) ?? true);
  const trees = names.map((name) => readTree(join(HERE, name)));
  const plain = (answer: unknown) => JSON.stringify(settled(answer)).replaceAll(HERE, "{trees}");
  const write = (name: string, text: string) => writeFileSync(join(HERE, "recorded", `${name}.json`), `${text}\n`);
  const base = saltAnswers(first!, trees);
  for (const [at, name] of names.entries()) write(name, plain(base.answers[at]));
  for (const python of more) {
    const { salt, answers } = saltAnswers(python, trees);
    const release = salt.split(".")[0]!;
    const differing = names.flatMap((name, at) =>
      Object.entries(answers[at]!).flatMap(([host, all]) =>
        all.flatMap((answer, call) => {
          const [was, is] = [plain(base.answers[at]![host]![call]), plain(answer)];
          return was === is ? [] : [[`${name} ${host} ${call}`, JSON.parse(is)] as const];
        })
      )
    );
    const file = join(HERE, "recorded", `${release}.json`);
    const before = chosen === undefined ? {} : JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
    const kept = Object.entries(before).filter(([call]) => !names.includes(call.split(" ")[0]!));
    write(release, JSON.stringify(Object.fromEntries([...kept, ...differing].toSorted(([a], [b]) => a < b ? -1 : 1))));
  }
}
