/** Sessions with MySQL and MariaDB by their client program: a package that speaks their protocol is not needed. */
import { SaltInvocationError } from "../model/loader/family.ts";
import { str } from "../language/python/values.ts";
import { hex } from "../protocol/crypto/hex.ts";
import { concat } from "../runtime/bytes.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { which } from "./linux/programs.ts";

/** The client programs, the first that is there. */
export const MYSQL_PROGRAMS = ["mariadb", "mysql"];

/** Words of each session. Statements come on the standard input: a command line is visible to every user of the host. */
export const SESSION_WORDS = [
  ...["--batch", "--binary-mode", "--skip-reconnect", "--local-infile=0", "--connect-timeout=10"],
  "--max-allowed-packet=1G",
];

/** The most bytes that one session may print. */
const MAX_BYTES = 256 * 1024 * 1024;
const LIMIT_MS = 60_000;
/** The most bytes of messages that are kept. */
const MAX_SAID_BYTES = 64 * 1024;

/** A server's address and the account there. */
export interface MysqlPlace {
  host: string;
  port: number;
  /** Used instead of host and port. */
  socket?: string | undefined;
  user: string;
  password: string;
  database: string;
  /** The files of TLS; with `ca` the server's certificate is checked. */
  ssl: { ca?: string | undefined; cert?: string | undefined; key?: string | undefined };
}

/** The place as errors name it, without the password. */
export const placeName = ({ host, port, socket, user, database }: MysqlPlace): string =>
  `database "${database}" at ${socket ?? `${host}:${port}`} as user "${user}"`;

/** The fields of a row in their order: two may have one name. */
export type MysqlFields = [name: string, value: string | null][];

/** A statement was refused, or there was no connection. */
export class MysqlError extends Error {
  /** The server's number, or the client's, which is 2000 or higher. */
  readonly number: number;

  constructor(number: number, message: string) {
    super(message);
    this.number = number;
  }
}

/** What the client says about a failure. */
export function mysqlErrorOf(stderr: string): MysqlError {
  const [, number = "2000", message = stderr.trim()] = /^ERROR (\d+)[^:]*: ([^\n]*)/m.exec(stderr) ?? [];
  return new MysqlError(Number(number), message.trim());
}

const ENTITIES: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };
const decoded = (text: string) => text.replace(/&(lt|gt|amp|quot|apos);/g, (_, name: string) => ENTITIES[name]!);

/** The results in the XML that the client prints: of each query its rows. */
export function parseResults(xml: string): MysqlFields[][] {
  return Array.from(
    xml.matchAll(/<resultset [^>]*>([^]*?)<\/resultset>/g),
    ([, body = ""]) =>
      Array.from(body.matchAll(/<row>([^]*?)<\/row>/g), ([, row = ""]) => {
        const fields = row.matchAll(/<field name="([^"]*)"(?: xsi:nil="true" \/>|>([^<]*)<\/field>)/g);
        return Array.from(fields, ([, name = "", value]): MysqlFields[number] => [
          decoded(name),
          value === undefined ? null : decoded(value),
        ]);
      }),
  );
}

/** Sets the mode that {@link mysqlLiteral} is written for, in which nothing is cut off to fit a column. */
export const STRICT_MODE = "SET SESSION sql_mode='STRICT_ALL_TABLES';";

/** @throws {SaltInvocationError} for a null character, which SQL text cannot hold */
export function checkedText(value: unknown): string {
  const text = str(value);
  if (text.includes("\0")) throw new SaltInvocationError("A name or value of SQL cannot hold a null character");
  return text;
}

/** A text as SQL has it, on one line: the client takes commands of its own at the beginning of one. Backslashes must be escapes. */
export const mysqlLiteral = (value: unknown): string =>
  `'${checkedText(value).replaceAll("\\", "\\\\").replaceAll("'", "''").replaceAll("\n", "\\n")}'`;

/** A text as SQL has it in every mode of the server. */
export const hexLiteral = (text: string): string => `_utf8mb4 X'${hex(new TextEncoder().encode(text))}'`;

function wordsOf({ host, port, socket, user, database, ssl }: MysqlPlace): string[] {
  const at = socket === undefined
    // A port makes the client use TCP, which "localhost" alone does not.
    ? [`--host=${host}`, ...port === 3306 ? [] : [`--port=${port}`]]
    : ["--protocol=SOCKET", `--socket=${socket}`];
  const files = Object.entries(ssl).flatMap(([name, file]) => file === undefined ? [] : [`--ssl-${name}=${file}`]);
  // Each of the two programs knows one of these words.
  const checks = ssl.ca === undefined ? [] : ["--loose-ssl-verify-server-cert", "--loose-ssl-mode=VERIFY_CA"];
  return [
    ...["--no-defaults", ...at, `--user=${user}`, `--database=${database}`, "--default-character-set=utf8mb4"],
    ...[...files, ...checks],
  ];
}

/**
 * Runs statements in one session, and returns what the client prints: XML, or with `--table` other words.
 *
 * @throws {MysqlError} if one is refused, or there is no connection; {Error} if it takes too long or prints too much
 */
export async function mysqlSession(
  { process, clock, fs }: Pick<Runtime, "process" | "clock" | "fs">,
  place: MysqlPlace,
  sql: string,
  form: readonly string[] = ["--xml"],
): Promise<string> {
  const program = MYSQL_PROGRAMS.map((name) => which(fs, name, process.env("PATH"))).find((path) => path !== undefined);
  if (program === undefined) {
    throw new Error(
      `None of the programs ${MYSQL_PROGRAMS.join(", ")} is installed: install the package mariadb-client`,
    );
  }
  const [printed, said]: [Uint8Array[], Uint8Array[]] = [[], []];
  let [size, heard] = [0, 0];
  let failure: string | undefined;
  const end = (why: string) => {
    failure ??= why;
    child.kill("SIGKILL");
  };
  const child = await process.spawn({
    argv: [program, ...wordsOf(place), ...form, ...SESSION_WORDS],
    env: { ...process.environment(), MYSQL_PWD: place.password },
    stdin: new TextEncoder().encode(`${sql}\n`),
    onStdout(chunk) {
      size += chunk.length;
      if (size <= MAX_BYTES) printed.push(chunk.slice());
      else end(`the answer has more than ${MAX_BYTES} bytes`);
    },
    onStderr(chunk) {
      heard += chunk.length;
      if (heard <= MAX_SAID_BYTES) said.push(chunk.slice());
    },
  });
  const cancel = clock.after(LIMIT_MS, () => end(`the answer takes longer than ${LIMIT_MS / 1000} s`));
  const { code } = await child.exited;
  cancel();
  if (failure !== undefined) throw new Error(failure);
  if (code !== 0) throw mysqlErrorOf(new TextDecoder().decode(concat(said)));
  return new TextDecoder().decode(concat(printed));
}
