import { deferred } from "../../base/async/deferred.ts";
import type { ReactionCall } from "./reaction_call.ts";

/** The ids of the minions that jobs are for; undefined if they are not known here. */
type OrderTargets = ReadonlySet<string> | undefined;

/** Work in progress for some minions. */
interface Underway {
  targets: OrderTargets;
  over: Promise<void>;
}

/** The minions that calls are for; empty for calls on the master itself. */
export function orderTargetsOf(calls: readonly ReactionCall[]): OrderTargets {
  const ids = new Set<string>();
  for (const { job } of calls) {
    if (job === undefined) continue;
    const { tgt, tgt_type = Array.isArray(tgt) ? "list" : "glob" } = job;
    if (tgt_type === "list") { for (const id of Array.isArray(tgt) ? tgt : tgt.split(",")) ids.add(id.trim()); }
    else if (tgt_type === "glob" && typeof tgt === "string" && !/[*?[]/.test(tgt)) ids.add(tgt);
    else return undefined;
  }
  return ids;
}

/** Allows work for different minions at the same time, and keeps the order of work for the same minion. */
export class TargetOrder {
  readonly #underway = new Set<Underway>();

  /**
   * Begins work for some minions.
   *
   * @returns `ready`, which resolves when no earlier work for any of these minions is in progress, and `leave`, which ends the work
   */
  enter(targets: OrderTargets): { ready: Promise<unknown>; leave(): void } {
    const before = [...this.#underway].filter((one) => overlap(one.targets, targets)).map(({ over }) => over);
    const over = deferred<void>();
    const own: Underway = { targets, over: over.promise };
    this.#underway.add(own);
    return {
      ready: Promise.all(before),
      leave: () => {
        this.#underway.delete(own);
        over.resolve();
      },
    };
  }

  /** Resolves once all work that is in progress now has ended. */
  async settled(): Promise<void> {
    await Promise.all([...this.#underway].map(({ over }) => over));
  }
}

function overlap(one: OrderTargets, other: OrderTargets): boolean {
  if (one === undefined) return other === undefined || other.size > 0;
  if (other === undefined) return one.size > 0;
  for (const id of one) if (other.has(id)) return true;
  return false;
}
