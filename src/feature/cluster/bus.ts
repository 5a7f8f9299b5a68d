export interface BusMessage {
  /** The name under which a master process joined the bus; proven by the seal. */
  readonly sender: string;
  readonly subject: string;
  readonly bytes: Uint8Array;
}

export interface StreamRecord {
  /** The number of the record, which grows with each record and is the same on every master. */
  readonly seq: number;
  readonly sender: string;
  /** When the record was appended, by the clock of its sender, in milliseconds since the epoch. */
  readonly atMs: number;
  readonly bytes: Uint8Array;
}

export interface StreamReader {
  /** Called with each record, in order. The next record comes once this call has returned. */
  record(record: StreamRecord): void;
  /** Called when records before the next one are missing: they were older than the stream keeps, or the server has lost them. */
  missed(count: number): void;
}

export interface BusState {
  readonly connected: boolean;
  /** When this state began, in milliseconds of the even clock. */
  readonly sinceMs: number;
  /** Why the bus is not connected. */
  readonly reason?: string;
}

/**
 * Carries the messages between the masters of a cluster. All messages are sealed: an attacker at the server, without the masters' key,
 * learns only sizes and times. Messages that the attacker makes, alters, repeats or holds back are
 * refused or noticed as missing.
 *
 * Waiting is bounded: {@link Bus.send} drops messages that cannot be sent, and receivers are told how many they have missed;
 * {@link Bus.append} rejects in time.
 */
export interface Bus extends AsyncDisposable {
  /** The server or servers, for errors; without passwords. */
  readonly place: string;
  readonly name: string;
  readonly state: BusState;
  /** The number of messages since the bus was opened that were refused, or could not be sent. */
  readonly counts: Readonly<BusCounts>;
  /** Joins again under another name. Late messages to the old name are refused. */
  rename(name: string): void;
  /** Calls back when the connection is lost or restored. Returns a function that ends this. */
  onState(listener: (state: BusState) => void): () => void;
  /**
   * Sends a message to the other masters, or to one of them. Messages of one sender arrive in the order in which they were sent, each
   * once, or are reported as missing.
   *
   * @param to a sender's name @default all others
   */
  send(subject: string, bytes: Uint8Array, to?: string): void;
  /** Handles messages of other masters on a subject. Returns a function that ends this. */
  on(subject: string, handler: (message: BusMessage) => void): () => void;
  /** Calls back when messages of a sender to all masters were lost. Returns a function that ends this. */
  onMissed(handler: (sender: string, count: number) => void): () => void;
  /**
   * Appends to a stream, which survives a restart of the server. Resolves to the number of the record once the server has stored it.
   *
   * @param timeoutMs the time after which the call rejects; the record may have been stored all the same @default 5000
   * @throws {SystemError} `ETIMEDOUT` if the server does not store the record in time, `EAGAIN` if too many records wait
   */
  append(stream: string, bytes: Uint8Array, timeoutMs?: number): Promise<number>;
  /**
   * Reads a stream from now on, including records of this master. After a lost connection, reading continues with the missed records.
   *
   * @returns a function that ends the reading, once the stream is being read
   * @throws {SystemError} if the server cannot be reached
   */
  follow(stream: string, reader: StreamReader): Promise<() => void>;
  /** The number of the last record that a stream has or ever had; 0 if none. @throws {SystemError} if the server cannot be reached */
  last(stream: string): Promise<number>;
  /** Resolves once earlier messages have left this process, or were dropped. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** See {@link Bus.counts}. */
export interface BusCounts {
  /** Messages that were not sealed with the key of this cluster, or were for another place. */
  foreign: number;
  /** Messages that were received before, or sent before this master joined. */
  replayed: number;
  /** Messages of other masters that have not arrived. */
  missed: number;
  /** Messages of this master that were not sent, because the server was unreachable or too slow. */
  dropped: number;
}

/**
 * The transport of a bus, which carries sealed bytes. Implementations know their server, and nothing about the cluster.
 *
 * Channels are short words of letters, digits and `_`.
 */
export interface BusWire {
  readonly place: string;
  readonly state: BusState;
  /** The most bytes that {@link BusWire.publish} and {@link BusWire.append} take in one call: some thousands at least. */
  readonly maxBytes: number;
  onState(listener: (state: BusState) => void): () => void;
  /** Sends to all other subscribers of a channel, in order. False if the bytes were dropped: there is no connection, or too much waits. */
  publish(channel: string, bytes: Uint8Array): boolean;
  /** Receives messages of others on a channel; may also receive the sender's own messages. */
  subscribe(channel: string, handler: (bytes: Uint8Array) => void): () => void;
  /**
   * Appends one record. A record whose `id` was appended in the last minutes is not appended again; the call resolves to its number.
   *
   * @throws {SystemError} if the server has not stored the record in time; `EEXIST` if somebody else has appended another record with
   * this id
   */
  append(stream: string, bytes: Uint8Array, id: string, timeoutMs: number): Promise<number>;
  /**
   * Reads records from now on, in order. After a lost connection, reading continues at the same record.
   *
   * @returns a function that ends the reading
   */
  follow(
    stream: string,
    reader: { record(seq: number, bytes: Uint8Array): void; missed(count: number): void },
  ): Promise<() => void>;
  last(stream: string): Promise<number>;
  flush(): Promise<void>;
  close(): Promise<void>;
}
