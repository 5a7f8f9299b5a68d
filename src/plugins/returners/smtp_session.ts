import { TlsError } from "../../base/errors.ts";
import { printable } from "../../base/printable.ts";
import type { Connection, Net } from "../../runtime/net.ts";

/** Bytes of one reply of a server, all its lines together: RFC 5321 allows 512 for a line. */
const MAX_REPLY = 65_536;
/** Milliseconds for a whole mail, from the connection on. */
const TIMEOUT_MS = 120_000;

const utf8 = new TextEncoder();
const base64 = (text: string): string =>
  btoa(Array.from(utf8.encode(text), (byte) => String.fromCharCode(byte)).join(""));

interface Reply {
  code: number;
  lines: string[];
}

/** Commands and replies on a connection to a mail server. */
class Session {
  readonly #connection: Connection;
  readonly #server: string;
  #received = "";
  #ended: Error | undefined;
  #wake = () => {};

  constructor(connection: Connection, server: string) {
    this.#connection = connection;
    this.#server = server;
    const decoder = new TextDecoder();
    connection.start({
      onData: (chunk) => {
        this.#received += decoder.decode(chunk, { stream: true });
        this.#wake();
      },
      onClose: (error) => {
        this.#ended = error ?? new Error(`The mail server ${server} closed the connection`);
        this.#wake();
      },
    });
  }

  /** True if the server has said more than it was asked. */
  get hasMore(): boolean {
    return this.#received !== "";
  }

  async reply(): Promise<Reply> {
    const lines: string[] = [];
    let bytes = 0;
    for (;;) {
      const end = this.#received.indexOf("\n");
      if (bytes + this.#received.length > MAX_REPLY) {
        throw new Error(`The mail server ${this.#server} replies without end`);
      }
      if (end < 0) {
        if (this.#ended !== undefined) throw this.#ended;
        await new Promise<void>((resolve) => this.#wake = resolve);
        continue;
      }
      const line = this.#received.slice(0, end).replace(/\r$/, "");
      this.#received = this.#received.slice(end + 1);
      bytes += end + 1;
      const [, code, more, text = ""] = /^(\d{3})([- ]?)(.*)$/.exec(line) ?? [];
      if (code === undefined) {
        throw new Error(`${this.#server} is no mail server: it said ${JSON.stringify(printable(line, 80))}`);
      }
      lines.push(text);
      if (more !== "-") return { code: Number(code), lines };
    }
  }

  send(text: string): void {
    this.#connection.write(utf8.encode(text));
  }

  async ask(command: string): Promise<Reply> {
    this.send(`${command}\r\n`);
    return await this.reply();
  }

  /** @throws {Error} if the server refuses; `doing` is all that is said of the command, which may hold a password */
  async expect(code: number, doing: string, asked: Promise<Reply>): Promise<Reply> {
    const reply = await asked;
    if (reply.code === code || code === 250 && reply.code === 251) return reply;
    const said = printable(reply.lines.join(" "), 200);
    throw new Error(`The mail server ${this.#server} refused ${doing}: ${reply.code} ${said}`);
  }

  /** Introduces this host. @returns what the server can do: word → the rest of its line */
  async hello(name: string): Promise<Map<string, string>> {
    const reply = await this.ask(`EHLO ${name}`);
    if (reply.code !== 250) {
      await this.expect(250, "HELO", this.ask(`HELO ${name}`));
      return new Map();
    }
    return new Map(
      reply.lines.slice(1).map((line) => {
        const [, word = "", rest = ""] = /^(\S*)[ =]*(.*)$/.exec(line)!;
        return [word.toUpperCase(), rest];
      }),
    );
  }
}

export interface MailServer {
  host: string;
  port: number;
  /** Turns the connection into a TLS connection (STARTTLS) before anything else is said. */
  tls: boolean;
  username?: string | undefined;
  password?: string | undefined;
}

export interface Mail {
  from: string;
  to: readonly string[];
  /** Header and body, with any line ends. */
  text: string;
}

/** The address in `Some One <a@b.example>`, in brackets. */
const inBrackets = (address: string): string => {
  const [, inner] = /<([^<>]*)>/.exec(address) ?? [];
  return `<${(inner ?? address).trim()}>`;
};

async function login(session: Session, able: Map<string, string>, username: string, password: string): Promise<void> {
  const methods = (able.get("AUTH") ?? "").toUpperCase().split(/\s+/);
  if (methods.includes("PLAIN")) {
    await session.expect(235, "the password", session.ask(`AUTH PLAIN ${base64(`\0${username}\0${password}`)}`));
  } else if (methods.includes("LOGIN")) {
    await session.expect(334, "the login", session.ask(`AUTH LOGIN ${base64(username)}`));
    await session.expect(235, "the password", session.ask(base64(password)));
  } else {
    throw new Error("The mail server takes no password by PLAIN or LOGIN: remove smtp.username, or set smtp.tls: True");
  }
}

/**
 * Sends a mail (RFC 5321). Recipients that the server refuses are told to `refused`, unless it refuses all of them.
 *
 * @param hello the name of this host
 */
export async function sendMail(
  net: Net,
  { host, port, tls, username, password }: MailServer,
  { from, to, text }: Mail,
  hello: string,
  refused: (address: string, reason: string) => void,
): Promise<void> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const prepare = async (plain: Connection) => {
    const session = new Session(plain, host);
    await session.expect(220, "the connection", session.reply());
    if (!(await session.hello(hello)).has("STARTTLS")) {
      throw new Error(`The mail server ${host} does not offer STARTTLS: remove smtp.tls, or use another server`);
    }
    await session.expect(220, "STARTTLS", session.ask("STARTTLS"));
    // What was said before the keys are known could come from anybody.
    if (session.hasMore) throw new Error(`The mail server ${host} said more before TLS began than it was asked`);
  };
  const secured = tls ? { prepare, tls: { verify: "name" as const, serverName: host } } : {};
  const connection = await net.dial({ kind: "tcp", host, port }, { signal, ...secured }).catch((error: unknown) => {
    if (!(error instanceof TlsError)) throw error;
    const remedy =
      "give the name in its certificate as smtp.host, and name its authority by NODE_EXTRA_CA_CERTS or DENO_CERT";
    throw new Error(`${error.message}; ${remedy}`, { cause: error });
  });
  const onAbort = () => connection.destroy();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    const session = new Session(connection, host);
    if (!tls) await session.expect(220, "the connection", session.reply());
    const able = await session.hello(hello);
    if (username !== undefined && password !== undefined) await login(session, able, username, password);
    await session.expect(250, "the sender", session.ask(`MAIL FROM:${inBrackets(from)}`));
    let taken = 0;
    let last: unknown;
    for (const address of to) {
      try {
        await session.expect(250, `the recipient ${address.trim()}`, session.ask(`RCPT TO:${inBrackets(address)}`));
        taken += 1;
      } catch (error) {
        last = error;
        refused(address.trim(), (error as Error).message);
      }
    }
    if (taken === 0) throw last;
    await session.expect(354, "the mail", session.ask("DATA"));
    const lines = text.replace(/\r\n|\r|\n/g, "\r\n").replace(/\r\n$/, "").replace(/(^|\r\n)\./g, "$1..");
    session.send(`${lines}\r\n.\r\n`);
    await session.expect(250, "the mail", session.reply());
    // The mail is taken: how the server ends does not matter.
    await session.ask("QUIT").catch(() => {});
  } finally {
    signal.removeEventListener("abort", onAbort);
    connection.end();
  }
}
