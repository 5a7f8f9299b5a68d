import type { Call } from "./requests/call.ts";
import { fileBelow, fileResponse } from "./static_files.ts";
import { joinPath } from "../../base/paths.ts";

/** Only the console's own files may be loaded; charts set styles on elements. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

const NOT_BUILT = `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>Brine console</title></head>
<body>
<h1>The console has not been built</h1>
<p>Run <code>npm run build:console</code>, or <code>deno task build:console</code>, in Brine's directory, then load this page again.</p>
</body>
</html>
`;

/** Files with a hash of their content in their names, which therefore never change. */
const HASHED = /^assets\/.+-[\w-]{8,}\.\w+$/;

/** The file with the names of the systems in the sign-in form. It is readable without a login, so it contains only the names. */
const SYSTEMS = "eauth.json";

function systems(externalAuth: Record<string, unknown>, headers: Record<string, string>): Response {
  return new Response(JSON.stringify(Object.keys(externalAuth).filter((name) => /^[a-z_]{1,40}$/.test(name)).sort()), {
    headers: { ...headers, "Content-Type": "application/json", "Cache-Control": "no-cache" },
  });
}

/** `GET /console/...`: a file of the built console; for every other path the page, which reads the path itself. */
export function consolePage(call: Call): Response {
  const { runtime: { fs }, consoleDir, settings } = call.services;
  const { rest = "" } = call.params;
  if (rest === SYSTEMS) return systems(settings.externalAuth, call.headers);
  const headers: Record<string, string> = {
    ...call.headers,
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
  };
  const page = consoleDir === undefined ? undefined : joinPath(consoleDir, "index.html");
  if (page === undefined || fs.stat(page)?.kind !== "file") {
    return new Response(NOT_BUILT, {
      status: 404,
      headers: { ...headers, "Content-Type": "text/html;charset=utf-8", "Cache-Control": "no-cache" },
    });
  }
  const file = rest === "" ? undefined : fileBelow(fs, consoleDir!, rest);
  headers["Cache-Control"] = file !== undefined && HASHED.test(rest)
    ? "public, max-age=31536000, immutable"
    : "no-cache";
  return fileResponse(fs, file ?? page, call.request, headers)!;
}
