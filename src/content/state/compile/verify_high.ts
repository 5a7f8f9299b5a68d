import { str, Tuple, typeName } from "../../../language/python/values.ts";
import { firstKey, isInternal, notText, type OpenHigh, slsOf } from "./high.ts";

/** Requisites whose form is checked. Other requisites are accepted in any form. */
const CHECKED: ReadonlySet<unknown> = new Set(["require", "watch", "prereq", "onchanges"]);

/** Id → its module under `state`, and value of a requisite → the requisite's module. */
type Requisites = Map<unknown, Map<unknown, unknown>>;

/** The state whose arguments are checked, with the requisites and errors found so far. */
interface Place {
  id: unknown;
  sls: string;
  state: string;
  requisites: Requisites;
  errors: string[];
}

/**
 * Returns the errors in the form of high data, in Salt's words. `__extend__` and other internal keys are not checked.
 *
 * @see salt/state.py State.verify_high
 */
export function verifyHigh(high: OpenHigh): string[] {
  const errors: string[] = [];
  const requisites: Requisites = new Map();
  for (const [id, body] of high) {
    if (isInternal(id)) continue;
    const sls = slsOf(body);
    if (typeof id !== "string") {
      errors.push(
        `ID '${str(id)}' in SLS '${sls}' is not formed as a string, but is a ${
          typeName(id)
        }. It may need to be quoted.`,
      );
    }
    if (!(body instanceof Map)) {
      errors.push(`The type ${str(id)} in ${str(body)} is not formatted as a dictionary`);
      continue;
    }
    body.forEach((run, state) => {
      if (typeof state !== "string") errors.push(notText(state, str(id), sls));
      else if (!isInternal(state)) verifyRun(run, { id, sls, state, requisites, errors });
    });
  }
  return errors;
}

/** Checks the arguments of one module of an id. */
function verifyRun(run: unknown, place: Place): void {
  const { id, sls, state, errors } = place;
  if (run === null) {
    errors.push(
      `ID '${str(id)}' in SLS '${sls}' contains a short declaration (${state}) with a trailing colon. ` +
        "When not passing any arguments to a state, the colon must be omitted.",
    );
    return;
  }
  if (!Array.isArray(run)) {
    errors.push(`State '${str(id)}' in SLS '${sls}' is not formed as a list`);
    return;
  }
  const functions = state.includes(".") ? [state.slice(state.indexOf(".") + 1)] : [];
  for (const argument of run) {
    if (typeof argument === "string") {
      functions.push(argument);
      if (argument.trim().includes(" ")) {
        errors.push(
          `The function "${argument}" in state "${
            str(id)
          }" in SLS "${sls}" has whitespace, a function with whitespace is ` +
            'not supported, perhaps this is an argument that is missing a ":"',
        );
      }
    } else if (argument instanceof Map) verifyArgument(argument, place);
  }
  if (functions.length === 0 && state !== "require" && state !== "watch") {
    errors.push(`No function declared in state '${str(id)}' in SLS '${sls}'`);
  } else if (functions.length > 1) {
    errors.push(
      `Too many functions declared in state '${str(id)}' in SLS '${sls}'. Please choose one of the following: ${
        functions.join(", ")
      }`,
    );
  }
}

function verifyArgument(argument: Map<unknown, unknown>, place: Place): void {
  const { id, sls, state, requisites, errors } = place;
  const key = firstKey(argument);
  const value = argument.get(key);
  if (argument.size === 0) errors.push(`An argument in state '${str(id)}' in SLS '${sls}' is an empty map`);
  if (key === "names" && !Array.isArray(value)) {
    errors.push(`The 'names' argument in state '${str(id)}' in SLS '${sls}' needs to be formed as a list`);
  }
  if (!CHECKED.has(key)) return;
  if (!Array.isArray(value)) {
    errors.push(`The ${str(key)} statement in state '${str(id)}' in SLS '${sls}' needs to be formed as a list`);
  } else {
    requisites.set(id, new Map([["state", state]]));
    for (const requisite of value) verifyRequisite(requisite, place);
  }
  if (argument.size !== 1) {
    errors.push(`Multiple dictionaries defined in argument of state '${str(id)}' in SLS '${sls}'`);
  }
}

/** False for lists, sets and maps, which Python cannot use as keys. */
const isHashable = (value: unknown) =>
  !(Array.isArray(value) && !(value instanceof Tuple)) && !(value instanceof Set) && !(value instanceof Map);

function verifyRequisite(requisite: unknown, { id, sls, state, requisites, errors }: Place): void {
  const [module, value] = requisite instanceof Map ? [...requisite][0] ?? [] : ["id", requisite];
  if (typeof module !== "string" || !(requisite instanceof Map || typeof requisite === "string")) {
    errors.push(`Requisite declaration ${str(requisite)} in SLS ${sls} is not formed as a single key dictionary`);
    return;
  }
  if (module.includes(".")) {
    errors.push(
      `Invalid requisite type '${module}' in state '${str(id)}', in SLS '${sls}'. ` +
        `Requisite types must not contain dots, did you mean '${module.slice(0, module.indexOf("."))}'?`,
    );
  }
  if (!isHashable(value)) {
    errors.push(`Illegal requisite "${str(value)}", please check your syntax.\n`);
    return;
  }
  requisites.get(id)!.set(value, module);
  const other = requisites.get(value);
  if (other?.get(id) === state && other.get("state") === module) {
    errors.push(`A recursive requisite was found, SLS "${sls}" ID "${str(id)}" ID "${str(value)}"`);
  }
}
