/** Checks the files in the option `reactor`. */
import { messageOf } from "../../../src/base/errors.ts";
import { entriesOf, isMap, str } from "../../../src/language/python/values.ts";
import { reactionFiles } from "../../../src/feature/reactor/reaction_files.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";
import { parseYaml } from "../../../src/language/yaml/document.ts";
import { doubtful, type Finding, wrong } from "./finding.ts";

const FORM = "write a list of maps, each with one glob of tags and the list of its SLS files";

/** The list in the option `reactor`, or in the file that it names. */
function listOf(reactor: unknown, { fs }: Runtime): unknown[] | Finding {
  if (typeof reactor !== "string") {
    return Array.isArray(reactor) ? reactor : wrong(`reactor is not a list: no event causes a reaction`, FORM);
  }
  try {
    const list = parseYaml(fs.readText(reactor)).value;
    return Array.isArray(list)
      ? list
      : wrong(`reactor: the file ${reactor} has no list: no event causes a reaction`, FORM);
  } catch (error) {
    return wrong(
      `reactor: the file ${reactor} cannot be read: ${messageOf(error)}`,
      "fix the file, or name another one",
    );
  }
}

/** Checks one file of reactions, or a glob of files. Files of `salt://` are not checked, because they are fetched when needed. */
async function checkFile(tag: string, reference: string, runtime: Runtime): Promise<Finding[]> {
  if (reference.startsWith("salt://")) return [];
  const where = `reactor: ${tag}: ${reference}`;
  const files = { fetch: () => Promise.resolve(undefined) };
  const found = await reactionFiles(reference, files, runtime.fs);
  if (found.length === 0) {
    return [doubtful(`${where}: the file does not exist: nothing happens`, "create the file, or correct the path")];
  }
  return found.filter((path) => !runtime.fs.access(path, "read")).map((path) =>
    doubtful(`${where}: ${path} cannot be read by this user: nothing happens`, "let the user of the daemon read it")
  );
}

export async function checkReactor({ reactor }: Record<string, unknown>, runtime: Runtime): Promise<Finding[]> {
  if (reactor === undefined || reactor === null || reactor === "") return [];
  const list = listOf(reactor, runtime);
  if (!Array.isArray(list)) return [list];
  const findings: Finding[] = [];
  for (const entry of list) {
    const entries = isMap(entry) ? entriesOf(entry) : [];
    if (entries.length !== 1) {
      findings.push(wrong(`reactor: ${JSON.stringify(entry)} is ignored: expected a map of one glob`, FORM));
      continue;
    }
    const [key, value] = entries[0]!;
    for (const reference of [value].flat()) {
      if (typeof reference === "string") findings.push(...await checkFile(str(key), reference, runtime));
      else {findings.push(
          doubtful(`reactor: ${str(key)}: ${JSON.stringify(reference)} is not the path of an SLS file`, FORM),
        );}
    }
  }
  return findings;
}
