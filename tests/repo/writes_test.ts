/** Whatever changes a file goes by one way, so that root follows no stranger's link: `src/runtime/fs.ts` says how. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const sources = globSync(["src/**/*.ts", "cli/**/*.ts"], { cwd: root }).map((file) =>
  relative(root, `${root}/${file}`)
);
const textOf = (file: string) => readFileSync(`${root}/${file}`, "utf8");

/** Who may call the file system of the runtime itself, and why. */
const BY_THEMSELVES: Record<string, string> = {
  "src/runtime/node/fs.ts": "is that way",
  "src/runtime/node/place.ts": "is that way",
  "src/runtime/node/byte_names.ts": "is what that way calls",
  "src/runtime/bun/bun_runtime.ts": "only reads what is embedded",
  "src/runtime/node/become.ts": "only reads /proc",
  "src/runtime/node/host.ts": "only reads",
  "src/runtime/node/net.ts": "makes sockets in the directory for sockets, which is the daemon's",
  "src/runtime/node/pipes.ts": "makes pipes and files under names nobody can guess, and takes the names away at once",
  "src/runtime/node/process.ts": "only closes descriptors",
  "src/runtime/bun/descriptor_streams.ts": "only closes descriptors",
  "src/runtime/node/socket_owner.ts": "only reads /proc",
  "cli/code_directory.ts": "comes before everything else, and makes directories below what only its user can change",
  "cli/load_code.ts": "writes to the directory of cli/code_directory.ts alone",
  "cli/late_optimizing_bun.ts": "only reads and names its own entry in /proc",
  "cli/daemon/log_file.ts": "keeps the log open, and refuses links that no operator has made by itself",
  "cli/terminal/standard_output.ts": "writes to descriptors that are open",
  "cli/programs/part.ts": "writes to /proc alone",
  "cli/demo/runtimes.ts": "only looks",
  "cli/demo/tree.ts": "writes into the directory of cli/demo.ts",
  "cli/demo.ts": "works in a directory that it makes under a name nobody can guess",
};

test("only the file system of the runtime calls the one below it", () => {
  const own = sources.filter((file) =>
    /["']node:fs(?:\/promises)?["']|\bDeno\.(?:write|open|remove)|\bBun\.write/.test(textOf(file))
  );
  assert.deepEqual(own.filter((file) => !Object.hasOwn(BY_THEMSELVES, file)), []);
});

test("in the file system of the runtime, every change is made in a place that nobody else can exchange", () => {
  const text = textOf("src/runtime/node/fs.ts");
  const change =
    /fs\.(?:chmod|chown|lchown|link|symlink|rename|truncate|utimes|mkdir|rmdir|unlink|rm|openSync\([^)]*O_(?:WRONLY|RDWR))/;
  const functions = text.split(/\n(?=(?:async )?function |\/\*\*|const )/).filter((part) => change.test(part));
  const names = functions.map((part) => /function (\w+)/.exec(part)?.[1]).filter((name) => name !== undefined);
  // Those without `inPlace` are given the path of a place.
  const given = [
    "changeOwner",
    "discard",
    "openAppender",
    "openToWrite",
    "removeTree",
    "replaceFile",
    "unlink",
    "writeOver",
    "writeWhole",
  ];
  const unguarded = functions.filter((part) => !part.includes("inPlace")).map((part) =>
    /function (\w+)/.exec(part)?.[1]
  );
  assert.deepEqual([...new Set(unguarded)].sort(), given);
  assert.ok(names.length > given.length);
});

/** Programs that change a file whose path they are given. */
const PROGRAMS = /\[\s*"(?:chattr|chcon|mknod|restorecon|sed|zip|unzip|rar|tar)",|\[program, (?:\.\.\.options|"x")/;

test("plugins that have a program change a file look at its path before", () => {
  const callers = sources.filter((file) => /^src\/plugins\/(?:modules|states)\/(?:file|archive)/.test(file))
    .filter((file) => PROGRAMS.test(textOf(file)));
  assert.ok(callers.length >= 5, callers.join());
  // It only lists what is in an archive.
  const readers = ["src/plugins/modules/archive/list.ts", "src/plugins/states/archive/arguments.ts"];
  assert.deepEqual(
    callers.filter((file) => !readers.includes(file) && !textOf(file).includes("checkProgramPath(")),
    [],
  );
});

test("no plugin resolves links by itself before it writes: the second look would find another link", () => {
  const resolvers = sources.filter((file) => file.startsWith("src/plugins/") && /\.realpath\(/.test(textOf(file)));
  assert.deepEqual(resolvers.sort(), [
    // What these resolve they only read.
    "src/plugins/grains/core/os.ts",
    "src/plugins/modules/cmd/chroot.ts",
    "src/plugins/modules/cp/push.ts",
    // A path of the master's own directories, which is refused if a link leads out of them.
    "src/plugins/wheel/roots.ts",
  ]);
});
