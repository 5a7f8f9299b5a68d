/**
 * The version of Brine: what `--version` prints and the grain `brineversion` holds.
 *
 * @example
 * ```ts
 * console.log(`Brine ${VERSION}`);
 * ```
 */
export const VERSION = "0.1.0";

/** The code name that is shown beside the version: Salt's releases have one as well. */
export const CODENAME = "Brine";

/** The Salt release whose behaviour is followed: the grain `saltversion`, which tools parse and compare. */
export const SALT_COMPAT = "3006.28";
