import { isWithin, normalizePath } from "../../../base/paths.ts";
import { type AnyMap, sizeOf } from "../../../language/python/values.ts";
import type { FileSystem } from "../../../runtime/fs.ts";
import type { PartHandlers } from "../../../feature/supervise/serve_part.ts";
import type { WorkerPool } from "../../../feature/supervise/worker_pool.ts";
import { decode, encode } from "../../../protocol/wire/msgpack.ts";
import { PackedPillar, packPillar, type PillarRequest } from "../../../content/pillar/compiler.ts";
import { readPillarOptions, rootsFor } from "../../../content/pillar/options.ts";

export interface WorkerPillarRequest extends PillarRequest {
  cleanCache?: boolean;
  /** False once the caller has gone. @default the caller stays */
  wanted?(): boolean;
}

const KIND = "pillar";

/** Compiles pillars in worker processes; a pillar without any configuration is made here, so that no process is started for it. */
export function pillarWorkers(
  workers: WorkerPool,
  { fs, opts }: { fs: FileSystem; opts: Record<string, unknown> },
): (request: WorkerPillarRequest) => Promise<AnyMap | PackedPillar> {
  const isEmpty = emptiness(fs, opts);
  return async (request) => {
    if (isEmpty(request)) return {};
    const { wanted, ...fields } = request;
    const { id } = request;
    const packed = await workers.call({
      kind: KIND,
      owner: id,
      label: `the pillar of ${id}`,
      body: encode(fields, "bin"),
      ...(wanted === undefined ? {} : { wanted }),
    });
    return new PackedPillar(packed as ConstructorParameters<typeof PackedPillar>[0]);
  };
}

/** Returns the handlers of a worker for pillars. @param compile compiles through the cache, if there is one */
export function pillarHandlers(compile: (request: WorkerPillarRequest) => Promise<AnyMap>): PartHandlers {
  return {
    [KIND]: async (body) => packPillar(await compile(decode(body, { mode: "bin" }) as WorkerPillarRequest)),
  };
}

/** Returns a test whether a pillar is certainly empty: no external pillar, no top file, and nothing in the request to add. */
function emptiness(fs: FileSystem, opts: Record<string, unknown>): (request: PillarRequest) => boolean {
  const options = readPillarOptions(opts);
  const { roots, extPillar, showOpts, pillarenvFromSaltenv } = options;
  if (!Array.isArray(extPillar) || extPillar.length > 0 || showOpts) return () => false;
  const text = (value: unknown) => value === null || value === undefined || value === "" ? undefined : String(value);
  const isFile = (path: string) => {
    try {
      return fs.stat(path) !== undefined;
    } catch {
      // The file cannot be looked at: a worker compiles the pillar and reports the error.
      return true;
    }
  };
  return ({ saltenv, pillarenv, override = {}, ext }) => {
    if (sizeOf(override) > 0 || (ext !== undefined && ext !== null)) return false;
    const inherited = pillarenvFromSaltenv ? text(saltenv) : undefined;
    const found = rootsFor(
      roots,
      text(pillarenv) ?? inherited ?? options.pillarenv,
      text(saltenv) ?? options.saltenv,
    );
    return ![...found.values()].flat().some((root) => {
      const full = normalizePath(`${root}/${options.top}`);
      return isWithin(root, full) && isFile(full);
    });
  };
}
