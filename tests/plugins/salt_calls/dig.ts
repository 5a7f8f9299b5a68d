import type { CallScenario } from "./scenario.ts";

/** Questions to name servers. */
export const DIG: CallScenario[] = [
  {
    name: "dig: recorded answers",
    standIns: {
      dig: {
        "+short bad*": { code: 9 },
        "+short a.example.com A": "b.example.com.\n192.0.2.1\n192.0.2.2",
        "+short ns1.example.com. A*": "192.0.2.53",
        "+short ns2.example.com. A*": "192.0.2.54",
        "+short a.example.com AAAA": "2001:db8::1",
        "+short c.example.com CNAME": "a.example.com.",
        "+short example.com NS*": "ns1.example.com.\nns2.example.com.",
        "+short example.com MX": "10 ns1.example.com.\n20 ns2.example.com.",
        "+short -x 192.0.2.1": "a.example.com.",
        "+short example.com TXT": '"v=spf1 ip4:192.0.2.0/24 +ip6:2001:db8::/32 ~include:more.example.com -all"',
        "+short more.example.com SPF": '"v=spf1 ip4:198.51.100.1 a mx ?all"',
        "+short moved.example.com SPF": '"v=spf1 redirect=more.example.com"',
        "+short other.example.com SPF": '"something else"',
      },
    },
    calls: [
      ...["127.0.0.1", "127.0.0.1/8", "127.0.0.1/33", "127.0.0.1/x", "::1", "::1/64", "::1/4", "word", "1.2.3", "5"]
        .map((
          one,
        ) => ["dig.check_ip", one]),
      ["dig.A", "a.example.com"],
      ["dig.a", "bad"],
      ["dig.A", "empty.example.com"],
      ["dig.AAAA", "a.example.com"],
      ["dig.CNAME", "c.example.com"],
      ["dig.CNAME", "bad"],
      ["dig.NS", "example.com", "nameserver=192.0.2.9"],
      ["dig.NS", "example.com", "resolve=False"],
      ["dig.MX", "example.com"],
      ["dig.MX", "example.com", "resolve=True"],
      ["dig.mx", "empty.example.com"],
      ["dig.PTR", "192.0.2.1"],
      ["dig.ptr", "192.0.2.2"],
      ["dig.TXT", "example.com"],
      ["dig.SPF", "example.com"],
      ["dig.SPF", "moved.example.com"],
      ["dig.spf", "other.example.com"],
      ["dig.SPF", "bad"],
    ],
  },
  {
    name: "dig: nobody answers",
    programs: ["dig"],
    calls: ["A", "AAAA", "CNAME", "MX", "NS", "PTR", "SPF", "TXT"].map((type) => [
      `dig.${type}`,
      type === "PTR" ? "192.0.2.1" : "example.com",
      "nameserver=nosuch.invalid",
    ]),
  },
];
