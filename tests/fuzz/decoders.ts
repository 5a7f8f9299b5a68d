/** Everything that reads what a peer, a user or a file may have written: how inputs for it are made, and what it may throw. */
import { SaltError } from "../../src/base/errors.ts";
import { BusEvent } from "../../src/model/event/bus.ts";
import { bodyReader } from "../../src/host/gateway/wire/body_formats.ts";
import { HttpError } from "../../src/host/gateway/wire/errors.ts";
import { silentLogger } from "../../src/base/log.ts";
import { jinja } from "../../src/language/render/jinja.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { matchMinion } from "../../src/model/target/match.ts";
import { tokenizeCompound } from "../../src/model/target/compound.ts";
import { dump } from "../../src/language/yaml/dump.ts";
import { parseLine } from "../../src/language/yaml/line.ts";
import { TcpFrameReader } from "../../src/protocol/transport/tcp/frame_reader.ts";
import { OPCODE, writeWsFrame, WsFrameReader } from "../../src/protocol/transport/ws/frames.ts";
import { packEvent, unpackEvent } from "../../src/protocol/wire/event_frame.ts";
import { frame as ownFrame, FrameReader } from "../../src/protocol/wire/frames.ts";
import { IpcFrameReader, packIpcFrame, withLength } from "../../src/protocol/wire/ipc_frame.ts";
import { checkPacked, decode, encode, StreamDecoder } from "../../src/protocol/wire/msgpack.ts";
import {
  packPayload,
  packPublication,
  parseEnvelope,
  parsePublication,
  unpackPayload,
} from "../../src/protocol/wire/payload.ts";
import { parseYaml } from "../../src/language/yaml/document.ts";
import { agreedMinor, checkGreeting, greeting, GREETING_SIZE } from "../../src/protocol/zmtp/greeting.ts";
import { decodeCommand, decodeProperties, encodeCommand, encodeReady } from "../../src/protocol/zmtp/command.ts";
import { COMMAND, FrameDecoder, LONG_FRAME, MORE, writeFrame } from "../../src/protocol/zmtp/frame.ts";
import { type Chance, joined } from "./mutate.ts";
import { document, template } from "./templates.ts";

/** One decoder. */
export interface Decoder {
  name: string;
  /** An input in the right shape, or nearly. */
  make(chance: Chance): Uint8Array;
  /** Reads it. Must return or throw what is allowed, in a time that grows with the input. */
  read(bytes: Uint8Array, chance: Chance): unknown;
  /** True for errors that say that the input is bad. */
  refuses(error: unknown): boolean;
  /** Milliseconds that one input may take, on a machine that does much else. @default 2000 */
  longestMs?: number;
}

const utf8 = new TextEncoder();
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
/** Bytes of a peer that do not follow the protocol. */
const refusesBytes = (error: unknown) => error instanceof SaltError;
const refusesText = (error: unknown) => error instanceof SaltError || error instanceof SyntaxError;

const PACKED = (chance: Chance) => encode(chance.value(), chance.one(0.5) ? "wire" : "bin");
const SMALL = { maxMessageSize: 65_536, maxFrames: 32, maxCommandSize: 4096 };

function zmtpStream(chance: Chance): Uint8Array {
  const parts: Uint8Array[] = chance.one(0.7) ? [writeFrame(COMMAND, encodeReady("REQ", chance.bytes(5)))] : [];
  for (let frames = chance.below(6); frames > 0; frames--) {
    const flags = chance.pick([0, MORE, COMMAND, LONG_FRAME, LONG_FRAME | MORE, chance.below(256)]);
    parts.push(
      writeFrame(
        flags & ~LONG_FRAME,
        flags & COMMAND
          ? encodeCommand(chance.pick(["PING", "PONG", "READY", "ERROR", "SUBSCRIBE", "X"]), chance.bytes(20))
          : chance.bytes(300),
      ),
    );
  }
  return joined(...parts);
}

