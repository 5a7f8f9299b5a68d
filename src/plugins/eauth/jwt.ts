import type { JWTPayload, JWTVerifyGetKey } from "jose";
import { createLocalJWKSet, createRemoteJWKSet, customFetch, errors, jwtVerify } from "jose";
import { type EauthContext, type EauthModule, sectionOption } from "../../model/loader/eauth.ts";
import { proxiesOf } from "../../model/loader/proxies.ts";
import { textOfBody } from "../../runtime/http_body.ts";
import type { HttpRequest } from "../../runtime/http.ts";
import { followRedirects, type RedirectedRequest } from "../../runtime/http_redirects.ts";

/** Algorithms with a private key only: neither shared secrets nor `none`. */
const ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];
const LIMIT_MS = 10_000;
const MAX_BYTES = 1024 * 1024;
/** Seconds that clocks may differ. */
const TOLERANCE = 30;

/** Key sets by where they come from: jose asks again when it meets a key that it does not know, but not too often. */
const remote = new Map<string, JWTVerifyGetKey>();

function texts(value: unknown): string[] {
  return typeof value === "string" ? [value] : Array.isArray(value) ? value.map(String) : [];
}

/** A claim by its path: `realm_access.roles`; a claim with exactly that name comes first. */
function claim(payload: JWTPayload, path: string): unknown {
  if (Object.hasOwn(payload, path)) return payload[path];
  let value: unknown = payload;
  for (const part of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<string, unknown>)[part];
  }
  return value;
}

/** What an OpenID provider has at an address. @param send its redirections are followed or not */
async function ask(
  context: EauthContext,
  address: string,
  send: (request: RedirectedRequest & HttpRequest) => Promise<Response>,
  headers = new Headers(),
): Promise<Response> {
  const choose = proxiesOf(context);
  const proxy = choose(new URL(address));
  const { status, body } = await send({
    headers,
    signal: AbortSignal.timeout(LIMIT_MS),
    connectMs: LIMIT_MS,
    proxyFor: choose,
    ...(proxy === undefined ? {} : { proxy }),
  });
  return new Response(await textOfBody(body, MAX_BYTES), { status });
}

async function discover(context: EauthContext, issuer: string): Promise<string> {
  const address = `${issuer.replace(/\/+$/, "")}/.well-known/openid-configuration`;
  const { http } = context.runtime;
  const response = await ask(context, address, (request) => followRedirects(http, address, request));
  if (!response.ok) throw new Error(`${address} answered ${response.status}`);
  const found = await response.json() as { issuer?: unknown; jwks_uri?: unknown };
  if (found.issuer !== issuer) throw new Error(`${address} is the issuer "${found.issuer}", expected "${issuer}"`);
  if (typeof found.jwks_uri !== "string") throw new Error(`${address} names no jwks_uri`);
  return found.jwks_uri;
}

async function keysOf(context: EauthContext, issuer: string): Promise<JWTVerifyGetKey> {
  const { section, runtime } = context;
  const file = sectionOption(section, "jwks_file");
  if (typeof file === "string") return createLocalJWKSet(JSON.parse(runtime.fs.readText(file)));
  const given = sectionOption(section, "jwks_uri");
  const name = `${issuer} ${given ?? ""}`;
  const known = remote.get(name);
  if (known !== undefined) return known;
  const address = typeof given === "string" ? given : await discover(context, issuer);
  const keys = createRemoteJWKSet(new URL(address), {
    timeoutDuration: LIMIT_MS,
    cooldownDuration: 5000,
    // Keys come from their address, and from nowhere that it redirects to.
    [customFetch]: (url, { headers }) => ask(context, url, (request) => runtime.http.request(url, request), headers),
  });
  remote.set(name, keys);
  return keys;
}

/**
 * A JSON web token as the password, such as the ID token of an OpenID provider. Options: `^issuer` and `^audience` (needed),
 * `^jwks_uri` or `^jwks_file` (otherwise the issuer is asked where its keys are), `^username_claim` (by default
 * `preferred_username`, then `email`, then `sub`), `^groups_claim` (`groups`), `^algorithms`.
 */
export const eauth: EauthModule = {
  // A token with a signature of 512 bytes and many groups.
  longest: 16_384,
  virtual({ section }) {
    for (const name of ["issuer", "audience"]) {
      if (texts(sectionOption(section, name)).length === 0) return { unavailable: `^${name} is not set` };
    }
    return true;
  },
  async authenticate(context, { username, password }) {
    const { section, log } = context;
    const issuer = texts(sectionOption(section, "issuer"))[0]!;
    const wanted = texts(sectionOption(section, "algorithms"));
    const algorithms = wanted.length === 0 ? ALGORITHMS : wanted.filter((name) => ALGORITHMS.includes(name));
    let payload: JWTPayload;
    try {
      ({ payload } = await jwtVerify(password, await keysOf(context, issuer), {
        issuer,
        audience: texts(sectionOption(section, "audience")),
        algorithms,
        clockTolerance: TOLERANCE,
        currentDate: new Date(context.runtime.clock.now()),
        requiredClaims: ["exp"],
      }));
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error;
      log.info("token refused", { username, reason: error.code, message: error.message });
      return undefined;
    }
    const claims = texts(sectionOption(section, "username_claim"));
    const names = claims.length === 0 ? ["preferred_username", "email", "sub"] : claims;
    const name = names.map((path) => claim(payload, path)).find((value) => typeof value === "string" && value !== "");
    // Logs and limits use the name in the request: it must not be another user's.
    if (typeof name !== "string" || username !== "" && username !== name) {
      log.info("token refused", { username, reason: "it is another user's" });
      return undefined;
    }
    return { name, groups: texts(claim(payload, String(sectionOption(section, "groups_claim") ?? "groups"))) };
  },
};
