/** A regular expression is only simulated if it comes to no more steps than this. */
const MAX_STATES = 20_000;

/** Where a simulation may go: over one character, or over none if a condition holds. */
interface State {
  /** Accepts the character to go to `next`; undefined if the state only leads on. */
  accepts?: (character: string) => boolean;
  /** Must hold at the place to lead on. */
  holds?: (text: string, at: number) => boolean;
  next: State[];
}

/**
 * A test that a text begins with a match, for expressions that repeat choices: all ways through the expression
 * are followed at once, so that the time grows with text × expression and not exponentially.
 *
 * @param source a JavaScript expression for the flag `u` as the translator writes it
 * @returns undefined if the expression cannot be tested like that: back references, atomic parts, huge counts
 */
export function compileLinear(source: string, ignoreCase: boolean): ((text: string) => boolean) | undefined {
  const reader = new Reader(source, ignoreCase);
  const end: State = { next: [] };
  const start = reader.compile(end);
  return start === undefined ? undefined : (text) => simulate(start, end, text);
}

function simulate(start: State, end: State, text: string): boolean {
  let current = new Set<State>();
  const enter = (states: Set<State>, first: State, at: number): void => {
    const pending = [first];
    for (let state = pending.pop(); state !== undefined; state = pending.pop()) {
      if (states.has(state) || (state.holds !== undefined && !state.holds(text, at))) continue;
      states.add(state);
      if (state.accepts === undefined) pending.push(...state.next);
    }
  };
  enter(current, start, 0);
  let at = 0;
  for (const character of text) {
    if (current.has(end)) return true;
    if (current.size === 0) return false;
    at += character.length;
    const following = new Set<State>();
    for (const state of current) {
      if (state.accepts?.(character)) { for (const next of state.next) enter(following, next, at); }
    }
    current = following;
  }
  return current.has(end);
}

type Node =
  | { kind: "character"; accepts: (character: string) => boolean }
  | { kind: "condition"; holds: (text: string, at: number) => boolean }
  | { kind: "sequence" | "choice"; parts: Node[] }
  | { kind: "repeat"; part: Node; low: number; high: number };

class Unsupported extends Error {}

class Reader {
  readonly #source: string;
  #ignoreCase: boolean;
  #at = 0;
  #states = 0;

  constructor(source: string, ignoreCase: boolean) {
    this.#source = source;
    this.#ignoreCase = ignoreCase;
  }

  compile(end: State): State | undefined {
    try {
      return this.#link(this.#choice(), end);
    } catch (error) {
      if (error instanceof Unsupported) return undefined;
      throw error;
    }
  }

  #match(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.#at;
    const match = expression.exec(this.#source);
    if (match !== null) this.#at += match[0].length;
    return match;
  }

  #choice(): Node {
    const parts = [this.#sequence()];
    while (this.#match(/\|/y)) parts.push(this.#sequence());
    return { kind: "choice", parts };
  }

  #sequence(): Node {
    const parts: Node[] = [];
    while (this.#at < this.#source.length && !/[|)]/.test(this.#source[this.#at] ?? "")) {
      let part = this.#atom();
      const quantifier = this.#match(/(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/y);
      if (quantifier !== null) {
        const [, simple, count, comma, most] = quantifier;
        const low = simple === undefined ? Number(count) : simple === "+" ? 1 : 0;
        const high = simple !== undefined
          ? (simple === "?" ? 1 : Infinity)
          : comma === ""
          ? low
          : Number(most || Infinity);
        part = { kind: "repeat", part, low, high };
      }
      parts.push(part);
    }
    return { kind: "sequence", parts };
  }

  #atom(): Node {
    const look = this.#match(/\(\?<?[=!]/y);
    if (look !== null) return this.#condition(look[0]);
    const group = this.#match(/\((?:\?:|\?<\w+>|\?(-?)i:)/y);
    if (group !== null) {
      const before = this.#ignoreCase;
      if (group[1] !== undefined) this.#ignoreCase = group[1] === "";
      const inner = this.#choice();
      this.#ignoreCase = before;
      if (!this.#match(/\)/y)) throw new Unsupported();
      return inner;
    }
    if (this.#match(/\\k/y)) throw new Unsupported();
    const atom = this.#match(/\[(?:[^\]\\]|\\.)*\]|\\u\{[0-9a-f]+\}|\\x[0-9a-f]{2}|\\.|[^()[\]\\|]/suy);
    if (atom === null) throw new Unsupported();
    const expression = new RegExp(`^${atom[0]}$`, this.#ignoreCase ? "iu" : "u");
    return { kind: "character", accepts: (character) => expression.test(character) };
  }

  /** A lookaround is left to the engine, unless it repeats: that could be the very trouble. */
  #condition(opening: string): Node {
    const start = this.#at - opening.length;
    this.#choice();
    if (!this.#match(/\)/y)) throw new Unsupported();
    const source = this.#source.slice(start, this.#at);
    if (/[*+}]/.test(source.replace(/\\u\{[0-9a-f]+\}|\\p\{\w+\}|\\./g, ""))) throw new Unsupported();
    const expression = new RegExp(source, this.#ignoreCase ? "iuy" : "uy");
    return {
      kind: "condition",
      holds: (text, at) => {
        expression.lastIndex = at;
        return expression.test(text);
      },
    };
  }

  #state(state: State): State {
    if (++this.#states > MAX_STATES) throw new Unsupported();
    return state;
  }

  /** The state to enter for a node that leads on to `next`. */
  #link(node: Node, next: State): State {
    switch (node.kind) {
      case "character":
        return this.#state({ accepts: node.accepts, next: [next] });
      case "condition":
        return this.#state({ holds: node.holds, next: [next] });
      case "sequence":
        return node.parts.reduceRight((following, part) => this.#link(part, following), next);
      case "choice":
        return this.#state({ next: node.parts.map((part) => this.#link(part, next)) });
      case "repeat":
        return this.#repeat(node.part, node.low, node.high, next);
    }
  }

  #repeat(part: Node, low: number, high: number, next: State): State {
    if (Math.max(low, Number.isFinite(high) ? high : 0) > MAX_STATES) throw new Unsupported();
    let tail = next;
    if (high === Infinity) {
      tail = this.#state({ next: [next] });
      tail.next.push(this.#link(part, tail));
    } else {
      for (let count = low; count < high; count++) tail = this.#state({ next: [next, this.#link(part, tail)] });
    }
    for (let count = 0; count < low; count++) tail = this.#link(part, tail);
    return tail;
  }
}
