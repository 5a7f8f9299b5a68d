import type { Build, LinearProgram, PatternRun } from "./linear.ts";
import {
  assemble,
  CHARACTER,
  CONDITION,
  FORK,
  lookFrom,
  LOOP,
  nextRound,
  PATTERN_END,
  PatternReader,
  REFERENCE,
  refusedPattern,
  SAVE,
  shownPattern,
} from "./linear.ts";
import { CostError, RefusedPatternError, STEPS_OF_A_MATCH } from "./steps.ts";

export interface Match {
  index: number;
  end: number;
  /** The whole match, then the groups by number; undefined for a group that took no part. */
  groups: (string | undefined)[];
  named: Map<string, string | undefined>;
}

/** An expression that finds its matches, within a limit of steps for each text. */
export interface Matcher {
  /**
   * The matches in a text, one after the other, as Python's `re.finditer`; with `anchored`, only the match at the start of the text.
   *
   * @throws {CostError} if all matches together take too many steps
   */
  find(text: string, options?: { anchored?: boolean }): Generator<Match, void, void>;
  /** A match in which no group takes part. */
  readonly blank: Match;
}

/** The positions that a match has noted; -1 for none. */
type Slots = readonly number[];

/** The most positions that all paths together may note, for an expression with references. */
const MAX_NOTED = 4_000_000;
/** The most positions of groups and loops that a match may note: each path has its own. */
const MAX_SLOTS = 500;

/** Matches the names that the translator gives to unnamed or added groups. */
const OWN_NAME = /^(?:atomic|group)\d+_$/;
const ATOMIC = /^atomic\d+_$/;

/**
 * Compiles an expression to a {@link Matcher}, which finds matches with their groups. Without references all paths are followed at
 * once, so that time grows with text × expression; with references, one path after the other.
 *
 * @param source a JavaScript expression for the flag `u`, as the translator writes it
 * @param shown the original pattern, for errors
 * @throws {RefusedPatternError} if the expression is too large
 */
export function compileMatcher(source: string, ignoreCase: boolean, shown: string): Matcher {
  const name = shownPattern(shown);
  const names: string[] = [];
  let program: LinearProgram;
  const build: Build = { states: 0, links: 0, slots: 0, atoms: new Map() };
  try {
    const node = new PatternReader(source, ignoreCase, names).read();
    // Loops get their slots after those of the groups, so a loop's slot is never 0.
    build.slots = 2 * names.length + 1;
    program = assemble(node, build);
    if (build.slots > MAX_SLOTS) {
      throw new RefusedPatternError(`it has more than ${MAX_SLOTS / 2} groups and repetitions`);
    }
  } catch (error) {
    throw refusedPattern(error, name);
  }
  const slots: Slots = Array<number>(build.slots).fill(-1);
  const execute = source.includes("\\k<") ? backtrack : followAll;
  function* find(text: string, { anchored = false } = {}): Generator<Match, void, void> {
    const run: PatternRun = { text, left: STEPS_OF_A_MATCH };
    let [from, nonEmpty] = [0, false];
    while (from <= text.length) {
      const found = execute(program, run, { from, anchored, slots, nonEmpty });
      if (run.left < 0) throw CostError.of(`the regular expression ${name}`, STEPS_OF_A_MATCH);
      if (found === undefined) return;
      yield matchOf(text, names, found);
      if (anchored) return;
      // After an empty match, a match that is not empty may begin at the same place.
      [from, nonEmpty] = [found.end, found.end === found.index];
    }
  }
  return { find, blank: matchOf("", names, { index: 0, end: 0, slots }) };
}

interface Found {
  index: number;
  end: number;
  slots: Slots;
}

function matchOf(text: string, names: readonly string[], { index, end, slots }: Found): Match {
  const groups: (string | undefined)[] = [text.slice(index, end)];
  const named = new Map<string, string | undefined>();
  for (const [number, name] of names.entries()) {
    if (ATOMIC.test(name)) continue;
    const value = textOf(text, slots, number);
    groups.push(value);
    if (!OWN_NAME.test(name)) named.set(name, value);
  }
  return { index, end, groups, named };
}

function textOf(text: string, slots: Slots, group: number): string | undefined {
  const [start, end] = [slots[2 * group]!, slots[2 * group + 1]!];
  return start < 0 || end < start ? undefined : text.slice(start, end);
}

function noted(run: PatternRun, slots: Slots, slot: number, at: number): Slots {
  run.left -= slots.length >> 3;
  const changed = slots.slice();
  changed[slot] = at;
  return changed;
}

interface Search {
  from: number;
  /** True if a match may begin only at `from`. */
  anchored: boolean;
  slots: Slots;
  /** True if a match at `from` must not be empty. */
  nonEmpty?: boolean;
  /** The only position where a match may end. @default any */
  until?: number;
}

type Execute = (program: LinearProgram, run: PatternRun, search: Search) => Found | undefined;

/** The positions that a lookaround notes if it matches; undefined if it does not match. */
function look(
  execute: Execute,
  program: LinearProgram,
  run: PatternRun,
  { condition, at, slots }: { condition: number; at: number; slots: Slots },
): Slots | undefined {
  const around = program.looks[condition];
  if (around === undefined) return program.conditions[condition]!(run, at) ? slots : undefined;
  const from = lookFrom(around, run, at);
  const found = from === undefined ? undefined : execute(around.program, run, {
    from,
    anchored: true,
    slots,
    ...(around.behind ? { until: at } : {}),
  });
  if (around.negated) return found === undefined ? slots : undefined;
  return found?.slots;
}

