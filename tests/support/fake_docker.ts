/** A daemon of Docker's API on a Unix socket, which answers as a test says. */
import { currentRuntime } from "../../src/runtime/current.ts";
import type { Connection } from "../../src/runtime/net.ts";

const runtime = await currentRuntime();
const text = new TextEncoder();

export interface FakeAnswer {
  status?: number;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent as it is. */
  bytes?: Uint8Array;
  /** @default "length" */
  how?: "length" | "chunked" | "close";
}

export interface FakeDocker {
  /** `unix:///…` */
  url: string;
  /** Requests so far: method, path without the version, and the body, whose JSON is read. */
  requests: [method: string, path: string, body: unknown][];
  close(): Promise<void>;
}

const latin = (bytes: Uint8Array): string => Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");

/** The body of a request that is whole; undefined if something is missing. */
function bodyOf(head: string, rest: string): string | undefined {
  const length = /content-length: (\d+)/i.exec(head)?.[1];
  if (length !== undefined) return rest.length < Number(length) ? undefined : rest.slice(0, Number(length));
  if (!/transfer-encoding: chunked/i.test(head)) return "";
  if (!rest.endsWith("0\r\n\r\n")) return undefined;
  let body = "";
  for (let at = 0;;) {
    const end = rest.indexOf("\r\n", at);
    const size = parseInt(rest.slice(at, end), 16);
    if (size === 0) return body;
    body += rest.slice(end + 2, end + 2 + size);
    at = end + 4 + size;
  }
}

function pieces({ status = 200, json, bytes, how = "length" }: FakeAnswer): Uint8Array[] {
  const body = bytes ?? (json === undefined ? new Uint8Array(0) : text.encode(JSON.stringify(json)));
  const heads = { length: `Content-Length: ${body.length}\r\n`, chunked: "Transfer-Encoding: chunked\r\n", close: "" };
  const head = text.encode(`HTTP/1.1 ${status} x\r\n${heads[how]}X-Y: z\r\n\r\n`);
  if (how !== "chunked") return [head, body];
  const chunks = Array.from({ length: Math.ceil(body.length / 7) }, (_, at) => body.subarray(at * 7, at * 7 + 7));
  const parts = chunks.flatMap((
    chunk,
  ) => [text.encode(`${chunk.length.toString(16)}\r\n`), chunk, text.encode("\r\n")]);
  return [head, ...parts, text.encode("0\r\n\r\n")];
}

/** Starts a daemon in a directory. @param answer undefined for what there is not */
export async function fakeDocker(
  directory: string,
  answer: (method: string, path: string, body: unknown) => FakeAnswer | undefined,
): Promise<FakeDocker> {
  const path = `${directory}/docker.sock`;
  const requests: FakeDocker["requests"] = [];
  const accept = (connection: Connection) => {
    let seen = "";
    connection.start({
      onData: (chunk) => {
        seen += latin(chunk);
        const end = seen.indexOf("\r\n\r\n");
        if (end < 0) return;
        const body = bodyOf(seen.slice(0, end), seen.slice(end + 4));
        if (body === undefined) return;
        const [, method = "", full = ""] = /^(\S+) (\S+) /.exec(seen) ?? [];
        seen = "";
        const asked = full.replace(/^\/v1\.41/, "");
        const value = /^[{[]/.test(body) ? JSON.parse(body) : body;
        if (asked !== "/version") requests.push([method, asked, value]);
        const found = asked === "/version"
          ? { json: { Version: "20.10.24+dfsg1", ApiVersion: "1.41" } }
          : answer(method, asked, value) ?? { status: 404, json: { message: `No such thing: ${asked}` } };
        for (const piece of pieces(found)) connection.write(piece);
        connection.end();
      },
      onClose: () => {},
    });
  };
  const listener = await runtime.net.listen({ kind: "unix", path }, accept);
  return { url: `unix://${path}`, requests, close: () => listener.close() };
}

/** What a container prints, with the head that says on which stream. */
export function framed(...printed: [stream: 1 | 2, text: string][]): Uint8Array {
  const all = printed.flatMap(([stream, said]) => {
    const bytes = text.encode(said);
    const head = new Uint8Array(8);
    head[0] = stream;
    new DataView(head.buffer).setUint32(4, bytes.length);
    return [...head, ...bytes];
  });
  return Uint8Array.from(all);
}
