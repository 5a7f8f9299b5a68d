/** Steps of handling a request that all flavours share; each flavour calls them in its own order. */
import type { Call } from "./call.ts";
import type { Answer, Operation } from "./route.ts";
import { readBody } from "../wire/body.ts";
import type { BodyRules } from "../wire/body_formats.ts";
import { HttpError } from "../wire/errors.ts";
import { DOCUMENTED_TYPES, represent, type RepresentationRules, WRITABLE_TYPES } from "../wire/representation.ts";

/** Reads the body of a request into its call. @throws {HttpError} 400, 406, 408, 413, 503 */
export async function readCallBody(call: Call, rules: BodyRules): Promise<void> {
  const { settings, clock, arriving } = call.services;
  call.body = await readBody(call.request, {
    rules,
    clock,
    maxBytes: settings.maxBodyBytes,
    timeoutMs: settings.bodyTimeoutMs,
    arriving,
    address: call.peer.address,
  });
}

/**
 * Runs an operation. A request with a password may wait long until the password is tried, so until then the body of an
 * anonymous caller counts as still arriving.
 */
export async function runOperation(operation: Operation, call: Call): Promise<Answer> {
  const { identity, body, peer: { address }, services: { arriving } } = call;
  const size = identity === undefined ? body.size ?? 0 : 0;
  if (size === 0) return await operation.run(call);
  arriving.take(address, size);
  try {
    return await operation.run(call);
  } finally {
    arriving.release(address, size);
  }
}

/**
 * The media type of an answer. To be called before the operation runs: after a change, a refusal would be too late.
 *
 * @param choose the flavour's way to read an `Accept` header
 * @throws {HttpError} 406
 */
export function negotiatedType(
  operation: Operation,
  call: Call,
  choose: (header: string | null, offered: readonly string[]) => string | undefined,
): string {
  if (operation.produces !== undefined) return operation.produces;
  const header = call.request.headers.get("Accept");
  const type = choose(header, WRITABLE_TYPES);
  if (type !== undefined) return type;
  throw new HttpError(
    406,
    `Your client sent this Accept header: ${header}. But this resource only emits these media types: ${
      DOCUMENTED_TYPES.join(", ")
    }.`,
  );
}

/** The response for an answer, with the headers that the call has collected. */
export async function respond(
  answer: Answer,
  call: Call,
  type: string,
  rules: RepresentationRules,
): Promise<Response> {
  if (answer instanceof Response) {
    // The host's response to an upgrade must be returned unchanged, and the response of a stream has the call's headers already.
    if (answer.body === null && answer.status !== 200) return answer;
    for (const [name, value] of Object.entries(call.headers)) {
      if (!answer.headers.has(name)) answer.headers.set(name, value);
    }
    return answer;
  }
  const body = await represent(answer.value, type, rules);
  call.headers["Content-Type"] = type;
  return new Response(body, { status: call.status, headers: call.headers });
}
