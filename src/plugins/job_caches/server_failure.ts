import { ConfigError, SaltError, SystemError } from "../../base/errors.ts";

/** What a server's texts and codes mean: an errno, and what to do. */
export type Remedy = readonly [pattern: RegExp, errno: string, remedy: string];

/** The error to throw for a failure of a server: with the place, what it said, and what to do. @param what is at the place */
export function serverFailure(
  place: string,
  error: unknown,
  remedies: readonly Remedy[],
  what = "job cache",
): SaltError {
  if (error instanceof SaltError) return error;
  const { message, code } = (error ?? {}) as { message?: unknown; code?: unknown };
  const text = [code, message || String(error)].filter((part) => typeof part === "string" && part !== "").join(": ");
  const [, errno, remedy] = remedies.find(([pattern]) => pattern.test(text)) ??
    [undefined, "EIO", "see the server's log"];
  return new SystemError(errno, `Cannot use the ${what} at ${place}: ${text}; ${remedy}`, { place, cause: error });
}

/**
 * Refuses data in a form that this release does not know, rather than misread it.
 *
 * @throws {ConfigError} if `form` is above `known`
 */
export function refuseNewerForm(place: string, form: string, known: number, option: string): void {
  if (!(Number(form) > known)) return;
  throw new ConfigError(
    `Cannot use the job cache at ${place}: it was written by a newer release (form ${form}, this one knows ${known}): ` +
      `upgrade, or name another database in ${option}`,
  );
}
