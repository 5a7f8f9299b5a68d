import { messageOf, TimeoutError } from "../../errors.ts";
import { moduleNamed } from "../../loader/custom.ts";
import type { ReturnerContext, ReturnerRegistry } from "../../loader/family.ts";

/** The names of the returners that a return goes to: the publication's, then the minion's own. */
export function returnerNames(load: Record<string, unknown>, opts: Record<string, unknown>): string[] {
  const listed = [load.ret, opts.return].flat().flatMap((one) => typeof one === "string" ? one.split(",") : []);
  return [...new Set(listed.map((name) => name.trim()).filter((name) => name !== ""))];
}

/** Fields that a return has on its way to the master, and that mean nothing elsewhere. */
const OF_THE_WAY: ReadonlySet<string> = new Set(["cmd", "nonce", "sig", "tok", "ts"]);

export interface CallReturnersOptions {
  /** A returner that is not done by then has failed. @default 60000 */
  timeoutMs?: number;
}

async function callOne(
  registry: ReturnerRegistry,
  context: ReturnerContext,
  name: string,
  ret: Record<string, unknown>,
): Promise<void> {
  const disabled = context.opts.disable_returners;
  if (Array.isArray(disabled) && disabled.includes(name)) throw new RangeError("It is one of disable_returners");
  const returner = await moduleNamed(registry, "returner", name);
  if (returner === undefined) {
    throw new RangeError(`There is no such returner: expected one of ${Object.keys(registry).join(", ")}`);
  }
  const usable = returner.virtual?.(context) ?? true;
  if (usable !== true) throw new Error(`It cannot be used on this host: ${usable.unavailable}`);
  await returner.returner(context, ret);
}

/**
 * Hands a return to returners, one after the other. One that fails, is not there or takes too long is logged, and the
 * others are still asked: the master gets the return in any case. Never rejects.
 *
 * @param ret as it goes to the master, its value unpacked
 */
export async function callReturners(
  registry: ReturnerRegistry,
  context: ReturnerContext,
  names: readonly string[],
  ret: Record<string, unknown>,
  { timeoutMs = 60_000 }: CallReturnersOptions = {},
): Promise<void> {
  const plain = Object.fromEntries(Object.entries(ret).filter(([key]) => !OF_THE_WAY.has(key)));
  for (const name of names) {
    let cancel = () => {};
    const late = new Promise<never>((_resolve, reject) => {
      cancel = context.runtime.clock.after(timeoutMs, () => {
        reject(new TimeoutError(`It has not ended after ${timeoutMs / 1000} seconds`));
      });
    });
    try {
      await Promise.race([callOne(registry, context, name, plain), late]);
    } catch (error) {
      context.log.error("a returner did not take a return", {
        returner: name,
        jid: ret.jid,
        fun: ret.fun,
        error: messageOf(error),
      });
    } finally {
      cancel();
    }
  }
}
