/** The program `salt-cp`: sends files inside jobs, for minions that cannot fetch files. */
import type { CollectOptions } from "../../src/client/job_collector.ts";
import type { LocalClient } from "../../src/client/local_client.ts";
import { hasReturn, type Outcome } from "../../src/client/outcome.ts";
import type { PublishRequest } from "../../src/client/publish_request.ts";
import { baseName, joinPath } from "../../src/base/paths.ts";
import type { FileSystem } from "../../src/runtime/fs.ts";
import { makePrinter } from "../terminal/printer.ts";
import { Exit, leaveOnInterrupt } from "../program/exit.ts";
import type { ProgramContext } from "../program/context.ts";
import { readMasterConfig } from "../program/read_master_config.ts";
import { openJobClient, reportJobFailure, waitingOf } from "./salt/job_client.ts";
import { type JobTarget, readTarget, reportNoMatch } from "./salt/target.ts";

/** Exit code if a source is missing. */
const MISSING = 42;

/** The data to send in chunks: files with their modes, and empty directories. */
interface Sources {
  files: { path: string; mode: number }[];
  emptyDirectories: string[];
}

/** Lists the files and directories in the sources. Other kinds are skipped, because reading a device or pipe may never end. */
function sourcesBelow(fs: FileSystem, roots: readonly string[], complain: (text: string) => void): Sources {
  const found: Sources = { files: [], emptyDirectories: [] };
  const enter = (path: string, trail: readonly string[]): void => {
    const stat = fs.stat(path);
    if (stat === undefined) throw new Exit(MISSING, `${path} does not exist`);
    if (stat.kind === "file") return void found.files.push({ path, mode: stat.mode });
    if (stat.kind !== "directory") return complain(`${path} is neither a file nor a directory: skipped`);
    const real = fs.realpath(path);
    if (trail.includes(real)) return complain(`${path} links to a directory above it: skipped`);
    const names = fs.list(path);
    if (names.length === 0) found.emptyDirectories.push(path);
    for (const name of names) enter(joinPath(path, name), [...trail, real]);
  };
  for (const root of roots) enter(root, []);
  return found;
}

/** Returns a function from a source's path to its path on the minion. */
function destinationOf(sources: Sources, roots: readonly string[], destination: string): (path: string) => string {
  const { files, emptyDirectories } = sources;
  const isDirectory = emptyDirectories.length > 0 || files.length > 1 || /[/\\]$/.test(destination);
  return (path) => {
    if (roots.includes(path)) return isDirectory ? joinPath(destination, baseName(path)) : destination;
    const root = roots.find((one) => path.startsWith(`${one}/`))!;
    return joinPath(destination, baseName(root), path.slice(root.length + 1));
  };
}

async function gzipped(data: Uint8Array): Promise<Uint8Array> {
  const packed = new Blob([data as Uint8Array<ArrayBuffer>]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(packed).arrayBuffer());
}

function base64(data: Uint8Array): string {
  let text = "";
  // In pieces, because a function call takes a limited number of arguments.
  for (let at = 0; at < data.length; at += 8192) text += String.fromCharCode(...data.subarray(at, at + 8192));
  return btoa(text);
}

/** Minion → path on the minion → result. */
type Results = Record<string, unknown>;

class Copier {
  readonly #context: ProgramContext;
  readonly #client: LocalClient;
  readonly #target: JobTarget;
  readonly #collect: CollectOptions;
  matched = true;

  constructor(
    context: ProgramContext,
    client: LocalClient,
    target: JobTarget,
    collect: CollectOptions,
  ) {
    this.#context = context;
    this.#client = client;
    this.#target = target;
    this.#collect = collect;
  }

  /** Runs one job, and returns the outcome for each minion. */
  async #run(fun: string, arg: unknown[]): Promise<Outcome[]> {
    const { options: { delimiter } } = this.#context;
    const request: PublishRequest = { ...this.#target, fun, arg, kwargs: { delimiter: delimiter ?? ":" } };
    const outcomes: Outcome[] = [];
    for await (const outcome of this.#client.run(request, this.#collect)) outcomes.push(outcome);
    if (outcomes.length === 0) this.matched = false;
    return outcomes;
  }

  /** Sends all files in one job, which contains them completely. */
  async whole(sources: readonly string[], destination: string): Promise<Results> {
    const { runtime: { fs } } = this.#context;
    const files: Record<string, string> = {};
    for (const path of sources) {
      const kind = fs.stat(path)?.kind;
      if (kind === "directory") {
        this.#context.print(
          `${path} is a directory, only files are supported in non-chunked mode. Use "--chunked" command line argument.\n`,
        );
        throw new Exit(1);
      }
      // Salt sends the other files, without a word about the missing one.
      if (kind === undefined) this.#context.complain(`${path} does not exist: it is not copied`);
      if (kind !== "file") continue;
      try {
        files[path] = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(fs.read(path));
      } catch (error) {
        if (!(error instanceof TypeError)) throw error;
        throw new Exit(1, `${path} is not UTF-8 text. Use "--chunked" for other files`);
      }
    }
    const results: Results = {};
    for (const outcome of await this.#run("cp.recv", [files, destination])) {
      if (hasReturn(outcome)) results[outcome.id] = outcome.return;
      // A minion without a key was not asked; for any other minion the copy has failed.
      else if (outcome.kind !== "missing") results[outcome.id] = false;
    }
    return results;
  }

