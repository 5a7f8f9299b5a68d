import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * The rooms of `src`, lowest first, and in each its folders and files, lowest first: a file imports from lower rooms, from lower rows of
 * its room and from its own folder; never upward and never from a neighbour of its row. Each room says what it is for.
 */
const ROOMS: { room: string; rows: string[][]; why: string }[] = [
  {
    room: "src/base",
    rows: [
      [
        "async",
        "errors.ts",
        "minion_id.ts",
        "nearest_name.ts",
        "paths.ts",
        "printable.ts",
        "record.ts",
        "secret.ts",
        "version.ts",
      ],
      ["shown_value.ts"],
      ["log.ts"],
      ["log_rate.ts"],
      ["telemetry"],
    ],
    why: "errors, log, time and text: all others need it, and it needs nothing of a runtime",
  },
  { room: "src/runtime", rows: [], why: "what we need from a runtime, as interfaces, with an adapter for each" },
  {
    room: "src/protocol",
    rows: [["crypto", "wire", "zmtp"], ["transport"], ["channel"]],
    why: "from bytes to messages that can be trusted: channel is the only code that holds session keys",
  },
  {
    room: "src/language",
    rows: [["python"], ["jinja", "yaml"], ["render"]],
    why: "how Python writes values, templates and YAML, and what Salt adds to them",
  },
  {
    room: "src/model",
    rows: [["api_answer.ts", "config", "event", "job", "target"], ["loader"], ["schedule"]],
    why: "what masters, minions and clients have in common: each folder owns one shape of data",
  },
  { room: "src/console", rows: [], why: "a page in a browser: it speaks to any salt-api, and knows the model alone" },
  {
    room: "src/content",
    rows: [["git"], ["fileserver", "pillar", "state"]],
    why: "what operators write: files, pillar and states, served, compiled and run",
  },
  { room: "src/client", rows: [], why: "what scripts use: jobs of a master on this machine, or of a salt-api" },
  {
    room: "src/feature",
    rows: [["supervise"], ["beacon", "engine"], ["cluster", "event_return", "reactor"]],
    why: "what a host may run beside its work, each in a process of its own where it can be slow; it knows no host",
  },
  {
    room: "src/host",
    rows: [["gateway", "master", "minion"], ["runner"], ["syndic"]],
    why:
      "what listens: a minion installs where no master code exists, the gateway is a client like any other, a runner needs the master's keys and the minion's executor, and a syndic signs in as a minion does",
  },
  { room: "cli", rows: [], why: "wiring" },
];

/** The rows of all rooms in one list, lowest first: what {@link layerOf} counts. */
const LAYERS: { folders: string[]; why: string }[] = ROOMS.flatMap(({ room, rows, why }) =>
  rows.length === 0
    ? [{ folders: [room], why }]
    : rows.map((names) => ({ folders: names.map((name) => `${room}/${name}`), why }))
);

/**
 * The same for the folders and files of `src/host/master`, lowest first. `jobs` and `access` declare what they need of a master
 * (`JobServices`, `AccessServices`); all that lies above `services.ts` takes a part of `MasterServices`.
 */
const MASTER: string[][] = [
  [
    "duty.ts",
    "event_rate.ts",
    "keys",
    "load.ts",
    "master_id.ts",
    "master_metrics.ts",
    "master_tops.ts",
    "minion_cache.ts",
    "publisher.ts",
    "request_intake.ts",
    "syndics.ts",
    "workers",
  ],
  ["presence.ts", "preview_target.ts"],
  ["cluster_contract.ts"],
  ["jobs"],
  ["access"],
  ["audit", "minion_expansion.ts"],
  ["services.ts"],
  ["commands", "maintenance"],
  ["master_options.ts", "request_table.ts"],
  ["cluster", "start"],
  ["master.ts"],
];

