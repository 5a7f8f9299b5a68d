import { isRecord } from "../../base/record.ts";
import { joinPath } from "../../base/paths.ts";
import { type RunnerContext, runnerFunctions, type RunnerModule } from "../../model/loader/family.ts";
import { decode } from "../../protocol/wire/msgpack.ts";

/** Token files that are read: each is a login. */
const MOST_READ = 5000;

/** A login that has not ended. */
interface SignedIn {
  user: string;
  eauth: string;
  /** Seconds since the epoch. */
  start: number;
  expire: number;
}

/** The logins whose tokens are valid, the latest first. A token itself is a secret, and is not among what is told. */
function signedIn({ runtime: { fs, clock }, opts }: RunnerContext): SignedIn[] {
  const directory = typeof opts.token_dir === "string" ? opts.token_dir : "";
  if (directory === "" || fs.stat(directory)?.kind !== "directory") return [];
  // A token may have a second name.
  const found = new Map<string, SignedIn>();
  for (const name of fs.list(directory).slice(0, MOST_READ)) {
    try {
      const record = decode(fs.read(joinPath(directory, name)), { mode: "bin" });
      if (!isRecord(record)) continue;
      const { token, name: user, eauth, start, expire } = record;
      if (!(Number(expire) * 1000 > clock.now())) continue;
      found.set(String(token), {
        user: String(user),
        eauth: String(eauth),
        start: Number(start),
        expire: Number(expire),
      });
    } catch {
      // It ended while we looked, or is no token.
    }
  }
  return [...found.values()].sort((left, right) => right.start - left.start);
}

/** Tokens of external authentication. */
export const runner: RunnerModule = {
  functions: runnerFunctions({
    "signed_in()": {
      doc:
        "Who has logged in with external authentication, since when and until when; no token is told. Brine's own.\n\n" +
        "    salt-run auth.signed_in",
      run: (context) => signedIn(context),
    },
    "mk_token(**load)": {
      doc: "Creates a token for a user of an external_auth backend.\n\n" +
        "    salt-run auth.mk_token username=ann password=secret eauth=pam [token_expire=3600]",
      secret: true,
      run: (context, { load }) => context.makeToken(load),
    },
    "del_token(token)": {
      doc:
        "Makes a token worthless; False if there is none.\n\n    salt-run auth.del_token 6556760736e4077daa601baec2b67c24",
      secret: true,
      run: (context, { token }) => context.deleteToken(token),
    },
  }),
};
