import { codeOf, messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { joinPath } from "../../base/paths.ts";
import { entriesOf, isMap, lookup, str } from "../../language/python/values.ts";
import { askVault, type VaultAnswer, type VaultCaller } from "./http.ts";

/** A token and where it counts, as `salt_vault_token` has it. */
export interface VaultConnection {
  url: string;
  token: string;
  verify?: unknown;
  namespace?: string | null;
  /** How often it may be used; 0 for any number. Absent where nobody counts. */
  uses?: number;
  lease_duration?: number;
  ttl?: number;
  issued: number;
  unlimited_use_token?: boolean;
  vault_secret_path_metadata?: Record<string, unknown>;
}

/** Seconds before its end from which a kept token is not used any more. */
const MARGIN_S = 10;

/** How a secret's path is asked for in each version of the store. */
interface SecretPlace {
  v2: boolean;
  data: string;
  metadata: string;
  destroy: string;
}

/** `secret/x` in the store `secret/` of version 2: `secret/data/x`. */
function v2Path(path: string, store: string, kind: "data" | "metadata" | "destroy"): string {
  const trimmed = path.replace(/^\/+|\/+$/g, "");
  const root = store.replace(/^\/+|\/+$/g, "");
  const together = `${root}/${kind}`;
  const other = `${root}/${kind === "data" ? "metadata" : "data"}`;
  if (trimmed.startsWith(other)) return together + trimmed.slice(other.length);
  return trimmed.startsWith(together) ? trimmed : trimmed.replace(root, () => together);
}

/** One host's way to Vault: a token, which is asked for when it is needed, and requests with it. */
export class VaultClient {
  readonly #host: VaultCaller & { readonly log: Logger };
  readonly #connect: () => Promise<VaultConnection & { keep: boolean }>;
  readonly #cacheFile: string | undefined;
  #connection: VaultConnection | undefined;
  #keep = false;
  #stores: Record<string, unknown> = {};

  /**
   * @param connect gets a token; `keep` says whether it may be kept on the disk
   * @param cacheDir where it is kept; undefined for nowhere
   */
  constructor(
    host: VaultCaller & { readonly log: Logger },
    connect: () => Promise<VaultConnection & { keep: boolean }>,
    cacheDir: string | undefined,
  ) {
    this.#host = host;
    this.#connect = connect;
    this.#cacheFile = cacheDir === undefined ? undefined : joinPath(cacheDir, "salt_vault_token");
  }

  /** Sends a request. A token that is refused is replaced, once. @throws {CommandExecutionError} without a token or a server */
  async request(method: string, path: string, body?: unknown): Promise<VaultAnswer> {
    let connection = await this.#connected();
    let answer = await this.#ask(connection, method, path, body);
    if (answer.isDenied) {
      this.forget();
      connection = await this.#connected();
      answer = await this.#ask(connection, method, path, body);
    }
    if (!answer.ok) {
      this.#host.log.error("vault refused a request", { status: answer.status, reason: answer.reason });
      return answer;
    }
    if (connection.uses !== undefined && connection.unlimited_use_token !== true && !path.startsWith("v1/sys")) {
      connection.uses -= 1;
      if (connection.uses <= 0) this.forget();
      else this.#save(connection);
    }
    return answer;
  }

  #ask(connection: VaultConnection, method: string, path: string, body: unknown): Promise<VaultAnswer> {
    return askVault(this.#host, connection, method, path, { token: connection.token, body });
  }

  /** Where a secret is: the store says which version it has. One that cannot be asked is taken for version 1. */
  async place(path: string): Promise<SecretPlace> {
    const known = await this.#storeOf(path);
    const options = isMap(known) ? lookup(known, "options") : undefined;
    const version = isMap(options) ? lookup(options, "version") : undefined;
    const kind = isMap(known) ? lookup(known, "type") ?? "kv" : "kv";
    if (kind !== "kv" || version === undefined || str(version) !== "2") {
      return { v2: false, data: path, metadata: path, destroy: path };
    }
    const store = str(lookup(known as Record<string, unknown>, "path") ?? path);
    const to = (how: "data" | "metadata" | "destroy") => v2Path(path, store, how);
    return { v2: true, data: to("data"), metadata: to("metadata"), destroy: to("destroy") };
  }

  async #storeOf(path: string): Promise<unknown> {
    const stores = { ...this.#read()?.vault_secret_path_metadata, ...this.#stores };
    const known = Object.keys(stores).find((name) => path.startsWith(name));
    if (known !== undefined) return stores[known];
    let found: unknown;
    try {
      found = (await this.request("GET", `v1/sys/internal/ui/mounts/${path}`)).at("data");
    } catch (error) {
      this.#host.log.error("vault does not say which store a path is in", { path, error: messageOf(error) });
    }
    if (!isMap(found)) return undefined;
    this.#stores[path] = Object.fromEntries(entriesOf(found));
    if (this.#connection !== undefined) this.#save(this.#connection);
    return found;
  }

  async #connected(): Promise<VaultConnection> {
    if (this.#connection !== undefined) return this.#connection;
    const kept = this.#read();
    if (kept?.url !== undefined) {
      const ends = kept.issued + (kept.lease_duration ?? kept.ttl ?? 0) - MARGIN_S;
      if (ends >= this.#host.runtime.clock.now() / 1000) {
        this.#keep = true;
        return this.#connection = kept;
      }
      this.forget();
    }
    const { keep, ...connection } = await this.#connect();
    this.#keep = keep && connection.uses !== 1;
    this.#connection = connection;
    this.#save(connection);
    return connection;
  }

  /** Drops the token, here and on the disk. @returns false if none was kept on the disk */
  forget(): boolean {
    this.#connection = undefined;
    if (this.#cacheFile === undefined || this.#host.runtime.fs.stat(this.#cacheFile) === undefined) return false;
    this.#host.runtime.fs.remove(this.#cacheFile);
    return true;
  }

  #read(): VaultConnection | undefined {
    if (this.#cacheFile === undefined) return undefined;
    try {
      const kept: unknown = JSON.parse(this.#host.runtime.fs.readText(this.#cacheFile));
      return typeof kept === "object" && kept !== null ? kept as VaultConnection : undefined;
    } catch (error) {
      if (codeOf(error) === "ENOENT" || error instanceof SyntaxError) return undefined;
      throw error;
    }
  }

  #save(connection: VaultConnection): void {
    if (this.#cacheFile === undefined || !this.#keep) return;
    connection.unlimited_use_token ??= connection.uses === 0;
    connection.vault_secret_path_metadata = { ...connection.vault_secret_path_metadata, ...this.#stores };
    this.#host.runtime.fs.write(this.#cacheFile, JSON.stringify(connection), { mode: 0o600 });
  }
}
