import type { Known } from './make-home.ts';

/** A command as it is typed, and what is done before it on either side. */
export interface Step {
  /** `@name` stands for that field of what the command before it printed. */
  readonly words: readonly string[];
  /** A call that an application leaves in the outbox first. */
  readonly leave?: { readonly recorder: string; readonly content: string };
  /** A file that the command writes: it is part of the answer. */
  readonly writes?: string;
  /** Somebody brings this file first: rows of `FILES`. */
  readonly brings?: keyof typeof FILES;
  /** It is refused, and these are among the words. */
  readonly says?: string;
  /** How it ends where it is refused; 1 unless given. */
  readonly code?: number;
}

/** Files that are imported. The long one is sent to a server in pieces. */
export const FILES = {
  'secret.jsonl': ['ACME-4711 called.'],
  'long.jsonl': Array.from({ length: 2_300 }, (_, index) =>
    index % 700 === 5 ? `ACME-${index} called.` : `Call ${index}.`,
  ),
} as const;

/** As much of an id as one copies from a list. */
export const beginningOf = (id: string): string => id.slice(0, 30);

export const step = (...words: string[]): Step => ({ words });

/**
 * What is asked both ways, in order: a story that each side lives through on a home of its own, made alike. A command that
 * works on a library and is not here has not been shown to give one answer.
 */
export function listSteps(known: Known): Step[] {
  return [
    ...listFirst(),
    ...listReads(known),
    ...listDatasets(known),
    ...listModels(known),
    ...listJobs(),
    ...listFeedback(known),
    ...listChanges(known),
    ...listRefusals(known),
  ];
}

/** What was left in an outbox is there for the first who asks, without what the settings take out. */
const listFirst = (): Step[] => [
  { ...step('trajectories', 'list', '--key', 'app-2'), leave: { recorder: 'app-2', content: 'ACME-4711 calls' } },
  step('trajectories', 'search', 'ACME'),
];

/** Trajectories: each flag and filter. */
function listReads({ trajectoryId, key, others }: Known): Step[] {
  const [second = ''] = others;
  const filters = [
    ...[
      ['--limit', '1'],
      ['--limit', '3'],
      ['--model', 'large'],
      ['--source', 'openai'],
      ['--user', 'ann'],
    ],
    ...[
      ['--key', key],
      ['--tool', 'list_files'],
      ['--tag', 'sales'],
      ['--outcome', 'scored'],
      ['--consent', 'keep'],
    ],
    ...[
      ['--min-reward', '0.5'],
      ['--max-reward', '0.5'],
      ['--min-rating', '0.5'],
      ['--max-rating', '0.4'],
    ],
    ...[
      ['--min-turns', '1'],
      ['--max-turns', '0'],
      ['--min-tokens', '1'],
      ['--max-tokens', '4'],
      ['--run', 'nobody'],
    ],
    ...[
      ['--has-error', 'true'],
      ['--has-tokens', 'true'],
      ['--has-tokens', 'false'],
      ['--has-feedback', 'true'],
    ],
    ...[
      ['--since', '7d'],
      ['--since', '2h'],
      ['--until', '7d'],
      ['--since', '7d', '--model', 'large', '--has-error', 'false'],
    ],
  ];
  return [
    step('trajectories', 'list'),
    ...filters.map((flags) => step('trajectories', 'list', ...flags)),
    step('trajectories', 'list', '--limit', '2'),
    step('trajectories', 'list', '--limit', '2', '--cursor', '@next_cursor'),
    step('trajectories', 'search', 'sun'),
    step('trajectories', 'search', 'how', 'far', '--model', 'large', '--since', '7d'),
    step('trajectories', 'search', 'nobody said this'),
    step('trajectories', 'show', trajectoryId),
    step('trajectories', 'diff', trajectoryId, second),
    step('trajectories', 'show', key),
    step('trajectories', 'show', beginningOf(second)),
    step('trajectories', 'diff', key, beginningOf(second)),
  ];
}

