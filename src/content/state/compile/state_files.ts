import type { Files } from "../../../model/loader/family.ts";
import { compileGlob } from "../../../language/python/glob.ts";

export interface FetchedSls {
  path: string;
  /** Path below the roots: `a/init.sls`. */
  name: string;
  /** Name of the SLS: `a`; empty for a top file. */
  sls: string;
  saltenv: string;
}

/** Where state files come from. */
export type StateSource = Pick<Files, "environments" | "states" | "fetch">;

interface StateFilesOptions {
  files: StateSource;
  /** Environments in the option `file_roots`. */
  configured: readonly string[];
  /** Salt's option `env_order`: only these environments count, in this order. */
  order: readonly string[];
}

/** The state files of all environments. Each environment is listed once. */
export class StateFiles {
  readonly #options: StateFilesOptions;
  #environments: Promise<string[]> | undefined;
  readonly #names = new Map<string, Promise<{ list: string[]; set: ReadonlySet<string> }>>();
  readonly #matches = new Map<string, Promise<string[]>>();

  constructor(options: StateFilesOptions) {
    this.#options = options;
  }

  /** Environments whose top files count, in order. @see salt/state.py BaseHighState._get_envs */
  environments(): Promise<string[]> {
    return this.#environments ??= this.#findEnvironments();
  }

  async #findEnvironments(): Promise<string[]> {
    const { files, configured, order } = this.#options;
    const served = await files.environments();
    const wanted = [...new Set(order)];
    if (wanted.length === 0) return [...new Set(["base", ...configured, ...served])];
    return served.length === 0 ? wanted : wanted.filter((env) => served.includes(env));
  }

  async has(saltenv: string): Promise<boolean> {
    return saltenv === "base" || (await this.environments()).includes(saltenv);
  }

  /** Names of all SLS files of an environment, sorted. */
  async names(saltenv: string): Promise<string[]> {
    return (await this.#listed(saltenv)).list;
  }

  #listed(saltenv: string): Promise<{ list: string[]; set: ReadonlySet<string> }> {
    let listed = this.#names.get(saltenv);
    if (listed === undefined) {
      listed = this.#options.files.states(saltenv).then((list) => ({ list, set: new Set(list) }));
      this.#names.set(saltenv, listed);
    }
    return listed;
  }

  async matching(saltenv: string, glob: string): Promise<string[]> {
    if (!/[*?[]/.test(glob)) return (await this.#listed(saltenv)).set.has(glob) ? [glob] : [];
    const key = `${saltenv}\0${glob}`;
    let found = this.#matches.get(key);
    if (found === undefined) {
      found = this.names(saltenv).then((list) => list.filter(compileGlob(glob)));
      this.#matches.set(key, found);
    }
    return await found;
  }

  /** Fetches `a/b.sls`, or else `a/b/init.sls`; undefined if both are missing. */
  async fetchSls(sls: string, saltenv: string): Promise<FetchedSls | undefined> {
    const stem = sls.replaceAll(".", "/");
    return await this.fetchFile(`${stem}.sls`, sls, saltenv) ?? await this.fetchFile(`${stem}/init.sls`, sls, saltenv);
  }

  async fetchFile(name: string, sls: string, saltenv: string): Promise<FetchedSls | undefined> {
    const path = await this.#options.files.fetch(`salt://${name.includes("?") ? "|" : ""}${name}`, "", { saltenv });
    return path === undefined ? undefined : { path, name, sls, saltenv };
  }
}
