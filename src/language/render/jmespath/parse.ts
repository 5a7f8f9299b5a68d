import { type PythonError, valueError } from "../../python/python_error.ts";
import { asNumber } from "../../python/arithmetic.ts";
import { entriesOf, isMap, lookup, OrderedMap } from "../../python/values.ts";
import { compare } from "../../python/ordering.ts";
import { sliced } from "../../python/slice.ts";
import { callJmespath } from "./functions.ts";
import { holds, isNumber, project, type Query, QueryReference, same } from "./search.ts";
import { type JmespathToken, tokensOf } from "./tokens.ts";

/** The binding power of tokens that follow a value; any other token ends an expression. */
const POWER: Readonly<Record<string, number>> = {
  "|": 1,
  "||": 2,
  "&&": 3,
  "==": 5,
  "!=": 5,
  "<": 5,
  "<=": 5,
  ">": 5,
  ">=": 5,
  "[]": 9,
  "*": 20,
  "[?": 21,
  ".": 40,
  "!": 45,
  "[": 55,
  "(": 60,
};
/** The binding power below which a token ends a projection. */
const PROJECTION_ENDS = 10;
/** The most nested expressions. */
const MAX_DEPTH = 200;

const itself: Query = (value) => value;
const field = (name: unknown): Query => (value) => isMap(value) ? lookup(value, name) ?? null : null;
const listed = (value: unknown): readonly unknown[] | undefined => Array.isArray(value) ? value : undefined;

/** A comparison; values other than numbers and texts have no order. */
function comparison(sign: string, left: Query, right: Query): Query {
  return (value, budget) => {
    const [one, other] = [left(value, budget) ?? null, right(value, budget) ?? null];
    if (sign === "==" || sign === "!=") return same(one, other, budget) === (sign === "==");
    if (![one, other].every((item) => isNumber(item) || typeof item === "string")) return null;
    const order = compare(one, other, sign);
    return sign.startsWith("<") ? order < 0 || sign === "<=" && order === 0 : order > 0 || sign === ">=" && order === 0;
  };
}

/** The items of all lists in a list. */
const flattened = (left: Query): Query => (value, budget) =>
  listed(left(value, budget))?.flatMap((item) => {
    for (let at = Array.isArray(item) ? item.length : 1; at > 0; at--) budget.step();
    return item;
  }) ?? null;

/** Applies a part of the expression to each item of a list. */
const projection = (left: Query, right: Query): Query => (value, budget) => {
  const items = listed(left(value, budget));
  return items === undefined ? null : project(items, right, budget);
};

const valueProjection = (left: Query, right: Query): Query => (value, budget) => {
  const map = left(value, budget);
  return isMap(map) ? project(entriesOf(map).map(([, item]) => item), right, budget) : null;
};

const filtered = (left: Query, condition: Query): Query => (value, budget) => {
  const items = listed(left(value, budget));
  return items?.filter((item) => {
    budget.step();
    return holds(condition(item, budget));
  }) ?? null;
};

/** Reads expressions by their binding power. */
class Parser {
  readonly #expression: string;
  readonly #tokens: readonly JmespathToken[];
  #at = 0;
  #depth = 0;

  constructor(expression: string) {
    this.#expression = expression;
    this.#tokens = tokensOf(expression);
  }

  whole(): Query {
    const query = this.#read(0);
    this.#take("end");
    return query;
  }

