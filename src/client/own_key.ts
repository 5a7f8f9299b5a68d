import { joinPath } from "../base/paths.ts";
import { messageOf } from "../base/errors.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { ClientError } from "./client_error.ts";

/** The name of this process's user in jobs and records: `sudo_ann` for root through sudo. */
export function userOfProcess({ process, host }: Runtime): string {
  const sudo = process.env("SUDO_USER");
  const name = host.user().name;
  return name === "root" && sudo !== undefined && sudo !== "" && sudo !== "root" ? `sudo_${sudo}` : name;
}

/**
 * The key that the master keeps for the user of this process, `<cachedir>/.<user>_key`: a caller who can read that file
 * needs no other credentials.
 *
 * @see salt/client/__init__.py LocalClient.__read_master_key
 */
export class OwnKey {
  readonly #runtime: Runtime;
  readonly #cacheDir: string;
  readonly #masterUser: string;
  #key: string | undefined;
  /** The user's name, determined once, since a gateway publishes a thousand times a second. */
  #name: string | undefined;

  constructor(runtime: Runtime, cacheDir: string, masterUser: string) {
    this.#runtime = runtime;
    this.#cacheDir = cacheDir;
    this.#masterUser = masterUser;
  }

  /** The caller's name in jobs: `sudo_ann` for root through sudo. */
  get user(): string {
    return this.#name ??= userOfProcess(this.#runtime);
  }

  /** True if this user can read the key. */
  get readable(): boolean {
    try {
      void this.value;
      return true;
    } catch {
      return false;
    }
  }

  /** The key, read on first use. @throws {ClientError} `NO_KEY` */
  get value(): string {
    return this.#key ??= this.#read();
  }

  /**
   * The key, and for a master that refuses it a second one if the key file has changed, as after a restart of the master.
   *
   * @throws {ClientError} `NO_KEY`
   */
  *tries(): Generator<string, void> {
    const first = this.value;
    yield first;
    this.#key = this.#read();
    if (this.#key !== first) yield this.#key;
  }

  #read(): string {
    const { fs, host } = this.#runtime;
    const name = host.user().name;
    const owner = name === "root" ? this.#masterUser : name;
    const path = joinPath(this.#cacheDir, `.${owner.replaceAll("\\", "_").replaceAll("/", "_")}_key`);
    try {
      return fs.readText(path).trim();
    } catch (error) {
      throw new ClientError("NO_KEY", `${messageOf(error)}. Only the master's user and root may publish`, { path });
    }
  }
}
