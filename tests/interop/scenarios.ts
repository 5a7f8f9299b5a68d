/** What is asked of every mix, and what real Salt answers: a mix of nothing but real pieces passes each row as well. */
import assert from "node:assert/strict";

/** One command of `salt` and its whole outcome. */
export interface Scenario {
  name: string;
  /** Options and the target, or how they follow from the ids of the fleet. @default every minion */
  target?: readonly string[] | ((ids: readonly string[]) => readonly string[]);
  /** Ids that are to answer. @default all */
  matches?: (id: string) => boolean;
  /** The function, its arguments, more options. */
  words: readonly string[];
  /** A minion's document on stdout, or a test of it that throws. @default the answer of a ping */
  document?: (id: string) => string | ((text: string) => void);
  /** Stdout without the documents of the fleet's minions. @default nothing */
  around?: string | RegExp;
  /** Exit code. @default 0 */
  code?: number;
  /** Stderr. @default nothing */
  stderr?: string;
  /** How often the same is asked in a row. @default 1 */
  times?: number;
  /** True if stdout is one document of all minions. @default false */
  joined?: boolean;
}

const FAILED = "ERROR: Minions returned with non-zero exit code\n";
const NOBODY = "No minions matched the target. No command was sent, no jid was assigned.\n";
const NO_RETURN = "ERROR: No return received\n";
const JID = /\d{20}/.source;

/** What stands for a minion that has not answered. */
export const silentDocument = (id: string): RegExp =>
  new RegExp(
    `^${id}:\n    Minion did not return\\. \\[No response\\]\n` +
      "    The minions may not have all finished running and any remaining minions will return upon completion\\. " +
      "To look up the return data for this job later, run the following command:\n" +
      `    \n    salt-run jobs\\.lookup_jid ${JID}\n$`,
  );

/** A document of the nested outputter: its lines below the minion's id. */
const nested = (...lines: string[]) => (id: string) => [`${id}:`, ...lines.map((line) => `    ${line}`), ""].join("\n");

/** A document of the json outputter: the text of the value, as it stands in it. */
const json = (text: string) => (id: string) => `{\n    "${id}": ${text.replaceAll("\n", "\n    ")}\n}\n`;

/** The value, with each fraction as it was written, less what a publication adds to keywords. */
function exactly(text: string): unknown {
  const revive = (key: string, value: unknown, context?: { source?: string }) =>
    key.startsWith("__pub_") ? undefined : typeof value === "number" ? `number ${context?.source}` : value;
  return JSON.parse(text, revive as (key: string, value: unknown) => unknown);
}

const jsonWithoutPub = (want: string) => (id: string) => (text: string) =>
  assert.deepEqual(exactly(text), exactly(`{"${id}": ${want}}`));

const isBrine = (id: string) => id === "brine";
const nobody = () => false;

const LONG = "z".repeat(100_000);
const MAPPING = "{a: 1, f: 1.0, l: [1, 2.5, null, x], t: true, n: null, u: ü, e: [], m: {}}";

