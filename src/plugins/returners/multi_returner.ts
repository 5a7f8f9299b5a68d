import { messageOf } from "../../base/errors.ts";
import { withCustomReturners } from "../../model/loader/custom_returners.ts";
import type { ReturnerContext, ReturnerModule, ReturnerRegistry } from "../../model/loader/family.ts";
import { STORES } from "./stores.ts";

const OPTION = "multi_returner";

type Named = [name: string, returner: ReturnerModule];
type Publication = [jid: string, load: Record<string, unknown>];

/** Yields the publications of several lists, each of them newest first, as one such list: of a jid, what the last one has. */
async function* merged(lists: AsyncIterable<Publication>[]): AsyncIterable<Publication> {
  const iterators = lists.map((list) => list[Symbol.asyncIterator]());
  const heads = await Promise.all(iterators.map((one) => one.next()));
  try {
    for (;;) {
      const open = heads.filter((head) => !head.done).map(({ value }) => value as Publication);
      if (open.length === 0) return;
      const newest = open.reduce((jid, [other]) => other > jid ? other : jid, "");
      yield [newest, open.findLast(([jid]) => jid === newest)![1]];
      for (const [at, head] of heads.entries()) {
        if (!head.done && head.value[0] === newest) heads[at] = await iterators[at]!.next();
      }
    }
  } finally {
    for (const one of iterators) await one.return?.();
  }
}

/**
 * Gives each return to the returners that the option `multi_returner` lists, and reads jobs from all of them; what several have is
 * that of the last.
 *
 * @see salt/returners/multi_returner.py
 */
export function multiReturner(
  registry: (context: ReturnerContext) => ReturnerRegistry,
): Required<Pick<ReturnerModule, "returner" | "saveLoad" | "getLoad" | "getJid" | "getJids" | "close">> {
  const loaded = new Set<ReturnerModule>();

  async function listed(context: ReturnerContext): Promise<Named[]> {
    const names = context.opts[OPTION];
    if (!Array.isArray(names) || names.length === 0) {
      throw new TypeError(`Cannot use ${OPTION}: set it to a list of returners`);
    }
    const known = registry(context);
    return await Promise.all(
      names.map(String).map(async (name): Promise<Named> => {
        if (!Object.hasOwn(known, name)) {
          throw new RangeError(`Cannot use "${name}" in ${OPTION}: expected some of ${Object.keys(known).join(", ")}`);
        }
        const { returner } = await known[name]!();
        loaded.add(returner);
        return [name, returner];
      }),
    );
  }

  /** One after the other. One that fails does not keep the others from the return. */
  async function each(context: ReturnerContext, work: (returner: ReturnerModule) => Promise<void>): Promise<void> {
    const failures: string[] = [];
    for (const [name, returner] of await listed(context)) {
      try {
        await work(returner);
      } catch (error) {
        failures.push(`${name}: ${messageOf(error)}`);
      }
    }
    if (failures.length > 0) throw new Error(failures.join("; "));
  }

  /** Those that jobs can be read from. */
  async function readable(
    context: ReturnerContext,
  ): Promise<Required<Pick<ReturnerModule, "getLoad" | "getJid" | "getJids">>[]> {
    const found = (await listed(context)).flatMap(([, { getLoad, getJid, getJids }]) =>
      getLoad !== undefined && getJid !== undefined && getJids !== undefined ? [{ getLoad, getJid, getJids }] : []
    );
    if (found.length === 0) throw new TypeError(`Cannot read jobs from ${OPTION}: all of its returners only write`);
    return found;
  }

  return {
    returner: (context, ret) => each(context, (one) => one.returner(context, ret)),
    saveLoad: (context, jid, load, minions) =>
      each(context, async (one) => await one.saveLoad?.(context, jid, load, minions)),
    async getLoad(context, jid) {
      const loads = await Promise.all((await readable(context)).map(({ getLoad }) => getLoad(context, jid)));
      return loads.some((load) => load !== undefined) ? Object.assign({}, ...loads) : undefined;
    },
    async getJid(context, jid) {
      const returns = await Promise.all((await readable(context)).map(({ getJid }) => getJid(context, jid)));
      return Object.fromEntries(returns.flatMap((some) => Object.entries(some)));
    },
    async *getJids(context) {
      yield* merged((await readable(context)).map(({ getJids }) => getJids(context)));
    },
    async close() {
      for (const one of loaded) await one.close?.();
      loaded.clear();
    },
  };
}

export const returner: ReturnerModule = multiReturner((context) => withCustomReturners(STORES, context));
