import type { Form } from "../../../form.ts";
import { href } from "../../../route.ts";
import type { TargetValue } from "../../../preview.ts";
import type { Store } from "../../store/store.ts";
import { chosenAtRandom, type RunSettings } from "../../../run_options.ts";
import type { Where } from "../../../saved.ts";

interface Command {
  where: Where;
  target: TargetValue;
  fun: string;
  form: Form;
  arg: unknown[];
  kwarg: Record<string, unknown>;
  /** True if live output is wanted. */
  stream: boolean;
  options: RunSettings;
  /** The minions that the target matches, if they are known. */
  matched: readonly string[] | undefined;
}

/** Runs a function. Opens the page of a job on minions; resolves with the result of a function of the master. */
export async function runFunction(store: Store, command: Command): Promise<{ value: unknown } | undefined> {
  const { where, target, fun, form, arg, kwarg, stream, options, matched = [] } = command;
  store.saved.noteRun({ where, fun, ...(where === "minions" ? target : { tgt: "", type: "glob" }) });
  if (where === "runner") return { value: await store.api.runner(fun, { arg, kwarg }) };
  if (where === "wheel") return { value: await store.api.wheel(fun, { ...byName(form, arg), ...kwarg }) };
  const chosen = options.subset === "" ? matched : chosenAtRandom(matched, Number(options.subset), store.random);
  const request = {
    ...(options.subset === ""
      ? { tgt: target.tgt, tgt_type: target.type }
      : { tgt: chosen.join(","), tgt_type: "list" }),
    fun,
    arg,
    ...(Object.keys(kwarg).length > 0 ? { kwarg } : {}),
    ...(stream ? { stream: true } : {}),
    ...(options.timeout === "" ? {} : { job_timeout: Number(options.timeout) }),
    ...(options.queue === "" ? {} : { queue: Number(options.queue) }),
  };
  if (options.batch !== "") {
    const plan = {
      ids: chosen,
      size: options.batch,
      waitMs: Number(options.wait) * 1000,
      failures: options.failures === "" ? undefined : Number(options.failures),
    };
    location.hash = href("batches", store.batches.start(request, plan));
    return undefined;
  }
  const jid = await store.start(request);
  if (jid === undefined) {
    store.notices.add("bad", `No minions match ${target.tgt}`, "No job was started. Check the target.");
  } else location.hash = href("jobs", jid);
  return undefined;
}

/** Converts positional arguments to keyword arguments: wheel functions take only these. */
function byName(form: Form, arg: readonly unknown[]): Record<string, unknown> {
  return Object.fromEntries(arg.map((value, at) => [form.fields[at]?.name ?? `arg${at}`, value]));
}
