import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { loadConfig, type LoadConfigOptions } from "../../../src/model/config/load.ts";
import { MASTER_OPTIONS } from "../../../src/model/config/master_opts.ts";
import { bool, list, map, number, text } from "../../../src/model/config/option.ts";
import { ConfigError } from "../../../src/base/errors.ts";
import { memoryFileSystem } from "../../../src/runtime/memory/fs.ts";
import { captureLog } from "../../support/capture_log.ts";
import { FakeClock } from "../../support/fake_clock.ts";

const table = {
  name: text("none"),
  port: number(1),
  on: bool(false),
  names: list([]),
  places: map({}),
  pki_dir: text("/etc/pki", "", { path: true }),
  default_include: text("conf.d/*.conf"),
};

/** Loads `/etc/conf` from files whose text is JSON. */
function load(files: Record<string, unknown>, more: Partial<LoadConfigOptions> = {}) {
  const fs = memoryFileSystem({ clock: new FakeClock() });
  for (const [path, value] of Object.entries(files)) {
    fs.mkdir(path.slice(0, path.lastIndexOf("/")) || "/");
    fs.write(path, typeof value === "string" ? value : JSON.stringify(value));
  }
  const captured = captureLog();
  const parse = (content: string) => ({ value: content === "" ? null : JSON.parse(content), lineOf: () => 7 });
  return { ...loadConfig({ fs, log: captured.log, parse, file: "/etc/conf", table, ...more }), ...captured };
}

describe("loadConfig()", () => {
  test("a file that is missing or empty leaves the defaults", () => {
    for (const files of [{}, { "/etc/conf": "" }]) {
      const { opts, given } = load(files);
      assert.equal(opts.name, "none");
      assert.equal(opts.port, 1);
      assert.equal(given.size, 0);
    }
  });

  test("jobs of included schedules replace each other whole, and a saved schedule that does not parse is put aside", () => {
    const { opts } = load({
      "/etc/conf": { schedule: { gone: { seconds: 1 } } },
      "/etc/conf.d/a.conf": { schedule: { a: { args: [1], splay: 3 }, b: { seconds: 1 } } },
      "/etc/conf.d/b.conf": { schedule: { a: { args: [2] } } },
    });
    assert.deepEqual(opts.schedule, { a: { args: [2] }, b: { seconds: 1 } });
    const fs = memoryFileSystem({ clock: new FakeClock() });
    fs.mkdir("/etc/conf.d");
    fs.write("/etc/conf", "{}");
    fs.write("/etc/conf.d/_schedule.conf", "{ no");
    const { complaints } = load({}, { fs });
    assert.match(complaints().join(), /the saved schedule cannot be read, and is renamed/);
    assert.deepEqual(fs.list("/etc/conf.d"), ["_schedule.confYAMLError"]);
  });

  test("a configuration that is no regular file is refused, and not opened: a pipe would be waited for", () => {
    const fs = memoryFileSystem({ clock: new FakeClock() });
    const pipe = {
      ...fs,
      stat: () => ({ ...fs.stat("/")!, kind: "fifo" as const }),
      readText: () => assert.fail("it was opened"),
    };
    assert.throws(() => load({}, { fs: pipe }), (error: Error) => {
      assert.match(error.message, /\/etc\/conf is a fifo: expected a regular file/);
      return error instanceof ConfigError;
    });
  });

  test("defaults are copies: changing one does not change the table", () => {
    const { opts } = load({});
    (opts.names as string[]).push("x");
    assert.deepEqual(load({}).opts.names, []);
  });

  test("values are converted to the types of their options; unknown keys keep their values", () => {
    const { opts, given } = load({ "/etc/conf": { name: 7, port: "4506", on: "yes", names: "one", mine: { a: 1 } } });
    assert.deepEqual([opts.name, opts.port, opts.on, opts.names, opts.mine], ["7", 4506, true, ["one"], { a: 1 }]);
    assert.deepEqual([...given].sort(), ["mine", "name", "names", "on", "port"]);
  });

  test("included files are merged into each other and replace keys of the main file; overrides come last", () => {
    const { opts } = load({
      "/etc/conf": { name: "main", places: { main: 1 }, names: ["main"], include: "more/*.x" },
      "/etc/conf.d/1.conf": { places: { one: 1 }, names: ["one"] },
      "/etc/conf.d/2.conf": { places: { two: 2 }, names: ["two"] },
      "/etc/conf.d/.hidden.conf": { name: "hidden" },
      "/etc/conf.d/3.txt": { name: "text" },
      "/etc/more/a.x": { port: 5 },
    }, { overrides: { port: 9 } });
    assert.deepEqual(opts.places, { one: 1, two: 2 });
    assert.deepEqual(opts.names, ["one", "two"]);
    assert.equal(opts.name, "main");
    assert.equal(opts.port, 9);
  });

  test("a missing include is logged; files that include each other are read once", () => {
    const { opts, complaints } = load({
      "/etc/conf": { include: ["a.conf", "none.conf"] },
      "/etc/a.conf": { name: "a", include: "b.conf" },
      "/etc/b.conf": { port: 2, include: "a.conf" },
    });
    assert.deepEqual([opts.name, opts.port], ["a", 2]);
    assert.deepEqual(complaints(), ["included configuration not found"]);
  });

  for (
    const [name, files, message] of [
      ["text that does not parse", { "/etc/conf": "{" }, /Error parsing configuration file: \/etc\/conf/],
      ["a list", { "/etc/conf": ["x"] }, /conf should be a document, not list/],
      [
        "a wrong type, with file and line",
        { "/etc/conf": { port: "x" } },
        /^The option port is "x": expected a number \(\/etc\/conf, line 7\)$/,
      ],
      ["a wrong type in an included file", { "/etc/conf.d/1.conf": { places: [1] } }, /conf.d\/1.conf, line 7/],
    ] as const
  ) {
    test(`refuses ${name}`, () => {
      assert.throws(() => load(files), (error) => {
        assert.ok(error instanceof ConfigError);
        assert.match(error.message, message);
        return true;
      });
    });
  }

  for (const name of [80, null, "__proto__"]) {
    test(`refuses an option with the name ${name}`, () => {
      const parse = () => ({ value: new Map<unknown, unknown>([["port", 1], [name, "web"]]), lineOf: () => undefined });
      assert.throws(() => load({ "/etc/conf": "" }, { parse }), {
        name: "ConfigError",
        message: "Error parsing configuration file: /etc/conf - " +
          `An option cannot have the name ${name}: expected text, such as ret_port`,
      });
    });
  }

  test("names all values of a wrong type at once, and those of the command line as such", () => {
    const files = { "/etc/conf": { port: "x", places: [1], names: 7 } };
    assert.throws(() => load(files, { overrides: { names: { a: 1 } } }), {
      message: 'The option port is "x": expected a number (/etc/conf, line 7); ' +
        'The option names is {"a":1}: expected a list (command line); ' +
        "The option places is [1]: expected a map (/etc/conf, line 7)",
    });
  });

  test("tells where each option of a file stands", () => {
    const { places } = load({ "/etc/conf": { name: "a" }, "/etc/conf.d/1.conf": { port: 5 } }, {
      overrides: { on: true },
    });
    assert.deepEqual([...places], [["name", "/etc/conf, line 7"], ["port", "/etc/conf.d/1.conf, line 7"]]);
  });

  test('onProblem "warning" uses the default', () => {
    const { opts, complaints } = load({ "/etc/conf": { port: [] } }, { onProblem: "warning" });
    assert.equal(opts.port, 1);
    assert.equal(complaints().length, 1);
  });

  test("root_dir is put before paths that are not below it", () => {
    const rooted = { ...table, root_dir: text("/"), cachedir: text("/var/cache", "", { path: true }) };
    const { opts } = load({ "/etc/conf": { root_dir: "/tmp/r/", cachedir: "/tmp/r/cache" } }, { table: rooted });
    assert.equal(opts.pki_dir, "/tmp/r/etc/pki");
    assert.equal(opts.cachedir, "/tmp/r/cache");
  });
});

