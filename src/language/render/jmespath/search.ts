import { entriesOf, isMap } from "../../python/containers.ts";
import { equal } from "../../python/equal.ts";
import { isFloat, isInteger } from "../../python/float.ts";

/** What one search may take. */
export interface SearchBudget {
  /** @throws if there is no more time */
  step(): void;
  /** @throws if there is no more room */
  write(characters: number): void;
}

/** A part of an expression, ready to be asked of a value. */
export type Query = (value: unknown, budget: SearchBudget) => unknown;

/** A part that a function is given unasked: `&name`. */
export class QueryReference {
  readonly query: Query;

  constructor(query: Query) {
    this.query = query;
  }
}

export const isNumber = (value: unknown): boolean => isInteger(value) || isFloat(value);

/** The truth of JMESPath: 0 is true. */
export function holds(value: unknown): boolean {
  if (value === null || value === undefined || value === false || value === "") return false;
  if (Array.isArray(value)) return value.length > 0;
  return !isMap(value) || entriesOf(value).length > 0;
}

/** Takes a step for each value inside of one, since what looks at all of them takes as long; values may stand in many places. */
export function charge(value: unknown, budget: SearchBudget): void {
  budget.step();
  if (Array.isArray(value)) { for (const item of value) charge(item, budget); }
  else if (isMap(value)) { for (const [, item] of entriesOf(value)) charge(item, budget); }
}

/** Equality of JMESPath: 1 is not true, and 0 is not false. */
export function same(one: unknown, other: unknown, budget: SearchBudget): boolean {
  if (typeof one === "boolean" !== (typeof other === "boolean")) return false;
  charge(one, budget);
  charge(other, budget);
  return equal(one, other);
}

/** What a part gives for each of many values, without nulls. */
export function project(values: readonly unknown[], query: Query, budget: SearchBudget): unknown[] {
  const found: unknown[] = [];
  for (const value of values) {
    budget.step();
    const one = query(value, budget);
    if (one !== null && one !== undefined) found.push(one);
  }
  return found;
}
