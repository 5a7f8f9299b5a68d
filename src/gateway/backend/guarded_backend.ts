import type { Credentials } from "../../client/credentials.ts";
import type { RunnerRequest } from "../../client/runner.ts";
import { isMap, lookup } from "../../python/containers.ts";
import type { Attempts, CredentialUse, Verdict } from "../auth/failed_attempts.ts";
import type { Backend } from "./backend.ts";
import { HttpError, MasterDownError, NO_PERMISSION, RefusedError } from "../wire/errors.ts";
import type { GatewaySettings } from "../settings.ts";

/** The runner that makes a token of a password. */
const MAKES_TOKENS = "auth.mk_token";

/** What every request may do without saying who asks. */
export type OpenBackend = Pick<Backend, "up" | "isBrine" | "fire" | "revoke" | "onEvent">;
/** What needs a credential, or is one. */
export type GuardedBackend = Omit<Backend, "fire" | "revoke" | "onEvent" | typeof Symbol.asyncDispose>;

export interface GuardOptions {
  backend: Backend;
  settings: Pick<GatewaySettings, "apiAcl">;
  attempts: Attempts;
  /** Of whoever sent the request. */
  address: string;
  /** Tokens that were found to hold in this request, which are no guesses; those that are found here come to them. */
  proven: Set<string>;
}

/** True if somebody may sign in from an address. */
export function mayComeFrom({ apiAcl }: Pick<GatewaySettings, "apiAcl">, user: string, address: string): boolean {
  if (apiAcl === undefined) return true;
  const places = apiAcl.get(user) ?? apiAcl.get("*");
  return places !== undefined && (places.includes(address) || places.includes("*"));
}

/** How an attempt went that ended with an error. */
function verdictOf(error: unknown): Verdict {
  if (error instanceof MasterDownError) return "untried";
  if (error instanceof HttpError) return error.status === 429 ? "untried" : "unsure";
  if (!(error instanceof RefusedError)) return "unsure";
  // Of runners and wheel functions the master says the same of who may not as of who is not.
  if (error.kind === "authentication" || /^Authentication failure/.test(error.message)) return "failed";
  // Whatever else is said may have been said without a look at the credentials: a function or name on
  // publisher_acl_blacklist is refused before them, in the words for somebody who is known and may not.
  return "untried";
}

const heldIfThere = (record: unknown): Verdict => record === undefined ? "failed" : "held";

const text = (value: unknown): string => typeof value === "string" ? value : value === undefined ? "" : String(value);

/**
 * The master as one request may use it: the only way on which a credential reaches it. Whichever route, client or field a
 * credential came by, here it is held against `api_acl`, takes its place among the {@link Attempts}, and is counted.
 */
export function guardedBackend(options: GuardOptions): GuardedBackend {
  const { backend, settings, attempts, address, proven } = options;

  /** What is tried with these credentials; undefined if they have been found to hold. */
  const useOf = (credentials: Credentials): CredentialUse | undefined => {
    const { token } = credentials;
    if (token === undefined) {
      const user = text(credentials.username);
      if (!mayComeFrom(settings, user, address)) throw new HttpError(401, NO_PERMISSION);
      // In whatever order the door gives them.
      return { address, user, secret: JSON.stringify(Object.entries(credentials).sort()) };
    }
    return proven.has(String(token)) ? undefined : { address, secret: String(token) };
  };

  const guarded = async <T>(
    uses: readonly (CredentialUse | undefined)[],
    run: () => Promise<T>,
    verdict: (value: T) => Verdict = () => "held",
  ): Promise<T> => {
    const tried = uses.filter((use) => use !== undefined);
    if (tried.length === 0) return await run();
    const end = await attempts.begin(...tried);
    let value: T;
    try {
      value = await run();
    } catch (error) {
      end(verdictOf(error));
      throw error;
    }
    end(verdict(value));
    return value;
  };

  /** A token that somebody names may be anybody's: with `api_acl`, it has to be known whose it is. */
  const useIn = async (credentials: Credentials | undefined): Promise<CredentialUse | undefined> => {
    const { token } = credentials ?? {};
    if (settings.apiAcl !== undefined && typeof token === "string" && !proven.has(token)) {
      const record = await self.token(token);
      if (record === undefined) throw new RefusedError("authentication", "Authentication error occurred.");
    }
    return useOf(credentials ?? {});
  };

  const asked = async <T>(
    credentials: Credentials | undefined,
    run: () => Promise<T>,
    verdict?: (value: T) => Verdict,
  ): Promise<T> => await guarded([await useIn(credentials)], run, verdict);

  /** The first that a generator gives says that the credentials held. */
  async function* followed<T, R>(
    credentials: Credentials | undefined,
    start: () => AsyncGenerator<T, R>,
  ): AsyncGenerator<T, R> {
    const values = start();
    try {
      let step = await asked(credentials, () => values.next());
      while (!step.done) {
        yield step.value;
        step = await values.next();
      }
      return step.value;
    } finally {
      await values.return(undefined as R);
    }
  }

  /** A password that is tried as the argument of a function. */
  const asArgument = ({ fun, kwarg: { username, password, eauth } }: RunnerRequest): CredentialUse | undefined =>
    fun === MAKES_TOKENS ? useOf({ eauth, username, password }) : undefined;

  const self: GuardedBackend = {
    get up() {
      return backend.up;
    },
    get isBrine() {
      return backend.isBrine;
    },
    async login(credentials) {
      const record = await guarded([useOf(credentials)], () => backend.login(credentials), heldIfThere);
      // With a token of an identity provider, only now it is known who it is.
      if (record === undefined || mayComeFrom(settings, record.name, address)) return record;
      await backend.revoke(record.token);
      throw new HttpError(401, NO_PERMISSION);
    },
    async token(token) {
      const record = await guarded([useOf({ token })], () => backend.token(token), heldIfThere);
      if (record === undefined) return undefined;
      if (!proven.has(token) && !mayComeFrom(settings, record.name, address)) return undefined;
      proven.add(token);
      return record;
    },
    publish: (request) => asked(request.credentials, () => backend.publish(request)),
    // Where there is none, nobody has looked at the credentials.
    preview: (request) =>
      asked(request.credentials, () => backend.preview(request), (found) => found === undefined ? "untried" : "held"),
    run: (request, how) => followed(request.credentials, () => backend.run(request, how)),
    batch: (request, how) => followed(request.credentials, () => backend.batch(request, how)),
    subset: (request, count, how) => asked(request.credentials, () => backend.subset(request, count, how)),
    async startRunner(request) {
      const uses = [await useIn(request.credentials), asArgument(request)];
      // Nobody hears here how it went with an argument.
      const verdict = (): Verdict => uses[1] === undefined ? "held" : "unsure";
      return await guarded(uses, () => backend.startRunner(request), verdict);
    },
    async runner(request, how) {
      const uses = [await useIn(request.credentials), asArgument(request)];
      return await guarded(uses, () => backend.runner(request, how), ({ data }) => {
        const made = isMap(data.return) && lookup(data.return, "token") !== undefined;
        return uses[1] === undefined || made ? "held" : "failed";
      });
    },
    wheel: (request) => asked(request.credentials, () => backend.wheel(request)),
  };
  return self;
}
