/** A file server over a tree in memory. */
import { FileServer } from "../../../src/content/fileserver/server.ts";
import type { FileServerOpts } from "../../../src/content/fileserver/roots.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { memoryRuntime } from "../../../src/runtime/memory/memory_runtime.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";
import { type CapturedLog, captureLog } from "../../support/capture_log.ts";
import { FakeClock } from "../../support/fake_clock.ts";

const { crypto } = await currentRuntime();

export interface ServerBed {
  runtime: Runtime;
  clock: FakeClock;
  captured: CapturedLog;
  server: FileServer;
  opts: FileServerOpts;
  /** Events that it fired. */
  events: { tag: string; data: Record<string, unknown> }[];
  /** Writes a file with its directories. */
  put(path: string, content: string | Uint8Array): void;
}

export function fileServerOpts(more: Partial<FileServerOpts> = {}): FileServerOpts {
  return {
    file_roots: { base: ["/srv/salt"] },
    fileserver_backend: ["roots"],
    file_ignore_regex: [],
    file_ignore_glob: [],
    fileserver_followsymlinks: true,
    fileserver_ignoresymlinks: false,
    fileserver_limit_traversal: false,
    fileserver_list_cache_time: 20,
    fileserver_events: false,
    file_buffer_size: 16,
    hash_type: "sha256",
    cachedir: "/cache",
    ...more,
  };
}

export function serverBed(more: Partial<FileServerOpts> = {}): ServerBed {
  const clock = new FakeClock();
  const runtime = memoryRuntime({ clock, crypto });
  const captured = captureLog();
  const opts = fileServerOpts(more);
  const events: ServerBed["events"] = [];
  const { fs } = runtime;
  fs.mkdir("/srv/salt");
  fs.mkdir("/cache");
  const server = new FileServer({
    runtime,
    log: captured.log,
    opts,
    fire: (tag, data) => void events.push({ tag, data }),
  });
  return {
    runtime,
    clock,
    captured,
    server,
    opts,
    events,
    put(path, content) {
      fs.mkdir(path.slice(0, path.lastIndexOf("/")));
      fs.write(path, content, { mode: 0o644 });
    },
  };
}
