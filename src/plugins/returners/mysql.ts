import { ConfigError, messageOf } from "../../base/errors.ts";
import { EventsRefused, type ReturnerContext, type ReturnerModule } from "../../model/loader/family.ts";
import { truthy } from "../../language/python/values.ts";
import type { MysqlFields, MysqlPlace } from "../mysql_session.ts";
import { MysqlError, mysqlLiteral, mysqlSession, parseResults, placeName, STRICT_MODE } from "../mysql_session.ts";
import { fromJson, toJson } from "./json.ts";
import { numberOption, returnerOptions, verdict } from "./options.ts";

/** Salt's tables, as the documentation of its returner has them, made only where they are missing. */
export const MYSQL_TABLES = `CREATE TABLE IF NOT EXISTS \`jids\` (
  \`jid\` varchar(255) NOT NULL,
  \`load\` mediumtext NOT NULL,
  UNIQUE KEY \`jid\` (\`jid\`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8;
CREATE TABLE IF NOT EXISTS \`salt_returns\` (
  \`fun\` varchar(50) NOT NULL,
  \`jid\` varchar(255) NOT NULL,
  \`return\` mediumtext NOT NULL,
  \`id\` varchar(255) NOT NULL,
  \`success\` varchar(10) NOT NULL,
  \`full_ret\` mediumtext NOT NULL,
  \`alter_time\` TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
  KEY \`id\` (\`id\`),
  KEY \`jid\` (\`jid\`),
  KEY \`fun\` (\`fun\`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8;
CREATE TABLE IF NOT EXISTS \`salt_events\` (
  \`id\` BIGINT NOT NULL AUTO_INCREMENT,
  \`tag\` varchar(255) NOT NULL,
  \`data\` mediumtext NOT NULL,
  \`alter_time\` TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
  \`master_id\` varchar(255) NOT NULL,
  PRIMARY KEY (\`id\`),
  KEY \`tag\` (\`tag\`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8;`;

const NO_SUCH_TABLE = 1146;
/** Null, twice the same key, a packet, a text or a value that the table does not take. */
const REFUSALS = new Set([1048, 1062, 1153, 1264, 1265, 1366, 1406]);
/** Rows of one page of a long list. */
const PAGE = 500;
const LONGEST_FUN = 50;
const LONGEST_TAG = 255;
/** How many of the latest rows are looked at for events that may be there already. */
const LATEST = 100_000;
/** The most statements, and about the most characters, of one session. */
const MOST_WRITES = 200;
const MOST_CHARACTERS = 4_000_000;
/** About the most characters of statements that wait for a session. */
const MOST_WAITING = 64_000_000;

/** Characters that MySQL's `utf8` has no place for. */
const LARGE = /[\u{10000}-\u{10ffff}]/gu;

/** A value as JSON that every character set of a table for Salt can hold. */
const jsonLiteral = (value: unknown): string =>
  mysqlLiteral(
    toJson(value).replace(
      LARGE,
      (character) => Array.from({ length: 2 }, (_, at) => `\\u${character.charCodeAt(at).toString(16)}`).join(""),
    ),
  );

/** A text as far as its column has a place for it. */
const fitting = (text: string, longest: number): string =>
  mysqlLiteral(text.replaceAll("\0", "\ufffd").replace(LARGE, "\ufffd").slice(0, longest));

interface Place extends MysqlPlace {
  create: boolean;
}

function placeOf(context: ReturnerContext): Place {
  const options = returnerOptions(context, "mysql", {
    host: "salt" as unknown,
    user: "salt" as unknown,
    pass: "salt" as unknown,
    db: "salt" as unknown,
    port: 3306 as unknown,
    unix_socket: undefined as unknown,
    ssl_ca: undefined as unknown,
    ssl_cert: undefined as unknown,
    ssl_key: undefined as unknown,
    create_tables: false as unknown,
  });
  // Salt takes the word "None" for nothing.
  const text = (value: unknown) =>
    value === undefined || String(value).toLowerCase() === "none" ? undefined : String(value);
  return {
    host: text(options.host) ?? "localhost",
    port: numberOption("mysql.port", options.port),
    socket: text(options.unix_socket),
    user: text(options.user) ?? "",
    password: text(options.pass) ?? "",
    database: text(options.db) ?? "",
    ssl: { ca: text(options.ssl_ca), cert: text(options.ssl_cert), key: text(options.ssl_key) },
    create: truthy(options.create_tables),
  };
}

