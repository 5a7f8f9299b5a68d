import { compileGlob } from "../../../language/python/glob.ts";
import { str, truthy } from "../../../language/python/values.ts";
import { searchFor } from "../../modules/file/regexp.ts";

type Choice = (path: string) => boolean;

/** A glob, or a regular expression behind `E@`; or a list of them, one of which must match. */
function anyOf(patterns: unknown): Choice {
  const tests = [patterns].flat().map((pattern): Choice => {
    const text = str(pattern);
    if (!text.startsWith("E@")) return compileGlob(text);
    const expression = searchFor(text.slice(2));
    return (path) => {
      expression.lastIndex = 0;
      return expression.test(path);
    };
  });
  return (path) => tests.some((test) => test(path));
}

/** What `include_pat` and `exclude_pat` leave: all, where neither is given. */
export function chosenBy(include: unknown, exclude: unknown): Choice {
  const included = truthy(include) ? anyOf(include) : undefined;
  const excluded = truthy(exclude) ? anyOf(exclude) : undefined;
  return (path) => (included?.(path) ?? true) && !(excluded?.(path) ?? false);
}
