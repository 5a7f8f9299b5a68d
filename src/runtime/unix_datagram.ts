import { SystemError } from "../base/errors.ts";

/** The functions of Linux's C library that send a datagram. */
export interface DatagramCalls {
  socket(domain: number, type: number, protocol: number): number;
  sendto(
    fd: number,
    data: Uint8Array,
    length: number,
    flags: number,
    address: Uint8Array,
    addressLength: number,
  ): number;
  close(fd: number): number;
}

const AF_UNIX = 1;
/** The type of the socket: SOCK_DGRAM | SOCK_CLOEXEC. */
const DATAGRAM = 2 | 0o2000000;
/** The flags of a send that does not wait: MSG_DONTWAIT | MSG_NOSIGNAL. */
const AT_ONCE = 0x40 | 0x4000;

/** `sun_path` of Linux without its closing zero byte. */
const MAX_PATH_BYTES = 107;

/** The bytes of `sockaddr_un` for a path, or for an abstract name after `@`; undefined for any other text. */
export function unixAddress(path: string): Uint8Array | undefined {
  const name = new TextEncoder().encode(path);
  const abstract = path.startsWith("@");
  if (!abstract && !path.startsWith("/") || name.length < 2 || name.length > MAX_PATH_BYTES || name.includes(0)) {
    return undefined;
  }
  const address = new Uint8Array(2 + name.length + (abstract ? 0 : 1));
  new Uint16Array(address.buffer, 0, 1)[0] = AF_UNIX;
  address.set(name, 2);
  if (abstract) address[2] = 0;
  return address;
}

/** Implements `Net.unixDatagram` with the C functions of a runtime. */
export function sendUnixDatagram(calls: DatagramCalls, path: string, data: Uint8Array): void {
  const address = unixAddress(path);
  const failed = (errno: string, why: string) =>
    new SystemError(errno, `Cannot send a datagram to "${path}": ${why}`, { path });
  if (address === undefined) throw failed("EINVAL", "expected a path of at most 107 bytes, or @ and a name");
  const fd = calls.socket(AF_UNIX, DATAGRAM, 0);
  if (fd < 0) throw failed("EIO", "no socket can be opened");
  try {
    const sent = calls.sendto(fd, data, data.length, AT_ONCE, address, address.length);
    if (sent !== data.length) throw failed("EIO", "no program listens there, or its queue is full");
  } finally {
    calls.close(fd);
  }
}
