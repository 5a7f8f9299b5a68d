import { urlSegment } from "../../model/config/url.ts";
import { CommandExecutionError } from "../../model/loader/family.ts";
import type { SdbContext, SdbDriver } from "../../model/loader/sdb.ts";
import { type AnyMap, entriesOf, isMap, lookup, str } from "../../language/python/values.ts";
import { query } from "../modules/http/query.ts";

/** Bytes of the largest answer, whatever `http_max_body` allows. */
const LARGEST = 16 * 1024 * 1024;

/** `user=me&path=a/b` as names of a template. A value stays in its place of a path: it may have more segments, but no others. */
function namesOf(text: string): Record<string, string> {
  const pairs = text.split("&").filter((pair) => pair !== "").map((pair) => {
    const [name, value, ...rest] = pair.split("=");
    if (value !== undefined && rest.length === 0) return [name, value.split("/").map(urlSegment).join("/")];
    throw new CommandExecutionError(`Cannot use the part "${name}" of an sdb address: expected name=value`);
  });
  return Object.fromEntries(pairs);
}

async function addressOf({ runtime, log }: SdbContext, url: string, names: Record<string, string>): Promise<string> {
  const { createRenderers } = await import("../../language/render/renderers.ts");
  const render = await createRenderers(runtime).jinja!();
  return String(await render(url, { path: "sdb", saltenv: "base", argline: "", globals: names, log })).trim();
}

/** Asks a web server. A value is not sent: Salt's driver makes the same request to set one. */
async function request(context: SdbContext, key: string, profile: AnyMap): Promise<unknown> {
  const [name, text = ""] = key.split("?");
  const item = lookup(profile, name!);
  if (!isMap(item) || lookup(item, "url") === undefined) {
    const known = entriesOf(profile).filter(([, value]) => isMap(value)).map(([one]) => str(one));
    throw new CommandExecutionError(`The sdb profile has no "${name}" with a url: expected one of ${known.join(", ")}`);
  }
  const url = await addressOf(context, str(lookup(item, "url")), namesOf(text));
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new CommandExecutionError(`The url of "${name}" in the sdb profile does not begin with http:// or https://`);
  }
  const options = Object.fromEntries(entriesOf(item).filter(([one]) => one !== "backend" && one !== "url"));
  const { http_max_body: most } = context.opts;
  const result = await query(
    {
      ...context,
      signal: context.signal ?? new AbortController().signal,
      opts: { ...context.opts, http_max_body: Math.min(typeof most === "number" ? most : LARGEST, LARGEST) },
    },
    url,
    { ...options, decode: true },
  );
  if (Object.hasOwn(result, "dict")) return result.dict;
  // The address and the answer may hold secrets.
  const why = result.status === undefined
    ? result.error ?? "the answer is not JSON, YAML or XML"
    : `HTTP ${result.status}`;
  throw new CommandExecutionError(`${new URL(url).origin} did not return a value: ${str(why)}`);
}

/** Answers of web servers. Options: by key a map with `url`, a template, and the arguments of `http.query`. */
export const sdb: SdbDriver = {
  get: request,
  set: (context, key, _value, profile) => request(context, key, profile),
};
