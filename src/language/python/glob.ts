import type { Steps } from "./steps.ts";

/** Tells whether a whole text matches a pattern that was compiled once. */
export type Predicate = (text: string) => boolean;

type Token = { kind: "star" } | { kind: "one" } | { kind: "literal"; character: string } | {
  kind: "set";
  negated: boolean;
  ranges: [low: string, high: string][];
};

/**
 * Compiles a shell glob as Python's `fnmatch` understands it: `*`, `?`, `[seq]`, `[!seq]`, case-sensitive, no escapes,
 * no braces; an unclosed `[` is literal. Matching takes at most pattern × text steps, whatever the pattern.
 */
export function compileGlob(pattern: string): Predicate {
  return globWithin(pattern, undefined);
}

/** As {@link compileGlob}. @param steps the limit of all matches together; beyond it a match throws {@link CostError} */
export function globWithin(pattern: string, steps: Steps | undefined): Predicate {
  if (!/[*?[]/.test(pattern)) return (text) => text === pattern;
  const body = pattern.replace(/^\*+|\*+$/g, "");
  if (!/[*?[]/.test(body)) return simple(body, pattern.startsWith("*"), pattern.endsWith("*"));
  const tokens = tokenize(Array.from(pattern));
  // Texts outside the basic plane are split into characters: `?` matches a whole character.
  return (text) => run(tokens, /[\ud800-\udfff]/.test(text) ? Array.from(text) : text, steps);
}

function simple(body: string, open: boolean, end: boolean): Predicate {
  if (open && end) return (text) => text.includes(body);
  if (open) return (text) => text.endsWith(body);
  return (text) => text.startsWith(body);
}

function tokenize(characters: string[]): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] ?? "";
    if (character === "*") {
      if (tokens[tokens.length - 1]?.kind !== "star") tokens.push({ kind: "star" });
    } else if (character === "?") tokens.push({ kind: "one" });
    else if (character === "[") {
      const close = closing(characters, at);
      if (close === -1) tokens.push({ kind: "literal", character });
      else {
        tokens.push(set(characters.slice(at + 1, close)));
        at = close;
      }
    } else tokens.push({ kind: "literal", character });
  }
  return tokens;
}

/** Index of the bracket that closes the set opened at `at`, or -1; a `]` that comes first is a member. */
function closing(characters: string[], at: number): number {
  let from = at + 1;
  if (characters[from] === "!") from++;
  return characters.indexOf("]", characters[from] === "]" ? from + 1 : from);
}

function set(members: string[]): Token {
  const negated = members[0] === "!";
  const rest = negated ? members.slice(1) : members;
  const ranges: [string, string][] = [];
  for (let at = 0; at < rest.length; at++) {
    const low = rest[at] ?? "";
    const high = rest[at + 1] === "-" ? rest[at + 2] : undefined;
    ranges.push([low, high ?? low]);
    if (high !== undefined) at += 2;
  }
  return { kind: "set", negated, ranges };
}

function accepts(token: Token | undefined, character: string): boolean {
  switch (token?.kind) {
    case "one":
      return true;
    case "literal":
      return token.character === character;
    case "set": {
      const code = character.codePointAt(0) ?? 0;
      const inside = token.ranges.some(([low, high]) =>
        code >= (low.codePointAt(0) ?? 0) && code <= (high.codePointAt(0) ?? 0)
      );
      return inside !== token.negated;
    }
  }
  return false;
}

/** The two-pointer match: on a mismatch only the last star takes one character more. */
function run(tokens: Token[], text: ArrayLike<string>, steps: Steps | undefined): boolean {
  let counted = 0;
  let token = 0;
  let at = 0;
  let star = -1;
  let mark = 0;
  while (at < text.length) {
    if (tokens[token]?.kind === "star") {
      star = token++;
      mark = at;
    } else if (accepts(tokens[token], text[at] ?? "")) {
      token++;
      at++;
    } else if (star >= 0) {
      counted += at - mark + 1;
      if (counted > 10_000) {
        steps?.spend(counted);
        counted = 0;
      }
      token = star + 1;
      at = ++mark;
    } else return false;
  }
  steps?.spend(counted + at);
  while (tokens[token]?.kind === "star") token++;
  return token === tokens.length;
}
