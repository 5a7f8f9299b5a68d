/** Containers that start, stop and go. */
import { CommandExecutionError, type JobContext } from "../../../model/loader/family.ts";
import { type Args, str, truthy } from "../../../language/python/values.ts";
import { DockerClient, part } from "../../docker/client.ts";
import { keywords } from "../../keywords.ts";
import { containers, inspectContainer, refreshMine, stateOf } from "./objects.ts";

const SHUTDOWN_SECONDS = 10;
/** The daemon says nothing while it waits for a container to stop. */
const PATIENCE_MS = 60_000;

const post = (docker: DockerClient, name: unknown, action: string, query: Args = {}, idleMs = PATIENCE_MS) =>
  docker.json("POST", `/containers/${part(name)}/${action}`, { query, idleMs });

const stateOrNull = async (docker: DockerClient, name: unknown): Promise<string | null> => {
  try {
    return await stateOf(docker, name);
  } catch (error) {
    if (error instanceof CommandExecutionError) return null;
    throw error;
  }
};

interface Changed {
  result: boolean;
  state: { old: string; new: string | null };
  comment?: string;
  restarted?: boolean;
}

async function change(
  docker: DockerClient,
  name: unknown,
  action: string,
  expected: string,
  query: Args = {},
): Promise<Changed> {
  const before = await stateOf(docker, name);
  if (action !== "restart" && before === expected) {
    return unchanged(before, `Container '${str(name)}' already ${expected}`);
  }
  const seconds = typeof query.t === "number" ? query.t : 0;
  await post(docker, name, action, query, PATIENCE_MS + seconds * 1000);
  const after = await stateOrNull(docker, name);
  return { result: after === expected, state: { old: before, new: after } };
}

const unchanged = (state: string, comment: string): Changed => ({
  result: false,
  state: { old: state, new: state },
  comment,
});

export async function start(docker: DockerClient, name: unknown): Promise<Changed> {
  const state = await stateOf(docker, name);
  if (state === "paused") return unchanged(state, `Container '${str(name)}' is paused, cannot start`);
  return await change(docker, name, "start", "running");
}

export async function pauseContainer(docker: DockerClient, name: unknown, wanted: boolean): Promise<Changed> {
  const state = await stateOf(docker, name);
  const action = wanted ? "pause" : "unpause";
  if (state === "stopped") return unchanged(state, `Container '${str(name)}' is stopped, cannot ${action}`);
  return await change(docker, name, action, wanted ? "paused" : "running");
}

export const killContainer = (docker: DockerClient, name: unknown): Promise<Changed> =>
  change(docker, name, "kill", "stopped");

export async function restart(docker: DockerClient, { name, timeout }: Args): Promise<Changed> {
  const done = await change(docker, name, "restart", "running", { t: Number(timeout) });
  return done.result ? { ...done, restarted: true } : done;
}

export async function stop(docker: DockerClient, { name, timeout, kwargs }: Args): Promise<Changed> {
  const { Config: config = {} } = timeout === null ? await inspectContainer(docker, name) as { Config?: Args } : {};
  const seconds = Number(timeout ?? config.StopTimeout ?? SHUTDOWN_SECONDS);
  const state = await stateOf(docker, name);
  if (state === "paused") {
    if (!truthy((kwargs as Args).unpause ?? false)) {
      return unchanged(state, `Container '${str(name)}' is paused, run with unpause=True to unpause before stopping`);
    }
    const unpaused = await change(docker, name, "unpause", "running");
    if (!unpaused.result) return { ...unpaused, comment: `Failed to unpause container '${str(name)}'` };
  }
  const done = await change(docker, name, "stop", "stopped", { t: seconds });
  return { ...done, state: { ...done.state, old: state } };
}

export async function signal(docker: DockerClient, name: unknown, number: unknown): Promise<true> {
  await post(docker, name, "kill", { signal: number });
  return true;
}

/** `docker.wait`: until a container stops, however long that is. */
export async function wait(
  docker: DockerClient,
  { name, ignore_already_stopped: ignore, fail_on_exit_status: fail }: Args,
): Promise<Args> {
  const before = await stateOrNull(docker, name);
  if (before === null) return { result: truthy(ignore), comment: `Container '${str(name)}' absent` };
  const response = await post(docker, name, "wait", {}, Infinity) as Args;
  const after = await stateOrNull(docker, name);
  const already = before === "stopped";
  const result = already ? truthy(ignore) : after === "stopped";
  return {
    result: result && !(truthy(fail) && response.StatusCode !== 0),
    state: { old: before, new: after },
    exit_status: response,
    ...(already ? { comment: `Container '${str(name)}' already stopped` } : {}),
  };
}

/** `docker.rm`: the ids of what is gone. */
export async function removeContainer(context: JobContext, { name, force, volumes, kwargs }: Args): Promise<string[]> {
  const docker = new DockerClient(context);
  const { stop: stopFirst = false, timeout = null } = keywords(kwargs, "stop", "timeout");
  if (await stateOf(docker, name) === "running" && !truthy(force) && !truthy(stopFirst)) {
    throw new CommandExecutionError(
      `Container '${str(name)}' is running, use force=True to forcibly remove this container`,
    );
  }
  const before = Object.keys(await containers(docker, { all: true }));
  let gone = false;
  if (truthy(stopFirst) && !truthy(force)) {
    const { HostConfig: host = {} } = await inspectContainer(docker, name) as { HostConfig?: Args };
    gone = truthy(host.AutoRemove ?? false);
    await stop(docker, { name, timeout, kwargs: {} });
  }
  if (!gone) {
    const query = { v: truthy(volumes), link: false, force: truthy(force) };
    await docker.json("DELETE", `/containers/${part(name)}`, { query });
  }
  const after = Object.keys(await containers(docker, { all: true }));
  await refreshMine(context);
  return before.filter((id) => !after.includes(id));
}

export async function renameContainer(docker: DockerClient, name: unknown, newName: unknown): Promise<boolean> {
  const { Id: id } = await inspectContainer(docker, name);
  await post(docker, id, "rename", { name: newName });
  return (await inspectContainer(docker, newName)).Id === id;
}
