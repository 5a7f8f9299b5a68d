/** What the ZMTP tests share: a context made of parts that a test may replace. */
import { setImmediate } from "node:timers";
import { systemClock } from "../../src/async/mod.ts";
import { silentLogger } from "../../src/log.ts";
import { memoryNet } from "../../src/runtime/memory/net.ts";
import type { ZmtpContext } from "../../src/zmtp/mod.ts";

export function testContext(parts: Partial<ZmtpContext> = {}): ZmtpContext {
  return {
    net: memoryNet(),
    clock: systemClock,
    random: Math.random,
    log: silentLogger,
    later: (callback) => void setImmediate(callback),
    ...parts,
  };
}
