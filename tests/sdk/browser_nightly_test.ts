/** `brine/http` as the package has it, in a page of another origin than its salt-api's, in a real browser. */
import assert from "node:assert/strict";
import { createHash, X509Certificate } from "node:crypto";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { until } from "../../bench/bed/until.ts";
import type * as Http from "../../src/client/http/mod.ts";
import { gap, openBrowser } from "../console/browser.ts";
import { Authority, type Certificate } from "../support/certificates.ts";
import { type CutProxy, cutProxy } from "./cut_proxy.ts";
import { LOGIN, startApi } from "./fleet.ts";
import { emptyDirectory } from "./snippets.ts";
import { install, serveFiles } from "./tarball.ts";

const SLOW = { timeout: 240_000 };
// The page does not need the console.
const other = gap === undefined || gap.startsWith("the console") ? undefined : gap;

/** What the page's own script has put where the functions of a test find it. */
declare const sdk: typeof Http;
/** What a step leaves for the next one. */
declare const kept: {
  salt: Http.HttpClient;
  feed: Http.EventFeed;
  next: Promise<unknown>;
  missed: unknown[];
  told: string[];
  stop: AbortController;
  run: Promise<unknown>;
};

const PAGE = `<!doctype html><link rel="icon" href="data:,"><script type="module">
import * as sdk from "./brine/src/client/http/mod.js";
Object.assign(globalThis, { sdk, kept: { missed: [], told: [] } });
</script>`;

/** What Chromium is told to accept: this key, and no other. */
function acceptOnly({ certificate }: Certificate): string {
  const key = new X509Certificate(certificate).publicKey.export({ type: "spki", format: "der" });
  return `--ignore-certificate-errors-spki-list=${createHash("sha256").update(key).digest("base64")}`;
}

for (const scheme of ["http", "https"] as const) inBrowser(scheme);

