import { HIDDEN, withoutSecrets } from "../../base/secret.ts";
import { MASTER_OPTIONS } from "./master_opts.ts";
import { optionsThat } from "./option.ts";
import { SALT_MASTER_OPTIONS, SALT_MINION_OPTIONS, type SaltOptions } from "./salt_options.ts";

type Defaults = Readonly<Record<string, unknown>>;

/** The defaults that Salt 3006 has. */
function defaultsOf(options: SaltOptions): Defaults {
  const rows = Object.entries(options).filter(([, row]) => row.since === undefined && row.default !== undefined);
  return Object.fromEntries(rows.map(([name, row]) => [name, row.default]));
}

/** Salt's defaults of a minion's options that have no effect here: a question for one is answered as in Salt. */
export const SALT_MINION_DEFAULTS: Defaults = defaultsOf(SALT_MINION_OPTIONS);

/** The same of a master's options. */
export const SALT_MASTER_DEFAULTS: Defaults = defaultsOf(SALT_MASTER_OPTIONS);

/** A configuration together with Salt's defaults of the options that have no effect here. */
export function withSaltDefaults(opts: Defaults, defaults: Defaults = SALT_MINION_DEFAULTS): Record<string, unknown> {
  return { ...defaults, ...opts };
}

/** Options without the values that came from `sdb://` addresses: they are for the host itself, and shown to nobody. */
export function withoutSdbValues(opts: Defaults): Record<string, unknown> {
  const { __sdb: names, ...rest } = opts;
  const shown: Record<string, unknown> = rest;
  for (const name of Array.isArray(names) ? names : []) if (Object.hasOwn(shown, name)) shown[name] = HIDDEN;
  return shown;
}

/** A master's configuration as callers may see it: with Salt's defaults, and its secrets hidden. */
export function shownMasterConfig(opts: Defaults): unknown {
  return withoutSecrets(
    withSaltDefaults(withoutSdbValues(opts), SALT_MASTER_DEFAULTS),
    optionsThat("secret", MASTER_OPTIONS),
  );
}
