import type { AccessServices } from "../access/access_services.ts";
import type { JobServices } from "../jobs/job_services.ts";
import { within } from "../../../base/async/within.ts";
import { deferred } from "../../../base/async/deferred.ts";
import { jobReturns } from "../../../model/event/tag.ts";
import { parseInput } from "../../../model/job/args.ts";
import { publishJob } from "../jobs/publication.ts";
import { callsOf, scopeOf } from "../access/authorize_publication.ts";
import { carriedNames } from "../access/carried.ts";
import { publishFault } from "../access/publish_load.ts";
import { joinPath } from "../../../base/paths.ts";
import { isPlainJid } from "../../../model/job/jid.ts";
import { decode, Packed, unpack } from "../../../protocol/wire/msgpack.ts";
import { asksPillar, exactTarget } from "../../../model/target/exact.ts";
import type { Expansion } from "../../../model/target/expand.ts";
import { isRecord, type Load } from "../load.ts";
import type { MasterServices } from "../services.ts";

type Services = JobServices & AccessServices & Pick<MasterServices, "cache" | "keyAdmin" | "rotateMasterKey">;

/** The longest that a minion may wait for the job or runner that it has asked for, in seconds. */
export const MAX_WAIT_SECONDS = 3600;

const text = (value: unknown) => typeof value === "string" ? value : "";

/**
 * Expands the target of a minion's request. Pillar is matched exactly, and the job is then sent to a list of names: the minions would
 * match a pattern themselves, and the set of those that answer would reveal pillar to the asking minion.
 */
function targetOf(services: Services, load: Load): Expansion & { tgt: unknown; tgt_type: string } {
  const { nodegroups } = services.opts;
  const target = { tgt: load.tgt, tgt_type: text(load.tgt_type) || "glob" };
  if (!asksPillar(target, nodegroups)) return { ...services.expand(target), ...target };
  // Without the cache of minion data the master knows no pillar, and a compound target would mean every minion.
  const found: Expansion = services.opts.minion_data_cache
    ? services.expand(exactTarget(target, nodegroups), { greedy: false })
    : { minions: [], missing: [] };
  const accepted = new Set(services.keys.list("accepted"));
  const minions = found.minions.filter((id) => accepted.has(id));
  return { ...found, minions, tgt: minions, tgt_type: "list" };
}

/**
 * The command `minion_pub`: a minion asks for a job on other minions, as far as `peer` permits.
 *
 * @see salt/daemons/masterapi.py RemoteFuncs.minion_pub
 */
