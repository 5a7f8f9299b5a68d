/** The master's events over HTTP: as a stream, and over WebSockets. */
import type { TokenRecord } from "../../client/tokens.ts";
import { messageOf } from "../../errors.ts";
import type { WebSocketHandlers, WebSocketPeer } from "../../runtime/http.ts";
import type { Call, Identity } from "../requests/call.ts";
import { HttpError, NO_PERMISSION } from "../wire/errors.ts";
import { inScope } from "../auth/identities.ts";
import { json } from "../wire/json.ts";
import type { Answer } from "../requests/route.ts";
import type { StreamEvent } from "./event_hub.ts";
import { Summaries } from "./summaries.ts";

/** A client may send so many characters to an event socket, which has nothing to hear. */
const READY = "websocket client ready";
const TOO_SLOW = 1008;

/** Who asks, and the master's present word that their token holds. */
async function listener(
  call: Call,
  presented: string | undefined,
): Promise<{ identity: Identity; record: TokenRecord }> {
  const { backend, services: { identities } } = call;
  let identity = call.identity;
  if (identity === undefined && presented) {
    identity = await identities.find(presented, call.peer.address);
    // Either kind of token is good under either name.
    if (identity === undefined && /^[0-9a-f]{32,128}$/.test(presented)) {
      const record = await backend.token(presented);
      if (record !== undefined) return { identity: { record }, record };
    }
  }
  if (identity === undefined || !inScope(identity, "events")) throw new HttpError(401, NO_PERMISSION);
  call.proven.add(identity.record.token);
  const record = await backend.token(identity.record.token);
  if (record === undefined) throw new HttpError(401, NO_PERMISSION);
  return { identity, record };
}

/** `GET /events`. */
export async function serverSentEvents(call: Call): Promise<Answer> {
  const { services: { hub, settings }, query, request, peer } = call;
  const presented = query.get("token") ?? query.get("salt_token") ?? undefined;
  const { identity, record } = await listener(call, settings.flavour === "rest_cherrypy" ? presented : undefined);
  call.user = record.name;
  const headers = {
    ...call.headers,
    "Content-Type": settings.flavour === "rest_cherrypy" ? "text/event-stream;charset=utf-8" : "text/event-stream",
    "Cache-Control": "no-cache",
    Connection: "keep-alive",
  };
  if (request.method === "HEAD") return new Response(null, { headers });
  const after = request.headers.get("Last-Event-ID") ?? query.get("last_event_id") ?? undefined;
  const tag = query.get("tag") ?? undefined;
  const { ending } = identity;
  const { body, end } = hub.stream({
    token: record.token,
    expire: record.expire,
    ids: after !== undefined || query.has("ids"),
    ...(tag === undefined ? {} : { tag }),
    ...(after === undefined ? {} : { after }),
    onStop: () => ending?.delete(end),
  });
  ending?.add(end);
  peer.keepOpen();
  return new Response(body, { headers });
}

/** Pages of other sites can open WebSockets here, and the browser adds the cookie. */
function checkOrigin(call: Call): void {
  const { request: { headers }, services: { settings: { corsOrigin } } } = call;
  const origin = headers.get("Origin");
  if (origin === null) return;
  if (corsOrigin !== undefined && (corsOrigin.includes("*") || corsOrigin.includes(origin))) return;
  let host: string;
  try {
    host = new URL(origin).host;
  } catch {
    host = "";
  }
  if (host !== (headers.get("Host") ?? new URL(call.request.url).host)) {
    throw new HttpError(403, "Pages of that origin may not listen here");
  }
}

const wantsUpgrade = ({ request: { headers } }: Call) => (headers.get("Upgrade") ?? "").toLowerCase() === "websocket";

/** Sends as long as it is read; who lets too much wait is sent away. */
function sender(call: Call, socket: WebSocketPeer): (text: string) => void {
  const { listenerBytes } = call.services.settings;
  return (text) => {
    if (socket.buffered > listenerBytes) socket.close(TOO_SLOW, "The listener does not read");
    else socket.send(text);
  };
}

