import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AccessRules, type AclCall } from "../../../../src/host/master/access/acl.ts";
import { callsOf } from "../../../../src/host/master/access/authorize_publication.ts";
import { PatternCache } from "../../../../src/model/target/patterns.ts";
import { type Json, vectors } from "../../../support/vectors.ts";

const rules = new AccessRules(new PatternCache());

interface Case {
  permissions: unknown[];
  fun: string;
  args?: unknown[];
  kwargs?: Record<string, unknown>;
  allowed: boolean;
}

const callOf = ({ fun, args = [], kwargs = {} }: Case): AclCall => ({ fun, args, kwargs });
const title = (one: Json) => JSON.stringify({ ...one, targets: undefined });
const scope = (targets: Record<string, string[]>, tgt: string) => ({
  minions: targets[tgt] ?? [],
  expand: (rule: string) => targets[rule] ?? [],
});

describe("permissions as real Salt has them", () => {
  const { cases } = vectors("acl") as { cases: Json[] };

  // What Salt's prefix permits beyond the text of a rule.
  const beyond = (one: Json) =>
    one.fun === "test.pinguin" || one.kwargs?.cwd === "/tmp/x" || one.form !== undefined && one.args?.[0] === "xy";

  test("of jobs, but for what goes on behind the text of a rule", () => {
    const jobs = cases.filter((one) => "tgt" in one);
    assert.ok(jobs.length > 100);
    assert.equal(cases.filter((one) => one.allowed === true && beyond(one)).length, 6);
    for (const one of jobs) {
      const may = rules.mayPublish(one.permissions, [callOf(one)], scope(one.targets, one.tgt));
      assert.equal(may, one.allowed && !beyond(one), title(one));
    }
  });

  test("of runners and wheel functions", () => {
    const special = cases.filter((one) => "form" in one);
    assert.ok(special.length > 100);
    for (const one of special) {
      assert.equal(rules.mayCall(one.permissions, one.form, callOf(one)), one.allowed && !beyond(one), title(one));
    }
  });

  test("of names and groups", () => {
    const sections = cases.filter((one) => "section" in one);
    assert.ok(sections.length > 20);
    for (const { section, name, groups = [], permissive = false, granted } of sections) {
      // With permissive_acl real Salt forgets `*`, which its documentation says then always counts.
      const wanted = permissive && "*" in section ? [...granted, ...section["*"]] : granted;
      assert.deepEqual(
        rules.of(section, name, groups, permissive),
        wanted,
        title({ section, name, groups, permissive }),
      );
    }
  });
});

