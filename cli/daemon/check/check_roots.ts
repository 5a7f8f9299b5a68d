import { rootProblems } from "../../../src/content/fileserver/root_problems.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";
import { doubtful, type Finding, wrong } from "./finding.ts";

/** Reports directories of `file_roots` and `pillar_roots` that serve nothing, and links in them that are not followed. */
export function checkRoots(runtime: Pick<Runtime, "fs" | "process">, opts: Record<string, unknown>): Finding[] {
  return rootProblems(runtime, opts, true).map(({ option, path, problem, remedy, severe }) =>
    (severe ? wrong : doubtful)(`${option}: ${path}: ${problem}`, remedy)
  );
}
