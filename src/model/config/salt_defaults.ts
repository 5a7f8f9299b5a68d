import { HIDDEN, withoutSecrets } from "../../base/secret.ts";
import { MASTER_OPTIONS } from "./master_opts.ts";
import { optionsThat } from "./option.ts";
import { SALT_MASTER_OPTIONS, SALT_MINION_OPTIONS, type SaltOptions } from "./salt_options.ts";

type Defaults = Readonly<Record<string, unknown>>;

/** The defaults of Salt 3006. */
function defaultsOf(options: SaltOptions): Defaults {
  const rows = Object.entries(options).filter(([, row]) => row.since === undefined && row.default !== undefined);
  return Object.fromEntries(rows.map(([name, row]) => [name, row.default]));
}

/** Salt's defaults for minion options without effect, so that `config.get` and the like answer as in Salt. */
export const SALT_MINION_DEFAULTS: Defaults = defaultsOf(SALT_MINION_OPTIONS);

/** Salt's defaults for master options without effect. */
export const SALT_MASTER_DEFAULTS: Defaults = defaultsOf(SALT_MASTER_OPTIONS);

/** A configuration, and Salt's defaults for options without effect. */
export function withSaltDefaults(opts: Defaults, defaults: Defaults = SALT_MINION_DEFAULTS): Record<string, unknown> {
  return { ...defaults, ...opts };
}

/** The options without the values resolved from `sdb://` addresses: these are for the host only, and never shown. */
export function withoutSdbValues(opts: Defaults): Record<string, unknown> {
  const { __sdb: names, ...rest } = opts;
  const shown: Record<string, unknown> = rest;
  for (const name of Array.isArray(names) ? names : []) if (Object.hasOwn(shown, name)) shown[name] = HIDDEN;
  return shown;
}

/** A master's configuration for display: with Salt's defaults, and with secrets hidden. */
export function shownMasterConfig(opts: Defaults): unknown {
  return withoutSecrets(
    withSaltDefaults(withoutSdbValues(opts), SALT_MASTER_DEFAULTS),
    optionsThat("secret", MASTER_OPTIONS),
  );
}
