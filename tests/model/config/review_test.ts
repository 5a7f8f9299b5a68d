/** What a configuration sets to no effect: the harmful options stop a daemon, all others are named in its log with a remedy. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { completeOptions } from "../../../src/model/config/load.ts";
import { MASTER_OPTIONS } from "../../../src/model/config/master_opts.ts";
import { MINION_OPTIONS } from "../../../src/model/config/minion_opts.ts";
import { SALT_MASTER_OPTIONS } from "../../../src/model/config/salt_options.ts";
import { type Host, logReview, refuseHarmfulOptions, reviewOptions } from "../../../src/model/config/review.ts";
import { ConfigError } from "../../../src/base/errors.ts";
import { createLogger, formatText } from "../../../src/base/log.ts";

const TABLES = { master: MASTER_OPTIONS, minion: MINION_OPTIONS };

function configuration(host: Host, values: Record<string, unknown>) {
  const { opts, problems } = completeOptions(TABLES[host], values);
  assert.deepEqual(problems, []);
  return { opts, given: Object.keys(values), places: new Map([["worker_thread", "/etc/salt/master, line 3"]]) };
}

const review = (host: Host, values: Record<string, unknown>) => reviewOptions(host, configuration(host, values));

/** The lines that a daemon logs of a configuration. */
function lines(host: Host, values: Record<string, unknown>, quietly = false): string[] {
  const logged: string[] = [];
  const log = createLogger((record) => void logged.push(formatText(record)), "warning");
  logReview(log, review(host, values), quietly);
  return logged;
}

describe("refuseHarmfulOptions()", () => {
  for (const host of ["master", "minion"] as const) {
    for (
      const values of [
        { fips_mode: true },
        { cluster_id: "one" },
        { disable_runners: ["manage"] },
        { disable_beacons: ["service"] },
      ]
    ) {
      test(`a ${host} does not start with ${JSON.stringify(values)}`, () =>
        assert.throws(() => refuseHarmfulOptions(host, configuration(host, values)), (error: Error) => {
          const [name] = Object.keys(values);
          return error instanceof ConfigError && error.message.includes(`the option ${name}:`);
        }));
    }
    test(`a ${host} starts with their defaults`, () => {
      const defaults = { transport: "zeromq", ssl: null, fips_mode: false, cluster_id: "" };
      refuseHarmfulOptions(host, configuration(host, defaults));
      assert.deepEqual(lines(host, defaults), []);
    });
  }
});

describe("reviewOptions()", () => {
  const options = (host: Host, values: Record<string, unknown>) =>
    review(host, values).ineffective.flatMap((group) => group.options);

  test("names options without effect, unless they are set to Salt's default, and none that works", () => {
    assert.deepEqual(
      options("master", {
        con_cache: true,
        reactor: [{ "a/b": ["/srv/r.sls"] }],
        archive_jobs: true,
        timeout: 9,
        mine: 1,
      }),
      ["con_cache", "archive_jobs"],
    );
    assert.deepEqual(
      options("minion", { snapper_states: true, tcp_keepalive_cnt: -1, utils_dirs: ["/srv/utils"] }),
      ["snapper_states"],
    );
  });

  test("groups options that have the same remedy", () => {
    const { ineffective } = review("master", { hgfs_base: "main", timeout: 9, hgfs_remotes: ["https://hg/x"] });
    assert.deepEqual(ineffective.map((group) => group.options), [["hgfs_base", "hgfs_remotes"]]);
  });

  test("options that can be removed are told from those that ask for something", () => {
    const { ineffective, unneeded } = review("minion", {
      sock_pool_size: 5,
      local: true,
      random_reauth_delay: 10,
    });
    assert.deepEqual([ineffective, unneeded], [[], ["sock_pool_size", "local"]]);
  });

  test("an option of the other host is said to belong there", () => {
    assert.deepEqual(review("minion", { auto_accept: false, rest_cherrypy: { port: 1 } }).ineffective, [
      {
        options: ["auto_accept", "rest_cherrypy"],
        instead: "set it in the master's configuration",
      },
    ]);
    assert.deepEqual(options("master", { mine_interval: 60 }), []);
    assert.deepEqual(options("master", { mine_interval: 5 }), ["mine_interval"]);
  });

  test("mistyped names are told from options that Brine does not have, and from those of custom modules", () => {
    const { mistyped, unknown } = review("master", {
      worker_thread: 5,
      file_root: 1,
      timeuot: 1,
      "auto-accept": true,
      publisher_port: 1,
      my_company: 1,
      gitfs_remotes: [],
      "s3.key": 1,
      reactor: [],
      cluster_peers: [],
      mine_interval: 1,
    });
    assert.deepEqual(mistyped.map(({ option, meant }) => [option, meant]), [
      ["worker_thread", "worker_threads"],
      ["file_root", "file_roots"],
      ["timeuot", "timeout"],
      ["auto-accept", "auto_accept"],
      ["publisher_port", "publish_port"],
    ]);
    assert.deepEqual(unknown, ["my_company", "s3.key"]);
    assert.equal(mistyped[0]!.place, "/etc/salt/master, line 3");
  });
});

