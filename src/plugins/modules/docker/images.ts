/** Images that come, go, and get names. */
import { CommandExecutionError, type JobContext, SaltInvocationError } from "../../../model/loader/family.ts";
import { messageOf } from "../../../base/errors.ts";
import { type Args, isMap, str, truthy } from "../../../language/python/values.ts";
import { runAll } from "../../commands.ts";
import { DockerClient, DockerError, fileBytes, imagePart, jsonLines } from "../../docker/client.ts";
import { registryHeader } from "../../docker/registry.ts";
import { isDirectory } from "../../linux/paths.ts";
import { temporaryPath } from "../../host_files.ts";
import { depends, images, imageTags, inspectImage, resolveTag, topLevel } from "./objects.ts";

const seconds = (context: JobContext, begun: number): number => (context.runtime.clock.elapsed() - begun) / 1000;

/** `registry:5000/name` and `tag` of an image's name; a digest counts as a tag. */
export function splitTag(image: string): { repository: string; tag: string | undefined } {
  const digest = image.indexOf("@");
  if (digest >= 0) return { repository: image.slice(0, digest), tag: image.slice(digest + 1) };
  const colon = image.lastIndexOf(":");
  return colon < 0 || image.slice(colon).includes("/")
    ? { repository: image, tag: undefined }
    : { repository: image.slice(0, colon), tag: image.slice(colon + 1) };
}

function errorText(event: Args): string | undefined {
  if (!isMap(event.errorDetail)) return undefined;
  const { code, message } = event.errorDetail as Args;
  return code === undefined ? str(message) : `${str(code)}: ${str(message)}`;
}

type Layers = { Already_Pulled?: string[]; Pulled?: string[] };

function note(layers: Record<string, string[]>, key: string, id: unknown): void {
  const list = layers[key] ??= [];
  if (!list.includes(str(id))) list.push(str(id));
}

export async function pull(context: JobContext, docker: DockerClient, { image, api_response }: Args): Promise<Args> {
  const before = Object.keys(await images(docker, { all: true })).map((id) => id.slice(0, 12));
  const { repository, tag = "latest" } = splitTag(str(image));
  const begun = context.runtime.clock.elapsed();
  const headers = registryHeader(context, repository);
  const request = { query: { fromImage: repository, tag }, headers };
  const { body } = await docker.open("POST", "/images/create", request);
  const ret: Args = { retcode: 0 };
  const layers: Layers = {};
  const errors: string[] = [];
  const events: Args[] = [];
  for await (const event of jsonLines(body)) {
    if (truthy(api_response)) events.push(event);
    const wrong = errorText(event);
    if (wrong !== undefined) errors.push(wrong);
    const { status, id } = event;
    if (typeof status !== "string") continue;
    if (status === "Already exists") note(layers, "Already_Pulled", id);
    else if (status === "Pull complete") note(layers, "Pulled", id);
    else if (status === "Download complete") note(layers, before.includes(str(id)) ? "Already_Pulled" : "Pulled", id);
    else if (status.startsWith("Status: ")) ret.Status = status.slice(8);
  }
  ret.Time_Elapsed = seconds(context, begun);
  if (Object.keys(layers).length > 0) ret.Layers = layers;
  if (truthy(api_response)) ret.API_Response = events;
  return errors.length > 0 ? { ...ret, Errors: errors, retcode: 1 } : ret;
}

