import { MAX_SOCKET_MESSAGE, NOT_TEXT, plainAddress } from "../http.ts";
import type { HttpHandler, WebSocketHandlers, WebSocketPeer } from "../http.ts";
import type { Guests } from "./http_guests.ts";
import type { Bindings, HttpPackages, NodeWebSockets, RawSocket, SocketEvents } from "./http_packages.ts";

/** WebSockets whose handlers come from the peer's `upgrade()`. */
export function webSocketsFor(
  handler: HttpHandler,
  { createNodeWebSocket }: HttpPackages,
  guests: Guests,
): NodeWebSockets {
  const sockets: NodeWebSockets = createNodeWebSocket({
    app: {
      request: (url, init, env) => {
        const request = new Request(url, init);
        const { socket } = env.incoming;
        return handler(request, {
          address: plainAddress(socket.remoteAddress),
          upgrade(handlers) {
            guests.stays(socket);
            return upgraded(sockets, handlers, request, env);
          },
          keepOpen: () => {},
          known: () => guests.known(socket),
        });
      },
    },
  });
  // The library's own limit is 100 MiB.
  sockets.wss.options.maxPayload = MAX_SOCKET_MESSAGE;
  return sockets;
}

/** The library upgrades from within a handler of Hono; it needs only two fields of the context. */
function upgraded(sockets: NodeWebSockets, handlers: WebSocketHandlers, request: Request, env: Bindings): Response {
  const context = { req: { url: request.url, header: (name: string) => request.headers.get(name) ?? undefined }, env };
  // Synchronous up to the registration that the library looks for once this response is there.
  void sockets.upgradeWebSocket(context, eventsFor(handlers));
  return new Response(null);
}

function eventsFor(handlers: WebSocketHandlers): SocketEvents {
  let peer: WebSocketPeer | undefined;
  return {
    onOpen: (_event, { raw }) => {
      peer = peerOf(raw!);
      handlers.onOpen?.(peer);
    },
    onMessage: ({ data }) => {
      if (typeof data === "string") handlers.onMessage?.(data, peer!);
      else peer!.close(NOT_TEXT, "Expected text");
    },
    onClose: () => handlers.onClose?.(),
  };
}

function peerOf(socket: RawSocket): WebSocketPeer {
  return {
    send: (text) => socket.send(text),
    get buffered() {
      return socket.bufferedAmount;
    },
    close: (code, reason) => socket.close(code, reason),
  };
}