interface Thread {
  state: number;
  index: number;
  slots: Slots;
}

/** Follows all paths at once: preferred paths come first, and a match ends the paths after it. */
function followAll(
  program: LinearProgram,
  run: PatternRun,
  { from, anchored, slots, nonEmpty, until }: Search,
): Found | undefined {
  const { kinds, x, y, z, atoms, entered } = program;
  const { text } = run;
  const pending: Thread[] = [];
  const enter = (threads: Thread[], first: Thread, at: number) => {
    pending.push(first);
    for (let thread = pending.pop(); thread !== undefined; thread = pending.pop()) {
      const { state, index, slots } = thread;
      if (--run.left < 0) return;
      const to = (next: number, with_ = slots) => void pending.push({ state: next, index, slots: with_ });
      if (entered[state] === program.round) {
        // A round of a loop that has matched nothing is the last one, and counts.
        if (kinds[state] === LOOP && entered[y[state]!] !== program.round) to(y[state]!);
        continue;
      }
      entered[state] = program.round;
      switch (kinds[state]) {
        case FORK:
          to(y[state]!);
          to(x[state]!);
          break;
        case LOOP:
          to(z[state]! < 0 ? x[state]! : y[state]!);
          to(z[state]! < 0 ? y[state]! : x[state]!);
          break;
        case SAVE:
          to(y[state]!, noted(run, slots, x[state]!, at));
          break;
        case CONDITION: {
          const after = look(followAll, program, run, { condition: x[state]!, at, slots });
          if (after !== undefined) to(y[state]!, after);
          break;
        }
        default:
          threads.push(thread);
      }
    }
  };
  let found: Found | undefined;
  let current: Thread[] = [];
  for (let at = from;;) {
    // Paths that began earlier are preferred over a new one.
    if (found === undefined && (at === from || !anchored)) {
      if (at === from) nextRound(program);
      enter(current, { state: program.start, index: at, slots }, at);
    }
    const code = at < text.length ? text.codePointAt(at)! : -1;
    const character = code < 0 ? "" : String.fromCodePoint(code);
    const following: Thread[] = [];
    nextRound(program);
    for (const thread of current) {
      if (--run.left < 0) return undefined;
      if (kinds[thread.state] === PATTERN_END) {
        if (until !== undefined && until !== at || nonEmpty && at === from) continue;
        found = { index: thread.index, end: at, slots: thread.slots };
        break;
      }
      if (code >= 0 && atoms[x[thread.state]!]!(code, character)) {
        enter(following, { ...thread, state: y[thread.state]! }, at + character.length);
      }
    }
    if (code < 0 || at === until || following.length === 0 && (found !== undefined || anchored)) return found;
    current = following;
    at += character.length;
  }
}

/** Follows one path after the other, preferred paths first. */
function backtrack(program: LinearProgram, run: PatternRun, search: Search): Found | undefined {
  for (let at = search.from; at <= run.text.length;) {
    const found = backtrackAt(program, run, at, search);
    if (found !== undefined || search.anchored || run.left < 0) return found;
    at += (run.text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  }
  return undefined;
}

function backtrackAt(program: LinearProgram, run: PatternRun, index: number, search: Search): Found | undefined {
  const { kinds, x, y, z, atoms } = program;
  const { text } = run;
  const ways: { state: number; at: number; slots: Slots }[] = [{
    state: program.start,
    at: index,
    slots: search.slots,
  }];
  for (let way = ways.pop(); way !== undefined; way = ways.pop()) {
    let { state, at, slots } = way;
    for (let open = true; open;) {
      if (ways.length * slots.length > MAX_NOTED) run.left = -1;
      if (--run.left < 0) return undefined;
      const [first, next] = [x[state]!, y[state]!];
      switch (kinds[state]) {
        case CHARACTER: {
          const code = text.codePointAt(at);
          const character = code === undefined ? "" : String.fromCodePoint(code);
          open = code !== undefined && atoms[first]!(code, character);
          at += character.length;
          state = next;
          break;
        }
        case FORK:
          ways.push({ state: next, at, slots });
          state = first;
          break;
        case LOOP: {
          const slot = Math.abs(z[state]!);
          // A round that has matched nothing ends the loop.
          const body = slots[slot] === at ? undefined : { state: first, at, slots: noted(run, slots, slot, at) };
          const out = { state: next, at, slots };
          const [preferred, other] = z[state]! < 0 ? [out, body] : [body ?? out, body && out];
          if (other !== undefined) ways.push(other);
          ({ state, at, slots } = preferred);
          break;
        }
        case SAVE:
          slots = noted(run, slots, first, at);
          state = next;
          break;
        case REFERENCE: {
          const wanted = textOf(text, slots, first);
          const there = wanted && text.slice(at, at + wanted.length);
          open = there === wanted && there !== undefined ||
            z[state] === 1 && there !== undefined && there.toLowerCase() === wanted!.toLowerCase();
          run.left -= wanted?.length ?? 0;
          at += wanted?.length ?? 0;
          state = next;
          break;
        }
        case CONDITION: {
          const after = look(backtrack, program, run, { condition: first, at, slots });
          open = after !== undefined;
          slots = after ?? slots;
          state = next;
          break;
        }
        default:
          if ((search.until ?? at) === at && !(search.nonEmpty && at === search.from)) return { index, end: at, slots };
          open = false;
      }
    }
  }
  return undefined;
}
