/**
 * Question: what do the transports tcp and ws cost a master, plain and with TLS, beside ZeroMQ?
 *
 * Control row: the same master over ZeroMQ, under the same swarm (`swarm.ts`), in the same run. The transports take turns; each
 * figure is the median of the rounds. With TLS every minion shows a certificate.
 *
 * Run: node bench/transports.ts [--minions 500] [--jobs 20] [--rounds 3] [--json]   (needs the program openssl)
 */
import { execFileSync } from "node:child_process";
import path from "node:path";
import { type Measured, measureMaster } from "./master.ts";
import { bedDirectory } from "./bed/daemon_directory.ts";
import { rmSync, writeFileSync } from "node:fs";
import { brine, buildBundle } from "./bed/sides.ts";
import type { RuntimeName } from "./bed/runtimes.ts";
import { runProgram } from "./program.ts";
import { type BenchOptions, median, rounded, type Row } from "./rows.ts";

export interface TransportsBenchOptions extends BenchOptions {
  /** @default 500 */
  minions?: number;
  /** Back to back, after two for warm-up. @default 20 */
  jobs?: number;
  /** @default 3 */
  rounds?: number;
  runtimes?: readonly RuntimeName[];
}

/** An authority and one certificate, which all sides show. Returns the option `ssl`. */
function makeSsl(folder: string): Record<string, string> {
  const openssl = (...args: string[]) => execFileSync("openssl", args, { cwd: folder, stdio: "pipe" });
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  openssl("req", "-x509", ...key, "-keyout", "ca.key", "-out", "ca.crt", "-days", "30", "-subj", "/CN=bench");
  openssl("req", ...key, "-keyout", "host.key", "-out", "host.csr", "-subj", "/CN=host");
  writeFileSync(path.join(folder, "names"), "subjectAltName=IP:127.0.0.1\n");
  openssl(
    ...["x509", "-req", "-in", "host.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-out", "host.crt"],
    ...["-days", "30", "-extfile", "names"],
  );
  const file = (name: string) => path.join(folder, name);
  return {
    certfile: file("host.crt"),
    keyfile: file("host.key"),
    ca_certs: file("ca.crt"),
    cert_reqs: "CERT_REQUIRED",
  };
}

/** All transports, in turns. */
export async function run(options: TransportsBenchOptions = {}): Promise<Row[]> {
  const { quick = false, say = () => {}, minions = quick ? 200 : 500 } = options;
  const { jobs = quick ? 5 : 20, rounds = quick ? 1 : 3, runtimes = ["node"] } = options;
  buildBundle();
  const folder = bedDirectory("tls");
  try {
    const ssl = makeSsl(folder);
    const ways: { name: string; transport: Record<string, unknown> }[] = [
      { name: "zeromq", transport: {} },
      { name: "tcp", transport: { transport: "tcp" } },
      { name: "ws", transport: { transport: "ws" } },
      { name: "tcp with TLS", transport: { transport: "tcp", ssl } },
      { name: "ws with TLS", transport: { transport: "ws", ssl } },
    ];
    const rows: Row[] = [];
    for (const runtime of runtimes) {
      const measured = ways.map((): Measured[] => []);
      for (let round = 0; round < rounds; round++) {
        for (const [index, { name, transport }] of ways.entries()) {
          say(`transports: round ${round + 1} of ${rounds}, ${runtime}, ${name}`);
          measured[index]!.push(await measureMaster(brine(runtime, "bundle"), minions, jobs, 0, transport));
        }
      }
      const figure = (what: string, unit: string, pick: (one: Measured) => number) => {
        const [control] = measured.map((all) => median(all.map(pick)));
        for (const [index, { name }] of ways.entries()) {
          const value = median(measured[index]!.map(pick));
          rows.push({
            name: `${minions} minions, ${what}`,
            value: rounded(value),
            unit,
            note: `${runtime}, ${name}`,
            ...(index === 0 ? {} : { ratio: rounded(value / control!) }),
          });
        }
      };
      figure("sign in", "auth/s", (one) => one.authsPerSecond);
      figure(`${jobs} test.ping in a row`, "returns/s", (one) => one.returnsPerSecond);
      // Steadier than the others on a machine that does other things as well.
      figure("processor time of the master", "µs/return", (one) => (one.cpuMs ?? NaN) * 1000);
    }
    return rows;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) await runProgram({ minions: "number", jobs: "number", rounds: "number" }, run);