describe("logReview()", () => {
  test("writes one line for each mistyped name and each remedy", () => {
    assert.deepEqual(
      lines("master", {
        hgfs_base: "main",
        worker_thread: 5,
        hgfs_remotes: ["x"],
        con_cache: true,
        own: 1,
        maintenance_interval: 5,
      }),
      [
        "[WARNING ] unknown option: option=worker_thread did you mean=worker_threads place=/etc/salt/master, line 3",
        "[WARNING ] no effect: options=hgfs_base, hgfs_remotes instead=files come from directories only: copy them into a directory of file_roots",
        "[WARNING ] no effect: option=con_cache instead=connected minions are always known: salt-run manage.present",
        "[WARNING ] no effect, and not needed: options=maintenance_interval",
      ],
    );
  });

  test("writes no line for a configuration in order, nor for a program that is not to repeat the daemon", () => {
    assert.deepEqual(lines("master", { timeout: 7, con_cache: false }), []);
    assert.deepEqual(lines("master", { con_cache: true, worker_thread: 5 }, true), []);
  });

  test("names each of many options in fewer lines than the log lets pass of one message", () => {
    const rows = Object.entries(SALT_MASTER_OPTIONS).filter(([, { status }]) =>
      status === "none" || status === "planned"
    );
    const remedies = new Map(rows.map(([name, { instead }]) => [instead, name]));
    const names = [...remedies.values()].slice(0, 40);
    const logged = lines("master", Object.fromEntries(names.map((name) => [name, "set"])));
    assert.ok(logged.length < 20);
    for (const name of names) assert.ok(logged.some((line) => line.includes(name)), name);
  });
});

describe("patterns of permissions", () => {
  const permissions = {
    external_auth: {
      pam: {
        "^option": "x",
        ann: [
          "test.ping",
          "test.*",
          "pkg.",
          "@runner",
          { "web*": ["cmd.run", { "cmd.run": { args: ["uptime", "df$", null, "ls.*"], kwargs: { cwd: "/tmp" } } }] },
          { "@runner": ["manage.up", "manage"] },
          { "@jobs": ["list_jobs", "list_"] },
          { "@publish": ["ret", { ret: ["redis"] }] },
        ],
      },
    },
    publisher_acl: { "b.*b": ["grains.(get|item)"] },
    peer: { web1: ["test.ping"], "web[0-9]": ["test.ping"], "db.*": ["test.ping"] },
  };

  test("that match less than with real Salt are named when a master starts", () => {
    const { narrow } = review("master", permissions);
    assert.deepEqual(narrow.map(({ place, pattern }) => `${place}: ${pattern}`), [
      "external_auth.pam.ann: pkg.",
      "external_auth.pam.ann: uptime",
      "external_auth.pam.ann: /tmp",
      "external_auth.pam.ann: manage",
      "publisher_acl.b.*b: grains.(get|item)",
      "peer: web[0-9]",
    ]);
    const [line] = lines("master", permissions);
    assert.match(line!, /match the whole text, but in Salt only its beginning/);
    assert.match(line!, /external_auth\.pam\.ann: uptime/);
    assert.match(line!, /end each pattern with \$ to keep that meaning/);
  });

  test("that say where they end are not", () => {
    const said = { external_auth: { pam: { ann: [{ "*": [{ "cmd.run": { args: ["uptime$", ".*"] } }] }, ".*"] } } };
    assert.deepEqual(review("master", said).narrow, []);
    assert.deepEqual(review("minion", permissions).narrow, []);
  });
});