function readZmtp(bytes: Uint8Array, chance: Chance): void {
  const sink = {
    onMessage: () => {},
    onCommand: (body: Uint8Array) => {
      const { name, data } = decodeCommand(body);
      if (name === "READY") decodeProperties(data);
    },
  };
  const decoder = new FrameDecoder(SMALL, sink);
  decoder.commandsOnly = chance.one(0.2);
  for (const chunk of chance.chunks(bytes)) {
    decoder.push(chunk);
    // Whatever sizes are announced, no more is held than has arrived.
    if (decoder.pendingBytes > bytes.length) {
      throw new Error(`${decoder.pendingBytes} bytes are held of ${bytes.length}`);
    }
  }
}

function readWs(bytes: Uint8Array, chance: Chance): void {
  const limits = { maxMessageSize: 65_536, maxFrames: 32, masked: chance.one(0.5) };
  const reader = new WsFrameReader(limits, { onMessage: () => {}, onControl: () => {} });
  for (const chunk of chance.chunks(bytes)) reader.push(chunk);
}

function envelope(chance: Chance): Uint8Array {
  const load = chance.one(0.5) ? chance.bytes(80) : chance.fields({
    cmd: chance.pick(["_auth", "publish", "_return", "wheel"]),
    id: "web1",
    token: chance.bytes(16),
  });
  return encode(chance.fields({ enc: chance.pick(["aes", "clear"]), load, version: 3, id: "web1" }), "wire");
}

const YAML_WORDS = [
  "- ",
  "a: ",
  "b:\n",
  "\n",
  "\n  ",
  "    ",
  "? ",
  ": ",
  "{",
  "}",
  "[",
  "]",
  ", ",
  "&x ",
  "*x",
  "<<: ",
  "|\n  ",
  ">-\n  ",
  "'",
  '"',
  "!!set ",
  "!!python/object:os.system ",
  "!!binary ",
  "# c\n",
  "---\n",
  "...\n",
  "%YAML 1.1\n",
  "1:30:00",
  "0x1F",
  "0o17",
  "1e3",
  "yes",
  "~",
  "null",
  "2001-12-14",
  ".inf",
  "word",
  "{{ x }}",
  "\t",
  "\u00e9",
  "\\x41",
  "\\u263a",
];

const JINJA_WORDS = [
  "{{ ",
  " }}",
  "{% ",
  " %}",
  "{# ",
  " #}",
  "for i in ",
  "range(9)",
  "if ",
  "else",
  "elif x",
  "endif",
  "endfor",
  "set a = ",
  "set a",
  "endset",
  "macro m(a, b=1)",
  "endmacro",
  "call(x) m(1)",
  "endcall",
  "include 'a'",
  "import 'a' as b",
  "from 'a' import b",
  "extends 'a'",
  "block b",
  "endblock",
  "filter upper",
  "endfilter",
  "raw",
  "endraw",
  "do ",
  "with a=1",
  "endwith",
  "x",
  "y.z",
  "x[0]",
  "x['a']",
  "[1, 2]",
  "{'a': 1}",
  "(1,)",
  "'s'",
  '"t"',
  "1",
  "2.5",
  "none",
  "true",
  " + ",
  " - ",
  " * ",
  " ** ",
  " // ",
  " % ",
  " ~ ",
  " == ",
  " < ",
  " in ",
  " not ",
  " and ",
  " or ",
  " is defined",
  " is ",
  "|join(',')",
  "|list",
  "|",
  "|default(1)",
  "|tojson",
  "|regex_replace('(a+)+', 'b')",
  "|sort",
  "|map('upper')",
  "|selectattr('a')",
  "loop.index",
  "loop(x)",
  "self.b()",
  "super()",
  "caller()",
  "-%}",
  "{%-",
  "1:2",
  "::",
  ".",
  "salt['test.ping']()",
  "**{}",
  "*[]",
  "x=1",
  "\n",
  "namespace(a=1)",
  "ns.a = 2",
  "cycler(1)",
  "dict(a=1)",
  "text",
  "'a' * 9",
  "999999999",
];