/** Data sets: made, shown, checked, taken out in each format of a file, and brought in again. */
function listDatasets({ key }: Known): Step[] {
  const make = (...words: string[]): Step => step('data', 'sets', 'make', ...words);
  const take = (format: string, file: string, ...words: string[]): Step => ({
    ...step('data', 'export', format, '-o', file, ...words),
    writes: file,
  });
  return [
    { ...make('fresh', '--key', 'app-3'), leave: { recorder: 'app-3', content: 'a call of a moment ago, ACME-1' } },
    take('jsonl', 'fresh.jsonl', '--dataset', 'fresh'),
    make('week', '--since', '7d'),
    make('week', '--since', '7d'),
    make('week', '--since', '7d', '--model', 'large', '--has-tokens', 'false'),
    make('tokens', '--has-tokens', 'true'),
    make('pairs', '--pairs'),
    make('dear', '--min-reward', '0.5', '--weights', 'reward', '--mask', 'last-reply'),
    make('split', '--split', 'train=0.5,test=0.5', '--seed', '3', '--dedupe', 'prompt', '--rows', '4', '--complete'),
    make('kept-back', '--user', 'zoe', '--held-out'),
    make('without', '--source', 'test', '--leave-out-held-out'),
    make('text', '--text', 'far', '--per-prompt', '1'),
    step('data', 'sets', 'list'),
    step('data', 'sets', 'show', 'split'),
    step('data', 'sets', 'show', 'week@1'),
    step('data', 'check', 'week'),
    step('data', 'check', 'week@1', '--context', '2'),
    step('data', 'check', 'fresh.jsonl'),
    take('jsonl', 'week.jsonl', '--since', '7d'),
    take('openai', 'openai.jsonl', '--dataset', 'week@1'),
    take('openai-fine-tuning', 'fine.jsonl', '--dataset', 'week'),
    take('sharegpt', 'share.jsonl', '--model', 'large', '--consent', 'keep'),
    take('trl', 'trl.jsonl', '--pairs'),
    take('jsonl', 'key.jsonl', '--key', key),
    take('jsonl', 'none.jsonl', '--model', 'nobody'),
    step('data', 'import', 'week.jsonl', '--name', 'back'),
    step('data', 'import', 'share.jsonl', '--name', 'shared', '--format', 'sharegpt', '--consent', 'train'),
    step('data', 'import', 'openai.jsonl', '--held-out', '--name', 'measure'),
    step('data', 'sets', 'show', 'back'),
    { ...step('data', 'import', 'secret.jsonl', '--name', 'secret'), brings: 'secret.jsonl' },
    { ...step('data', 'import', 'long.jsonl', '--name', 'long'), brings: 'long.jsonl' },
    step('data', 'import', 'long.jsonl', '--name', 'long'),
    step('data', 'sets', 'show', 'long'),
    { ...step('data', 'export', 'jsonl', '-o', 'long-again.jsonl', '--dataset', 'long'), writes: 'long-again.jsonl' },
    { ...step('data', 'sets', 'delete', 'long'), says: 'one of them is deleted at a time' },
    step('data', 'sets', 'delete', 'long@1'),
    { ...step('data', 'sets', 'delete', 'long@1'), says: 'there is no data set' },
    step('trajectories', 'list', '--source', 'import:shared'),
    { ...step('data', 'import', 'long.jsonl', '--name', 'bad name'), says: 'must be letters, digits' },
    { ...make('nothing', '--model', 'nobody'), says: 'nothing fits the filter' },
    { ...step('data', 'export', 'jsonl', '--dataset', 'kept-back', '-o', 'no.jsonl'), says: 'is held out' },
    { ...step('data', 'check', 'nobody'), says: 'there is no file or data set' },
    { ...make('bad', '--since', 'yesterday'), says: '--since wants 30m, 12h, 7d or a date' },
    { ...make('bad name', '--since', '7d'), says: 'must be letters, digits' },
    { ...make('bad', '--rows', '0'), says: 'transform' },
    { ...make('train-on-it', '--user', 'zoe'), says: 'held' },
  ];
}

const listModels = ({ feedbackId, trajectoryId, modelId, improvementId }: Known): Step[] => [
  step('models', 'list'),
  step('models', 'list', '--name', 'support'),
  step('models', 'list', '--name', 'nobody'),
  step('models', 'show', 'support'),
  step('models', 'show', 'support@1'),
  step('models', 'show', modelId),
  step('models', 'show', beginningOf(modelId)),
  step('lineage', `model:${beginningOf(modelId)}`),
  step('lineage', `feedback:${beginningOf(feedbackId)}`),
  step('lineage', 'model:support@1'),
  step('lineage', `feedback:${feedbackId}`),
  step('lineage', `reply:${trajectoryId}`),
  step('lineage', 'reply:ticket-7'),
  step('lineage', 'dataset:chats', '--limit', '1'),
  step('improve', 'status'),
  step('improve', 'status', '--model', 'support'),
  step('improve', 'status', '--model', 'nobody'),
  step('improve', 'show', 'support'),
  step('improve', 'show', beginningOf(improvementId)),
  step('improve', 'stop', 'support'),
  step('improve', 'show', 'support'),
  step('improve', 'status'),
  { ...step('improve', 'show', 'nobody'), says: 'there is no improvement "nobody"' },
  { ...step('improve', 'stop', 'nobody'), says: 'there is no improvement "nobody"' },
  step('data', 'sets', 'list'),
  step('data', 'sets', 'show', 'chats@1'),
  step('data', 'sets', 'show', 'exam'),
  step('models', 'promote', 'support@2', '--reason', 'better', '--by', 'ada'),
  step('models', 'list', '--name', 'support'),
  step('models', 'rollback', 'support', '--reason', 'worse', '--by', 'ada'),
  step('models', 'show', 'support'),
];

