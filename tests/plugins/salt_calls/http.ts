import type { CallScenario } from "./scenario.ts";

export const HTTP: CallScenario[] = [
  {
    name: "http",
    files: { data: "from a file", heads: "X-Own: one\nno head\n" },
    calls: [
      ["http.query", "{S}/text"],
      ["http.query", "{S}/text", "status=True", "text=True"],
      ["http.query", "{S}/latin"],
      ["http.query", "{S}/bytes", "decode_body=False"],
      ["http.query", "{S}/json", "decode=True"],
      ["http.query", "{S}/json", "decode=True", "decode_type=yaml"],
      ["http.query", "{S}/yaml", "decode=True"],
      ["http.query", "{S}/xml", "decode=True"],
      ["http.query", "{S}/text", "decode=True"],
      ["http.query", "{S}/text", "decode=True", "decode_type=nonsense"],
      ["http.query", "{S}/moved", "status=True"],
      ["http.query", "{S}/error"],
      ["http.query", "{S}/error", "status=True", "raise_error=False"],
      ["http.query", "{S}/none", "text=True"],
      ["http.query", "{S}/echo"],
      ["http.query", "{S}/echo", "method=POST", "data=a b"],
      ["http.query", "{S}/echo", "method=POST", "data={a: 1, b: 'x y'}"],
      ["http.query", "{S}/echo", "method=PUT", "data_file={D}/data"],
      ["http.query", "{S}/echo", "params={a: 1, b: 'x y'}"],
      ["http.query", "{S}/echo?z=0", "params={a: 1}"],
      ["http.query", "{S}/echo", "header_dict={X-Own: two}", "agent=mine"],
      ["http.query", "{S}/echo", "header_list=['X-Own: three', bad]"],
      ["http.query", "{S}/echo", "header_file={D}/heads"],
      ["http.query", "{S}/echo", "username=u", "password=p"],
      ["http.query", "{S}/echo", "method=DELETE"],
      ["http.query", "{S}/text", "text_out={D}/out"],
      ["http.query", "{S}/text", "decode=True", "decode_out={D}/out2"],
      ["http.query", "{S}/text", "test=True"],
      ["http.query", "{closed}/"],
      ["http.query", "{closed}/", "status=True"],
      ["http.wait_for_successful_query", "{S}/text", "wait_for=1"],
      ["http.wait_for_successful_query", "{S}/none", "wait_for=0", "request_interval=0.01"],
      ["http.query"],
    ],
    server: true,
    // The release that is asked names itself.
    replace: [[/Salt\/[\d.]+/g, "Salt/VERSION"]],
  },
];

const ZONE =
  "$TTL 3600\n$ORIGIN example.com.\n@ IN SOA ns1.example.com. admin.example.com. (\n  2024010101 ; serial\n" +
  "  1H ; refresh\n  2D\n  1W\n  300 )\n@ IN NS ns1.example.com.\n@ IN MX 10 mail.example.com.\n" +
  "www 300 IN A 192.0.2.1\nalias IN CNAME www\nv6 300 IN AAAA 2001:db8::1\n";

export const DNSUTIL: CallScenario[] = [
  {
    name: "dnsutil",
    without: ["dig"],
    files: {
      hosts: "127.0.0.1 localhost local\n# comment\n\n192.0.2.1\tweb www\n192.0.2.1 more\n::1 ip6\n",
      zone: ZONE,
      bad: "www 300 IN A 192.0.2.1\n",
    },
    calls: [
      ["dnsutil.parse_hosts", "{D}/hosts"],
      ["dnsutil.parse_hosts", "{D}/none"],
      ["dnsutil.parse_hosts", "hosts=127.0.0.1 a b"],
      ["dnsutil.hosts_append", "{D}/hosts", "192.0.2.1", "www,new"],
      ["dnsutil.hosts_append", "{D}/hosts", "192.0.2.1", "www"],
      ["dnsutil.hosts_append", "{D}/hosts", "192.0.2.2", "a,b"],
      ["dnsutil.hosts_append", "{D}/made", "192.0.2.2", "a"],
      ["dnsutil.hosts_remove", "{D}/hosts", "www,new"],
      ["dnsutil.hosts_remove", "{D}/hosts", "ip6"],
      ["dnsutil.hosts_remove", "{D}/none", "x"],
      ["dnsutil.parse_zone", "{D}/zone"],
      ["dnsutil.parse_zone", "{D}/bad"],
      ["dnsutil.parse_zone", "{D}/none"],
      ["dnsutil.parse_zone"],
      ["dnsutil.A", "localhost"],
      ["dnsutil.A", "no-such-host.invalid"],
      ["dnsutil.serial"],
    ],
    replace: [[/\b20\d{8}\b/g, "SERIAL"]],
  },
  {
    name: "dnsutil: without dig",
    calls: [
      ["dnsutil.check_ip", "127.0.0.1"],
      ["dnsutil.NS", "example.com"],
      ["dnsutil.MX", "example.com"],
      ["dnsutil.SPF", "example.com"],
      ["dnsutil.A", "localhost", "nameserver=127.0.0.1"],
      ["dnsutil.AAAA", "localhost", "nameserver=127.0.0.1"],
    ],
    live: "dig may be there or not",
  },
];
