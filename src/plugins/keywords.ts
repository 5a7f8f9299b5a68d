import { SaltInvocationError } from "../model/loader/family.ts";
import { type Args, str } from "../language/python/values.ts";

/** What a function of arbitrary keywords was given, without what Salt says of the job. */
export const ownKeywords = (kwargs: unknown): Args =>
  Object.fromEntries(Object.entries((kwargs ?? {}) as Args).filter(([name]) => !name.startsWith("__")));

/** The same of a function that has these keywords. @throws {SaltInvocationError} naming keywords that it does not know */
export function keywords(kwargs: unknown, ...names: string[]): Args {
  const given = ownKeywords(kwargs);
  const unknown = Object.entries(given).filter(([name]) => !names.includes(name));
  if (unknown.length > 0) {
    const shown = unknown.map(([name, value]) => `${name}=${str(value)}`).join(", ");
    throw new SaltInvocationError(`The following keyword arguments are not valid: ${shown}`);
  }
  return given;
}
