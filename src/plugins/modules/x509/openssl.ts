import { CommandExecutionError, type JobContext } from "../../../model/loader/family.ts";
import { type CommandOutcome, programPath, runAll } from "../../commands.ts";
import { temporaryFile } from "../../host_files.ts";

/** The variable that a passphrase goes in: command lines can be seen by everybody. */
export const PASSPHRASE = "BRINE_PASSPHRASE";

/** Runs `use` with files that only we can read, and removes them. */
export async function withFiles<T>(
  context: JobContext,
  contents: readonly (string | Uint8Array)[],
  use: (paths: string[]) => Promise<T>,
): Promise<T> {
  const paths: string[] = [];
  try {
    for (const content of contents) paths.push(temporaryFile(context.runtime, content));
    return await use(paths);
  } finally {
    for (const path of paths) context.runtime.fs.remove(path);
  }
}

interface OpensslOptions {
  passphrase?: string;
  /** Its standard input. */
  stdin?: string;
}

/** Runs the program openssl, which may fail. @throws {CommandExecutionError} if it is not there */
export async function openssl(
  context: JobContext,
  words: string[],
  { passphrase, stdin }: OpensslOptions = {},
): Promise<CommandOutcome> {
  if (programPath(context, "openssl") === undefined) {
    throw new CommandExecutionError("This needs the program openssl, which is not installed");
  }
  return await runAll(context, ["openssl", ...words], {
    env: passphrase === undefined ? {} : { [PASSPHRASE]: passphrase },
    ignore_retcode: true,
    rstrip: false,
    ...(stdin === undefined ? {} : { stdin }),
  });
}

/** What openssl writes to its standard output. @throws {CommandExecutionError} with its complaint if it fails */
export async function opensslText(context: JobContext, words: string[], options?: OpensslOptions): Promise<string> {
  const { retcode, stdout, stderr } = await openssl(context, words, options);
  if (retcode !== 0) throw new CommandExecutionError(`openssl ${words[0]} failed: ${stderr.trim()}`);
  return stdout;
}

/** What openssl writes to a file (`-out`). @throws {CommandExecutionError} with its complaint if it fails */
export async function opensslBytes(
  context: JobContext,
  words: string[],
  options?: OpensslOptions,
): Promise<Uint8Array> {
  return await withFiles(context, [""], async ([path]) => {
    // Words behind the name of a file would be names of files, too.
    const [command = "", ...rest] = words;
    await opensslText(context, [command, "-out", path!, ...rest], options);
    return context.runtime.fs.read(path!);
  });
}
