import type { Tokenizer } from '@lachesis/sdk/render';
import { z } from 'zod';

/**
 * How some byte-level tokenizers cut a text into words before they look for tokens, and the same for text of ASCII alone, where
 * letters, digits and spaces are the same for every program. A token never crosses the border of a word, so a text has as many
 * tokens as its words have, and most words come again and again.
 */
const KNOWN_PATTERNS: ReadonlyMap<string, RegExp> = new Map(
  [
    { inFile: String.raw`\p{N}`, inAscii: '[0-9]' },
    { inFile: String.raw`\p{N}{1,3}`, inAscii: '[0-9]{1,3}' },
  ].map(({ inFile, inAscii }) => [
    String.raw`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|` +
      inFile +
      String.raw`| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
    new RegExp(
      String.raw`'(?:[sStTmMdD]|[rR][eE]|[vV][eE]|[lL][lL])|[^\r\nA-Za-z0-9]?[A-Za-z]+|` +
        inAscii +
        String.raw`| ?[^\sA-Za-z0-9]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
      'g',
    ),
  ]),
);

const flag = z.literal(false);

/** The tokenizers for which that holds: nothing is trimmed around added tokens, and ASCII is not rewritten first. */
const fileSchema = z.looseObject({
  normalizer: z.looseObject({ type: z.literal('NFC') }).nullable(),
  pre_tokenizer: z.looseObject({
    type: z.literal('Sequence'),
    pretokenizers: z.tuple([
      z.looseObject({
        type: z.literal('Split'),
        pattern: z.object({ Regex: z.string() }),
        behavior: z.literal('Isolated'),
        invert: flag,
      }),
      z.looseObject({ type: z.literal('ByteLevel'), add_prefix_space: flag, use_regex: flag }),
    ]),
  }),
  model: z.looseObject({ type: z.literal('BPE'), dropout: z.null().optional() }),
  added_tokens: z.array(z.looseObject({ content: z.string().min(1), lstrip: flag, rstrip: flag, single_word: flag })),
});

/** Words that are longer come once; a file must not fill the memory with words that come once. */
const LONGEST_WORD = 48;
const MOST_WORDS = 100_000;
// oxlint-disable-next-line no-control-regex -- every character of ASCII is meant
const IS_ASCII = /^[\x00-\x7f]*$/;
/** Behind an end of line and before a visible character of ASCII every one of the patterns ends a word. */
const LINE_BORDER = /(?<=\n)(?=[!-~])/;

/** Texts in which a cut at a wrong place shows. */
const PROBES = [
  "I'll say it's   the user's\n\n  turn,\r\n\tDON'T  you?  \n",
  '{"path": "/srv/src/main.ts", "limit": 12345, "ok": true}\n</tool_call>\n<tool_call>',
  'for (let i = 0; i < 10; i++) {\n    total += values[i] ?? -1.5e10;\n}\n\n\n',
  ' \t \n \u000b\u000c x\u001c\u001f~~~~ ==== $$$\n)\n(',
];

export interface WordCounterOptions {
  readonly tokenizer: Pick<Tokenizer, 'encode' | 'addedTokens'>;
  /** The text of `tokenizer.json`. */
  readonly tokenizerJson: string;
}

/** Counts tokens word by word. Gives what encoding gives, or undefined for a tokenizer that it does not know. */
export async function createWordCounter({
  tokenizer,
  tokenizerJson,
}: WordCounterOptions): Promise<((text: string) => number | Promise<number>) | undefined> {
  const file = fileSchema.safeParse(JSON.parse(tokenizerJson));
  if (!file.success) return undefined;
  const [{ pattern }] = file.data.pre_tokenizer.pretokenizers;
  const words = KNOWN_PATTERNS.get(pattern.Regex);
  const added = file.data.added_tokens.map(({ content }) => content);
  if (words === undefined || tokenizer.addedTokens.some(({ text }) => !added.includes(text))) return undefined;

  const encode = async (text: string): Promise<number> => (await tokenizer.encode(text)).length;
  const around = (await tokenizer.encode('a', { addSpecialTokens: true })).length - (await encode('a'));
  const count = createCount({ words, added, around, encode });
  for (const probe of PROBES) {
    const encoded = await tokenizer.encode(probe, { addSpecialTokens: true });
    if ((await count(probe)) !== encoded.length) return undefined;
  }
  return count;
}

interface Parts {
  readonly words: RegExp;
  readonly added: readonly string[];
  /** Tokens that the tokenizer puts around every text. */
  readonly around: number;
  readonly encode: (text: string) => Promise<number>;
}

function createCount({ words, added, around, encode }: Parts): (text: string) => number | Promise<number> {
  const known = new Map<string, number>();
  // The longest of those that begin at a place wins, as it does there.
  const longestFirst = added.toSorted((left, right) => right.length - left.length).map((text) => RegExp.escape(text));
  const tags = longestFirst.length === 0 ? undefined : new RegExp(longestFirst.join('|'), 'g');

  return (text) => {
    let sum = around;
    const unknown: string[] = [];
    const countAscii = (part: string): void => {
      for (const word of part.match(words) ?? []) {
        const tokens = known.get(word);
        if (tokens === undefined) unknown.push(word);
        else sum += tokens;
      }
    };
    const countPart = (part: string): void => {
      if (tags === undefined) return countAscii(part);
      let from = 0;
      for (const match of part.matchAll(tags)) {
        if (match.index > from) countAscii(part.slice(from, match.index));
        sum += 1;
        from = match.index + match[0].length;
      }
      countAscii(from === 0 ? part : part.slice(from));
    };
    const others: string[] = [];
    if (IS_ASCII.test(text)) countPart(text);
    else {
      for (const { part, isAscii } of groupLines(text)) {
        if (isAscii) countPart(part);
        else others.push(part);
      }
    }
    if (unknown.length === 0 && others.length === 0) return sum;
    return addUnknown(sum, unknown, others);
  };

  async function addUnknown(start: number, unknown: readonly string[], others: readonly string[]): Promise<number> {
    let sum = start;
    for (const part of others) sum += await encode(part);
    for (const word of unknown) {
      let tokens = known.get(word);
      if (tokens === undefined) {
        tokens = await encode(word);
        if (known.size >= MOST_WORDS) known.clear();
        if (word.length <= LONGEST_WORD) known.set(word, tokens);
      }
      sum += tokens;
    }
    return sum;
  }
}

/** Lines of ASCII alone and the others, neighbours of a kind together. */
function groupLines(text: string): { part: string; isAscii: boolean }[] {
  const groups: { part: string; isAscii: boolean }[] = [];
  for (const line of text.split(LINE_BORDER)) {
    const isAscii = IS_ASCII.test(line);
    const last = groups.at(-1);
    if (last?.isAscii === isAscii) last.part += line;
    else groups.push({ part: line, isAscii });
  }
  return groups;
}
