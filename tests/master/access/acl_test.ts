import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AccessRules, type Call } from "../../../src/master/access/acl.ts";
import { PatternCache } from "../../../src/target/mod.ts";
import { type Json, vectors } from "../../support/vectors.ts";

const rules = new AccessRules(new PatternCache());

interface Case {
  permissions: unknown[];
  fun: string;
  args?: unknown[];
  kwargs?: Record<string, unknown>;
  allowed: boolean;
}

const callOf = ({ fun, args = [], kwargs = {} }: Case): Call => ({ fun, args, kwargs });
const title = (one: Json) => JSON.stringify({ ...one, targets: undefined });
const scope = (targets: Record<string, string[]>, tgt: string) => ({
  minions: targets[tgt] ?? [],
  expand: (rule: string) => targets[rule] ?? [],
});

describe("permissions as real Salt has them", () => {
  const { cases } = vectors("acl") as { cases: Json[] };

  test("of jobs", () => {
    const jobs = cases.filter((one) => "tgt" in one);
    assert.ok(jobs.length > 100);
    for (const one of jobs) {
      const may = rules.mayPublish(one.permissions, [callOf(one)], scope(one.targets, one.tgt));
      assert.equal(may, one.allowed, title(one));
    }
  });

  test("of runners and wheel functions", () => {
    const special = cases.filter((one) => "form" in one);
    assert.ok(special.length > 100);
    for (const one of special) {
      assert.equal(rules.mayCall(one.permissions, one.form, callOf(one)), one.allowed, title(one));
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
  const ping: Call = { fun: "test.ping", args: [], kwargs: {} };
  const shell: Call = { fun: "cmd.run", args: ["id"], kwargs: {} };

  test("of several functions every one must be allowed", () => {
    assert.equal(rules.mayPublish(["test.ping"], [ping, shell], scope(targets, "*")), false);
    assert.equal(rules.mayPublish(["test.ping"], [shell, ping], scope(targets, "*")), false);
    assert.equal(rules.mayPublish(["test.ping", "cmd.run"], [ping, shell], scope(targets, "*")), true);
    assert.equal(rules.mayPublish([".*"], [], scope(targets, "*")), false);
  });

  test("permission to follow one's own jobs permits no other function in the same publication", () => {
    const follow: Call = { fun: "saltutil.find_job", args: ["20240506070809123456"], kwargs: {} };
    assert.equal(rules.mayPublish([], [follow], scope(targets, "*")), true);
    assert.equal(rules.mayPublish([], [follow, shell], scope(targets, "*")), false);
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