function inBrowser(scheme: "http" | "https"): void {
  describe(`brine/http in a browser, over ${scheme}`, { skip: other ?? false, ...SLOW }, () => {
    const root = emptyDirectory();
    const site = emptyDirectory({ "index.html": PAGE });
    const project = emptyDirectory();
    const secure = scheme === "https";
    let authority: Authority;
    let certificate: Certificate;
    let api: Awaited<ReturnType<typeof startApi>>;
    let served: Awaited<ReturnType<typeof serveFiles>>;
    let proxy: CutProxy;
    let browser: Browser;
    let page: Page;
    const complaints: string[] = [];

    before(async () => {
      authority = new Authority();
      certificate = authority.sign("api");
      const files = secure ? { ssl_crt: certificate.certfile, ssl_key: certificate.keyfile } : {};
      api = await startApi(root.path, { login_attempts: 3, ...files });
      assert.equal(new URL(api.url).protocol, `${scheme}:`);
      proxy = await cutProxy(api.url);
      mkdirSync(path.join(site.path, "brine"));
      const from = path.join(await install(project.path), "dist/src");
      cpSync(from, path.join(site.path, "brine/src"), { recursive: true });
      served = await serveFiles(site.path);
      browser = await openBrowser(...secure ? [acceptOnly(certificate)] : []);
      page = await browser.newPage();
      page.on("pageerror", (error) => complaints.push(String(error)));
      await page.goto(`${served.url}/index.html`);
      await page.waitForFunction(() => typeof sdk === "object");
      await page.evaluate(async ([url, login]) => {
        kept.salt = await sdk.connect(url, { login });
      }, [proxy.url, LOGIN] as const);
    }, SLOW);
    after(async () => {
      await browser?.close();
      await served?.[Symbol.asyncDispose]();
      await proxy?.[Symbol.asyncDispose]();
      await api?.[Symbol.asyncDispose]();
      authority?.[Symbol.dispose]();
      for (const directory of [root, site, project]) directory[Symbol.dispose]();
      assert.deepEqual(complaints, []);
    }, SLOW);

    const fire = (tag: string, data: Record<string, unknown>) =>
      page.evaluate(({ tag, data }) => kept.salt.runner({ fun: "event.send", kwarg: { tag, data } }), {
        tag,
        data,
      });

    test("a login tells what the master is, and a job yields the outcome of each target", SLOW, async () => {
      const [isBrine, outcomes] = await page.evaluate(async () => [
        kept.salt.isBrine,
        await kept.salt.run({ tgt: ["web1", "nobody"], fun: "test.echo", arg: ["ü"] }).all(),
      ]);
      assert.equal(isBrine, true);
      const told = (outcomes as Http.Outcome[]).map((one) => [one.id, one.kind, one.kind === "returned" && one.return]);
      assert.deepEqual(told, [["web1", "returned", "ü"], ["nobody", "missing", false]]);
    });

    test("output comes while the job runs, the outcome after it", SLOW, async () => {
      const flag = path.join(root.path, "go-on");
      const command = `echo first; until [ -e ${flag} ]; do sleep 0.1; done; echo second`;
      await page.evaluate((command) => {
        const told: string[] = kept.told = [];
        kept.run = (async () => {
          const options = { onOutput: ({ text }: Http.Output) => told.push(text) };
          const run = kept.salt.run({ tgt: "web1", fun: "cmd.run", arg: [command], stream: true }, options);
          for await (const outcome of run) told.push(outcome.kind);
        })();
      }, command);
      await page.waitForFunction(() => kept.told.length === 1);
      assert.deepEqual(await page.evaluate(() => kept.told), ["first\n"]);
      writeFileSync(flag, "");
      await page.evaluate(() => kept.run);
      assert.deepEqual(await page.evaluate(() => kept.told), ["first\n", "second\n", "returned"]);
    });

    test("events that were fired while the network was down come afterwards", SLOW, async () => {
      await page.evaluate(async () => {
        kept.feed = kept.salt.events({ tag: "my/*", onMissed: (count) => kept.missed.push(count ?? "some") });
        await kept.feed.ready();
      });
      await fire("my/first", { n: 1 });
      const first = await page.evaluate(async () => ((await kept.feed.next()).value as Http.SaltEvent));
      assert.deepEqual([first.tag, first.data.n], ["my/first", 1]);
      await page.evaluate(() => void (kept.next = kept.feed.next()));
      const before = proxy.made;
      proxy.cut();
      await using direct = await sdkHere(api.plainUrl);
      await direct.runner({ fun: "event.send", kwarg: { tag: "my/second", data: { n: 2 } } });
      proxy.mend();
      const second = await page.evaluate(async () => ((await kept.next) as { value: Http.SaltEvent }).value);
      assert.deepEqual([second.tag, second.data.n], ["my/second", 2]);
      assert.ok(proxy.made > before);
      assert.deepEqual(await page.evaluate(() => kept.missed), []);
      const later = await page.evaluate(async (after) => {
        await using feed = kept.salt.events({ tag: "my/*", after });
        return (await feed.next()).value as Http.SaltEvent;
      }, first.id);
      assert.equal(later.tag, "my/second");
      await page.evaluate(() => kept.feed.return());
    });

    test("an abort ends a job's loop, a runner and a feed at once; the job goes on", SLOW, async () => {
      const flag = path.join(root.path, "still");
      await page.evaluate((flag) => {
        kept.stop = new AbortController();
        const { signal } = kept.stop;
        const reason = (error: unknown) => error === signal.reason;
        const command = `until [ -e ${flag} ]; do sleep 0.1; done; echo done`;
        const started = Promise.withResolvers<string>();
        const run = kept.salt.run({ tgt: "web1", fun: "cmd.run", arg: [command] }, {
          signal,
          onPublished: started.resolve,
        }).all().catch(reason);
        const feed = kept.salt.events({ signal, tag: "nothing/*" });
        const runner = kept.salt.runner({ fun: "test.sleep", arg: [60] }, { signal }).catch(reason);
        const waits = feed.ready().then(() => feed.next()).catch(reason);
        kept.run = Promise.all([run, waits, runner]);
        kept.next = Promise.all([started.promise, feed.ready()]).then(([jid]) => jid);
      }, flag);
      const jid = await page.evaluate(() => kept.next as Promise<string>);
      await page.evaluate(() => kept.stop.abort(new Error("enough")));
      assert.deepEqual(await page.evaluate(() => kept.run), [true, true, true]);
      writeFileSync(flag, "");
      const [outcome] = await page.evaluate((jid) => kept.salt.jobs.follow(jid).all(), jid);
      assert.equal(outcome!.kind === "returned" && outcome!.return, "done");
    });

    test("closing ends the login at the server", SLOW, async () => {
      const sessions = () => Number(api.gateway.status().sessions);
      const before = sessions();
      await page.evaluate(async ([url, login]) => {
        const salt = await sdk.connect(url, { login });
        await salt.keys.list();
        await salt.close();
      }, [proxy.url, LOGIN] as const);
      await until(() => sessions() === before);
    });

    test("a server that does not allow the page's origin is UNREACHABLE, with that reason", SLOW, async () => {
      await using silent = await serveFiles(site.path);
      const found = await page.evaluate(
        (url) => sdk.connect(url, { token: "x", retries: 0 }).catch(({ code, message }) => [code, message]),
        silent.url,
      );
      assert.ok(Array.isArray(found));
      assert.equal(found[0], "UNREACHABLE");
      assert.match(found[1], /that the server allows this page's origin/);
    });

    test("a certificate that nobody vouches for is UNREACHABLE, and is not asked for a login", {
      ...SLOW,
      skip: secure ? false : "there is no certificate without TLS",
    }, async () => {
      const { certfile, keyfile } = authority.sign("another");
      using other = emptyDirectory();
      await using stranger = await startApi(other.path, { ssl_crt: certfile, ssl_key: keyfile });
      const found = await page.evaluate(
        ([url, login]) => sdk.connect(url, { login, retries: 0 }).catch(({ code }) => code),
        [stranger.url, LOGIN] as const,
      );
      assert.equal(found, "UNREACHABLE");
      assert.equal(Number(stranger.gateway.status().sessions), 0);
    });

    test("too many failed logins say when to try again", SLOW, async () => {
      const found = await page.evaluate(async (url) => {
        const login = { username: "mallory", password: "guess", eauth: "file" };
        const codes = [];
        for (let count = 0; count < 4; count++) {
          codes.push(await sdk.connect(url, { login }).catch((error) => [error.code, error.retryAfterMs]));
        }
        return codes;
      }, proxy.url);
      assert.deepEqual((found as unknown[][]).map(([code]) => code), [
        "AUTHENTICATION",
        "AUTHENTICATION",
        "AUTHENTICATION",
        "TOO_MANY_ATTEMPTS",
      ]);
      const ms = Number((found as unknown[][]).at(-1)![1]);
      assert.ok(ms > 0 && ms < 60_000, `${ms} ms`);
    });
  });
}

/** A client of this process, beside the page. */
async function sdkHere(url: string): Promise<Http.HttpClient> {
  const { connect } = await import("../../src/client/http/mod.ts");
  return await connect(url, { login: LOGIN });
}