export async function minionPub(services: Services, load: Load): Promise<unknown> {
  const { id, fun, arg } = load;
  if (
    typeof id !== "string" || typeof fun !== "string" || arg === undefined || load.tgt === undefined ||
    load.ret === undefined
  ) {
    return {};
  }
  const refused = (reason: string) => {
    services.log.warning("publication of a minion refused", { id, fun, reason });
    return {};
  };
  const notAllowed = (fields: Record<string, unknown> = {}) => {
    services.log.warning("publication of a minion refused by the peer option", { id, fun, ...fields });
    return {};
  };
  const functions = fun.split(/ *, */);
  if (functions.some((name) => name.startsWith("publish."))) return refused("its function would publish again");
  const compound = functions.length > 1;
  const words = Array.isArray(arg) ? arg : [arg];
  // If there are several functions, the arguments of each are one text, as in Salt.
  const args = compound
    ? words.map((part) => typeof part === "string" ? part.split(/\s+/).filter((word) => word !== "") : [part].flat())
    : parseArgs(words);
  const job = { fun: compound ? functions : functions[0], arg: args, tgt: load.tgt };
  const fault = publishFault(job);
  if (fault !== undefined) return refused(fault);
  const permissions = services.rules.ofMinion(services.opts.peer, id);
  const calls = callsOf(job);
  const might = { minions: [""], expand: () => [""] };
  if (!services.rules.minionMayPublish(permissions, calls, might)) return notAllowed();
  const returners = carriedNames(text(load.ret));
  if (returners.length > 0 && !services.rules.mayCarry(permissions, "ret", returners)) {
    return notAllowed({ ret: returners, remedy: '{"@publish": [ret]}' });
  }
  const { minions, missing, tgt, tgt_type } = targetOf(services, load);
  const scope = scopeOf(services, minions);
  if (!services.rules.minionMayPublish(permissions, calls, scope)) return notAllowed();
  const published = await publishJob(
    services,
    {
      tgt,
      tgt_type,
      fun: job.fun,
      arg: args,
      ret: returners.join(","),
      // The job runs under the master's user, as in Salt; the field `id` of the load names the minion that asked.
      user: services.runtime.host.user().name,
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

/** Words `name=value` are keyword arguments, as on the command line; values that are not text stay as they are. */
export function parseWords(words: readonly unknown[]): { positional: unknown[]; keyword: Record<string, unknown> } {
  const keyword: Record<string, unknown> = {};
  const positional: unknown[] = [];
  for (const word of words) {
    for (const parsed of typeof word === "string" ? parseInput([word]) : [word]) {
      if (isRecord(parsed) && parsed.__kwarg__ === true) Object.assign(keyword, parsed);
      else positional.push(parsed);
    }
  }
  return { positional, keyword };
}

function parseArgs(words: readonly unknown[]): unknown[] {
  const { positional, keyword } = parseWords(words);
  return Object.keys(keyword).length === 0 ? positional : [...positional, keyword];
}

/**
 * The command `minion_publish`: like `minion_pub`, but the answer has the returns: minion → return, or with `form: full`
 * minion → the whole return that it sent, and the jid under `__jid__`.
 */
export async function minionPublish(services: Services, load: Load): Promise<unknown> {
  const { bus, runtime: { clock } } = services;
  const seconds = Math.min(Number(load.timeout ?? load.tmo ?? 5), MAX_WAIT_SECONDS);
  if (!Number.isFinite(seconds)) return {};
  const events: { tag: string; data: Record<string, unknown> }[] = [];
  const found = new Map<string, Record<string, unknown>>();
  const all = deferred<void>();
  let hear = (event: { tag: string; data: Record<string, unknown> }) => void events.push(event);
  const off = bus.on((event) => {
    if (event.tag.includes("/ret/")) hear({ tag: event.tag, data: event.data });
  });
  try {
    const published = await minionPub(services, load) as { jid?: string; minions?: readonly string[] };
    if (published.jid === undefined) return {};
    const { jid, minions = [] } = published;
    const prefix = jobReturns(jid);
    hear = ({ tag, data }) => {
      if (!tag.startsWith(prefix)) return;
      found.set(tag.slice(prefix.length), data);
      if (minions.every((id) => found.has(id))) all.resolve();
    };
    for (const event of events.splice(0)) hear(event);
    if (minions.length > 0) await within(clock, seconds * 1000, undefined, all.promise);
    const answer = new Map<string, unknown>();
    for (const [id, { return: packed, ...rest }] of found) {
      const ret = packed instanceof Packed ? unpack(packed, "bin") : packed;
      answer.set(id, load.form === "full" ? { ...rest, ret } : ret);
    }
    if (load.form === "full") answer.set("__jid__", jid);
    return answer;
  } finally {
    off();
  }
}

/** The command `pub_ret`: answers with the returns of a job, only to the minion that asked for the job. */
export async function publishedReturns(services: Services, load: Load): Promise<unknown> {
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

/** The command `revoke_auth`: a minion asks for its own key to be deleted. */
export async function revokeAuth(services: Services, load: Load): Promise<unknown> {
  if (!services.opts.allow_minion_key_revoke) {
    services.log.warning("a minion asked to have its key deleted, but allow_minion_key_revoke is off", { id: load.id });
    return load;
  }
  if (typeof load.id !== "string") return false;
  const pem = services.keys.read("accepted", load.id);
  services.keys.remove("accepted", load.id);
  const admin = services.keyAdmin.as({ user: load.id, via: "minion" });
  if (pem !== undefined) admin.note("delete", load.id, "accepted", pem);
  await admin.saved();
  if (!services.opts.preserve_minion_cache && load.preserve_minion_cache !== true) services.cache.forget(load.id);
  services.log.info("key deleted at the minion's request", { id: load.id });
  // The removed minion still knows the publication key.
  if (services.opts.rotate_aes_key) services.rotateMasterKey();
  return true;
}
