import { hex } from "../../protocol/crypto/hex.ts";
import { SaltError } from "../../base/errors.ts";
import { CommandExecutionError, type FileHash } from "../../model/loader/family.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { bytesOf } from "../../protocol/wire/payload.ts";
import { isHashName } from "./digest.ts";
import type { FileRequest } from "./file_request.ts";
import { fieldsOf } from "../../language/python/values.ts";

interface ServedFile {
  path: string;
  saltenv: string;
  sum: FileHash;
  /** Compression level of the pieces, 1 to 9; 0 for none. */
  gzip: number;
}

interface FetchServedOptions {
  runtime: Pick<Runtime, "fs" | "crypto">;
  request: FileRequest;
  /** Called with each reply when its bytes are not needed any more. */
  done?: ((reply: unknown) => void) | undefined;
}

/** Pieces that are requested ahead of the one that is being written. */
const AHEAD = 2;

interface Piece {
  data: Uint8Array;
  reply: unknown;
}

/** The file has changed while it was fetched: the pieces fetched so far are useless. */
class ChangedError extends SaltError {
  constructor(path: string) {
    super("FILE_CHANGED", `The file "${path}" has changed while it was fetched`);
  }
}

function textOf(value: unknown): string {
  return value instanceof Uint8Array ? new TextDecoder().decode(value) : typeof value === "string" ? value : "";
}

async function gunzipped(data: Uint8Array): Promise<Uint8Array> {
  const plain = new Blob([data as Uint8Array<ArrayBuffer>]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(plain).arrayBuffer());
}

/** Returns a function that requests the piece of a file at an offset. It rejects with {@link ChangedError}. */
function pieceReader(request: FileRequest, { path, saltenv, gzip }: ServedFile): (loc: number) => Promise<Piece> {
  let version = "";
  return async (loc) => {
    const load = { cmd: "_serve_file", path, saltenv, loc, version, ...(gzip > 0 ? { gzip } : {}) };
    const reply = await request(load, { raw: true });
    const fields = fieldsOf(reply);
    // Only Brine masters send a version; with others the digest shows that the file has changed.
    const now = textOf(fields.version);
    if (version !== "" && now !== version) throw new ChangedError(path);
    version = now;
    const data = bytesOf(fields.data ?? "");
    return { data: fields.gzip && data.length > 0 ? await gunzipped(data) : data, reply };
  };
}

/**
 * Writes a file of the server to a path while it arrives.
 *
 * @returns its digest in hexadecimal; undefined if the file has changed meanwhile
 * @throws {CommandExecutionError} if the hash of the server is unknown
 */
export async function fetchServedFile(
  file: ServedFile,
  to: string,
  { runtime: { fs, crypto }, request, done }: FetchServedOptions,
): Promise<string | undefined> {
  const { path, sum } = file;
  if (!isHashName(sum.hash_type)) {
    throw new CommandExecutionError(`Cannot check "${path}": the file server's hash "${sum.hash_type}" is not known`);
  }
  const hasher = crypto.hasher(sum.hash_type);
  const piece = pieceReader(request, file);
  const writer = await fs.writer(to);
  // The write of the previous piece, which continues while the next piece is hashed and requested.
  let writing = Promise.resolve();
  let written: unknown;
  try {
    let loc = 0;
    let size = 0;
    // Pieces that are requested while this one is written and hashed. A server makes all pieces but the last equally long.
    let ahead: Promise<Piece>[] = [];
    const ask = (from: number) => {
      const asked = piece(from);
      // The promise may never be awaited: ignore its rejection.
      asked.catch(() => {});
      return asked;
    };
    for (;;) {
      const { data, reply } = await (ahead.shift() ?? ask(loc));
      await writing;
      if (written !== undefined) done?.(written);
      if (data.length === 0) return hex(hasher.digest());
      if (data.length !== size) {
        // This is the first or the last piece, or the length of pieces has changed: pieces requested ahead start at wrong
        // offsets.
        ahead = [ask(loc + data.length)];
        size = data.length;
      } else while (ahead.length < AHEAD) ahead.push(ask(loc + (ahead.length + 1) * size));
      writing = writer.write(loc, data);
      // A failed write is reported when `writing` is awaited, together with the next piece.
      writing.catch(() => {});
      hasher.update(data);
      written = reply;
      loc += data.length;
    }
  } catch (error) {
    if (error instanceof ChangedError) return undefined;
    throw error;
  } finally {
    await writing.catch(() => {});
    await writer.close();
  }
}
