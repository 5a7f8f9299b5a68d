import type { Pool } from "../../base/async/pool.ts";
import { messageOf } from "../../base/errors.ts";
import type { ExtPillar, ExtPillarRegistry, PillarContext } from "../../model/loader/ext_pillar.ts";
import { bindArguments, parseSignature } from "../../model/loader/signature.ts";
import type { Logger } from "../../base/log.ts";
import { type AnyMap, entriesOf, isMap, sizeOf, str } from "../../language/python/values.ts";
import { merge } from "../../language/python/merge_strategy.ts";
import type { PillarOptions } from "./options.ts";
import { topKind } from "./top.ts";

interface ExtPillarScope {
  registry: ExtPillarRegistry;
  options: PillarOptions;
  log: Logger;
  /** Limits the external pillars that run at the same time, for all minions together. */
  pool: Pool;
  /** External pillars that the minion requests in addition to the configured ones: one map of name → arguments. */
  onDemand: unknown;
  context(pillar: AnyMap): PillarContext;
}

/** The external pillars that the minion requests; undefined if one is not allowed. */
async function allowedOnDemand({ onDemand, options, registry, log }: ExtPillarScope): Promise<AnyMap | undefined> {
  if (onDemand === undefined || onDemand === null || (isMap(onDemand) && sizeOf(onDemand) === 0)) return undefined;
  if (!isMap(onDemand)) {
    log.error("pillar that a minion asked for is refused (on_demand_ext_pillar)", {
      why: `it is ${topKind(onDemand)}: expected a map`,
    });
    return undefined;
  }
  for (const [name] of entriesOf(onDemand)) {
    const known = Object.hasOwn(registry, str(name)) ? (await registry[str(name)]!()).pillar : undefined;
    const why = !options.onDemand.includes(str(name)) ? "it is not in on_demand_ext_pillar" : known?.neverOnDemand;
    if (why === undefined) continue;
    log.error("pillar that a minion asked for is refused (on_demand_ext_pillar)", { name: str(name), why });
    return undefined;
  }
  return onDemand;
}

async function call(name: string, pillar: ExtPillar, value: unknown, context: PillarContext): Promise<unknown> {
  const positional = isMap(value) ? [] : Array.isArray(value) ? value : [value];
  const keyword = isMap(value) ? new Map(entriesOf(value).map(([key, item]) => [str(key), item])) : new Map();
  const args = bindArguments(name, parseSignature(pillar.signature), positional, keyword);
  return await pillar.run(context, args);
}

/**
 * Merges the results of external pillars over a pillar, one after the other.
 *
 * @see salt/pillar/__init__.py Pillar.ext_pillar
 */
export async function addExtPillars(
  start: AnyMap,
  scope: ExtPillarScope,
): Promise<{ pillar: AnyMap; errors: string[] }> {
  const { registry, options, log, pool } = scope;
  const errors: string[] = [];
  if (!Array.isArray(options.extPillar)) return { pillar: start, errors: [MALFORMED] };
  const asked = await allowedOnDemand(scope);
  let pillar = start;
  for (const entry of [...options.extPillar, ...asked === undefined ? [] : [asked]]) {
    if (!isMap(entry)) return { pillar: {}, errors: [...errors, MALFORMED] };
    const calls = entriesOf(entry).map(([name, value]): [string, unknown] => [str(name), value]);
    if (calls.length > 0 && options.excludedExtPillars.includes(calls[0]![0])) continue;
    let data: unknown;
    for (const [name, value] of calls) {
      if (!Object.hasOwn(registry, name)) {
        log.critical("external pillar is not available here", { name, available: Object.keys(registry).join(", ") });
        continue;
      }
      try {
        const module = (await registry[name]!()).pillar;
        data = await pool.run(() => call(name, module, value, scope.context(pillar)));
        if (data !== null && data !== undefined && !isMap(data)) {
          throw new TypeError(`it returned ${topKind(data)}: expected a map`);
        }
      } catch (error) {
        data = undefined;
        log.error("external pillar failed", { name, error: messageOf(error) });
        errors.push(`Failed to load ext_pillar ${name}: ${messageOf(error)}`);
      }
    }
    if (isMap(data)) pillar = merge(pillar, data, options.rules);
  }
  return { pillar, errors };
}

const MALFORMED = 'The "ext_pillar" option is malformed';
