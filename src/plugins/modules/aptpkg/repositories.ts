import { baseName, dirName } from "../../../base/paths.ts";
import { CommandExecutionError, type JobContext } from "../../../model/loader/family.ts";
import { splitLines, splitWords } from "../../../language/python/text.ts";
import { isTrue, str, truthy } from "../../../language/python/values.ts";
import { isDirectory, isFile } from "../../linux/paths.ts";
import { paragraphs } from "./dpkg.ts";
import { addRepoKey } from "./keys.ts";
import { addByProgram, isPpa, plainUri, ppaOf, signingKey } from "./ppa.ts";
import { refresh } from "./refresh.ts";
import { replaceContent } from "../../host_files.ts";

interface Repository {
  file: string;
  comps: string[];
  disabled: boolean;
  dist: string;
  type: string;
  uri: string;
  line: string;
  architectures: string[];
  signedby: string;
}

/** `deb [arch=amd64 signed-by=/x] http://deb.debian.org/debian bookworm main`, with a `#` in front if it is not used. */
function oneLine(file: string, line: string): Repository | undefined {
  const match = /^\s*(#?)\s*(deb(?:-src)?)\s+(?:\[([^\]]*)\]\s+)?(\S+:\S*)\s+(\S+)\s*([^#]*)/.exec(line);
  if (match === null) return undefined;
  const [, hash, type = "", options = "", uri = "", dist = "", comps = ""] = match;
  const option = (name: string) =>
    splitWords(options).find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1) ?? "";
  return {
    file,
    comps: splitWords(comps),
    disabled: hash !== "",
    dist,
    type,
    uri,
    line: line.trim(),
    architectures: option("arch").split(",").filter((word) => word !== ""),
    signedby: option("signed-by"),
  };
}

/** A file of fields: each paragraph is as many repositories as it has types, addresses and suites. */
function byFields(file: string, text: string): Repository[] {
  return paragraphs(text.replace(/^#.*\n/gm, "")).flatMap((fields) => {
    const list = (name: string) => splitWords(fields[name] ?? "");
    return list("Types").flatMap((type) =>
      list("URIs").flatMap((uri) =>
        list("Suites").map((dist) => ({
          file,
          comps: list("Components"),
          disabled: /^(?:no|false|0)$/i.test(fields.Enabled ?? "yes"),
          dist,
          type,
          uri,
          line: [type, uri, dist, ...list("Components")].join(" "),
          architectures: list("Architectures"),
          signedby: (fields["Signed-By"] ?? "").trim(),
        }))
      )
    );
  });
}

export function listRepos({ runtime: { fs } }: JobContext): Record<string, Repository[]> {
  const directory = "/etc/apt/sources.list.d";
  const paths = [
    "/etc/apt/sources.list",
    ...(isDirectory(fs, directory) ? fs.list(directory).map((name) => `${directory}/${name}`) : []),
  ];
  const found: Record<string, Repository[]> = {};
  for (const path of paths.filter((name) => isFile(fs, name))) {
    const text = fs.readText(path);
    const repositories = path.endsWith(".sources")
      ? byFields(path, text)
      : path.endsWith(".list")
      ? splitLines(text).map((line) => oneLine(path, line)).filter((entry) => entry !== undefined)
      : [];
    for (const repository of repositories) (found[repository.uri] ??= []).push(repository);
  }
  return found;
}

/** Options of a line that are not reported, such as `trusted=yes`. */
interface Line extends Repository {
  otherOptions: string[];
}

function parseLine(file: string, text: string): Line | undefined {
  const repository = oneLine(file, text);
  if (repository === undefined) return undefined;
  return { ...repository, otherOptions: optionsOf(text).filter((word) => !/^(?:arch|signed-by)=/.test(word)) };
}

function wanted(repo: string): Line {
  const line = parseLine("", repo);
  if (line === undefined) {
    throw new CommandExecutionError(
      `Error: repo '${repo}' is not a well formatted definition: expected "deb [options] URL suite components"`,
    );
  }
  return line;
}

/** The options of a line, such as `arch=amd64`. */
export const optionsOf = (line: string): string[] => splitWords(/\[([^\]]*)\]/.exec(line)?.[1] ?? "");

function formatted({ disabled, type, architectures, signedby, otherOptions, uri, dist, comps }: Line): string {
  const options = [
    ...(architectures.length === 0 ? [] : [`arch=${architectures.join(",")}`]),
    ...(signedby === "" ? [] : [`signed-by=${signedby}`]),
    ...otherOptions,
  ];
  const words = [type, ...(options.length === 0 ? [] : [`[${options.join(" ")}]`]), uri, dist, ...comps];
  return `${disabled ? "# " : ""}${words.join(" ")}`;
}

function same(one: Repository, other: Repository): boolean {
  return one.type === other.type && plainUri(one.uri) === plainUri(other.uri) && one.dist === other.dist;
}