describe("permissions where Brine is stricter than real Salt", () => {
  const targets = { "*": ["web1", "db1"], "web*": ["web1"], "nobody": [] };
  const ping: AclCall = { fun: "test.ping", args: [], kwargs: {} };
  const shell: AclCall = { fun: "cmd.run", args: ["id"], kwargs: {} };

  test("of several functions every one must be allowed", () => {
    assert.equal(rules.mayPublish(["test.ping"], [ping, shell], scope(targets, "*")), false);
    assert.equal(rules.mayPublish(["test.ping"], [shell, ping], scope(targets, "*")), false);
    assert.equal(rules.mayPublish(["test.ping", "cmd.run"], [ping, shell], scope(targets, "*")), true);
    assert.equal(rules.mayPublish([".*"], [], scope(targets, "*")), false);
  });

  test("permission to follow one's own jobs permits no other function in the same publication", () => {
    const follow: AclCall = { fun: "saltutil.find_job", args: ["20240506070809123456"], kwargs: {} };
    assert.equal(rules.mayPublish([], [follow], scope(targets, "*")), true);
    assert.equal(rules.mayPublish([], [follow, shell], scope(targets, "*")), false);
  });

  test("a pattern matches the whole text, unless it says otherwise", () => {
    const may = (args: unknown, value: unknown) =>
      rules.mayPublish(
        [{ "*": [{ "cmd.run": { args } }] }],
        [{ fun: "cmd.run", args: [value], kwargs: {} }],
        scope(targets, "*"),
      );
    for (
      const [pattern, text, want] of [
        ["uptime", "uptime", true],
        ["uptime", "uptime >/dev/null; id", false],
        ["uptime", "uptime\nid", false],
        ["uptime$", "uptime", true],
        ["uptime$", "uptime\n", false],
        ["uptime.*", "uptime -p", true],
        ["uptime.*", "uptime\nid", false],
        ["a|b", "b", true],
        ["a|b", "ab", false],
        ["(?i)uptime", "UPTIME", true],
        ["(?x)uptime # how long", "uptime", true],
        [".*", "a\nb", true],
        [null, "a\nb", true],
        ["[0-9]+", 12, true],
        ["(", "(", false],
      ] as [unknown, unknown, boolean][]
    ) assert.equal(may([pattern], text), want, JSON.stringify([pattern, text]));
    const named = (permissions: unknown[], fun: string) =>
      rules.mayPublish(permissions, [{ fun, args: [], kwargs: {} }], scope(targets, "*"));
    assert.equal(named(["cmd.run"], "cmd.run_all"), false);
    assert.equal(named(["cmd.run.*"], "cmd.run_all"), true);
    assert.equal(named([{ "*": ["grains.get"] }], "grains.get_or_set_hash"), false);
    assert.equal(
      rules.mayCall([{ "@runner": ["manage.up"] }], "runner", { fun: "manage.upped", args: [], kwargs: {} }),
      false,
    );
    assert.equal(rules.tableAllows({ web1: ["test.ping"] }, "web10", ["test.ping"]), false);
    assert.equal(rules.tableAllows({ web1: ["test.ping"] }, "web1", ["test.ping_all"]), false);
    assert.equal(rules.tableAllows({ ".*": ["test.*"] }, "web1", ["test.ping"]), true);
  });

  test("an argument is judged where the minion binds it", () => {
    const copy = [{ "*": [{ "file.copy": { args: [null, "/pub/.*"] } }] }];
    const swap = [{ "*": [{ "file.copy": { kwargs: { dst: "/pub/.*" } } }] }];
    const may = (permissions: unknown[], arg: unknown[], fun: string | string[] = "file.copy") =>
      rules.mayPublish(permissions, callsOf({ fun, arg }), scope(targets, "*"));
    assert.equal(may(copy, ["/a", "/pub/a"]), true);
    assert.equal(may(copy, ["/a", "/pub/a", "recurse=True"]), true);
    assert.equal(may(copy, ["recurse=True", "/a", "/pub/a"]), true);
    for (
      const arg of [
        ["recurse=False", "/pub/x", "/etc/passwd"],
        [{ __kwarg__: true, recurse: false }, "/pub/x", "/etc/passwd"],
        [new Map<unknown, unknown>([["__kwarg__", true], [1, 2]]), "/pub/x", "/etc/passwd"],
        ["/a", "recurse=/pub/x", "/etc/passwd"],
        ["/a", { __kwarg__: true, dst: "/pub/x" }],
        ["/a", "dst=/pub/x"],
        ["dst=/pub/x"],
        [],
      ]
    ) assert.equal(may(copy, arg), false, JSON.stringify(arg));
    assert.equal(may(swap, ["/a", "dst=/pub/x"]), true);
    assert.equal(may(swap, ["/a", "dst=/pub/x", "dst=/etc/passwd"]), false);
    assert.equal(may(swap, [{ __kwarg__: true, dst: "/pub/x" }, "/a", { __kwarg__: true, dst: "/etc/passwd" }]), false);
    // Of several functions, each by its own list.
    assert.equal(may(copy, [["recurse=False", "/pub/x", "/etc/passwd"]], ["file.copy"]), false);
    assert.equal(may(copy, [["/a", "/pub/x"], ["/a", "/etc/x"]], ["file.copy", "file.copy"]), false);
    assert.equal(may(copy, [["/a", "/pub/x"]], ["file.copy", "file.copy"]), false);
  });

  test("what a publication carries is a right of its own", () => {
    const may = (permissions: unknown[], field: string, texts?: string[]) => rules.mayCarry(permissions, field, texts);
    for (
      const permissions of [[], ["test.ping"], [".*"], ["@runner", "@wheel"], [{ "*": [".*"] }], [{ "@publish": [] }]]
    ) {
      assert.equal(may(permissions, "ret", ["redis"]), false, JSON.stringify(permissions));
    }
    assert.equal(may(["@publish"], "ret", ["redis"]), true);
    assert.equal(may([{ "@publish": ["ret"] }], "ret", ["redis"]), true);
    assert.equal(may([{ "@publish": "ret" }], "metadata"), false);
    const some = [{ "@publish": ["metadata", { ret: ["redis", "http_.*"] }] }];
    assert.equal(may(some, "metadata"), true);
    assert.equal(may(some, "ret", ["redis", "http_json"]), true);
    assert.equal(may(some, "ret", ["redis", "rawfile_json"]), false);
    assert.equal(may([{ "@publish": [{ ret_kwargs: [".*"] }] }], "ret_kwargs", undefined), false);
    // It is no runner, no function and no target.
    assert.equal(rules.mayCall(["@publish"], "runner", { fun: "publish.x", args: [], kwargs: {} }), false);
    assert.equal(rules.mayPublish(["@publish"], [ping], scope({ "*": ["web1"], "@publish": ["web1"] }, "*")), false);
  });

  test("a target that matches no minion is permitted by no rule", () => {
    assert.equal(rules.mayPublish([{ "web*": ["test.ping"] }], [ping], scope(targets, "nobody")), false);
    assert.equal(rules.mayPublish([{ "web*": ["test.ping"] }], [ping], scope(targets, "web*")), true);
  });

  test("the name of a login is never a pattern; the key in the configuration is", () => {
    const section = { alice: [".*"], "ops-*": ["test.ping"] };
    for (const name of [".*", "*", "a*", "al?ce", "alice\n"]) {
      assert.deepEqual(rules.of(section, name, [], false), [], name);
    }
    assert.deepEqual(rules.of(section, "ops-7", [], false), ["test.ping"]);
    assert.deepEqual(rules.ofLocalUser({ "dev-\\d+": ["test.ping"] }, "dev-12"), ["test.ping"]);
    assert.deepEqual(rules.ofLocalUser({ alice: [".*"] }, ".*"), []);
  });

  test("a group matches by its whole name only", () => {
    assert.deepEqual(rules.of({ "ops%": ["a"], "op%": ["b"] }, "ann", ["op"], false), ["b"]);
    assert.deepEqual(rules.of({ "ops%": ["a"] }, "ops%", [], false), []);
  });
});

describe("auth.enable_expanded_auth_matching", () => {
  const targets = { "*": ["web1", "db1"], "web*": ["web1"], "db*": ["db1"] };
  const permissions = [{ "web*": ["test.*", "cmd.run"] }, { "db*": ["test.*"] }];
  const may = (fun: string, tgt: string) =>
    rules.mayPublishExpanded(permissions, [{ fun, args: [], kwargs: {} }], scope(targets, tgt));

  test("rules of several targets together permit what none of them permits alone", () => {
    assert.equal(may("test.ping", "*"), true);
    assert.equal(
      rules.mayPublish(permissions, [{ fun: "test.ping", args: [], kwargs: {} }], scope(targets, "*")),
      false,
    );
  });

  test("but each minion needs a rule that permits the function", () => {
    assert.equal(may("cmd.run", "*"), false);
    assert.equal(may("cmd.run", "web*"), true);
    assert.equal(may("cmd.run", "db*"), false);
    assert.equal(may("pkg.install", "web*"), false);
  });
});
