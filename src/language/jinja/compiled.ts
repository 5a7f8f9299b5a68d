import type { Ending, Evaluate, Execute, Frame } from "./runtime.ts";

/** Calls `next` with a value: at once, or after a promise has resolved. */
export function then<T>(value: unknown, next: (value: unknown) => T): T | Promise<Awaited<T>> {
  return value instanceof Promise ? value.then(next) as Promise<Awaited<T>> : next(value);
}

/** Evaluates expressions one after the other. */
export function evaluateAll(parts: readonly Evaluate[], frame: Frame): unknown[] | Promise<unknown[]> {
  const values: unknown[] = [];
  for (let at = 0; at < parts.length; at++) {
    const value = parts[at]!(frame);
    if (value instanceof Promise) return rest(parts, frame, values, value);
    values.push(value);
  }
  return values;
}

async function rest(
  parts: readonly Evaluate[],
  frame: Frame,
  values: unknown[],
  pending: Promise<unknown>,
): Promise<unknown[]> {
  values.push(await pending);
  while (values.length < parts.length) values.push(await parts[values.length]!(frame));
  return values;
}

/** Runs statements one after the other. */
export function sequence(statements: readonly Execute[]): Execute {
  if (statements.length === 1) return statements[0]!;
  const continued = async (frame: Frame, pending: Promise<Ending>, from: number): Promise<Ending> => {
    let ending = await pending;
    for (let at = from; ending === undefined && at < statements.length; at++) ending = await statements[at]!(frame);
    return ending;
  };
  return (frame) => {
    for (let at = 0; at < statements.length; at++) {
      const ending = statements[at]!(frame);
      if (ending instanceof Promise) return continued(frame, ending, at + 1);
      if (ending !== undefined) return ending;
    }
    return undefined;
  };
}
