/** The routes of the default profile: what clients of `rest_cherrypy` know. */
import { isMinionId } from "../../../job/minion_id.ts";
import { isMap, lookup } from "../../../python/containers.ts";
import { allEvents, serverSentEvents } from "../../events/events.ts";
import type { Call } from "../../requests/call.ts";
import { runAll } from "../../commands/commands.ts";
import { HttpError, NO_PERMISSION, type RefusedError } from "../../wire/errors.ts";
import { fileResponse } from "../../static_files.ts";
import { CLIENT_NAMES, type Low, lowstates } from "../../commands/lowstate.ts";
import { logIn } from "../../auth/login.ts";
import type { Answer, Operation, Route } from "../../requests/route.ts";
import { sessionCookie } from "../../auth/sessions.ts";
import type { GatewaySettings } from "../../settings.ts";
import { tar } from "../../wire/tar.ts";
import { fireHook } from "../../events/webhook.ts";
import { pageOfJobs } from "../../commands/page_of_jobs.ts";

const WELCOME: Operation = {
  summary: "Greeting, and the clients that there are",
  cookie: false,
  returns: "Any",
  run: () => ({ value: { return: "Welcome", clients: CLIENT_NAMES } }),
};

const RUN: Operation = {
  summary: "Runs commands, one after the other",
  body: "Lowstates",
  returns: "Return",
  run: async (call) => ({ value: { return: await runAll(call, lowstates(call.body.data)) } }),
};

/** `GET /` is for everybody, `POST /` for those who have signed in. */
const SESSION_RUN: Operation = { ...RUN, auth: "session" };

const field = (value: unknown, name: string): unknown => isMap(value) ? lookup(value, name) : undefined;

async function minions(call: Call): Promise<Answer> {
  const tgt = call.params.mid ?? call.query.get("mid") ?? "*";
  const low = { client: "local", tgt, fun: "grains.items" };
  return { value: { return: await runAll(call, [low]) } };
}

async function startJobs(call: Call): Promise<Answer> {
  const jobs = await runAll(call, lowstates(call.body.data), { client: "local_async" });
  call.status = 202;
  const links = jobs.filter((job) => field(job, "jid") !== undefined)
    .map((job) => ({ href: `/jobs/${field(job, "jid")}` }));
  return { value: { return: jobs, _links: { jobs: links } } };
}

async function jobs(call: Call): Promise<Answer> {
  const jid = call.params.jid ?? call.query.get("jid") ?? undefined;
  const timeout = call.query.get("timeout") ?? "";
  const low: Low = { client: "runner", fun: jid === undefined ? "jobs.list_jobs" : "jobs.list_job" };
  if (jid !== undefined) low.jid = jid;
  if (/^\d+$/.test(timeout)) low.timeout = Number(timeout);
  const found = await runAll(call, [low]);
  if (jid === undefined) return { value: { return: [pageOfJobs(found[0], call.query)] } };
  const [info] = found;
  const result = field(info, "Result");
  const returns = isMap(result) ? (result instanceof Map ? [...result] : Object.entries(result)) : [];
  const values = returns.map(([id, value]) => [id, field(value, "return") ?? null] as const);
  return { value: { info: [info], return: [Object.fromEntries(values)] } };
}

async function keys(call: Call): Promise<Answer> {
  const match = call.params.mid ?? call.query.get("mid") ?? undefined;
  const low = match === undefined ? { fun: "key.list_all" } : { fun: "key.finger", match };
  const [result] = await runAll(call, [{ client: "wheel", ...low }]);
  return { value: { return: field(field(result, "data"), "return") ?? {} } };
}

