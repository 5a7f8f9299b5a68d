/** Opening handshakes: that of RFC 6455, and those that are refused. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ProtocolError } from "../../../../src/base/errors.ts";
import { currentRuntime } from "../../../../src/runtime/current.ts";
import { checkReply, clientRequest, serverReply } from "../../../../src/protocol/transport/ws/handshake.ts";
import { type HttpHead, HttpHeadReader } from "../../../../src/runtime/http_head.ts";

const { crypto } = await currentRuntime();
const text = new TextEncoder();
const LINES = [
  "GET /ws HTTP/1.1",
  "Host: salt:443",
  "Upgrade: websocket",
  "Connection: keep-alive, Upgrade",
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
  "Sec-WebSocket-Version: 13",
];

function headOf(lines: readonly string[]): HttpHead {
  return new HttpHeadReader().push(text.encode(`${lines.join("\r\n")}\r\n\r\n`))!.head;
}

const without = (name: string) => LINES.filter((line) => !line.startsWith(name));

describe("the opening handshake", () => {
  test("a server replies as RFC 6455 1.3 has it", () => {
    const reply = serverReply(crypto, headOf(LINES));
    assert.ok("bytes" in reply);
    assert.equal(reply.path, "/ws");
    const lines = new TextDecoder().decode(reply.bytes).split("\r\n");
    assert.equal(lines[0], "HTTP/1.1 101 Switching Protocols");
    assert.ok(lines.includes("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo="));
  });

  for (
    const { what, lines, status } of [
      { what: "a POST", lines: ["POST /ws HTTP/1.1", ...LINES.slice(1)], status: 400 },
      { what: "HTTP/1.0", lines: ["GET /ws HTTP/1.0", ...LINES.slice(1)], status: 400 },
      { what: "a browser's request for a page", lines: LINES.slice(0, 2), status: 426 },
      { what: "another protocol", lines: [...without("Upgrade"), "Upgrade: h2c"], status: 426 },
      {
        what: "another version",
        lines: [...without("Sec-WebSocket-Version"), "Sec-WebSocket-Version: 8"],
        status: 426,
      },
      { what: "no key", lines: without("Sec-WebSocket-Key"), status: 400 },
      { what: "a short key", lines: [...without("Sec-WebSocket-Key"), "Sec-WebSocket-Key: YWJj"], status: 400 },
    ]
  ) {
    test(`a server refuses ${what}`, () => {
      const reply = serverReply(crypto, headOf(lines));
      assert.ok("refusal" in reply);
      assert.match(new TextDecoder().decode(reply.refusal), new RegExp(`^HTTP/1\\.1 ${status} `));
    });
  }

  test("a client takes the reply to its own request, and no other", () => {
    const { bytes, accept } = clientRequest(crypto, "salt:443", "/");
    const { head } = new HttpHeadReader().push(bytes)!;
    const reply = serverReply(crypto, head);
    assert.ok("bytes" in reply);
    checkReply(new HttpHeadReader().push(reply.bytes)!.head, accept);
    const other = clientRequest(crypto, "salt:443", "/");
    for (
      const [lines, want] of [
        [reply.bytes, /does not match/],
        [text.encode("HTTP/1.1 403 Forbidden\r\n\r\n"), /403 Forbidden/],
        [text.encode("HTTP/1.1 101 Switching Protocols\r\n\r\n"), /does not match/],
      ] as const
    ) {
      assert.throws(
        () => checkReply(new HttpHeadReader().push(lines)!.head, other.accept),
        (error) => error instanceof ProtocolError && want.test(error.message),
      );
    }
  });
});

describe("HttpHeadReader", () => {
  test("finds the end of a head that is cut anywhere, and what follows", () => {
    const bytes = text.encode(`${LINES.join("\r\n")}\r\n\r\nrest`);
    for (let cut = 1; cut < bytes.length; cut++) {
      const reader = new HttpHeadReader();
      const found = reader.push(bytes.subarray(0, cut));
      const { head, rest } = found ?? reader.push(bytes.subarray(cut))!;
      assert.equal(head.first, LINES[0]);
      assert.equal(head.fields.get("host"), "salt:443");
      const all = new TextDecoder().decode(rest) +
        (found === undefined ? "" : new TextDecoder().decode(bytes.subarray(cut)));
      assert.equal(all, "rest");
    }
  });

  for (
    const { what, bytes, want } of [
      {
        what: "a head that never ends",
        bytes: text.encode("GET / HTTP/1.1\r\n" + "A: b\r\n".repeat(2000)),
        want: /more than 8192/,
      },
      { what: "another protocol", bytes: Uint8Array.of(0xff), want: /another protocol/ },
      {
        what: "a line that is no field",
        bytes: text.encode("GET / HTTP/1.1\r\nno field\r\n\r\n"),
        want: /not a field/,
      },
      { what: "a folded line", bytes: text.encode("GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n"), want: /not a field/ },
    ]
  ) {
    test(`refuses ${what}`, () =>
      assert.throws(
        () => new HttpHeadReader().push(bytes),
        (error) => error instanceof ProtocolError && want.test(error.message),
      ));
  }
});
