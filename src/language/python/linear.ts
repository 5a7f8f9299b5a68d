import { CostError, RefusedPatternError, type Steps, STEPS_OF_A_MATCH } from "./steps.ts";

/** An expression with more states than this is refused: `(x{100}){100}` has ten thousand. */
const MAX_STATES = 20_000;
/** Maximum nesting of groups. */
const MAX_DEPTH = 100;

/** Returns true if a text begins with a match (or contains one, with {@link LinearOptions.anywhere}). */
export interface LinearMatch {
  (text: string): boolean;
  /** The number of states of the expression, as a measure of its memory. */
  readonly states: number;
}

interface LinearOptions {
  /** The limit of all matches together; without it each match may take {@link STEPS_OF_A_MATCH}. */
  steps?: Steps | undefined;
  /** A match may begin anywhere, as in Python's `re.search`. @default false */
  anywhere?: boolean;
}

/**
 * Compiles a test that a text begins with a match, as Python's `re.match`. All paths through the expression are followed at
 * once, so that time grows with text × expression, even for nested repetitions. Lookarounds are matched in the same way, at
 * their position.
 *
 * @param source a JavaScript expression for the flag `u`, as the translator writes it
 * @param shown the original pattern, for errors
 * @throws {RefusedPatternError} naming what cannot be matched in that time: backreferences, atomic groups, huge counts
 */
export function compileLinear(
  source: string,
  ignoreCase: boolean,
  shown: string,
  { steps, anywhere = false }: LinearOptions = {},
): LinearMatch {
  let program: LinearProgram;
  const name = shownPattern(shown);
  const build: Build = { states: 0, links: 0, slots: 0, atoms: new Map() };
  try {
    program = assemble(new PatternReader(source, ignoreCase).read(), build);
  } catch (error) {
    throw refusedPattern(error, name);
  }
  const test = (text: string): boolean => {
    const limit = Math.min(steps?.left ?? Infinity, STEPS_OF_A_MATCH);
    const run: PatternRun = { text, left: limit };
    const matched = simulate(program, run, 0, { anywhere });
    steps?.spend(limit - Math.max(run.left, 0), `the regular expression ${name}`);
    if (run.left < 0) throw CostError.of(`the regular expression ${name}`, limit);
    return matched;
  };
  return Object.assign(test, { states: build.states });
}

/** Names the regular expression in the error of its compilation. */
export function refusedPattern(error: unknown, name: string): unknown {
  if (!(error instanceof RefusedPatternError)) return error;
  return new RefusedPatternError(`Cannot use the regular expression ${name}: ${error.message}`);
}

export function shownPattern(pattern: string): string {
  return JSON.stringify(pattern.length > 80 ? `${pattern.slice(0, 80)}…` : pattern);
}

// The kinds of states, and what `x` and `y` of a program mean for each. Of two ways, the first is preferred.
export const CHARACTER = 0; // x: the atom, y: next
export const FORK = 1; // x and y: next
export const CONDITION = 2; // x: the condition, y: next
export const PATTERN_END = 3;
// The following instructions occur only in a program with groups:
export const SAVE = 4; // x: the slot that takes the position, y: next
export const REFERENCE = 5; // x: the group whose text is expected, y: next, z: 1 if in any case
export const LOOP = 6; // x and y: next, as a fork; z: the slot with the position of its last round, z < 0: y is preferred

/** True if an atom of the expression matches the character. */
type Accepts = (code: number, character: string) => boolean;
type Holds = (run: PatternRun, at: number) => boolean;

/** A lookaround. A lookbehind begins to match `width` characters before the position, a lookahead at the position. */
interface Look {
  program: LinearProgram;
  behind: boolean;
  width: number;
  negated: boolean;
}

export interface LinearProgram {
  start: number;
  kinds: number[];
  x: number[];
  y: number[];
  z: number[];
  atoms: Accepts[];
  conditions: Holds[];
  /** The lookarounds among the conditions. */
  looks: (Look | undefined)[];
  /** The round in which each state was last entered. */
  entered: Uint32Array;
  round: number;
}

export interface PatternRun {
  text: string;
  left: number;
}

export function nextRound(program: LinearProgram): void {
  if (++program.round < 2 ** 32) return;
  program.entered.fill(0);
  program.round = 1;
}

/**
 * Runs a program over a text from the position `from`; true if it matches.
 *
 * @param options.until the only position where a match may end; by default any
 * @param options.anywhere a match may begin after `from`, too
 */