export async function push(context: JobContext, { image, api_response }: Args): Promise<Args> {
  const docker = new DockerClient(context);
  const { repository, tag } = splitTag(str(image));
  const begun = context.runtime.clock.elapsed();
  // The daemon asks for this header even where it is of no use.
  const headers = { "X-Registry-Auth": "e30=", ...registryHeader(context, repository) };
  const { body } = await docker.open("POST", `/images/${imagePart(repository)}/push`, { query: { tag }, headers });
  const layers: Record<string, string[]> = {};
  const errors: string[] = [];
  const events: Args[] = [];
  for await (const event of jsonLines(body)) {
    if (truthy(api_response)) events.push(event);
    const wrong = errorText(event);
    if (wrong !== undefined) errors.push(wrong);
    const status = str(event.status ?? "").toLowerCase();
    if (event.id === undefined) continue;
    if (/already pushed|already exists/.test(status)) note(layers, "Already_Pushed", event.id);
    else if (status === "pushed" || status.includes("successfully pushed")) note(layers, "Pushed", event.id);
  }
  return {
    Time_Elapsed: seconds(context, begun),
    retcode: errors.length > 0 ? 1 : 0,
    ...(Object.keys(layers).length > 0 ? { Layers: layers } : {}),
    ...(truthy(api_response) ? { API_Response: events } : {}),
    ...(errors.length > 0 ? { Errors: errors } : {}),
  };
}

export async function tag(docker: DockerClient, { name, repository, tag: of, force }: Args): Promise<true> {
  const { Id: id } = await inspectImage(docker, name);
  const query = { tag: str(of), repo: str(repository), force: truthy(force) };
  await docker.json("POST", `/images/${imagePart(id)}/tag`, { query });
  return true;
}

/** `docker.rmi` */
export async function removeImages(context: JobContext, names: unknown[], kwargs: Args): Promise<Args> {
  const docker = new DockerClient(context);
  const before = Object.keys(await images(docker, { all: true }));
  const tags = await imageTags(docker);
  const errors: string[] = [];
  for (const name of names) {
    const { Id: id } = await inspectImage(docker, name);
    const query = { force: truthy(kwargs.force ?? false), noprune: !truthy(kwargs.prune ?? true) };
    try {
      await docker.json("DELETE", `/images/${imagePart(id)}`, { query });
    } catch (error) {
      if (!(error instanceof DockerError)) throw error;
      if (error.status !== 409) {
        errors.push(error.message);
        continue;
      }
      errors.push(error.explanation);
      const { Containers: users, Images: children } = await depends(docker, name);
      const by = [
        ...(users.length > 0 ? [`container(s): ${users.join(", ")}`] : []),
        ...(children.length > 0 ? [`image(s): ${children.join(", ")}`] : []),
      ];
      if (by.length > 0) errors.push(`Image is in use by ${by.join(" and ")}`);
    }
  }
  const after = Object.keys(await images(docker, { all: true }));
  const left = await imageTags(docker);
  const gone = { Layers: before.filter((id) => !after.includes(id)), Tags: tags.filter((one) => !left.includes(one)) };
  return errors.length > 0 ? { ...gone, retcode: 1, Errors: errors } : { ...gone, retcode: 0 };
}

export async function dangling(context: JobContext, { prune, force }: Args): Promise<unknown> {
  const all = await images(new DockerClient(context), { all: true });
  const found = topLevel(all).filter((id) => (all[id]!.RepoTags as unknown[] | null ?? []).length === 0)
    .map((id) => id.replace(/^sha256:/, "").slice(0, 12));
  if (!truthy(prune)) return found;
  const ret: Record<string, Args> = {};
  for (const id of found) {
    try {
      ret[id] = { Removed: await removeImages(context, [id], { force }) };
    } catch (error) {
      ret[id] = { Comment: messageOf(error), Removed: false };
    }
  }
  return ret;
}

export async function commit(context: JobContext, { name, repository, tag: of, message, author }: Args): Promise<Args> {
  const docker = new DockerClient(context);
  const begun = context.runtime.clock.elapsed();
  const query = { container: name, repo: str(repository), tag: str(of), comment: message, author };
  const response = await docker.json("POST", "/commit", { query, json: {} }) as Args;
  const id = response.Id ?? response.id ?? response.ID;
  if (id === undefined) throw new CommandExecutionError("No image ID was returned in API response");
  return { Time_Elapsed: seconds(context, begun), Id: id };
}

