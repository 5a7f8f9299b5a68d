/** What a test process said, from the JUnit files of three runtimes and from its output. */

export interface Failure {
  /** `tests/protocol/zmtp/peer_test.ts:54`; undefined if nothing says it. */
  place: string | undefined;
  /** The groups and the test. */
  name: string;
  text: string;
}

export interface Report {
  passed: number;
  skipped: number;
  failures: Failure[];
  skipReasons: string[];
  /** File → what its tests took. */
  seconds: Map<string, number>;
}

interface Case {
  name: string;
  file: string | undefined;
  failure: string | undefined;
  skip: string | undefined;
  seconds: number;
}

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function unescape(text: string): string {
  return text.replaceAll(/&(#x?[\da-f]+|\w+);/gi, (whole, name: string) => {
    if (!name.startsWith("#")) return ENTITIES[name] ?? whole;
    return String.fromCodePoint(/^#x/i.test(name) ? parseInt(name.slice(2), 16) : Number(name.slice(1)));
  });
}

function attribute(head: string, name: string): string | undefined {
  const value = new RegExp(`\\s${name}="([^"]*)"`).exec(head)?.[1];
  return value === undefined ? undefined : unescape(value);
}

function casesOf(xml: string): Case[] {
  return Array.from(
    xml.matchAll(/<testcase\b((?:"[^"]*"|[^">])*?)(?:\/>|>(.*?)<\/testcase>)/gs),
    ([, head = "", body = ""]) => {
      const failure = /<failure\b((?:"[^"]*"|[^">])*?)(?:\/>|>(.*?)<\/failure>)/s.exec(body);
      const skipped = /<skipped\b((?:"[^"]*"|[^">])*?)\/?>/s.exec(body);
      const group = attribute(head, "classname");
      const name = attribute(head, "name") ?? "";
      return {
        // Node and Bun have the group as the class; Deno has it in the name.
        name: group === undefined || group === "test" || /\.ts$/.test(group) ? name : `${group} > ${name}`,
        file: attribute(head, "file") ?? (group?.endsWith("_test.ts") ? group : undefined),
        seconds: Number(attribute(head, "time") ?? 0),
        failure: failure === null
          ? undefined
          : unescape(failure[2] ?? "") || attribute(failure[1]!, "message") || "failed",
        skip: skipped === null ? undefined : attribute(skipped[1]!, "message") ?? "",
      };
    },
  );
}

/** The first line of a test file that a text names, or else any of the repository. */
function placeIn(text: string, root: string): string | undefined {
  const places = [...text.replaceAll(root, "").matchAll(/((?:tests|src|cli|bench|scripts)\/[\w./-]+\.tsx?):(\d+)/g)];
  const own = places.find(([, file]) => file!.endsWith("_test.ts")) ?? places[0];
  return own === undefined ? undefined : `${own[1]}:${own[2]}`;
}

export interface Output {
  /** The JUnit file; empty if there is none. */
  xml: string;
  code: number | null;
  /** The last of what the process printed. */
  said: string;
  /** The repository's directory, with a slash at its end. */
  root: string;
}

/** The report of one process. A process that ends with an error and names no failed test is one failure. */
export function reportOf({ xml, code, said, root }: Output): Report {
  const cases = casesOf(xml);
  const names = new Set(cases.map(({ name }) => name));
  const groups = new Set<string>();
  for (const name of names) {
    for (let at = name.indexOf(" > "); at > 0; at = name.indexOf(" > ", at + 1)) groups.add(name.slice(0, at));
  }
  const report: Report = { passed: 0, skipped: 0, failures: [], skipReasons: [], seconds: new Map() };
  for (const { name, file, failure, skip, seconds } of cases) {
    if (file !== undefined) {
      const short = file.replace(root, "").replace(/^\.\//, "");
      report.seconds.set(short, (report.seconds.get(short) ?? 0) + seconds);
    }
    // A group that failed because a test in it did is not one more failure.
    if (failure !== undefined && /^\d+ (?:subtests?|test steps?) failed/.test(failure)) continue;
    if (failure !== undefined) {
      const place = placeIn(failure, root) ?? file?.replace(root, "");
      report.failures.push({ place, name, text: failure.replaceAll(root, "").trim() });
    } else if (skip !== undefined) {
      report.skipped++;
      if (skip !== "" && skip !== "true") report.skipReasons.push(skip);
    } else if (!groups.has(name)) report.passed++;
  }
  if (code !== 0 && report.failures.length === 0) {
    const text = said.replaceAll(root, "").trim().split("\n").slice(-40).join("\n");
    report.failures.push({ place: placeIn(text, root), name: `the process ended with ${code ?? "a signal"}`, text });
  }
  if (code === 0 && cases.length === 0) {
    report.failures.push({ place: undefined, name: "the process ran no test", text: said.slice(-2000) });
  }
  return report;
}
