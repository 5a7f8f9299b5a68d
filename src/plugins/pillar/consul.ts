import { urlSegment } from "../../model/config/url.ts";
import { messageOf } from "../../base/errors.ts";
import type { ExtPillar, PillarContext } from "../../model/loader/ext_pillar.ts";
import { type AnyMap, entriesOf, isMap, lookup, str, truthy } from "../../language/python/values.ts";
import { percentFormat } from "../../language/python/percent_format.ts";
import { compileGroups } from "../../language/python/regexp.ts";
import { traverse } from "../../language/python/traverse.ts";
import { update } from "../../language/python/update.ts";
import { parseOrderedYaml } from "../../language/yaml/ordered.ts";
import { answerOf } from "./http.ts";

interface Configuration {
  target: string | undefined;
  root: string;
  pillarRoot: string;
  profile: string | undefined;
  expandKeys: boolean;
}

/** The words of `my_consul root=/x pillar_root=y target="web*" expand_keys=false`, in any order. */
function configurationOf(text: string): Configuration {
  let rest = text;
  const take = (pattern: RegExp): string | undefined => {
    const found = pattern.exec(rest);
    if (found !== null) rest = rest.replace(found[0], () => "");
    return found === null ? undefined : found[1] ?? found[0];
  };
  const target = take(/target="(.*?)"/);
  const root = take(/(?<!_)root=(\S*)/)?.replace(/\/+$/, "") ?? "";
  const pillarRoot = take(/pillar_root=(\S*)/)?.replace(/\/+$/, "") ?? "";
  const profile = take(/(?:profile=)?(\S+)/);
  return { target, root, pillarRoot, profile, expandKeys: take(/expand_keys=False/i) === undefined };
}

/** The root with the minion's own values. Each of those is one part of the path, so that no minion reads another's. */
function rootFor({ id, grains }: PillarContext, root: string): string {
  const values: Record<string, unknown> = { minion_id: id };
  for (const name of ["role", "environment"]) values[name] = traverse(grains, name) ?? null;
  for (const [, name] of root.matchAll(/%\((\w+)\)/g)) urlSegment(str(values[name!] ?? null));
  return percentFormat(root, new Map(Object.entries(values)));
}

/** The data center: a text, or the one whose pattern fits the environment of the pillar, the longest pattern first. */
function dataCenter(dc: unknown, env: string): string | undefined {
  if (!isMap(dc)) return truthy(dc ?? null) ? str(dc) : undefined;
  const patterns = entriesOf(dc).map(([pattern, target]) => [str(pattern), str(target)] as const)
    .sort(([a], [b]) => b.length - a.length || (a < b ? -1 : 1));
  for (const [pattern, target] of patterns) {
    for (const { named } of compileGroups(pattern).find(env, { anchored: true })) {
      return target.replace(/\{(\w+)\}/g, (whole, name) => named.get(name) ?? whole);
    }
  }
  return undefined;
}

/** What is below a path of the store, the last key first; undefined if there is nothing. */
async function itemsOf(
  context: PillarContext,
  path: string,
  conf: AnyMap,
): Promise<{ Key: string; Value: string | null }[]> {
  const option = (name: string) => lookup(conf, `consul.${name}`);
  const scheme = str(option("scheme") ?? "http");
  if (scheme !== "http" && scheme !== "https") {
    throw new Error(`Cannot use consul.scheme "${scheme}": expected http or https`);
  }
  for (const name of ["verify", "cert"]) {
    if (![undefined, null, true].includes(option(name) as undefined)) {
      throw new Error(`Cannot use consul.${name}: it is not supported`);
    }
  }
  const address = new URL(`${scheme}://${str(option("host") ?? "127.0.0.1")}:${str(option("port") ?? 8500)}`);
  const key = path === "" ? "" : `${path}/`;
  address.pathname = `/v1/kv/${key.split("/").map(encodeURIComponent).join("/")}`;
  address.searchParams.set("recurse", "1");
  const dc = dataCenter(option("dc"), truthy(context.pillarenv ?? null) ? context.pillarenv! : "base");
  if (dc !== undefined) address.searchParams.set("dc", dc);
  const consistency = option("consistency");
  if (consistency === "consistent" || consistency === "stale") address.searchParams.set(consistency, "1");
  const token = option("token");
  const { response, text } = await answerOf(
    context,
    address,
    new Headers(token === undefined ? {} : { "x-consul-token": str(token) }),
  );
  if (response.status === 404) return [];
  if (!response.ok) throw new Error(`${address.origin} answered ${response.status} ${response.statusText}`.trimEnd());
  try {
    return (JSON.parse(text) as { Key: string; Value: string | null }[]).reverse();
  } catch (error) {
    throw new Error(`${address.origin} did not return JSON`, { cause: error });
  }
}

function valueOf(base64: string, expand: boolean, key: string, { log }: PillarContext): unknown {
  const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  if (!expand) return bytes;
  try {
    return parseOrderedYaml(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    log.error("consul: a value is not YAML", { key, error: messageOf(error) });
    throw new Error(`Cannot use the value of "${key}": it is not YAML`, { cause: error });
  }
}

/**
 * The keys below a path of Consul's store as nested maps, their values read as YAML. Options: `consul.host`, `.port`, `.scheme`, `.token`,
 * `.dc`, `.consistency`, under the option that the configuration names first.
 *
 * @see salt/pillar/consul_pillar.py
 */
export const pillar: ExtPillar = {
  signature: "conf",
  neverOnDemand: "it reads any key with the token of the master",
  async run(context, { conf: text }) {
    const { target, root: pattern, pillarRoot, profile, expandKeys } = configurationOf(str(text));
    if (target !== undefined && !context.matches(target, "compound")) return {};
    const { opts } = context;
    const inherited = isMap(opts.pillar) ? opts.pillar : {};
    const named = profile === undefined ? undefined : opts[profile] ?? lookup(inherited, profile) ?? {};
    const conf: AnyMap = profile === undefined
      ? new Map([...entriesOf(inherited), ...Object.entries(opts)])
      : isMap(named)
      ? named
      : {};
    const root = rootFor(context, pattern);
    if (root.startsWith("/")) throw new Error(`Cannot use root=${root}: keys of Consul do not begin with a slash`);
    let tree: Map<unknown, unknown> = new Map();
    for (const { Key: name, Value: value } of await itemsOf(context, root, conf)) {
      const key = name.startsWith(root) ? name.slice(root.length).replace(/^\//, "") : name;
      if (key.endsWith("/") || value === null) continue;
      const data = valueOf(value, expandKeys, name, context);
      const branch = key.split("/").reduceRight<unknown>((inner, part) => new Map([[part, inner]]), data);
      tree = update(tree, branch as AnyMap);
    }
    if (pillarRoot === "") return tree;
    return pillarRoot.split("/").reduceRight<unknown>((inner, part) => new Map([[part, inner]]), tree);
  },
};
