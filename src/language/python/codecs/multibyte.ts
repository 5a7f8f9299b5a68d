/** Characters of bytes, and back. */
export interface CodecTable {
  /** The codec's name in Python's errors. */
  name: string;
  /** Python's error texts for a character that the encoding does not have, and for invalid bytes. */
  noCharacter: string;
  noBytes: string;
  /** The character at a position, and its number of bytes; undefined for invalid bytes. */
  read(bytes: Uint8Array, at: number): { character: string; length: number } | undefined;
  /** The bytes of a character; undefined if the encoding does not have it. */
  write(character: string): readonly number[] | undefined;
}

/** An East Asian encoding: the byte pairs of the web encoding with that label that Python has, too. */
interface Family {
  label: string;
  /** True for a pair of bytes that Python's encoding has. */
  has(lead: number, trail: number): boolean;
  /** The character of a single byte beyond ASCII. */
  single?(byte: number): string | undefined;
  /** Characters that differ: those of the web encoding, and in the same order those of Python. */
  instead?: readonly [web: string, python: string];
  /** Characters that Python writes, but does not read, with their codes. */
  also?: Readonly<Record<string, number>>;
}

const halfWidth = (byte: number) =>
  byte >= 0xa1 && byte <= 0xdf ? String.fromCharCode(0xff61 + byte - 0xa1) : undefined;
const CP932_SINGLE: Readonly<Record<number, string>> = {
  0x80: "\x80",
  0xa0: "\uf8f0",
  0xfd: "\uf8f1",
  0xfe: "\uf8f2",
  0xff: "\uf8f3",
};
/** True for a trail byte that exists in its row; an unnamed row has all. */
const within = (rows: Readonly<Record<number, readonly (readonly [number, number])[]>>, lead: number, trail: number) =>
  rows[lead]?.some(([first, last]) => trail >= first && trail <= last) ?? true;

// The web encodings read these characters as Microsoft did; Python follows the standard.
const JIS = ["～∥－￠￡￢", "〜‖−¢£¬"] as const;
const JIS_ALSO = { "¥": 0x5c, "‾": 0x7e };
const KOREAN = {
  0xa2: [[0x41, 0xe7]],
  0xa4: [[0x41, 0xd3], [0xd5, 0xfe]],
  0xc9: [[0x41, 0xa0]],
  0xfe: [[0x41, 0xa0]],
} as const;
const GB2312 = {
  0xa2: [[0xb1, 0xe2], [0xe5, 0xee], [0xf1, 0xfc]],
  0xa6: [[0xa1, 0xb8], [0xc1, 0xd8]],
  0xa8: [[0xa1, 0xba], [0xc5, 0xe9]],
  0xa9: [[0xa4, 0xef]],
} as const;
const GBK = {
  0xa2: [[0xa1, 0xaa], [0xb1, 0xe2], [0xe5, 0xee], [0xf1, 0xfc]],
  0xa3: [[0x40, 0x9f], [0xa1, 0xfe]],
  0xa6: [[0xa1, 0xb8], [0xc1, 0xd8], [0xe0, 0xeb], [0xee, 0xf2], [0xf4, 0xf5]],
  0xa8: [[0x40, 0x95], [0xa1, 0xbb], [0xbd, 0xbe], [0xc0, 0xc0], [0xc5, 0xe9]],
  0xa9: [[0x40, 0x88], [0x96, 0x96], [0xa4, 0xef]],
  0xfe: [[0x40, 0x4f]],
} as const;
const BIG5 = { 0xa3: [[0x40, 0xbf]], 0xc6: [[0x40, 0x7e]], 0xc7: [], 0xc8: [], 0xf9: [[0x40, 0xd5]] } as const;

