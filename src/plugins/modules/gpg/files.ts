/** The text or file that a function is given, and the file that it writes. */
import { CommandExecutionError, type JobContext, SaltInvocationError } from "../../../model/loader/family.ts";
import { type Args, str, truthy } from "../../../language/python/values.ts";
import { toBytes } from "../../bytes.ts";
import { isFile } from "../../linux/paths.ts";
import { withOsErrors } from "../../python_errors.ts";
import { overwrite, readBytes } from "../file/content.ts";
import { LARGEST } from "./ring.ts";

/** @throws {CommandExecutionError} for more bytes than are taken */
export function fileContent(context: JobContext, path: string): Uint8Array {
  const { fs } = context.runtime;
  if ((fs.stat(path)?.size ?? 0) > LARGEST) {
    throw new CommandExecutionError(`The file ${path} is too large: at most ${LARGEST} bytes are read`);
  }
  return readBytes(fs, path);
}

/** What `text` has, or else the file `filename`. @throws {SaltInvocationError} if there is neither */
export function inputOf(context: JobContext, { text, filename }: Args): Uint8Array {
  if (truthy(text)) return toBytes(text instanceof Uint8Array ? text : str(text));
  if (truthy(filename)) return fileContent(context, str(filename));
  throw new SaltInvocationError("filename or text must be passed.");
}

/** Writes a result. @param secret a new file is for its owner alone */
export function writeOutput(context: JobContext, path: string, content: Uint8Array, secret: boolean): void {
  const { fs } = context.runtime;
  // Made before anything is in it, so that nobody has it open.
  if (secret && !isFile(fs, path)) withOsErrors(path, () => fs.write(path, "", { how: "create", mode: 0o600 }));
  overwrite(context.runtime, path, content);
}
