import type { ReturnerContext, ReturnerModule } from "../../model/loader/family.ts";
import { entriesOf, isMap, lookup, repr, str, truthy } from "../../language/python/values.ts";
import { dump } from "../../language/yaml/dump.ts";
import { postAddress, postAttempt } from "./http_post.ts";
import { toJson } from "./json.ts";
import { returnerOptions, wholeReturn } from "./options.ts";

const SERVICE = "https://hooks.slack.com/services/";
const TIMEOUT_MS = 30_000;

interface Tally {
  total: number;
  changed: string[];
  failed: string[];
  seconds: number;
}

/** The states of a return; undefined for the return of another function. */
function statesOf(value: unknown): [string, Record<string, unknown>][] | undefined {
  if (!isMap(value)) return undefined;
  const states = entriesOf(value).map(([key, state]): [string, unknown] => [str(key), state]);
  if (states.length === 0 || !isMap(states[0]![1]) || lookup(states[0]![1], "__id__") === undefined) return undefined;
  const run = ([, state]: [string, unknown]) => Number((isMap(state) ? lookup(state, "__run_num__") : undefined) ?? 0);
  return states.sort((a, b) => run(a) - run(b)).map(([key, state]) => [
    key,
    Object.fromEntries(isMap(state) ? entriesOf(state).map(([name, item]) => [str(name), item]) : []),
  ]);
}

function tallyOf(states: [string, Record<string, unknown>][]): Tally {
  const tally: Tally = { total: states.length, changed: [], failed: [], seconds: 0 };
  for (const [key, { __sls__: sls, result = true, changes, duration = 0 }] of states) {
    const task = `${str(sls ?? null)}.sls | ${key.split("_|-")[1]}`;
    if (!truthy(result)) tally.failed.push(task);
    if (truthy(changes ?? false)) tally.changed.push(task);
    const ms = Number(duration);
    if (!Number.isNaN(ms)) tally.seconds += ms / 1000;
  }
  return tally;
}

/** The message of a return, in the form that Slack takes. */
function payloadOf(context: ReturnerContext, ret: Record<string, unknown>, isEvent: boolean): unknown {
  const options = optionsOf(context);
  const grains = isMap(context.opts.grains) ? context.opts.grains : {};
  const sprinkled = (text: string) =>
    text.split(/[{}]/).map((part, at) => at % 2 === 0 ? part : str(lookup(grains, part) ?? "")).join("");
  const success = ret.retcode === 0;
  const states = statesOf(ret.return);
  const tally = states === undefined ? undefined : tallyOf(states);
  const args = Array.isArray(ret.fun_args) ? ret.fun_args : [];
  const text = [
    `Function: ${str(ret.fun ?? null)}\n`,
    args.length > 0 ? `Function Args: ${repr(args.map((arg) => str(arg)))}\n` : "",
    `JID: ${str(ret.jid ?? null)}\n`,
    tally === undefined ? "" : `Total: ${tally.total}\nDuration: ${tally.seconds.toFixed(2)} secs`,
  ].join("");
  const title = sprinkled(String(success ? options.success_title : options.failure_title));
  const attachments: unknown[] = [{
    fallback: title,
    color: "#272727",
    author_name: isEvent ? ret.id : sprinkled("{id}"),
    author_link: sprinkled("{localhost}"),
    author_icon: options.author_icon,
    title: `Success: ${success ? "True" : "False"}`,
    text,
  }];
  if (tally === undefined) {
    const shown = isMap(ret.return) ? `\n${dump(ret.return, { flow: "leaves", indent: 2 })}` : str(ret.return ?? null);
    attachments.push({ color: success ? "good" : "danger", title: `Return: ${shown}` });
    return { attachments };
  }
  const fields = (tasks: string[]) =>
    truthy(options.show_tasks) && tasks.length > 0 ? { fields: tasks.map((value) => ({ value, short: false })) } : {};
  const { total, changed, failed } = tally;
  attachments.push(
    { color: "good", title: `Unchanged: ${total - changed.length - failed.length}` },
    { color: "warning", title: `Changed: ${changed.length}`, ...fields(changed) },
    { color: "danger", title: `Failed: ${failed.length}`, ...fields(failed) },
  );
  return { attachments };
}

const optionsOf = (context: ReturnerContext) =>
  returnerOptions(context, "slack_webhook", {
    webhook: undefined as unknown,
    success_title: "{id} | Succeeded" as unknown,
    failure_title: "{id} | Failed" as unknown,
    author_icon: "" as unknown,
    show_tasks: false as unknown,
  });

async function post(context: ReturnerContext, ret: Record<string, unknown>, isEvent: boolean): Promise<void> {
  const { webhook } = optionsOf(context);
  const advice =
    "Cannot post to Slack: set slack_webhook.webhook to what follows services/ in the address of the webhook";
  if (webhook === undefined || !URL.canParse(String(webhook), SERVICE)) throw new TypeError(advice);
  const headers = new Headers({ "content-type": "application/x-www-form-urlencoded" });
  const url = postAddress(new URL(String(webhook), SERVICE).href, headers, advice);
  const body = new URLSearchParams({
    payload: toJson(payloadOf(context, wholeReturn(ret), isEvent)),
  });
  let said = "";
  const { failure } = await postAttempt(context, url, {
    headers,
    body: String(body),
    timeoutMs: TIMEOUT_MS,
    read: (text) => said = text,
  });
  // The path is the secret of the webhook.
  if (failure !== undefined) throw new Error(`Cannot post to ${url.origin}: ${failure}`);
  if (said !== "ok") throw new Error(`Cannot post to ${url.origin}: it did not answer "ok"`);
}

/**
 * Posts a summary of each return to a webhook of Slack. Options: `slack_webhook.webhook`, the part of its address behind `services/`;
 * `.success_title` and `.failure_title`, in which `{id}` is a grain; `.author_icon`; `.show_tasks`, whether states are named.
 *
 * @see salt/returners/slack_webhook_return.py
 */
export const returner: ReturnerModule = {
  fromJob: ["success_title", "failure_title", "show_tasks"],
  returner: (context, ret) => post(context, ret, false),
};
