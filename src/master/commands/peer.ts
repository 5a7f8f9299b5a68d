import { publishJob } from "./publish.ts";
import { joinPath } from "../../config/paths.ts";
import { isPlainJid } from "../../job/jid.ts";
import { decode } from "../../wire/msgpack.ts";
import type { Load, MasterServices } from "../services.ts";

const text = (value: unknown) => typeof value === "string" ? value : "";

function matches(pattern: unknown, subject: string): boolean {
  try {
    return new RegExp(`^(?:${pattern})`).test(subject);
  } catch {
    return false;
  }
}

/** True if the table (`peer`, `peer_run`: regex of minion → regexes of functions) lets a minion call every function. */
export function mayCall(table: Record<string, unknown>, minion: string, functions: readonly string[]): boolean {
  const allowed = Object.entries(table).filter(([who]) => matches(who, minion))
    .flatMap(([, what]) => Array.isArray(what) ? what : [])
    .filter((pattern): pattern is string => typeof pattern === "string");
  return functions.length > 0 && functions.every((fun) => allowed.some((pattern) => matches(pattern, fun)));
}

/**
 * The command `minion_pub`: a minion asks for a job on others, as far as `peer` lets it.
 *
 * @see salt/daemons/masterapi.py RemoteFuncs.minion_pub
 */
export async function minionPublish(services: MasterServices, load: Load): Promise<unknown> {
  const { id, fun, arg, tgt } = load;
  if (
    typeof id !== "string" || typeof fun !== "string" || arg === undefined || tgt === undefined ||
    load.ret === undefined
  ) {
    return {};
  }
  if (fun.startsWith("publish.")) {
    services.log.warning("publication of a minion refused: it would publish again", { id, fun });
    return {};
  }
  const functions = fun.split(",").map((name) => name.trim());
  if (!mayCall(services.opts.peer, id, functions)) {
    services.log.warning("publication of a minion refused by the peer option", { id, fun });
    return {};
  }
  const compound = functions.length > 1;
  const args = compound && Array.isArray(arg)
    ? arg.map((part) => typeof part === "string" ? part.split(/\s+/) : part)
    : arg;
  const tgt_type = text(load.tgt_type) || "glob";
  const { minions, missing } = services.expand({ tgt, tgt_type });
  const published = await publishJob(
    services,
    {
      tgt,
      tgt_type,
      fun: compound ? functions : fun,
      arg: Array.isArray(args) ? args : [args],
      ret: text(load.ret),
      user: id,
      jid: "",
      kwargs: {},
      asker: id,
    },
    minions,
    missing,
  );
  if (published === undefined) return {};
  const { fs } = services.runtime;
  const directory = joinPath(services.opts.cachedir, "publish_auth");
  fs.mkdir(directory, 0o700);
  fs.write(joinPath(directory, published.jid), id);
  return { jid: published.jid, minions };
}

/** The command `pub_ret`: what a job returned, for the minion that asked for it. */
export async function publishedReturns(services: MasterServices, load: Load): Promise<unknown> {
  const { id, jid } = load;
  if (jid === undefined) return {};
  if (typeof id !== "string" || typeof jid !== "string" || !isPlainJid(jid)) return "";
  const { fs } = services.runtime;
  const path = joinPath(services.opts.cachedir, "publish_auth", jid);
  if (fs.stat(path)?.kind !== "file") return "";
  if (fs.readText(path) !== id) return {};
  const found = new Map<string, unknown>();
  for (const { minion, return: value, out } of await services.jobs.returns(jid)) {
    const ret = decode(value.bytes, { mode: "bin" });
    found.set(minion, out === undefined ? { ret } : { ret, out });
  }
  return found;
}

/** The command `revoke_auth`: a minion gives up its own key. */
export function revokeAuth(services: MasterServices, load: Load): unknown {
  if (!services.opts.allow_minion_key_revoke) {
    services.log.warning("a minion asked to have its key deleted, but allow_minion_key_revoke is off", { id: load.id });
    return load;
  }
  if (typeof load.id !== "string") return false;
  services.keys.remove("accepted", load.id);
  services.log.info("key deleted at its minion's wish", { id: load.id });
  // It still has the key that publications are sealed with.
  if (services.opts.rotate_aes_key) services.rotateMasterKey();
  return true;
}
