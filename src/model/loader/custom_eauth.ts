import { within } from "../../base/async/within.ts";
import { str, truthy } from "../../language/python/values.ts";
import { customNamed, namedCall, type NamedFile } from "./custom_named.ts";
import type { CustomPlace } from "./loaded_file.ts";
import type { EauthContext, EauthCredentials, EauthIdentity, EauthModule } from "./eauth.ts";
import { parseSignature } from "./signature.ts";

/** Milliseconds that a custom backend may take for one answer. */
const ANSWER_MS = 20_000;
/** Bytes of a password: a custom backend may take tokens instead. */
const LONGEST = 16_384;

const textsOf = (value: unknown): string[] => Array.isArray(value) ? value.map(str) : [];

function backend(file: NamedFile, name: string): EauthModule {
  const [auth, groups, acl, processAcl] = ["auth", "groups", "acl", "process_acl"].map((fun) => namedCall(file, fun));
  if (auth === undefined) throw new TypeError(`"${file.path}" has no function "auth"`);
  const user = parseSignature(file.functions.get("auth")!.signature).params[0]?.name ?? "username";
  /** Calls a function of the backend within limits. A hanging backend is ended. */
  const ask = async (
    call: NonNullable<typeof auth>,
    context: EauthContext,
    positional: unknown[],
    named: Record<string, unknown>,
  ) => {
    const limit = new AbortController();
    const late = () => {
      const error = new Error(`"${file.path}" has not answered within ${ANSWER_MS / 1000} s`);
      limit.abort(error);
      throw error;
    };
    const { runtime, log, opts } = context;
    const answer = call({ runtime, log, opts, signal: limit.signal }, positional, named);
    return await within(runtime.clock, ANSWER_MS, undefined, answer, late);
  };
  const named = ({ username, password }: Partial<EauthCredentials>) => ({ username, password, eauth: name });
  const identity = async (context: EauthContext, credentials: EauthCredentials): Promise<EauthIdentity> => {
    const given = named(credentials);
    const own = Object.hasOwn(given, user) ? str(given[user as keyof typeof given]) : credentials.username;
    return { name: own, groups: groups === undefined ? [] : textsOf(await ask(groups, context, [], given)) };
  };
  return {
    longest: LONGEST,
    async authenticate(context, credentials) {
      return truthy(await ask(auth, context, [], named(credentials)))
        ? await identity(context, credentials)
        : undefined;
    },
    ...(acl && {
      async permissions(context, _identity, credentials) {
        const granted = await ask(acl, context, [], named(credentials));
        return Array.isArray(granted) ? granted : undefined;
      },
    }),
    ...(processAcl && {
      expand: async (context, permissions) => {
        const expanded = await ask(processAcl, context, [permissions, context.opts], {});
        return Array.isArray(expanded) ? expanded : [];
      },
    }),
  };
}

/**
 * The custom backend of `external_auth` with a name, or that of Salt's package: `auth(username, password)`, and if it has them,
 * `groups`, `acl` and `process_acl`. Undefined if there is none.
 *
 * @param brines backends of Brine, by name
 */
export async function customEauth(place: CustomPlace, name: string, brines: object): Promise<EauthModule | undefined> {
  const found = await customNamed(place, "auth", name, !Object.hasOwn(brines, name));
  return found && backend(found, name);
}
