import { SystemError } from "../base/errors.ts";
import { CommandExecutionError } from "../model/loader/family.ts";
import { repr } from "../language/python/values.ts";
import { ForeignLinkError } from "../runtime/foreign_links.ts";

/** Numbers, texts and exceptions of the system's errors, as Python has them on Linux. */
const ERRORS: Record<string, { number: number; text: string; name?: string }> = {
  EPERM: { number: 1, text: "Operation not permitted", name: "PermissionError" },
  ENOENT: { number: 2, text: "No such file or directory", name: "FileNotFoundError" },
  EIO: { number: 5, text: "Input/output error" },
  ENXIO: { number: 6, text: "No such device or address" },
  EACCES: { number: 13, text: "Permission denied", name: "PermissionError" },
  EBUSY: { number: 16, text: "Device or resource busy" },
  EEXIST: { number: 17, text: "File exists", name: "FileExistsError" },
  EXDEV: { number: 18, text: "Invalid cross-device link" },
  ENODEV: { number: 19, text: "No such device" },
  ENOTDIR: { number: 20, text: "Not a directory", name: "NotADirectoryError" },
  EISDIR: { number: 21, text: "Is a directory", name: "IsADirectoryError" },
  EINVAL: { number: 22, text: "Invalid argument" },
  EMFILE: { number: 24, text: "Too many open files" },
  ETXTBSY: { number: 26, text: "Text file busy" },
  EFBIG: { number: 27, text: "File too large" },
  ENOSPC: { number: 28, text: "No space left on device" },
  ESPIPE: { number: 29, text: "Illegal seek" },
  EROFS: { number: 30, text: "Read-only file system" },
  EMLINK: { number: 31, text: "Too many links" },
  ENAMETOOLONG: { number: 36, text: "File name too long" },
  ENOTEMPTY: { number: 39, text: "Directory not empty" },
  ELOOP: { number: 40, text: "Too many levels of symbolic links" },
  EOPNOTSUPP: { number: 95, text: "Operation not supported" },
  EDQUOT: { number: 122, text: "Disk quota exceeded" },
};

/** An error with the name of a Python exception, such as `ValueError`: a return that shows it ends with `ValueError: …`. */
export function pythonError(name: string, message: string): Error {
  return Object.assign(new Error(message), { name });
}

/** What the system says of its error: `No such file or directory`. */
export function systemText(error: SystemError): string {
  if (error instanceof ForeignLinkError) return error.message;
  return ERRORS[error.errno]?.text ?? error.errno;
}

/** `[Errno 2] No such file or directory: '/x'`; with a second path, ` -> '/y'`. */
export function osErrorText(error: SystemError, ...paths: string[]): string {
  if (error instanceof ForeignLinkError) return error.message;
  const { number = 5, text = error.errno } = ERRORS[error.errno] ?? {};
  return `[Errno ${number}] ${text}${paths.length === 0 ? "" : `: ${paths.map(repr).join(" -> ")}`}`;
}

/** The exception that Python raises where a call of the system fails. Returns anything but a {@link SystemError} unchanged. */
export function osError(error: unknown, ...paths: string[]): unknown {
  if (!(error instanceof SystemError)) return error;
  // Salt has no such refusal: what stands in the way is to be read.
  if (error instanceof ForeignLinkError) return new CommandExecutionError(error.message, { cause: error });
  return pythonError(ERRORS[error.errno]?.name ?? "OSError", osErrorText(error, ...paths));
}

/** Runs `work` on a file; a system error is thrown as the exception that Python would raise. */
export function withOsErrors<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw osError(error, path);
  }
}
