/** The routes of the other profile: what clients of `rest_tornado` know. */
import { isMap } from "../../../python/containers.ts";
import { messageOf } from "../../../errors.ts";
import type { Call } from "../../requests/call.ts";
import { lowContext } from "../../commands/commands.ts";
import { serverSentEvents, tornadoSocket } from "../../events/events.ts";
import { HttpError, MasterDownError, RefusedError } from "../../wire/errors.ts";
import { logInOfTornado } from "../../auth/login.ts";
import { type Low, lowstates, TORNADO_CLIENTS } from "../../commands/lowstate.ts";
import type { Answer, Operation, Route } from "../../requests/route.ts";
import type { GatewaySettings } from "../../settings.ts";
import { fireHook } from "../../events/webhook.ts";

const FAILED = "Failed to authenticate";

function refuse(text: string): Response {
  return new Response(text, { status: 400, headers: { "Content-Type": "text/html; charset=UTF-8" } });
}

/** Carries out commands; what goes wrong with one stands in its place, and only those who may not are not heard further. */
async function disbatch(call: Call, lows: readonly Low[]): Promise<Answer> {
  const context = lowContext(call);
  const known = (low: Low) => typeof low.client === "string" && Object.hasOwn(TORNADO_CLIENTS, low.client);
  if (!lows.every(known)) return refuse("400 Invalid Client: Client not found in salt clients");
  const results: unknown[] = [];
  for (const given of lows) {
    const low = { ...given };
    if (low.token === undefined && call.identity !== undefined) low.token = call.identity.record.token;
    const credentials = low.token !== undefined ||
      (low.username !== undefined && low.password !== undefined && low.eauth !== undefined);
    if (!credentials) {
      results.push(FAILED);
      break;
    }
    try {
      results.push(await TORNADO_CLIENTS[low.client as string]!(low, context));
    } catch (error) {
      if (error instanceof MasterDownError) throw error;
      // Of runners and wheel functions the master tells more, and that went out as any other failure.
      if (error instanceof HttpError && error.status === 429) throw error;
      const mayNot = error instanceof HttpError ? error.status === 401 : error instanceof RefusedError &&
        (error.kind === "authentication" || error.kind === "authorization") &&
        String(low.client).startsWith("local");
      if (mayNot) {
        results.push(FAILED);
        break;
      }
      results.push(`Unexpected exception while handling request: ${messageOf(error)}`);
    }
  }
  return { value: { return: results } };
}

const run = (call: Call) => disbatch(call, lowstates(call.body.data));

function minions(call: Call): Promise<Answer> {
  return disbatch(call, [{ client: "local", tgt: call.params.mid ?? "*", fun: "grains.items" }]);
}

async function startJobs(call: Call): Promise<Answer> {
  const { data } = call.body;
  const lows = lowstates(data);
  for (const low of lows) {
    if (low.client !== undefined && low.client !== "local_async") return refuse("We don't serve your kind here");
    low.client = "local_async";
  }
  return await disbatch(call, lows);
}

function jobs(call: Call): Promise<Answer> {
  const { jid } = call.params;
  return disbatch(call, [
    jid === undefined ? { client: "runner", fun: "jobs.list_jobs" } : { client: "runner", fun: "jobs.list_job", jid },
  ]);
}

/** What this profile has as a session is the eauth token itself. */
async function runWithToken(call: Call): Promise<Answer> {
  if (isMap(call.body.data) || Array.isArray(call.body.data)) return await run(call);
  throw new HttpError(400, "Lowstates must be a list");
}

/** The routes, in the order in which they are looked at. */
export function tornadoRoutes({ webhookAuth, websockets }: GatewaySettings): Route[] {
  const hook: Operation = {
    summary: "Fires an event whose tag ends with the rest of the path",
    body: "Any",
    returns: "Any",
    run: fireHook,
  };
  const minionsOf: Operation = { summary: "The grains of minions", returns: "Return", run: minions };
  const jobsOf: Operation = { summary: "Jobs, or one of them with its returns", returns: "Return", run: jobs };
  const clients = Object.keys(TORNADO_CLIENTS);
  const socketRow = (path: string, formatted: boolean): Route => ({
    path: `${path}/:token{[0-9a-fA-F]{32,128}}`,
    auth: "none",
    methods: {
      GET: {
        summary: formatted ? "Summaries of jobs and minions over a WebSocket" : "The master's events over a WebSocket",
        produces: "text/plain",
        run: (call) => tornadoSocket(call, formatted),
      },
    },
  });
  return [
    {
      path: "/",
      auth: "own",
      methods: {
        GET: {
          summary: "Greeting, and the clients that there are",
          returns: "Any",
          run: () => ({ value: { clients, return: "Welcome" } }),
        },
        POST: {
          summary: "Runs commands, one after the other",
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
        GET: {
          summary: "How to log in",
          returns: "Any",
          run(call) {
            call.status = 401;
            call.headers["Www-Authenticate"] = "Session";
            return { value: { status: "401 Unauthorized", return: "Please log in" } };
          },
        },
        POST: { summary: "Opens a session", body: "Credentials", returns: "Login", run: logInOfTornado },
      },
    },
    { path: "/minions/:mid", auth: "session", methods: { GET: minionsOf } },
    {
      path: "/minions",
      auth: "session",
      methods: {
        GET: minionsOf,
        POST: { summary: "Starts jobs and does not wait", body: "Lowstates", returns: "Return", run: startJobs },
      },
    },
    { path: "/jobs/:jid", auth: "session", methods: { GET: jobsOf } },
    { path: "/jobs", auth: "session", methods: { GET: jobsOf } },
    {
      path: "/run",
      auth: "own",
      methods: {
        POST: {
          summary: "Runs commands that may bring their credentials",
          body: "Lowstates",
          returns: "Return",
          run: runWithToken,
        },
      },
    },
    {
      path: "/events",
      auth: "session",
      methods: {
        GET: { summary: "The master's events, as they happen", produces: "text/event-stream", run: serverSentEvents },
      },
    },
    { path: "/hook", auth: webhookAuth ? "session" : "none", methods: { POST: hook } },
    { path: "/hook/:rest{.+}", auth: webhookAuth ? "session" : "none", methods: { POST: hook } },
    ...(websockets ? [socketRow("/all_events", false), socketRow("/formatted_events", true)] : []),
  ];
}
