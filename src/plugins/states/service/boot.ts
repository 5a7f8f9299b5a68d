import { hasFunction, type StateContext, type StateReturn } from "../../../model/loader/states.ts";
import { commandError } from "../outcome.ts";

/** What is said of the service itself: it was started (true), it is as it should be (null), or it is dead (false). */
type Started = boolean | null;

type Words = readonly [started: string, asWanted: string, dead: string];

const RUNS: Words = ["is running", "is in the desired state", "is dead"];
const STARTED: Words = ["started", "is in the desired state", "is dead"];
const FAILED = {
  enable: [
    "to start at boot, but the service is running",
    "to start at boot, but the service was already running",
    "to start at boot, and the service is dead",
  ],
  disable: [
    "to not start at boot, and is running",
    "to not start at boot, but the service was already running",
    "to not start at boot, and the service is dead",
  ],
} as const satisfies Record<string, Words>;

const pick = (words: Words, started: Started): string => words[started === null ? 1 : started ? 0 : 2];

/** @returns undefined, or what the state returns for a service that this host does not have */
export async function unavailable(
  context: StateContext,
  name: unknown,
): Promise<Partial<StateReturn> | undefined> {
  const there = await hasFunction(context, "service.available")
    ? await context.call("service.available", [name])
    : (await context.call("service.get_all") as unknown[]).includes(name);
  return there ? undefined : { result: false, comment: `The named service ${name} is not available` };
}

/** Has a service start at boot, or not. @returns the parts of the state's return that this decides */
export async function setEnabled(
  context: StateContext,
  name: unknown,
  wanted: boolean,
  { kwargs, started = null, result = true }: { kwargs: Record<string, unknown>; started?: Started; result?: boolean },
): Promise<Partial<StateReturn>> {
  const verb = wanted ? "enable" : "disable";
  try {
    const missing = await unavailable(context, name);
    if (missing !== undefined) return wanted ? missing : { ...missing, result: true };
  } catch (error) {
    return { result: false, comment: commandError(error) };
  }
  const title = wanted ? "Enable" : "Disable";
  if (!await hasFunction(context, `service.${verb}`) || !await hasFunction(context, `service.${verb}d`)) {
    return { result, comment: `${title} is not available on this minion, service ${name} ${pick(STARTED, started)}` };
  }
  // Only service.enabled is given the state's further arguments.
  const asWanted = async () => Boolean(await context.call(`service.${verb}d`, [name], wanted ? kwargs : {}));
  if (await asWanted()) {
    const comment = `Service ${name} is already ${verb}d, and ${pick(RUNS, started)}`;
    return started === null ? { result, changes: {}, comment } : { result, comment };
  }
  if (context.test) return { result: null, comment: `Service ${name} set to be ${verb}d` };
  let reason = "";
  try {
    if (await context.call(`service.${verb}`, [name], kwargs)) {
      const changes = await asWanted() ? { [String(name)]: true } : {};
      return { result, changes, comment: `Service ${name} has been ${verb}d, and ${pick(RUNS, started)}` };
    }
  } catch (error) {
    if (!wanted) throw error;
    reason = commandError(error);
  }
  const comment = `Failed when setting service ${name} ${pick(FAILED[verb], started)}`;
  return {
    result: false,
    comment: reason === "" ? comment : `${comment}. Additional information follows:\n\n${reason}`,
  };
}
