/** The routes of `rest_cherrypy`. */
import { truthy } from "../../../../language/python/values.ts";
import { fireHook } from "../../events/webhook.ts";
import { eventStreamAnswer } from "../../events/server_sent_events.ts";
import type { Answer, Operation, Route } from "../../requests/route.ts";
import type { GatewaySettings } from "../../settings.ts";
import { grainsOfMinions, jobs, makeTokens, run, runWithCredentials, startJobs, welcome } from "./jobs.ts";
import { generateKeys, keys } from "./keys.ts";
import { logIn, loginHint, logOut, refresh } from "./login.ts";
import { serveApp } from "./site_files.ts";
import { authenticateListener } from "../../events/listener.ts";
import { checkUpgrade, sendEvents } from "../../events/event_socket.ts";
import { Summaries } from "../../events/summaries.ts";
import type { Call } from "../../requests/call.ts";
import { jsonAnswer } from "../../wire/json.ts";

/** `GET /ws` and `GET /ws/<token>`: events over a WebSocket; with `?format_events` summaries. */
async function eventSocket(call: Call): Promise<Answer> {
  const listener = await authenticateListener(call, call.params.token);
  checkUpgrade(call, "Expected the upgrade to a WebSocket");
  call.user = listener.record.name;
  const summaries = call.query.has("format_events") ? new Summaries() : undefined;
  return call.peer.upgrade(sendEvents(call, listener, {
    greeting: "server received message",
    message(event) {
      if (summaries === undefined) return `data: ${event.text}\n\n`;
      const change = summaries.take(event);
      if (change === undefined) return undefined;
      // `rest_cherrypy` sends the minions as a list.
      return jsonAnswer(change.minions === undefined ? change : { minions: [...change.minions.values()] });
    },
  }));
}

/** The `Allow` header of routes for which Salt's servers list methods that the routes do not have. */
const STANDARD = "GET, HEAD, POST";

export function cherrypyRoutes(settings: GatewaySettings): Route[] {
  return [
    { path: "/", auth: "own", methods: { GET: WELCOME, POST: SESSION_RUN } },
    { path: "/index", auth: "own", methods: { GET: WELCOME, POST: SESSION_RUN } },
    ...(settings.sessions ? SESSION_ROUTES : []),
    ...(settings.jwt === undefined ? [] : JWT_ROUTES),
    ...CREDENTIAL_ROUTES,
    ...EVENT_ROUTES,
    ...hookRoutes(settings),
    statsRoute(settings),
    ...appRoutes(settings),
  ];
}

const WELCOME: Operation = {
  summary: "A greeting and the names of the clients",
  cookie: false,
  returns: "Any",
  run: welcome,
};

const RUN: Operation = {
  summary: "Runs commands in sequence",
  body: "Lowstates",
  returns: "Return",
  run,
};

/** `GET /` needs no session, `POST /` does. */
const SESSION_RUN: Operation = { ...RUN, auth: "session" };

const MINIONS: Operation = { summary: "The grains of minions", returns: "Return", run: grainsOfMinions };

const JOBS: Operation = {
  summary: "Jobs, or one of them with its returns",
  returns: "Return",
  query: { limit: "The maximum number of jobs, latest first", before: "Only jobs before this job id" },
  run: jobs,
};

const SESSION_ROUTES: readonly Route[] = [
  {
    path: "/login",
    auth: "none",
    allow: STANDARD,
    methods: {
      GET: { summary: "How to log in", returns: "Any", run: loginHint },
      POST: { summary: "Starts a session", body: "Credentials", returns: "Login", run: logIn },
    },
  },
  {
    path: "/logout",
    auth: "session",
    allow: STANDARD,
    methods: { POST: { summary: "Ends the session", body: "Any", returns: "Any", run: logOut } },
  },
  { path: "/minions/:mid", auth: "session", allow: STANDARD, methods: { GET: MINIONS } },
  {
    path: "/minions",
    auth: "session",
    methods: {
      GET: MINIONS,
      POST: { summary: "Starts jobs without waiting", body: "Lowstates", returns: "Return", run: startJobs },
    },
  },
  { path: "/jobs/:jid", auth: "session", allow: STANDARD, methods: { GET: JOBS } },
  { path: "/jobs", auth: "session", methods: { GET: JOBS, POST: RUN } },
];

