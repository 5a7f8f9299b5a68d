import type { HashName } from "../../../runtime/crypto.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import type { PartHandlers } from "../../../feature/supervise/serve_part.ts";
import type { WorkerPool } from "../../../feature/supervise/worker_pool.ts";
import type { WorkerRequest } from "../../../feature/supervise/worker_queue.ts";
import { decode, encode, Packed } from "../../../protocol/wire/msgpack.ts";
import type { BackendUpdate, HeavyWork } from "../../../content/fileserver/backend.ts";
import { digestFile } from "../../../content/fileserver/digest.ts";
import { FILE_COMMANDS, type FileServer } from "../../../content/fileserver/server.ts";

/** The fields of a load that decide its reply: identical requests share an answer. */
const FIELDS = ["cmd", "saltenv", "prefix", "fsbackend"] as const;

/** The owner of requests that the master itself makes. */
const MASTER = "the master";

/** Gives lengthy work on files to workers. */
export function fileWorkers(workers: WorkerPool): HeavyWork {
  const call = (kind: string, owner: string, label: string, value: unknown): Promise<unknown> => {
    const request: WorkerRequest = { kind, owner, label, body: encode(value, "bin") };
    return workers.call(request);
  };
  return {
    digest: async (name, path, asker) =>
      await call("file_digest", asker, `the hash of ${path} for ${asker}`, { name, path }) as string,
    async list(load, asker) {
      const fields = Object.fromEntries(FIELDS.map((name) => [name, load[name]]));
      return new Packed(await call("file_list", asker, `a list of files for ${asker}`, fields) as Uint8Array);
    },
    update: async (backends) =>
      await call("file_update", MASTER, "the list of changed files", backends) as BackendUpdate[],
  };
}

/** Returns the handlers of a worker for files. @param open makes the file server when it is needed */
export function fileHandlers(open: () => FileServer, runtime: Pick<Runtime, "fs" | "crypto" | "later">): PartHandlers {
  let made: FileServer | undefined;
  const server = () => made ??= open();
  // An unchanged listing is the same list object, which is packed once for all minions.
  const packed = new WeakMap<object, Uint8Array>();
  return {
    file_digest: async (body) => {
      const { name, path } = decode(body, { mode: "bin" }) as { name: HashName; path: string };
      return await digestFile(runtime, name, path);
    },
    file_list: async (body) => {
      const load = decode(body, { mode: "bin" }) as Record<string, unknown>;
      const listed = await FILE_COMMANDS[String(load.cmd)]!(server(), load) as object;
      let bytes = packed.get(listed);
      if (bytes === undefined) packed.set(listed, bytes = encode(listed, "wire"));
      return bytes;
    },
    file_update: async (body) => await server().update(decode(body, { mode: "bin" }), true),
  };
}
