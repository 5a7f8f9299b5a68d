import type { Client as LdapClient, Entry } from "ldapts";
import { messageOf } from "../../base/errors.ts";
import { Lazy } from "../../language/jinja/mod.ts";
import type { ExtPillar, PillarContext } from "../../model/loader/ext_pillar.ts";
import { type AnyMap, entriesOf, isMap, lookup, repr, str, truthy } from "../../language/python/values.ts";
import { parseOrderedYaml } from "../../language/yaml/ordered.ts";

const LIMIT_MS = 15_000;
/** The most entries that one search may find. */
const MOST_ENTRIES = 10_000;
/** The largest configuration. */
const MAX_BYTES = 1024 * 1024;
const SCOPES = ["base", "one", "sub"] as const;
/** Texts that mean nothing but themselves in YAML, in a filter and in a distinguished name. */
const HARMLESS = /^[\w.@:/ -]*$/;

/** A value of the minion for the configuration, checked when it is used: it could say where the password is sent. */
function checked(name: string, value: unknown): Lazy {
  const check = (item: unknown): unknown => {
    if (Array.isArray(item)) return item.map(check);
    if (isMap(item)) return new Map(entriesOf(item).map(([key, inner]) => [check(key), check(inner)]));
    if (typeof item !== "string" || HARMLESS.test(item)) return item;
    throw new Error(`Cannot use the grain ${name}: it has characters that could change the configuration`);
  };
  return new Lazy(() => check(value));
}

/** What the configuration file has; undefined if it cannot be used, which is logged. */
async function configurationOf(context: PillarContext, path: string): Promise<AnyMap | undefined> {
  const { id, grains, log, runtime: { fs } } = context;
  const { kind, size = 0 } = fs.stat(path) ?? {};
  if (kind !== "file" || size > MAX_BYTES) {
    log.error("pillar_ldap: no such file, or it is too large", { path, kind, size });
    return undefined;
  }
  const names = Object.fromEntries(
    Object.entries({ ...grains, id }).map(([name, value]) => [name, checked(name, value)]),
  );
  let data: unknown;
  try {
    data = parseOrderedYaml(await context.template(fs.readText(path), path, { names, load: () => undefined }));
  } catch (error) {
    log.error("pillar_ldap: the configuration cannot be used", { path, error: (error as Error).name });
    return undefined;
  }
  if (isMap(data) && lookup(data, "search_order") !== undefined) return data;
  log.error("pillar_ldap: expected a map with search_order", { path });
  return undefined;
}

async function connected(conf: AnyMap): Promise<LdapClient> {
  const { Client } = await import("ldapts");
  const url = `ldap://${str(lookup(conf, "server") ?? "localhost")}:${str(lookup(conf, "port") ?? 389)}`;
  const client = new Client({ url, timeout: LIMIT_MS, connectTimeout: LIMIT_MS });
  if (truthy(lookup(conf, "tls") ?? false)) await client.startTLS();
  const [user, password] = [lookup(conf, "binddn"), lookup(conf, "bindpw")];
  if (truthy(user ?? null) && truthy(password ?? null)) await client.bind(str(user), str(password));
  return client;
}

const namesOf = (conf: AnyMap, option: string) => [lookup(conf, option) ?? []].flat().map(str);

/** The entries that a search finds; none if it fails, as in Salt: that is logged. */
async function search({ log, opts }: PillarContext, source: string, conf: AnyMap): Promise<Entry[]> {
  const filter = lookup(conf, "filter");
  if (filter === undefined) throw new Error(`Cannot search for "${source}": it has no filter`);
  const attributes = [...namesOf(conf, "lists"), ...namesOf(conf, "attrs"), str(lookup(conf, "dict_key_attr") ?? "dn")];
  let client: LdapClient | undefined;
  try {
    client = await connected(conf);
    const found = await client.search(str(lookup(conf, "dn") ?? opts["ldap.basedn"] ?? ""), {
      scope: SCOPES[Number(lookup(conf, "scope") ?? opts["ldap.scope"] ?? 2)] ?? "sub",
      filter: str(filter),
      attributes,
      explicitBufferAttributes: attributes,
      sizeLimit: MOST_ENTRIES,
    });
    return found.searchEntries;
  } catch (error) {
    log.critical("pillar_ldap: a search failed", { source, error: `${(error as Error).name}: ${messageOf(error)}` });
    return [];
  } finally {
    await client?.unbind().catch(() => {});
  }
}

/** The values of an attribute as bytes, as Salt has them. */
const valuesOf = (entry: Entry, name: string): Uint8Array[] =>
  [entry[name] ?? []].flat().map((value) =>
    typeof value === "string" ? new TextEncoder().encode(value) : new Uint8Array(value)
  );

/** An entry as a map: of `attrs` the last value, of `lists` all. */
function recordOf(entry: Entry, conf: AnyMap): Map<string, unknown> {
  const [attrs, lists] = [namesOf(conf, "attrs"), namesOf(conf, "lists")];
  const record = new Map<string, unknown>();
  if (attrs.includes("dn") || attrs.includes("distinguishedName")) record.set("dn", entry.dn);
  for (const name of Object.keys(entry)) {
    const values = name === "dn" ? [] : valuesOf(entry, name);
    if (values.length === 0) continue;
    if (attrs.includes(name)) record.set(name, values.at(-1));
    if (lists.includes(name)) record.set(name, values);
  }
  return record;
}

/** What the entries are under the name of their search: a list, or a map by an attribute. */
function resultOf(source: string, entries: readonly Entry[], conf: AnyMap): unknown {
  const mode = lookup(conf, "mode") ?? "split";
  if (mode === "map") return entries.map((entry) => recordOf(entry, conf));
  if (mode !== "dict") throw new Error(`Cannot use the mode ${repr(mode)} of "${source}": expected map or dict`);
  const key = str(lookup(conf, "dict_key_attr") ?? "dn");
  const result = new Map<string, unknown[]>();
  for (const entry of entries) {
    const texts = valuesOf(entry, key).map((value) => new TextDecoder().decode(value)).sort();
    const name = key === "dn" || key === "distinguishedName" ? entry.dn : texts.join(",");
    result.set(name, [...result.get(name) ?? [], recordOf(entry, conf)]);
  }
  return result;
}

/**
 * What searches in a directory find, under their names: a file says how, a template that sees the minion's grains.
 *
 * @see salt/pillar/pillar_ldap.py
 */
export const pillar: ExtPillar = {
  signature: "config_file",
  neverOnDemand: "it reads any file of the master",
  async run(context, { config_file: path }) {
    const conf = await configurationOf(context, str(path));
    const pillar = new Map<unknown, unknown>();
    if (conf === undefined) return pillar;
    for (const source of namesOf(conf, "search_order")) {
      const own = lookup(conf, source);
      if (!isMap(own)) throw new Error(`Cannot search for "${source}": the configuration has no such map`);
      const entries = await search(context, source, own);
      if (entries.length > 0) pillar.set(source, resultOf(source, entries, own));
    }
    return pillar;
  },
};