  get #next(): JmespathToken {
    return this.#tokens[this.#at]!;
  }

  #is(kind: string, ahead = 0): boolean {
    return this.#tokens[this.#at + ahead]?.kind === kind;
  }

  #took(kind: string): boolean {
    if (!this.#is(kind)) return false;
    this.#at++;
    return true;
  }

  #take(kind: string): JmespathToken {
    const token = this.#next;
    if (!this.#took(kind)) throw this.#failed(token, `expected "${kind}"`);
    return token;
  }

  #failed({ kind, value, at }: JmespathToken, why: string): PythonError {
    if (kind === "end") {
      return valueError(
        `Invalid jmespath expression: Incomplete expression:\n"${this.#expression}"\n${" ".repeat(at + 1)}^`,
      );
    }
    return valueError(
      `${why}: Parse error at column ${at}, token "${String(value)}", for expression:\n"${this.#expression}"\n${
        " ".repeat(at + 1)
      }^`,
    );
  }

  #read(power: number): Query {
    if (++this.#depth > MAX_DEPTH) throw valueError(`The expression is more than ${MAX_DEPTH} deep`);
    let left = this.#first();
    while (power < (POWER[this.#next.kind] ?? 0)) left = this.#behind(left);
    this.#depth--;
    const query = left;
    return (value, budget) => {
      budget.step();
      return query(value, budget) ?? null;
    };
  }

  /** Reads the beginning of an expression. */
  #first(): Query {
    const token = this.#next;
    this.#at++;
    switch (token.kind) {
      case "literal":
        return () => token.value;
      case "name":
        return this.#took("(") ? this.#call(token.value as string) : field(token.value);
      case "quoted":
        if (this.#is("(")) throw this.#failed(this.#next, "Quoted identifier not allowed for function names.");
        return field(token.value);
      case "@":
        return itself;
      case "*":
        return valueProjection(itself, this.#is("]") ? itself : this.#projected(POWER["*"]!));
      case "[?":
        return this.#filter(itself);
      case "[]":
        return projection(flattened(itself), this.#projected(POWER["[]"]!));
      case "!": {
        const query = this.#read(POWER["!"]!);
        return (value, budget) => !holds(query(value, budget));
      }
      case "&": {
        const reference = new QueryReference(this.#read(0));
        return () => reference;
      }
      case "(": {
        const query = this.#read(0);
        this.#take(")");
        return query;
      }
      case "{":
        return this.#selectMap();
      case "[":
        if (this.#is("number") || this.#is(":") || this.#is("*") && this.#is("]", 1)) return this.#index(itself);
        return this.#selectList();
      default:
        throw this.#failed(token, "invalid token");
    }
  }

  /** Reads the part of an expression that follows a value. */
  #behind(left: Query): Query {
    const token = this.#next;
    this.#at++;
    const { kind } = token;
    switch (kind) {
      case ".":
        if (this.#took("*")) return valueProjection(left, this.#projected(POWER["."]!));
        return this.#then(left, this.#afterDot(POWER["."]!));
      case "|":
        return this.#then(left, this.#read(POWER["|"]!));
      case "||":
      case "&&": {
        const right = this.#read(POWER[kind]!);
        return (value, budget) => {
          const found = left(value, budget);
          return holds(found) === (kind === "&&") ? right(value, budget) : found;
        };
      }
      case "[?":
        return this.#filter(left);
      case "[]":
        return projection(flattened(left), this.#projected(POWER["[]"]!));
      case "[":
        return this.#index(left);
      case "==":
      case "!=":
      case "<":
      case "<=":
      case ">":
      case ">=":
        return comparison(kind, left, this.#read(POWER[kind]!));
      default:
        throw this.#failed(token, "invalid token");
    }
  }

  #then(left: Query, right: Query): Query {
    return (value, budget) => right(left(value, budget), budget);
  }

  #call(name: string): Query {
    const args: Query[] = [];
    while (!this.#is(")")) {
      args.push(this.#read(0));
      this.#took(",");
    }
    this.#take(")");
    return (value, budget) => callJmespath(name, args.map((arg) => arg(value, budget)), budget);
  }

  #filter(left: Query): Query {
    const condition = this.#read(0);
    this.#take("]");
    const right = this.#is("[]") ? itself : this.#projected(POWER["[?"]!);
    return projection(filtered(left, condition), right);
  }

  /** Reads the part that follows a projection, and that applies to each of its values. */
  #projected(power: number): Query {
    if ((POWER[this.#next.kind] ?? 0) < PROJECTION_ENDS) return itself;
    if (this.#is("[") || this.#is("[?")) return this.#read(power);
    if (this.#took(".")) return this.#afterDot(power);
    throw this.#failed(this.#next, "syntax error");
  }

  #afterDot(power: number): Query {
    if (this.#is("name") || this.#is("quoted") || this.#is("*")) return this.#read(power);
    if (this.#took("[")) return this.#selectList();
    if (this.#took("{")) return this.#selectMap();
    throw this.#failed(this.#next, "expected a name, a list or a map behind the dot");
  }

  #index(left: Query): Query {
    if (this.#took("*")) {
      this.#take("]");
      return projection(left, this.#projected(POWER["*"]!));
    }
    const parts: (number | null)[] = [null];
    while (!this.#is("]")) {
      if (this.#is(":")) parts.push(null);
      else if (this.#is("number")) parts[parts.length - 1] = this.#next.value as number;
      if (parts.length > 3 || !this.#is(":") && !this.#is("number")) throw this.#failed(this.#next, "syntax error");
      this.#at++;
    }
    this.#take("]");
    const [start, stop = null, step = null] = parts;
    if (parts.length > 1) {
      const slice: Query = (value, budget) => {
        const items = listed(left(value, budget));
        for (let at = items?.length ?? 0; at > 0; at--) budget.step();
        return items === undefined ? null : sliced([...items], { start, stop, step });
      };
      return projection(slice, this.#projected(POWER["*"]!));
    }
    return (value, budget) => listed(left(value, budget))?.at(asNumber(start)!) ?? null;
  }

  #selectList(): Query {
    const parts: Query[] = [];
    do parts.push(this.#read(0)); while (this.#took(","));
    this.#take("]");
    return (value, budget) => value === null ? null : parts.map((part) => part(value, budget));
  }

  #selectMap(): Query {
    const parts: [unknown, Query][] = [];
    do {
      const key = this.#is("quoted") ? this.#take("quoted") : this.#take("name");
      this.#take(":");
      parts.push([key.value, this.#read(0)]);
    } while (this.#took(","));
    this.#take("}");
    return (value, budget) =>
      value === null ? null : new OrderedMap(parts.map(([key, part]) => [key, part(value, budget)]));
  }
}

/** Compiles an expression of JMESPath. @throws {PythonError} for an invalid expression */
export function parseQuery(expression: string): Query {
  return new Parser(expression).whole();
}
