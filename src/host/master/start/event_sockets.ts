import type { MasterOpts } from "../../../model/config/master_opts.ts";
import { dirName, joinPath } from "../../../base/paths.ts";
import { hex } from "../../../protocol/crypto/hex.ts";
import { type EventBus, OWN_BUS } from "../../../model/event/bus.ts";
import { type BusServer, serveBus } from "../../../model/event/bus_server.ts";
import type { Logger } from "../../../base/log.ts";
import type { FileSystem } from "../../../runtime/fs.ts";
import { findSalt } from "../../../model/loader/python/interpreter.ts";
import { once } from "../../../base/async/deferred.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import { listenerFraming } from "../../../model/event/salt_framing.ts";

const PUBLISHER = "master_event_pub.ipc";

/** True if others than the master's own user may call it, and so have events to listen to. */
const areForOthers = ({ publisher_acl, external_auth }: MasterOpts) =>
  Object.keys(publisher_acl).length > 0 || Object.keys(external_auth).length > 0;

/** Mode as in Salt: the master's group may connect. */
const listenMode = (forOthers: boolean) => forOthers ? 0o660 : 0o600;

/** Opens the sockets of events to those who may call the master by these options, or closes them. */
export function showSockets(fs: FileSystem, opts: MasterOpts): void {
  const forOthers = areForOthers(opts);
  if (forOthers) makeSearchable(fs, opts.sock_dir);
  for (const name of [PUBLISHER, OWN_BUS]) {
    const path = joinPath(opts.sock_dir, name);
    if (fs.stat(path)?.kind === "socket") fs.chmod(path, listenMode(forOthers));
  }
}

/** Serves the event bus in `sock_dir` to other programs on this host, Salt's among them. */
export async function serveEvents(
  { runtime, opts, log, bus }: { runtime: Runtime; opts: MasterOpts; log: Logger; bus: EventBus },
): Promise<BusServer> {
  const { fs, net } = runtime;
  const forOthers = areForOthers(opts);
  if (forOthers) makeSearchable(fs, opts.sock_dir);
  const lent = once(() => findSalt(runtime, opts as unknown as Record<string, unknown>));
  const detected = listenerFraming(fs, log, dirName(opts.conf_file), () => runtime.clock.now(), lent);
  return await serveBus(
    bus,
    net,
    {
      pub: { kind: "unix", path: joinPath(opts.sock_dir, PUBLISHER) },
      pull: { kind: "unix", path: joinPath(opts.sock_dir, "master_event_pull.ipc") },
      own: { kind: "unix", path: joinPath(opts.sock_dir, OWN_BUS) },
    },
    log,
    {
      listenMode: listenMode(forOthers),
      boot: hex(runtime.crypto.randomBytes(6)),
      later: (call) => runtime.later(call),
      keep: {
        fs,
        clock: runtime.clock,
        directory: joinPath(opts.cachedir, "events"),
        ms: opts.event_keep_seconds * 1000,
        maxBytes: opts.event_keep_bytes,
      },
      framing: () =>
        opts.event_framing === "length" || opts.event_framing === "stream" ? opts.event_framing : detected(),
    },
  );
}

/** Lets other users of this host reach the sockets in a directory; the mode of each socket says who may connect. */
function makeSearchable(fs: FileSystem, directory: string): void {
  const mode = fs.stat(directory)?.mode ?? 0;
  if ((mode & 0o001) === 0) fs.chmod(directory, (mode & 0o7777) | 0o001);
}