/** Ids that can stand in the name of a file that a browser saves, as it stands in a header. */
const PLAIN_ID = /^[!#-~]+$/;

async function generateKeys(call: Call): Promise<Answer> {
  const [low] = lowstates(call.body.data);
  const { mid, ...rest } = low ?? {};
  if (!isMinionId(mid) || !PLAIN_ID.test(mid)) throw new HttpError(400, "mid is not the id of a minion");
  // Credentials come with the request alone: a page of somebody else's must not make keys by a cookie.
  call.identity = undefined;
  const [result] = await runAll(call, [{ ...rest, id_: mid }], { client: "wheel", fun: "key.gen_accept" });
  const pair = field(field(result, "data"), "return");
  const text = (name: string) => String(field(pair, name) ?? "");
  const archive = tar(
    [{ name: "minion.pub", text: text("pub") }, { name: "minion.pem", text: text("priv") }],
    call.services.clock.now() / 1000,
  );
  return new Response(archive, {
    headers: {
      "Content-Type": "application/x-tar",
      "Content-Disposition": `attachment; filename="saltkeys-${mid}.tar"`,
      "Cache-Control": "no-cache",
    },
  });
}

async function makeTokens(call: Call): Promise<Answer> {
  call.identity = undefined;
  const lows = lowstates(call.body.data).map((low) => {
    const { username, password, eauth } = low;
    if (username === undefined || password === undefined || eauth === undefined) {
      throw new HttpError(400, 'Require "username", "password", and "eauth" params');
    }
    const kwarg = { username, password, eauth };
    return { ...kwarg, client: "runner", fun: "auth.mk_token", kwarg };
  });
  return { value: await runAll(call, lows) };
}

async function runWithout(call: Call): Promise<Answer> {
  // Neither cookie nor header count here.
  call.identity = undefined;
  return { value: { return: await runAll(call, lowstates(call.body.data)) } };
}

async function logOut(call: Call): Promise<Answer> {
  const { identity, services: { identities } } = call;
  if (identity !== undefined) await identities.logOut(identity);
  if (identity?.session !== undefined) {
    const expires = new Date(call.services.clock.now()).toUTCString();
    call.headers["Set-Cookie"] = sessionCookie(identity.session.id, call.services.settings, `expires=${expires}`);
  }
  return { value: { return: "Your token has been cleared" } };
}

function app(call: Call): Answer {
  const { runtime: { fs }, settings } = call.services;
  const page = settings.app === undefined ? undefined : fileResponse(fs, settings.app, call.request, call.headers);
  if (page !== undefined) return page;
  throw new HttpError(404, `The path '${call.path}' was not found.`);
}

async function refresh(call: Call): Promise<Answer> {
  const { identities } = call.services;
  const { backend, peer: { address } } = call;
  const pair = await identities.refresh(field(call.body.data, "refresh_token"), { backend, address });
  if (pair === undefined) throw new HttpError(401, NO_PERMISSION);
  return { value: { return: [pair] } };
}

const STANDARD = "GET, HEAD, POST";

/** The routes, in the order in which they are looked at. */
export function cherrypyRoutes(settings: GatewaySettings): Route[] {
  const { sessions, webhookPath, webhookAuth, appPath, statsAuth, jwt } = settings;
  const hook: Operation = {
    summary: "Fires an event whose tag ends with the rest of the path",
    body: "Any",
    returns: "Any",
    run: (call) => fireHook(call),
  };
  const login: Operation = {
    summary: "Opens a session",
    body: "Credentials",
    returns: "Login",
    run: (call) => logIn(call),
  };
  const hint: Operation = {
    summary: "How to log in",
    returns: "Any",
    run: (call) => {
      call.headers["Www-Authenticate"] = "Session";
      return { value: { status: null, return: "Please log in" } };
    },
  };
  const served = (summary: string): Operation => ({ summary, cookie: false, produces: "text/html", run: app });
  const jobsOf: Operation = {
    summary: "Jobs, or one of them with its returns",
    returns: "Return",
    query: { limit: "At most so many jobs, the latest ones", before: "Only jobs before this job id" },
    run: jobs,
  };
  const minionsOf: Operation = { summary: "The grains of minions", returns: "Return", run: minions };
  const keysOf: Operation = { summary: "Keys, or their fingerprints", returns: "Any", run: keys };
  const events: Operation = {
    summary: "The master's events, as they happen",
    produces: "text/event-stream",
    query: {
      tag: "Only events whose tag fits this glob",
      ids: "With a number for each event, so that Last-Event-ID can resume the stream",
      token: "For clients that can set neither header nor cookie",
    },
    run: (call) => serverSentEvents(call),
  };
  const socket: Operation = {
    summary: "The master's events over a WebSocket",
    produces: "text/plain",
    query: { format_events: "Summaries of jobs and minions instead of events" },
    run: (call) => allEvents(call),
  };
  const ofSessions: Route[] = [
    { path: "/login", auth: "none", allow: STANDARD, methods: { GET: hint, POST: login } },
    {
      path: "/logout",
      auth: "session",
      allow: STANDARD,
      methods: { POST: { summary: "Ends the session", body: "Any", returns: "Any", run: logOut } },
    },
    { path: "/minions/:mid", auth: "session", allow: STANDARD, methods: { GET: minionsOf } },
    {
      path: "/minions",
      auth: "session",
      methods: {
        GET: minionsOf,
        POST: { summary: "Starts jobs and does not wait", body: "Lowstates", returns: "Return", run: startJobs },
      },
    },
    { path: "/jobs/:jid", auth: "session", allow: STANDARD, methods: { GET: jobsOf } },
    { path: "/jobs", auth: "session", methods: { GET: jobsOf, POST: RUN } },
  ];
  const extensions: Route[] = jwt === undefined ? [] : [{
    path: "/refresh",
    auth: "none",
    extension: true,
    methods: {
      POST: { summary: "A new pair of tokens", cookie: false, body: "Refresh", returns: "Any", run: refresh },
    },
  }];
  return [
    { path: "/", auth: "own", methods: { GET: WELCOME, POST: SESSION_RUN } },
    { path: "/index", auth: "own", methods: { GET: WELCOME, POST: SESSION_RUN } },
    ...(sessions ? ofSessions : []),
    ...extensions,
    {
      path: "/run",
      auth: "own",
      methods: {
        GET: WELCOME,
        POST: { ...RUN, summary: "Runs commands that bring their credentials", cookie: false, run: runWithout },
      },
    },
    {
      path: "/token",
      auth: "own",
      methods: {
        GET: WELCOME,
        POST: { summary: "Eauth tokens for /run", body: "Credentials", returns: "Any", cookie: false, run: makeTokens },
      },
    },
    { path: "/keys/:mid", auth: "own", allow: STANDARD, methods: { GET: keysOf } },
    {
      path: "/keys",
      auth: "own",
      methods: {
        GET: keysOf,
        POST: {
          summary: "Makes and accepts the keys of a new minion",
          body: "KeyRequest",
          produces: "application/x-tar",
          cookie: false,
          run: generateKeys,
        },
      },
    },
    { path: "/events", auth: "own", methods: { GET: events } },
    { path: "/ws", auth: "own", methods: { GET: socket } },
    { path: "/ws/:token", auth: "own", methods: { GET: socket } },
    { path: webhookPath, auth: webhookAuth ? "session" : "none", methods: { POST: hook } },
    { path: `${webhookPath}/:rest{.+}`, auth: webhookAuth ? "session" : "none", methods: { POST: hook } },
    {
      path: "/stats",
      auth: statsAuth ? "session" : "none",
      methods: {
        GET: {
          summary: "What the server has counted",
          returns: "Any",
          run: ({ services: { statistics } }) => ({ value: statistics.report() }),
        },
      },
    },
    { path: appPath, auth: "none", page: true, methods: { GET: served("The page of an application") } },
    { path: `${appPath}/:rest{.+}`, auth: "none", page: true, methods: { GET: served("The same for all below it") } },
  ];
}

/** What a master's refusal is in HTTP. */
export function statusOfRefusal({ kind, message }: RefusedError): HttpError | undefined {
  if (kind === "authentication" || kind === "authorization") return new HttpError(401, message);
  return kind === "invocation" ? new HttpError(400, message) : undefined;
}