/** Edges that the layers do not speak of, forbidden or allowed, each with its reason. */
const FORBIDDEN: { from: string; to: string; why: string }[] = [
  { from: "src", to: "cli", why: "the library must not know its programs" },
  { from: "src", to: "src/runtime/node", why: "adapters are chosen by programs; the core takes a Runtime" },
  { from: "src", to: "src/runtime/bun", why: "adapters are chosen by programs; the core takes a Runtime" },
  { from: "src", to: "src/runtime/deno", why: "adapters are chosen by programs; the core takes a Runtime" },
  {
    from: "src/host/master/master.ts",
    to: "src/host/master/cluster",
    why: "a single master loads nothing of a cluster, which fills a contract (cluster_contract.ts)",
  },
  { from: "src/host/syndic", to: "src/host/master", why: "a syndic works beside real Salt's master as well" },
  { from: "src/host/syndic", to: "src/host/runner", why: "a syndic runs no runners" },
  { from: "src/plugins", to: "src/protocol/channel", why: "plugins are leaves: they get a Context and never a key" },
  { from: "src/plugins", to: "src/client", why: "plugins are leaves: they get a Context and never a connection" },
  {
    from: "src/plugins",
    to: "src/content/fileserver",
    why: "plugins are leaves: the files that they get are the Context's",
  },
  {
    from: "src/plugins",
    to: "src/content/pillar",
    why: "plugins are leaves: an external pillar is called, and never compiles",
  },
  { from: "src/plugins", to: "src/host/master", why: "plugins serve both hosts and know neither" },
  { from: "src/plugins", to: "src/host/minion", why: "plugins serve both hosts and know neither" },
  { from: "src", to: "src/plugins", why: "hosts know families; only programs know which plugins there are" },
];
const ALLOWED: { from: string; to: string; why: string }[] = [
  { from: "src/plugins", to: "src/plugins", why: "one folder of leaves with their shared pieces" },
  { from: "src/runtime/bun", to: "src/runtime/node", why: "Bun carries the node: modules" },
  { from: "src/runtime/deno", to: "src/runtime/node", why: "Deno carries most of the node: modules" },
  { from: "src/runtime/node", to: "src/runtime/node", why: "the adapter's own files" },
  { from: "src/runtime/bun", to: "src/runtime/bun", why: "the adapter's own files" },
  { from: "src/runtime/deno", to: "src/runtime/deno", why: "the adapter's own files" },
  { from: "src/runtime/current.ts", to: "src/runtime", why: "the one place that asks which runtime it is" },
];

function filesBelow(folder: string): string[] {
  const full = join(root, folder);
  if (statSync(full).isFile()) return [folder];
  return readdirSync(full, { recursive: true, encoding: "utf8" }).filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name));
}

const isBelow = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`);

interface Edge {
  from: string;
  to: string;
}

const IMPORT =
  /(?:^|\n)\s*(?:import|export)[^"'`;]*?from\s*["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']\s*\)|(?:^|\n)import\s*["']([^"']+)["']/g;

function specifiersOf(file: string): string[] {
  const text = readFileSync(join(root, file), "utf8").replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)\/\/.*$/gm, "$1");
  return [...text.matchAll(IMPORT)].map((match) => (match[1] ?? match[2] ?? match[3])!);
}

const files = [...filesBelow("src"), ...filesBelow("cli")];
const edges: Edge[] = files.flatMap((from) =>
  specifiersOf(from).filter((specifier) => specifier.startsWith("."))
    .map((specifier) => ({ from, to: relative(root, join(root, dirname(from), specifier)) }))
);

const layerOf = (path: string) => LAYERS.findIndex(({ folders }) => folders.some((folder) => isBelow(path, folder)));
const folderOf = (path: string) => LAYERS.flatMap(({ folders }) => folders).find((folder) => isBelow(path, folder));

test("every row of the table names something that exists", () => {
  for (const folder of LAYERS.flatMap(({ folders }) => folders)) assert.ok(existsSync(join(root, folder)), folder);
  for (const { from, to } of [...FORBIDDEN, ...ALLOWED]) {
    assert.ok(existsSync(join(root, from)), from);
    assert.ok(existsSync(join(root, to)), to);
  }
});

