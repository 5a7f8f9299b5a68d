/** Converts exceptions of Python modules to errors, and errors to exceptions. */
import { isMap, lookup, str } from "../../../language/python/values.ts";
import { tracebackIs } from "../../../language/python/python_error.ts";
import { knownError } from "../family.ts";
import { traceback } from "../traceback.ts";

/** Errors made from exceptions that a helper still holds: if such an error goes back, the helper raises the original exception. */
const KEPT = new WeakMap<Error, { helper: object; id: number }>();

/** The error for an exception of Python, one that hosts distinguish, with Python's own traceback. */
export function hostErrorOf(helper: object, said: unknown): Error {
  const field = (name: string) => isMap(said) ? lookup(said, name) : undefined;
  const kinds = Array.isArray(field("kinds")) ? (field("kinds") as unknown[]).map(str) : [];
  const message = str(field("message") ?? "");
  const info = field("info") ?? undefined;
  let error: Error | undefined;
  for (const kind of kinds) {
    const known = knownError(kind, info === undefined ? {} : { info }, message);
    if (known instanceof Error) {
      error = known;
      break;
    }
  }
  error ??= Object.assign(new Error(message), { name: kinds[0] ?? "Exception" });
  tracebackIs(error, str(field("traceback") ?? ""));
  const id = field("id");
  if (typeof id === "number") KEPT.set(error, { helper, id });
  return error;
}

/** The fields from which Python makes an exception. */
export function told(helper: object, error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { kind: "Exception", message: str(error) };
  const kept = KEPT.get(error);
  const info = "info" in error ? error.info : undefined;
  return {
    kind: error.name,
    message: error.message,
    info: isMap(info) || Array.isArray(info) || typeof info === "string" ? info : null,
    traceback: traceback(error),
    ...(kept?.helper === helper ? { id: kept.id } : {}),
  };
}
