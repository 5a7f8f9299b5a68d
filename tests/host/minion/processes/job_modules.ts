import process from "node:process";
import { setTimeout } from "node:timers";
import type { ExecutionModule } from "../../../../src/model/loader/family.ts";
import type { ModuleRegistry } from "../../../../src/model/loader/loader.ts";
import { MODULES } from "../../../../src/plugins/modules/mod.ts";
import { Float } from "../../../../src/protocol/wire/msgpack.ts";

const plain = { signature: "", doc: "" };

/** Functions that no process survives, and some that show what process they are in. */
const bad: ExecutionModule = {
  functions: {
    pid: { ...plain, run: () => process.pid },
    inline_pid: { ...plain, inline: true, run: () => process.pid },
    exit: { ...plain, signature: "code=3", run: (_context, { code }) => process.exit(code as number) },
    signal: {
      ...plain,
      signature: "name",
      run(_context, { name }) {
        process.kill(process.pid, name as string);
        return new Promise(() => {});
      },
    },
    late: {
      ...plain,
      run() {
        setTimeout(() => {
          throw new Error("thrown and not caught");
        }, 0);
        return new Promise(() => {});
      },
    },
    loop: {
      ...plain,
      async run(context) {
        // Known to be under way before nothing gets out any more.
        await context.master?.fireEvent("looping", {});
        for (;;);
      },
    },
    leak: {
      ...plain,
      run() {
        const { leaked = 0 } = globalThis as { leaked?: number };
        (globalThis as { leaked?: number }).leaked = leaked + 1;
        process.env.BRINE_LEAKED = "1";
        return leaked;
      },
    },
    wait: {
      ...plain,
      async run(context) {
        await context.master?.fireEvent("waiting", { pid: process.pid });
        try {
          await new Promise((_resolve, reject) => {
            const stop = () => reject(context.signal.reason);
            // The signal may well have come before the answer to the event.
            if (context.signal.aborted) stop();
            else context.signal.addEventListener("abort", stop, { once: true });
          });
        } finally {
          await context.master?.fireEvent("cleaned up", {});
        }
      },
    },
    context: {
      ...plain,
      run: (context) => ({
        opts: context.opts.of_the_minion,
        grains: context.grains.os,
        pillar: context.pillar.secret,
        jid: context.jid,
        ticket: context.runtime.process.environment().BRINE_PART ?? null,
      }),
    },
    values: {
      ...plain,
      run: () => ({
        bytes: Uint8Array.of(0xff, 0, 0xfe),
        float: new Float(1),
        big: 2n ** 60n + 1n,
        negative: -(2n ** 62n),
        keys: new Map<unknown, unknown>([[1, "one"], [true, "yes"], ["x", [null]]]),
        text: "ü€😀",
        empty: {},
      }),
    },
    args: { ...plain, signature: "*args", run: (_context, { args }) => args },
    code: {
      ...plain,
      run(context) {
        context.retcode = 7;
        return "seven";
      },
    },
    refused: { ...plain, run: () => () => 1 },
    verdict: { ...plain, run: () => ({ success: false, note: "x" }) },
    shown: { ...plain, out: "highstate", run: () => 1 },
    nothing: { ...plain, run: () => undefined },
    thrown: {
      ...plain,
      run() {
        throw "just text";
      },
    },
    jobs: { ...plain, run: (context) => context.jobs.running() },
    end: {
      ...plain,
      signature: "jid, sig",
      run: (context, { jid, sig }) => context.jobs.signal(jid as string, sig as number) ?? null,
    },
    fire: {
      ...plain,
      async run(context) {
        context.master?.fireLocal("local", { n: 1 });
        return await context.master?.fireEvent("far", { n: 2 });
      },
    },
    ask: {
      ...plain,
      run: (context) => context.master?.request({ cmd: "_x", data: Uint8Array.of(254) }, { raw: true }),
    },
    fetch: {
      ...plain,
      signature: "url, path",
      run: (context, { url, path }) => context.files.fetch(url as string, path as string),
    },
    say: {
      ...plain,
      run(context) {
        context.log.child("part").warning("said", { map: new Map([[1, 2]]), error: new Error("why") });
        context.log.debug("not worth it");
        return true;
      },
    },
    grain: {
      ...plain,
      run(context) {
        context.grains.new = ["grain"];
        delete context.grains.old;
        return true;
      },
    },
    print: {
      ...plain,
      signature: "count, size",
      async run(context, { count, size }) {
        for (let number = 0; number < Number(count); number++) {
          const text = `${number} `.padEnd(Number(size), ".");
          await context.output?.(number % 2 === 0 ? "stdout" : "stderr", new TextEncoder().encode(text));
        }
        return count;
      },
    },
  },
};

export const TEST_MODULES: ModuleRegistry = {
  ...MODULES,
  gold: () => import("../gold.ts"),
  bad: () => Promise.resolve({ module: bad }),
  broken: () => Promise.reject(new Error("bad file")),
};
