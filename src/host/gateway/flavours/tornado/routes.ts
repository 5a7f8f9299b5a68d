/** The routes of `rest_tornado`. */
import { eventStreamAnswer } from "../../events/server_sent_events.ts";
import { fireHook } from "../../events/webhook.ts";
import type { Call } from "../../requests/call.ts";
import type { Answer, Operation, Route } from "../../requests/route.ts";
import type { GatewaySettings } from "../../settings.ts";
import { eventSocket, summarySocket } from "./event_socket.ts";
import { grainsOfMinions, jobs, run, runWithCredentials, startJobs, welcome } from "./jobs.ts";
import { logIn, loginHint } from "./login.ts";

export function tornadoRoutes(settings: GatewaySettings): Route[] {
  return [
    ...COMMAND_ROUTES,
    { path: "/events", auth: "session", methods: { GET: EVENTS } },
    ...hookRoutes(settings),
    ...(settings.websockets ? SOCKET_ROUTES : []),
  ];
}

const MINIONS: Operation = { summary: "The grains of minions", returns: "Return", run: grainsOfMinions };
const JOBS: Operation = { summary: "Jobs, or one of them with its returns", returns: "Return", run: jobs };

const COMMAND_ROUTES: readonly Route[] = [
  {
    path: "/",
    auth: "own",
    methods: {
      GET: { summary: "A greeting and the names of the clients", returns: "Any", run: welcome },
      POST: {
        summary: "Runs commands in sequence",
        auth: "session",
        body: "Lowstates",
        returns: "Return",
        run,
      },
    },
  },
  {
    path: "/login",
    auth: "none",
    methods: {
      GET: { summary: "How to log in", returns: "Any", run: loginHint },
      POST: { summary: "Starts a session", body: "Credentials", returns: "Login", run: logIn },
    },
  },
  { path: "/minions/:mid", auth: "session", methods: { GET: MINIONS } },
  {
    path: "/minions",
    auth: "session",
    methods: {
      GET: MINIONS,
      POST: { summary: "Starts jobs without waiting", body: "Lowstates", returns: "Return", run: startJobs },
    },
  },
  { path: "/jobs/:jid", auth: "session", methods: { GET: JOBS } },
  { path: "/jobs", auth: "session", methods: { GET: JOBS } },
  {
    path: "/run",
    auth: "own",
    methods: {
      POST: {
        summary: "Runs commands that may contain their credentials",
        body: "Lowstates",
        returns: "Return",
        run: runWithCredentials,
      },
    },
  },
];

const EVENTS: Operation = {
  summary: "A live stream of the master's events",
  produces: "text/event-stream",
  run: (call) => eventStreamAnswer(call, { contentType: "text/event-stream", tokenInQuery: false }),
};

function hookRoutes({ webhookAuth }: GatewaySettings): Route[] {
  const auth = webhookAuth ? "session" : "none";
  const POST: Operation = {
    summary: "Fires an event whose tag ends with the rest of the path",
    body: "Any",
    returns: "Any",
    run: (call) => fireHook(call, ({ body, query }) => ({ post: body.data ?? {}, get: parametersOf(query) })),
  };
  return ["/hook", "/hook/:rest{.+}"].map((path) => ({ path, auth, methods: { POST } }));
}

function parametersOf(query: URLSearchParams): Record<string, string | string[]> {
  const names = [...new Set(query.keys())];
  return Object.fromEntries(names.map((name) => {
    const values = query.getAll(name);
    return [name, values.length === 1 ? values[0]! : values];
  }));
}

function socketRoute(path: string, summary: string, run: (call: Call) => Promise<Answer>): Route {
  return {
    path: `${path}/:token{[0-9a-fA-F]{32,128}}`,
    auth: "none",
    methods: { GET: { summary, produces: "text/plain", run } },
  };
}

const SOCKET_ROUTES: readonly Route[] = [
  socketRoute("/all_events", "The master's events over a WebSocket", eventSocket),
  socketRoute("/formatted_events", "Summaries of jobs and minions over a WebSocket", summarySocket),
];
