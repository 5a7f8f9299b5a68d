import type { JobContext } from "../../../model/loader/family.ts";
import { type Args, entriesOf, isMap, lookup, str, truthy } from "../../../language/python/values.ts";
import { cacheFile, keepPacked, readPacked } from "./packed_files.ts";

const FILE = "req_state.p";

type Apply = (context: JobContext, mods: unknown, kwargs: Args) => Promise<unknown>;

function requests(context: JobContext): Map<string, unknown> {
  const data = readPacked(context, cacheFile(context, FILE));
  return new Map(isMap(data) ? entriesOf(data).map(([name, one]) => [str(name), one]) : []);
}

const forget = (context: JobContext) => context.runtime.fs.remove(cacheFile(context, FILE));

/** Runs states dry, and keeps the call so that it can be run later. */
export async function request(context: JobContext, mods: unknown, kwargs: Args, apply: Apply): Promise<unknown> {
  const given = { ...kwargs, test: true };
  const ret = await apply(context, mods, given);
  const kept = Object.fromEntries(Object.entries(given).filter(([key]) => !key.startsWith("__pub_")));
  const all = requests(context).set(str(kwargs.name ?? "default"), { test_run: ret, mods, kwargs: kept });
  keepPacked(context, FILE, all);
  return ret;
}

/** The calls that are kept, or one of them. */
export function checkRequest(context: JobContext, name: unknown): unknown {
  const all = requests(context);
  if (!truthy(name)) return all;
  if (!all.has(str(name))) throw Object.assign(new Error(`'${str(name)}'`), { name: "KeyError" });
  return all.get(str(name));
}

/** Forgets all calls, or one. @returns false if there is none of that name */
export function clearRequest(context: JobContext, name: unknown): boolean {
  const all = requests(context);
  if (all.size === 0) return true;
  if (!truthy(name)) forget(context);
  else {
    if (!all.delete(str(name))) return false;
    keepPacked(context, FILE, all);
  }
  return true;
}

/** Runs a call that is kept, and forgets all. */
export async function runRequest(context: JobContext, name: unknown, kwargs: Args, apply: Apply): Promise<unknown> {
  const kept = requests(context).get(str(name));
  const given = isMap(kept) ? lookup(kept, "kwargs") : undefined;
  if (!isMap(kept) || !isMap(given)) return {};
  const { test: _, ...own } = { ...Object.fromEntries(entriesOf(given)), ...kwargs } as Args;
  const ret = await apply(context, lookup(kept, "mods") ?? null, own);
  forget(context);
  return ret;
}