function simulate(
  program: LinearProgram,
  run: PatternRun,
  from: number,
  { until, anywhere = false }: { until?: number; anywhere?: boolean },
): boolean {
  const { kinds, x, y, atoms, conditions, entered } = program;
  const { text } = run;
  const pending: number[] = [];
  let current: number[] = [];
  let following: number[] = [];
  let ended = false;
  const enter = (states: number[], first: number, at: number): void => {
    pending.push(first);
    while (pending.length > 0) {
      const state = pending.pop()!;
      if (entered[state] === program.round) continue;
      entered[state] = program.round;
      if (--run.left < 0) return;
      switch (kinds[state]) {
        case CHARACTER:
          states.push(state);
          break;
        case FORK:
          pending.push(y[state]!, x[state]!);
          break;
        case CONDITION:
          if (conditions[x[state]!]!(run, at)) pending.push(y[state]!);
          break;
        default:
          if (until === undefined || until === at) ended = true;
      }
    }
  };
  nextRound(program);
  enter(current, program.start, from);
  for (let at = from; at < (until ?? text.length);) {
    if (ended || run.left < 0) break;
    if (current.length === 0 && !anywhere) return false;
    const code = text.codePointAt(at)!;
    const character = String.fromCodePoint(code);
    at += character.length;
    nextRound(program);
    for (const state of current) {
      if (--run.left < 0) return false;
      if (atoms[x[state]!]!(code, character)) enter(following, y[state]!, at);
    }
    if (anywhere) enter(following, program.start, at);
    [current, following] = [following, current];
    following.length = 0;
  }
  return ended;
}

type Node =
  | { kind: "character"; source: string; ignoreCase: boolean }
  | { kind: "group"; part: Node; number: number }
  | { kind: "reference"; number: number; ignoreCase: boolean }
  | { kind: "condition"; part: Node; behind: boolean; negated: boolean }
  | { kind: "known"; holds: Holds }
  | { kind: "sequence" | "choice"; parts: Node[] }
  | { kind: "repeat"; part: Node; low: number; high: number; lazy: boolean };

/** Counts and caches shared by an expression and the lookarounds in it. */
export interface Build {
  states: number;
  links: number;
  /** Positions that a match keeps: two for each group, then one for each loop. */
  slots: number;
  atoms: Map<string, Accepts>;
}

const before = (text: string, at: number): number => {
  const low = text.charCodeAt(at - 1);
  const pair = low >= 0xdc00 && low <= 0xdfff && at > 1 && (text.charCodeAt(at - 2) & 0xfc00) === 0xd800;
  return at - (pair ? 2 : 1);
};

/** Assertions that the translator writes for `^`, `$`, `\A` and `\Z`. */
const KNOWN: Record<string, Holds> = {
  "(?<![^])": (_run, at) => at === 0,
  "(?![^])": ({ text }, at) => at === text.length,
  "(?<![^\\n])": ({ text }, at) => at === 0 || text[at - 1] === "\n",
  "(?![^\\n])": ({ text }, at) => at === text.length || text[at] === "\n",
  "(?!\\n[^]|[^\\n])": ({ text }, at) => at === text.length || at === text.length - 1 && text[at] === "\n",
};
const KNOWN_AT = new RegExp(
  `(?:${Object.keys(KNOWN).map((source) => source.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("|")})`,
  "y",
);

export class PatternReader {
  readonly #source: string;
  readonly #groups: string[] | undefined;
  #ignoreCase: boolean;
  #at = 0;
  #depth = 0;

  /** @param groups receives the names of the groups, in order; without it groups are not captured, and references are refused */
  constructor(source: string, ignoreCase: boolean, groups?: string[]) {
    this.#source = source;
    this.#ignoreCase = ignoreCase;
    this.#groups = groups;
  }