function explained(error: unknown, place: Place): Error {
  const where = placeName(place);
  if (error instanceof MysqlError && error.number === NO_SUCH_TABLE) {
    return new Error(
      `Cannot use ${where}: ${error.message}. Set mysql.create_tables: True, or make Salt's tables:\n${MYSQL_TABLES}`,
      { cause: error },
    );
  }
  return new Error(`Cannot use ${where}: ${messageOf(error)}`, { cause: error });
}

interface Write {
  sql: string;
  resolve(): void;
  reject(error: unknown): void;
}

/** Sessions with one server, one after the other. Statements that wait and only write share a session and its transaction. */
class Sessions {
  readonly #run: (sql: string) => Promise<MysqlFields[][]>;
  #last: Promise<unknown> = Promise.resolve();
  #writes: Write[] = [];
  /** Characters of statements that are not yet committed. */
  #waiting = 0;

  constructor(run: (sql: string) => Promise<MysqlFields[][]>) {
    this.#run = run;
  }

  /** The rows of each query of some statements. */
  ask(sql: string): Promise<MysqlFields[][]> {
    const answer = this.#last.then(() => this.#run(sql));
    this.#last = answer.catch(() => {});
    return answer;
  }

  /** Resolves once the statement is committed. @throws {Error} if too many wait already */
  async write(sql: string): Promise<void> {
    if (this.#waiting > MOST_WAITING) throw new Error("too many returns wait for the server");
    this.#waiting += sql.length;
    try {
      await new Promise<void>((resolve, reject) => {
        this.#writes.push({ sql, resolve, reject });
        if (this.#writes.length === 1) this.#schedule();
      });
    } finally {
      this.#waiting -= sql.length;
    }
  }

  async ended(): Promise<void> {
    await this.#last;
  }

  #schedule(): void {
    this.#last = this.#last.then(() => this.#flush());
  }

  async #flush(): Promise<void> {
    let [count, characters] = [0, 0];
    while (count < Math.min(MOST_WRITES, this.#writes.length) && characters < MOST_CHARACTERS) {
      characters += this.#writes[count++]!.sql.length;
    }
    const some = this.#writes.splice(0, count);
    if (this.#writes.length > 0) this.#schedule();
    try {
      await this.#run(`START TRANSACTION;\n${some.map(({ sql }) => `${sql};`).join("\n")}\nCOMMIT;`);
      for (const { resolve } of some) resolve();
    } catch (error) {
      // Without a connection each of them would wait for it.
      const isRefused = error instanceof MysqlError && error.number < 2000;
      for (const { sql, resolve, reject } of some) {
        if (isRefused && some.length > 1) await this.#run(`${sql};`).then(resolve, reject);
        else reject(error);
      }
    }
  }
}

/**
 * Writes returns as rows of Salt's own tables `jids`, `salt_returns` and `salt_events`, which Salt's tools read, with the program
 * `mariadb` or `mysql`. Options: `mysql.host`, `.user`, `.pass`, `.db`, `.port`, `.unix_socket`, `.ssl_ca`, `.ssl_cert`, `.ssl_key`;
 * `.create_tables` makes the tables if they are missing.
 *
 * @see salt/returners/mysql.py
 */
export function mysqlReturner(): Required<
  Pick<ReturnerModule, "returner" | "saveLoad" | "getLoad" | "getJid" | "getJids" | "eventReturn" | "close">
> {
  const open = new Map<string, Sessions>();

  async function use<T>(
    { runtime, ...context }: ReturnerContext,
    work: (sessions: Sessions) => Promise<T>,
  ): Promise<T> {
    const place = placeOf({ runtime, ...context });
    const key = JSON.stringify(place);
    const session = (sql: string) => mysqlSession(runtime, place, `${STRICT_MODE}\n${sql}`);
    const run = async (sql: string) => {
      try {
        return parseResults(await session(sql));
      } catch (error) {
        if (!place.create || !(error instanceof MysqlError) || error.number !== NO_SUCH_TABLE) throw error;
        await session(MYSQL_TABLES);
        return parseResults(await session(sql));
      }
    };
    const sessions = open.get(key) ?? new Sessions(run);
    open.set(key, sessions);
    try {
      return await work(sessions);
    } catch (error) {
      throw error instanceof ConfigError ? error : explained(error, place);
    }
  }

  const rowsOf = async (context: ReturnerContext, sql: string): Promise<string[][]> => {
    const [rows = []] = await use(context, (sessions) => sessions.ask(`${sql};`));
    return rows.map((fields) => fields.map(([, value]) => value ?? ""));
  };

  return {
    async returner(context, ret) {
      const { fun, jid, id, success } = ret;
      const name = fitting([fun].flat().map(String).join(","), LONGEST_FUN);
      const values = [
        ...[name, mysqlLiteral(jid), jsonLiteral(ret.return), mysqlLiteral(id)],
        // As Python's driver writes a boolean.
        ...[verdict(success) ? "'1'" : "'0'", jsonLiteral(ret)],
      ];
      const sql = "INSERT INTO `salt_returns` (`fun`, `jid`, `return`, `id`, `success`, `full_ret`) " +
        `VALUES (${values.join(", ")})`;
      await use(context, (sessions) => sessions.write(sql));
    },
    async saveLoad(context, jid, load, minions) {
      // Salt's own returner does not save the minions, but reads them under this name.
      const values = `${mysqlLiteral(jid)}, ${jsonLiteral({ ...load, Minions: minions })}`;
      const sql =
        `INSERT INTO \`jids\` (\`jid\`, \`load\`) VALUES (${values}) ON DUPLICATE KEY UPDATE \`jid\` = \`jid\``;
      await use(context, (sessions) => sessions.write(sql));
    },
    async getLoad(context, jid) {
      const [row] = await rowsOf(context, `SELECT \`load\` FROM \`jids\` WHERE \`jid\` = ${mysqlLiteral(jid)}`);
      return row === undefined ? undefined : fromJson(row[0]!) as Record<string, unknown>;
    },
    async getJid(context, jid) {
      const rows = await rowsOf(
        context,
        `SELECT \`id\`, \`full_ret\` FROM \`salt_returns\` WHERE \`jid\` = ${
          mysqlLiteral(jid)
        } ORDER BY \`alter_time\` DESC`,
      );
      // Newest first, so that the first return of a minion is the one that remains.
      return Object.fromEntries(rows.map(([id, text]) => [id!, fromJson(text!)])) as Record<
        string,
        { return: unknown }
      >;
    },
    async *getJids(context) {
      let before = "";
      for (;;) {
        const where = before === "" ? "" : `WHERE \`jid\` < ${mysqlLiteral(before)} `;
        const sql = `SELECT \`jid\`, \`load\` FROM \`jids\` ${where}ORDER BY \`jid\` DESC LIMIT ${PAGE}`;
        const page = await rowsOf(context, sql);
        for (const [jid, load] of page) yield [jid!, fromJson(load!) as Record<string, unknown>];
        if (page.length < PAGE) return;
        before = page.at(-1)![0]!;
      }
    },
    async eventReturn(context, { events, again }) {
      const master = mysqlLiteral(context.opts.id ?? "");
      const rows = events.map(({ tag, data }) => ({ tag: fitting(tag, LONGEST_TAG), data: jsonLiteral(data) }));
      try {
        await use(context, async (sessions) => {
          if (again) {
            // All of them were stored at once, or none was.
            const counts = rows.map(({ tag, data }) =>
              "SELECT COUNT(*) FROM `salt_events` WHERE `id` > @from AND " +
              `\`tag\` = ${tag} AND \`master_id\` = ${master} AND BINARY \`data\` = BINARY ${data};`
            );
            const found = await sessions.ask(
              `SET @from := (SELECT MAX(\`id\`) - ${LATEST} FROM \`salt_events\`);\n${counts.join("\n")}`,
            );
            if (found.every(([row]) => row?.[0]?.[1] !== "0")) return;
          }
          const values = rows.map(({ tag, data }) => `(${tag}, ${data}, ${master})`).join(", ");
          await sessions.write(`INSERT INTO \`salt_events\` (\`tag\`, \`data\`, \`master_id\`) VALUES ${values}`);
        });
      } catch (error) {
        const { cause } = error as { cause?: unknown };
        if (!(cause instanceof MysqlError) || !REFUSALS.has(cause.number)) throw error;
        throw new EventsRefused(messageOf(error), { cause });
      }
    },
    async close() {
      const all = [...open.values()];
      open.clear();
      for (const sessions of all) await sessions.ended();
    },
  };
}

export const returner: ReturnerModule = mysqlReturner();
