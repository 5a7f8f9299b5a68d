import { iterate } from "../python/iterate.ts";
import { PythonError, typeError, valueError } from "../python/python_error.ts";
import { typeName } from "../python/values.ts";
import { TemplateRuntimeError } from "./errors.ts";
import { Namespace } from "./namespace.ts";
import type { AssignTarget } from "./nodes.ts";
import type { Frame } from "./runtime.ts";
import { Undefined } from "./undefined.ts";

/** Assigns a value to the left side of an assignment. @throws {PythonError} if the value cannot be unpacked */
export function assign(target: AssignTarget, value: unknown, frame: Frame): void {
  if (target.kind === "name") frame.set(target.name, value);
  else if (target.kind === "namespace") {
    const namespace = frame.resolve(target.name);
    if (namespace instanceof Undefined) namespace.fail();
    if (!(namespace instanceof Namespace)) {
      throw new TemplateRuntimeError("cannot assign attribute on non-namespace object");
    }
    namespace.values.set(target.attribute, value);
  } else unpack(target.items, value).forEach((item, at) => assign(target.items[at]!, item, frame));
}

function unpack(targets: readonly AssignTarget[], value: unknown): unknown[] {
  const items: unknown[] = [];
  for (const item of unpackable(value)) {
    items.push(item);
    if (items.length > targets.length) throw valueError(`too many values to unpack (expected ${targets.length})`);
  }
  if (items.length < targets.length) {
    throw valueError(`not enough values to unpack (expected ${targets.length}, got ${items.length})`);
  }
  return items;
}

function unpackable(value: unknown): Iterable<unknown> {
  try {
    return iterate(value);
  } catch (error) {
    throw error instanceof PythonError ? typeError(`cannot unpack non-iterable ${typeName(value)} object`) : error;
  }
}
