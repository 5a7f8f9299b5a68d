import { SystemError } from "../../errors.ts";
import type { Http, HttpHandler, HttpServer } from "../http.ts";

/** HTTP servers of one process, and the way to ask them. */
export interface MemoryHttp extends Http {
  /**
   * Sends a request to the server that has the port of its address.
   *
   * @throws {SystemError} `ECONNREFUSED` if there is none
   */
  fetch(request: Request, from?: string): Promise<Response>;
}

/** The lowest port that is given to those who ask for any. */
const FIRST_PORT = 49_152;

/** HTTP without sockets. It has no WebSockets, and every certificate is as good as none. */
export function memoryHttp(): MemoryHttp {
  const servers = new Map<number, HttpHandler>();
  let next = FIRST_PORT;
  return {
    serve(handler, { port }): Promise<HttpServer> {
      const taken = port === 0 ? next++ : port;
      if (servers.has(taken)) {
        const error = new SystemError("EADDRINUSE", `Cannot serve HTTP at port ${taken}: it is taken`, { port: taken });
        return Promise.reject(error);
      }
      servers.set(taken, handler);
      const close = () => Promise.resolve(void servers.delete(taken));
      return Promise.resolve({ port: taken, reloadTls: () => Promise.resolve(), close, [Symbol.asyncDispose]: close });
    },
    async fetch(request, from = "127.0.0.1") {
      const { port, protocol } = new URL(request.url);
      const handler = servers.get(port === "" ? (protocol === "https:" ? 443 : 80) : Number(port));
      if (handler === undefined) throw new SystemError("ECONNREFUSED", `Nobody serves ${request.url}`);
      return await handler(request, {
        address: from,
        upgrade() {
          throw new TypeError("Cannot upgrade: there are no WebSockets in memory");
        },
        keepOpen: () => {},
      });
    },
  };
}
