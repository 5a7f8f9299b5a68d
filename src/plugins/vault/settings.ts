import { isMap, lookup, str } from "../../language/python/values.ts";
import { CommandExecutionError } from "../../model/loader/family.ts";

/** The option `vault` of one host, as 3006 spells it. */
export interface VaultSettings {
  url: string | undefined;
  namespace: string | undefined;
  /** False takes any certificate; a text is the path of the authorities' certificates. */
  verify: unknown;
  /** `local`, `master`, or as the host decides. */
  location: string | undefined;
  auth: {
    method: string;
    token: string | undefined;
    roleId: string | undefined;
    secretId: string | undefined;
    uses: unknown;
    ttl: unknown;
    allowOverride: boolean;
    backend: string;
  };
  roleName: string | undefined;
  /** Patterns of the names of a minion's policies. */
  policies: unknown[];
  /** True compiles the pillar for patterns that use it, false takes the cached one, null compiles where there is none. */
  refreshPillar: boolean | null;
  keys: unknown[];
}

const DEFAULT_POLICIES = ["saltstack/minion/{minion}", "saltstack/minions"];

/** A value that stands under one of several paths: 3007 moved many of them. */
function find(settings: unknown, ...paths: readonly string[][]): unknown {
  for (const path of paths) {
    const value = path.reduce<unknown>((inner, key) => isMap(inner) ? lookup(inner, key) : undefined, settings);
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
}

const text = (value: unknown): string | undefined => value === undefined ? undefined : str(value);

/** Reads the option `vault`, in the form of 3006 or of 3007. Undefined if it is not set. */
export function vaultSettings(opts: Readonly<Record<string, unknown>>): VaultSettings | undefined {
  const { vault } = opts;
  if (!isMap(vault) || opts.vault === undefined) return undefined;
  const get = (...paths: string[]) => find(vault, ...paths.map((path) => path.split(".")));
  const policies = get("policies.assign") ?? get("policies");
  const refresh = get("policies.refresh_pillar", "policies_refresh_pillar");
  return {
    url: text(get("server.url", "url"))?.replace(/\/+$/, ""),
    namespace: text(get("server.namespace", "namespace")),
    verify: get("server.verify", "verify"),
    location: text(get("config_location")),
    auth: {
      method: text(get("auth.method")) ?? "token",
      token: text(get("auth.token")),
      roleId: text(get("auth.role_id")),
      secretId: text(get("auth.secret_id")),
      uses: get("issue.token.params.num_uses", "auth.uses"),
      ttl: get("issue.token.params.explicit_max_ttl", "auth.ttl"),
      allowOverride: (get("issue.allow_minion_override_params", "auth.allow_minion_override") ?? false) === true,
      backend: text(get("cache.backend", "auth.token_backend")) ?? "session",
    },
    roleName: text(get("issue.token.role_name", "role_name")),
    policies: Array.isArray(policies) ? policies : DEFAULT_POLICIES,
    refreshPillar: typeof refresh === "boolean" ? refresh : null,
    keys: [get("keys") ?? []].flat(),
  };
}

/** The settings of a host that asks Vault itself. @throws {CommandExecutionError} naming what is missing */
export function ownSettings(opts: Readonly<Record<string, unknown>>): VaultSettings & { url: string } {
  const settings = vaultSettings(opts);
  if (settings === undefined) {
    throw new CommandExecutionError("Cannot reach Vault: set the option vault with url and auth on this host");
  }
  const { url } = settings;
  if (url === undefined) throw missingSettings("url");
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new CommandExecutionError("Cannot reach Vault: url in the option vault must begin with http:// or https://");
  }
  return { ...settings, url };
}

/** In Salt's words. */
export const missingSettings = (key: string): CommandExecutionError =>
  new CommandExecutionError(`Minion has "vault" config section, but could not find key "'${key}'" within`);