interface SocketStyle {
  /** The first message must be exactly this; undefined takes any. */
  ready?: string;
  /** Sent when it has come. */
  greeting?: string;
  event(event: StreamEvent): string | undefined;
}

function follow(call: Call, identity: Identity, record: TokenRecord, style: SocketStyle): WebSocketHandlers {
  const { hub } = call.services;
  let stop: (() => void) | undefined;
  return {
    onMessage(text, socket) {
      if (stop !== undefined || (style.ready !== undefined && text !== style.ready)) return;
      const send = sender(call, socket);
      const end = () => socket.close(1000);
      const { ending } = identity;
      stop = hub.each(
        { token: record.token, expire: record.expire, onStop: () => ending?.delete(end) },
        (event) => {
          const message = style.event(event);
          if (message !== undefined) send(message);
        },
        end,
      );
      ending?.add(end);
      if (style.greeting !== undefined) send(style.greeting);
    },
    onClose: () => stop?.(),
  };
}

/** `GET /ws` of the default profile. */
export async function allEvents(call: Call): Promise<Answer> {
  const { identity, record } = await listener(call, call.params.token);
  if (!wantsUpgrade(call)) throw new HttpError(400, "Expected the upgrade to a WebSocket");
  checkOrigin(call);
  call.user = record.name;
  const summaries = call.query.has("format_events") ? new Summaries("rest_cherrypy") : undefined;
  return call.peer.upgrade(follow(call, identity, record, {
    greeting: "server received message",
    event(event) {
      if (summaries === undefined) return `data: ${event.text}\n\n`;
      const summary = summaries.take(event);
      return summary === undefined ? undefined : json(summary);
    },
  }));
}

/** Asks all minions for their grains, and waits for them; the summaries hear of their returns as of any. */
async function learnMinions(call: Call, token: string, summaries: Summaries, signal: AbortSignal): Promise<void> {
  const { backend, services: { settings: { timeoutMs, gatherMs } } } = call;
  const jids = new Set<string>();
  const request = { tgt: "*", fun: "grains.items", credentials: { token } };
  for await (const { jid } of backend.run(request, { timeoutMs, gatherMs, signal })) jids.add(jid);
  for (const jid of jids) summaries.forget(jid);
}

/** `GET /all_events/<token>` and `GET /formatted_events/<token>` of tornado's profile. */
export async function tornadoSocket(call: Call, formatted: boolean): Promise<Answer> {
  const { backend, services: { log }, params: { token = "" } } = call;
  const record = await backend.token(token);
  if (record === undefined) throw new HttpError(401, "The token is not known");
  if (!wantsUpgrade(call)) throw new HttpError(400, 'Can "Upgrade" only to "WebSocket".');
  checkOrigin(call);
  call.user = record.name;
  const summaries = formatted ? new Summaries("rest_tornado") : undefined;
  // Nothing goes out before all minions have told their grains: until then a summary would say of most that they are not there.
  let known = !formatted;
  const handlers = follow(call, { record }, record, {
    ready: READY,
    event(event) {
      if (summaries === undefined) return event.text;
      const summary = summaries.take(event);
      return summary === undefined || !known ? undefined : `${json(summary)}\n\n`;
    },
  });
  if (summaries === undefined) return call.peer.upgrade(handlers);
  const gone = new AbortController();
  let asked = false;
  return call.peer.upgrade({
    ...handlers,
    onMessage(text, socket) {
      handlers.onMessage!(text, socket);
      if (text !== READY || asked) return;
      asked = true;
      learnMinions(call, token, summaries, gone.signal).catch((error) => {
        if (gone.signal.aborted) return;
        log.info("a listener may not ask minions for their grains", { user: record.name, error: messageOf(error) });
      }).finally(() => known = true);
    },
    onClose() {
      gone.abort();
      handlers.onClose!();
    },
  });
}
