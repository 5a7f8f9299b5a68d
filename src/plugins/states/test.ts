import { SaltInvocationError } from "../../model/loader/family.ts";
import type { LowChunk, StateContext, StateModule, StateReturn } from "../../model/loader/states.ts";
import { stateFunction, stateFunctions } from "../../model/loader/states.ts";
import { isInteger, isMap, sizeOf, str, truthy } from "../../language/python/values.ts";
import { tagOf } from "../../content/state/run/chunk.ts";

const CHANGES = { testing: { old: "Unchanged", new: "Something pretended to change" } };

/** A state that always ends alike; a dry run may end otherwise. */
function pretended(
  doc: string,
  real: { comment: string; result: boolean; changes: boolean },
  dry: { comment: string; result: boolean | null } | undefined,
) {
  return stateFunction({
    signature: "name, **kwargs",
    doc,
    run: (context, { name, kwargs }) => {
      const changes = real.changes ? structuredClone(CHANGES) : {};
      if (context.test && dry !== undefined) return { name, changes, result: dry.result, comment: dry.comment };
      return { name, changes, result: real.result, comment: (kwargs.comment ?? real.comment) as string };
    },
  });
}

/** `True`, `False` or, by the word `Random`, one of the two. */
function chosen(value: unknown, random: () => number, error: string): boolean {
  if (typeof value === "boolean") return value;
  if (str(value).toLowerCase() === "random") return random() < 0.5;
  throw new SaltInvocationError(error);
}

function warningsOf(warnings: unknown): { warnings?: unknown[] } {
  if (warnings === null) return {};
  if (typeof warnings === "string") return { warnings: [warnings] };
  if (Array.isArray(warnings)) return { warnings };
  throw new SaltInvocationError(
    "You have specified the state option 'warnings' with invalid arguments. It must be a string or a list of strings",
  );
}

function changedRequisites({ low, running }: StateContext): string[] {
  const requisites = isMap(low.__reqs__) ? (low.__reqs__ as Record<string, LowChunk[]>).watch ?? [] : [];
  return requisites.filter((chunk) => {
    const entry = running.get(tagOf(chunk));
    return entry !== undefined && sizeOf(entry.changes) > 0;
  }).map(({ state, __id__ }) => `${str(state)}: ${str(__id__)}`);
}

/** Parameter → how its values are called, and what they are. Salt takes no text for one. */
type Checked = "present" | "boolean" | "integer" | "string" | "listing" | "dictionary";
const TYPES: [parameter: Checked, shown: string, is: (value: unknown) => boolean][] = [
  ["present", "None", () => true],
  ["boolean", "<class 'bool'>", (value) => typeof value === "boolean"],
  ["integer", "<class 'int'>", (value) => isInteger(value) || typeof value === "boolean"],
  ["string", "(<class 'str'>,)", (value) => typeof value === "string"],
  ["listing", "<class 'list'>", Array.isArray],
  ["dictionary", "<class 'dict'>", isMap],
];

/** States that do nothing, to try other things with. */
export const states: StateModule = {
  functions: stateFunctions({
    "nop(name, **kwargs)": {
      doc: "Does nothing, and succeeds.",
      run: (_context, { name }) => ({ name, changes: {}, result: true, comment: "Success!" }),
    },
    succeed_without_changes: pretended(
      "Succeeds without changes. `comment` replaces its comment.",
      { comment: "Success!", result: true, changes: false },
      undefined,
    ),
    succeed_with_changes: pretended(
      "Succeeds and pretends to have changed something. `comment` replaces its comment.",
      { comment: "Success!", result: true, changes: true },
      { comment: "If we weren't testing, this would be successful with changes", result: null },
    ),
    fail_without_changes: pretended(
      "Fails without changes, in a dry run too. `comment` replaces its comment.",
      { comment: "Failure!", result: false, changes: false },
      { comment: "If we weren't testing, this would be a failure!", result: false },
    ),
    fail_with_changes: pretended(
      "Fails and pretends to have changed something. `comment` replaces its comment.",
      { comment: "Failure!", result: false, changes: true },
      { comment: "If we weren't testing, this would be failed with changes", result: null },
    ),
    "configurable_test_state(name, changes=True, result=True, comment=, warnings=None)": {
      doc: "Ends as its arguments say: `changes` and `result` are True, False or Random.",
      run(context, args) {
        const { name, changes, result, comment, warnings } = args;
        const { random } = context.runtime;
        const changed = chosen(
          changes,
          random,
          "You have specified the state option 'changes' with invalid arguments. It must be either True, False, or 'Random'",
        );
        const succeeded = chosen(
          result,
          random,
          "You have specified the state option 'result' with invalid arguments. It must be either True, False, or 'Random'",
        );
        const ret = {
          name,
          changes: changed ? structuredClone(CHANGES) : {},
          result: succeeded,
          comment: comment as string,
        };
        const more = warningsOf(warnings);
        if (!context.test) return { ...ret, ...more };
        return {
          ...ret,
          comment: truthy(comment) ? comment as string : "This is a test",
          result: changes === false ? true : null,
          ...more,
        };
      },
    },
    "show_notification(name, text=None, **kwargs)": {
      doc: "Succeeds with `text` as its comment.",
      run: (_context, { name, text }) => {
        if (!truthy(text)) throw new SaltInvocationError("Missing required argument text.");
        return { name, changes: {}, result: true, comment: text as string };
      },
    },
    check_pillar: stateFunction({
      signature:
        "name, present=None, boolean=None, integer=None, string=None, listing=None, dictionary=None, verbose=False",
      doc: "Succeeds if the pillar has certain keys, with values of certain types.",
      async run(context, args) {
        if (!TYPES.some(([parameter]) => truthy(args[parameter]))) {
          throw new SaltInvocationError("Missing required argument text.");
        }
        const failed = new Map<string, string | undefined>();
        const fine = new Map<string, string>();
        for (const [parameter, shown, is] of TYPES) {
          const keys = truthy(args[parameter]) ? args[parameter] : [];
          if (typeof keys !== "string" && !Array.isArray(keys)) throw new TypeError("");
          for (const key of [keys].flat().map(str)) {
            const value = await context.call("pillar.get", [key, null]);
            if (value === null) failed.set(key, undefined);
            else if (!is(value)) failed.set(key, shown);
            else if (truthy(args.verbose)) fine.set(key, shown);
          }
        }
        const lines = [...failed].map(([key, shown]) =>
          `Pillar key "${key}" ${shown === undefined ? "is missing" : `is not ${shown}`}.\n`
        );
        if (fine.size > 0) {
          lines.push("Those keys passed the check:\n", ...[...fine].map(([key, shown]) => `- ${key} (${shown})\n`));
        }
        return { name: args.name, changes: {}, result: failed.size === 0, comment: lines.join("") };
      },
    }),
    "mod_watch(name, sfun=None, **kwargs)": {
      doc: "Names the watched states that have changed. `result`, `comment` and `changes` replace what it returns.",
      run: (context, { name, kwargs }) => ({
        name,
        result: (kwargs.result ?? true) as boolean,
        comment: (kwargs.comment ?? "Watch statement fired.") as string,
        changes:
          (kwargs.changes ?? { "Requisites with changes": changedRequisites(context) }) as StateReturn["changes"],
      }),
    },
  }),
};
