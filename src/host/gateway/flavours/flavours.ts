/** The HTTP interfaces of Salt. A new interface needs a file with its profile, and a row here. */
import { ConfigError } from "../../../base/errors.ts";
import { restCherrypy } from "./cherrypy/rest_cherrypy.ts";
import type { FlavourProfile } from "./profile.ts";
import { restTornado } from "./tornado/rest_tornado.ts";

const PROFILES = { rest_cherrypy: restCherrypy, rest_tornado: restTornado } satisfies Record<string, FlavourProfile>;

/** The name of a flavour: its section in the master's configuration. */
export type Flavour = keyof Profiles;

/**
 * The table as a type.
 *
 * @internal
 */
type Profiles = typeof PROFILES;

/**
 * Every {@link Flavour}.
 *
 * @example
 * ```ts
 * import { FLAVOURS } from "brine/gateway";
 *
 * console.log(FLAVOURS.join(", ")); // rest_cherrypy, rest_tornado
 * ```
 */
export const FLAVOURS = Object.keys(PROFILES) as readonly Flavour[];

/** The profile of a flavour. @throws {ConfigError} for a name that is not in {@link FLAVOURS} */
export function profileOf(name: string): FlavourProfile {
  if (Object.hasOwn(PROFILES, name)) return PROFILES[name as Flavour];
  throw new ConfigError(`Cannot serve "${name}": expected one of ${FLAVOURS.join(", ")}`);
}
