import type { Budget } from "./budget.ts";
import type { Unit } from "./runtime.ts";

/** The place of each error, in the innermost template that was running. */
const PLACES = new WeakMap<Error, { unit: Unit; line: number }>();

/** The place of an error; undefined for an error that did not pass through a template. */
export function errorPlace(error: Error): { unit: Unit; line: number } | undefined {
  return PLACES.get(error);
}

function locate(error: unknown, unit: Unit): unknown {
  if (error instanceof Error && !PLACES.has(error)) PLACES.set(error, { unit, line: unit.line });
  return error;
}

/** Runs a part of a template: an error gets the line that the unit had reached. */
export function inUnit<T>(unit: Unit, budget: Budget, run: () => T | Promise<T>): T | Promise<T> {
  budget.enter();
  let result: T | Promise<T>;
  try {
    result = run();
  } catch (error) {
    budget.leave();
    throw locate(error, unit);
  }
  if (!(result instanceof Promise)) {
    budget.leave();
    return result;
  }
  return result.then((value) => {
    budget.leave();
    return value;
  }, (error) => {
    budget.leave();
    throw locate(error, unit);
  });
}
