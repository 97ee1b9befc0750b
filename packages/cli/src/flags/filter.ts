import type { TrajectoryFilter } from '@lachesis/protocol';
import { fail } from '../terminal/fail.ts';
import { readTime } from './read-time.ts';

const text = (description: string) => ({ type: 'string', description }) as const;

/** One flag per field of the filter. */
export const filterFlags = {
  model: text('recorded from this model'),
  source: text('recorded by this: gateway, openai, ai-sdk, or a name of your own'),
  user: text('on behalf of this person'),
  run: text('only those of this run'),
  key: text('with this key of the recorder'),
  tool: text('in which this tool was called'),
  tag: text('with this tag'),
  outcome: text('with this outcome: scored, finished, failed or abstained'),
  consent: text('that may be used so: train, evaluate, keep'),
  split: text('of this split'),
  'min-reward': text('with at least this reward'),
  'max-reward': text('with at most this reward'),
  'min-rating': text('that people rated at least so, from 0 to 1'),
  'max-rating': text('that people rated at most so, from 0 to 1'),
  'min-turns': text('of at least so many turns'),
  'max-turns': text('of at most so many turns'),
  'min-tokens': text('of at least so many tokens'),
  'max-tokens': text('of at most so many tokens'),
  'has-error': text('true: with an error; false: without'),
  'has-tokens': text('true: with token ids and logprobs; false: text only'),
  'has-feedback': text('true: with feedback; false: without'),
  'is-rated': text('true: that people rated; false: that nobody rated'),
  since: text('changed since: 30m, 12h, 7d, or a date'),
  until: text('changed before: 30m, 12h, 7d ago, or a date'),
} as const;

const { consent: _consent, split: _split, ...narrowing } = filterFlags;

/** The fields that narrow the rows of a data set: what those are for, and their shares, are flags of their own there. */
export const dataFilterFlags = { text: text('words that were said, names of tools, or an id'), ...narrowing } as const;

const NUMBERS = new Set(['min-reward', 'max-reward', 'min-rating', 'max-rating']);
const WHOLE_NUMBERS = new Set(['min-turns', 'max-turns', 'min-tokens', 'max-tokens']);
const CONSENTS = ['train', 'evaluate', 'keep'];

/** The filter that was asked for on the command line, by the flags that a command takes. */
export function readFilter(
  args: Readonly<Record<string, unknown>>,
  now: number,
  flags: Readonly<Record<string, unknown>> = filterFlags,
): TrajectoryFilter {
  const filter: Record<string, unknown> = {};
  for (const name of Object.keys(flags)) {
    const given = args[name];
    if (typeof given !== 'string') continue;
    filter[name.replaceAll('-', '_')] = readField(name, given, now);
  }
  return filter;
}

function readField(name: string, given: string, now: number): unknown {
  if (name === 'since' || name === 'until') return readTime(name, given, now);
  if (name.startsWith('has-') || name === 'is-rated') {
    if (given !== 'true' && given !== 'false')
      fail(`--${name} wants true or false, and ${JSON.stringify(given)} was given.`);
    return given === 'true';
  }
  if (NUMBERS.has(name) || WHOLE_NUMBERS.has(name)) {
    const number = Number(given);
    const isFine =
      given.trim() !== '' && (WHOLE_NUMBERS.has(name) ? Number.isSafeInteger(number) : Number.isFinite(number));
    if (!isFine) fail(`--${name} wants a number, and ${JSON.stringify(given)} was given.`);
    return number;
  }
  if (name === 'consent' && !CONSENTS.includes(given)) fail(`--consent wants one of ${CONSENTS.join(', ')}.`);
  return given;
}
