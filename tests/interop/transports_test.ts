/** Masters and minions of either side over tcp and ws, plain and with TLS: `salt` finds every minion and gets its returns. */
import assert from "node:assert/strict";
import process from "node:process";
import { after, before, describe, test } from "node:test";
import { Authority } from "../support/certificates.ts";
import { RUNTIME } from "./daemon.ts";
import { Fleet, idOf } from "./fleet.ts";
import { installSalt, type Kind, type Release } from "./release.ts";

const mode = process.env.BRINE_INTEROP ?? "";

function whyNot(): string | undefined {
  if (mode === "") return "NOT TESTED AGAINST REAL SALT: set BRINE_INTEROP to quick or full";
  if (process.versions.bun !== undefined || process.versions.deno !== undefined) {
    return "driven by Node's test runner alone: set BRINE_RUNTIME to test another runtime with it";
  }
  return undefined;
}

/** One fleet: what is carried how, and whose programs meet. */
interface Row {
  transport: "tcp" | "ws";
  ssl: boolean;
  master: Kind;
  minions: Kind[];
  onePort?: boolean;
}

const ALL: Row[] = [
  { transport: "tcp", ssl: false, master: "brine", minions: ["brine", "3006", "3007", "3008"] },
  { transport: "tcp", ssl: true, master: "brine", minions: ["brine", "3008"] },
  { transport: "ws", ssl: false, master: "brine", minions: ["brine", "3007", "3008"] },
  { transport: "ws", ssl: true, master: "brine", minions: ["brine", "3008"], onePort: true },
  ...(["3006", "3007", "3008"] as const).map((master): Row => ({
    transport: "tcp",
    ssl: false,
    master,
    minions: ["brine"],
  })),
  ...(["3007", "3008"] as const).map((master): Row => ({ transport: "ws", ssl: false, master, minions: ["brine"] })),
  { transport: "tcp", ssl: true, master: "3008", minions: ["brine"] },
  { transport: "ws", ssl: true, master: "3008", minions: ["brine"] },
];

/** The quick form: each transport, TLS, one port, and masters of both sides, with the releases of the day. */
const release = (["3007", "3008"] as const)[
  Number(process.env.BRINE_INTEROP_ROTATION ?? Math.floor(Date.now() / 86_400_000)) % 2
]!;
const QUICK: Row[] = [
  { transport: "ws", ssl: true, master: "brine", minions: ["brine", "3008"], onePort: true },
  { transport: "tcp", ssl: false, master: release, minions: ["brine"] },
];
const rows = mode === "full" ? ALL : QUICK;

const LONG = "ä".repeat(60_000);

for (const { transport, ssl, master, minions, onePort } of rows) {
  const name = `${transport}${ssl ? " with TLS" : ""}${
    onePort ? " at one port" : ""
  }: ${master} master (on ${RUNTIME})`;
  const missing = whyNot() ??
    [master, ...minions].filter((kind): kind is Release => kind !== "brine").map(installSalt).find(Boolean);
  describe(name, { skip: missing, timeout: 240_000 }, () => {
    const authority = missing === undefined && ssl ? new Authority() : undefined;
    const certificate = authority?.sign("brine");
    const options = () => ({
      transport,
      ...(authority === undefined ? {} : {
        ssl: {
          certfile: certificate!.certfile,
          keyfile: certificate!.keyfile,
          ca_certs: authority.file,
          cert_reqs: "CERT_REQUIRED",
        },
      }),
    });
    // Pools of workers, new in 3008, speak plain TCP to workers that expect TLS: sign-ins succeed, and nothing else.
    const masterOptions = () => ({
      ...options(),
      ...(ssl && master !== "brine" ? { worker_pools_enabled: false } : {}),
    });
    const fleet = new Fleet({
      master,
      minions,
      onePort: onePort === true,
      masterOptions,
      minionOptions: options,
    });
    before(() => fleet.start());
    after(async () => {
      await fleet.stop();
      authority?.[Symbol.dispose]();
    });

    const clis: Kind[] = master === "brine" || mode === "quick" ? ["brine"] : ["brine", master];
    for (const cli of clis) {
      test(`salt of ${cli} gets what every minion returns`, async () => {
        const { code, stdout, stderr } = await fleet.salt(cli, [
          "*",
          "test.arg",
          "one",
          LONG,
          "--static",
          "--out=json",
        ]);
        try {
          assert.equal(code, 0);
          const returned = JSON.parse(stdout) as Record<string, { args: unknown[] }>;
          assert.deepEqual(Object.keys(returned).sort(), minions.map(idOf).sort());
          for (const { args } of Object.values(returned)) assert.deepEqual(args, ["one", LONG]);
        } catch (error) {
          fleet.keep = true;
          throw new Error(fleet.report(`${(error as Error).message.slice(0, 2000)}\n${stdout.slice(0, 500)}${stderr}`));
        }
      });
    }

    test("salt-call signs in, and its return arrives", async () => {
      const { code, stdout, stderr } = await fleet.call("brine", ["test.arg", "two", "--out=json"]);
      assert.equal(code, 0, fleet.report(stdout + stderr));
      assert.deepEqual((JSON.parse(stdout) as { local: { args: unknown[] } }).local.args, ["two"]);
    });
  });
}
