/**
 * Writes `--env.total_steps 5` of `train` as `--env.total_steps=5`. Flags of a section are read by the command and not
 * declared, so the value would else be taken for the name of a command below it.
 */
export function bindSectionValues(words: readonly string[]): string[] {
  if (words[0] !== 'train') return [...words];
  const bound: string[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const [word, next] = [words[index]!, words[index + 1]];
    const takesNext = /^--(?!no-)[a-z][\w-]*(?:\.[\w-]+)+$/.test(word) && next !== undefined && !next.startsWith('--');
    bound.push(takesNext ? `${word}=${next}` : word);
    if (takesNext) index += 1;
  }
  return bound;
}
