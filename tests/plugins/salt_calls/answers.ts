import type { CallScenario } from "./scenario.ts";

const PLAIN = "a=1\nb=2\n";
const MANAGED = ["{D}/x", "", "salt://plain.conf", "", "", "root", "root", "0644", "", "base", "{}", "{}"];

/** Answers that operators met as different ones. */
export const ANSWERS: CallScenario[] = [
  {
    name: "cmd: a word that YAML reads as something else has a shell, too",
    programs: ["bash"],
    calls: [
      ["cmd.run", "true", "ignore_retcode=True"],
      ["cmd.run", "5", "ignore_retcode=True"],
      ["cmd.run", "true", "bg=True"],
      ["cmd.run", "echo hi >/dev/null", "bg=True"],
    ],
  },
  {
    name: "cmd: codes of signals",
    calls: [["cmd.run", "kill -9 $$"], ["cmd.retcode", "kill -15 $$"], ["cmd.run_all", "kill -9 $$"]],
  },
  {
    name: "cmd: encodings by Python's names",
    calls: ["latin1", "latin-1", "iso-8859-1", "ISO8859_1", "ascii", "us-ascii", "utf-8", "utf8", "cp1252"].map((
      name,
    ) => [
      "cmd.run",
      "printf 'x\\303\\251\\305\\202'",
      `output_encoding=${name}`,
    ]),
  },
  {
    name: "cmd: a shell that nobody knows",
    calls: [["cmd.shell_info", "nosuch"]],
  },
  {
    name: "file: what get_managed fetches",
    files: { "roots/plain.conf": PLAIN, local: PLAIN },
    root: true,
    calls: [
      ["file.get_managed", ...MANAGED],
      ["file.get_managed", ...MANAGED, "skip_verify=True"],
      ["file.get_managed", "{D}/x", "", "{D}/local", "", "", "root", "root", "0644", "", "base", "{}", "{}"],
      ["file.get_managed", "{D}/x", "", "salt://none", "", "", "root", "root", "0644", "", "base", "{}", "{}"],
      [
        "file.check_managed_changes",
        "{D}/local",
        "salt://plain.conf",
        "",
        "",
        "root",
        "root",
        "0644",
        "",
        "",
        "{}",
        "{}",
        "base",
      ],
      ["file.manage_file", "{D}/x", "", "{}", "salt://plain.conf", "{}", "root", "root", "0644", "", "base", ""],
    ],
  },
  {
    name: "pkg: versions by patterns",
    programs: ["dpkg-query"],
    shapes: true,
    calls: [
      ["pkg.version", "base-f*"],
      ["pkg.version", "base-f*", "dpkg"],
      ["pkg.version", "nosuch*"],
      ["pkg.version", "nosuch*", "dpkg", "none"],
      ["pkg.version", "base-file[s]"],
    ],
  },
  {
    name: "network: ports that are none",
    calls: [
      ["network.connect", "127.0.0.1", "99999"],
      ["network.connect", "127.0.0.1", "no-such-port"],
    ],
  },
  {
    name: "http: ports that browsers keep away from",
    calls: [["http.query", "http://127.0.0.1:1/"], ["http.query", "http://127.0.0.1:1/", "status=True"]],
  },
  { name: "mine: no containers", calls: [["mine.get_docker"]] },
  {
    name: "test: files that provide modules",
    programs: ["dpkg-query"],
    calls: ["cmd", "pkg", "user", "group", "shadow", "sysctl", "random", "test", "nosuch"].map((name) => [
      "test.provider",
      name,
    ]),
  },
];