/** The repository that a line of `sources.list` names, with any of the components that it names; an empty map for none. */
export function getRepo(context: JobContext, repo: string): Repository | Record<string, never> {
  const looked = parseLine("", lineOf(context, repo));
  if (looked === undefined) return {};
  const found = Object.values(listRepos(context)).flat().find((one) =>
    same(one, looked) && (looked.comps.length === 0 || looked.comps.some((comp) => one.comps.includes(comp)))
  );
  return found ?? {};
}

/** A line of a file in which repositories are lines; the others have forms that are not written here. */
interface Place {
  path: string;
  lines: string[];
  at: number;
  line: Line;
}

function places(context: JobContext, looked: Line): Place[] {
  const { fs } = context.runtime;
  const found = Object.values(listRepos(context)).flat().filter((one) => same(one, looked));
  const fields = found.find(({ file }) => file.endsWith(".sources"));
  if (fields !== undefined) {
    throw new CommandExecutionError(
      `The repository is in "${fields.file}", which has fields: change it with file.replace`,
    );
  }
  return [...new Set(found.map(({ file }) => file))].flatMap((path) => {
    const lines = fs.readText(path).split("\n");
    return lines.flatMap((text, at) => {
      const line = parseLine(path, text);
      return line !== undefined && same(line, looked) ? [{ path, lines, at, line }] : [];
    });
  });
}

const words = (value: unknown): string[] =>
  (Array.isArray(value) ? value.map(str) : str(value).split(",")).map((word) => word.trim()).filter(Boolean);

/** Sets what the arguments say beside the line. */
function withOptions(line: Line, options: Record<string, unknown>, disabled: boolean): Line {
  const given = (name: string) => (options[name] ?? null) !== null;
  return {
    ...line,
    file: given("file") ? str(options.file) : line.file,
    dist: given("dist") ? str(options.dist) : line.dist,
    uri: given("uri") ? str(options.uri) : line.uri,
    comps: given("comps") ? words(options.comps) : line.comps,
    disabled: given("disabled") ? isTrue(options.disabled) : given("enabled") ? !isTrue(options.enabled) : disabled,
    architectures: given("architectures") ? words(options.architectures) : line.architectures,
    signedby: given("signedby") ? str(options.signedby) : line.signedby,
  };
}

/** `ppa:owner/name` as the line that it stands for; any other repository as it is. */
const lineOf = ({ grains }: Pick<JobContext, "grains">, repo: string): string =>
  isPpa(repo) ? ppaOf(grains, repo).line : repo;

/** A repository as {@link modRepo} would write it. */
export function expandedRepo(
  context: Pick<JobContext, "grains">,
  repo: string,
  options: Record<string, unknown>,
): Repository {
  const looked = wanted(lineOf(context, repo));
  const line = withOptions(looked, options, looked.disabled);
  return { ...line, file: line.file === "" ? MAIN : line.file, line: formatted(line) };
}

/** The directory of keys that are trusted for all repositories, where `apt-key` puts them in effect. */
const TRUSTED = "/etc/apt/trusted.gpg.d";

/** Where the key of a repository belongs: into the file that its line names, or else among the trusted ones under the name of its list. */
function keyPlace(signedby: string, file: string) {
  return signedby.startsWith("/")
    ? { keydir: dirName(signedby), keyfile: baseName(signedby), isShared: false }
    : { keydir: TRUSTED, keyfile: `${baseName(file).replace(/\.list$/, "")}.gpg`, isShared: true };
}

async function fetchKey(
  context: JobContext,
  signedby: string,
  file: string,
  options: Record<string, unknown>,
): Promise<void> {
  const { key_url: url, key_text: text, keyid, keyserver, saltenv = "base" } = options;
  const sources = truthy(keyid)
    ? [keyid].flat().map((id) => ({ what: str(id), keyid: str(id), keyserver }))
    : truthy(url)
    ? [{ what: str(url), path: url, saltenv }]
    : truthy(text)
    ? [{ what: "key_text", text }]
    : [];
  const place = { aptkey: false, ...keyPlace(signedby, file) };
  if (sources.length > 0 && place.isShared) context.runtime.fs.mkdir(TRUSTED, 0o755);
  for (const { what, ...source } of sources) {
    if (await addRepoKey(context, { ...source, ...place }) === false) {
      throw new CommandExecutionError(`Error: Could not add key: ${what}`);
    }
  }
}

const MAIN = "/etc/apt/sources.list";

/** Gathers the lines of all lists in `sources.list`, those of one repository joined, and removes the other lists. */
function consolidate(context: JobContext): void {
  const { fs } = context.runtime;
  const lines = new Map<string, Line>();
  const files = new Set<string>();
  for (const { file } of Object.values(listRepos(context)).flat()) if (file.endsWith(".list")) files.add(file);
  for (const file of [MAIN, ...[...files].filter((name) => name !== MAIN)]) {
    for (const text of isFile(fs, file) ? splitLines(fs.readText(file)) : []) {
      const line = parseLine(MAIN, text);
      if (line === undefined) continue;
      const key = JSON.stringify([line.architectures, line.disabled, line.type, line.uri, line.dist]);
      const known = lines.get(key);
      lines.set(key, known === undefined ? line : { ...known, comps: [...new Set([...known.comps, ...line.comps])] });
    }
  }
  replaceContent({ fs }, MAIN, [...lines.values()].map((line) => `${formatted(line)}\n`).join(""));
  for (const file of files) if (file !== MAIN) fs.remove(file);
}

