/** What the daemon tells of containers, images, networks and volumes, as Salt shows it. */
import { CommandExecutionError, type JobContext, SaltInvocationError } from "../../../model/loader/family.ts";
import { compileGlob } from "../../../language/python/glob.ts";
import { type Args, repr, str, truthy } from "../../../language/python/values.ts";
import { strftime } from "../../../language/python/strftime.ts";
import { type DockerClient, DockerError, filterText, imagePart, part } from "../../docker/client.ts";

export const TIME_FORMAT = "%Y-%m-%d %H:%M:%S %Z";
export const localTime = (seconds: unknown): string => strftime(new Date(Number(seconds) * 1000), TIME_FORMAT);

/** `1.5 MiB` */
export function humanSize(bytes: unknown): string {
  let number = Number(bytes);
  if (number < 1024) return `${number} bytes`;
  for (const unit of ["KiB", "MiB", "GiB", "TiB"]) {
    number /= 1024;
    if (number < 1024) return `${number.toFixed(1)} ${unit}`;
  }
  return `${(number / 1024).toFixed(1)} PiB`;
}

const withSizes = (value: Args): Args => {
  const sizes = ["Size", "VirtualSize"].filter((name) => name in value);
  return { ...value, ...Object.fromEntries(sizes.map((name) => [`${name}_Human`, humanSize(value[name])])) };
};

/** An entry of a list: without its id, with the time of its making as text. */
function listed({ Id: _, Created: created, ...others }: Args): Args {
  const times = created === undefined ? {} : { Time_Created_Epoch: created, Time_Created_Local: localTime(created) };
  return { ...others, ...times };
}

export const inspectContainer = async (docker: DockerClient, name: unknown): Promise<Args> =>
  await docker.get(`/containers/${part(name)}/json`) as Args;

export const inspectImage = async (docker: DockerClient, name: unknown): Promise<Args> =>
  withSizes(await docker.get(`/images/${imagePart(name)}/json`) as Args);

export const inspectNetwork = async (docker: DockerClient, name: unknown): Promise<Args> =>
  await docker.get(`/networks/${part(name)}`) as Args;

export const inspectVolume = async (docker: DockerClient, name: unknown): Promise<Args> =>
  await docker.get(`/volumes/${part(name)}`) as Args;

/** The value, or undefined if there is no such thing. */
async function ifThere<T>(value: Promise<T>): Promise<T | undefined> {
  try {
    return await value;
  } catch (error) {
    if (error instanceof DockerError && error.status === 404) return undefined;
    throw error;
  }
}

/** `docker.inspect`: a container, an image, a volume or a network. */
export async function inspect(docker: DockerClient, name: unknown): Promise<Args> {
  for (const one of [inspectContainer, inspectImage, inspectVolume, inspectNetwork]) {
    const found = await ifThere(one(docker, name));
    if (found !== undefined) return found;
  }
  throw new CommandExecutionError(`Error 404: No such image/container/volume/network: ${str(name)}`);
}

/** `paused`, `running` or `stopped` */
export async function stateOf(docker: DockerClient, name: unknown): Promise<string> {
  const { State: state = {} } = await inspectContainer(docker, name) as { State?: Args };
  return truthy(state.Paused) ? "paused" : truthy(state.Running) ? "running" : "stopped";
}

export async function containerExists(docker: DockerClient, name: unknown): Promise<boolean> {
  try {
    await inspectContainer(docker, name);
    return true;
  } catch (error) {
    if (error instanceof DockerError) return false;
    throw error;
  }
}

export interface ListOptions {
  /** Also those that do not run; also images without a name. @default false */
  all?: boolean;
  /** With everything that is known of each. @default false */
  verbose?: boolean;
  filters?: unknown;
}

/** `docker.ps`: id → container. */
export async function containers(docker: DockerClient, options: ListOptions = {}): Promise<Record<string, Args>> {
  const query = { limit: -1, all: 1, size: 0, trunc_cmd: 0, filters: filterText(options.filters) };
  const response = await docker.get("/containers/json", query) as Args[];
  const runs = (one: Args) => str(one.Status ?? "").toLowerCase().startsWith("up ");
  const chosen = [...response.filter(runs), ...(options.all === true ? response.filter((one) => !runs(one)) : [])];
  const found = Object.fromEntries(chosen.map((one) => [str(one.Id), listed(one)]));
  if (options.verbose === true) {
    for (const [id, one] of Object.entries(found)) one.Info = await inspectContainer(docker, id);
  }
  return found;
}

const withoutSlash = (name: unknown): string => str(name).replace(/^\/+/, "");

