import { within } from "../../../base/async/within.ts";
import { messageOf, TimeoutError } from "../../../base/errors.ts";
import type { Context, ReturnerContext, ReturnerModule, ReturnerRegistry } from "../../../model/loader/family.ts";
import { moduleNamed } from "../../../model/loader/loaded_file.ts";
import { withCustomReturners } from "../../../model/loader/custom_returners.ts";
import { isRecord } from "../../../base/record.ts";
import { type Packed, unpack } from "../../../protocol/wire/msgpack.ts";

/** Returns the names of the returners that a return goes to: those of the publication, then those of the minion. */
export function returnerNames(load: Record<string, unknown>, opts: Record<string, unknown>): string[] {
  // Scheduled jobs have their own returners, and those of `schedule_returner`.
  const listed = [load.ret, load.schedule === undefined ? opts.return : []].flat().flatMap((one) =>
    typeof one === "string" ? one.split(",") : []
  );
  return [...new Set(listed.map((name) => name.trim()).filter((name) => name !== ""))];
}

/** The fields of a return that only its master needs. */
const FOR_MASTER: ReadonlySet<string> = new Set(["cmd", "nonce", "sig", "tok", "ts"]);

interface CallReturnersOptions {
  /**
   * `return_kwargs_allowed`: the options, such as `redis.db` or `redis.*`, that `retKwargs` may set although they name a place or a secret.
   * @default anything, for `retKwargs` of this host's own configuration
   */
  allowed?: readonly unknown[];
  /** How long one returner may take, in milliseconds. @default 60000 */
  timeoutMs?: number;
}

async function callOne(
  registry: ReturnerRegistry,
  context: ReturnerContext,
  name: string,
  ret: Record<string, unknown>,
  allowed: readonly unknown[] | undefined,
): Promise<void> {
  const disabled = context.opts.disable_returners;
  if (Array.isArray(disabled) && disabled.includes(name)) throw new RangeError("It is disabled by disable_returners");
  const returner = await moduleNamed(registry, "returner", name);
  if (returner === undefined) {
    throw new RangeError(`Unknown returner: expected one of ${Object.keys(registry).join(", ")}`);
  }
  const usable = returner.virtual?.(context) ?? true;
  if (usable !== true) throw new Error(`It cannot be used on this host: ${usable.unavailable}`);
  if (allowed !== undefined) assertFromJob(name, returner, context.retKwargs ?? {}, allowed);
  await returner.returner(context, ret);
}

/** The options that name the file of a secret: no job may set them. */
const SECRET_FILE = /_file$/;

/**
 * Checks the options that a job sets for a returner: files, addresses and secrets come from the minion's own configuration, never from a
 * job, unless that configuration allows it.
 *
 * @throws {RangeError} naming the option
 */
function assertFromJob(
  name: string,
  { fromJob = [] }: ReturnerModule,
  given: Record<string, unknown>,
  allowed: readonly unknown[],
): void {
  for (const [option, value] of Object.entries(given)) {
    if (value === undefined || value === null || value === "") continue;
    const word = `${name}.${option}`;
    if (fromJob.includes(option)) continue;
    if (SECRET_FILE.test(option)) throw new RangeError(`No job may set ${word}: set it in the minion's configuration`);
    if (allowed.includes(word) || allowed.includes(`${name}.*`)) continue;
    throw new RangeError(
      `This job may not set ${word}: set it in the minion's configuration, or list it in return_kwargs_allowed there`,
    );
  }
}

/**
 * Calls returners with a return, one after the other. A returner that fails, does not exist or takes too long is logged, and the
 * others are still called: the master gets the return in any case. Never rejects.
 *
 * @param ret the return as it goes to the master, its value unpacked
 */
export async function callReturners(
  registry: ReturnerRegistry,
  context: ReturnerContext,
  names: readonly string[],
  ret: Record<string, unknown>,
  { timeoutMs = 60_000, allowed }: CallReturnersOptions = {},
): Promise<void> {
  const plain = Object.fromEntries(Object.entries(ret).filter(([key]) => !FOR_MASTER.has(key)));
  for (const name of names) {
    try {
      await within(
        context.runtime.clock,
        timeoutMs,
        undefined,
        callOne(registry, context, name, plain, allowed),
        () => {
          throw new TimeoutError(`It has not ended after ${timeoutMs / 1000} seconds`);
        },
      );
    } catch (error) {
      context.log.error("returner failed", {
        returner: name,
        jid: ret.jid,
        fun: ret.fun,
        error: messageOf(error),
      });
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
    const { return_kwargs_allowed: allowed } = context.opts;
    await callReturners(withCustomReturners(returners, context), returnerContext(context, load), names, plain, {
      allowed: Array.isArray(allowed) ? allowed : [],
    });
  };
}

/**
 * What the returners of one job are called with: `--return_config` and `--return_kwargs` are those of its publication. Their options may
 * also stand in grains and pillar.
 */
export function returnerContext(
  { runtime, log, opts, grains, pillar }: Context,
  load: Record<string, unknown>,
): ReturnerContext {
  const { ret_config, ret_kwargs } = load;
  return {
    runtime,
    log: log.child("returner"),
    opts: { ...opts, grains, pillar },
    ...(typeof ret_config === "string" && ret_config !== "" ? { retConfig: ret_config } : {}),
    ...(isRecord(ret_kwargs) ? { retKwargs: ret_kwargs } : {}),
  };
}
