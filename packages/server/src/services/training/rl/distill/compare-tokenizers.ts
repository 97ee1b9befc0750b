import type { Tokenizer } from '@lachesis/sdk/render';

/** Letters, digits, code, spaces and scripts that vocabularies cut in different places. */
const TEXT =
  'The quick brown fox — 1234567890, 3.14e-10\n\tdef f(x): return x ** 2  # 日本語, Ελληνικά, кириллица, عربي, 🙂\r\n{"key": [true, null]}';
/** Ids that are looked at one by one, evenly over the vocabulary. */
const LOOKED_AT = 512;

/** How two tokenizers read differently, as part of a sentence; undefined when nothing was found. */
export async function findOtherToken(student: Tokenizer, teacher: Tokenizer): Promise<string | undefined> {
  for (const { text } of student.addedTokens) {
    const [own, other] = [student.findToken(text), teacher.findToken(text)];
    if (own !== other) return `${JSON.stringify(text)} is token ${own} of the one and ${other ?? 'none'} of the other`;
  }
  const [own, other] = await Promise.all([student.encode(TEXT), teacher.encode(TEXT)]);
  if (own.length !== other.length || own.some((id, index) => id !== other[index])) {
    return `a line of text is ${own.length} tokens of the one and ${other.length} of the other, or others as many`;
  }
  // Models of one family fill their vocabularies up to different sizes; what is filled up is never sampled.
  const size = Math.min(student.vocabularySize, teacher.vocabularySize);
  const stride = Math.max(1, Math.floor(size / LOOKED_AT));
  for (let id = 0; id < size; id += stride) {
    const [mine, theirs] = await Promise.all([student.decode([id]), teacher.decode([id])]);
    if (mine !== theirs)
      return `token ${id} is ${JSON.stringify(mine)} of the one and ${JSON.stringify(theirs)} of the other`;
  }
  return undefined;
}
