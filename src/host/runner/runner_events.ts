/** How runners listen to the bus of a master or a minion on this host. */
import type { MasterOpts } from "../../model/config/master_opts.ts";
import { joinPath } from "../../base/paths.ts";
import { type BusEvent, OWN_BUS } from "../../model/event/bus.ts";
import { watchBus } from "../../model/event/watch.ts";
import { ipcHash } from "../../protocol/crypto/hex.ts";
import type { BusChoice } from "../../model/loader/host_master.ts";
import { CommandExecutionError, SaltInvocationError } from "../../model/loader/family.ts";
import { masterId } from "../master/master_id.ts";
import type { HashName } from "../../runtime/crypto.ts";
import type { Runtime } from "../../runtime/runtime.ts";

/** How long a runner that the master runs may listen, in milliseconds: no user could end it. */
const MAX_MS = 3_600_000;

/** Returns the sockets of a bus, the likelier one first. */
function socketsOf(runtime: Runtime, opts: MasterOpts, { node, sockDir }: BusChoice): string[] {
  const directory = sockDir ?? opts.sock_dir;
  // A Brine master has a separate socket for Brine programs, with a fixed framing.
  if (node === "master") return [OWN_BUS, "master_event_pub.ipc"].map((name) => joinPath(directory, name));
  const { fs, crypto, host } = runtime;
  const id = masterId(opts, host.hostname());
  const names = fs.stat(directory)?.kind === "directory"
    ? fs.list(directory).filter((name) => /^minion_event_[0-9a-f]+_pub\.ipc$/.test(name))
    : [];
  const own = `minion_event_${ipcHash(crypto, id, opts.hash_type as HashName)}_pub.ipc`;
  if (names.length > 1 && !names.includes(own)) {
    throw new SaltInvocationError(
      `Cannot choose among ${names.length} minions with a bus in "${directory}": none has the id "${id}". Pass the sock_dir of one minion`,
    );
  }
  return (names.includes(own) ? [own] : names).map((name) => joinPath(directory, name));
}

/** Events of a bus on this host, until the reader has enough or the signal ends it. */
export function hostEvents(
  { runtime, opts }: { runtime: Runtime; opts: MasterOpts },
  choice: BusChoice,
  wants: (tag: string) => boolean,
  signal: AbortSignal,
): AsyncIterable<BusEvent> {
  return watchBus({
    net: runtime.net,
    clock: runtime.clock,
    addresses: () => socketsOf(runtime, opts, choice).map((path) => ({ kind: "unix", path })),
    wants: ({ tag }) => wants(tag),
    signal,
  });
}

interface RunnerEventsOptions {
  runtime: Runtime;
  opts: MasterOpts;
  /** The tag of an event that is left out, since it is the listener's own. */
  skip: string;
  /** True if no user can end the runner. */
  bounded: boolean;
}

/**
 * Events of a bus, until the reader has enough.
 *
 * @throws {CommandExecutionError} after an hour, of a runner that no user can end
 */
export async function* runnerEvents(
  { runtime, opts, skip, bounded }: RunnerEventsOptions,
  choice: BusChoice,
  wants: (tag: string) => boolean,
): AsyncIterable<BusEvent> {
  const late = new AbortController();
  const cancel = bounded ? runtime.clock.after(MAX_MS, () => late.abort()) : () => {};
  try {
    yield* hostEvents({ runtime, opts }, choice, (tag) => tag !== skip && wants(tag), late.signal);
  } finally {
    cancel();
  }
  throw new CommandExecutionError(
    `No event came within ${MAX_MS / 1000} s: a runner on the master cannot listen longer`,
  );
}
