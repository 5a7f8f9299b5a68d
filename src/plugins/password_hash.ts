import { cryptSalt, randomSalt, unixCrypt } from "../protocol/crypto/unix_crypt.ts";
import { CommandExecutionError, type JobContext, SaltInvocationError } from "../model/loader/family.ts";
import { repr } from "../language/python/values.ts";
import { programPath, run } from "./commands.ts";

type Algorithm = (context: JobContext, password: string, salt: string | undefined) => string | Promise<string>;

const computed = (method: "sha512" | "sha256" | "md5"): Algorithm => ({ runtime: { crypto } }, password, salt) =>
  unixCrypt(crypto, method, password, salt ?? cryptSalt(crypto, method));

/** `crypt(3)` through perl, for the algorithms that are rarely used and not worth code of our own. */
async function systemCrypt(context: JobContext, password: string, setting: string): Promise<string> {
  if (programPath(context, "perl") === undefined) {
    throw new CommandExecutionError("Cannot compute this hash without the program perl: install it, or use sha512");
  }
  // Through standard input: every user of the host can read command lines.
  const script = 'chomp(my $p = <STDIN>); chomp(my $s = <STDIN>); print crypt($p, $s) // "*0";';
  return await run(context, ["perl", "-e", script], { stdin: `${password}\n${setting}\n`, output_loglevel: "quiet" });
}

const ALGORITHMS: Record<string, Algorithm> = {
  sha512: computed("sha512"),
  sha256: computed("sha256"),
  blowfish: (context, password, salt) =>
    systemCrypt(context, password, `$2b$${salt ?? `12$${randomSalt(context.runtime.crypto, 22)}`}`),
  md5: computed("md5"),
  crypt: (context, password, salt) => systemCrypt(context, password, salt ?? randomSalt(context.runtime.crypto, 2)),
};

/**
 * Hashes a password for `/etc/shadow`.
 *
 * @param salt for the SHA algorithms `rounds=<number>$` may stand before it; drawn at random if undefined
 * @throws {SaltInvocationError} if the algorithm is unknown
 * @example await passwordHash(context, "sha512", "secret"); // "$6$…"
 */
export async function passwordHash(
  context: JobContext,
  algorithm: string,
  password: string,
  salt?: string,
): Promise<string> {
  if (!Object.hasOwn(ALGORITHMS, algorithm)) {
    const names = repr(Object.keys(ALGORITHMS));
    throw new SaltInvocationError(
      `Cannot hash using '${algorithm}' hash algorithm. Natively supported algorithms are: ${names}. ` +
        `If passlib is installed (False), the supported algorithms are: ${names}.`,
    );
  }
  return await ALGORITHMS[algorithm]!(context, password, salt);
}
