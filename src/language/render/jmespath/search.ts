import { entriesOf, equal, isFloat, isInteger, isMap } from "../../python/values.ts";

export interface SearchBudget {
  /** Counts a step. @throws if the time limit is reached */
  step(): void;
  /** Counts characters. @throws if the size limit is reached */
  write(characters: number): void;
}

/** A compiled part of an expression. */
export type Query = (value: unknown, budget: SearchBudget) => unknown;

/** An expression that is passed to a function without being evaluated: `&name`. */
export class QueryReference {
  readonly query: Query;

  constructor(query: Query) {
    this.query = query;
  }
}

export const isNumber = (value: unknown): boolean => isInteger(value) || isFloat(value);

/** True for a value that counts as true in JMESPath, where 0 is true. */
export function holds(value: unknown): boolean {
  if (value === null || value === undefined || value === false || value === "") return false;
  if (Array.isArray(value)) return value.length > 0;
  return !isMap(value) || entriesOf(value).length > 0;
}

/** Counts a step for each value inside of a value, before work that visits all of them; a value may occur many times. */
export function charge(value: unknown, budget: SearchBudget): void {
  budget.step();
  if (Array.isArray(value)) { for (const item of value) charge(item, budget); }
  else if (isMap(value)) { for (const [, item] of entriesOf(value)) charge(item, budget); }
}

/** Equality by the rules of JMESPath: 1 is not true, and 0 is not false. */
export function same(one: unknown, other: unknown, budget: SearchBudget): boolean {
  if (typeof one === "boolean" !== (typeof other === "boolean")) return false;
  charge(one, budget);
  charge(other, budget);
  return equal(one, other);
}

/** The results of a part for each of many values, without nulls. */
export function project(values: readonly unknown[], query: Query, budget: SearchBudget): unknown[] {
  const found: unknown[] = [];
  for (const value of values) {
    budget.step();
    const one = query(value, budget);
    if (one !== null && one !== undefined) found.push(one);
  }
  return found;
}
