/** `docker.create` and `docker.run_container`. */
import { CommandExecutionError, type JobContext, SaltInvocationError } from "../../../model/loader/family.ts";
import { type Args, entriesOf, isMap, str, truthy } from "../../../language/python/values.ts";
import { DockerClient, part } from "../../docker/client.ts";
import { endpointConfig, newContainer } from "../../docker/create_options.ts";
import { readPrinted } from "../../docker/streams.ts";
import { pull } from "./images.ts";
import { removeContainer, start } from "./lifecycle.ts";
import { imageId, inspectContainer, refreshMine, stateOf } from "./objects.ts";

/** The place of a container in the one network that it is made in. */
function networkingConfig({ networks, network_mode: mode }: Args): Args {
  if (!isMap(networks) || typeof mode !== "string") return {};
  const own = entriesOf(networks).find(([name]) => name === mode)?.[1];
  const config = isMap(own) ? endpointConfig(Object.fromEntries(entriesOf(own))) : {};
  return own === undefined ? {} : { networking_config: { EndpointsConfig: { [mode]: config } } };
}

/** Makes a container; what the daemon answers, with the name and the seconds that it took. */
async function make(context: JobContext, docker: DockerClient, args: Args, kwargs: Args): Promise<Args> {
  const { image, name, ignore_collisions, validate_ip_addrs } = args;
  const { inspect = true, networks: _, ...options } = kwargs;
  if (truthy(inspect) && await imageId(docker, image) === false) await pull(context, docker, { image });
  const checks = { checked: truthy(validate_ip_addrs), ignoreCollisions: truthy(ignore_collisions) };
  const { body, unknown } = newContainer(image, { ...options, ...networkingConfig(kwargs) }, checks);
  if (unknown.length > 0) {
    context.log.warning("options of a container that Docker does not have", { options: unknown.sort() });
  }
  const begun = context.runtime.clock.elapsed();
  const made = await docker.json("POST", "/containers/create", { query: { name }, json: body }) as Args;
  const found = name ?? str((await inspectContainer(docker, made.Id)).Name).replace(/^\/+/, "");
  return { ...made, Time_Elapsed: (context.runtime.clock.elapsed() - begun) / 1000, Name: found };
}

export async function createContainer(context: JobContext, args: Args): Promise<Args> {
  const docker = new DockerClient(context);
  const response = await make(context, docker, args, args.kwargs as Args);
  if (truthy(args.start)) {
    try {
      await start(docker, response.Name);
    } catch (error) {
      if (!(error instanceof CommandExecutionError)) throw error;
      const info = { response, error: error.message };
      throw new CommandExecutionError("Failed to start container after creation", { info });
    }
    response.Started = true;
  }
  await refreshMine(context);
  return response;
}

/** Options of `docker.logs` that come with those of a container. */
const LOG_OPTIONS = ["stdout", "stderr", "timestamps", "tail", "since", "until", "follow", "stream"];

/** Takes a container of that name away, if that is allowed. */
async function makeRoom(context: JobContext, docker: DockerClient, { name, replace, force }: Args): Promise<string[]> {
  if (name === null) return [];
  let before: string;
  try {
    before = await stateOf(docker, name);
  } catch (error) {
    if (error instanceof CommandExecutionError) return [];
    throw error;
  }
  const container = `Container '${str(name)}' exists`;
  if (before === "running" && !(truthy(replace) && truthy(force))) {
    throw new CommandExecutionError(
      `${container} and is running. Run with replace=True and force=True to force removal of the existing container.`,
    );
  }
  if (!truthy(replace)) {
    throw new CommandExecutionError(`${container}. Run with replace=True to remove the existing container`);
  }
  return await removeContainer(context, { name, force, volumes: false, kwargs: {} });
}

/** Networks by name, each with the container's place in it. */
function networksOf(value: unknown): [string, Args][] {
  if (!truthy(value)) return [];
  if (typeof value === "string") return value.split(",").map((name) => [name, {}]);
  const entries = isMap(value) ? entriesOf(value) : undefined;
  if (entries === undefined || !entries.every(([, of]) => isMap(of))) {
    throw new SaltInvocationError("Invalid format for networks argument");
  }
  return entries.map(([name, of]) => [str(name), Object.fromEntries(entriesOf(of as Args))]);
}

export async function connectNetworks(
  docker: DockerClient,
  container: unknown,
  network: unknown,
  kwargs: Args,
): Promise<true> {
  const json = { Container: container, EndpointConfig: endpointConfig(kwargs) };
  await docker.json("POST", `/networks/${part(network)}/connect`, { json });
  return true;
}

/** What a container prints until it ends, and how it ended. */
async function follow(docker: DockerClient, id: unknown, tty: boolean, autoRemove: boolean): Promise<Args> {
  const query = { stdout: 1, stderr: 1, timestamps: 0, follow: 1, tail: "all" };
  const warnings: string[] = [];
  let printed = "";
  try {
    const { body } = await docker.open("GET", `/containers/${part(id)}/logs`, { query, idleMs: Infinity });
    printed = (await readPrinted(body, tty)).all;
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    warnings.push(
      "Failed to get logs from container. This may be because the container exited before Salt was able to attach to it " +
        "to retrieve the logs. Consider setting auto_remove to False.",
    );
  }
  const ended: Args = {};
  if (!autoRemove) {
    await docker.json("POST", `/containers/${part(id)}/wait`, { idleMs: Infinity });
    const { State: state = {} } = await inspectContainer(docker, id) as { State?: Args };
    if (state.Status !== "exited") warnings.push("Container state is not 'exited'");
    ended.ExitCode = state.ExitCode;
  }
  return { Logs: printed, ...ended, ...(warnings.length > 0 ? { Warnings: warnings } : {}) };
}

/** `docker.run_container`: a new container, run to its end unless `bg` says no. */
export async function runContainer(context: JobContext, args: Args): Promise<Args> {
  const docker = new DockerClient(context);
  const { bg } = args;
  const entries = Object.entries(args.kwargs as Args).filter(([name]) => !LOG_OPTIONS.includes(name));
  const kwargs = Object.fromEntries(entries);
  const networks = networksOf(args.networks);
  const replaced = await makeRoom(context, docker, args);
  const begun = context.runtime.clock.elapsed();
  const ret = await make(context, docker, args, kwargs);
  if (replaced.length > 0) ret.Replaces = replaced;
  const { Config: config, HostConfig: host } = await inspectContainer(docker, ret.Id) as Record<string, Args>;
  const autoRemove = host?.AutoRemove === true;
  try {
    try {
      for (const [network, options] of networks) await connectNetworks(docker, ret.Id, network, options);
    } catch (error) {
      if (autoRemove) await removeContainer(context, { name: ret.Name, force: false, volumes: false, kwargs: {} });
      throw error;
    }
    await start(docker, ret.Id);
    if (!truthy(bg)) {
      const { Warnings: warnings, ...ended } = await follow(docker, ret.Id, config?.Tty === true, autoRemove);
      Object.assign(ret, ended);
      if (warnings !== undefined) ret.Warnings = [...(ret.Warnings as string[] | null ?? []), ...warnings as string[]];
    }
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    throw new CommandExecutionError(error.message, { info: { return: ret } });
  }
  ret.Time_Elapsed = (context.runtime.clock.elapsed() - begun) / 1000;
  await refreshMine(context);
  return ret;
}
