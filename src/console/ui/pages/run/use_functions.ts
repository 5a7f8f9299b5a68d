import { useEffect, useMemo, useState } from "preact/hooks";
import { type ArgSpec, type Form, formOf } from "../../../form.ts";
import type { Where } from "../../../saved.ts";
import { errorText } from "../../../text.ts";
import type { Store } from "../../store/store.ts";

/** A matching minion that is probably up, whose functions are offered. */
export function useExample(store: Store, where: Where, matched: readonly string[] | undefined): string | undefined {
  store.fleet.beat.value;
  if (where !== "minions") return undefined;
  const among = matched !== undefined && matched.length > 0 ? matched : store.fleet.minions.ids;
  // Without a minion that is known to be up, the first one is used: some accounts may not see which minions are up.
  return among.find((id) => store.fleet.minions.presence(id) === "up") ??
    among.find((id) => store.fleet.minions.presence(id) === "unknown");
}

/** The names of the functions that can be run, and the documentation of the master's functions. */
export function useFunctions(store: Store, where: Where, example: string | undefined) {
  const [state, setState] = useState<{ names?: string[]; docs?: Map<string, string>; problem?: string }>({});
  useEffect(() => {
    let over = false;
    const take = (value: typeof state) => {
      if (!over) setState(value);
    };
    const failed = (error: unknown) => take({ problem: `${errorText(error)}; type any name.` });
    take({});
    if (where === "minions") {
      if (example !== undefined) {
        store.functions.list(example).then(
          (names) => take(names.length > 0 ? { names } : { problem: "The minion listed no functions; type any name." }),
          failed,
        );
      }
    } else {
      store.functions.ofMaster(where).then(
        (docs) => take({ docs, names: [...docs.keys()] }),
        (error) => where === "wheel" ? take({ names: WHEEL }) : failed(error),
      );
    }
    return () => {
      over = true;
    };
  }, [where, example]);
  return state;
}

const ANYTHING = formOf(undefined);

/** The signature of common wheel functions: masters do not report signatures of wheel functions. */
const MATCH: ArgSpec = { args: ["match"], defaults: null, varargs: null, kwargs: true };
const BY_NAME = formOf({ args: null, defaults: null, varargs: null, kwargs: true });

/** Wheel functions of every master, for masters that do not list them (`doc.wheel`). */
const WHEEL = [
  "config.values",
  ...[
    "accept",
    "accept_dict",
    "delete",
    "delete_dict",
    "finger",
    "list_all",
    "name_match",
    "print",
    "reject",
    "reject_dict",
  ]
    .map((name) => `key.${name}`),
  "minions.connected",
];

function wheelForm(fun: string): Form {
  return /^key\.(accept|delete|finger|name_match|print|reject)$/.test(fun) ? formOf(MATCH) : BY_NAME;
}

/** The form of a function's arguments, with its documentation. */
export function useForm(
  store: Store,
  where: Where,
  example: string | undefined,
  fun: string,
  names: readonly string[] | undefined,
  docs: Map<string, string> | undefined,
): { form: Form; doc: string; loading: boolean } {
  const [state, setState] = useState({ key: "", form: ANYTHING, doc: "" });
  const key = `${where} ${example} ${fun}`;
  const known = names?.includes(fun) ?? false;
  const unlisted = useMemo(() => where === "wheel" ? wheelForm(fun) : ANYTHING, [where, fun]);
  useEffect(() => {
    if (!known) return;
    let over = false;
    if (where !== "minions") {
      const form = where === "wheel" ? wheelForm(fun) : ANYTHING;
      setState({ key, form, doc: docs?.get(fun) ?? "" });
    } else if (example !== undefined) {
      store.functions.describe(example, fun).then(({ spec, doc }) => {
        if (!over) setState({ key, form: formOf(spec), doc });
      }, () => {
        if (!over) setState({ key, form: ANYTHING, doc: "" });
      });
    }
    return () => {
      over = true;
    };
  }, [key, known]);
  if (!known) return { form: unlisted, doc: "", loading: false };
  return { ...state, loading: state.key !== key };
}
