/** The event returns of a master: a process that follows its bus and gives the events to stores. */
import type { MasterOpts } from "../src/model/config/master_opts.ts";
import { joinPath } from "../src/base/paths.ts";
import { messageOf } from "../src/base/errors.ts";
import { EVENT_RETURN_LOST } from "../src/model/event/tag.ts";
import { followBus } from "../src/model/event/follow_bus.ts";
import { OWN_BUS } from "../src/model/event/bus_addresses.ts";
import { sendToBus } from "../src/model/event/bus_client.ts";
import type { PartHandlers } from "../src/feature/supervise/serve_part.ts";
import { EventReturn } from "../src/feature/event_return/mod.ts";
import { withCustomReturners } from "../src/model/loader/custom_returners.ts";
import type { ReturnerContext, ReturnerModule } from "../src/model/loader/family.ts";
import { moduleNamed } from "../src/model/loader/module_named.ts";
import type { Logger } from "../src/base/log.ts";
import { RETURNERS } from "../src/plugins/returners/mod.ts";
import type { Runtime } from "../src/runtime/runtime.ts";
import { packEvent } from "../src/protocol/wire/event_frame.ts";

/** What the process is given beside the master's options. */
export interface EventReturnConfig {
  opts: MasterOpts;
  /** False if the master has run for a while: what happened before is not stored. */
  fromStart: boolean;
}

/** Returners of Salt that store events there and are absent here. */
const ABSENT = new Set(
  "carbon cassandra_cql elasticsearch local mattermost mongo mongo_future mysql postgres_local_cache slack_webhook smtp splunk"
    .split(" "),
);

/** The returners that `event_return` names, each once. */
export function eventReturnNames({ event_return: names }: Record<string, unknown>): string[] {
  return [...new Set([names ?? []].flat().map(String))].filter((name) => name !== "");
}

/** Prepares the process of event returns. */
export async function openMasterEventReturn(
  runtime: Runtime,
  { opts, fromStart }: EventReturnConfig,
  parentLog: Logger,
): Promise<PartHandlers> {
  const log = parentLog.child("event_return");
  const context: ReturnerContext = { runtime, log, opts };
  const fire = (tag: string, data: Record<string, unknown>) => void fireEvent(runtime, opts, log, tag, data);
  const returns = new EventReturn({
    runtime,
    log,
    context,
    settings: {
      whitelist: opts.event_return_whitelist,
      blacklist: opts.event_return_blacklist,
      queue: opts.event_return_queue,
      queueSeconds: opts.event_return_queue_max_seconds,
      spoolBytes: opts.event_return_spool_bytes,
    },
    directory: joinPath(opts.cachedir, "event_return"),
    returners: await returnersOf(context, eventReturnNames(opts)),
    fire: (data) => fire(EVENT_RETURN_LOST, data),
  });
  returns.run();
  void followBus({
    net: runtime.net,
    clock: runtime.clock,
    own: { kind: "unix", path: joinPath(opts.sock_dir, OWN_BUS) },
    fromStart,
    last: () => returns.last,
    begin: (boot, n) => returns.begin({ boot, n }),
    take: (event, at) => returns.take(event, at),
    // How many are lost, the number of the next event tells.
    missed: (missed) => log.warning("the master has dropped events that were not read in time", { missed }),
    lost: (after) => log.warning("the master keeps some events no longer that were to be stored", { after }),
  });
  fire("salt/event_listen/start", {});
  return { status: () => returns.status(), flush: () => returns.flush() };
}

async function returnersOf(context: ReturnerContext, names: readonly string[]): Promise<Map<string, ReturnerModule>> {
  const { log } = context;
  const registry = withCustomReturners(RETURNERS, context);
  const found = new Map<string, ReturnerModule>();
  for (const name of names) {
    try {
      const module = await moduleNamed(registry, "returner", name);
      const virtual = module?.virtual?.(context) ?? true;
      if (module === undefined) {
        throw new TypeError(
          ABSENT.has(name) ? "it is not in Brine: see docs/event-return.md" : "there is no such returner",
        );
      }
      if (virtual !== true) throw new TypeError(virtual.unavailable);
      if (module.eventReturn === undefined) throw new TypeError("it takes no events");
      found.set(name, module);
    } catch (error) {
      const known = Object.keys(registry).join(", ");
      log.error("events are NOT stored: the returner cannot be used", {
        returner: name,
        error: messageOf(error),
        known,
      });
    }
  }
  return found;
}

async function fireEvent(
  { net, clock }: Runtime,
  opts: MasterOpts,
  log: Logger,
  tag: string,
  data: Record<string, unknown>,
): Promise<void> {
  try {
    const bus = await sendToBus(net, { kind: "unix", path: joinPath(opts.sock_dir, "master_event_pull.ipc") });
    bus.send(packEvent(tag, data, { now: clock.now(), maxBytes: opts.max_event_size }));
    await bus.close();
  } catch (error) {
    log.debug("event not fired", { tag, error: messageOf(error) });
  }
}
