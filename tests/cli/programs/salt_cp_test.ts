import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { saltCpMain } from "../../../cli/programs/salt_cp.ts";
import { pattern, type ProgramRun, runInProcess } from "../../support/program.ts";
import { type Cluster, startCluster } from "../../support/start_cluster.ts";

const golden = new URL("../../golden/cli/", import.meta.url);
const TIMEOUT = { timeout: 60_000 };
/** What is on stderr beside Salt's text. */
const ADDED: Record<string, string> = { "cp-missing-src": "{WORK}/nope.txt does not exist: it is not copied\n" };

describe("salt-cp", TIMEOUT, () => {
  let cluster: Cluster;
  let work: string;
  let conf: string;

  before(async () => {
    cluster = await startCluster({ place: "current", minions: ["alpha", "beta"] });
    work = join(cluster.root, "work");
    conf = join(cluster.root, "conf");
    mkdirSync(work);
    mkdirSync(conf);
    configure();
    // What the recorded runs find in their directory.
    for (const { setup = [] } of cases) for (const line of setup) prepare(line);
  }, TIMEOUT);
  after(() => cluster.close(), TIMEOUT);

  function configure(more: Record<string, unknown> = {}): void {
    const { interface: host, publish_port, ret_port, sock_dir, cachedir, pki_dir, user } = cluster.masterOpts;
    const opts = { interface: host, publish_port, ret_port, sock_dir, cachedir, pki_dir, user, ...more };
    writeFileSync(join(conf, "master"), JSON.stringify(opts));
  }
  const fill = (text: string) => text.replaceAll("{WORK}", work).replaceAll("{CONF}", conf);
  const prepare = (line: string) => void execFileSync("sh", ["-c", fill(line)], { cwd: work });
  const run = (...words: string[]): Promise<ProgramRun> => runInProcess("salt-cp", saltCpMain, ["-c", conf, ...words]);
  const text = (name: string) => readFileSync(join(work, name), "utf8");

  const cases: {
    id: string;
    argv: string[];
    setup?: string[];
    stdout: string;
    stderr: string;
    exit_code: number;
    order?: string;
    files?: Record<string, string>;
  }[] = readdirSync(golden).filter((name) => name.startsWith("cp-"))
    .map((name) => JSON.parse(readFileSync(new URL(name, golden), "utf8")));

  for (const recorded of cases) {
    test(`golden: ${recorded.id}`, TIMEOUT, async () => {
      for (const line of recorded.setup ?? []) prepare(line);
      const got = await runInProcess("salt-cp", saltCpMain, recorded.argv.map(fill));
      if (recorded.order === "json") assert.deepEqual(JSON.parse(got.stdout), JSON.parse(fill(recorded.stdout)));
      else assert.match(got.stdout, pattern(recorded.stdout, { WORK: work }));
      assert.equal(got.stderr, fill(recorded.stderr + (ADDED[recorded.id] ?? "")));
      assert.equal(got.exitCode, recorded.exit_code);
      for (const [path, content] of Object.entries(recorded.files ?? {})) {
        assert.equal(readFileSync(fill(path), "utf8"), content);
      }
    });
  }

  for (const compression of [[], ["--no-compression"]]) {
    test(`--chunked ${compression.join("")}: any bytes, in many chunks, with their modes`, TIMEOUT, async () => {
      configure({ salt_cp_chunk_size: 1000 });
      const bytes = Uint8Array.from({ length: 4000 }, (_item, at) => at * 7);
      writeFileSync(join(work, "bytes"), bytes);
      writeFileSync(join(work, "empty"), "");
      chmodSync(join(work, "bytes"), 0o751);
      const words = ["-C", ...compression, "-L", "alpha", join(work, "bytes"), join(work, "empty"), join(work, "out")];
      const { stdout, stderr, exitCode } = await run(...words, "--out=json");
      assert.deepEqual([stderr, exitCode], ["", 0]);
      assert.deepEqual(JSON.parse(stdout), { alpha: { [`${work}/out/bytes`]: true, [`${work}/out/empty`]: true } });
      assert.deepEqual(Uint8Array.from(readFileSync(join(work, "out/bytes"))), bytes);
      assert.equal(statSync(join(work, "out/bytes")).mode & 0o7777, 0o751);
      assert.equal(text("out/empty"), "");
      configure();
    });
  }

  test("--chunked --no-compression: a chunk whose text looks like a keyword", TIMEOUT, async () => {
    // In Base64, which the reference takes for the keyword "abcdefg".
    writeFileSync(join(work, "word"), Uint8Array.from(atob("abcdefg="), (one) => one.charCodeAt(0)));
    const { stdout } = await run("-C", "-n", "alpha", join(work, "word"), join(work, "word2"));
    assert.ok(stdout.endsWith("word2:\n        True\n"), stdout);
    assert.equal(text("word2"), text("word"));
  });

  test("--chunked leaves out pipes and links that lead upward, and says so", TIMEOUT, async () => {
    const tree = join(work, "tree");
    mkdirSync(join(tree, "sub"), { recursive: true });
    writeFileSync(join(tree, "f"), "f");
    execFileSync("mkfifo", [join(tree, "pipe")]);
    symlinkSync("..", join(tree, "sub/up"));
    const { stdout, stderr, exitCode } = await run("-C", "alpha", tree, join(work, "copy"));
    assert.equal(exitCode, 0);
    assert.equal(stdout, `alpha:\n    ----------\n    ${work}/copy/tree/f:\n        True\n`);
    assert.equal(
      stderr,
      `${tree}/pipe is neither a file nor a directory: skipped\n` +
        `${tree}/sub/up links to a directory above it: skipped\n`,
    );
  });

  test("a file that is not text is refused, with the remedy", TIMEOUT, async () => {
    writeFileSync(join(work, "binary"), Uint8Array.of(0xff, 0xfe));
    const { stdout, stderr, exitCode } = await run("alpha", join(work, "binary"), join(work, "x"));
    assert.deepEqual([stdout, exitCode], ["", 1]);
    assert.equal(stderr, `${work}/binary is not UTF-8 text. Use "--chunked" for other files\n`);
  });

  test("a chunk size that is none is named", TIMEOUT, async () => {
    configure({ salt_cp_chunk_size: 0 });
    const { stderr, exitCode } = await run("-C", "alpha", join(work, "src1.txt"), join(work, "x"));
    assert.equal(exitCode, 1);
    assert.match(stderr, /Cannot send chunks of 0 bytes: set salt_cp_chunk_size/);
    configure();
  });

  test("no minion matches in chunks either", TIMEOUT, async () => {
    const { stdout, exitCode } = await run("-C", "nobody", join(work, "src1.txt"), join(work, "x"));
    assert.equal(exitCode, 0);
    assert.equal(stdout, "No minions matched the target. No command was sent, no jid was assigned.\n");
  });
});
