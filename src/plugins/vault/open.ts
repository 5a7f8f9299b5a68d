import type { Logger } from "../../base/log.ts";
import { joinPath } from "../../base/paths.ts";
import { encodeBase64 } from "../../language/python/binascii.ts";
import { asInt } from "../../language/python/arithmetic.ts";
import { entriesOf, isMap, lookup, repr, str } from "../../language/python/values.ts";
import { CommandExecutionError } from "../../model/loader/family.ts";
import type { HostMaster } from "../../model/loader/host_master.ts";
import { rsaSign } from "../../protocol/crypto/rsa.ts";
import { VaultClient, type VaultConnection } from "./client.ts";
import type { VaultCaller } from "./http.ts";
import { ownSettings, vaultSettings } from "./settings.ts";
import { ownToken } from "./token.ts";

/** A host whose functions ask Vault: a minion, or a master that renders for one. */
interface VaultHost extends VaultCaller {
  readonly log: Logger;
  readonly grains?: Readonly<Record<string, unknown>>;
  readonly hostMaster?: HostMaster | undefined;
  /** Calls an execution function. Absent where there is no minion. */
  call?(fun: string, positional?: unknown[], keyword?: Record<string, unknown>): Promise<unknown>;
}

const isMasters = ({ opts }: VaultHost) => opts.__role === "master";

/** True where this host has its own token; elsewhere its master is asked for one. */
function isOwn(host: VaultHost): boolean {
  const location = vaultSettings(host.opts)?.location;
  if (location === "local") return true;
  if (location === "master") return false;
  if (location !== undefined) {
    throw new CommandExecutionError(
      `config_location in the option vault must be local or master, not ${repr(location)}`,
    );
  }
  if (isMasters(host)) return host.grains?.id === undefined || host.hostMaster === undefined;
  const { file_client: files, master_type: type } = host.opts;
  return files === "local" || type === "disable" || host.call === undefined;
}

async function ownConnection(host: VaultHost): Promise<VaultConnection> {
  const settings = ownSettings(host.opts);
  return {
    url: settings.url,
    namespace: settings.namespace ?? null,
    token: await ownToken(host, settings),
    verify: settings.verify ?? null,
    issued: Math.round(host.runtime.clock.now() / 1000),
    ttl: 3600,
  };
}

/** A token that the master has Vault make for this minion. It must be asked for with the minion's key, or the master's. */
async function connectionOfMaster(host: VaultHost): Promise<VaultConnection & { keep: boolean }> {
  const { opts, grains = {}, runtime: { crypto, fs } } = host;
  const id = str(grains.id ?? opts.id);
  const auth = vaultSettings(opts)?.auth;
  const [ttl, uses] = [auth?.ttl ?? null, auth?.uses ?? null];
  const key = joinPath(str(opts.pki_dir), isMasters(host) ? "master.pem" : "minion.pem");
  const text = new TextEncoder().encode(id);
  const signature = encodeBase64(rsaSign(crypto, "PKCS1v15-SHA1", crypto.loadPrivateKey(fs.readText(key)), text));
  const result = isMasters(host)
    ? (await host.hostMaster!.runner("vault.generate_token", [], {
      minion_id: id,
      signature,
      impersonated_by_master: true,
      ttl,
      uses,
    })).return
    : await host.call!("publish.runner", ["vault.generate_token"], { arg: [id, signature, false, ttl, uses] });
  if (!isMap(result) || entriesOf(result).length === 0 || lookup(result, "error") !== undefined) {
    host.log.error("the master did not return a token: does its option peer_run allow vault.generate_token?", { id });
    throw new CommandExecutionError(str(result));
  }
  const field = (name: string) => lookup(result, name);
  const number = (name: string) => Number(asInt(field(name)) ?? 0);
  const verify = field("verify");
  return {
    url: str(field("url")),
    token: str(field("token")),
    verify: verify ?? null,
    namespace: typeof field("namespace") === "string" ? str(field("namespace")) : null,
    uses: field("uses") === undefined ? 1 : number("uses"),
    lease_duration: number("lease_duration"),
    issued: number("issued"),
    keep: !str(field("token_backend") ?? "session").includes("session"),
  };
}

/** Vault as this host reaches it. A token of the master stays with one client; the disk keeps it if the master says so. */
export function openVault(host: VaultHost): VaultClient {
  const connect = async () =>
    isOwn(host) ? { ...await ownConnection(host), keep: true } : await connectionOfMaster(host);
  // A master renders for many minions: none may get the token of another.
  return new VaultClient(host, connect, isMasters(host) ? undefined : str(host.opts.cachedir));
}
