/** Converts an answer with an error status to an error with a meaning. */
import { saysForbidden } from "../../model/api_answer.ts";
import { type ErrorCode, ProtocolError, type SaltError, TimeoutError } from "../../base/errors.ts";
import { printable } from "../../base/printable.ts";
import { ClientError } from "../client_error.ts";

/** The most characters of a server's text in the message of an error. */
const MAX_SAID_CHARACTERS = 1000;
/** The longest wait that a server may ask for, in seconds. */
const MAX_WAIT_SECONDS = 86_400;

/** The request to a server, for messages. */
export interface Asked {
  /** The method and path, such as `POST /run`. */
  what: string;
  /** The origin of the server: `https://salt.example.com:8000`. */
  origin: string;
}

/**
 * The error for an answer.
 *
 * @param message the message in the body of the answer
 */
export function httpFailure({ status, headers }: Response, message: string, { what, origin }: Asked): SaltError {
  const said = message === "" ? `${status}` : printable(message, MAX_SAID_CHARACTERS);
  const error = (code: ErrorCode, text: string) => new ClientError(code, text, { status, said: message });
  switch (status) {
    case 401:
      return saysForbidden(message)
        ? error(
          "PERMISSION",
          `${said} The user lacks the permission: see external_auth of the master, and docs/permissions.md`,
        )
        : error("AUTHENTICATION", `${origin} does not accept the credentials (${said}): check token or login`);
    case 403:
      return error("PERMISSION", `${origin} refuses ${what}: ${said}`);
    case 404:
    case 405:
      return new ProtocolError(`${origin} has no ${what}: check that it is a salt-api, and the path in the URL`, {
        status,
        said: message,
      });
    case 429: {
      const seconds = Number(headers.get("Retry-After") ?? 60);
      const sensible = seconds >= 0 && seconds <= MAX_WAIT_SECONDS;
      return new ClientError("TOO_MANY_ATTEMPTS", `${origin} has seen too many failed logins: ${said}`, {
        status,
        said: message,
        retryAfterMs: sensible ? seconds * 1000 : 60_000,
      });
    }
    case 501:
      return error("NOT_BRINE", said);
    case 502:
      return error("UNREACHABLE", `The proxy before ${origin} cannot reach it: ${said}`);
    case 503:
      return error("MASTER_DOWN", `The master of ${origin} does not answer: ${said}`);
    case 504:
      return new TimeoutError(`${origin} did not answer ${what} in time: ${said}`, { status, said: message });
    default:
      if (status >= 500) {
        return error(
          "FAILED",
          `${what} failed on ${origin} (${said}): see its log. An unknown function also fails this way`,
        );
      }
      return error("REFUSED", said);
  }
}

/**
 * The error for a redirect, which is never followed: a token is sent only to the given server. `rest_tornado` answers an invalid token
 * with a redirect to its login.
 */
export function redirected(response: Response, { origin, what }: Asked): SaltError {
  // A browser does not show the target of a redirect.
  const location = response.headers.get("Location");
  if (location === "/login" || location === `${origin}/login`) {
    return new ClientError("AUTHENTICATION", `${origin} requires a login for ${what}: check token or login`, {
      location,
    });
  }
  const where = location === null ? "elsewhere" : `to ${printable(location, 200)}`;
  return new ProtocolError(
    `${origin} redirects ${where}, but the client does not send its token there: connect to that address directly`,
    {
      location,
    },
  );
}

export const isRedirect = ({ status, type }: Response): boolean =>
  type === "opaqueredirect" || (status >= 300 && status < 400);
