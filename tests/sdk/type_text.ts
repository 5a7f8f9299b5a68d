/** Whether a value is of a type that a table of functions gives as text: a way to find types that are not true. */
import { readFileSync } from "node:fs";
import { Float } from "../../src/protocol/wire/mod.ts";

/** A type, read: what is wrong with a value at a path, or undefined. */
type Check = (value: unknown, path: string) => string | undefined;

const shown = (value: unknown): string =>
  value instanceof Float
    ? `Float ${value}`
    : value instanceof Map
    ? `Map of ${value.size}`
    : (JSON.stringify(value, (_key, item) => typeof item === "bigint" ? `${item}n` : item) ?? "undefined").slice(
      0,
      200,
    );

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Map) &&
  !(value instanceof Uint8Array) && !(value instanceof Float);

const simple = (name: string, holds: (value: unknown) => boolean): Check => (value, path) =>
  holds(value) ? undefined : `${path} is ${shown(value)}: expected ${name}`;

const WORDS: Record<string, (value: unknown) => boolean> = {
  unknown: () => true,
  never: () => false,
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  boolean: (value) => typeof value === "boolean",
  bigint: (value) => typeof value === "bigint",
  null: (value) => value === null,
  true: (value) => value === true,
  false: (value) => value === false,
  Float: (value) => value instanceof Float,
  Uint8Array: (value) => value instanceof Uint8Array,
};

/** Reads the subset of TypeScript that the tables are written in. */
class Reader {
  readonly #tokens: string[];
  #at = 0;

  constructor(text: string) {
    this.#tokens = text.match(/"(?:[^"\\]|\\.)*"|[A-Za-z_$][\w$]*|-?\d+(?:\.\d+)?|\?:|[[\]{}()<>|,;:]/g) ?? [];
  }

  #peek(): string | undefined {
    return this.#tokens[this.#at];
  }

  #take(expected?: string): string {
    const token = this.#tokens[this.#at++];
    if (token === undefined || (expected !== undefined && token !== expected)) {
      throw new SyntaxError(`Cannot read the type: expected ${expected ?? "more"}, got ${token ?? "the end"}`);
    }
    return token;
  }

  type(): Check {
    const members = [this.#list()];
    while (this.#peek() === "|") {
      this.#take();
      members.push(this.#list());
    }
    if (members.length === 1) return members[0]!;
    return (value, path) => {
      const wrong = members.map((member) => member(value, path));
      return wrong.includes(undefined) ? undefined : wrong.at(-1);
    };
  }

  #list(): Check {
    let check = this.#one();
    while (this.#peek() === "[") {
      this.#take("[");
      this.#take("]");
      const item = check;
      check = (value, path) =>
        Array.isArray(value)
          ? first(value.map((one, at) => item(one, `${path}[${at}]`)))
          : `${path} is ${shown(value)}: expected a list`;
    }
    return check;
  }

  #one(): Check {
    const token = this.#take();
    if (token === "(") {
      const inner = this.type();
      this.#take(")");
      return inner;
    }
    if (token === "[") return this.#tuple();
    if (token === "{") return this.#object();
    if (token === "Record") return this.#record();
    if (/^["\d-]/.test(token)) return simple(token, (value) => value === JSON.parse(token));
    if (Object.hasOwn(WORDS, token)) return simple(token, WORDS[token]!);
    return shape(token);
  }

  #tuple(): Check {
    const items: Check[] = [];
    while (this.#peek() !== "]") {
      items.push(this.type());
      if (this.#peek() === ",") this.#take();
    }
    this.#take("]");
    return (value, path) =>
      Array.isArray(value) && value.length === items.length
        ? first(value.map((one, at) => items[at]!(one, `${path}[${at}]`)))
        : `${path} is ${shown(value)}: expected ${items.length} values`;
  }

  #record(): Check {
    this.#take("<");
    this.type();
    this.#take(",");
    const item = this.type();
    this.#take(">");
    return (value, path) =>
      isObject(value)
        ? first(Object.entries(value).map(([key, one]) => item(one, `${path}.${key}`)))
        : `${path} is ${shown(value)}: expected an object`;
  }

  #object(): Check {
    const properties = new Map<string, { optional: boolean; check: Check }>();
    let others: Check | undefined;
    while (this.#peek() !== "}") {
      const token = this.#take();
      if (token === "[") {
        for (const part of ["name", ":", "string", "]", ":"]) this.#take(part);
        others = this.type();
      } else {
        const optional = this.#take() === "?:";
        properties.set(token.startsWith('"') ? JSON.parse(token) : token, { optional, check: this.type() });
      }
      if (this.#peek() === ";") this.#take();
    }
    this.#take("}");
    return (value, path) =>
      isObject(value) ? inObject(value, path, properties, others) : `${path} is ${shown(value)}: expected an object`;
  }
}

const first = (found: (string | undefined)[]): string | undefined => found.find((one) => one !== undefined);

/** Unlike TypeScript this refuses what the type does not name: a caller could not read it. */
function inObject(
  value: Record<string, unknown>,
  path: string,
  properties: ReadonlyMap<string, { optional: boolean; check: Check }>,
  others: Check | undefined,
): string | undefined {
  for (const [name, { optional, check }] of properties) {
    if (!Object.hasOwn(value, name)) {
      if (!optional) return `${path}.${name} is missing`;
      continue;
    }
    const wrong = check(value[name], `${path}.${name}`);
    if (wrong !== undefined) return wrong;
  }
  for (const [name, one] of Object.entries(value)) {
    if (properties.has(name)) continue;
    const wrong = others === undefined ? `${path}.${name} is not in the type` : others(one, `${path}.${name}`);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

const SHAPES = new URL("../../src/client/functions/shapes.ts", import.meta.url);
const shapes = new Map<string, Check>();

/** An interface of shapes.ts. */
function shape(name: string): Check {
  return (value, path) => {
    let check = shapes.get(name);
    if (check === undefined) {
      const text = readFileSync(SHAPES, "utf8").replace(/\/\*\*[\s\S]*?\*\//g, "");
      const body = new RegExp(`^export interface ${name} (\\{[\\s\\S]*?^\\})`, "m").exec(text)?.[1];
      const alias = new RegExp(`^export type ${name} =([^;]*);`, "m").exec(text)?.[1];
      if (body === undefined && alias === undefined) throw new SyntaxError(`There is no shape "${name}"`);
      check = new Reader(body ?? alias!).type();
      shapes.set(name, check);
    }
    return check(value, path);
  };
}

/** Function → the text of the type of its return, from a file of the tables. */
export function returnTypesOf(family: "execution" | "runner" | "wheel"): Map<string, string> {
  const file = new URL(`../../src/client/functions/${family}_functions.ts`, import.meta.url);
  return new Map(
    [...readFileSync(file, "utf8").matchAll(/ "([\w.]+)": FunctionType<".*?", (.*)>;$/gm)].map(
      ([, name, type]) => [name!, type!],
    ),
  );
}

/** What is wrong with a value as one of a type; undefined if it is one. */
export function mismatch(value: unknown, type: string): string | undefined {
  return new Reader(type).type()(value, "return");
}
