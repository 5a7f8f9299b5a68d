/** The returner `smtp`: mails as real Salt 3006 sends them, and what a server may do. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { describe, test } from "node:test";
import type { ReturnerContext } from "../../src/model/loader/family.ts";
import { returner } from "../../src/plugins/returners/smtp.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { captureLog } from "../support/capture_log.ts";
import { inTemporary } from "./temporary.ts";

const runtime = await currentRuntime();

interface ServerOptions {
  /** What the server can do. */
  able?: string[];
  /** Replies to commands that begin so, in place of the usual ones. */
  replies?: Record<string, string>;
}

/** A mail server for one test: the commands that it was given, and the mails. */
async function mailServer({ able = [], replies = {} }: ServerOptions = {}) {
  const commands: string[] = [];
  const mails: string[] = [];
  const serve = (socket: Socket) => {
    let text = "";
    let mail: string[] | undefined;
    const say = (line: string) => void socket.write(`${line}\r\n`);
    const take = (line: string) => {
      if (mail !== undefined && line === ".") {
        mails.push(mail.map((one) => `${one}\n`).join(""));
        mail = undefined;
        return say("250 OK");
      }
      if (mail !== undefined) return void mail.push(line.replace(/^\.\./, "."));
      commands.push(line);
      const other = Object.entries(replies).find(([start]) => line.startsWith(start));
      if (other !== undefined) return say(other[1]);
      if (line.startsWith("EHLO")) {
        return say(["250-test", ...able.map((one) => `250-${one}`), "250 HELP"].join("\r\n"));
      }
      if (line === "DATA") {
        mail = [];
        return say("354 go on");
      }
      if (line === "QUIT") return void socket.end("221 bye\r\n");
      say(line.startsWith("AUTH") ? "235 welcome" : "250 OK");
    };
    socket.on("error", () => {});
    socket.on("data", (chunk: Uint8Array) => {
      text += new TextDecoder().decode(chunk);
      for (let end = text.indexOf("\r\n"); end >= 0; end = text.indexOf("\r\n")) {
        const line = text.slice(0, end);
        text = text.slice(end + 2);
        take(line);
      }
    });
    say("220 test");
  };
  const server = createServer(serve);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    commands,
    mails,
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

const RET = {
  id: "web1",
  fun: "test.arg",
  fun_args: ["one", "two=2"],
  jid: "20261129230453871089",
  return: { args: ["one"], kwargs: { two: 2 } },
};

function contextOf(opts: Record<string, unknown>): ReturnerContext & { warnings: unknown[] } {
  const { log, records } = captureLog();
  return {
    runtime: { ...runtime, host: { ...runtime.host, hostname: () => "HOST" } },
    log,
    warnings: records,
    opts: {
      grains: { id: "web1" },
      "smtp.from": "me@example.net",
      "smtp.to": "you@example.com",
      "smtp.host": "127.0.0.1",
      ...opts,
    },
  };
}

/** A mail without its time. */
const dateless = (mail: string) =>
  mail.replace(/^Date: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}$/m, "Date: DATE");

const BODY = "id: web1\nfunction: test.arg\nfunction args: ['one', 'two=2']\njid: 20261129230453871089\n" +
  "return: {'args': ['one'], 'kwargs': {'two': 2}}\n";

describe("as real Salt mails a return", () => {
  for (
    const { name, opts, want, commands } of [
      {
        name: "with the least that it needs",
        opts: {},
        want: `From: me@example.net\nTo: you@example.com\nDate: DATE\nSubject: Email from Salt\n\n${BODY}`,
        commands: ["EHLO HOST", "MAIL FROM:<me@example.net>", "RCPT TO:<you@example.com>", "DATA", "QUIT"],
      },
      {
        name: "to several, with a template for the subject and fields behind it",
        opts: {
          "smtp.to": "a@example.com, b@example.com",
          "smtp.subject": "{{id}} ran {{fun}}",
          "smtp.fields": "id,fun,nope",
        },
        want: "From: me@example.net\nTo: a@example.com,  b@example.com\nDate: DATE\n" +
          `Subject: web1 ran test.arg web1 test.arg\n\n${BODY}`,
        commands: [
          "EHLO HOST",
          "MAIL FROM:<me@example.net>",
          "RCPT TO:<a@example.com>",
          "RCPT TO:<b@example.com>",
          "DATA",
          "QUIT",
        ],
      },
      {
        name: "from a name, by a user with a password",
        opts: { "smtp.from": "Salt <me@example.net>", smtp: { username: "u", password: "p" } },
        want: `From: Salt <me@example.net>\nTo: you@example.com\nDate: DATE\nSubject: Email from Salt\n\n${BODY}`,
        commands: [
          "EHLO HOST",
          "AUTH PLAIN AHUAcA==",
          "MAIL FROM:<me@example.net>",
          "RCPT TO:<you@example.com>",
          "DATA",
          "QUIT",
        ],
      },
    ]
  ) {
    test(name, async () => {
      await using server = await mailServer({ able: ["AUTH LOGIN PLAIN"] });
      await returner.returner(contextOf({ "smtp.port": server.port, ...opts }), RET);
      assert.deepEqual(server.mails.map(dateless), [want]);
      assert.deepEqual(server.commands, commands);
    });
  }

  test("with a template of its own, whose lines may begin with a dot", async () => {
    await inTemporary(runtime, async (directory) => {
      const template = `${directory}/t.j2`;
      writeFileSync(
        template,
        "Dear {{id}},\n.dot line\n{{ fun }} {{ grains.id }}\n{% for k in fun_args %}- {{ k }}\n{% endfor %}",
      );
      await using server = await mailServer();
      await returner.returner(contextOf({ "smtp.port": server.port, "smtp.template": template }), RET);
      assert.equal(server.mails[0]!.split("\n\n")[1], "Dear web1,\n.dot line\ntest.arg web1\n- one\n- two=2\n");
    });
  });
});

