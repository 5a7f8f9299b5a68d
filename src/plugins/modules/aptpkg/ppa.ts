/** Repositories of Ubuntu's Launchpad: `ppa:owner/name`. */
import { proxyAddress } from "../../../protocol/transport/proxy.ts";
import { CommandExecutionError, type JobContext } from "../../../model/loader/family.ts";
import { proxyOf } from "../../../model/loader/proxies.ts";
import { isMap, str, truthy } from "../../../language/python/values.ts";
import { dictGet } from "../../../language/python/dict.ts";
import { programPath, runAll } from "../../commands.ts";

const SYSTEMS = ["Ubuntu", "Mint", "neon"];

export const isPpa = (repo: string): boolean => repo.startsWith("ppa:");

/** A repository of Launchpad, and the line that it stands for on this host. */
interface Ppa {
  owner: string;
  name: string;
  /** Of the release of the host, such as `noble`. */
  dist: string;
  line: string;
}

/** @throws {CommandExecutionError} for a host that has none, and a name that is no `ppa:owner/name` */
export function ppaOf(grains: Record<string, unknown>, repo: string): Ppa {
  const [owner = "", name = "", ...more] = repo.slice("ppa:".length).split("/");
  if (!SYSTEMS.includes(str(grains.os ?? ""))) {
    throw new CommandExecutionError(
      `cannot parse "ppa:" style repo definitions: ${repo}. They are for ${
        SYSTEMS.join(", ")
      }: write the repository as a line`,
    );
  }
  if (!/^[\w.+-]+$/.test(owner) || !/^[\w.+-]+$/.test(name) || more.length > 0) {
    throw new CommandExecutionError(`Unable to get PPA info from argument. Expected "ppa:owner/name", not "${repo}"`);
  }
  const dist = str(grains.oscodename ?? "");
  return { owner, name, dist, line: `deb http://ppa.launchpad.net/${owner}/${name}/ubuntu ${dist} main` };
}

/** The address of a repository, the same for both names of Launchpad's server and with or without TLS. */
export const plainUri = (uri: string): string =>
  uri.replace(/\/+$/, "").replace(/^https?:\/\/ppa\.launchpad(?:content)?\.net\//, "http://ppa.launchpad.net/");

/** Has `apt-add-repository` add it. @returns undefined where that program is not installed */
export async function addByProgram(context: JobContext, repo: string): Promise<Record<string, unknown> | undefined> {
  if (programPath(context, "apt-add-repository") === undefined) return undefined;
  const proxy = proxyOf(context.opts);
  const address = proxy === undefined ? undefined : proxyAddress(proxy);
  const argv = ["apt-add-repository", "-y", repo];
  const done = await runAll(context, argv, {
    env: { LC_ALL: "C", ...address === undefined ? {} : { http_proxy: address, https_proxy: address } },
  });
  if (done.retcode !== 0) {
    throw new CommandExecutionError(
      `Unable to add PPA '${repo.slice("ppa:".length)}'. '${
        argv.join(" ")
      }' exited with status ${done.retcode}: '${done.stderr}'`,
    );
  }
  return { ...done };
}

/** The fingerprint of the key that signs it, by Launchpad's API. */
export async function signingKey(context: JobContext, { owner, name }: Ppa): Promise<string> {
  const url = `https://launchpad.net/api/1.0/~${owner}/+archive/${name}`;
  const found = await context.call("http.query", [url], { decode: true, decode_type: "json", status: true });
  const [error, facts] = isMap(found) ? [dictGet(found, "error"), dictGet(found, "dict")] : [];
  if (typeof error === "string") {
    throw new CommandExecutionError(`Launchpad does not know about ${owner}/${name}: ${error}`);
  }
  const key = isMap(facts) ? dictGet(facts, "signing_key_fingerprint") : undefined;
  if (typeof key === "string" && truthy(key)) return key;
  throw new CommandExecutionError(
    `Launchpad knows about ${owner}/${name} but did not return a fingerprint. Set keyid to that of its key`,
  );
}