const TARGET_WORDS = [
  "G@os:Debian",
  "E@web\\d+",
  "P@os:(a|b)",
  "L@a,b",
  "S@10.0.0.0/8",
  "I@role:x",
  "J@a:b",
  "N@group",
  "and",
  "or",
  "not",
  "(",
  ")",
  "*",
  "web*",
  "web[1-",
  "E@(a+)+$",
  "G@",
  "@",
  ":",
  "G@a:*:c",
  "G%@a%b",
  "\t",
  "S@::/0",
  "S@1.2.3.4/99",
];

const runtime = await currentRuntime();
const render = jinja(runtime);
const SUBJECT = {
  id: "web1",
  grains: { os: "Debian", roles: ["a", "b"], deep: { a: { b: 1 } }, ipv4: ["10.0.0.1"] },
  pillar: { role: "x" },
  nodegroups: { group: "G@os:Debian or N@group" },
};

const formDecoder = (type: string, make: (chance: Chance) => Uint8Array): Decoder => ({
  name: `HTTP ${type}`,
  make,
  read: (bytes) => bodyReader(type)!(bytes, { yamlInForms: true, plainTextMayBeAnything: false }),
  refuses: (error) => error instanceof HttpError && error.status < 500,
});

export const DECODERS: readonly Decoder[] = [
  {
    name: "ZMTP greeting",
    make: (chance) => joined(greeting(chance.one(0.5) ? 1 : 0), chance.bytes(4)),
    read(bytes) {
      for (let filled = 0; filled <= Math.min(bytes.length, GREETING_SIZE); filled++) {
        const whole = new Uint8Array(GREETING_SIZE);
        whole.set(bytes.subarray(0, filled));
        checkGreeting(whole, filled);
        if (filled === GREETING_SIZE) agreedMinor(whole);
      }
    },
    refuses: refusesBytes,
  },
  { name: "ZMTP frames", make: zmtpStream, read: readZmtp, refuses: refusesBytes },
  {
    name: "WebSocket frames",
    make: (chance) =>
      joined(
        ...Array.from({ length: chance.below(5) }, () =>
          writeWsFrame(
            chance.pick(Object.values(OPCODE)),
            chance.bytes(200),
            chance.one(0.5) ? Uint8Array.of(1, 2, 3, 4) : undefined,
          )),
      ),
    read: readWs,
    refuses: refusesBytes,
  },
  {
    name: "tcp frames",
    make: (chance) => encode(chance.fields({ head: { id: chance.text() }, body: chance.value() }), "wire"),
    read(bytes, chance) {
      const reader = new TcpFrameReader({ maxFrameSize: 65_536 }, ({ head, body }) => {
        decode(head, { mode: "wire" });
        decode(body, { mode: "wire" });
      });
      for (const chunk of chance.chunks(bytes)) reader.push(chunk);
    },
    refuses: refusesBytes,
  },
  {
    name: "msgpack",
    make: PACKED,
    read(bytes, chance) {
      const value = decode(bytes, { mode: chance.pick(["wire", "raw", "bin"]), maxValues: 10_000 });
      checkPacked(bytes, { maxValues: 10_000, maxDepth: 511 });
      // What can be read can be written.
      encode(value, "bin");
    },
    refuses: refusesBytes,
  },
  {
    name: "msgpack stream",
    make: (chance) => joined(...Array.from({ length: chance.below(4) }, () => PACKED(chance))),
    read(bytes, chance) {
      const stream = new StreamDecoder({ mode: "wire", maxBytes: 65_536 });
      for (const chunk of chance.chunks(bytes)) {
        stream.push(chunk);
        while (stream.next() !== undefined);
      }
    },
    refuses: refusesBytes,
  },
  {
    name: "envelope",
    make: envelope,
    // Never throws.
    read: (bytes) => parseEnvelope(bytes),
    refuses: () => false,
  },
  {
    name: "publication",
    make: (chance) => packPublication(chance.bytes(90), { algorithm: chance.text(), sig: chance.bytes(60) }),
    read: (bytes) => parsePublication(bytes),
    refuses: refusesBytes,
  },
  {
    name: "payload",
    make: (chance) => packPayload(chance.value(), chance.one(0.5) ? "0".repeat(32) : undefined),
    read: (bytes, chance) => unpackPayload(bytes, chance.one(0.5) ? { nonce: "0".repeat(32) } : {}),
    refuses: refusesBytes,
  },
  {
    name: "event",
    make: (chance) =>
      packEvent(`t${chance.text().replaceAll("\n", "")}`, chance.fields({ id: "web1", data: chance.value() }), {
        now: 0,
      }),
    read(bytes) {
      const event = BusEvent.fromBytes(bytes);
      void [event.tag, event.data];
      unpackEvent(bytes);
    },
    refuses: refusesBytes,
  },
  {
    name: "IPC frames",
    make: (chance) => {
      const frame = packIpcFrame(chance.one(0.7) ? chance.bytes(40) : chance.value(), chance.one(0.5) ? { n: 1 } : {});
      return chance.one(0.5) ? withLength(frame) : frame;
    },
    read(bytes, chance) {
      const reader = new IpcFrameReader({ maxBytes: 65_536 });
      for (const chunk of chance.chunks(bytes)) {
        reader.push(chunk);
        while (reader.nextFrame() !== undefined);
      }
    },
    refuses: refusesBytes,
  },
  {
    name: "frames of our processes",
    make: (chance) => ownFrame(chance.fields({ a: 1 })),
    read(bytes, chance) {
      const reader = new FrameReader(65_536);
      for (const chunk of chance.chunks(bytes)) {
        reader.push(chunk);
        while (reader.next() !== undefined);
      }
    },
    refuses: refusesBytes,
  },
  formDecoder("application/json", (chance) => utf8.encode(jsonOf(chance))),
  formDecoder("application/x-yaml", (chance) => utf8.encode(chance.sentence(YAML_WORDS, 30))),
  formDecoder(
    "application/x-www-form-urlencoded",
    (chance) =>
      utf8.encode(
        chance.sentence(["a=", "&", "fun=test.ping", "%41", "%", "%zz", "arg=", "kwarg=", "[1", "+", "="], 12),
      ),
  ),
  formDecoder("application/x-msgpack", PACKED),
  {
    name: "YAML",
    make: (chance) => utf8.encode(chance.one(0.6) ? document(chance) : chance.sentence(YAML_WORDS, 40)),
    read: (bytes) => void dump(parseYaml(textOf(bytes)).value),
    refuses: refusesText,
  },
  {
    name: "YAML of a line",
    make: (chance) => utf8.encode(chance.sentence(YAML_WORDS, 10)),
    read: (bytes) => parseLine(textOf(bytes)),
    refuses: refusesText,
  },
  {
    name: "Jinja",
    make: (chance) => utf8.encode(chance.one(0.8) ? template(chance) : chance.sentence(JINJA_WORDS, 25)),
    read: (bytes) =>
      render(
        textOf(bytes),
        {
          path: "/srv/a.sls",
          sls: "a",
          saltenv: "base",
          argline: "",
          globals: { x: [1, 2, { a: 3 }], y: { z: "text" }, salt: {} },
          log: silentLogger,
          limits: { steps: 20_000, characters: 1_000_000, depth: 50 },
        } as Parameters<typeof render>[1],
      ),
    refuses: (error) => /^(SaltRenderError|RenderError|ConfigError)$/.test((error as Error).name ?? ""),
  },
  {
    name: "targets",
    make: (chance) => utf8.encode(chance.sentence(TARGET_WORDS, 10)),
    read(bytes, chance) {
      const tgt = textOf(bytes);
      const tgt_type = chance.pick(["compound", "glob", "pcre", "grain", "grain_pcre", "pillar", "ipcidr", "list"]);
      tokenizeCompound(tgt, SUBJECT.nodegroups);
      matchMinion({ tgt, tgt_type }, SUBJECT as unknown as Parameters<typeof matchMinion>[1]);
    },
    refuses: refusesText,
  },
];

function jsonOf(chance: Chance): string {
  const text = JSON.stringify(chance.value(), (_, value) => typeof value === "bigint" ? Number(value) : value);
  return chance.one(0.7) ? text : `[{"client": "local", "tgt": ${text}, "fun": "test.ping"}]`;
}
