/** `docker.login` and `docker.logout`, by the program docker, which keeps who this host is to a registry. */
import type { JobContext } from "../../../model/loader/family.ts";
import { type Args, entriesOf, isMap, str } from "../../../language/python/values.ts";
import { needProgram, runAll } from "../../commands.ts";

/** The registries that configuration and pillar name, and what is wrong with them. */
async function configured(context: JobContext): Promise<{ known: Map<string, unknown>; errors: string[] }> {
  const errors: string[] = [];
  const known = new Map<string, unknown>();
  const add = (value: unknown, wrong: string) => {
    if (isMap(value)) { for (const [name, of] of entriesOf(value)) known.set(str(name), of); }
    else errors.push(wrong);
  };
  add(
    await context.call("config.get", ["docker-registries", {}]),
    "'docker-registries' Pillar value must be a dictionary",
  );
  const more = await context.call("config.option", ["*-docker-registries"], { wildcard: true });
  for (const [name, of] of isMap(more) ? entriesOf(more) : []) {
    add(of, `Docker registry '${str(name)}' was not specified as a dictionary`);
  }
  return { known, errors };
}

/** The words of a login, or what is missing. */
function loginWords(registry: string, config: unknown): string[] | string {
  if (!isMap(config)) return `Invalid configuration for registry '${registry}'`;
  const { username, password } = Object.fromEntries(entriesOf(config)) as Args;
  if (username === undefined) return `Missing 'username' for registry '${registry}'`;
  if (password === undefined) return `Missing 'password' for registry '${registry}'`;
  return ["login", "-u", str(username), "--password-stdin"];
}

/** Signs in to registries, or out of them; all that are configured if none is named. */
export async function sign(context: JobContext, names: unknown[], wanted: "login" | "logout"): Promise<Args> {
  needProgram(context, "docker");
  const { known, errors } = await configured(context);
  const results: Record<string, boolean> = {};
  for (const registry of names.length > 0 ? names.map(str) : [...known.keys()]) {
    if (!known.has(registry)) {
      errors.push(`No match found for registry '${registry}'`);
      continue;
    }
    const words = wanted === "login" ? loginWords(registry, known.get(registry)) : ["logout"];
    if (typeof words === "string") {
      errors.push(words);
      continue;
    }
    const argv = ["docker", ...words, ...(registry.toLowerCase() === "hub" ? [] : [registry])];
    // Among the words every user of the host could read it.
    const { password } = (known.get(registry) ?? {}) as Args;
    const input = wanted === "login" ? { stdin: str(password) } : {};
    const { retcode, stderr, stdout } = await runAll(context, argv, { output_loglevel: "quiet", ...input });
    results[registry] = retcode === 0;
    if (retcode !== 0 && (stderr || stdout) !== "") errors.push(stderr || stdout);
  }
  return { retcode: errors.length > 0 ? 1 : 0, Errors: errors, Results: results };
}