test("imports were found at all", () => assert.ok(edges.length > 300, `${edges.length} edges`));

test("every import names a file that is there", () => {
  const missing = edges.filter(({ to }) => !existsSync(join(root, to)));
  assert.deepEqual(missing, []);
});

test("imports point down", () => {
  const upward = edges.filter(({ from, to }) => {
    if (ALLOWED.some((row) => isBelow(from, row.from) && isBelow(to, row.to))) return false;
    const [above, below] = [layerOf(from), layerOf(to)];
    if (above < 0 || below < 0) return false;
    return below > above || (below === above && folderOf(from) !== folderOf(to));
  });
  assert.deepEqual(upward.map(({ from, to }) => `${from} -> ${to}`), []);
});

test("imports point down inside src/host/master, too", () => {
  const room = "src/host/master";
  assert.deepEqual(readdirSync(join(root, room)).sort(), MASTER.flat().sort());
  const rowOf = (name: string) => MASTER.findIndex((names) => names.includes(name));
  const nameOf = (path: string) => isBelow(path, room) ? path.split("/")[3]! : undefined;
  const upward = edges.filter(({ from, to }) => {
    const [above, below] = [nameOf(from), nameOf(to)];
    return above !== undefined && below !== undefined && above !== below && rowOf(below) >= rowOf(above);
  });
  assert.deepEqual(upward.map(({ from, to }) => `${from} -> ${to}`), []);
});

for (const { from, to, why } of FORBIDDEN) {
  test(`${from} does not import ${to}: ${why}`, () => {
    const found = edges.filter((edge) =>
      isBelow(edge.from, from) && isBelow(edge.to, to) &&
      !ALLOWED.some((row) => isBelow(edge.from, row.from) && isBelow(edge.to, row.to))
    );
    assert.deepEqual(found.map((edge) => `${edge.from} -> ${edge.to}`), []);
  });
}

