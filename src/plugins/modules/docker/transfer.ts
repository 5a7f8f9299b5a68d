/** Files between this host, containers and images. */
import { joinPath } from "../../../base/paths.ts";
import type { JobContext } from "../../../model/loader/family.ts";
import { CommandExecutionError, executionFunction, SaltInvocationError } from "../../../model/loader/family.ts";
import { messageOf } from "../../../base/errors.ts";
import { basename, dirname } from "../../../language/python/posixpath.ts";
import { type Args, str, truthy } from "../../../language/python/values.ts";
import { runAll } from "../../commands.ts";
import { DockerClient, fileBytes, imagePart, part } from "../../docker/client.ts";
import { firstFile, tarOf } from "../../docker/tar.ts";
import { exists, isDirectory, isFile } from "../../linux/paths.ts";
import { temporaryPath } from "../../host_files.ts";
import { runWords } from "./exec.ts";
import { cachedFile, tag as tagImage } from "./images.ts";
import { humanSize, images, inspectImage, stateOf, topLevel } from "./objects.ts";

async function needRunning(docker: DockerClient, name: unknown): Promise<void> {
  if (await stateOf(docker, name) !== "running") {
    throw new CommandExecutionError(`Container '${str(name)}' is not running`);
  }
}

/** Makes the directory of a path, if that is allowed. */
function needDirectory(context: JobContext, directory: string, makedirs: unknown, missing: Error): void {
  if (isDirectory(context.runtime.fs, directory)) return;
  if (!truthy(makedirs)) throw missing;
  context.runtime.fs.mkdir(directory);
}

/** Writes a stream to a file, which is there whole or not at all. */
async function writeFile(context: JobContext, path: string, body: AsyncIterable<Uint8Array>): Promise<void> {
  const { fs } = context.runtime;
  const part = `${path}.${temporaryPath(context.runtime).slice(-12)}`;
  let at = 0;
  fs.write(part, "", { how: "create", mode: 0o644 });
  try {
    for await (const chunk of body) {
      fs.writeAt(part, at, chunk);
      at += chunk.length;
    }
    fs.replace(part, path);
  } catch (error) {
    fs.remove(part);
    throw error;
  }
}

const sumOf = async (docker: DockerClient, name: unknown, path: string): Promise<string | undefined> =>
  (await runWords(docker, name, ["sha256sum", path])).stdout.split(/\s/)[0];

/** `docker.copy_from`: a file of a container that runs, to this host; true if it is the same then. */
export async function copyFrom(
  context: JobContext,
  { name, source, dest, overwrite, makedirs }: Args,
): Promise<boolean> {
  const { fs } = context.runtime;
  const docker = new DockerClient(context);
  await needRunning(docker, name);
  const [from, given] = [str(source), str(dest)];
  if (!given.startsWith("/")) throw new SaltInvocationError("Destination path must be absolute");
  const to = isDirectory(fs, given) ? joinPath(given, basename(from)) : given;
  needDirectory(
    context,
    dirname(to),
    makedirs,
    new SaltInvocationError(`Directory ${dirname(to)} does not exist`),
  );
  if (!truthy(overwrite) && exists(fs, to)) {
    throw new CommandExecutionError(
      `Destination path ${to} already exists. Use overwrite=True to overwrite it`,
    );
  }
  if (!from.startsWith("/")) throw new SaltInvocationError("Source path must be absolute");
  if ((await runWords(docker, name, ["test", "-e", from])).retcode !== 0) {
    throw new SaltInvocationError(`Source file ${from} does not exist`);
  }
  if ((await runWords(docker, name, ["test", "-f", from])).retcode !== 0) {
    throw new SaltInvocationError("Source must be a regular file");
  }
  const sum = await sumOf(docker, name, from);
  const here = async () => isFile(fs, to) ? await context.call("file.get_sum", [to, "sha256"]) : undefined;
  if (sum === await here()) return true;
  const { body } = await docker.open("GET", `/containers/${part(name)}/archive`, { query: { path: from } });
  await writeFile(context, to, firstFile(body));
  return sum === await here();
}

/** `docker.copy_to`: a file of this host or the master, into a container that runs. */
export async function copyTo(context: JobContext, { name, source, dest, overwrite, makedirs }: Args): Promise<boolean> {
  const { fs } = context.runtime;
  const docker = new DockerClient(context);
  const from = await cachedFile(context, source);
  await needRunning(docker, name);
  if (!isFile(fs, from)) throw new SaltInvocationError(`Source file ${from} must be a regular file that exists`);
  let to = str(dest);
  if (!to.startsWith("/")) throw new SaltInvocationError("Destination path must be absolute");
  const test = async (flag: string, path: string) => (await runWords(docker, name, ["test", flag, path])).retcode === 0;
  if (await test("-d", to)) to = joinPath(to, basename(from));
  else if (!await test("-d", dirname(to))) {
    if (!truthy(makedirs)) {
      throw new CommandExecutionError(
        `Directory ${dirname(to)} does not exist on docker container '${str(name)}'`,
      );
    }
    await runWords(docker, name, ["mkdir", "-p", dirname(to)]);
  }
  if (!truthy(overwrite) && await test("-e", to)) {
    throw new CommandExecutionError(`Destination path ${to} already exists. Use overwrite=True to overwrite it`);
  }
  const sum = await context.call("file.get_sum", [from, "sha256"]);
  if (sum === await sumOf(docker, name, to)) return true;
  const body = tarOf(basename(to), fs.stat(from)!.size, fileBytes(context, from));
  await docker.json("PUT", `/containers/${part(name)}/archive`, { query: { path: dirname(to) }, body });
  return sum === await sumOf(docker, name, to);
}