  read(): Node {
    const node = this.#choice();
    if (this.#at < this.#source.length) throw new RefusedPatternError("it cannot be read");
    return node;
  }

  #match(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.#at;
    const match = expression.exec(this.#source);
    if (match !== null) this.#at += match[0].length;
    return match;
  }

  #choice(): Node {
    if (++this.#depth > MAX_DEPTH) throw new RefusedPatternError(`it has more than ${MAX_DEPTH} nested groups`);
    const parts = [this.#sequence()];
    while (this.#match(/\|/y)) parts.push(this.#sequence());
    this.#depth--;
    return parts.length === 1 ? parts[0]! : { kind: "choice", parts };
  }

  #sequence(): Node {
    const parts: Node[] = [];
    while (this.#at < this.#source.length && this.#source[this.#at] !== "|" && this.#source[this.#at] !== ")") {
      let part = this.#atom();
      const quantifier = this.#match(/(?:([*+?])|\{(\d+)(,?)(\d*)\})(\??)/y);
      if (quantifier !== null) {
        const [, simple, count, comma, most, lazy] = quantifier;
        const low = simple === undefined ? Number(count) : simple === "+" ? 1 : 0;
        const high = simple !== undefined
          ? (simple === "?" ? 1 : Infinity)
          : comma === ""
          ? low
          : Number(most || Infinity);
        part = { kind: "repeat", part, low, high, lazy: lazy !== "" };
      }
      parts.push(part);
    }
    return { kind: "sequence", parts };
  }

  #inside(): Node {
    const inner = this.#choice();
    if (!this.#match(/\)/y)) throw new RefusedPatternError("it cannot be read");
    return inner;
  }

  #atom(): Node {
    const known = this.#match(KNOWN_AT);
    if (known !== null) return { kind: "known", holds: KNOWN[known[0]]! };
    const look = this.#match(/\(\?(<?)([=!])/y);
    if (look !== null) {
      const part = this.#inside();
      const behind = look[1] !== "";
      if (behind && widthOf(part) === undefined) throw new SyntaxError("Look-behind requires fixed-width pattern");
      return { kind: "condition", part, behind, negated: look[2] === "!" };
    }
    const group = this.#match(/\((?:\?:|\?<([^>]*)>|\?(-?)i:)/y);
    if (group !== null) {
      const [, name, off] = group;
      const number = name === undefined ? undefined : this.#groups?.push(name);
      const before = this.#ignoreCase;
      if (off !== undefined) this.#ignoreCase = off === "";
      const part = this.#inside();
      this.#ignoreCase = before;
      return number === undefined ? part : { kind: "group", part, number: number - 1 };
    }
    const reference = this.#match(/\\k<([^>]*)>/y);
    if (reference !== null && this.#groups !== undefined) {
      const number = this.#groups.indexOf(reference[1]!);
      return { kind: "reference", number, ignoreCase: this.#ignoreCase };
    }
    if (reference !== null) {
      throw new RefusedPatternError(
        /^atomic\d+_$/.test(reference[1]!)
          ? "it has an atomic group or a possessive quantifier, which takes unbounded time to match. Write it without"
          : "it has a backreference, which takes unbounded time to match. Write it without",
      );
    }
    const atom = this.#match(/\[(?:[^\]\\]|\\.)*\]|\\u\{[0-9a-f]+\}|\\x[0-9a-f]{2}|\\.|[^()[\]\\|]/suy);
    if (atom === null) throw new RefusedPatternError("it cannot be read");
    return { kind: "character", source: atom[0], ignoreCase: this.#ignoreCase };
  }
}

/** Compiles one atom to a test of a character; its results for ASCII are cached. */
function accepting(source: string, ignoreCase: boolean): Accepts {
  const plain = /^(?:\\u\{([0-9a-f]+)\}|\\?([^\p{L}\p{N}[\\])|([^[\\]))$/u.exec(source);
  if (plain !== null && !ignoreCase) {
    const wanted = plain[1] === undefined ? (plain[2] ?? plain[3])!.codePointAt(0) : parseInt(plain[1], 16);
    return (code) => code === wanted;
  }
  const expression = new RegExp(`^${source}$`, ignoreCase ? "iu" : "u");
  const ascii = new Uint8Array(128);
  return (code, character) => {
    if (code >= 128) return expression.test(character);
    const known = ascii[code]!;
    if (known !== 0) return known === 2;
    ascii[code] = expression.test(character) ? 2 : 1;
    return ascii[code] === 2;
  };
}

/** The number of characters that a node matches, if it is always the same; undefined otherwise. */
function widthOf(node: Node): number | undefined {
  switch (node.kind) {
    case "character":
      return 1;
    case "condition":
    case "known":
      return 0;
    case "group":
      return widthOf(node.part);
    case "reference":
      return undefined;
    case "sequence":
      return node.parts.reduce<number | undefined>((sum, part) => {
        const width = widthOf(part);
        return sum === undefined || width === undefined ? undefined : sum + width;
      }, 0);
    case "choice": {
      const [first, ...others] = node.parts.map(widthOf);
      return others.every((width) => width === first) ? first : undefined;
    }
    case "repeat": {
      const width = widthOf(node.part);
      if (node.high === 0 || width === 0) return 0;
      return node.low === node.high && width !== undefined ? width * node.low : undefined;
    }
  }
}

/** Builds the states of an expression, from its end to its start. */
export function assemble(node: Node, build: Build): LinearProgram {
  const kinds: number[] = [];
  const x: number[] = [];
  const y: number[] = [];
  const z: number[] = [];
  const atoms: Accepts[] = [];
  const numbers = new Map<Accepts, number>();
  const conditions: Holds[] = [];
  const looks: (Look | undefined)[] = [];
  const hasGroups = build.slots > 0;
  const state = (kind: number, first = 0, second = 0): number => {
    if (++build.states > MAX_STATES) throw new RefusedPatternError(`it has more than ${MAX_STATES} states`);
    kinds.push(kind);
    x.push(first);
    z.push(0);
    return y.push(second) - 1;
  };
  const condition = (holds: Holds, look: Look | undefined, next: number): number => {
    looks.push(look);
    return state(CONDITION, conditions.push(holds) - 1, next);
  };
  const atomOf = (source: string, ignoreCase: boolean): number => {
    const key = `${ignoreCase}${source}`;
    let accepts = build.atoms.get(key);
    if (accepts === undefined) build.atoms.set(key, accepts = accepting(source, ignoreCase));
    let number = numbers.get(accepts);
    if (number === undefined) numbers.set(accepts, number = atoms.push(accepts) - 1);
    return number;
  };
  const link = (node: Node, next: number): number => {
    // A part that matches no character makes no states but can be repeated, so the calls are bounded as well.
    if (++build.links > MAX_STATES * 4) throw new RefusedPatternError(`it has more than ${MAX_STATES} states`);
    switch (node.kind) {
      case "character":
        return state(CHARACTER, atomOf(node.source, node.ignoreCase), next);
      case "known":
        return condition(node.holds, undefined, next);
      case "condition": {
        const look = lookOf(node, build);
        return condition(conditionOf(look), look, next);
      }
      case "group": {
        const end = state(SAVE, 2 * node.number + 1, next);
        return state(SAVE, 2 * node.number, link(node.part, end));
      }
      case "reference": {
        const at = state(REFERENCE, node.number, next);
        z[at] = Number(node.ignoreCase);
        return at;
      }
      case "sequence":
        return node.parts.reduceRight((following, part) => link(part, following), next);
      case "choice": {
        const ways = node.parts.map((part) => link(part, next));
        return ways.reduceRight((rest, way) => state(FORK, way, rest));
      }
      case "repeat":
        return repeat(node, next);
    }
  };
  const repeat = ({ part, low, high, lazy }: Node & { kind: "repeat" }, next: number): number => {
    let tail = next;
    if (high === Infinity) {
      tail = state(hasGroups ? LOOP : FORK, 0, next);
      if (hasGroups) z[tail] = lazy ? -build.slots++ : build.slots++;
      x[tail] = link(part, tail);
    } else {
      for (let count = low; count < high; count++) {
        const once = link(part, tail);
        tail = lazy ? state(FORK, next, once) : state(FORK, once, next);
      }
    }
    for (let count = 0; count < low; count++) tail = link(part, tail);
    return tail;
  };
  const start = link(node, state(PATTERN_END));
  return { start, kinds, x, y, z, atoms, conditions, looks, entered: new Uint32Array(kinds.length), round: 0 };
}

function lookOf({ part, behind, negated }: Node & { kind: "condition" }, build: Build): Look {
  return { program: assemble(part, build), behind, width: behind ? widthOf(part)! : 0, negated };
}

/** Where a lookaround begins to match; undefined if the text before it is too short. */
export function lookFrom({ width }: Look, run: PatternRun, at: number): number | undefined {
  let from = at;
  for (let count = 0; count < width; count++) {
    if (from <= 0 || --run.left < 0) return undefined;
    from = before(run.text, from);
  }
  return from;
}

/** Makes a lookaround a test of the current position. */
function conditionOf(look: Look): Holds {
  return (run, at) => {
    const from = lookFrom(look, run, at);
    if (from === undefined) return look.negated;
    return simulate(look.program, run, from, look.behind ? { until: at } : {}) !== look.negated;
  };
}
