/** Programs share the stdout of the program that started them: one that ends must leave it open for the next. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { StandardOutput } from "../../../cli/terminal/standard_output.ts";

/** An output whose descriptor takes what a test says, and a stream behind it. */
function bed(take: (bytes: Uint8Array) => number) {
  const written: string[] = [];
  const streamed: string[] = [];
  const calls: (() => void)[] = [];
  const drains: (() => void)[] = [];
  const broken: unknown[] = [];
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  const output = new StandardOutput({
    descriptor: 1,
    broken: (error) => void broken.push(error),
    stream: () => ({
      write: (bytes, done) => (streamed.push(text(bytes)), calls.push(done)),
      once: (_event, handler) => void drains.push(handler),
      writableNeedDrain: true,
      isTTY: true,
    }),
    files: {
      writeSync: (_descriptor, bytes) => {
        const count = take(bytes);
        written.push(text(bytes.subarray(0, count)));
        return count;
      },
      fstatSync: () => ({ isCharacterDevice: () => false, rdev: 0 }),
    },
  });
  return { output, written, streamed, calls, drains, broken };
}

const failing = (code: string) => () => {
  throw Object.assign(new Error(code), { code });
};

test("output is written at once, in as many pieces as the system takes", async () => {
  const { output, written, streamed } = bed(({ length }) => Math.min(length, 2));
  output.write("");
  output.write("abcde");
  assert.deepEqual(written, ["ab", "cd", "e"]);
  assert.deepEqual(streamed, []);
  await output.written();
  await output.drained();
});

test("output goes to the stream, in order, once the reader of a pipe that does not block is slow", async () => {
  let room = 3;
  const { output, streamed, calls, drains } = bed(({ length }) => {
    if (room === 0) return failing("EAGAIN")();
    const count = Math.min(room, length);
    room -= count;
    return count;
  });
  output.write("abcde");
  room = 100;
  output.write("f");
  output.write("");
  assert.deepEqual(streamed, ["de", "f"]);
  let over = false;
  const written = output.written().then(() => over = true);
  calls[0]!();
  await Promise.resolve();
  assert.equal(over, false);
  calls[1]!();
  await written;
  const drained = output.drained();
  drains[0]!();
  await drained;
});

test("output without a reader is reported, and nothing is kept for later", async () => {
  const { output, streamed, broken } = bed(failing("EPIPE"));
  output.write("abc");
  assert.equal((broken[0] as { code: string }).code, "EPIPE");
  assert.deepEqual(streamed, []);
  await output.written();
});

for (
  const [name, isDevice, major, want] of [
    ["a file", false, 0, false],
    ["a terminal of a window", true, 136, true],
    ["a console", true, 4, true],
    ["/dev/null", true, 1, false],
    ["another device, of which the stream knows", true, 204, true],
  ] as const
) {
  test(`output to ${name} ${want ? "is" : "is not"} to a terminal`, () => {
    const output = new StandardOutput({
      descriptor: 1,
      broken: () => {},
      stream: () => ({ write: () => {}, once: () => {}, writableNeedDrain: false, isTTY: true }),
      files: {
        writeSync: () => 0,
        fstatSync: () => ({ isCharacterDevice: () => isDevice, rdev: major * 256 }),
      },
    });
    assert.equal(output.isTTY, want);
  });
}

/** The words that start `salt` with a word of its own, for a shell. */
function saltLine(word: string): string {
  const salt = fileURLToPath(new URL("../../../cli/salt.ts", import.meta.url));
  const words = "Deno" in globalThis ? ["run", "-A", "--no-lock", "-q", salt] : [salt];
  return [process.execPath, ...words, word].map((word) => `'${word}'`).join(" ");
}

/** What a line of the shell prints. */
async function printed(line: string): Promise<string> {
  const child = spawn("sh", ["-c", line], { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => void (said += text));
  const code = await new Promise((resolve) => child.on("close", resolve));
  assert.equal(code, 0);
  return said;
}

test("a program whose reader has gone ends as other programs do", { timeout: 60_000 }, async () => {
  const directory = mkdtempSync(join(tmpdir(), "brine-"));
  try {
    const pipe = join(directory, "pipe");
    const said = await printed(`mkfifo ${pipe}; exec 3<>${pipe} 4>${pipe} 3>&-; ${saltLine("--help")} >&4; echo $?`);
    assert.equal(said, "141\n");
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test("two programs one after the other print to the socket that both were given", { timeout: 60_000 }, async () => {
  const line = saltLine("--version");
  // The stdout that a parent on Node passes is a socket, as systemd's is.
  const said = await printed(`${line} && ${line}`);
  assert.equal(said.match(/^salt \d/gm)?.length, 2);
});
