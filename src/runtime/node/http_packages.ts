/**
 * The parts in use of the packages that serve HTTP on Node, `@hono/node-server` and `@hono/node-ws`. They are typed here
 * and loaded when needed: a script that imports Brine from a URL has no import map for their names, and must neither fail to
 * run nor to type-check if it serves no HTTP.
 */
import type { RequestListener, Server } from "node:http";
import type { Socket } from "node:net";

/** What both packages pass with a request. */
export interface Bindings {
  incoming: { socket: Socket };
}

export interface RawSocket {
  readonly bufferedAmount: number;
  send(text: string): void;
  close(code?: number, reason?: string): void;
  terminate(): void;
}

/** The handlers of `hono/ws`. */
export interface SocketEvents {
  onOpen(event: unknown, socket: { raw?: RawSocket }): void;
  onMessage(event: { data: unknown }): void;
  onClose(): void;
}

/** What `@hono/node-ws` creates. */
export interface NodeWebSockets {
  readonly wss: { readonly clients: Iterable<RawSocket>; readonly options: { maxPayload?: number } };
  injectWebSocket(server: Server): void;
  /** The overload that is not wrapped as middleware. */
  upgradeWebSocket(context: unknown, events: SocketEvents): Promise<Response>;
}

/** The application of whose handlers `@hono/node-ws` asks for the response to an upgrade. */
interface UpgradeApp {
  request(url: URL, init: RequestInit, env: Bindings): Response | Promise<Response>;
}

export interface HttpPackages {
  getRequestListener(
    answer: (request: Request, env: unknown) => Response | Promise<Response>,
    options: { overrideGlobalObjects: boolean; hostname: string },
  ): RequestListener;
  createNodeWebSocket(options: { app: UpgradeApp }): NodeWebSockets;
}

export async function loadHttpPackages(): Promise<HttpPackages> {
  const [server, sockets] = await Promise.all([import("@hono/node-server"), import("@hono/node-ws")]);
  return {
    getRequestListener: server.getRequestListener as HttpPackages["getRequestListener"],
    createNodeWebSocket: sockets.createNodeWebSocket as unknown as HttpPackages["createNodeWebSocket"],
  };
}
