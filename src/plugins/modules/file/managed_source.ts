import { messageOf } from "../../../base/errors.ts";
import { CommandExecutionError, type JobContext, SaltInvocationError } from "../../../model/loader/family.ts";
import { type Args, entriesOf, isMap, str, truthy } from "../../../language/python/values.ts";
import { exists } from "../../linux/paths.ts";
import { isTemplateEngine, Rendering, unsupportedEngine } from "../../../model/loader/rendering.ts";
import { renderedFile } from "../../templates.ts";
import { temporaryFile } from "../../host_files.ts";
import { cachedSource, localPath, schemeOf } from "../../sources.ts";
import { normalizeMode, permissions } from "./stats.ts";
import { hashFile, redacted, type SourceSum, sourceSum, sumOf } from "./hash.ts";

const REMOTE = ["salt", "http", "https", "ftp", "swift", "s3"];

/** The first of several sources that exists, with its hash. */
export async function sourceList(context: JobContext, args: Args): Promise<[unknown, unknown]> {
  const { source, source_hash: hash } = args;
  if (!Array.isArray(source)) return [source, hash];
  for (const item of source) {
    const [name, own] = isMap(item) ? entriesOf(item)[0] ?? ["", hash] : [item, hash];
    const url = str(name);
    if (await sourceExists(context, url, args)) return [name, truthy(own) ? own : hash];
  }
  throw new CommandExecutionError("none of the specified sources were found");
}

async function sourceExists(context: JobContext, url: string, args: Args): Promise<boolean> {
  const scheme = schemeOf(url);
  if (scheme === "salt") return truthy(await context.call("cp.hash_file", [url, args.saltenv ?? "base"]));
  if (scheme.startsWith("http")) {
    const answer = await context.call("http.query", [url], { method: "HEAD", decode_body: false });
    return isMap(answer) && !("error" in answer);
  }
  return localPath(url).startsWith("/") && exists(context.runtime.fs, localPath(url));
}

interface ManagedSource {
  /** Its copy on this minion; empty if there is none yet. */
  file: string;
  sum: Partial<SourceSum>;
  /** Why there is no content; empty if there is. */
  comment: string;
  rendered?: Uint8Array;
}

/**
 * The function `file.get_managed`: the path of the content on this minion, its hash, and an error message. What a template
 * renders to is in a temporary file, which {@link removeTemporary} removes.
 */
export async function getManaged(context: JobContext, args: Args): Promise<[string, Partial<SourceSum>, string]> {
  const { file, sum, comment, rendered } = await managedSource(context, args);
  return [rendered === undefined ? file : temporaryFile(context.runtime, rendered), sum, comment];
}

/** Fetches the content of a managed file, and renders it. */
export async function managedSource(context: JobContext, args: Args): Promise<ManagedSource> {
  const { name, source, source_hash: hash, template, saltenv } = args;
  if (!truthy(source)) return { file: "", sum: {}, comment: "" };
  const url = str(source);
  const scheme = schemeOf(url);
  const failed = (comment: string): ManagedSource => ({ file: "", sum: {}, comment });
  const remote = REMOTE.includes(scheme);
  let sum: Partial<SourceSum> = {};
  let file = "";
  if (!remote) {
    file = localPath(url);
    if (!exists(context.runtime.fs, file)) return failed(`Local file source ${file} does not exist`);
  }
  const notServed = `Source file ${url} not found in saltenv '${str(saltenv)}'`;
  if (scheme === "salt") {
    // Of a template the hash of what it renders to is asked for.
    if (!truthy(template)) {
      sum = sumOf(await context.call("cp.hash_file", [url, saltenv]));
      if (!truthy(sum)) return failed(notServed);
    }
  } else if (!remote && !truthy(hash)) sum = { hsum: hashFile(context, file, "sha256"), hash_type: "sha256" };
  else if (truthy(hash) && !truthy(args.skip_verify)) {
    try {
      sum = await sourceSum(context, { ...args, file_name: name });
    } catch (error) {
      if (error instanceof CommandExecutionError) return failed(error.message);
      throw error;
    }
  } else if (!truthy(args.skip_verify) && !truthy(args.use_etag)) {
    return failed(
      `Unable to verify upstream hash of source file ${
        redacted(url)
      }, please set source_hash or set skip_verify to True`,
    );
  }
  // What the master serves is fetched when the file is written, unless it is to be rendered before.
  if (remote && (scheme !== "salt" || truthy(template))) {
    let copy: string | undefined;
    try {
      copy = await cachedSource(context, url, { ...args, source_hash: sum.hsum ?? null });
    } catch (error) {
      return failed(`Failed to cache ${redacted(url)}: ${messageOf(error)}`);
    }
    if (copy === undefined) return failed(scheme === "salt" ? notServed : `Source file '${redacted(url)}' not found`);
    file = copy;
    if (truthy(args.skip_verify)) sum = { hsum: hashFile(context, file, "sha256"), hash_type: "sha256" };
  }
  if (file === name && (remote || truthy(template))) {
    throw new SaltInvocationError("Source file cannot be the same as destination");
  }
  return truthy(template) ? await renderedSource(context, file, args) : { file, sum, comment: "" };
}

async function renderedSource(context: JobContext, file: string, args: Args): Promise<ManagedSource> {
  const { template, saltenv, context: over, defaults, kwargs } = args;
  const engine = str(template);
  if (!isTemplateEngine(engine, context)) return { file, sum: {}, comment: unsupportedEngine(engine) };
  const { name, source, user, group, mode, attrs } = args;
  const names = {
    name,
    source,
    user,
    group,
    mode,
    attrs,
    ...isMap(kwargs) ? Object.fromEntries(entriesOf(kwargs)) : {},
  };
  const rendered = await renderedFile(context, file, { engine, saltenv, names, context: over, defaults });
  const hsum = context.runtime.crypto.hexHash("sha256", rendered);
  return { file, sum: { hsum, hash_type: "sha256" }, comment: "", rendered };
}

/** The function `file.apply_template_on_contents`. */
export async function renderedContents(context: JobContext, args: Args): Promise<unknown> {
  const engine = str(args.template);
  if (!isTemplateEngine(engine, context)) return { result: false, comment: unsupportedEngine(engine) };
  const { contents, saltenv, context: over, defaults } = args;
  return await new Rendering(context, { isOfRun: true }).renderTemplate({
    source: str(contents),
    engine,
    saltenv: truthy(saltenv) ? str(saltenv) : undefined,
    context: isMap(over) ? over : undefined,
    defaults: isMap(defaults) ? defaults : undefined,
  });
}

/** The mode of a source on the file server or this host, for `mode: keep`; undefined if it has none. */
export async function sourceMode(context: JobContext, source: string, args: Args): Promise<string | undefined> {
  const scheme = schemeOf(source);
  if (scheme === "" || scheme === "file") return permissions(context, localPath(source), true).mode;
  if (scheme !== "salt") return undefined;
  const mode = await context.call("cp.stat_file", [source], { saltenv: args.saltenv ?? "base", octal: true });
  return truthy(mode) ? normalizeMode(mode) ?? undefined : undefined;
}
