/** Parses addresses in `log_file`, in place of a path: `file:///dev/log/LOG_DAEMON`, `udp://loghost:514`, `tcp://…`. */
import { ConfigError } from "../../src/base/errors.ts";

const FACILITIES: Readonly<Record<string, number>> = {
  LOG_KERN: 0,
  LOG_USER: 1,
  LOG_MAIL: 2,
  LOG_DAEMON: 3,
  LOG_AUTH: 4,
  LOG_SYSLOG: 5,
  LOG_LPR: 6,
  LOG_NEWS: 7,
  LOG_UUCP: 8,
  LOG_CRON: 9,
  LOG_AUTHPRIV: 10,
  LOG_FTP: 11,
  LOG_LOCAL0: 16,
  LOG_LOCAL1: 17,
  LOG_LOCAL2: 18,
  LOG_LOCAL3: 19,
  LOG_LOCAL4: 20,
  LOG_LOCAL5: 21,
  LOG_LOCAL6: 22,
  LOG_LOCAL7: 23,
};

export type SyslogAddress =
  & { facility: number }
  & (
    | { kind: "unix"; path: string }
    | { kind: "udp" | "tcp"; host: string; port: number }
  );

/** True for a `log_file` that is an address, not a path. */
export const isSyslogAddress = (value: string): boolean => value.includes("://");

/** @throws {ConfigError} with the value and the allowed forms */
export function syslogAddress(option: string, value: string): SyslogAddress {
  const wrong = (why: string) =>
    new ConfigError(
      `The option ${option} is ${
        JSON.stringify(value)
      }: ${why}. Write a path, file:///dev/log, file:///dev/log/LOG_DAEMON, ` +
        "udp://host:514/LOG_DAEMON or tcp://host:514",
    );
  const [, scheme = "", rest = ""] = /^([a-z]+):\/\/(.*)$/i.exec(value) ?? [];
  const facilityOf = (name: string) => {
    const facility = FACILITIES[name];
    if (!Object.hasOwn(FACILITIES, name) || facility === undefined) {
      throw wrong(`"${name}" is not a facility (known: ${Object.keys(FACILITIES).join(", ")})`);
    }
    return facility;
  };
  switch (scheme.toLowerCase()) {
    case "file": {
      if (!rest.startsWith("/")) throw wrong("the path behind file:// is not absolute");
      const cut = rest.lastIndexOf("/");
      const last = rest.slice(cut + 1).toUpperCase();
      if (!last.startsWith("LOG_")) return { kind: "unix", path: rest, facility: FACILITIES.LOG_USER! };
      return { kind: "unix", path: rest.slice(0, cut) || "/", facility: facilityOf(last) };
    }
    case "udp":
    case "tcp": {
      const match = /^(?:\[([0-9a-zA-Z:.%]+)\]|([^/:[\]]+))(?::(\d{1,5}))?(?:\/([^/]*))?$/.exec(rest);
      const port = Number(match?.[3] ?? 514);
      if (match === null || port < 1 || port > 65_535) throw wrong("its host or its port cannot be read");
      const facility = facilityOf((match[4] || "LOG_USER").toUpperCase());
      return { kind: scheme.toLowerCase() as "udp" | "tcp", host: (match[1] ?? match[2])!, port, facility };
    }
    default:
      throw wrong(`"${scheme}" is not a kind of log`);
  }
}
