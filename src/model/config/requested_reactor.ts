import { isRecord } from "../../base/record.ts";
import { engineList } from "./engine_list.ts";

/** True if a master's configuration has reactors, or starts the reactor without any (`engines: [reactor]`), as in Salt. */
export function requestedReactor({ reactor, engines }: Record<string, unknown>): boolean {
  if (typeof reactor === "string" ? reactor !== "" : Array.isArray(reactor) && reactor.length > 0) return true;
  const named = (one: unknown) => one === "reactor" || (isRecord(one) && Object.hasOwn(one, "reactor"));
  return Array.isArray(engines) ? engines.some(named) : named(engines);
}

/** Option of the engine `reactor` → the option of the host that it overrides. */
const SETTINGS: Readonly<Record<string, string>> = {
  refresh_interval: "reactor_refresh_interval",
  worker_threads: "reactor_worker_threads",
  worker_hwm: "reactor_worker_hwm",
};

/**
 * The options of a reactor: the settings of `reactor` in `engines` override the options of the host.
 *
 * ```ts
 * import { reactorOpts } from "./requested_reactor.ts";
 *
 * const opts = { engines: [{ reactor: { worker_threads: 4 } }], reactor_worker_threads: 10 };
 * reactorOpts(opts).opts.reactor_worker_threads; // 4
 * ```
 *
 * @see salt/engines/reactor.py start
 */
export function reactorOpts<T extends object>(opts: T): { opts: T; mistakes: string[] } {
  const { settings = {} } =
    engineList({ ...opts, ext_processes: undefined }).entries.find(({ module }) => module === "reactor") ?? {};
  const mistakes: string[] = [];
  const over: [string, number][] = [];
  for (const [name, value] of Object.entries(settings)) {
    if (value === null) continue;
    if (!Object.hasOwn(SETTINGS, name)) {
      mistakes.push(`engines: reactor has no option "${name}": expected ${Object.keys(SETTINGS).join(", ")}`);
    } else if (!Number.isFinite(Number(value)) || Number(value) <= 0) {
      mistakes.push(`engines: ${name} of reactor is ${JSON.stringify(value)}: expected a number above 0`);
    } else over.push([SETTINGS[name]!, Number(value)]);
  }
  return { opts: { ...opts, ...Object.fromEntries(over) }, mistakes };
}