  /** Sends each file in as many jobs as needed. */
  async chunked(
    sources: Sources,
    place: (path: string) => string,
    how: { chunkBytes: number; compress: boolean },
  ): Promise<Results> {
    const results: Record<string, Record<string, unknown>> = {};
    const note = (id: string, path: string, value: unknown) => (results[id] ??= {})[path] = value;
    for (const { path, mode } of sources.files) {
      const dest = place(path);
      const there = new Map<string, unknown>();
      for await (const { chunk, index } of this.#chunks(path, how)) {
        // As keyword arguments, because a positional text that ends in an equals sign would be parsed as one.
        const keyword = { __kwarg__: true, dest, chunk, append: index > 0, compressed: how.compress, mode };
        const outcomes = await this.#run("cp.recv_chunked", [keyword]);
        if (!this.matched) return {};
        for (const one of outcomes) {
          // Keep the first failure of a minion, which explains the later ones.
          if (one.kind === "missing" || (there.get(one.id) ?? true) !== true) continue;
          there.set(one.id, hasReturn(one) ? one.return : false);
        }
        // If no minion answers, more chunks would only take time.
        if (!outcomes.some(hasReturn)) break;
      }
      for (const [id, value] of there) note(id, dest, value);
    }
    for (const path of sources.emptyDirectories) {
      const dest = place(path);
      for (const outcome of await this.#run("cp.recv_chunked", [{ __kwarg__: true, dest, chunk: null }])) {
        if (hasReturn(outcome)) note(outcome.id, dest, outcome.return);
      }
      if (!this.matched) return {};
    }
    return results;
  }

  async *#chunks(
    path: string,
    { chunkBytes, compress }: { chunkBytes: number; compress: boolean },
  ): AsyncGenerator<{ chunk: string; index: number }> {
    const { fs } = this.#context.runtime;
    for (let index = 0, at = 0;; index++) {
      const piece = fs.readAt(path, at, chunkBytes);
      // An empty file is sent as one empty chunk.
      if (piece.length === 0 && index > 0) return;
      at += piece.length;
      yield { chunk: base64(compress ? await gzipped(piece) : piece), index };
      if (piece.length < chunkBytes) return;
    }
  }
}

export async function saltCpMain(context: ProgramContext): Promise<number> {
  const { options, positionals, runtime } = context;
  const opts = await readMasterConfig(context);
  const printer = await makePrinter(context, opts);
  const [text = "", ...paths] = positionals;
  const destination = paths.pop() ?? "";
  const sources = paths.map((path) => {
    const full = joinPath(runtime.process.cwd(), path);
    return runtime.fs.stat(full) === undefined ? full.replace(/(?<=.)\/+$/, "") : runtime.fs.realpath(full);
  });
  const chunkBytes = Math.trunc(opts.salt_cp_chunk_size);
  if (options.chunked === true && !(chunkBytes > 0)) {
    throw new Exit(1, `Cannot send chunks of ${opts.salt_cp_chunk_size} bytes: set salt_cp_chunk_size to 98304`);
  }
  const below = options.chunked === true ? sourcesBelow(runtime.fs, sources, context.complain) : undefined;
  const target = await readTarget(context, opts, printer, text);
  if (target === undefined) return 0;
  const waiting = waitingOf(context, opts);
  await using client = await openJobClient(context, opts, waiting);
  const off = leaveOnInterrupt(context);
  const copier = new Copier(context, client, target, waiting);
  try {
    const results = below === undefined
      ? await copier.whole(sources, destination)
      : await copier.chunked(below, destinationOf(below, sources, destination), {
        chunkBytes,
        compress: options.no_compression !== true,
      });
    if (!copier.matched) await reportNoMatch(context, opts, printer, target);
    await printer.document(results);
    return 0;
  } catch (error) {
    return await reportJobFailure(error, context, printer);
  } finally {
    off();
  }
}
