import { messageOf, TimeoutError } from "../../errors.ts";
import type { Context } from "../../loader/context.ts";
import { moduleNamed } from "../../loader/module_named.ts";
import { withCustomReturners } from "../../loader/custom_returners.ts";
import type { ReturnerContext, ReturnerRegistry } from "../../loader/family.ts";
import { type Packed, unpack } from "../../wire/msgpack.ts";

/** The names of the returners that a return goes to: those of the publication, then those of the minion. */
export function returnerNames(load: Record<string, unknown>, opts: Record<string, unknown>): string[] {
  // Scheduled jobs have their own, and `schedule_returner`.
  const listed = [load.ret, load.schedule === undefined ? opts.return : []].flat().flatMap((one) =>
    typeof one === "string" ? one.split(",") : []
  );
  return [...new Set(listed.map((name) => name.trim()).filter((name) => name !== ""))];
}

/** Fields of a return that only its master needs. */
const FOR_MASTER: ReadonlySet<string> = new Set(["cmd", "nonce", "sig", "tok", "ts"]);

export interface CallReturnersOptions {
  /** Time that one returner may take, in milliseconds. @default 60000 */
  timeoutMs?: number;
}

async function callOne(
  registry: ReturnerRegistry,
  context: ReturnerContext,
  name: string,
  ret: Record<string, unknown>,
): Promise<void> {
  const disabled = context.opts.disable_returners;
  if (Array.isArray(disabled) && disabled.includes(name)) throw new RangeError("It is disabled by disable_returners");
  const returner = await moduleNamed(registry, "returner", name);
  if (returner === undefined) {
    throw new RangeError(`Unknown returner: expected one of ${Object.keys(registry).join(", ")}`);
  }
  const usable = returner.virtual?.(context) ?? true;
  if (usable !== true) throw new Error(`It cannot be used on this host: ${usable.unavailable}`);
  await returner.returner(context, ret);
}

/**
 * Calls returners with a return, one after the other. One that fails, does not exist or takes too long is logged, and the
 * others are still called: the master gets the return in any case. Never rejects.
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
  const plain = Object.fromEntries(Object.entries(ret).filter(([key]) => !FOR_MASTER.has(key)));
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
      context.log.error("returner failed", {
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

/** Sends each return to the returners of its job and of the minion, custom ones among them; never rejects. */
export function returnerSender(
  returners: ReturnerRegistry,
  context: Context,
): (load: Record<string, unknown>, ret: Record<string, unknown>) => Promise<void> {
  return async (load, ret) => {
    const names = returnerNames(load, context.opts);
    if (names.length === 0) return;
    const plain = { ...ret, return: unpack(ret.return as Packed, "wire") };
    await callReturners(withCustomReturners(returners, context), returnerContext(context, load), names, plain);
  };
}

/** What the returners of one job are called with: `--return-config` and `--return-kwargs` are those of its publication. */
function returnerContext({ runtime, log, opts }: Context, load: Record<string, unknown>): ReturnerContext {
  const { ret_config, ret_kwargs } = load;
  return {
    runtime,
    log: log.child("returner"),
    opts,
    ...(typeof ret_config === "string" && ret_config !== "" ? { retConfig: ret_config } : {}),
    ...(typeof ret_kwargs === "object" && ret_kwargs !== null
      ? { retKwargs: ret_kwargs as Record<string, unknown> }
      : {}),
  };
}
