/** Programs that are run in a container: by the daemon, word by word, without a shell of the host. */
import { CommandExecutionError, type JobContext, SaltInvocationError } from "../../../model/loader/family.ts";
import { type Args, str } from "../../../language/python/values.ts";
import { DockerClient, part } from "../../docker/client.ts";
import { commandOf } from "../../docker/option_values.ts";
import { type Printed, readPrinted } from "../../docker/streams.ts";
import { stateOf } from "./objects.ts";

export interface Ran extends Printed {
  pid: number;
  retcode: number;
}

/** Runs the words of a command in a container that runs. */
export async function runWords(docker: DockerClient, name: unknown, words: readonly string[]): Promise<Ran> {
  const json = { AttachStdout: true, AttachStderr: true, AttachStdin: false, Tty: false, Cmd: words };
  const { Id: id } = await docker.json("POST", `/containers/${part(name)}/exec`, { json }) as Args;
  const request = { json: { Detach: false, Tty: false }, idleMs: Infinity };
  const { body } = await docker.open("POST", `/exec/${part(id)}/start`, request);
  const printed = await readPrinted(body, false);
  const { ExitCode: code, Pid: pid } = await docker.get(`/exec/${part(id)}/json`) as Args;
  return notStarted({ ...printed, pid: Number(pid ?? 0), retcode: Number(code ?? 0) });
}

/** A program that could not be started: the daemon prints why as if the program did, and says 126 of one that is not there, too. */
function notStarted(ran: Ran): Ran {
  if (ran.retcode < 126 || ran.retcode > 127 || !ran.all.startsWith("OCI runtime exec failed: ")) return ran;
  const isMissing = /executable file not found|no such file or directory/.test(ran.all);
  const text = ran.all.replaceAll("\r", "");
  return { ...ran, stdout: "", stderr: text, all: text, retcode: isMissing ? 127 : 126 };
}

const withoutEnd = (text: string): string => text.replace(/\n+$/, "");

/** `docker.run` and its relatives. */
export async function runInContainer(context: JobContext, { name, cmd, stdin }: Args): Promise<Ran> {
  if (stdin !== null && stdin !== undefined) {
    throw new SaltInvocationError("stdin is not supported here: put the input into a file by docker.copy_to");
  }
  const docker = new DockerClient(context);
  if (await stateOf(docker, name) !== "running") {
    throw new CommandExecutionError(`Container '${str(name)}' is not running`);
  }
  const ran = await runWords(docker, name, commandOf(cmd));
  return { ...ran, stdout: withoutEnd(ran.stdout), stderr: withoutEnd(ran.stderr), all: withoutEnd(ran.all) };
}
