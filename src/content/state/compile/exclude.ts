import { compileGlob, type Predicate } from "../../../language/python/glob.ts";
import { repr, str } from "../../../language/python/values.ts";
import { bodiesOf, isArgument, type OpenHigh } from "./high.ts";

/**
 * Removes the ids that `__exclude__` names, and `__exclude__` itself. Texts and `{sls: glob}` mean all ids of these files,
 * `{id: x}` one id.
 *
 * @param high this function changes it
 * @returns the errors
 * @see salt/state.py State.apply_exclude
 */
export function applyExcludes(high: OpenHigh): string[] {
  const excludes = high.get("__exclude__");
  high.delete("__exclude__");
  if (!Array.isArray(excludes)) return [];
  const errors: string[] = [];
  const files: Predicate[] = [];
  const ids = new Set<unknown>();
  const seen = new Set<string>();
  const addFile = (glob: unknown) => {
    if (typeof glob !== "string") errors.push(`Exclude of SLS ${repr(glob)}: expected a name`);
    else if (!seen.has(glob)) {
      seen.add(glob);
      files.push(compileGlob(glob));
    }
  };
  for (const exclude of excludes) {
    if (typeof exclude === "string") addFile(exclude);
    else if (isArgument(exclude)) {
      if (exclude.has("sls")) addFile(exclude.get("sls"));
      else if (exclude.has("id")) ids.add(exclude.get("id"));
    }
  }
  if (files.length > 0) {
    for (const [id, body] of bodiesOf(high)) {
      const sls = str(body.get("__sls__") ?? "");
      if (sls !== "" && files.some((matches) => matches(sls))) ids.add(id);
    }
  }
  for (const id of ids) high.delete(id);
  return errors;
}