test("the core names no runtime", () => {
  const adapters = ["src/runtime/node", "src/runtime/bun", "src/runtime/deno", "src/runtime/current.ts"];
  const core = files.filter((file) => file.startsWith("src/") && !adapters.some((folder) => isBelow(file, folder)));
  for (const file of core) {
    for (const specifier of specifiersOf(file)) {
      assert.ok(!specifier.startsWith("node:"), `${file} imports ${specifier}`);
    }
    const code = readFileSync(join(root, file), "utf8").replace(/\/\*[\s\S]*?\*\//g, "").replace(/\/\/.*$/gm, "")
      .replace(/(["'`])(?:\\.|(?!\1)[^\\])*\1/g, '""');
    for (
      const name of [/\bDeno\./, /\bBun\./, /\bBuffer\b/, /(?<![\w.#])process\.(?:env|argv|exit|on|stdout|platform)\b/]
    ) {
      // A Runtime's own process host is an argument, and called by that name.
      if (name.source.includes("process") && /\bruntime|[{,]\s*process\b/.test(code)) continue;
      assert.ok(!name.test(code), `${file} speaks of ${name.source}`);
    }
  }
});

test("packages are imported where they are expected and nowhere else", () => {
  const expected: Record<string, string[]> = {
    "@noble/ciphers/aes.js": ["src/runtime/deno/crypto.ts"],
    hono: ["src/host/gateway/gateway.ts"],
    "@hono/node-server": ["src/runtime/node/http_packages.ts"],
    "@hono/node-ws": ["src/runtime/node/http_packages.ts"],
    croner: ["src/model/schedule/cron.ts"],
    jose: ["src/host/gateway/auth/jwt.ts", "src/plugins/eauth/jwt.ts"],
    // Only the one file of all programs has them as files; elsewhere `src/plugins/driver.ts` asks for the packages.
    "@nats-io/jetstream": ["cli/drivers/nats_jetstream.ts"],
    "@nats-io/transport-node": ["cli/drivers/nats_transport.ts"],
    postgres: ["cli/drivers/postgres.ts"],
    "smol-toml": ["src/language/render/toml.ts"],
    ldapts: ["src/plugins/eauth/ldap.ts", "src/plugins/pillar/pillar_ldap.ts"],
  };
  const found: Record<string, string[]> = {};
  for (const file of files) {
    if (isBelow(file, "src/console/ui")) continue;
    for (const specifier of specifiersOf(file)) {
      if (specifier.startsWith(".") || specifier.startsWith("node:")) continue;
      if (!(found[specifier] ??= []).includes(file)) found[specifier].push(file);
    }
  }
  for (const list of Object.values(found)) list.sort();
  assert.deepEqual(found, expected);
});

test("requests to web servers go through Http.request(), but for those of a browser", () => {
  // The runtimes' own fetch() undoes a content-encoding, and takes proxies from the environment on some of them.
  const OWN: Record<string, string> = {
    "src/client/http/exchange.ts": "a client of salt-api, also in browsers, where nothing else can send a request",
    "src/console/ui/main.tsx": "it runs in a browser",
  };
  const calls = /(?<![\w.#$"`]|function |async )fetch\(|\bglobalThis\.fetch\b/;
  const found = files.filter((file) => {
    const code = readFileSync(join(root, file), "utf8").replace(/\/\*[\s\S]*?\*\//g, "").replace(
      /(^|\s)\/\/.*$/gm,
      "$1",
    );
    // A function or a parameter of that name is not the runtime's, nor is one that a key declares.
    return calls.test(code) && !/\bfunction fetch\(|^ {2}(?:async )?fetch\(.*[;{]$/m.test(code);
  });
  assert.deepEqual(found, Object.keys(OWN));
});

test("only what draws the console imports what it is drawn with, and nothing else", () => {
  const drawn = files.filter((file) => isBelow(file, "src/console/ui"));
  const packages = new Set(drawn.flatMap(specifiersOf).filter((specifier) => !specifier.startsWith(".")));
  assert.deepEqual([...packages].sort(), ["@preact/signals", "preact", "preact/hooks"]);
  const intoIt = edges.filter(({ from, to }) => isBelow(to, "src/console") && !isBelow(from, "src/console"));
  assert.deepEqual(intoIt, []);
});

test("what mod.ts imports statically needs no package and no runtime", () => {
  const STATIC =
    /(?:^|\n)\s*(?:import|export)\s(?!type\b)[^"'`;()]*?from\s*["']([^"']+)["']|(?:^|\n)import\s*["']([^"']+)["']/g;
  const seen = new Set<string>();
  const walk = (file: string) => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const match of readFileSync(join(root, file), "utf8").matchAll(STATIC)) {
      const specifier = (match[1] ?? match[2])!;
      assert.ok(specifier.startsWith("."), `${file} imports ${specifier}`);
      walk(relative(root, join(root, dirname(file), specifier)));
    }
  };
  walk("mod.ts");
  assert.ok(seen.size > 50, `${seen.size} files`);
});

test("what brine/http imports needs no package and no runtime, not even later", () => {
  const seen = new Set<string>();
  const walk = (file: string) => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const specifier of specifiersOf(file)) {
      assert.ok(specifier.startsWith("."), `${file} imports ${specifier}`);
      walk(relative(root, join(root, dirname(file), specifier)));
    }
  };
  walk("src/client/http/mod.ts");
  assert.ok(seen.size > 20, `${seen.size} files`);
  const adapters = [...seen].filter((file) => /^src\/runtime\/(node|bun|deno|current)/.test(file));
  assert.deepEqual(adapters, []);
});

/** Files that import each other, directly or by way of others: each group is one circle. Types count, too. */
function circles(): string[][] {
  const next = Map.groupBy(edges, ({ from }) => from);
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const found: string[][] = [];
  // Tarjan: a group is complete when its first file has seen nothing older than itself.
  const visit = (file: string) => {
    order.set(file, order.size);
    lowest.set(file, order.get(file)!);
    open.push(file);
    for (const { to } of next.get(file) ?? []) {
      if (!order.has(to)) visit(to);
      if (open.includes(to)) lowest.set(file, Math.min(lowest.get(file)!, lowest.get(to)!));
    }
    if (lowest.get(file) !== order.get(file)) return;
    const group = open.splice(open.indexOf(file));
    if (group.length > 1) found.push(group);
  };
  for (const file of files) if (!order.has(file)) visit(file);
  return found;
}

test("no files import each other in a circle: each can be read after those that it needs", () => {
  assert.deepEqual(circles(), []);
});

const ARCHITECTURE = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");

test("src has the rooms that are listed, at most eleven, and every folder of a room has its row", () => {
  const entries = (folder: string) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`).sort();
  const rooms = [...ROOMS.map(({ room }) => room).filter((room) => room !== "cli"), "src/plugins"].sort();
  assert.deepEqual(entries("src"), rooms);
  assert.ok(rooms.length <= 11, `${rooms.length} rooms`);
  for (const { room, rows } of ROOMS) {
    if (rows.length > 0) assert.deepEqual(entries(room), rows.flat().map((name) => `${room}/${name}`).sort());
  }
});

test("a mod.ts is the only door of its folder, or one that the package publishes", () => {
  const published = new Set(
    Object.values(JSON.parse(readFileSync(join(root, "deno.json"), "utf8")).exports as Record<string, string>)
      .map((path) => path.slice(2)),
  );
  const doors = files.filter((file) =>
    file.endsWith("/mod.ts") && !isBelow(file, "src/plugins") && !published.has(file)
  );
  assert.ok(doors.length > 0);
  const past = doors.flatMap((door) =>
    edges.filter(({ from, to }) => to !== door && isBelow(to, dirname(door)) && !isBelow(from, dirname(door)))
  );
  assert.deepEqual(past.map(({ from, to }) => `${from} -> ${to}`), []);
});

test("ARCHITECTURE.md draws the rooms and their rows in this order", () => {
  const drawn = /## Rooms[\s\S]*?```\n([\s\S]*?)```/.exec(ARCHITECTURE)![1]!;
  const lines = drawn.split("\n").filter((line) => /^(?:src\/|cli)/.test(line));
  assert.deepEqual(lines.map((line) => line.split(/\s/)[0]), [...ROOMS.map(({ room }) => room), "src/plugins"]);
  for (const [index, { room, rows }] of ROOMS.entries()) {
    if (rows.length === 0) continue;
    const shown = lines[index]!.slice(room.length).split("|").map((row) => row.trim().split(/\s+/));
    assert.deepEqual(shown, rows.map((row) => row.map((name) => name.replace(/\.ts$/, ""))), room);
  }
});

test("ARCHITECTURE.md has a row for each folder, and none for what is gone", () => {
  const rows = [...ARCHITECTURE.matchAll(/^\| `((?:src|cli)[\w/]*)` \|/gm)].map((match) => match[1]!);
  const folders = ROOMS.flatMap(({ room, rows }) =>
    rows.length === 0 ? [room] : rows.flat().filter((name) => !name.endsWith(".ts")).map((name) => `${room}/${name}`)
  );
  assert.deepEqual([...folders, "src/plugins"].filter((folder) => !rows.includes(folder)), []);
  assert.deepEqual(rows.filter((row) => !existsSync(join(root, row))), []);
});

test("every path that ARCHITECTURE.md and the decisions name is there", () => {
  const folder = join(root, "docs", "adr");
  const texts = [ARCHITECTURE, ...readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"))];
  const named = texts.flatMap((text) =>
    [...text.matchAll(/`((?:[a-z_]+\/)+[a-z_]+\.tsx?)`/g)].map((match) => match[1]!)
  );
  assert.ok(named.length > 30, `${named.length} paths`);
  const missing = named.filter((path) => !["", "src/"].some((base) => existsSync(join(root, base + path))));
  assert.deepEqual(missing, []);
});