export const namesOfContainer = ({ Names: names }: Args): string[] =>
  (names as string[] | null ?? []).map(withoutSlash);

export async function containerNames(docker: DockerClient, all: boolean): Promise<string[]> {
  return [...new Set(Object.values(await containers(docker, { all })).flatMap(namesOfContainer))].sort();
}

/** `docker.images`: id → image. */
export async function images(docker: DockerClient, options: ListOptions = {}): Promise<Record<string, Args>> {
  const all = options.all === true;
  const response = await docker.get("/images/json", { only_ids: 0, all: all ? 1 : 0 }) as Args[];
  const tagged = ({ RepoTags: tags }: Args) => tags !== null && JSON.stringify(tags) !== '["<none>:<none>"]';
  const chosen = [...response.filter(tagged), ...(all ? response.filter((one) => !tagged(one)) : [])];
  const found = Object.fromEntries(chosen.map((one) => [str(one.Id), withSizes(listed(one))]));
  if (options.verbose === true) {
    for (const [id, one] of Object.entries(found)) one.Info = await inspectImage(docker, id);
  }
  return found;
}

export async function imageTags(docker: DockerClient): Promise<string[]> {
  const tags = Object.values(await images(docker)).flatMap((one) => one.RepoTags as string[] | null ?? []);
  return [...new Set(tags)].sort();
}

/** The id of an image, or false. */
export async function imageId(docker: DockerClient, name: unknown): Promise<string | false> {
  try {
    return str((await inspectImage(docker, name)).Id);
  } catch (error) {
    if (error instanceof CommandExecutionError) return false;
    throw error;
  }
}

/** The first name of an image, or all; its id if it has none; false if there is no such image. */
export async function resolveTag(docker: DockerClient, name: unknown, all: boolean): Promise<unknown> {
  try {
    const { Id: id, RepoTags: tags } = await inspectImage(docker, name) as { Id: string; RepoTags: string[] | null };
    const found = tags !== null && tags.length > 0 ? tags : [id];
    return all ? found : found[0];
  } catch (error) {
    if (error instanceof CommandExecutionError) return false;
    throw error;
  }
}

const SHELL_PREFIX = /^\/bin\/sh -c (?:#\(nop\) )?/;

/** `docker.history`: the steps by which an image was made, the first first. */
export async function history(docker: DockerClient, name: unknown, quiet: boolean): Promise<unknown[]> {
  const response = await docker.get(`/images/${imagePart(name)}/history`) as Args[];
  const steps = response.reverse().map(({ CreatedBy: command, Created: created, ...others }) => ({
    ...others,
    Command: truthy(command) ? str(command).replace(SHELL_PREFIX, "") : "FROM scratch",
    Time_Created_Epoch: created,
    Time_Created_Local: localTime(created),
    Size_Human: humanSize(others.Size),
  }));
  return quiet ? steps.map(({ Command: command }) => command) : steps;
}

/** What an image is needed by. */
export async function depends(
  docker: DockerClient,
  name: unknown,
): Promise<{ Containers: string[]; Images: string[] }> {
  const { Id: id } = await inspectImage(docker, name);
  const users = Object.values(await containers(docker, { all: true, verbose: true }))
    .filter(({ Info: info }) => (info as Args).Image === id);
  const children = Object.entries(await images(docker, { all: true })).filter(([, one]) => one.ParentId === id);
  return { Containers: users.flatMap(namesOfContainer), Images: children.map(([one]) => one.slice(0, 12)) };
}

const KINDS = ["Changed", "Added", "Deleted"];

/** `docker.diff`: what changed in a container since it was made. */
export async function containerDiff(docker: DockerClient, name: unknown): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const { Kind: kind, Path: path } of (await docker.get(`/containers/${part(name)}/changes`) ?? []) as Args[]) {
    (found[KINDS[Number(kind)] ?? "Unknown"] ??= []).push(str(path));
  }
  return found;
}

export async function containerTop(docker: DockerClient, name: unknown): Promise<Record<string, string>[]> {
  const { Titles: titles, Processes: processes } = await docker.get(`/containers/${part(name)}/top`) as {
    Titles: string[];
    Processes: string[][] | null;
  };
  return (processes ?? []).map((one) => Object.fromEntries(one.map((value, at) => [titles[at]!, value])));
}

/** What of a container's ports is asked for, as a glob. */
function portPattern(port: unknown): string {
  if (port === null) return "*";
  if (typeof port === "number") return `${port}/*`;
  const [, number, protocol] = /^(\d+)\/(tcp|udp)$/i.exec(str(port)) ?? [];
  if (number === undefined) {
    throw new SaltInvocationError(
      `Invalid private_port '${
        str(port)
      }'. Must either be a port number, or be in port/protocol notation (e.g. 5000/tcp)`,
    );
  }
  return `${number}/${protocol!.toLowerCase()}`;
}

