import { REQUISITES } from "../keywords.ts";
import { str } from "../../../language/python/values.ts";
import { Allowance } from "./allowance.ts";
import { NameIndex } from "./find_name.ts";
import { type Body, firstKey, isInternal, type OpenHigh, slsOf } from "./high.ts";

/** Arguments whose lists grow when they are extended; others are replaced. */
const GROWING: ReadonlySet<unknown> = new Set(REQUISITES);

interface ExtendOptions {
  /** An extension finds an id only if that has the module; otherwise the extension adds the module. @default false */
  isStrict?: boolean;
  /** Limits the values that the compilation may still add. */
  allowance?: Allowance;
}

function unknownTarget(id: unknown, body: Body): string {
  const name = str(id);
  const env = str(body.get("__env__") ?? "base");
  return `Cannot extend ID '${name}' in '${env}:${
    str(body.get("__sls__") ?? "base")
  }'. It is not part of the high state.\n` +
    "This is likely due to a missing include statement or an incorrectly typed ID.\n" +
    `Ensure that a state with an ID of '${name}' is available\nin environment '${env}' and to SLS '${
      str(body.get("__sls__") ?? "base")
    }'`;
}

/** SLS files that are excluded by their full names; globs in `__exclude__` have no effect here. */
function excludedFiles(high: OpenHigh): Set<unknown> {
  const excluded = high.get("__exclude__");
  const list = Array.isArray(excluded) ? excluded : [];
  return new Set(list.map((one) => one instanceof Map ? one.get("sls") : one));
}

/**
 * Applies `__extend__` to the states that it names, and takes it out. Extensions of an SLS that is excluded are dropped.
 *
 * @param high this function changes it
 * @returns the errors, in Salt's words
 * @see salt/state.py State.reconcile_extend
 */
export function applyExtend(high: OpenHigh, options: ExtendOptions = {}): string[] {
  const { isStrict = false, allowance = new Allowance() } = options;
  const extensions = high.get("__extend__");
  high.delete("__extend__");
  const errors: string[] = [];
  if (!Array.isArray(extensions)) return errors;
  const index = new NameIndex(high);
  const excluded = excludedFiles(high);
  for (const extension of extensions) {
    if (!(extension instanceof Map)) continue;
    for (const [name, body] of extension) {
      if (!(body instanceof Map)) {
        errors.push(`Extension name '${str(name)}' in SLS 'None' is not a dictionary`);
        continue;
      }
      const id = targetOf(name, body, high, index, isStrict);
      if (typeof id === "object") errors.push(id.error);
      else if (!excluded.has(body.get("__sls__") ?? null)) errors.push(...extendId(high, id, body, index, allowance));
    }
  }
  return errors;
}

/** The id that an extension changes, or the error. */
function targetOf(
  name: unknown,
  body: Body,
  high: OpenHigh,
  index: NameIndex,
  isStrict: boolean,
): string | { error: string } {
  const state = [...body.keys()].find((key) => !isInternal(key));
  if (typeof state !== "string") {
    return { error: `Extension of ID '${str(name)}' in SLS '${slsOf(body)}' names no state module` };
  }
  const known = high.get(name);
  if (known instanceof Map && known.has(state)) return name as string;
  const found = index.find(name, state, isStrict);
  return found.length === 1 ? found[0]!.id as string : { error: unknownTarget(name, body) };
}

function extendId(high: OpenHigh, id: string, extension: Body, index: NameIndex, allowance: Allowance): string[] {
  const errors: string[] = [];
  const body = high.get(id);
  if (!(body instanceof Map)) return [`ID '${id}' in SLS '${slsOf(extension)}' is not a dictionary`];
  for (const [state, run] of extension) {
    if (typeof state !== "string" || isInternal(state)) continue;
    const known = body.get(state);
    if (!body.has(state)) {
      body.set(state, run);
      index.added(id, state);
    } else if (!Array.isArray(run)) {
      errors.push(`State '${id}' in SLS '${slsOf(extension)}' is not formed as a list`);
    } else if (Array.isArray(known)) {
      index.removed(id, state);
      // Iterate over a copy: with an alias of YAML, the list may be the very one that is extended.
      for (const argument of [...run]) {
        errors.push(...extendRun(known, argument, `'${id}' in SLS '${slsOf(body)}'`, allowance));
      }
      index.added(id, state);
    }
  }
  return errors;
}

/** Merges one argument of an extension into a list of arguments. */
function extendRun(run: unknown[], argument: unknown, where: string, allowance: Allowance): string[] {
  const errors: string[] = [];
  const key = argument instanceof Map ? firstKey(argument) : undefined;
  let isTaken = false;
  for (const [at, known] of run.entries()) {
    if (typeof argument === "string" && typeof known === "string") {
      run[at] = argument;
      isTaken = true;
    } else if (argument instanceof Map && known instanceof Map) {
      const knownKey = firstKey(known);
      if (knownKey === key) {
        isTaken = true;
        if (!GROWING.has(key)) run[at] = argument;
        else if (!grow(known.get(key), argument.get(key), allowance)) {
          errors.push(`The ${str(key)} statement in state ${where} needs to be formed as a list`);
        }
      }
      if (key === "name" && knownKey === "names") run[at] = argument;
    }
  }
  if (!isTaken) run.push(argument);
  return errors;
}

/** Appends requisites to a list of requisites; false if one of the two is not a list. */
function grow(list: unknown, more: unknown, allowance: Allowance): boolean {
  if (!Array.isArray(list) || !Array.isArray(more)) return false;
  allowance.spend(more.length, () => "A list of requisites that is extended again and again");
  for (const one of [...more]) list.push(one);
  return true;
}
