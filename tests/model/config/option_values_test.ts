/** Values of the right type that an option cannot have are named with file, line and what was expected. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { completeOptions } from "../../../src/model/config/load.ts";
import { MASTER_OPTIONS } from "../../../src/model/config/master_opts.ts";
import { MINION_OPTIONS } from "../../../src/model/config/minion_opts.ts";
import { valueProblem } from "../../../src/model/config/option_values.ts";

const problemsOf = (values: Record<string, unknown>) => completeOptions(MASTER_OPTIONS, values).problems;

describe("every default can be the value of its option", () => {
  for (const [host, table] of [["master", MASTER_OPTIONS], ["minion", MINION_OPTIONS]] as const) {
    test(host, () => {
      for (const [option, spec] of Object.entries(table)) {
        assert.equal(valueProblem(option, spec.default, spec), undefined, option);
      }
    });
  }
});

describe("a wrong value is a problem", () => {
  for (
    const [option, value, expected] of [
      ["auto_accept", "maybe", 'is "maybe": expected True or False'],
      ["log_level", "loud", 'is "loud": expected all, garbage'],
      ["job_lost_after", -1, "is -1: expected a number of at least 0"],
      ["job_lost_after", Infinity, "is Infinity: expected a number of at least 0"],
      ["timeout", NaN, "is NaN: expected a number"],
      ["publish_port", 65_536, "is 65536: expected a whole number from 0 to 65535"],
      ["ret_port", "4506.5", 'is "4506.5": expected a whole number'],
      ["publisher_acl", { ann: 5 }, 'is {"ann":5}: expected a map of user → list of functions'],
      ["publisher_acl", { ann: ["test.ping", 5] }, "expected a map of user"],
      ["publisher_acl_blacklist", { users: 5 }, "expected a map of users and modules"],
      ["external_auth", { pam: ["ann"] }, "expected a map of backend"],
      ["peer", { ".*": 7 }, "expected a map of minion"],
      ["nodegroups", { web: { a: 1 } }, "expected a map of name"],
      ["redis.port", "x", 'is "x": expected a whole number from 0 to 65535'],
      ["redis.db", -1, "is -1: expected a whole number of at least 0"],
      ["file_roots", { base: 7 }, "expected a map of environment"],
      ["hash_type", "crc32", 'is "crc32": expected md5'],
      ["worker_threads", -1, "is -1: expected a whole number from 0 to 1000"],
      ["worker_hang_timeout", 0, "is 0: expected a number of at least 1"],
      ["worker_max_memory", 1000, "is 1000: expected a whole number of at least 134217728"],
      ["proxy_host", "http://ann:hunter2@proxy:3128", "expected a host name or an address alone, such as"],
      ["proxy_host", "proxy:3128", 'is "proxy:3128": expected a host name or an address alone'],
      ["proxy_port", 65_536, "is 65536: expected a whole number from 0 to 65535"],
      ["no_proxy", 5, "is 5: expected a list of host names and addresses"],
      ["http_connect_timeout", -1, "is -1: expected a number of at least 0"],
      ["http_request_timeout", "soon", 'is "soon": expected a number of at least 0'],
      ["http_max_body", 0, "is 0: expected a whole number of at least 1"],
      ["keysize", 512, "is 512: expected a whole number from 2048 to 32768"],
    ] as const
  ) {
    test(`${option}: ${JSON.stringify(value)}`, () => {
      const { problems, opts } = completeOptions(MASTER_OPTIONS, { [option]: value });
      assert.equal(problems.length, 1);
      assert.ok(problems[0]!.message.startsWith(`The option ${option} is `), problems[0]!.message);
      assert.ok(problems[0]!.message.includes(expected), problems[0]!.message);
      assert.doesNotMatch(problems[0]!.message, /hunter2/);
      assert.deepEqual(opts[option], (MASTER_OPTIONS as Record<string, { default: unknown }>)[option]?.default);
    });
  }
});

test("values that Salt takes are taken", () => {
  assert.deepEqual(
    problemsOf({
      auto_accept: "yes",
      publish_port: "4505",
      timeout: 0.5,
      publisher_acl: { ann: ["test.*", { "web*": ["state.apply"] }], "bob.*": "test.ping", eve: null },
      external_auth: { pam: { "ann%": [".*", "@runner"], "^groups": true }, ldap: { "*": [{ "G@os:Debian": "x" }] } },
      nodegroups: [{ web: "web*" }, { db: ["L@a,b", "or", "c"] }],
      peer: { ".*": [".*"], web1: ["test.ping", { "db*": ["status.uptime"] }, { "@publish": ["ret"] }] },
      log_level: "INFO",
      "redis.host": "x",
      "redis.port": 6379,
      anything_else: -5,
    }),
    [],
  );
});

test("a wrong level of the log stops no daemon", () => {
  assert.deepEqual(
    problemsOf({ log_level: "loud", job_lost_after: -1 }).map(({ mild }) => mild),
    [false, true],
  );
});

test("a message is short however large or circular the value is, and shows no secret", () => {
  const circle: unknown[] = [];
  circle.push(circle);
  const deep: unknown[] = [Array.from({ length: 100_000 }, () => "x".repeat(1000))];
  for (const value of [circle, deep, "x".repeat(100_000), new Map([["password", "hunter2"]])]) {
    const [problem] = problemsOf({ timeout: value });
    assert.ok(problem!.message.length < 10_000);
    assert.doesNotMatch(problem!.message, /hunter2/);
  }
});