const FAMILIES: Readonly<Record<string, Family>> = {
  shift_jis: {
    label: "shift_jis",
    has: (lead) => lead <= 0x84 || lead >= 0x88 && lead <= 0xea,
    single: halfWidth,
    instead: JIS,
    also: JIS_ALSO,
  },
  cp932: {
    label: "shift_jis",
    has: () => true,
    single: (byte) => halfWidth(byte) ?? CP932_SINGLE[byte],
    also: { "¢": 0x8191, "£": 0x8192, "¬": 0x81ca, "‖": 0x8161, "−": 0x817c, "〜": 0x8160 },
  },
  euc_jp: {
    label: "euc-jp",
    has: (lead, trail) => lead >= 0xa1 && trail >= 0xa1 && lead !== 0xad && lead < 0xf5,
    instead: JIS,
    also: JIS_ALSO,
  },
  euc_kr: { label: "euc-kr", has: (lead, trail) => lead >= 0xa1 && trail >= 0xa1 && within(KOREAN, lead, trail) },
  cp949: { label: "euc-kr", has: (lead, trail) => within(KOREAN, lead, trail) },
  gb2312: {
    label: "gbk",
    has: (lead, trail) =>
      lead >= 0xa1 && lead <= 0xf7 && trail >= 0xa1 && !(lead >= 0xaa && lead <= 0xaf) && within(GB2312, lead, trail),
    instead: ["·—", "・―"],
  },
  gbk: { label: "gbk", has: (lead, trail) => within(GBK, lead, trail) },
  gb18030: { label: "gb18030", has: () => true },
  big5: {
    label: "big5",
    has: (lead, trail) => lead <= 0xf9 && within(BIG5, lead, trail),
    instead: ["‧﹑¯～⊕⊙∕﹨￥￠￡", "•､‾∼♁☉／＼¥¢£"],
  },
  cp950: {
    label: "big5",
    has: (lead, trail) =>
      lead <= 0xf9 && within({ ...BIG5, 0xa3: [[0x40, 0xbf], [0xe1, 0xe1]], 0xf9: [[0x40, 0xfe]] }, lead, trail),
    also: { "¢": 0xa246, "£": 0xa247, "¥": 0xa244 },
  },
};

/** The table of an East Asian encoding, by Python's name; undefined for other encodings. */
export function multibyteTable(codec: string): CodecTable | undefined {
  if (!Object.hasOwn(FAMILIES, codec)) return undefined;
  const { label, has, single, instead = ["", ""], also = {} } = FAMILIES[codec]!;
  const decoder = new TextDecoder(label);
  const [web, python] = instead;
  const decode = (...bytes: number[]) => {
    const text = decoder.decode(Uint8Array.from(bytes));
    const [character, ...more] = text;
    if (character === undefined || more.length > 0 || character === "\ufffd") return undefined;
    // Python does not have the private characters of the web encodings, except in these two.
    if (codec !== "gb18030" && codec !== "cp932" && /\p{Co}/u.test(character)) return undefined;
    const other = web.indexOf(character);
    return other < 0 ? character : python[other];
  };
  const characters = new Map<number, string>();
  const bytes = new Map<string, number[]>();
  const add = (key: number, character: string | undefined, sequence: number[]) => {
    if (character === undefined) return;
    characters.set(key, character);
    if (!bytes.has(character)) bytes.set(character, sequence);
  };
  for (let byte = 0; byte < 0x100; byte++) {
    add(byte, byte < 0x80 ? String.fromCharCode(byte) : single?.(byte), [byte]);
  }
  for (let lead = 0x81; lead <= 0xfe; lead++) {
    if (single?.(lead) !== undefined || label === "big5" && lead < 0xa1) continue;
    for (let trail = 0x40; trail <= 0xfe; trail++) {
      // Pairs beyond KS X 1001 are skipped: not every runtime's table has them.
      if (codec === "cp949" && (lead < 0xa1 || trail < 0xa1)) continue;
      if (has(lead, trail)) add(lead << 8 | trail, decode(lead, trail), [lead, trail]);
    }
  }
  if (codec === "euc_jp") {
    for (let byte = 0xa1; byte <= 0xdf; byte++) add(0x8e00 | byte, halfWidth(byte), [0x8e, byte]);
    for (let lead = 0xa1; lead <= 0xed; lead++) {
      for (let trail = 0xa1; trail <= 0xfe; trail++) {
        add(0x8f0000 | lead << 8 | trail, decode(0x8f, lead, trail), [0x8f, lead, trail]);
      }
    }
  }
  if (codec === "cp949") addHangul(bytes, add);
  if (codec === "euc_kr" || codec === "cp949") {
    add(0xa2e6, "€", [0xa2, 0xe6]);
    add(0xa2e7, "®", [0xa2, 0xe7]);
  }
  for (const [character, at] of Object.entries(also)) bytes.set(character, at < 0x100 ? [at] : [at >> 8, at & 0xff]);
  const four = codec === "gb18030" ? fourBytes((bytes) => decoder.decode(bytes)) : undefined;
  return {
    name: codec,
    noCharacter: "illegal multibyte sequence",
    noBytes: "illegal multibyte sequence",
    read(from, at) {
      const [first, second, third] = [from[at]!, from[at + 1] ?? 0, from[at + 2] ?? 0];
      const alone = characters.get(first);
      if (alone !== undefined) return { character: alone, length: 1 };
      const pair = characters.get(first << 8 | second);
      if (pair !== undefined) return { character: pair, length: 2 };
      const triple = first === 0x8f ? characters.get(first << 16 | second << 8 | third) : undefined;
      if (triple !== undefined) return { character: triple, length: 3 };
      const long = four?.read(from.subarray(at, at + 4));
      return long === undefined ? undefined : { character: long, length: 4 };
    },
    write: (character) => bytes.get(character) ?? four?.write(character),
  };
}

