import { isRecord } from "../../../base/record.ts";
import { type Api, isForbidden } from "../../api.ts";
import type { ArgSpec } from "../../form.ts";

export interface SlsFile {
  name: string;
  /** The comment at the start of the file; empty if there is none. */
  comment: string;
}

/** Signature and documentation of a function. */
interface FunctionDoc {
  spec?: ArgSpec;
  doc: string;
}

/** Names, signatures and documentation of functions. Answers of minions are kept; failed requests are not. */
export class FunctionDocs {
  readonly #api: Api;
  readonly #names = new Map<string, Promise<string[]>>();
  readonly #sls = new Map<string, Promise<SlsFile[]>>();
  readonly #docs = new Map<string, Promise<FunctionDoc>>();

  constructor(api: Api) {
    this.#api = api;
  }

  /** The functions of a minion, sorted. */
  list(minion: string): Promise<string[]> {
    return kept(this.#names, minion, async () => {
      const answer = await this.#api.local({ tgt: minion, tgt_type: "list", fun: "sys.list_functions" });
      return Array.isArray(answer[minion]) ? (answer[minion] as string[]).map(String).sort() : [];
    });
  }

  /** Signature and documentation of a function of a minion. */
  describe(minion: string, fun: string): Promise<FunctionDoc> {
    return kept(this.#docs, `${minion} ${fun}`, async () => {
      const ask = async (what: string) => {
        const answer = await this.#api.local({ tgt: minion, tgt_type: "list", fun: what, arg: [fun] });
        return (answer[minion] as Record<string, unknown> | undefined)?.[fun];
      };
      const [spec, doc] = await Promise.all([ask("sys.argspec"), ask("sys.doc")]);
      return {
        ...(typeof spec === "object" && spec !== null ? { spec: spec as ArgSpec } : {}),
        doc: typeof doc === "string" ? doc : "",
      };
    });
  }

  /**
   * The SLS files of the master, each with its first comment; with a master other than Brine, only the names.
   *
   * @throws {ApiError} if this account may not list files
   */
  slsFiles(): Promise<SlsFile[]> {
    return kept(this.#sls, "base", async () => {
      try {
        const found = await this.#api.runner("fileserver.sls_list");
        if (isRecord(found)) {
          return Object.entries(found).map(([name, comment]) => ({ name, comment: String(comment ?? "") }));
        }
      } catch (error) {
        if (isForbidden(error)) throw error;
      }
      const listed = await this.#api.runner("fileserver.file_list");
      const names = (Array.isArray(listed) ? listed.map(String) : []).filter((path) => path.endsWith(".sls"))
        .map((path) => path.replace(/(?:\/init)?\.sls$/, "").replaceAll("/", "."));
      return [...new Set(names)].sort().map((name) => ({ name, comment: "" }));
    });
  }

  /** Documentation of the master's own functions: name → text. */
  async ofMaster(client: "runner" | "wheel"): Promise<Map<string, string>> {
    const docs = await this.#api.runner(`doc.${client}`) as Record<string, unknown>;
    return new Map(
      Object.entries(docs ?? {}).map(([name, doc]): [string, string] => [name, String(doc)])
        .sort(([left], [right]) => left < right ? -1 : 1),
    );
  }

  forget(): void {
    this.#names.clear();
    this.#docs.clear();
    this.#sls.clear();
  }
}

function kept<T>(answers: Map<string, Promise<T>>, key: string, ask: () => Promise<T>): Promise<T> {
  const known = answers.get(key);
  if (known !== undefined) return known;
  const answer = ask();
  answers.set(key, answer);
  answer.catch(() => answers.delete(key));
  return answer;
}
