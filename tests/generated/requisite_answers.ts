/** What Brine makes of the SLS files of `requisites.ts`, in the form of `record_requisites.py`. */
import { currentRuntime } from "../../src/runtime/current.ts";
import { entriesOf, isMap, lookup } from "../../src/language/python/values.ts";
import { inTemporary } from "../plugins/temporary.ts";
import { kwargs, testMinion } from "../support/context.ts";
import { localFiles } from "../support/local_files.ts";
import type { RequisiteCase } from "./requisites.ts";

/** Tag, result, comment, changes and what else the entry has. */
export type Entry = [tag: string, result: unknown, comment: unknown, changes: unknown, more?: Record<string, unknown>];

/** Errors, or the states in the order that they ran in. */
export type RequisiteAnswer = string[] | Entry[];

const LEFT_OUT = new Set([
  "start_time",
  "duration",
  "result",
  "comment",
  "changes",
  "__run_num__",
  "__sls__",
  "__id__",
  "name",
]);

/** Values without what differs in each run. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!isMap(value)) return value instanceof Number ? Number(value) : value ?? null;
  return Object.fromEntries(entriesOf(value).map(([key, item]) => [String(key), key === "pid" ? 0 : plain(item)]));
}

function entry(tag: unknown, ret: unknown): Entry {
  const field = (name: string) => plain(isMap(ret) ? lookup(ret, name) : null);
  const more = entriesOf(ret as Record<string, unknown>).filter(([key]) => !LEFT_OUT.has(String(key)));
  const row: Entry = [String(tag).replaceAll("_|-", "|"), field("result"), field("comment"), field("changes")];
  if (more.length > 0) row.push(plain(Object.fromEntries(more)) as Record<string, unknown>);
  return row;
}

/** An answer without what is free: the order of the requisites that failed, and where an exception was raised. */
export function settled<T>(answer: T): T {
  if (typeof answer === "string") {
    return answer.replace(
      /(?<=^One or more requisite failed: ).*$/m,
      (names) => names.split(", ").toSorted().join(", "),
    )
      .replace(/Traceback \(most[^]*\n(?=\S)/, "Traceback: ") as T;
  }
  return Array.isArray(answer) ? answer.map(settled) as T : answer;
}

export async function ourRequisiteAnswer({ files, opts }: RequisiteCase): Promise<RequisiteAnswer> {
  const runtime = await currentRuntime();
  return await inTemporary(runtime, async (directory) => {
    const roots = `${directory}/roots`;
    runtime.fs.mkdir(roots);
    for (const [name, text] of Object.entries(files)) runtime.fs.write(`${roots}/${name}.sls`, text);
    const { test = false, ...more } = opts;
    const minion = await testMinion({
      opts: { ...localFiles(roots), id: "golden", root_dir: directory, conf_file: `${directory}/minion`, ...more },
      grains: { id: "golden", os: "Debian", os_family: "Debian", kernel: "Linux" },
      pillar: { there: 1 },
      master: null,
    });
    const { return: returned } = await minion.run("state.apply", ["a", kwargs({ test })]);
    if (!isMap(returned)) return (Array.isArray(returned) ? returned : [returned]).map(String);
    const number = (ret: unknown) => Number(lookup(ret as Record<string, unknown>, "__run_num__"));
    return entriesOf(returned).toSorted(([, a], [, b]) => number(a) - number(b)).map(([tag, ret]) => entry(tag, ret));
  });
}