const PACKERS: Readonly<Record<string, string>> = {
  gzip: "gzip",
  gz: "gzip",
  bzip2: "bzip2",
  bz2: "bzip2",
  xz: "xz",
  lzma: "xz",
};
const ENDINGS: readonly [RegExp, string][] = [[/\.(tar\.gz|tgz)$/, "gzip"], [/\.(tar\.bz2|tbz2)$/, "bzip2"], [
  /\.(tar\.xz|txz)$/,
  "xz",
]];

/** Puts a stream into a file, packed as is asked for or as its name says. */
async function store(context: JobContext, args: Args, open: () => Promise<AsyncIterable<Uint8Array>>): Promise<Args> {
  const { fs, clock } = context.runtime;
  const path = str(args.path);
  if (!path.startsWith("/")) throw new SaltInvocationError(`Path '${path}' is not absolute`);
  if (exists(fs, path) && !truthy(args.overwrite)) throw new CommandExecutionError(`${path} already exists`);
  const compression = args.compression === null ? ENDINGS.find(([end]) => end.test(path))?.[1] : str(args.compression);
  const packer = compression === undefined ? undefined : PACKERS[compression];
  if (compression !== undefined && packer === undefined) {
    throw new SaltInvocationError(`Invalid compression type '${compression}'`);
  }
  needDirectory(
    context,
    dirname(path),
    args.makedirs,
    new CommandExecutionError(
      `Parent dir ${dirname(path)} of destination path does not exist. Use makedirs=True to create it.`,
    ),
  );
  const begun = clock.elapsed();
  const body = await open();
  try {
    await writeFile(context, path, body);
    if (packer !== undefined) {
      const { retcode, stderr } = await runAll(
        context,
        [packer, "-f", "-S", ".packed", path].filter((word) => packer !== "bzip2" || !["-S", ".packed"].includes(word)),
      );
      if (retcode !== 0) throw new Error(stderr);
      fs.replace(`${path}${packer === "bzip2" ? ".bz2" : ".packed"}`, path);
    }
  } catch (error) {
    fs.remove(path);
    throw new CommandExecutionError(`Error occurred while writing ${path}: ${messageOf(error)}`);
  }
  const { size } = fs.stat(path)!;
  const ret: Args = {
    Time_Elapsed: (clock.elapsed() - begun) / 1000,
    Path: path,
    Size: size,
    Size_Human: humanSize(size),
  };
  if (truthy((args.kwargs as Args).push ?? false)) ret.Push = await context.call("cp.push", [path]);
  return ret;
}

/** `docker.export`: a container's files as an archive. */
export const exportContainer = (context: JobContext, args: Args): Promise<Args> =>
  store(context, args, async () => {
    const path = `/containers/${part(args.name)}/export`;
    return (await new DockerClient(context).open("GET", path, { idleMs: Infinity })).body;
  });

/** `docker.save`: an image as an archive. */
export const saveImage = (context: JobContext, args: Args): Promise<Args> =>
  store(context, args, async () => {
    const docker = new DockerClient(context);
    const { Id: id, RepoTags: tags } = await inspectImage(docker, args.name) as {
      Id: string;
      RepoTags: string[] | null;
    };
    const name = tags?.includes(str(args.name)) ? args.name : id;
    return (await docker.open("GET", `/images/${imagePart(name)}/get`, { idleMs: Infinity })).body;
  });

/** `docker.load`: images of an archive. */
export const loadImages = executionFunction({
  signature: "path, repository=None, tag=None",
  doc: "Takes images from an archive.\n\n    salt '*' docker.load /tmp/cent7.tar\n\nrepository, tag: a name for them",
  async run(context, { path, repository, tag }): Promise<Args> {
    const { fs, clock } = context.runtime;
    if (truthy(repository) !== truthy(tag)) {
      throw new SaltInvocationError("If tagging, both a repository and tag are required");
    }
    const file = await cachedFile(context, path);
    if (!isFile(fs, file)) throw new CommandExecutionError(`Source file ${str(path)} does not exist`);
    const docker = new DockerClient(context);
    const before = Object.keys(await images(docker, { all: true }));
    const begun = clock.elapsed();
    try {
      await docker.json("POST", "/images/load", {
        query: { quiet: 1 },
        body: fileBytes(context, file),
        idleMs: Infinity,
      });
    } catch (error) {
      if (!(error instanceof CommandExecutionError)) throw error;
      throw new CommandExecutionError(`Failed to load image(s) from ${str(path)}: ${error.message}`);
    }
    const all = await images(docker, { all: true });
    const loaded = Object.keys(all).filter((id) => !before.includes(id));
    const ret: Args = {
      Time_Elapsed: (clock.elapsed() - begun) / 1000,
      Path: path,
      Layers: loaded.map((id) => id.slice(0, 12)),
    };
    if (!truthy(repository)) return ret;
    const top = topLevel(all, loaded);
    if (top.length !== 1) {
      const warning = top.length > 1
        ? `More than one top-level image layer was loaded (${top.join(", ")}), no image was tagged`
        : "No top-level image layers were loaded, no image was tagged";
      return { ...ret, Warning: warning };
    }
    await tagImage(docker, { name: top[0], repository, tag, force: false });
    return { ...ret, Image: `${str(repository)}:${str(tag)}` };
  },
});
