import { ProtocolError } from "../../../base/errors.ts";
import { printable } from "../../../base/printable.ts";
import type { Crypto } from "../../../runtime/crypto.ts";
import { type HttpHead, listHas } from "../../../runtime/http_head.ts";
import { base64 } from "../../crypto/crypticle.ts";

/* The opening handshake of RFC 6455, section 4. */

const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const text = new TextEncoder();

/** The cryptography that both sides of a handshake use. */
export type HandshakeCrypto = Pick<Crypto, "hash" | "randomBytes">;

function acceptOf(crypto: HandshakeCrypto, key: string): string {
  return base64(crypto.hash("sha1", text.encode(key + GUID)));
}

/** A client's request, and the value that the reply must have. @param host as it was dialled: `salt:443` */
export function clientRequest(
  crypto: HandshakeCrypto,
  host: string,
  path: string,
): { bytes: Uint8Array; accept: string } {
  const key = base64(crypto.randomBytes(16));
  const lines = [
    `GET ${path} HTTP/1.1`,
    `Host: ${host}`,
    "Upgrade: websocket",
    "Connection: Upgrade",
    `Sec-WebSocket-Key: ${key}`,
    "Sec-WebSocket-Version: 13",
  ];
  return { bytes: text.encode(`${lines.join("\r\n")}\r\n\r\n`), accept: acceptOf(crypto, key) };
}

/** Checks a server's reply. @throws {ProtocolError} if it does not fit the request */
export function checkReply({ first, fields }: HttpHead, accept: string): void {
  if (!/^HTTP\/1\.1 101(?: |$)/.test(first)) {
    throw new ProtocolError(
      `Cannot open a websocket: the other side replied ${JSON.stringify(printable(first, 80))}`,
    );
  }
  const isOpen = listHas(fields.get("upgrade"), "websocket") && listHas(fields.get("connection"), "upgrade") &&
    fields.get("sec-websocket-accept") === accept;
  // The client asked for neither extensions nor protocols.
  if (!isOpen || fields.has("sec-websocket-extensions") || fields.has("sec-websocket-protocol")) {
    throw new ProtocolError("Cannot open a websocket: the reply does not match the request");
  }
}

/** A server's answer to a request: the requested path and the reply, or the refusal and its reason. */
type ServerReply = { path: string; bytes: Uint8Array } | { refusal: Uint8Array; reason: string };

/** Answers a client's request. */
export function serverReply(crypto: HandshakeCrypto, { first, fields }: HttpHead): ServerReply {
  const [, path] = /^GET (\/[^ ]*) HTTP\/1\.1$/.exec(first) ?? [];
  if (path === undefined) return refused("400 Bad Request", "it is not a GET request of HTTP/1.1");
  const key = fields.get("sec-websocket-key") ?? "";
  if (!listHas(fields.get("upgrade"), "websocket") || !listHas(fields.get("connection"), "upgrade")) {
    return refused(
      "426 Upgrade Required",
      "it does not request a websocket",
      "Upgrade: websocket\r\nConnection: Upgrade\r\n",
    );
  }
  if (fields.get("sec-websocket-version") !== "13") {
    return refused("426 Upgrade Required", "its version is not 13", "Sec-WebSocket-Version: 13\r\n");
  }
  if (!/^[A-Za-z0-9+/]{22}==$/.test(key)) return refused("400 Bad Request", "its key is not 16 bytes");
  const lines = [
    "HTTP/1.1 101 Switching Protocols",
    "Upgrade: websocket",
    "Connection: Upgrade",
    `Sec-WebSocket-Accept: ${acceptOf(crypto, key)}`,
  ];
  return { path, bytes: text.encode(`${lines.join("\r\n")}\r\n\r\n`) };
}

function refused(status: string, reason: string, fields = ""): ServerReply {
  return {
    refusal: text.encode(`HTTP/1.1 ${status}\r\n${fields}Content-Length: 0\r\nConnection: close\r\n\r\n`),
    reason: `Cannot accept the websocket request: ${reason}`,
  };
}