/** `docker.port` of a container, or by name for a glob. */
export async function containerPorts(docker: DockerClient, name: string, port: unknown): Promise<unknown> {
  const fits = compileGlob(portPattern(port));
  const many = /[*?[]/.test(name);
  const names = many ? (await containerNames(docker, true)).filter(compileGlob(name)) : [name];
  const found: Record<string, Args> = {};
  for (const one of names) {
    const { NetworkSettings: settings = {} } = await inspectContainer(docker, one) as { NetworkSettings?: Args };
    const mappings = Object.entries(settings.Ports as Args | null ?? {});
    found[one] = Object.fromEntries(mappings.filter(([key]) => fits(key)));
  }
  return many ? found : found[name] ?? {};
}

const numbersOf = (version: unknown): number[] | undefined =>
  /^[\d.]+/.exec(str(version ?? ""))?.[0].split(".").filter((one) => one !== "").map(Number);

export async function version(docker: DockerClient): Promise<Args> {
  const found = await docker.get("/version") as Args;
  const own = numbersOf(found.Version);
  const api = numbersOf(found.ApiVersion);
  return { ...found, ...(own && { VersionInfo: own }), ...(api && { ApiVersionInfo: api }) };
}

const SEARCH_NAMES: Readonly<Record<string, string>> = {
  description: "Description",
  is_official: "Official",
  is_trusted: "Trusted",
  star_count: "Stars",
};

export async function searchImages(
  docker: DockerClient,
  { name, official, trusted }: Args,
): Promise<Record<string, Args>> {
  const response = await docker.get("/images/search", { term: name }) as Args[] | null;
  if (response === null || response.length === 0) {
    throw new CommandExecutionError(`No images matched the search string '${str(name)}'`);
  }
  const limits = [...(truthy(official) ? ["Official"] : []), ...(truthy(trusted) ? ["Trusted"] : [])];
  const found = response.map(({ name: of, ...others }): [string, Args] => [
    str(of),
    Object.fromEntries(Object.entries(others).map(([key, value]) => [SEARCH_NAMES[key] ?? key, value])),
  ]);
  return Object.fromEntries(
    found.filter(([, one]) => limits.length === 0 || limits.some((limit) => truthy(one[limit]))),
  );
}

export async function networksNamed(docker: DockerClient, names: unknown, ids: unknown): Promise<Args[]> {
  const list = (value: unknown) =>
    Array.isArray(value) ? value.map(str) : value === null ? [] : str(value).split(",").map((one) => one.trim());
  const filters = {
    ...(list(names).length > 0 ? { name: list(names) } : {}),
    ...(list(ids).length > 0 ? { id: list(ids) } : {}),
  };
  const found = await docker.get("/networks", { filters }) as Args[];
  for (const one of found) {
    const { Containers: inside } = await ifThere(inspectNetwork(docker, one.Id)) ?? {};
    if (truthy(inside)) one.Containers = inside;
  }
  return found;
}

/** The containers in a network: name → what is known of each there. */
export async function connectedContainers(docker: DockerClient, name: unknown): Promise<Record<string, Args>> {
  const { Containers: inside = {} } = await inspectNetwork(docker, name) as { Containers?: Record<string, Args> };
  return Object.fromEntries(
    Object.entries(inside).filter(([, one]) => one.Name !== undefined)
      .map(([id, { Name: own, ...others }]) => [str(own), { ...others, Id: id }]),
  );
}

/** Images that no other image is made of. */
export function topLevel(all: Record<string, Args>, subset: readonly string[] = Object.keys(all)): string[] {
  const parents = new Set(Object.values(all).map((one) => one.ParentId));
  return subset.filter((id) => !parents.has(id));
}

/** A list of words, given as such or with commas. */
export const shellWordsOf = (value: unknown): string[] => {
  if (value === null || value === undefined || value === "") return [];
  if (Array.isArray(value)) return value.map(str);
  if (typeof value === "string") return value.split(",").map((one) => one.trim());
  throw new SaltInvocationError(`Expected a list or a text, got ${repr(value)}`);
};

/** Tells the mine of this host's containers, unless `docker.update_mine` says no. */
export async function refreshMine(context: JobContext): Promise<void> {
  if (context.master === undefined) return;
  const wanted = await context.call("config.option", ["docker.update_mine", true]);
  if (truthy(wanted)) await context.call("mine.send", ["docker.ps"], { verbose: true, all: true, host: true });
}
