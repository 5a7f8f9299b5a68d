import type { JobContext } from "../../../model/loader/family.ts";
import { splitLines, splitWords } from "../../../language/python/text.ts";
import { runAll } from "../../commands.ts";

/** Variables that keep Debian's programs from asking questions. */
const QUIET = { DEBIAN_FRONTEND: "noninteractive", APT_LISTCHANGES_FRONTEND: "none", APT_LISTBUGS_FRONTEND: "none" };

/** Name → version. */
export type Versions = Record<string, string>;

/** Runs apt-get without questions; configuration files that were changed here are kept, unless they shall be new. */
export async function aptGet(
  context: JobContext,
  words: string[],
  options: Record<string, unknown> = {},
  newFiles = false,
) {
  const files = newFiles ? ["--force-confnew"] : ["--force-confold", "--force-confdef"];
  const flags = files.flatMap((flag) => ["-o", `DPkg::Options::=${flag}`]);
  return await runAll(context, ["apt-get", "-q", "-y", ...flags, ...words], { env: QUIET, ...options });
}

/** Asks a program that changes nothing; its return code is not that of the job. */
export async function askApt(context: JobContext, argv: string[], options: Record<string, unknown> = {}) {
  return await runAll(context, argv, { ignore_retcode: true, output_loglevel: "quiet", ...options });
}

/** The architecture of this system, as Debian calls it. */
export async function nativeArchitecture(context: JobContext): Promise<string> {
  const { osarch } = context.grains;
  if (typeof osarch === "string" && osarch !== "") return osarch;
  return (await askApt(context, ["dpkg", "--print-architecture"])).stdout.trim();
}

/** dpkg's record of a package: its selection state and its status. */
interface Recorded {
  name: string;
  version: string;
  wanted: string;
  state: string;
}

/** All packages that dpkg knows; the names of those for another architecture end with it. */
async function recorded(context: JobContext): Promise<Recorded[]> {
  const format = "${Status}\\t${Package}\\t${Version}\\t${Architecture}\\n";
  const { stdout } = await askApt(context, ["dpkg-query", "--showformat", format, "-W"]);
  const native = await nativeArchitecture(context);
  return splitLines(stdout).map((line) => line.split("\t")).filter((row) => row.length === 4).map(
    ([status = "", name = "", version = "", architecture = ""]) => {
      const [wanted = "", , state = ""] = splitWords(status);
      const own = architecture === native || architecture === "all" || architecture === "";
      return { name: own ? name : `${name}:${architecture}`, version, wanted, state };
    },
  );
}

const INSTALLED = ["installed", "half-configured", "triggers-awaited", "triggers-pending", "unpacked"];

/** The installed packages; with `removed` those of which only the configuration is left. */
export async function dpkgInstalled(
  context: JobContext,
  options: { removed?: boolean; purgeDesired?: boolean } = {},
): Promise<Versions> {
  const chosen = (await recorded(context)).filter(({ wanted, state }) => {
    if (options.removed === true) return state === "config-files";
    if (options.purgeDesired === true) return wanted === "purge" && state === "installed";
    return INSTALLED.includes(state);
  });
  return Object.fromEntries(chosen.map(({ name, version }) => [name, version]));
}

/** The installed version, the candidate, and all available ones; `""` for none. */
interface Policy {
  installed: string;
  candidate: string;
  all: string[];
}

/** @param release whose versions go first, such as `bookworm-backports` */
export async function policies(
  context: JobContext,
  names: readonly string[],
  release?: string,
): Promise<Record<string, Policy>> {
  const found: Record<string, Policy> = {};
  if (names.length === 0) return found;
  const from = release === undefined ? [] : ["-o", `APT::Default-Release=${release}`];
  const { stdout } = await askApt(context, ["apt-cache", "-q", "policy", ...names, ...from], { env: { LC_ALL: "C" } });
  const known = (text = "") => text === "(none)" ? "" : text;
  let current: Policy | undefined;
  for (const line of splitLines(stdout)) {
    const head = /^(\S+):$/.exec(line);
    if (head !== null) current = found[head[1]!] = { installed: "", candidate: "", all: [] };
    if (current === undefined) continue;
    const [first = "", second] = splitWords(line);
    if (first === "Installed:") current.installed = known(second);
    else if (first === "Candidate:") current.candidate = known(second);
    else {
      const version = /^ (?:\*{3}| {3}) (\S+) -?\d+$/.exec(line)?.[1];
      if (version !== undefined) current.all.push(version);
    }
  }
  return found;
}

/** Paragraphs of fields, as `apt-cache show` prints them; further lines of a field are kept. */
export function paragraphs(text: string): Record<string, string>[] {
  return text.split(/\n\s*\n/).map((part) => {
    const fields: Record<string, string> = {};
    let name = "";
    for (const line of splitLines(part)) {
      const colon = line.indexOf(":");
      if (/^\s/.test(line)) fields[name] += `\n${line.slice(1)}`;
      else if (colon > 0) {
        name = line.slice(0, colon);
        fields[name] = line.slice(colon + 1).trim();
      }
    }
    return fields;
  }).filter((fields) => Object.keys(fields).length > 0);
}
