/** Lists the names in the YAML of an SLS file: states with their arguments, functions, beacons and other SLS files. */
import type { FunctionKind } from "./known_parts.ts";
import { COMPUTED, type Outlined, outlineOf, withoutTags } from "./outline.ts";

interface NamedFunction {
  kind: FunctionKind;
  name: string;
  line: number;
}

interface NamedArgument {
  state: string;
  name: string;
  line: number;
}

interface SlsParts {
  functions: NamedFunction[];
  arguments: NamedArgument[];
  beacons: { name: string; line: number }[];
  /** Dotted names of included SLS files. */
  includes: string[];
}

const FUNCTION = /^[A-Za-z]\w*\.[A-Za-z]\w*$/;
const WORD = /^[A-Za-z]\w*$/;
/** Prefixes of reactions, as in `local.state.apply`, → kind of function. */
const REACTION: Readonly<Record<string, FunctionKind>> = {
  local: "function",
  caller: "function",
  cmd: "function",
  runner: "runner",
  wheel: "wheel function",
};
/** States that call the function named by their argument `name` or their id. */
const CALLERS: Readonly<Record<string, FunctionKind>> = {
  "salt.function": "function",
  "salt.runner": "runner",
  "salt.wheel": "wheel function",
  "module.wait": "function",
};
/** Keys of an SLS file that do not declare a state. */
const NOT_IDS = ["include", "exclude", "extend"];

const isKnown = (text: string) => !text.includes(COMPUTED);

/** A declared state: its function, id and arguments. */
interface Declared {
  /** Name of the state function, `pkg.installed`, or `pkg` while the function is unknown. */
  state: string;
  id: string;
  line: number;
  arguments: Outlined[];
}

/** True for a map below a key: arguments are a list, so this is data. */
const isData = ({ key, isItem }: Outlined) => key !== undefined && !isItem;

/** The states in an outline; the keys of `extend` count as ids. */
function declaredStates(outline: readonly Outlined[]): Declared[] {
  const found: Declared[] = [];
  let last: Declared | undefined;
  for (const entry of outline) {
    const above = entry.above[0] === "extend" ? entry.above.slice(1) : entry.above;
    const depth = above.length;
    const [id] = above;
    if (depth === 0 && entry.key !== undefined && !NOT_IDS.includes(entry.key) && FUNCTION.test(entry.value)) {
      // Short form: `vim: pkg.installed`.
      found.push({ state: entry.value, id: entry.key, line: entry.line, arguments: [] });
      last = undefined;
    }
    if (id === undefined || NOT_IDS.includes(id)) continue;
    if (depth === 1 && !entry.isItem) {
      const name = entry.key ?? entry.value;
      last = FUNCTION.test(name) || WORD.test(name) && entry.key !== undefined && entry.value === ""
        ? { state: name, id, line: entry.line, arguments: [] }
        : undefined;
      if (last !== undefined) found.push(last);
    } else if (depth === 2 && last !== undefined && isData(entry)) {
      found.splice(found.indexOf(last), 1);
      last = undefined;
    } else if (depth === 2 && last !== undefined && entry.isItem) {
      if (entry.key === undefined && !last.state.includes(".") && WORD.test(entry.value)) {
        // Long form: `pkg:` with the item `installed`.
        last.state += `.${entry.value}`;
        last.line = entry.line;
      } else if (entry.key !== undefined) last.arguments.push(entry);
    }
  }
  return found.filter(({ state }) => FUNCTION.test(state));
}

/** The function of a reaction, such as `local.state.apply`. */
function reactionOf({ state, line }: { state: string; line: number }): NamedFunction | undefined {
  const [client = "", ...name] = state.split(".");
  return Object.hasOwn(REACTION, client) && name.length === 2
    ? { kind: REACTION[client]!, name: name.join("."), line }
    : undefined;
}

/** The functions that a state calls because its arguments name them. */
function calledBy({ state, id, line, arguments: given }: Declared): NamedFunction[] {
  const name = given.find(({ key }) => key === "name");
  if (state === "module.run") {
    const own = given.filter(({ key }) => FUNCTION.test(key!)).map(({ key, line }) => ({ name: key!, line }));
    const named = name === undefined ? { name: id, line } : { name: name.value, line: name.line };
    const all = own.length > 0 ? own : FUNCTION.test(named.name) ? [named] : [];
    return all.map((one) => ({ kind: "function", ...one }));
  }
  const kind = Object.hasOwn(CALLERS, state) ? CALLERS[state] : undefined;
  const called = name?.value ?? id;
  return kind === undefined || !FUNCTION.test(called) ? [] : [{ kind, name: called, line: name?.line ?? line }];
}

/** The functions in values of certain keys: `fun` of conditions, and `function` of scheduled jobs. */
function namedByKey(outline: readonly Outlined[]): NamedFunction[] {
  return outline.flatMap(({ key, value, line, above }): NamedFunction[] => {
    const isCall = key === "fun" ||
      key === "function" && (above[0] === "schedule" || above.at(-1) === "schedule.present");
    if (isCall && FUNCTION.test(value)) return [{ kind: "function", name: value, line }];
    const isMine = above.length === 1 && above[0] === "mine_functions" || above.at(-1) === "mine_functions";
    if (isMine && FUNCTION.test(key ?? value)) return [{ kind: "function", name: (key ?? value)!, line }];
    return key === "mine_function" && FUNCTION.test(value) ? [{ kind: "function", name: value, line }] : [];
  });
}

/** Lists the names in an SLS file. @param isPillar true if its keys are data, not ids of states */
export function slsParts(text: string, isPillar: boolean): SlsParts {
  const outline = outlineOf(withoutTags(text));
  const includes = outline.filter(({ above, isItem }) => above.length === 1 && above[0] === "include" && isItem)
    // In `- base: web` the key is the environment; in `- web:` the key is the name, with arguments below.
    .map(({ key, value }) => key === undefined || value !== "" ? value : key).filter(isKnown);
  const parts: SlsParts = { functions: namedByKey(outline), arguments: [], beacons: [], includes };
  if (isPillar) {
    parts.beacons = outline.flatMap(({ above, key, line }) =>
      above.length === 1 && above[0] === "beacons" && key !== undefined && WORD.test(key) && key !== "enabled"
        ? [{ name: key, line }]
        : []
    );
    return parts;
  }
  for (const { above, key, line } of outline) {
    // A reaction has a name of three parts, and no state has.
    const reaction = above.length === 1 && key !== undefined ? reactionOf({ state: key, line }) : undefined;
    if (reaction !== undefined) parts.functions.push(reaction);
  }
  for (const declared of declaredStates(outline)) {
    const { state, line } = declared;
    parts.functions.push({ kind: "state", name: state, line }, ...calledBy(declared));
    for (const { key, line } of declared.arguments) {
      if (key !== undefined && isKnown(key)) parts.arguments.push({ state, name: key, line });
    }
  }
  return parts;
}
