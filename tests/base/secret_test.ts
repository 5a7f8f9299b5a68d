import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { withoutSecrets } from "../../src/base/secret.ts";
import { shownValue } from "../../src/base/shown_value.ts";
import { completeOptions } from "../../src/model/config/load.ts";
import { MASTER_OPTIONS } from "../../src/model/config/master_opts.ts";
import { MINION_OPTIONS } from "../../src/model/config/minion_opts.ts";
import { optionsThat, text } from "../../src/model/config/option.ts";
import { runner } from "../../src/plugins/runners/config.ts";

const HIDDEN = "** hidden **";
const OPTS = {
  sharedsecret: "open-sesame",
  token_dir: "/var/tokens",
  token_expire: 43_200,
  key_pass: "x",
  "auth.ldap.bindpw": "pw",
  "returner.redis.password": 12345,
  auth: { ldap: { bindpw: "pw", server: "ldap.example" } },
  redis: new Map<unknown, unknown>([["password", "pw"], ["host", "r"]]),
  list: [{ token: "t", name: "n" }],
  url: "postgres://ann:pw@db.example/x",
  gitfs_remotes: [{ "https://ann:pw@git.example/x": [{ password: "pw" }, { root: "salt" }] }],
  password: "",
};
const SHOWN = {
  sharedsecret: HIDDEN,
  token_dir: "/var/tokens",
  token_expire: 43_200,
  key_pass: HIDDEN,
  "auth.ldap.bindpw": HIDDEN,
  "returner.redis.password": HIDDEN,
  auth: { ldap: { bindpw: HIDDEN, server: "ldap.example" } },
  redis: new Map<unknown, unknown>([["password", HIDDEN], ["host", "r"]]),
  list: [{ token: HIDDEN, name: "n" }],
  url: `postgres://ann:${HIDDEN}@db.example/x`,
  gitfs_remotes: [{ [`https://ann:${HIDDEN}@git.example/x`]: [{ password: HIDDEN }, { root: "salt" }] }],
  password: "",
};

test("withoutSecrets() hides secrets at every depth, and nothing else", () => {
  assert.deepEqual(withoutSecrets(OPTS), SHOWN);
});

for (
  const [value, shown] of [
    ["redis://:p/w@h", `redis://:${HIDDEN}@h`],
    ["mysql://ann:p@w/x@h/x", `mysql://ann:${HIDDEN}@h/x`],
    ["nats://token@h", `nats://${HIDDEN}@h`],
    ["https://h:8080/a@b", "https://h:8080/a@b"],
    ["http://[::1]:8080/a@b", "http://[::1]:8080/a@b"],
    ["ssh://git@h/x", "ssh://git@h/x"],
    ["see https://h and write to ann@h", "see https://h and write to ann@h"],
  ] as const
) {
  test(`the secret in an address is hidden, whatever its characters, and nothing else: ${shown}`, () => {
    assert.equal(withoutSecrets(value), shown);
  });
}

test("an option is a secret by its row, and each whose name looks like a secret has a row that says so", () => {
  const secret = optionsThat("secret", MASTER_OPTIONS, MINION_OPTIONS);
  for (const [option, { default: value }] of Object.entries({ ...MASTER_OPTIONS, ...MINION_OPTIONS })) {
    const looksSecret = withoutSecrets({ [option]: "a text" }) as Record<string, unknown>;
    if (looksSecret[option] === HIDDEN && typeof value === "string") assert.ok(secret.includes(option), option);
  }
  const table = { plain_name: text("", "", { secret: true }) };
  assert.deepEqual(withoutSecrets({ plain_name: "x", other: "y" }, optionsThat("secret", table)), {
    plain_name: HIDDEN,
    other: "y",
  });
  const { problems } = completeOptions(table, { plain_name: ["hunter2"] });
  assert.deepEqual(problems.map(({ message }) => message), [`The option plain_name is ${HIDDEN}: expected text`]);
});

test("a wrong value is shown without secrets, also in lists, in names, and where it is cut", () => {
  const wrong = {
    servers: ["nats://ann:pw@h"],
    password: ["pw"],
    remotes: [{ "https://ann:pw@h/x": 1 }],
    long: `${"x".repeat(180)} https://ann:${"pw".repeat(50)}@h`,
    none: 5,
  };
  const shown = shownValue("option", wrong);
  assert.ok(!shown.includes("pw"), shown);
  assert.ok(shown.includes('"none":5') && shown.includes("nats://ann:"), shown);
});

describe("config.get hides what the wheel config.values hides", () => {
  for (
    const [key, want] of [
      ["sharedsecret", HIDDEN],
      ["auth:ldap:bindpw", HIDDEN],
      ["auth:ldap:server", "ldap.example"],
      ["redis:password", HIDDEN],
      ["list:0:token", HIDDEN],
      ["token_expire", 43_200],
      ["nothing:there", "fallback"],
    ] as const
  ) {
    test(key, async () => {
      const context = { opts: OPTS } as never;
      const { run } = runner.functions.get!;
      assert.deepEqual(await run(context, { key, default: "fallback", delimiter: ":" }), want);
    });
  }
});
