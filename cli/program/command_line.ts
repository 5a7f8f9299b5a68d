import type { Runtime } from "../../src/runtime/runtime.ts";
import type { ExitRequest, OptionsContext, Program, RunRequest } from "../options/request.ts";
import { parseOptions } from "../options/parse_options.ts";
import { readSaltfile } from "./saltfile.ts";

/** Parses a command line, with the text of stdin and a Saltfile if they are used. */
export async function parseCommandLine(
  runtime: Runtime,
  program: Program,
  argv: readonly string[],
  how: Pick<OptionsContext, "version" | "env"> & { stdinText(): Promise<string>; complain(text: string): void },
): Promise<RunRequest | ExitRequest> {
  const context: OptionsContext = { version: how.version, env: how.env ?? {} };
  let parsed = parseOptions(program, argv, context);
  if (parsed.kind === "run" && parsed.needsStdin) {
    context.stdin = await how.stdinText();
    parsed = parseOptions(program, argv, context);
  }
  if (parsed.kind === "exit" || !("saltfile" in parsed.options)) return parsed;
  const { saltfile: given } = parsed.options;
  context.saltfile = await readSaltfile(runtime, program, typeof given === "string" ? given : undefined, how.complain);
  return parseOptions(program, argv, context);
}
