/** Who this host is to registries of images: what `docker login` wrote. */
import { joinPath } from "../../base/paths.ts";
import type { JobContext } from "../../model/loader/family.ts";
import { entriesOf, isMap } from "../../language/python/values.ts";
import { isFile } from "../linux/paths.ts";

const HUB = "https://index.docker.io/v1/";

/** The registry of an image's name. */
export function registryOf(repository: string): string {
  const first = repository.split("/")[0]!;
  return repository.includes("/") && (/[.:]/.test(first) || first === "localhost") ? first : HUB;
}

const bare = (registry: string): string => registry.replace(/^https?:\/\//, "").replace(/\/.*$/, "");

/** `X-Registry-Auth` for the registry of an image, if `docker login` was there. */
export function registryHeader({ runtime }: Pick<JobContext, "runtime">, repository: string): Record<string, string> {
  const { fs, process, host } = runtime;
  const directory = process.env("DOCKER_CONFIG") ?? joinPath(process.env("HOME") ?? host.user().home, ".docker");
  const path = joinPath(directory, "config.json");
  if (!isFile(fs, path)) return {};
  let config: unknown;
  try {
    config = JSON.parse(fs.readText(path));
  } catch {
    // As without one: the registry may let anybody in.
    return {};
  }
  const { auths } = config as { auths?: unknown };
  const registry = registryOf(repository);
  const found = isMap(auths)
    ? entriesOf(auths).find(([name]) => bare(String(name)) === bare(registry))?.[1]
    : undefined;
  if (!isMap(found)) return {};
  const { auth = "", identitytoken } = found as { auth?: string; identitytoken?: string };
  const decoded = atob(auth);
  const colon = decoded.indexOf(":");
  const known = identitytoken === undefined
    ? { username: decoded.slice(0, colon), password: decoded.slice(colon + 1), serveraddress: registry }
    : { identitytoken, serveraddress: registry };
  return { "X-Registry-Auth": btoa(JSON.stringify(known)).replaceAll("+", "-").replaceAll("/", "_") };
}
