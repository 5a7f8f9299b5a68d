/**
 * The console in a browser, with real servers: the gateway and master of Brine, and with `BRINE_INTEROP` those of Salt 3006,
 * so that it works with any salt-api.
 */
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import type { Daemon } from "../interop/daemon.ts";
import type { Fleet } from "../interop/fleet.ts";
import { gap, openBrowser, openPage, signIn } from "./browser.ts";

const LONG = { timeout: 120_000 };
const SECRET = "open-sesame";
const CONSOLE = path.resolve(import.meta.dirname, "../../dist/console");

const REAL_GAP = (process.env.BRINE_INTEROP ?? "") === ""
  ? "NOT TESTED AGAINST REAL SALT: set BRINE_INTEROP to quick or full"
  : undefined;

const SERVERS: { kind: "brine" | "3006"; page: string; skip: string | undefined }[] = [
  { kind: "brine", page: "/console", skip: gap },
  { kind: "3006", page: "/console/index.html", skip: gap ?? REAL_GAP },
];

for (const { kind, page: address, skip } of SERVERS) {
  describe(`the console with ${kind}`, { skip: skip ?? false }, () => {
    let fleet: Fleet;
    let api: Daemon;
    let browser: Browser;
    let url: string;
    const complaints: string[] = [];

    before(async () => {
      const { commandOf, Daemon } = await import("../interop/daemon.ts");
      const { Fleet } = await import("../interop/fleet.ts");
      const { freePort } = await import("../../bench/bed/ports.ts");
      const { installSalt } = await import("../interop/release.ts");
      if (kind !== "brine") assert.equal(installSalt(kind), undefined);
      const port = await freePort();
      url = `http://127.0.0.1:${port}${address}`;
      fleet = new Fleet({
        master: kind,
        minions: ["brine"],
        masterOptions: (directory) => ({
          netapi_enable_clients: ["local", "local_async", "runner", "wheel"],
          sharedsecret: SECRET,
          external_auth: {
            sharedsecret: {
              alice: [".*", "@runner", "@wheel", "@jobs"],
              rita: ["test.*", "sys.*", { "@wheel": ["key.list_all"] }],
            },
          },
          api_pidfile: path.join(directory, "master", "run", "api.pid"),
          api_logfile: path.join(directory, "master", "api.log"),
          rest_cherrypy: {
            port,
            host: "127.0.0.1",
            disable_ssl: true,
            // Brine serves the console by itself.
            ...(kind === "brine" ? {} : { static: CONSOLE, static_path: "/console" }),
          },
        }),
      });
      const [started] = await Promise.all([openBrowser(), fleet.start()]);
      browser = started;
      api = new Daemon(`${kind} salt-api`, [...commandOf(kind, "salt-api"), "-c", fleet.path("master", "etc")], [
        fleet.path("master", "api.out"),
        fleet.path("master", "api.log"),
      ]);
      await fleet.until("salt-api answers", () => fetch(url).then(({ ok }) => ok, () => false));
    }, LONG);

    after(async () => {
      await browser?.close();
      await api?.stop(5000);
      await fleet?.stop();
      assert.deepEqual(complaints, []);
    }, LONG);

    async function enter(name: string): Promise<Page> {
      const tried = await openPage(browser, url);
      tried.page.on("close", () => complaints.push(...tried.complaints));
      await signIn(tried.page, "sharedsecret", name, SECRET);
      await tried.page.getByRole("heading", { name: "Fleet" }).waitFor();
      return tried.page;
    }

    const go = (page: Page, hash: string) => page.evaluate(`void (location.hash = ${JSON.stringify(hash)})`);

    test("the fleet is listed, with the grains of its minion", LONG, async () => {
      const page = await enter("alice");
      await page.getByRole("grid", { name: "Minions" }).getByText("up", { exact: true }).waitFor();
      await page.getByRole("link", { name: "brine", exact: true }).click();
      await page.getByLabel("Search grains").fill("saltversion");
      await page.getByText("saltversion", { exact: true }).waitFor();
      await go(page, "#/fleet");
      await page.getByLabel("Target type").selectOption("grain");
      await page.getByRole("textbox", { name: "Target" }).fill("role:web");
      await page.locator("#target-preview").getByText("1 minion", { exact: true }).waitFor();
      await page.getByLabel("Target type").selectOption("nodegroup");
      await page.getByRole("textbox", { name: "Target" }).fill("first");
      await page.locator("#target-preview").getByText("1 minion", { exact: true }).waitFor();
      await page.close();
    });

    test("a command is followed to its end, and is in the job history afterwards", LONG, async () => {
      const page = await enter("alice");
      const flag = fleet.path("go-on");
      await go(page, "#/run?tgt=brine");
      await page.getByRole("combobox", { name: "Function" }).fill("cmd.run");
      await page.getByRole("textbox", { name: "cmd", exact: true })
        .fill(`echo first; until [ -e ${flag} ]; do sleep 0.1; done; echo second; exit 3`);
      await page.getByRole("textbox", { name: "cmd", exact: true }).press("Control+Enter");
      await page.getByText("Waiting for 1 of 1 minion").waitFor();
      // Live output needs a Brine master and a Brine minion.
      if (kind === "brine") await page.getByRole("grid", { name: "Returns" }).getByText("first").first().waitFor();
      writeFileSync(flag, "");
      await page.getByText("Finished on 1 minion").waitFor();
      await page.getByRole("button", { name: /^1 failed/ }).waitFor();
      await page.getByText("code 3").waitFor();
      await page.getByText("second", { exact: true }).waitFor();
      await go(page, "#/jobs");
      await page.getByRole("row", { name: /cmd\.run.*1 failed/ }).waitFor();
      await page.close();
    });

    test("a job is cancelled", LONG, async () => {
      const page = await enter("alice");
      await go(page, '#/run?tgt=brine&fun=cmd.run&arg=["sleep 200"]');
      await page.getByRole("button", { name: "Run on 1 minion" }).click();
      await page.getByText("Waiting for 1 of 1 minion").waitFor();
      // A job can be killed only after it has started.
      await fleet.until("the job runs", async () => {
        const { stdout } = await fleet.salt(kind, ["brine", "saltutil.running", "--out=json"]);
        return stdout.includes("sleep 200");
      });
      await page.getByRole("button", { name: "Cancel" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Cancel job" }).click();
      await page.getByText("Finished on 1 minion").waitFor({ timeout: 60_000 });
      await page.close();
    });

    test("a key has the fingerprint that salt-key shows", LONG, async () => {
      const page = await enter("alice");
      await page.keyboard.press("g");
      await page.keyboard.press("k");
      await page.getByRole("tab", { name: /Accepted 1/ }).waitFor();
      const shown = page.getByText(/^([0-9a-f]{2}:){31}[0-9a-f]{2}$/);
      await shown.waitFor();
      const { stdout } = await fleet.program(kind, "salt-key", ["-f", "brine", "--out=json"]);
      assert.ok(stdout.includes((await shown.textContent())!), stdout);
      await page.close();
    });

    test(
      "a key that waits is accepted on the fleet page, and a denied key of the same id stays denied",
      LONG,
      async () => {
        const pki = (...names: string[]) => fleet.path("master", "pki", ...names);
        const write = (folder: string, id: string) => {
          mkdirSync(pki(folder), { recursive: true });
          const { publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
          writeFileSync(pki(folder, id), publicKey.export({ type: "spki", format: "pem" }));
          return readFileSync(pki(folder, id), "utf8");
        };
        const wanted = write("minions_pre", "new");
        const denied = write("minions_denied", "new");
        // The id is a glob for all keys.
        write("minions_pre", "*");
        const page = await enter("alice");
        const waiting = page.getByRole("region", { name: "Minions with a pending key" });
        await waiting.getByRole("button", { name: "Reject *", exact: true }).click();
        await waiting.getByRole("listitem").filter({ hasText: /^\*/ }).getByText("rejected").waitFor();
        await waiting.getByRole("button", { name: "Accept new", exact: true }).click();
        await waiting.waitFor({ state: "detached" });
        assert.equal(readFileSync(pki("minions", "new"), "utf8"), wanted);
        assert.equal(readFileSync(pki("minions_denied", "new"), "utf8"), denied);
        assert.deepEqual(readdirSync(pki("minions")).sort(), ["brine", "new"]);
        assert.deepEqual(readdirSync(pki("minions_rejected")), ["*"]);
        for (
          const [folder, id] of [["minions", "new"], ["minions_denied", "new"], ["minions_rejected", "*"]] as const
        ) {
          rmSync(pki(folder, id));
        }
        await page.close();
      },
    );

    test("an account without a permission sees an error, and keeps its session", LONG, async () => {
      const page = await enter("rita");
      await go(page, '#/run?tgt=brine&fun=cmd.run&arg=["id"]');
      await page.getByRole("textbox", { name: "cmd", exact: true }).waitFor();
      await page.getByRole("button", { name: "Run on 1 minion" }).click();
      await page.getByText("cmd.run: permission denied for this account").waitFor();
      await go(page, "#/run?tgt=brine&fun=test.ping");
      await page.getByRole("button", { name: "Run on 1 minion" }).click();
      await page.getByText("Finished on 1 minion").waitFor();
      await page.close();
    });

    test("the events of a job are listed", LONG, async () => {
      const page = await enter("alice");
      await go(page, "#/events");
      await page.getByText("Live", { exact: true }).waitFor();
      await page.getByLabel("Filter events").fill("salt/job/*/ret/brine test.echo");
      await fleet.salt(kind, ["brine", "test.echo", "hello"]);
      await page.getByText(/^salt\/job\/\d{20}\/ret\/brine$/).first().click();
      await page.getByRole("region", { name: "Selected event" }).getByText("hello").first().waitFor();
      await page.close();
    });
  });
}
