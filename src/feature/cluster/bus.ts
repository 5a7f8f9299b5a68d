/** A message of another master. */
export interface BusMessage {
  /** The name under which that run of a master joined the bus; proven by the seal. */
  readonly sender: string;
  readonly subject: string;
  readonly bytes: Uint8Array;
}

/** One record of a stream. */
export interface StreamRecord {
  /** Grows with each record; the same on every master. */
  readonly seq: number;
  readonly sender: string;
  /** When it was appended by the clock of its sender, in milliseconds since the epoch. */
  readonly atMs: number;
  readonly bytes: Uint8Array;
}

/** Who reads a stream. */
export interface StreamReader {
  /** In order. The next one comes once it has returned. */
  record(record: StreamRecord): void;
  /** Records before the next one are gone: they were older than the stream keeps, or their server has lost them. */
  missed(count: number): void;
}

/** How a bus stands. */
export interface BusState {
  readonly connected: boolean;
  /** Since when, in milliseconds of the even clock. */
  readonly sinceMs: number;
  /** Why it is not connected. */
  readonly reason?: string;
}

/**
 * What the masters of a cluster tell each other. Whatever goes over it is sealed: who reads or writes at the server in between without
 * the key of the masters learns nothing but sizes and times, and whatever it makes, alters, repeats or holds back is
 * refused or noticed as missing.
 *
 * Nothing waits without a bound: {@link Bus.send} drops what cannot be sent, and receivers are told how many they have missed;
 * {@link Bus.append} rejects in time.
 */
export interface Bus extends AsyncDisposable {
  /** The server or servers, for errors; without passwords. */
  readonly place: string;
  /** The name that this master has on the bus. */
  readonly name: string;
  readonly state: BusState;
  /** What was refused since the bus was opened, and what could not be sent. */
  readonly counts: Readonly<BusCounts>;
  /** Joins again under another name. Late messages under the old name are refused. */
  rename(name: string): void;
  /** Calls back when the connection is lost or there again. Returns what ends that. */
  onState(listener: (state: BusState) => void): () => void;
  /**
   * Tells the other masters, or one of them. Messages of one sender arrive in the order in which they were sent, each once, or are told
   * to be missing.
   *
   * @param to a sender's name @default all others
   */
  send(subject: string, bytes: Uint8Array, to?: string): void;
  /** Messages of others on a subject. Returns what ends that. */
  on(subject: string, handler: (message: BusMessage) => void): () => void;
  /** Calls back when messages of a sender to all have not arrived, and will not. Returns what ends that. */
  onMissed(handler: (sender: string, count: number) => void): () => void;
  /**
   * Appends to a stream, which survives a restart of the server. Resolves to the number of the record once the server has it.
   *
   * @param timeoutMs after which it rejects; the record may be there all the same @default 5000
   * @throws {SystemError} `ETIMEDOUT` if the server does not take it in time, `EAGAIN` if too much waits to be appended
   */
  append(stream: string, bytes: Uint8Array, timeoutMs?: number): Promise<number>;
  /**
   * Reads a stream, own records included, from now on. It goes on by itself after the connection was lost, with what came meanwhile.
   *
   * @returns what ends it, once the stream is being read
   * @throws {SystemError} if the server cannot be reached
   */
  follow(stream: string, reader: StreamReader): Promise<() => void>;
  /** The number of the last record that a stream has or ever had; 0 if none. @throws {SystemError} if the server cannot be reached */
  last(stream: string): Promise<number>;
  /** Resolves once what was sent before has left this process, or cannot. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** See {@link Bus.counts}. */
export interface BusCounts {
  /** Not sealed with the key of this cluster, or for another place. */
  foreign: number;
  /** Received before, or sent before this master joined. */
  replayed: number;
  /** Messages of others that have not arrived. */
  missed: number;
  /** Own messages that were not sent: the server was away or too slow. */
  dropped: number;
}

/**
 * What carries a bus: bytes that are sealed already. Implementations know a server and nothing of the cluster.
 *
 * Channels are short words of letters, digits and `_`.
 */
export interface BusWire {
  readonly place: string;
  readonly state: BusState;
  /** Bytes that {@link BusWire.publish} and {@link BusWire.append} take at once: some thousands at least. */
  readonly maxBytes: number;
  onState(listener: (state: BusState) => void): () => void;
  /** Sends to everybody else on a channel, in order. False if it was dropped: there is no connection, or too much waits. */
  publish(channel: string, bytes: Uint8Array): boolean;
  /** Receives what others publish on a channel; may bring own messages, too. */
  subscribe(channel: string, handler: (bytes: Uint8Array) => void): () => void;
  /**
   * Appends one record; one whose `id` was appended in the last minutes is not appended again, and resolves to its number.
   *
   * @throws {SystemError} if the server has not taken it in time; `EEXIST` if the record of that id is another one: somebody else has
   * appended it
   */
  append(stream: string, bytes: Uint8Array, id: string, timeoutMs: number): Promise<number>;
  /**
   * Reads records from now on, in order, again after a loss of the connection where it was.
   *
   * @returns what ends it
   */
  follow(
    stream: string,
    reader: { record(seq: number, bytes: Uint8Array): void; missed(count: number): void },
  ): Promise<() => void>;
  last(stream: string): Promise<number>;
  flush(): Promise<void>;
  close(): Promise<void>;
}
