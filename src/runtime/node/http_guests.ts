import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Server as SecureServer } from "node:https";
import type { Socket } from "node:net";
import { type HttpServeOptions, plainAddress } from "../http.ts";
import { HttpConnectionLimit, type HttpGuest, limitsOf } from "../http_connection_limit.ts";

/** The key of a connection. With TLS, a request has another socket than its connection; both have the client's address and port. */
const nameOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`;

/** The connections of a server of Node, held to the limits of its options. */
export class Guests {
  readonly #connectionLimit: HttpConnectionLimit;
  readonly #guests = new Map<string, HttpGuest>();

  constructor(options: HttpServeOptions) {
    this.#connectionLimit = new HttpConnectionLimit(limitsOf(options, 1), () => performance.now());
  }

  watch(server: Server | SecureServer): void {
    server.on("connection", (socket: Socket) => this.#enter(socket));
    server.on("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
      const guest = this.#guests.get(nameOf(socket));
      if (guest === undefined) return;
      this.#connectionLimit.begin(guest);
      response.once("close", () => this.#connectionLimit.end(guest));
    });
  }

  #enter(socket: Socket): void {
    const name = nameOf(socket);
    const guest: HttpGuest = { address: plainAddress(socket.remoteAddress), close: () => void socket.destroy() };
    this.#guests.set(name, guest);
    socket.once("close", () => {
      this.#guests.delete(name);
      this.#connectionLimit.leave(guest);
    });
    this.#connectionLimit.enter(guest);
  }

  /** Notes that the caller of a connection's request is authenticated. */
  known(socket: Socket): void {
    const guest = this.#guests.get(nameOf(socket));
    if (guest !== undefined) this.#connectionLimit.known(guest);
  }

  /** Notes that the connection has become a WebSocket of an authenticated caller. */
  stays(socket: Socket): void {
    const guest = this.#guests.get(nameOf(socket));
    if (guest === undefined) return;
    this.#connectionLimit.begin(guest);
    this.#connectionLimit.known(guest);
  }

  close(): void {
    this.#connectionLimit.close();
  }
}