/** `docker.import`: an image of a tar archive, on this host or fetched. */
export async function importImage(
  context: JobContext,
  { source, repository, tag: of, api_response }: Args,
): Promise<Args> {
  const docker = new DockerClient(context);
  const path = await cachedFile(context, source);
  const begun = context.runtime.clock.elapsed();
  const query = { fromSrc: "-", repo: str(repository), tag: str(of) };
  const { body } = await docker.open("POST", "/images/create", { query, body: fileBytes(context, path) });
  const ret: Args = {};
  const errors: string[] = [];
  const events: Args[] = [];
  for await (const event of jsonLines(body)) {
    events.push(event);
    const wrong = errorText(event);
    if (wrong !== undefined) errors.push(wrong);
    if (/^(?:sha256:)?[0-9a-f]+$/.test(str(event.status ?? ""))) {
      Object.assign(ret, { Image: `${str(repository)}:${str(of)}`, Id: event.status });
    }
  }
  if (ret.Id === undefined) {
    const why = errors.length > 0 ? `. Error(s) follow:\n\n${errors.join("\n\n")}` : "";
    throw new CommandExecutionError(`Import failed for ${str(source)}${why}`);
  }
  return { Time_Elapsed: seconds(context, begun), ...(truthy(api_response) ? { API_Response: events } : {}), ...ret };
}

/** The path on this host of a file that may be the master's. */
export async function cachedFile(context: JobContext, source: unknown): Promise<string> {
  const path = str(source);
  if (path.startsWith("/")) return path;
  const cached = await context.call("cp.cache_file", [path]);
  if (!truthy(cached)) throw new CommandExecutionError(`Unable to cache ${path}`);
  return str(cached);
}

/** `docker.build` of a directory on this host. */
export async function build(context: JobContext, args: Args): Promise<Args> {
  const { path, repository, tag: of, fileobj, dockerfile, buildargs } = args;
  if (fileobj !== null) throw new SaltInvocationError("fileobj is a value of Python's: give a path");
  if (!truthy(repository) && truthy(of)) {
    throw new SaltInvocationError("If tagging, both a repository and tag are required");
  }
  const { fs } = context.runtime;
  if (path === null || !isDirectory(fs, str(path))) {
    throw new CommandExecutionError(`Unable to perform build: You must specify a directory to build in path`);
  }
  const name = truthy(repository) && truthy(of) ? `${str(repository)}:${str(of)}` : undefined;
  const docker = new DockerClient(context);
  const archive = temporaryPath(context.runtime, ".tar");
  const events: Args[] = [];
  const begun = context.runtime.clock.elapsed();
  try {
    const { retcode, stderr } = await runAll(context, ["tar", "-cf", archive, "-C", str(path), "."]);
    if (retcode !== 0) throw new CommandExecutionError(`Cannot pack ${str(path)}: ${stderr}`);
    const query = { t: name, q: false, nocache: !truthy(args.cache), rm: truthy(args.rm), dockerfile, buildargs };
    const { body } = await docker.open("POST", "/build", {
      query,
      body: fileBytes(context, archive),
      idleMs: Infinity,
    });
    for await (const event of jsonLines(body)) events.push(event);
  } finally {
    fs.remove(archive);
  }
  const streams = events.map(({ stream }) => str(stream ?? ""));
  const id = /Successfully built (\S+)/.exec(streams.findLast((one) => one.includes("Successfully built")) ?? "")?.[1];
  if (id === undefined) {
    const errors = events.map(errorText).filter((one) => one !== undefined);
    const why = errors.length > 0 ? `. Error(s) follow:\n\n${errors.join("\n\n")}` : "";
    throw new CommandExecutionError(`Build failed for ${str(path)}${why}`);
  }
  const between = streams.flatMap((one) => /Running in (\S+)/.exec(one)?.[1] ?? []);
  return {
    Time_Elapsed: seconds(context, begun),
    ...(truthy(args.rm) || between.length === 0 ? {} : { Intermediate_Containers: between }),
    Id: id,
    Image: await resolveTag(docker, id, true),
    ...(truthy(args.api_response) ? { API_Response: events } : {}),
  };
}
