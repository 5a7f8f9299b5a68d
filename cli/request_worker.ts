/** The handlers of a master's request workers: pillar, and slow work of the file server. */
import { fileHandlers } from "../src/host/master/workers/file_workers.ts";
import { FileServer } from "../src/content/fileserver/server.ts";
import type { FileServerOpts } from "../src/content/fileserver/roots.ts";
import type { PartHandlers } from "../src/feature/supervise/serve_part.ts";
import type { Logger } from "../src/base/log.ts";
import type { Runtime } from "../src/runtime/runtime.ts";
import { openPillarWorker } from "./pillar.ts";

export function openRequestWorker(runtime: Runtime, opts: Record<string, unknown>, log: Logger): PartHandlers {
  const openFiles = () =>
    new FileServer({ runtime, log: log.child("fileserver"), opts: opts as unknown as FileServerOpts });
  return { ...openPillarWorker(runtime, opts, log), ...fileHandlers(openFiles, runtime) };
}
