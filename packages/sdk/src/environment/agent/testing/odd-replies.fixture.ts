import type { Tokenizer } from '../../../render/tokenizer/tokenizer.ts';
import type { Random } from '../../create-random.ts';

/** How each family writes a call, with the freedom a model has: spaces and the order of keys. */
const WRITERS: Readonly<Record<string, (name: string, args: string, random: Random) => string>> = {
  qwen3: (name, args, random) => {
    const parts = random.shuffle([`"name": "${name}"`, `"arguments": ${args}`]);
    return `<tool_call>\n{${parts.join(random.pick([', ', ',', ' , ']))}}\n</tool_call>`;
  },
  llama3_2: (name, args, random) => `{"name": "${name}",${random.pick(['', ' ', '  '])}"parameters": ${args}}`,
  mistral_nemo: (name, args, random) =>
    `[TOOL_CALLS][{"name": "${name}",${random.pick(['', ' '])}"arguments": ${args}, "id": "${String(random.integer(1e8, 9e8))}"}]`.replace(
      /"id": "(\d+)"/,
      (_all, digits: string) => `"id": "${digits.padStart(9, '0')}"`,
    ),
  deepseek_v3: (name, args) =>
    `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>${name}\n\`\`\`json\n${args}\n\`\`\`<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
};

/** Families whose templates have tools, with a tokenizer that can be installed. */
export const CALLING_FAMILIES: readonly string[] = Object.keys(WRITERS);

const WORDS = ['seven', ' threads', ' naïve', ' 織', '\n', ' the', ' loom', '  two', ' 🧵', '.', ' x=1'];
const ARGUMENTS = ['{"what": "a"}', '{"what":"b","deep":{"n":1.0}}', '{ "deep": {"n": 3}, "what": "ü\\u00e9" }'];

/** A call of `look`, spelled in one of the ways a model may spell it. */
export const writeCall = (family: string, random: Random): string =>
  WRITERS[family]!('look', random.pick(ARGUMENTS), random);

export const writeAnswer = (random: Random): string =>
  `So${Array.from({ length: random.integer(1, 6) }, () => random.pick(WORDS)).join('')}`;

/**
 * Cuts inside words, so that the tokens are not those the tokenizer would have chosen. Control tokens stay whole, and a stop is
 * put behind.
 */
export async function encodeOddly(tokenizer: Tokenizer, text: string, random: Random): Promise<Int32Array> {
  const controls = tokenizer.addedTokens
    .map(({ text: control }) => control)
    .filter((control) => text.includes(control));
  const pattern = new RegExp(
    `(${controls.map((each) => each.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)).join('|')})`,
  );
  // Behind a line end no tokenizer adds a space of its own.
  const line = await tokenizer.encode('\n');
  const tokens: number[] = [];
  for (const part of controls.length === 0 ? [text] : text.split(pattern)) {
    if (controls.includes(part)) {
      tokens.push(tokenizer.findToken(part)!);
      continue;
    }
    const letters = Array.from(part);
    for (let at = 0; at < letters.length;) {
      const length = random.integer(1, 9);
      const piece = await tokenizer.encode(`\n${letters.slice(at, at + length).join('')}`);
      const isClean = line.every((token, index) => piece[index] === token);
      tokens.push(
        ...(isClean ? piece.slice(line.length) : await tokenizer.encode(letters.slice(at, at + length).join(''))),
      );
      at += length;
    }
  }
  return Int32Array.from([...tokens, [...tokenizer.stopTokens][0]!]);
}
