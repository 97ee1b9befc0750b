import type { Learning } from './learning.ts';

/** A word as a shell takes it. */
const quote = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;

const sourceOf = ({ configPath, environment }: Learning): string[] => [
  ...(configPath === null ? [] : ['--config', configPath]),
  ...['--environment', environment],
];

/** The command that trains again as the run did, with these settings changed. */
export function writeTrainCommand(learning: Learning, settings: Readonly<Record<string, number | string>>): string {
  const flags = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  return ['lachesis', 'train', ...sourceOf(learning), ...flags].map(quote).join(' ');
}

/** The command that teaches examples of the environment, with the model and the rank of the run. */
export const writeWarmUpCommand = (learning: Learning): string =>
  ['lachesis', 'train', 'warm-up', ...sourceOf(learning)].map(quote).join(' ');

/** Another command with its words. */
export const writeCommand = (...words: string[]): string => ['lachesis', ...words].map(quote).join(' ');