test("a line break in what a minion returns begins no header", async () => {
  await using server = await mailServer();
  const ret = { ...RET, fun: "x\r\nBcc: all@example.com" };
  await returner.returner(contextOf({ "smtp.port": server.port, "smtp.fields": "fun" }), ret);
  assert.match(server.mails[0]!, /^Subject: Email from Salt x Bcc: all@example.com$/m);
});

test("what a minion returns is no template, in the subject or in the body", async () => {
  await using server = await mailServer();
  const ret = { ...RET, return: "{{ 6 * 7 }}" };
  await returner.returner(contextOf({ "smtp.port": server.port, "smtp.fields": "return" }), ret);
  assert.match(server.mails[0]!, /^Subject: Email from Salt \{\{ 6 \* 7 \}\}$/m);
  assert.match(server.mails[0]!, /^return: \{\{ 6 \* 7 \}\}$/m);
});

test("characters beyond ASCII are told as UTF-8", async () => {
  await using server = await mailServer();
  await returner.returner(contextOf({ "smtp.port": server.port, "smtp.fields": "return" }), { ...RET, return: "grün" });
  assert.match(server.mails[0]!, /^Subject: =\?utf-8\?B\?RW1haWwgZnJvbSBTYWx0IGdyw7xu\?=$/m);
  assert.match(server.mails[0]!, /^Content-Type: text\/plain; charset=utf-8$/m);
  assert.match(server.mails[0]!, /^return: grün$/m);
});

test("a recipient that is refused is logged, and the others get the mail", async () => {
  await using server = await mailServer({ replies: { "RCPT TO:<bad": "550 no such user" } });
  const context = contextOf({ "smtp.port": server.port, "smtp.to": "bad@example.com,you@example.com" });
  await returner.returner(context, RET);
  assert.equal(server.mails.length, 1);
  assert.match(JSON.stringify(context.warnings), /bad@example\.com.*550 no such user/);
});

for (
  const { name, opts = {}, able, replies, error } of [
    {
      name: "all recipients are refused",
      replies: { RCPT: "550 no such user" },
      error: /refused the recipient you@example\.com: 550 no such user/,
    },
    {
      name: "TLS is wanted and not offered",
      opts: { "smtp.tls": true },
      error: /does not offer STARTTLS: remove smtp\.tls/,
    },
    {
      name: "something is said between STARTTLS and TLS",
      opts: { "smtp.tls": true },
      able: ["STARTTLS"],
      replies: { STARTTLS: "220 go\r\n250 injected" },
      error: /said more before TLS began/,
    },
    {
      name: "the password is refused, which is not repeated",
      opts: { "smtp.username": "u", "smtp.password": "secret" },
      able: ["AUTH PLAIN"],
      replies: { AUTH: "535 no" },
      error: /^Error: The mail server 127\.0\.0\.1 refused the password: 535 no$/,
    },
    {
      name: "a password has no way to be told",
      opts: { "smtp.username": "u", "smtp.password": "secret" },
      error: /takes no password by PLAIN or LOGIN/,
    },
    { name: "encryption is wanted", opts: { "smtp.gpgowner": "root" }, error: /remove smtp\.gpgowner/ },
    { name: "there is no sender", opts: { "smtp.from": undefined }, error: /set smtp\.from/ },
    { name: "an address has a line break", opts: { "smtp.to": "a\r\nDATA" }, error: /smtp\.to has a line break/ },
  ]
) {
  test(`no mail is sent where ${name}`, async () => {
    await using server = await mailServer({ able: able ?? [], replies: replies ?? {} });
    await assert.rejects(returner.returner(contextOf({ "smtp.port": server.port, ...opts }), RET), error);
    assert.deepEqual(server.mails, []);
  });
}
