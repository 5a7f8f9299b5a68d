import type { MasterOpts } from "../../config/master_opts.ts";
import { dirName, joinPath } from "../../config/paths.ts";
import type { EventBus } from "../../event/bus.ts";
import { OWN_BUS } from "../../event/bus_addresses.ts";
import { type BusServer, serveBus } from "../../event/bus_server.ts";
import type { Logger } from "../../log.ts";
import type { FileSystem } from "../../runtime/fs.ts";
import type { Runtime } from "../../runtime/mod.ts";
import { detectListenerFraming } from "../listener_framing.ts";

/** Serves the event bus in `sock_dir` to other programs on this host, Salt's among them. */
export async function serveEvents(
  { runtime, opts, log, bus }: { runtime: Runtime; opts: MasterOpts; log: Logger; bus: EventBus },
): Promise<BusServer> {
  const { fs, net } = runtime;
  const forOthers = Object.keys(opts.publisher_acl).length > 0 || Object.keys(opts.external_auth).length > 0;
  if (forOthers) makeSearchable(fs, opts.sock_dir);
  return await serveBus(
    bus,
    net,
    {
      pub: { kind: "unix", path: joinPath(opts.sock_dir, "master_event_pub.ipc") },
      pull: { kind: "unix", path: joinPath(opts.sock_dir, "master_event_pull.ipc") },
      own: { kind: "unix", path: joinPath(opts.sock_dir, OWN_BUS) },
    },
    log,
    {
      // As in Salt: open to the members of the master's group.
      listenMode: forOthers ? 0o660 : 0o600,
      later: (call) => runtime.later(call),
      framing: () =>
        opts.event_framing === "length" || opts.event_framing === "stream"
          ? opts.event_framing
          : detectListenerFraming(fs, log, dirName(opts.conf_file)),
    },
  );
}

/** Lets other users of this host reach the sockets in a directory; the mode of each socket says who may connect. */
function makeSearchable(fs: FileSystem, directory: string): void {
  const mode = fs.stat(directory)?.mode ?? 0;
  if ((mode & 0o001) === 0) fs.chmod(directory, (mode & 0o7777) | 0o001);
}
