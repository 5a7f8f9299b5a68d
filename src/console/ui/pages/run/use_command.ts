import type { TargetValue } from "../../../preview.ts";
import { useEffect, useMemo, useState } from "preact/hooks";
import { EMPTY, type Filled, filledFrom, type Form, formArguments, withTest } from "../../../form.ts";
import type { PageRoute } from "../../../route.ts";
import { AT_ONCE, optionProblems, type RunSettings } from "../../../run_options.ts";
import type { Where } from "../../../saved.ts";
import { nearNames } from "../../../search.ts";
import { countText } from "../../../text.ts";
import { usePreview } from "../../parts/target_box.tsx";
import { useAddress } from "../../parts/hooks.ts";
import type { Store } from "../../store/store.ts";
import { useExample, useForm, useFunctions } from "./use_functions.ts";

/** The contents of the form with derived data: matching minions, functions, arguments and their problems. */
export function useCommand(store: Store) {
  const { query } = store.route.value;
  const [where, setWhere] = useState<Where>((query.where as Where | undefined) ?? "minions");
  const [target, setTarget] = useState<TargetValue>({ tgt: query.tgt ?? "*", type: query.tgt_type ?? "glob" });
  const [fun, setName] = useState(query.fun ?? "");
  const [filled, setFilled] = useState<Filled>(EMPTY);
  const [options, setOptions] = useState<RunSettings>(AT_ONCE);
  const preview = usePreview(target, fun);
  const example = useExample(store, where, preview.kind === "here" ? preview.matched : undefined);
  const { names, docs, problem } = useFunctions(store, where, example);
  const { form, doc, loading } = useForm(store, where, example, fun, names, docs);
  useArgumentsOfAddress(query, fun, form, loading, setFilled);
  const { arg, kwarg, problems } = useMemo(() => formArguments(form, filled), [form, filled]);
  const onMinions = where === "minions";
  const matched = preview.kind === "here" && preview.unknown.length === 0 ? preview.matched : undefined;
  const optionsWrong = onMinions ? optionProblems(options, matched !== undefined) : {};
  // Arguments may contain passwords, so the page does not write them into the address; arguments of the address stay.
  const { arg: given = "", kwarg: named = "" } = fun === query.fun ? query : {};
  useAddress({
    where: onMinions ? "" : where,
    ...(onMinions ? { tgt: target.tgt, tgt_type: target.type === "glob" ? "" : target.type } : {}),
    fun,
    arg: given,
    kwarg: named,
  });
  return {
    where,
    setWhere,
    onMinions,
    target,
    setTarget,
    preview,
    fun,
    setFun: (name: string) => {
      setName(name);
      setFilled(EMPTY);
    },
    names,
    hint: problem ?? functionsHint(names, onMinions, example, store.fleet.known.value || !store.fleet.ready.value),
    doc,
    form,
    /** True while the signature of the function is being read. */
    loading,
    filled,
    setFilled,
    arg,
    kwarg,
    options,
    setOptions,
    optionsWrong,
    matched,
    isDry: kwarg.test === true,
    setDry: (on: boolean) => setFilled(withTest(form, filled, on)),
    /** Why the function probably does not exist, with similar names; undefined if the function is known. */
    unknown: unknownFunction(fun, names, onMinions ? example : undefined),
    problems,
    /** True if the command can be run. */
    complete: fun !== "" && Object.keys(problems).length === 0 && Object.keys(optionsWrong).length === 0 &&
      (!onMinions || (target.tgt !== "" && preview.kind !== "invalid")),
  };
}

/** Fills the form from arguments in the address, as "Run again" puts them there, once the fields are known. */
function useArgumentsOfAddress(
  query: PageRoute["query"],
  fun: string,
  form: Form,
  loading: boolean,
  onFilled: (filled: Filled) => void,
): void {
  useEffect(() => {
    const arg = parsed(query.arg);
    const kwarg = parsed(query.kwarg);
    if (!Array.isArray(arg) && typeof kwarg !== "object") return;
    if (fun !== query.fun || loading) return;
    onFilled(filledFrom(form, {
      arg: Array.isArray(arg) ? arg : [],
      kwarg: (kwarg ?? {}) as Record<string, unknown>,
    }));
  }, [form, loading]);
}

/** The number of similar names that are offered for an unknown one. */
const OFFERED = 3;

/** Checks the name of a function. @param example the minion whose functions are known; undefined for functions of the master */
function unknownFunction(
  fun: string,
  names: readonly string[] | undefined,
  example: string | undefined,
): { text: string; near: string[] } | undefined {
  if (fun === "" || names === undefined || names.length === 0 || names.includes(fun)) return undefined;
  return {
    text: example === undefined ? `The master has no function ${fun}` : `${example} has no function ${fun}`,
    near: nearNames(fun, names, OFFERED),
  };
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function functionsHint(
  names: readonly string[] | undefined,
  onMinions: boolean,
  example: string | undefined,
  mayList: boolean,
): string {
  if (names !== undefined) return `${countText(names.length, "function")}${onMinions ? ` on ${example}` : ""}`;
  if (onMinions && example === undefined && !mayList) {
    return "This account may not list minions, so that their functions are not known; type any name.";
  }
  if (onMinions && example === undefined) return "No matching minion is up to list its functions; type any name.";
  return "Loading functions…";
}
