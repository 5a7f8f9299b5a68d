import type { YamlBudget } from "./budget.ts";
import { construct, ConstructError, type ConstructOptions } from "./construct.ts";
import { compose } from "./libyaml/compose.ts";
import { YamlProblem } from "./libyaml/yaml_problem.ts";
import type { YamlDocument, YamlNode } from "./node.ts";
import { contextLines, TOO_DEEP, YamlError } from "./yaml_error.ts";

export { YamlError };

export type { YamlDocument };

/**
 * Reads a YAML document by the rules of Salt's loader: YAML 1.1 scalars, dates as text, repeated keys refused.
 *
 * @throws {YamlError} if the text is not one valid YAML document, or has more values than the limit
 */
export function parseYaml(text: string): YamlDocument {
  return readDocument(text, {});
}

/** As {@link parseYaml}, for a document of an untrusted sender, with a lower limit of values. */
export function parseBoundedYaml(text: string, budget: YamlBudget): YamlDocument {
  return readDocument(text, { budget });
}

/** Reads a document with options, for {@link parseYaml} and similar functions. */
export function readDocument(text: string, options: Omit<ConstructOptions, "isTree">): YamlDocument {
  try {
    const { root, isTree } = compose(text);
    const value = construct(root, { ...options, isTree });
    let lines: Map<string, number> | undefined;
    return { value, lineOf: (key) => (lines ??= linesOfKeys(text, root)).get(key) };
  } catch (error) {
    if (error instanceof YamlProblem) throw YamlError.at(text, error.problem, error.at ?? 0, error);
    if (error instanceof ConstructError) throw YamlError.at(text, error.message, error.offset ?? 0, error);
    if (error instanceof RangeError) throw YamlError.at(text, TOO_DEEP, 0, error);
    throw error;
  }
}

/** The lines of a map's keys, counted from 1. */
function linesOfKeys(text: string, root: YamlNode): Map<string, number> {
  const lines = new Map<string, number>();
  if (root.kind !== "mapping") return lines;
  let line = 1;
  let from = 0;
  for (const [key] of root.entries) {
    // The offset of an alias is that of its anchor, which is earlier in the text.
    const at = Math.max(from, key.offset ?? 0);
    line += contextLines(text.slice(from, at)).length - 1;
    from = at;
    if (key.kind === "scalar" && !lines.has(key.text)) lines.set(key.text, line);
  }
  return lines;
}
