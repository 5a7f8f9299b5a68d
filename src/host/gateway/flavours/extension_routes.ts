/** Routes that Salt's servers do not have: health, preview, description, console. Every flavour has them. */
import { previewOf } from "../commands/preview.ts";
import { consolePage } from "../console_page.ts";
import { describeRoutes, docsPage } from "../openapi.ts";
import type { Call } from "../requests/call.ts";
import type { Answer, Operation, Route } from "../requests/route.ts";

/** The extension routes. @param routes returns all routes of the gateway, including these; called once the gateway is complete */
export function extensionRoutes(routes: () => readonly Route[]): Route[] {
  const describe = ({ services: { settings } }: Call) => describeRoutes(routes(), settings);
  return [
    get("/health", { summary: "The process is running", returns: "Alive", run: () => ({ value: { alive: true } }) }),
    get("/ready", {
      summary: "Whether the master can be reached, and whether it is a Brine master",
      returns: "Ready",
      run: readiness,
    }),
    PREVIEW,
    get("/openapi.json", {
      summary: "This description",
      returns: "Any",
      run: (call) => ({ value: describe(call) }),
    }),
    get("/docs", {
      summary: "The same information as a page",
      produces: "text/html",
      run: (call) => docsPage(describe(call)),
    }),
    ...["/console", "/console/:rest{.+}"].map((path) =>
      get(path, { summary: "The web console", produces: "text/html", run: consolePage })
    ),
  ];
}

/** A route for every caller, which sets no cookie. */
function get(path: string, operation: Operation): Route {
  return { path, auth: "none", extension: true, methods: { GET: { cookie: false, ...operation } } };
}

const PREVIEW: Route = {
  path: "/preview",
  auth: "session",
  extension: true,
  methods: {
    POST: {
      summary: "The minions that a command would reach; nothing is sent to them",
      body: "Lowstates",
      returns: "Previewed",
      run: previewOf,
    },
  },
};

async function readiness(call: Call): Promise<Answer> {
  const { open, draining } = call.services;
  const { up, isBrine } = open;
  const cluster = up ? await open.cluster?.() : undefined;
  const publishes = cluster === undefined || (cluster.storage && cluster.bus && cluster.lease);
  const ready = up && publishes && !draining();
  if (!ready) call.status = 503;
  const more = cluster === undefined ? {} : { cluster };
  return { value: { ready, master: up, draining: draining(), brine: isBrine, ...more } };
}
