/** The program `brine`: runs every program by its name, and completes command lines for shells. */
import { currentRuntime } from "../../src/runtime/current.ts";
import type { Program } from "../options/request.ts";
import type { ProgramContext } from "../program/context.ts";
import { Exit } from "../program/exit.ts";
import { becomeProgram } from "../program/invocation.ts";
import { runProgram, standardOutputs } from "../program/run_program.ts";

declare const process: {
  argv: string[];
  argv0: string;
  stdout: { write(text: string, done?: () => void): boolean };
  exit(code: number): never;
};

type Main = (context: ProgramContext) => Promise<number>;

/** Main functions by program; each is loaded only when it is called. */
const MAINS: Readonly<Record<Exclude<Program, "brine">, () => Promise<Main>>> = {
  salt: async () => (await import("./salt.ts")).saltMain,
  "salt-api": async () => (await import("./api.ts")).apiMain,
  "salt-call": async () => (await import("./call.ts")).callMain,
  "salt-cp": async () => (await import("./salt_cp.ts")).saltCpMain,
  "salt-doctor": async () => (await import("./doctor.ts")).doctorMain,
  "salt-key": async () => (await import("./key.ts")).keyMain,
  "salt-master": async () => (await import("./master.ts")).masterMain,
  "salt-minion": async () => (await import("./minion.ts")).minionMain,
  "salt-run": async () => (await import("./run.ts")).runMain,
  "salt-ssh": async () => (await import("./ssh.ts")).sshMain,
  "salt-syndic": async () => (await import("./syndic.ts")).syndicMain,
};

/** The processes that daemons start, by program and word: for runners, parts and jobs. */
const PARTS: Readonly<Record<string, () => Promise<void>>> = {
  "salt-master --runner-process": async () => (await import("./runner.ts")).runnerMain(),
  "salt-master --part-process": async () => (await import("./part.ts")).partMain(),
  "salt-minion --part-process": async () => (await import("./part.ts")).partMain(),
  "salt-minion --job-process": async () => (await import("./job.ts")).jobMain(),
};

const isProgram = (name: string): name is keyof typeof MAINS => Object.hasOwn(MAINS, name);

/** The program name of a link to the single-file program, under which this process was called; undefined for its own name. */
function linkName(): keyof typeof MAINS | undefined {
  // Otherwise argv0 is the name of the runtime.
  if (!process.argv[1]?.startsWith("/$bunfs/")) return undefined;
  const name = process.argv0.split("/").at(-1)!;
  // The program starts itself under its own name, followed by the program's name.
  return isProgram(name) ? name : undefined;
}

/** Runs the program that the first word names. */
export async function runBrine(): Promise<void> {
  const link = linkName();
  const [word = ""] = process.argv.slice(2);
  const program = link ?? (`salt-${word}` in MAINS ? `salt-${word}` : word);
  if (isProgram(program)) {
    if (link === undefined) process.argv.splice(2, 1);
    becomeProgram(program);
    const part = PARTS[`${program} ${process.argv[2]}`];
    if (part !== undefined) return await part();
    return await runProgram(program, await MAINS[program]());
  }
  if (word === "complete") return await completeAndLeave(process.argv.slice(3));
  await runProgram("brine", brineMain);
}

/** `brine complete SHELL WORDS…`: the words are not parsed as options. */
async function completeAndLeave([shell = "", ...words]: readonly string[]): Promise<void> {
  const { answerShell } = await import("../complete/answer.ts");
  const text = await answerShell(await currentRuntime(), shell, words);
  const { stdout } = standardOutputs();
  stdout.write(text);
  await stdout.written();
  process.exit(0);
}

/** Handles words that are not programs: `brine completion SHELL`, `brine bootstrap ID`, `brine compat`, and mistakes. */
export async function brineMain(context: ProgramContext): Promise<number> {
  const { positionals, print } = context;
  const [word, shell, ...more] = positionals;
  if (word === "bootstrap") {
    return await (await import("./bootstrap.ts")).bootstrapMain(context, positionals.slice(1));
  }
  if (word === "compat") {
    return await (await import("../compat/compat.ts")).compatMain(context, positionals.slice(1));
  }
  if (word !== "completion") {
    const { suggestion } = await import("../../src/base/nearest_name.ts");
    throw new Exit(
      64,
      `Unknown program "${word}": ${suggestion(word!, [...Object.keys(MAINS), "bootstrap", "compat", "completion"])}`,
    );
  }
  const { SHELLS } = await import("../complete/shells.ts");
  const text = shell !== undefined && Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
  if (text === undefined || more.length > 0) {
    throw new Exit(64, `Cannot print a completion for "${shell ?? ""}": use one of ${Object.keys(SHELLS).join(", ")}`);
  }
  print(text);
  return 0;
}
