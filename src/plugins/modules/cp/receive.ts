import { baseName, dirName, joinPath } from "../../../base/paths.ts";
import { messageOf } from "../../../base/errors.ts";
import { InvalidArgumentsError, type JobContext } from "../../../model/loader/family.ts";
import { entriesOf, isMap, str, truthy } from "../../../language/python/values.ts";

/** Bytes of one chunk once it is unpacked: `salt_cp_chunk_size` is a hundred thousand by default. */
const LARGEST_CHUNK = 256 * 1024 * 1024;

function isDirectory(context: JobContext, path: string): boolean {
  return context.runtime.fs.stat(path)?.kind === "directory";
}

/** Modes of new files before the umask. */
function newMode(context: JobContext): number {
  return 0o666 & ~context.runtime.process.umask();
}

/** Writes files whose contents came with the job: path → whether it went well. */
export function receiveFiles(context: JobContext, files: unknown, destination: string): unknown {
  const { fs } = context.runtime;
  if (!isMap(files)) throw new InvalidArgumentsError(`files must be a map of paths and contents, and is ${str(files)}`);
  const written: [string, boolean][] = [];
  for (const [key, content] of entriesOf(files)) {
    const name = baseName(str(key));
    let path: string;
    if (isDirectory(context, destination)) path = joinPath(destination, name);
    else if (name === baseName(destination) || isDirectory(context, dirName(destination))) path = destination;
    else return "Destination unavailable";
    try {
      const data = content instanceof Uint8Array ? content : new TextEncoder().encode(str(content));
      fs.writeAt(path, 0, data, { truncate: true, mode: newMode(context) });
      written.push([path, true]);
    } catch (error) {
      context.log.error("file that was sent cannot be written", { path, error: messageOf(error) });
      written.push([path, false]);
    }
  }
  return Object.fromEntries(written);
}

function base64(text: string): Uint8Array {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    throw new InvalidArgumentsError("the chunk is not base64, as salt-cp --chunked sends it");
  }
}

/** Unpacks gzip; a chunk that grows beyond all measure is refused before the memory is taken. */
async function gunzipped(data: Uint8Array): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  const plain = new Blob([data as Uint8Array<ArrayBuffer>]).stream().pipeThrough(new DecompressionStream("gzip"));
  for await (const part of plain as unknown as AsyncIterable<Uint8Array>) {
    length += part.length;
    if (length > LARGEST_CHUNK) throw new RangeError(`The chunk unpacks to more than ${LARGEST_CHUNK} bytes`);
    parts.push(part);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Writes one chunk of a file, or makes a directory if there is none; true, or what went wrong as a text. */
export async function receiveChunk(
  context: JobContext,
  args: { dest: string; chunk: unknown; append: unknown; compressed: unknown; mode: unknown },
): Promise<unknown> {
  const { fs } = context.runtime;
  const { dest, chunk } = args;
  const failed = (text: string) => {
    context.retcode = 1;
    return text;
  };
  try {
    if (chunk === null || chunk === undefined) {
      const kind = fs.stat(dest)?.kind;
      if (kind !== undefined && kind !== "directory") return "Path exists and is a file";
      fs.mkdir(dest);
      return true;
    }
    const bytes = chunk instanceof Uint8Array ? new TextDecoder().decode(chunk) : str(chunk);
    const packed = base64(bytes);
    const data = truthy(args.compressed) ? await gunzipped(packed) : packed;
    if (!isDirectory(context, dirName(dest))) fs.mkdir(dirName(dest));
    if (truthy(args.append)) fs.append(dest, data, newMode(context));
    else {
      fs.writeAt(dest, 0, data, { truncate: true, mode: newMode(context) });
      if (args.mode !== null && args.mode !== undefined) fs.chmod(dest, Number(args.mode) & 0o7777);
    }
    return true;
  } catch (error) {
    if (error instanceof InvalidArgumentsError) throw error;
    return failed(messageOf(error));
  }
}
