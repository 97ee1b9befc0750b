import { readFileSync } from 'node:fs';

/** The sentence with the file, and the line of the setting in it, where the file has it. */
export function placeInFile(sentence: string, setting: string | undefined, file: string | undefined): string {
  if (file === undefined || setting === undefined) return sentence;
  const line = findLine(file, setting.split('.').at(-1) ?? setting);
  return line === undefined ? sentence : `${file}, line ${line}: ${sentence}`;
}

function findLine(file: string, name: string): number | undefined {
  try {
    const lines = readFileSync(file, 'utf8').split('\n');
    const index = lines.findIndex((line) => line.replace(/^[\s-]*/, '').startsWith(`${name}:`));
    return index === -1 ? undefined : index + 1;
  } catch {
    // It was read a moment ago; the sentence stands without its place.
    return undefined;
  }
}
