import { codeOf } from "../../base/errors.ts";
import type { ReturnerContext, ReturnerModule } from "../../model/loader/family.ts";
import { toJson } from "./json.ts";
import { returnerOptions } from "./options.ts";

const LEVELS = ["EMERG", "ALERT", "CRIT", "ERR", "WARNING", "NOTICE", "INFO", "DEBUG"];
const FACILITIES = [
  ...["KERN", "USER", "MAIL", "DAEMON", "AUTH", "AUTHPRIV", "SYSLOG", "LPR", "NEWS", "UUCP", "CRON", "FTP"],
  ...[0, 1, 2, 3, 4, 5, 6, 7].map((number) => `LOCAL${number}`),
];

/** What each of Python's options means to `logger`; the rest speak of the connection, which is its own affair. */
const OPTIONS: Record<string, string[]> = {
  LOG_PID: ["-i"],
  LOG_PERROR: ["-s"],
  LOG_CONS: [],
  LOG_NDELAY: [],
  LOG_NOWAIT: [],
};

const LONGEST_TAG = 32;
/** What `logger` sends without being asked for more. */
const USUAL_SIZE = 1024;

/** The word of `logger` for one of Python's constants. */
function wordOf(option: string, value: unknown, known: readonly string[]): string {
  const name = typeof value === "string" && value.startsWith("LOG_") ? value.slice("LOG_".length) : "";
  if (known.includes(name)) return name.toLowerCase();
  throw new TypeError(
    `Cannot use ${JSON.stringify(value)} as ${option}: expected one of ${known.map((one) => `LOG_${one}`).join(", ")}`,
  );
}

async function log(
  { runtime }: ReturnerContext,
  words: readonly string[],
  stdin: Uint8Array,
): Promise<{ code: number | null; said: string }> {
  const decoder = new TextDecoder();
  let said = "";
  const child = await runtime.process.spawn({
    argv: ["logger", ...words],
    env: runtime.process.environment(),
    stdin,
    onStderr: (chunk) => void (said += decoder.decode(chunk, { stream: true })),
  });
  const { code } = await child.exited;
  return { code, said: said.trim() };
}

/**
 * Sends each return to the system's log as one line of JSON. Options: `syslog.level`, `.facility`, `.tag`, `.options`.
 *
 * Through the program `logger`: no runtime here speaks to a datagram socket of the file system.
 */
export const returner: ReturnerModule = {
  fromJob: ["level", "facility", "tag", "options"],
  async returner(context, ret) {
    const options = returnerOptions(context, "syslog", {
      level: "LOG_INFO" as unknown,
      facility: "LOG_USER" as unknown,
      tag: "salt-minion" as unknown,
      options: [] as unknown,
    });
    const level = wordOf("syslog.level", options.level, LEVELS);
    const facility = wordOf("syslog.facility", options.facility, FACILITIES);
    const { tag } = options;
    if (typeof tag !== "string" || tag.length > LONGEST_TAG) {
      throw new TypeError(
        `Cannot use ${JSON.stringify(tag)} as syslog.tag: expected at most ${LONGEST_TAG} characters`,
      );
    }
    const words = ["-p", `${facility}.${level}`, "-t", tag];
    for (const option of [options.options].flat()) {
      if (!Object.hasOwn(OPTIONS, String(option))) {
        throw new TypeError(
          `Cannot use ${JSON.stringify(option)} in syslog.options: expected ${Object.keys(OPTIONS).join(", ")}`,
        );
      }
      words.push(...OPTIONS[String(option)]!);
    }
    // By its standard input: a word of a command line is visible to every user of the host, and bounded.
    const line = new TextEncoder().encode(`${toJson(ret)}\n`);
    try {
      let sent = await log(context, line.length > USUAL_SIZE ? ["-S", String(line.length), ...words] : words, line);
      // Not every `logger` accepts a size; the system's log then gets the return in pieces or truncated.
      if (sent.code !== 0 && line.length > USUAL_SIZE) sent = await log(context, words, line);
      if (sent.code !== 0) throw new Error(`Cannot send to syslog: logger ended with ${sent.code}: ${sent.said}`);
    } catch (error) {
      if (codeOf(error) !== "ENOENT") throw error;
      throw new Error(
        "Cannot send to syslog: there is no program logger. Install the package that has it: bsdutils on Debian and " +
          "Ubuntu, util-linux elsewhere",
        { cause: error },
      );
    }
  },
};
