/** A WebSocket client over a plain connection: the runtimes' own clients cannot set headers, and do not show a refusal. */
import type { Net } from "../../src/runtime/net.ts";

export interface RawSocket {
  status: number;
  head: string;
  /** Resolves with the next text message. */
  next(): Promise<string>;
  send(text: string): void;
  close(): void;
  /** Resolves with the code of the closing frame, or 1006 without one. */
  closed: Promise<number>;
}

const KEY = "dGhlIHNhbXBsZSBub25jZQ==";

/** The length of a masked frame: in one byte, or after it in two or eight. */
function lengthOf({ length }: Uint8Array): number[] {
  if (length < 126) return [0x80 | length];
  if (length < 65_536) return [0x80 | 126, length >> 8, length & 0xff];
  return [0x80 | 127, 0, 0, 0, 0, ...[24, 16, 8, 0].map((shift) => (length >> shift) & 0xff)];
}

/** Asks for an upgrade; resolves once the head of the response has arrived. */
export async function openSocket(net: Net, port: number, path: string, headers: Record<string, string> = {}) {
  const connection = await net.dial({ kind: "tcp", host: "127.0.0.1", port });
  const { promise: answered, resolve: answer } = Promise.withResolvers<RawSocket>();
  const { promise: closed, resolve: close } = Promise.withResolvers<number>();
  const messages: string[] = [];
  const readers: ((text: string) => void)[] = [];
  let buffer = new Uint8Array(0);
  let head: string | undefined;
  const socket = (text: string): RawSocket => ({
    status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]),
    head: text,
    next: () =>
      messages.length > 0 ? Promise.resolve(messages.shift()!) : new Promise((resolve) => readers.push(resolve)),
    send(message) {
      const body = new TextEncoder().encode(message);
      const mask = [1, 2, 3, 4];
      connection.write(
        Uint8Array.from([0x81, ...lengthOf(body), ...mask, ...body.map((byte, at) => byte ^ mask[at % 4]!)]),
      );
    },
    close: () => connection.destroy(),
    closed,
  });
  const read = () => {
    if (head === undefined) {
      const text = new TextDecoder("latin1").decode(buffer);
      const end = text.indexOf("\r\n\r\n");
      if (end < 0) return;
      head = text.slice(0, end);
      buffer = buffer.slice(end + 4);
      answer(socket(head));
    }
    while (buffer.length >= 2) {
      const short = buffer[1]! & 0x7f;
      const extra = short === 126 ? 2 : short === 127 ? 8 : 0;
      if (buffer.length < 2 + extra) return;
      let length = short;
      if (extra > 0) length = buffer.slice(2, 2 + extra).reduce((sum, byte) => sum * 256 + byte, 0);
      if (buffer.length < 2 + extra + length) return;
      const body = buffer.slice(2 + extra, 2 + extra + length);
      const opcode = buffer[0]! & 0x0f;
      buffer = buffer.slice(2 + extra + length);
      if (opcode === 8) close(body.length >= 2 ? body[0]! * 256 + body[1]! : 1005);
      if (opcode !== 1) continue;
      const text = new TextDecoder().decode(body);
      const reader = readers.shift();
      if (reader === undefined) messages.push(text);
      else reader(text);
    }
  };
  connection.start({
    onData(chunk) {
      const joined = new Uint8Array(buffer.length + chunk.length);
      joined.set(buffer);
      joined.set(chunk, buffer.length);
      buffer = joined;
      read();
    },
    onClose() {
      close(1006);
      answer(socket(head ?? ""));
    },
  });
  const lines = {
    Host: `127.0.0.1:${port}`,
    Connection: "Upgrade",
    Upgrade: "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": KEY,
    ...headers,
  };
  const text = [`GET ${path} HTTP/1.1`, ...Object.entries(lines).map(([name, value]) => `${name}: ${value}`), "", ""];
  connection.write(new TextEncoder().encode(text.join("\r\n")));
  return await answered;
}
