/** Routes that real servers have not: health, description, console. They stand beside either profile. */
import type { Call } from "../requests/call.ts";
import { consolePage } from "../console_page.ts";
import { describeRoutes, docsPage } from "./openapi.ts";
import { previewOf } from "../commands/preview.ts";
import type { Route } from "../requests/route.ts";

const UNAVAILABLE = 503;

/** @param routes all of the gateway, these included; known once they are in use */
export function ambientRoutes(routes: () => readonly Route[], draining: () => boolean): Route[] {
  const ready = (call: Call) => {
    const { open: backend } = call.services;
    if (!backend.up || draining()) call.status = UNAVAILABLE;
    return { value: { ready: backend.up && !draining(), master: backend.up, draining: draining() } };
  };
  return [
    {
      path: "/health",
      auth: "none",
      extension: true,
      methods: {
        GET: {
          summary: "The process is alive",
          cookie: false,
          returns: "Any",
          run: () => ({ value: { alive: true } }),
        },
      },
    },
    {
      path: "/ready",
      auth: "none",
      extension: true,
      methods: { GET: { summary: "There is a master to ask", cookie: false, returns: "Any", run: ready } },
    },
    {
      path: "/preview",
      auth: "session",
      extension: true,
      methods: {
        POST: {
          summary: "Whom a command would be published for; nothing is sent to anybody",
          body: "Lowstates",
          returns: "Return",
          run: previewOf,
        },
      },
    },
    {
      path: "/openapi.json",
      auth: "none",
      extension: true,
      methods: {
        GET: {
          summary: "This description",
          cookie: false,
          returns: "Any",
          run: ({ services: { settings } }) => ({ value: describeRoutes(routes(), settings) }),
        },
      },
    },
    {
      path: "/docs",
      auth: "none",
      extension: true,
      methods: {
        GET: {
          summary: "The same for people",
          cookie: false,
          produces: "text/html",
          run: ({ services: { settings } }) => docsPage(describeRoutes(routes(), settings)),
        },
      },
    },
    ...["/console", "/console/:rest{.+}"].map((path): Route => ({
      path,
      auth: "none",
      extension: true,
      methods: { GET: { summary: "The console", cookie: false, produces: "text/html", run: consolePage } },
    })),
  ];
}
