import { dirName, joinPath } from "../base/paths.ts";
import { messageOf } from "../base/errors.ts";
import type { Context } from "../model/loader/family.ts";
import { isMap } from "../language/python/values.ts";
import { replaceContent } from "./host_files.ts";

type Reader = Pick<Context, "runtime" | "log" | "opts">;

/** The file with the grains that an operator set, beside the configuration; undefined when there is none to be beside. */
function staticGrainsPath({ opts }: Pick<Context, "opts">): string | undefined {
  const { conf_file: file } = opts;
  return typeof file === "string" && file !== "" ? joinPath(dirName(file), "grains") : undefined;
}

/** The grains of that file; none if it is not there. @throws {SyntaxError} if it is no YAML, or no map */
export async function readStaticGrains(context: Reader): Promise<Record<string, unknown>> {
  const path = staticGrainsPath(context);
  const { fs } = context.runtime;
  if (path === undefined || fs.stat(path)?.kind !== "file") return {};
  // The reader of whole documents is large, and most minions have no such file.
  const { parseYaml } = await import("../language/yaml/document.ts");
  let value: unknown;
  try {
    ({ value } = parseYaml(fs.readText(path)));
  } catch (error) {
    throw new SyntaxError(`Cannot read the grains in "${path}": ${messageOf(error)}`, { cause: error });
  }
  if (value === null) return {};
  if (!isMap(value)) throw new SyntaxError(`Cannot read the grains in "${path}": expected a map of names to values`);
  return Object.fromEntries(
    value instanceof Map ? [...value].map(([key, item]) => [String(key), item]) : Object.entries(value),
  );
}

/** Replaces that file. */
export async function writeStaticGrains(context: Reader, grains: Record<string, unknown>): Promise<void> {
  const path = staticGrainsPath(context);
  if (path === undefined) {
    throw new SyntaxError("Cannot write grains: this minion has no configuration file to put them beside");
  }
  const { dump } = await import("../language/yaml/dump.ts");
  replaceContent(context.runtime, path, dump(grains));
}
