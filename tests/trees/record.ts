/**
 * Records what real Salt answers to the trees of this folder: `node record.ts PYTHON…`, each with a release of Salt. Answers of a later
 * release are kept where they differ from those of 3006.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Answers, configurations, readTree, settled, type Tree } from "./driver.ts";

const HERE = import.meta.dirname;

/** Names of the trees of this folder. */
export const treeNames = (): string[] =>
  readdirSync(HERE).filter((name) => statSync(join(HERE, name)).isDirectory() && name !== "recorded").toSorted();

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
  const names = treeNames();
  const trees = names.map((name) => readTree(join(HERE, name)));
  const text = (answers: unknown) => JSON.stringify(settled(answers)).replaceAll(HERE, "{trees}");
  const base = saltAnswers(first!, trees);
  for (const [at, name] of names.entries()) {
    writeFileSync(join(HERE, "recorded", `${name}.json`), `${text(base.answers[at])}\n`);
  }
  for (const python of more) {
    const { salt, answers } = saltAnswers(python, trees);
    const differing = names.flatMap((name, at) =>
      Object.entries(answers[at]!).flatMap(([host, all]) =>
        all.flatMap((answer, call) => {
          const [was, is] = [text(base.answers[at]![host]![call]), text(answer)];
          return was === is ? [] : [[`${name} ${host} ${call}`, JSON.parse(is)]];
        })
      )
    );
    writeFileSync(
      join(HERE, "recorded", `${salt.split(".")[0]}.json`),
      `${JSON.stringify(Object.fromEntries(differing))}\n`,
    );
  }
}
