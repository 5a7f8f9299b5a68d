import { HTTP_REASONS } from "../../wire/http_reasons.ts";
import type { ErrorPage } from "../profile.ts";

/** The error page of `rest_tornado`, which never shows a message. */
export function errorPage(status: number): ErrorPage {
  const title = `${status}: ${HTTP_REASONS[status] ?? ""}`;
  return {
    type: "text/html; charset=UTF-8",
    body: `<html><title>${title}</title><body>${title}</body></html>`,
  };
}