/** Where a repository is, and where it is to be. */
interface Target {
  looked: Line;
  there: Place | undefined;
  file: string;
}

/**
 * Looks whether a repository can be written as it is wanted. Nothing is changed.
 *
 * @throws {CommandExecutionError} if it cannot
 */
export function checkRepo(context: JobContext, repo: string, options: Record<string, unknown>): Target {
  if (truthy(options.ppa_auth)) {
    throw new CommandExecutionError("ppa_auth is not supported: write the repository as a line, with its key");
  }
  const looked = wanted(lineOf(context, repo));
  // What a program of Ubuntu's has written may have fields: it is there, and stays as it is.
  const [there] = isPpa(repo) && truthy(getRepo(context, repo)) ? [] : places(context, looked);
  const file = (options.file ?? null) === null ? there?.path ?? MAIN : str(options.file);
  if (!/\.list$/.test(file)) {
    throw new CommandExecutionError(`The file of a repository must end in ".list", not be "${file}"`);
  }
  return { looked, there, file };
}

/** Takes the line of a repository out of the list that it is in. */
function takeOut(context: JobContext, { path, lines, at }: Place): void {
  replaceContent(context.runtime, path, lines.toSpliced(at, 1).join("\n"));
}

/**
 * Adds a repository to a list, or changes it where it is.
 *
 * @param options `{file, comps, disabled, architectures, signedby, key_url, key_text, keyid, keyserver, consolidate, refresh}`
 */
export async function modRepo(
  context: JobContext,
  repo: string,
  options: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const { fs } = context.runtime;
  if (isPpa(repo)) return await modPpa(context, repo, options);
  const { looked, ...target } = checkRepo(context, repo, options);
  let { there, file } = target;
  if (truthy(options.consolidate)) {
    consolidate(context);
    ({ there, file } = checkRepo(context, repo, options));
    if (there !== undefined && there.path !== file) {
      takeOut(context, there);
      there = undefined;
    }
  }
  const line = withOptions(looked, options, there?.line.disabled ?? looked.disabled);
  await fetchKey(context, line.signedby, there?.path ?? file, options);
  const text = formatted(line);
  let path = file;
  if (there !== undefined) {
    path = there.path;
    there.lines[there.at] = text;
    replaceContent({ fs }, path, there.lines.join("\n"));
  } else {
    const before = isFile(fs, path) ? fs.readText(path) : "";
    const glue = before === "" || before.endsWith("\n") ? "" : "\n";
    replaceContent({ fs }, path, `${before}${glue}${text}\n`);
  }
  if (truthy(options.refresh ?? options.refresh_db ?? true)) await refresh(context, {});
  const { architectures, comps, disabled, type, uri, signedby } = line;
  return { [repo]: { architectures, comps, disabled, file: path, type, uri, line: `${repo}\n`, signedby } };
}

/** Adds a repository of Launchpad. One that is there is left as it is, as in Salt. */
async function modPpa(
  context: JobContext,
  repo: string,
  options: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const ppa = ppaOf(context.grains, repo);
  checkRepo(context, repo, options);
  const there = getRepo(context, repo);
  if (truthy(there)) return { [repo]: there };
  const done = await addByProgram(context, repo);
  if (done !== undefined) {
    if (truthy(options.refresh ?? options.refresh_db ?? true)) await refresh(context, {});
    return { [repo]: done };
  }
  return await modRepo(context, ppa.line, {
    file: `/etc/apt/sources.list.d/${ppa.owner}-${ppa.name}-${ppa.dist}.list`,
    keyserver: "keyserver.ubuntu.com",
    ...options,
    keyid: options.keyid ?? await signingKey(context, ppa),
  });
}

/** Removes the components that a line names from the lists, and a repository that has none left. */
export async function delRepo(context: JobContext, repo: string, options: Record<string, unknown>): Promise<string> {
  const { fs } = context.runtime;
  const looked = wanted(lineOf(context, repo));
  const found = places(context, looked);
  if (found.length === 0) throw new CommandExecutionError(`Repo ${repo} doesn't exist in the sources.list(s)`);
  for (const { path, lines, at, line } of found) {
    const comps = line.comps.filter((comp) => !looked.comps.includes(comp));
    // Its place stays until all are done: the others count by it.
    lines[at] = comps.length === 0 || looked.comps.length === 0 ? "\0" : formatted({ ...line, comps });
    replaceContent({ fs }, path, lines.filter((text) => text !== "\0").join("\n"));
  }
  if (truthy(options.refresh ?? options.refresh_db ?? true)) await refresh(context, {});
  return `Repo '${repo}' has been removed from ${[...new Set(found.map(({ path }) => path))].join(", ")}.\n`;
}