export const SCENARIOS: readonly Scenario[] = [
  { name: "a ping", words: ["test.ping"] },
  { name: "unicode", words: ["test.echo", "Grüße, 世界 🧂"], document: nested("Grüße, 世界 🧂") },
  {
    name: "several lines",
    words: ["cmd.run", "printf 'a\\n b\\n\\nc'", "python_shell=True"],
    document: nested("a", " b", "", "c"),
  },
  {
    name: "a map with all types, as JSON",
    words: ["test.echo", MAPPING, "--out=json"],
    document: json(`{
    "a": 1,
    "f": 1.0,
    "l": [
        1,
        2.5,
        null,
        "x"
    ],
    "t": true,
    "n": null,
    "u": "ü",
    "e": [],
    "m": {}
}`),
  },
  {
    name: "a map with all types, nested",
    words: ["test.echo", MAPPING],
    document: nested(
      ...["----------", "a:", "    1", "e:", "f:", "    1.0", "l:", "    - 1", "    - 2.5", "    - None", "    - x"],
      ...["m:", "    ----------", "n:", "    None", "t:", "    True", "u:", "    ü"],
    ),
  },
  {
    name: "types of arguments",
    words: ["test.arg_type", "1", "1.0", "x", "[1]", "{a: 1}", "None", "true", "k=2.0", "b=False", "--out=json"],
    document: jsonWithoutPub(
      `{"args": ["<class 'int'>", "<class 'float'>", "<class 'str'>", "<class 'list'>", "<class 'dict'>",
          "<class 'NoneType'>", "<class 'bool'>"], "kwargs": {"k": "<class 'float'>", "b": "<class 'bool'>"}}`,
    ),
  },
  {
    name: "keywords with all types",
    words: [
      ...["test.kwarg", "i=1", "f=1.0", "neg=-2", "big=12345678901234567890", "l=[1, 2.5, x, null]", "m={a: 1.0}"],
      ...["n=None", "t=True", 's="1"', "u=ü", "e=", "--out=json"],
    ],
    document: jsonWithoutPub(
      `{"i": 1, "f": 1.0, "neg": -2, "big": 12345678901234567890, "l": [1, 2.5, "x", null], "m": {"a": 1.0}, "n": null,
          "t": true, "s": "1", "u": "ü", "e": ""}`,
    ),
  },
  { name: "an argument of 100 kB", words: ["test.echo", LONG], document: nested(LONG) },
  {
    name: "a return of 500 kB",
    words: ["cmd.run", "head -c 500000 /dev/zero | tr '\\0' x", "python_shell=True"],
    document: nested("x".repeat(500_000)),
  },
  {
    name: "cmd.retcode of a failure",
    words: ["cmd.retcode", "exit 3", "python_shell=True"],
    document: nested("3"),
    code: 1,
    stderr: FAILED,
  },
  {
    name: "cmd.run of a failure",
    words: ["cmd.run", "echo out; exit 3", "python_shell=True"],
    document: nested("out"),
    code: 1,
    stderr: FAILED,
  },
  { name: "test.retcode", words: ["test.retcode", "42"], code: 1, stderr: FAILED },
  { name: "False is no failure", words: ["test.false"], document: nested("False") },
  {
    name: "a function that is not there",
    words: ["test.nosuch"],
    document: nested("'test.nosuch' is not available."),
    code: 1,
    stderr: FAILED,
  },
  {
    name: "a module that is not there",
    words: ["nosuch.function"],
    document: nested("'nosuch.function' is not available."),
    code: 1,
    stderr: FAILED,
  },
  {
    name: "a keyword that is not there",
    words: ["test.ping", "bogus=1"],
    document: nested("ERROR executing 'test.ping': The following keyword arguments are not valid: bogus=1"),
    code: 1,
    stderr: FAILED,
  },
  {
    name: "several functions",
    words: ["test.ping,test.echo,test.echo", ",", "hi", ",", "[1.0]", "--out=json"],
    document: json('{\n    "test.ping": true,\n    "test.echo": [\n        1.0\n    ]\n}'),
  },
  { name: "15 jobs in a row", words: ["test.ping"], times: 15 },

  { name: "target: a glob", target: ["b[!x]in?"], matches: isBrine, words: ["test.ping"] },
  { name: "target: a regular expression", target: ["-E", "(br|sa)(ine$|lt300\\d)"], words: ["test.ping"] },
  { name: "target: a list", target: (ids) => ["-L", ids.join(", ")], words: ["test.ping"] },
  { name: "target: a list with blanks", target: (ids) => ["-L", ids.join(" ")], words: ["test.ping"] },
  {
    name: "target: a list with an id that is not there",
    target: (ids) => ["-L", [...ids, "nobody"].join(",")],
    words: ["test.ping"],
    around: silentDocument("nobody"),
    code: 1,
    stderr: FAILED,
  },
  { name: "target: a grain", target: ["-G", "tags:tag-brine"], matches: isBrine, words: ["test.ping"] },
  { name: "target: a grain below a grain", target: ["-G", "deep:er:1.5"], words: ["test.ping"] },
  {
    name: "target: a grain's regular expression",
    target: ["-P", "kind:^(?!brine)"],
    matches: (id) => !isBrine(id),
    words: ["test.ping"],
  },
  {
    name: "target: a compound",
    target: ["-C", "G@role:web and ( brine or E@salt.*8 ) and not salt3007"],
    matches: (id) => /^brine$|8$/.test(id),
    words: ["test.ping"],
  },
  { name: "target: a network", target: ["-S", "127.0.0.0/8"], words: ["test.ping"] },
  {
    name: "target: another network",
    target: ["-S", "203.0.113.0/24"],
    matches: nobody,
    words: ["test.ping"],
    around: NOBODY,
    code: 2,
    stderr: NO_RETURN,
  },
  { name: "target: a node group", target: ["-N", "everyone"], words: ["test.ping"] },
  {
    name: "target: a node group in a compound",
    target: ["-C", "not N@first"],
    matches: (id) => !isBrine(id),
    words: ["test.ping"],
  },
  {
    name: "target: a pillar that is not there",
    target: ["-I", "no:pillar"],
    matches: nobody,
    words: ["test.ping"],
    around: NOBODY,
    code: 2,
    stderr: NO_RETURN,
  },
  {
    name: "target: nobody",
    target: ["nobody"],
    matches: nobody,
    words: ["test.ping"],
    around: NOBODY,
    code: 2,
    stderr: NO_RETURN,
  },
  {
    name: "target: nobody, as JSON",
    target: ["nobody"],
    matches: nobody,
    words: ["test.ping", "--out=json"],
    around: `${NOBODY}{}\n`,
    code: 2,
    stderr: NO_RETURN,
  },

  { name: "one document of all", words: ["test.ping", "--static", "--out=json"], joined: true },
  {
    name: "a summary",
    words: ["test.ping", "--summary"],
    around:
      /^\n\n-{43}\nSummary\n-{43}\n# of minions targeted: (\d)\n# of minions returned: \1\n# of minions that did not return: 0\n# of minions with errors: 0\n-{43}\n$/,
  },
  { name: "the job's id", words: ["test.ping", "--show-jid"], around: new RegExp(`^jid: ${JID}\n$`) },
  { name: "a header", words: ["test.ping", "-v"], around: new RegExp(`^Executing job with jid ${JID}\n-{43}\n\n$`) },
  {
    name: "nobody waits",
    words: ["test.ping", "--async"],
    matches: nobody,
    around: new RegExp(`^Executed command with job ID: ${JID}\n$`),
  },
  {
    name: "a batch of one at a time",
    words: ["test.retcode", "5", "-b", "1"],
    // Since 3008 the next run may be announced before the last return is shown.
    around: new RegExp(`^((\nExecuting run on \\['\\w+'\\]\n\n)|(jid:\n    ${JID}\nretcode:\n    5\n))+$`),
    code: 5,
  },
];
