/** Events over WebSockets: the part that all flavours share. */
import type { WebSocketHandlers, WebSocketPeer } from "../../../runtime/http.ts";
import type { Call } from "../requests/call.ts";
import { isOwnOrigin } from "../requests/own_page.ts";
import { HttpError } from "../wire/errors.ts";
import type { EventListenerRights } from "./listener.ts";
import type { StreamEvent } from "./stream_event.ts";

/** Close codes of WebSockets. */
const NORMAL = 1000;
const POLICY_VIOLATION = 1008;

/** The messages of a flavour's WebSockets. */
interface SocketStyle {
  /** The client's first message must be exactly this; undefined accepts any. */
  ready?: string;
  /** The message that is sent after `ready`. */
  greeting?: string;
  /** The message for an event; undefined sends nothing. */
  message(event: StreamEvent): string | undefined;
}

/**
 * Refuses requests that do not ask for a WebSocket, and those from pages of other sites: any page can open a WebSocket, and
 * the browser adds the session's cookie.
 *
 * @param notUpgrade the message for a request that does not ask for a WebSocket
 * @throws {HttpError} 400, 403
 */
export function checkUpgrade(call: Call, notUpgrade: string): void {
  const { request: { headers }, services: { settings: { corsOrigin } } } = call;
  if ((headers.get("Upgrade") ?? "").toLowerCase() !== "websocket") throw new HttpError(400, notUpgrade);
  const origin = headers.get("Origin");
  if (origin === null || corsOrigin?.includes("*") || isOwnOrigin(origin, call)) return;
  throw new HttpError(403, "Pages of that origin may not read events here");
}

/** Sends events from the client's first message until either side closes, or the session or token ends. */
export function sendEvents(
  call: Call,
  { identity, record, sight }: EventListenerRights,
  style: SocketStyle,
): WebSocketHandlers {
  const { hub } = call.services;
  let stop: (() => void) | undefined;
  return {
    onMessage(text, socket) {
      if (stop !== undefined || (style.ready !== undefined && text !== style.ready)) return;
      const send = boundedSend(call, socket);
      const end = () => socket.close(NORMAL);
      const { endListeners } = identity;
      stop = hub.each(
        { owner: record, sight, onStop: () => endListeners?.delete(end) },
        (event) => {
          const message = style.message(event);
          if (message !== undefined) send(message);
        },
        end,
      );
      endListeners?.add(end);
      if (style.greeting !== undefined) send(style.greeting);
    },
    onClose: () => stop?.(),
  };
}

/** Sends while the client reads, and closes the socket once too much is waiting. */
function boundedSend({ services: { settings } }: Call, socket: WebSocketPeer): (text: string) => void {
  return (text) => {
    if (socket.buffered > settings.listenerBytes) socket.close(POLICY_VIOLATION, "The client does not read its events");
    else socket.send(text);
  };
}
