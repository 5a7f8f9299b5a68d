export interface Grant {
  user: string;
  host: string;
  grant: string[];
  /** With its quotes, as `` `db`.* ``. */
  database: string;
}

/** Words, quoted names, and everything else by itself. */
const TOKEN = /'[^']*'|`[^`]*`|[A-Za-z0-9_"][A-Za-z0-9_"'`]*|[^\s]/g;

/** Grants of a statement, with columns as `SELECT.column`. Returns them and where the database begins. */
function privilegesOf(tokens: readonly string[]): { grant: string[]; at: number } {
  const grant: string[] = [];
  let words: string[] = [];
  let column = false;
  let current = "";
  for (let at = 1; at < tokens.length; at++) {
    const token = tokens[at]!;
    if (token === "ON") return { grant, at: at + 1 };
    if (token === "," || token === "(" || token === ")") {
      if (token !== ",") column = token === "(";
      continue;
    }
    if (![",", "ON", "(", ")"].includes(tokens[at + 1] ?? "")) words.push(token);
    else if (words.length > 0) {
      grant.push([...words, token].join(" "));
      words = [];
    } else {
      if (!column) current = token;
      grant.push(column ? `${current}.${token}` : token);
    }
  }
  return { grant, at: tokens.length };
}

const unquoted = (text: string) => text.replace(/^'+|'+$/g, "");

/** Reads a statement of `GRANT`, as the server shows it. */
export function grantTokens(sql: string): Grant {
  const tokens: string[] = sql.match(TOKEN) ?? [];
  const { grant, at } = privilegesOf(tokens);
  const to = tokens.indexOf("TO", at);
  const database = tokens.slice(at, to < 0 ? undefined : to).join("");
  const rest = to < 0 ? [] : tokens.slice(to + 1);
  const split = rest.indexOf("@");
  if (split < 0) return { user: "", host: "", grant, database };
  return { user: unquoted(rest.slice(0, split).join("")), host: unquoted(rest[split + 1] ?? ""), grant, database };
}
