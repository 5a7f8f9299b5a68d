/** Rules of iptables, from arguments by name. */
import { SaltInvocationError } from "../../../model/loader/family.ts";
import { type Args, str } from "../../../language/python/values.ts";

/** Arguments that belong to the target, and so stand behind `--jump`. In the order in which they are written. */
const BEHIND_JUMP =
  ("j jump add-set and-mark and-tos checksum-fill clamp-mss-to-pmtu clustermac ctevents ctmask del-set " +
    "ecn-tcp-remove exist expevents gateway hash-init hashmode helper label local-node log-ip-options log-level log-prefix " +
    "log-tcp-options log-tcp-sequence log-uid map-set mask mss new nfmask nflog-group nflog-prefix nflog-range " +
    "nflog-threshold nodst notrack on-ip on-port or-mark or-tos persistent queue-balance queue-bypass queue-num random " +
    "random-fully rateest-ewmalog rateest-interval rateest-name reject-with restore restore-mark sack-perm save-mark selctx " +
    "set-class set-dscp set-dscp-class set-mark set-mss set-tos set-xmark strip-options timeout timestamp to " +
    "to-destination to-ports to-source total-nodes tproxy-mark ttl-dec ttl-inc ttl-set type ulog-cprange ulog-nlgroup " +
    "ulog-prefix ulog-qthreshold wscale xor-mark xor-tos zone zone-orig zone-reply dst-pfx hl-dec hl-inc hl-set " +
    "hmark-dport-mask hmark-dst-prefix hmark-mod hmark-offset hmark-proto-mask hmark-rnd hmark-spi-mask hmark-sport-mask " +
    "hmark-src-prefix hmark-tuple led-always-blink led-delay led-trigger-id queue-cpu-fanout src-pfx to-port addr and-mask " +
    "delude honeypot or-mask prefix reset reuse set-mac shift static tarpit tname ttl").split(" ");

const NAMED = ["pknock", "quota2", "recent"];

const isNegated = (text: string): boolean => text.startsWith("!") || text.startsWith("not");
const plain = (text: string): string => text.replace(/(?:!|not)\s?/g, "");

/** What is left to write of a rule: each argument is taken once. */
class RuleWriter {
  readonly words: string[] = [];
  readonly #left: Map<string, unknown>;

  constructor(args: Args) {
    this.#left = new Map(Object.entries(args));
  }

  get rest(): string[] {
    return [...this.#left.keys()];
  }

  has(name: string): boolean {
    return this.#left.has(name);
  }

  peek(name: string): unknown {
    return this.#left.get(name);
  }

  take(name: string): unknown {
    const value = this.#left.get(name);
    this.#left.delete(name);
    return value;
  }

  /** `! --dport 80` for `!80`. */
  add(name: string, flag: string): void {
    if (!this.has(name)) return;
    const value = this.take(name);
    const text = str(value);
    const negated = isNegated(text);
    const shown = value === null || value === "" ? "" : ` ${negated ? plain(text) : text}`;
    this.words.push(`${negated ? "! " : ""}${flag}${shown}`);
  }

  once(word: string): void {
    if (!this.words.includes(word)) this.words.push(word);
  }
}

function addMatches(rule: RuleWriter): void {
  const policy = rule.peek("match") === "policy";
  const value = rule.take("match");
  for (const match of Array.isArray(value) ? value.map(str) : str(value).split(",")) {
    rule.words.push(`-m ${match}`);
    if (rule.has("name_") && NAMED.includes(match.trim())) rule.words.push(`--name ${str(rule.take("name_"))}`);
  }
  if (policy) rule.add("proto", "--proto");
}

function addSets(rule: RuleWriter): void {
  const value = rule.take("match-set");
  for (const set of (Array.isArray(value) ? value : [value]).map(str)) {
    rule.words.push(`-m set ${isNegated(set) ? "! " : ""}--match-set ${isNegated(set) ? plain(set) : set}`);
  }
}

function addPorts(rule: RuleWriter, name: "dports" | "sports", hasProtocol: boolean): void {
  if (!rule.words.includes("-m multiport")) {
    rule.words.push("-m multiport");
    if (!hasProtocol) throw new SaltInvocationError("Error: protocol must be specified");
  }
  const value = rule.take(name);
  const ports = (Array.isArray(value) ? value : [value]).map(str);
  const negated = ports.some(isNegated);
  if (negated) rule.words.push("!");
  rule.words.push(`--${name} ${(negated ? ports.map(plain) : ports).join(",")}`);
}

function behindJump(rule: RuleWriter): string[] {
  return BEHIND_JUMP.filter((name) => rule.has(name)).map((name) => {
    const value = rule.take(name);
    if (value === null || value === "") return `--${name}`;
    const text = str(value);
    return /[ \t\n\r\v\f]/.test(text) ? `--${name} "${text}"` : `--${name} ${text}`;
  });
}

/**
 * The words of a rule, `-p tcp --dport 80 --jump ACCEPT`.
 *
 * @throws {SaltInvocationError} if several ports are named without a protocol
 */
export function ruleText(args: Args): string {
  const { target, name: _name, state: _state, chain: _chain, save: _save, table: _table, ...others } = args;
  const rule = new RuleWriter("target" in args ? { ...others, jump: target } : others);
  rule.add("if", "-i");
  rule.add("of", "-o");
  const protocol = rule.has("proto") && rule.peek("match") !== "policy" ? "proto" : "protocol";
  const hasProtocol = rule.has(protocol);
  rule.add(protocol, "-p");
  if (protocol === "proto") rule.take("protocol");
  if (rule.has("match")) addMatches(rule);
  if (rule.has("match-set")) addSets(rule);
  if (rule.has("connstate")) {
    rule.once("-m state");
    rule.add("connstate", "--state");
  }
  rule.add("dport", "--dport");
  rule.add("sport", "--sport");
  for (const name of ["dports", "sports"] as const) if (rule.has(name)) addPorts(rule, name, hasProtocol);
  if (rule.has("comment")) {
    rule.once("-m comment");
    rule.words.push(`--comment "${str(rule.take("comment"))}"`);
  }
  if (rule.peek("set")) rule.add("set", "--match-set");
  const last = behindJump(rule);
  for (const name of rule.rest) rule.add(name, `${name.length === 1 ? "-" : "--"}${name}`);
  return [...rule.words, ...last].join(" ");
}