/** Adds the syllables that KS X 1001 does not have, in order, to the pairs that it leaves free. */
function addHangul(
  known: ReadonlyMap<string, unknown>,
  add: (key: number, character: string, sequence: number[]) => void,
): void {
  let code = 0xac00;
  for (let lead = 0x81; lead <= 0xc6; lead++) {
    for (let trail = 0x41; trail <= (lead < 0xa1 ? 0xfe : 0xa0); trail++) {
      if (trail > 0x5a && trail < 0x61 || trail > 0x7a && trail < 0x81) continue;
      while (known.has(String.fromCharCode(code))) code += 1;
      if (code > 0xd7a3) return;
      add(lead << 8 | trail, String.fromCharCode(code), [lead, trail]);
    }
  }
}

/** The four-byte sequences of GB 18030, for all Unicode characters without a pair. */
function fourBytes(decode: (bytes: Uint8Array) => string) {
  const sequence = (index: number) => [
    0x81 + Math.floor(index / 12600),
    0x30 + Math.floor(index / 1260) % 10,
    0x81 + Math.floor(index / 10) % 126,
    0x30 + index % 10,
  ];
  let plane: Map<string, number[]> | undefined;
  const basic = () => {
    if (plane !== undefined) return plane;
    plane = new Map();
    for (let index = 0; index < 39420; index++) {
      const bytes = sequence(index);
      const text = decode(Uint8Array.from(bytes));
      if (text.length === 1 && text !== "\ufffd") plane.set(text, bytes);
    }
    plane.set("\ufffd", [0x84, 0x31, 0xa4, 0x37]);
    return plane;
  };
  return {
    read(bytes: Uint8Array): string | undefined {
      const digits = [bytes[1], bytes[3]].every((byte) => byte !== undefined && byte >= 0x30 && byte <= 0x39);
      if (bytes.length < 4 || !digits) return undefined;
      const [character, ...more] = decode(bytes);
      return more.length === 0 ? character : undefined;
    },
    write(character: string): number[] | undefined {
      const code = character.codePointAt(0)!;
      return code > 0xffff ? sequence(189000 + code - 0x10000) : basic().get(character);
    },
  };
}
