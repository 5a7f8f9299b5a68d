/** The event returns of a master: a process that follows its bus and gives the events to stores. */
import type { MasterOpts } from "../../model/config/master_opts.ts";
import { joinPath } from "../../base/paths.ts";
import { messageOf } from "../../base/errors.ts";
import { EVENT_RETURN_LOST } from "../../model/event/tag.ts";
import { followBus } from "../../model/event/follow_bus.ts";
import { OWN_BUS } from "../../model/event/bus.ts";
import { sendToMasterBus } from "../../model/event/bus_client.ts";
import type { PartHandlers } from "../supervise/serve_part.ts";
import { EventReturn } from "./event_return.ts";
import { withCustomReturners } from "../../model/loader/custom_returners.ts";
import type { ReturnerContext, ReturnerModule, ReturnerRegistry } from "../../model/loader/family.ts";
import { moduleNamed } from "../../model/loader/loaded_file.ts";
import type { Logger } from "../../base/log.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { packEvent } from "../../protocol/wire/event_frame.ts";

/** The configuration of the process, in addition to the master's options. */
export interface EventReturnConfig {
  opts: MasterOpts;
  /** True if the process starts with the master. Otherwise earlier events are not stored. */
  fromStart: boolean;
}

/** Salt's returners for events that Brine does not have. */
const ABSENT = new Set(
  "carbon cassandra_cql elasticsearch local mattermost mongo mongo_future mysql postgres_local_cache slack_webhook splunk"
    .split(" "),
);

/** The returners that `event_return` names, each once. */
export function eventReturnNames({ event_return: names }: Record<string, unknown>): string[] {
  return [...new Set([names ?? []].flat().map(String))].filter((name) => name !== "");
}

/** Prepares the process of event returns. @param known the known returners */
export async function openMasterEventReturn(
  runtime: Runtime,
  { opts, fromStart }: EventReturnConfig,
  parentLog: Logger,
  known: ReturnerRegistry,
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
    returners: await returnersOf(withCustomReturners(known, context), context, eventReturnNames(opts)),
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
    // The count is only logged: EventReturn computes the loss from the number of the next event.
    missed: (missed) => log.warning("the master has dropped events that were not read in time", { missed }),
    lost: (after) => log.warning("the master no longer has some events that are not stored", { after }),
  });
  fire("salt/event_listen/start", {});
  return { status: () => returns.status(), flush: () => returns.flush() };
}

async function returnersOf(
  registry: ReturnerRegistry,
  context: ReturnerContext,
  names: readonly string[],
): Promise<Map<string, ReturnerModule>> {
  const { log } = context;
  const found = new Map<string, ReturnerModule>();
  for (const name of names) {
    try {
      const module = await moduleNamed(registry, "returner", name);
      const virtual = module?.virtual?.(context) ?? true;
      if (module === undefined) {
        throw new TypeError(
          ABSENT.has(name) ? "Brine does not have it: see docs/event-return.md" : "the returner does not exist",
        );
      }
      if (virtual !== true) throw new TypeError(virtual.unavailable);
      if (module.eventReturn === undefined) throw new TypeError("it does not store events");
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
  runtime: Runtime,
  opts: MasterOpts,
  log: Logger,
  tag: string,
  data: Record<string, unknown>,
): Promise<void> {
  try {
    const bus = await sendToMasterBus(runtime, log, opts);
    bus.send(packEvent(tag, data, { now: runtime.clock.now(), maxBytes: opts.max_event_size }));
    await bus.close();
  } catch (error) {
    log.debug("event not sent", { tag, error: messageOf(error) });
  }
}
