import { ConfigError, messageOf } from "../../base/errors.ts";
import { compileFinder } from "../../language/python/regexp.ts";
import { compileGlob } from "../../language/python/glob.ts";

/**
 * Compiles `file_ignore_regex` and `file_ignore_glob` to a test of a path: a regular expression may match anywhere, a glob
 * has to match the whole, and its star crosses slashes.
 *
 * @throws {ConfigError} naming an expression that cannot be read
 */
export function ignoredBy(options: { regex: readonly unknown[]; glob: readonly unknown[] }): (path: string) => boolean {
  const patterns = options.regex.map((source) => {
    try {
      // Paths come from minions.
      return compileFinder(String(source));
    } catch (error) {
      throw new ConfigError(
        `Cannot read the regular expression "${source}" of file_ignore_regex: ${messageOf(error)}`,
        {
          cause: error,
        },
      );
    }
  });
  const tests = [...patterns, ...options.glob.map((glob) => compileGlob(String(glob)))];
  return (path) => tests.some((test) => test(path));
}
