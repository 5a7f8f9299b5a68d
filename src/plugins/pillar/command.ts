import type { ExtPillar, PillarContext } from "../../model/loader/ext_pillar.ts";
import { codeOf } from "../../base/errors.ts";
import type { Child, SpawnOptions } from "../../runtime/process.ts";
import { concat } from "../../runtime/bytes.ts";
import { str } from "../../language/python/values.ts";
import { shellWords } from "../linux/words.ts";
import { parsed } from "./parsed.ts";

/** Why minions never choose commands of the master. */
export const RUNS_COMMANDS = "it runs commands on the master";

/** The most bytes that a command may print. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Time that a command may take. */
const LIMIT_MS = 120_000;

/** Ids that are one harmless word anywhere in a command, as all sensible ones are. */
const HARMLESS = /^[A-Za-z0-9_.@:+][A-Za-z0-9_.@:+-]*$/;

/**
 * The command with the minion's id for each `%s`.
 *
 * @throws {Error} for an id that could mean something else than itself to a shell or a program
 */
export function commandFor(context: PillarContext, command: string): string {
  if (!command.includes("%s")) return command;
  const word = idAsWord(context.id);
  return command.replaceAll("%s", word);
}

/** @throws {Error} for an id that could mean something else than itself to a shell or a program */
export function idAsWord(id: string): string {
  if (HARMLESS.test(id)) return id;
  throw new Error(
    "the id of the minion has characters that a command could take for something else: rename the minion",
  );
}

/**
 * The standard output of a command.
 *
 * @param mustSucceed the output of a command that fails is not used. @default false
 * @throws {Error} without its output, which may be secret
 */
export async function outputOf(
  context: Pick<PillarContext, "runtime" | "log">,
  argv: readonly string[],
  { mustSucceed = false } = {},
): Promise<string> {
  const { process, clock } = context.runtime;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let failure: string | undefined;
  const spawn: SpawnOptions = {
    argv,
    env: process.environment(),
    detached: true,
    onStdout: (chunk) => {
      bytes += chunk.length;
      if (bytes <= MAX_BYTES) return void chunks.push(chunk);
      failure ??= `its command printed more than ${MAX_BYTES} bytes`;
      process.kill(-child.pid, "SIGKILL");
    },
    onStderr: () => {},
  };
  let child: Child;
  try {
    child = await process.spawn(spawn);
  } catch (error) {
    // The whole message has the command, and that may have a password.
    throw new Error(`its command cannot be started: ${codeOf(error) || "unknown"}`, { cause: error });
  }
  const cancel = clock.after(LIMIT_MS, () => {
    failure ??= `its command took longer than ${LIMIT_MS / 1000} s`;
    process.kill(-child.pid, "SIGKILL");
  });
  const { code, signal } = await child.exited;
  cancel();
  if (failure !== undefined) throw new Error(failure);
  // As in Salt, the output of a failing command is used; the failure is logged.
  if (code !== 0 && mustSucceed) throw new Error(`its command failed: ${signal ?? `exit code ${code}`}`);
  if (code !== 0) context.log.warning("command of an external pillar failed", { code, signal });
  return new TextDecoder().decode(concat(chunks));
}

/** The JSON that a command writes; no shell looks at it. `%s` in the command is the minion's id. */
export const cmdJson: ExtPillar = {
  signature: "command",
  neverOnDemand: RUNS_COMMANDS,
  async run(context, { command }) {
    const text = await outputOf(context, shellWords(commandFor(context, str(command))));
    return await parsed(context, text, "json", "its command");
  },
};

/** The YAML that a shell command writes; `%s` in the command is the minion's id. */
export const cmdYaml: ExtPillar = {
  signature: "command",
  neverOnDemand: RUNS_COMMANDS,
  async run(context, { command }) {
    const text = await outputOf(context, ["/bin/sh", "-c", commandFor(context, str(command))]);
    return await parsed(context, text, "yaml", "its command");
  },
};