const JWT_ROUTES: readonly Route[] = [{
  path: "/refresh",
  auth: "none",
  extension: true,
  methods: {
    POST: { summary: "Makes a new pair of tokens", cookie: false, body: "Refresh", returns: "Any", run: refresh },
  },
}];

const KEYS: Operation = { summary: "Keys, or their fingerprints", returns: "Any", run: keys };

/** Routes whose requests may carry credentials in the body instead of a session. */
const CREDENTIAL_ROUTES: readonly Route[] = [
  {
    path: "/run",
    auth: "own",
    methods: {
      GET: WELCOME,
      POST: { ...RUN, summary: "Runs commands that contain their credentials", cookie: false, run: runWithCredentials },
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
  { path: "/keys/:mid", auth: "own", allow: STANDARD, methods: { GET: KEYS } },
  {
    path: "/keys",
    auth: "own",
    methods: {
      GET: KEYS,
      POST: {
        summary: "Makes and accepts the keys of a new minion",
        body: "KeyRequest",
        produces: "application/x-tar",
        cookie: false,
        run: generateKeys,
      },
    },
  },
];

const EVENTS: Operation = {
  summary: "A live stream of the master's events",
  produces: "text/event-stream",
  query: {
    tag: "Only events whose tag matches this glob",
    ids:
      "Gives each event an id, so that Last-Event-ID can resume the stream, and sends the position from time to time",
    last_event_id: "Like the header Last-Event-ID, for pages of other origins, which may not send that header",
    token: "For clients that cannot set a header or a cookie",
  },
  run: (call) => eventStreamAnswer(call, { contentType: "text/event-stream;charset=utf-8", tokenInQuery: true }),
};

const SOCKET: Operation = {
  summary: "The master's events over a WebSocket",
  produces: "text/plain",
  query: { format_events: "Summaries of jobs and minions instead of events" },
  run: eventSocket,
};

const EVENT_ROUTES: readonly Route[] = [
  { path: "/events", auth: "own", methods: { GET: EVENTS } },
  { path: "/ws", auth: "own", methods: { GET: SOCKET } },
  { path: "/ws/:token", auth: "own", methods: { GET: SOCKET } },
];

function hookRoutes({ webhookPath, webhookAuth }: GatewaySettings): Route[] {
  const auth = webhookAuth ? "session" : "none";
  const POST: Operation = {
    summary: "Fires an event whose tag ends with the rest of the path",
    body: "Any",
    returns: "Any",
    run: (call) => fireHook(call, ({ body: { raw, data } }) => ({ body: raw, post: truthy(data) ? data : {} })),
  };
  return [webhookPath, `${webhookPath}/:rest{.+}`].map((path) => ({ path, auth, methods: { POST } }));
}

function statsRoute({ statsAuth }: GatewaySettings): Route {
  return {
    path: "/stats",
    auth: statsAuth ? "session" : "none",
    methods: {
      GET: {
        summary: "The counters of the server",
        returns: "Any",
        run: ({ services: { statistics } }) => ({ value: statistics.report() }),
      },
    },
  };
}

function appRoutes({ appPath }: GatewaySettings): Route[] {
  const app = (summary: string): Operation => ({ summary, cookie: false, produces: "text/html", run: serveApp });
  return [
    { path: appPath, auth: "none", page: true, methods: { GET: app("The page of an application") } },
    {
      path: `${appPath}/:rest{.+}`,
      auth: "none",
      page: true,
      methods: { GET: app("The same page for every path below") },
    },
  ];
}
