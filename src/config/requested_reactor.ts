import { isRecord } from "../record.ts";

/** True if a master's configuration has reactors, or asks for the reactor without any (`engines: [reactor]`), as in Salt. */
export function requestedReactor({ reactor, engines }: Record<string, unknown>): boolean {
  if (typeof reactor === "string" ? reactor !== "" : Array.isArray(reactor) && reactor.length > 0) return true;
  const named = (one: unknown) => one === "reactor" || (isRecord(one) && Object.hasOwn(one, "reactor"));
  return Array.isArray(engines) ? engines.some(named) : named(engines);
}