test("a long sock_dir makes room for one below cachedir, and tokens are below cachedir, as in Salt", () => {
  for (
    const [values, sockets] of [
      [{ cachedir: "/c", sock_dir: "/var/run/salt" }, "/c/.salt-unix"],
      [{ cachedir: "/c", sock_dir: "/run/sockets" }, "/run/sockets"],
      [{ cachedir: "/c", sock_dir: "/var/run/salt", root_dir: "/r" }, "/r/c/.salt-unix"],
    ] as const
  ) {
    const { opts } = load({ "/etc/conf": { ...values, token_dir: "/elsewhere" } }, { table: MASTER_OPTIONS });
    assert.equal(opts.sock_dir, sockets);
    assert.equal(opts.token_dir, `${opts.cachedir}/tokens`);
  }
});

test("file_roots, pillar_roots and includes are shell patterns in any of their parts", () => {
  const { opts } = load({
    "/etc/conf": {
      include: "/conf.d/*/*.conf",
      file_roots: { base: ["/srv/*/salt", "/srv/plain", "/none/*"], 1: "/srv/[b]/salt" },
      pillar_roots: { base: ["/srv/?"] },
    },
    "/conf.d/x/own.conf": { from_x: 1 },
    "/conf.d/y/own.conf": { from_y: 2 },
    "/srv/a/salt/top.sls": "",
    "/srv/b/salt/top.sls": "",
  });
  assert.deepEqual([opts.from_x, opts.from_y], [1, 2]);
  assert.deepEqual(opts.file_roots, {
    base: ["/srv/a/salt", "/srv/b/salt", "/srv/plain", "/none/*"],
    1: ["/srv/b/salt"],
  });
  assert.deepEqual(opts.pillar_roots, { base: ["/srv/a", "/srv/b"] });
});
