/** A server that sends bytes as they are written in a test: also those that no web server would send. */
import type { Net } from "../../src/runtime/net.ts";

export interface RawServer extends AsyncDisposable {
  readonly port: number;
  /** The heads of the requests so far. */
  readonly heads: string[];
}

/** What is sent to a request: its pieces, and then the connection is closed, unless it is to stay open. */
export interface RawReply {
  pieces: readonly (string | Uint8Array)[];
  /** @default false */
  stays?: boolean;
}

const encode = (piece: string | Uint8Array) =>
  Uint8Array.from(typeof piece === "string" ? new TextEncoder().encode(piece) : piece);

/** Text as a reply with a length. */
export const whole = (body: string, head = "HTTP/1.1 200 OK"): RawReply => ({
  pieces: [`${head}\r\nContent-Length: ${encode(body).length}\r\n\r\n${body}`],
});

/** Listens on the loopback. @param answer chooses a reply by the request's target, as it stands in its first line, and its head */
export async function rawServer(
  net: Pick<Net, "listen">,
  answer: (target: string, head: string) => RawReply,
): Promise<RawServer> {
  const heads: string[] = [];
  const listener = await net.listen({ kind: "tcp", host: "127.0.0.1", port: 0 }, (connection) => {
    let head = "";
    connection.start({
      onData(chunk) {
        if (head.includes("\r\n\r\n")) return;
        head += new TextDecoder().decode(chunk);
        if (!head.includes("\r\n\r\n")) return;
        heads.push(head);
        const { pieces, stays = false } = answer(head.split(" ")[1]!, head);
        for (const piece of pieces) connection.write(encode(piece));
        if (!stays) connection.end();
      },
      onClose() {},
    });
  });
  return {
    port: (listener.address as { port: number }).port,
    heads,
    [Symbol.asyncDispose]: () => listener.close(),
  };
}
