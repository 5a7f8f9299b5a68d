import { entriesOf, isMap, str } from "../../../language/python/values.ts";
import { type Body, firstKey, notText, type OpenHigh, splitFunction } from "./high.ts";

/** The SLS file that is being read. */
interface SlsPlace {
  sls: string;
  saltenv: string;
}

/** True for keys that are not states, such as `__sls__`: they begin with an underscore. */
const isPrivate = (key: string) => key.startsWith("_");

/**
 * Takes `include` out of the data of an SLS. A value that is not a list stays there, and is not a declaration either.
 *
 * @param errors receives the errors, in Salt's words
 */
export function takeInclude(state: OpenHigh, { sls }: SlsPlace, errors: string[]): unknown[] {
  const include = state.get("include");
  if (include === undefined) return [];
  if (!Array.isArray(include)) {
    errors.push(`Include Declaration in SLS ${sls} is not formed as a list`);
    return [];
  }
  state.delete("include");
  return include;
}

/** Makes `extend` of an SLS an entry of `__extend__`. @see salt/state.py BaseHighState._handle_extend */
export function takeExtend(state: OpenHigh, { sls, saltenv }: SlsPlace, errors: string[]): void {
  if (!state.has("extend")) return;
  const extend = state.get("extend");
  state.delete("extend");
  if (!(extend instanceof Map)) {
    errors.push(`Extension value in SLS '${sls}' is not a dictionary`);
    return;
  }
  for (const [id, body] of extend) {
    if (!(body instanceof Map)) {
      errors.push(`Extension name '${str(id)}' in SLS '${sls}' is not a dictionary`);
      continue;
    }
    if (!body.has("__sls__")) body.set("__sls__", sls);
    if (!body.has("__env__")) body.set("__env__", saltenv);
    for (const key of [...body.keys()]) {
      if (typeof key !== "string") errors.push(notText(key, str(id), sls));
      else if (!isPrivate(key) && key.includes(".")) undot(body, key);
    }
  }
  appendTo(state, "__extend__", [extend]);
}

/** Makes `exclude` of an SLS entries of `__exclude__`. @see salt/state.py BaseHighState._handle_exclude */
export function takeExclude(state: OpenHigh, { sls }: SlsPlace, errors: string[]): void {
  if (!state.has("exclude")) return;
  const exclude = state.get("exclude");
  state.delete("exclude");
  if (!Array.isArray(exclude)) errors.push(`Exclude Declaration in SLS ${sls} is not formed as a list`);
  // Salt excludes each letter of a text; the error above prevents harm.
  const list = Array.isArray(exclude) || typeof exclude === "string" ? [...exclude] : [];
  appendTo(state, "__exclude__", isMap(exclude) ? entriesOf(exclude).map(([key]) => key) : list);
}

/** Appends to `__extend__` or `__exclude__`, the lists of high data that belong to no id. */
export function appendTo(state: OpenHigh, key: "__extend__" | "__exclude__", items: readonly unknown[]): void {
  const list = state.get(key);
  if (Array.isArray(list)) { for (const item of items) list.push(item); }
  else state.set(key, [...items]);
}

/** Turns `{module.function: […]}` into `{module: […, function]}`; a value that is not a list is left for the check of the form. */
function undot(body: Body, key: string): void {
  const run = body.get(key);
  if (!Array.isArray(run)) return;
  const [module, fun] = splitFunction(key);
  body.delete(key);
  body.set(module, run);
  run.push(fun);
}

/** The words for a file or template in messages. */
interface DeclarationWords {
  /** `SLS a`, or `template /a.sls`. */
  plain: string;
  /** `SLS 'a'`, or `template '/a.sls'`. */
  quoted: string;
}

/**
 * Brings the declarations of an SLS into one form: `{id: {module: [arguments…, function]}}`.
 *
 * @param place source of each id's `__sls__` and `__env__`; undefined for a single template
 * @param errors receives the errors, in Salt's words
 * @see salt/state.py BaseHighState._handle_state_decls, State.render_template
 */
export function normaliseDeclarations(
  state: OpenHigh,
  words: DeclarationWords,
  place: SlsPlace | undefined,
  errors: string[],
): void {
  const added: [string, unknown][] = place === undefined ? [] : [["__sls__", place.sls], ["__env__", place.saltenv]];
  for (const [id, body] of state) {
    if (id === "__extend__" || id === "__exclude__") continue;
    if (typeof body === "string" && body.includes(".")) {
      const [module, fun] = splitFunction(body);
      state.set(id, new Map<unknown, unknown>([...added, [module, [fun]]]));
    } else if (!(body instanceof Map)) {
      errors.push(`ID ${str(id)} in ${words.plain} is not a dictionary`);
    } else {
      normaliseBody(id, body, words, errors);
      for (const [key, value] of added) if (!body.has(key)) body.set(key, value);
    }
  }
}

function normaliseBody(id: unknown, body: Body, words: DeclarationWords, errors: string[]): void {
  const modules = new Set<string>();
  for (const key of [...body.keys()]) {
    if (typeof key !== "string") {
      errors.push(notText(key, str(id), words.plain.replace(/^\S+ /, "")));
      continue;
    }
    if (isPrivate(key) || !Array.isArray(body.get(key))) continue;
    const [module] = splitFunction(key);
    if (key.includes(".")) {
      if (modules.has(module)) {
        errors.push(`ID '${str(id)}' in ${words.quoted} contains multiple state declarations of the same type`);
        continue;
      }
      undot(body, key);
    }
    modules.add(module);
  }
}

/** Gives the next numbers to states without `order`. */
export class AutoOrder {
  #next = 10000;

  /** @see salt/state.py BaseHighState._handle_iorder */
  number(state: OpenHigh): void {
    for (const body of state.values()) {
      if (!(body instanceof Map)) {
        // As in Salt, a declaration that is a number or nothing stops the numbering of its file.
        if (typeof body === "string" || Array.isArray(body)) continue;
        return;
      }
      for (const [key, run] of body) {
        if (typeof key !== "string" || isPrivate(key) || !Array.isArray(run)) continue;
        if (run.some((argument) => argument instanceof Map && firstKey(argument) === "order")) continue;
        run.push(new Map().set("order", this.#next++));
      }
    }
  }
}