const listJobs = (): Step[] => [
  step('batch', 'list'),
  step('batch', 'list', '--limit', '1'),
  step('batch', 'list', '--limit', '1', '--before', '@next'),
  step('batch', 'show', 'my_run'),
  step('batch', 'show', 'my_o'),
  { ...step('batch', 'show', 'my_'), says: 'more than one name of a job' },
  { ...step('batch', 'show', 'nobody'), says: 'there is no job "nobody"' },
  { ...step('batch', 'list', '--before', 'nobody'), says: 'there is no job "nobody"' },
];

function listFeedback({ trajectoryId, others }: Known): Step[] {
  const [second = '', third = ''] = others;
  const add = (...words: string[]): Step => step('feedback', 'add', ...words);
  return [
    step('feedback', 'list'),
    step('feedback', 'list', '--kind', 'stars'),
    step('feedback', 'list', '--by', 'judge'),
    step('feedback', 'list', '--author', 'ben'),
    step('feedback', 'list', '--trajectory', trajectoryId, '--by', 'person'),
    step('feedback', 'list', '--trajectory', 'ticket-7'),
    step('feedback', 'list', '--trajectory', beginningOf(second)),
    step('feedback', 'list', '--since', '7d', '--by', 'rule'),
    step('feedback', 'list', '--since', '2026-01-01', '--trajectory', 'nobody'),
    add('ticket-7', '--stars', '3', '--over-turn', '0'),
    add(beginningOf(second), '--over', 'ticket-7'),
    step('feedback', 'agreement'),
    step('feedback', 'agreement', '--by', 'rule'),
    step('feedback', 'agreement', '--author', 'wise'),
    add(second, '--up', '--comment', 'good'),
    add(second, '--down', '--turn', '0', '--author', 'eve'),
    add(second, '--stars', '2', '--key', 'mine'),
    add(second, '--stars', '5', '--key', 'mine'),
    add(third, '--text', 'so so'),
    add(third, '--right', '--turn', '0'),
    add(second, '--over', third),
    step('feedback', 'withdraw', '@feedback_id'),
    step('feedback', 'list'),
    step('feedback', 'agreement', '--by', 'judge'),
    step('trajectories', 'list', '--min-rating', '0.2'),
  ];
}

function listChanges({ others }: Known): Step[] {
  const [second = '', third = ''] = others;
  return [
    step('trajectories', 'tag', second, '--add', 'a,b'),
    step('trajectories', 'tag', 'ticket-7', '--add', 'c'),
    step('trajectories', 'tag', beginningOf(second), '--add', 'd'),
    step('trajectories', 'tag', second, '--remove', 'b', '--consent', 'evaluate'),
    step('trajectories', 'list', '--tag', 'a'),
    step('trajectories', 'forget', third, '--yes'),
    step('trajectories', 'forget', 'zoe', '--yes'),
    step('trajectories', 'forget', 'ben', '--user', '--yes'),
    step('trajectories', 'list'),
  ];
}

/** What is refused on one side is refused on the other. */
const listRefusals = ({ trajectoryId }: Known): Step[] => [
  { ...step('feedback', 'add', trajectoryId, '--over', 'nope-123'), says: 'is no trajectory' },
  { ...step('trajectories', 'show', trajectoryId.slice(0, 8)), says: 'Type more of it' },
  { ...step('data', 'export', 'jsonl', '--with-tokens'), says: '--with-tokens is --has-tokens true now', code: 2 },
  { ...step('data', 'sets', 'make', 'x', '--with-tokens'), says: '--with-tokens is --has-tokens true now', code: 2 },
  { ...step('trajectories', 'list', '--url', 'http://127.0.0.1:9'), says: '--url is --server now', code: 2 },
  step('feedback', 'add', 'nope-123', '--up'),
  step('feedback', 'add', trajectoryId, '--up', '--down'),
  step('feedback', 'withdraw', 'nope-123'),
  step('feedback', 'agreement', '--author', 'nobody'),
  step('trajectories', 'show', 'nope-123'),
  step('trajectories', 'tag', 'nope-123', '--add', 'a'),
  step('trajectories', 'forget', 'nope-123', '--yes'),
  step('trajectories', 'diff', trajectoryId, 'nope-123'),
  step('trajectories', 'list', '--cursor', 'nonsense'),
  step('trajectories', 'list', '--since', 'yesterday'),
  step('models', 'show', 'nobody@7'),
  step('models', 'promote', 'taste', '--reason', 'no'),
  step('models', 'promote', 'nobody', '--reason', 'no'),
  step('models', 'rollback', 'taste', '--reason', 'no'),
  step('lineage', 'dataset:nothing'),
  step('lineage', 'model:nobody'),
  step('data', 'sets', 'show', 'nobody'),
];
