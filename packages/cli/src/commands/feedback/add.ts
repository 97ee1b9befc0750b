import type { Feedback, FeedbackInput, TrajectoryDetail } from '@lachesis/protocol';
import { defineCommand } from 'citty';
import { readFile } from 'node:fs/promises';
import { fail } from '../../terminal/fail.ts';
import { readWholeNumber } from '../../flags/read-value.ts';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';
import { authorFlag, readAuthor } from '../../flags/author.ts';
import { writeJson } from '../../terminal/screen.ts';
import { libraryFlags, withLibrary } from '../../flags/library/library.ts';

const flags = {
  id: {
    type: 'positional',
    required: true,
    description: 'the trajectory by id or key, or one reply by the id of its turn or response',
  },
  up: { type: 'boolean', description: 'thumb up' },
  down: { type: 'boolean', description: 'thumb down' },
  stars: { type: 'string', description: '1 to 5' },
  text: { type: 'string', description: 'a comment alone' },
  'edit-file': { type: 'string', description: 'file with the reply as it should have been' },
  over: { type: 'string', description: 'id of a trajectory that is worse than this one' },
  right: { type: 'boolean', description: 'the step --turn was right' },
  wrong: { type: 'boolean', description: 'the step --turn was wrong' },
  turn: { type: 'string', description: 'the turn it is about (default: the whole trajectory)' },
  'over-turn': { type: 'string', description: 'the turn of the other trajectory' },
  comment: { type: 'string', description: 'why' },
  key: { type: 'string', description: 'a later one with the same key revises this one' },
  ...authorFlag,
  ...libraryFlags,
} as const;

type Given = Record<string, string | boolean | undefined>;
const KINDS = ['up', 'down', 'stars', 'text', 'edit-file', 'over', 'right', 'wrong'] as const;

export const feedbackAddCommand = defineCommand({
  meta: { name: 'add', description: 'Say what you think of a trajectory or of one reply in it.' },
  args: flags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    const given = args as unknown as Given;
    const chosen = KINDS.filter((kind) => given[kind] !== undefined && given[kind] !== false);
    if (chosen.length !== 1)
      fail(`give one of ${KINDS.map((kind) => `--${kind}`).join(', ')}; ${chosen.length} were given.`);
    await withLibrary(args, async (library) => {
      const detail = await library.readTrajectory(args.id);
      const kept = await library.writeFeedback(
        await readFeedback({ given, name: args.id, detail, author: readAuthor(args) }),
      );
      if (args.json === true) writeJson(kept);
      else process.stdout.write(`${describeKept(kept, args.id)}\n`);
    });
  },
});

function describeKept({ feedback_id: id, revises, is_waiting: isWaiting }: Feedback, name: string): string {
  if (isWaiting !== true) return `${id}${revises === null ? '' : ` (revises ${revises})`}`;
  return `${id} waits: nothing is recorded as ${name} yet. It counts once that is; \`lachesis feedback withdraw ${id}\` takes it back.`;
}

interface Asked {
  given: Given;
  /** What was typed for the trajectory or the reply. */
  name: string;
  /** Undefined for what is not recorded yet. */
  detail: TrajectoryDetail | undefined;
  author: string;
}

async function readFeedback({ given, name, detail, author }: Asked): Promise<FeedbackInput> {
  const turn = readWholeNumber('turn', asText(given['turn']));
  if (turn !== undefined && detail?.turns.every(({ turn_index: index }) => index !== turn) === true) {
    fail(`the trajectory has ${detail.turns.length} turns, counted from 0; there is no turn ${turn}.`);
  }
  const about = {
    trajectory_id: name,
    ...(turn === undefined ? {} : { turn_index: turn }),
    author,
    author_kind: 'person' as const,
    ...(given['key'] === undefined ? {} : { key: asText(given['key']) }),
    ...(given['comment'] === undefined ? {} : { comment: asText(given['comment']) }),
  };
  if (given['up'] === true || given['down'] === true) return { ...about, kind: 'thumb', is_up: given['up'] === true };
  if (given['right'] === true || given['wrong'] === true) {
    const step = turn ?? findTurn(detail, name)?.turn_index;
    if (step === undefined) return fail('--right and --wrong are about one step; name it with --turn.');
    return { ...about, turn_index: step, kind: 'step', is_right: given['right'] === true };
  }
  if (given['stars'] !== undefined) return { ...about, kind: 'stars', stars: readStars(asText(given['stars'])) };
  if (given['text'] !== undefined) return { ...about, kind: 'text', comment: asText(given['text']) ?? '' };
  // The rest needs what was recorded.
  if (detail === undefined) return fail(`there is no trajectory ${name}. \`lachesis trajectories list\` shows them.`);
  if (given['over'] !== undefined) {
    const overTurn = readWholeNumber('over-turn', asText(given['over-turn']));
    const over = {
      trajectory_id: asText(given['over']) ?? '',
      ...(overTurn === undefined ? {} : { turn_index: overTurn }),
    };
    return { ...about, kind: 'choice', over };
  }
  const { summary } = detail;
  const isWhole = summary.key === name || summary.trajectory_id.startsWith(name);
  const edited = turn ?? findTurn(detail, name)?.turn_index;
  if (edited === undefined && !isWhole) fail('name the reply that is edited with --turn, or by the id of its turn.');
  return { ...about, ...(await readEdit(asText(given['edit-file']) ?? '', detail, edited)), kind: 'edit' };
}

const findTurn = (detail: TrajectoryDetail | undefined, name: string): TrajectoryDetail['turns'][number] | undefined =>
  detail?.turns.find(({ turn_id: id }) => id === name);

async function readEdit(
  file: string,
  { turns }: TrajectoryDetail,
  turn: number | undefined,
): Promise<Pick<FeedbackInput & { kind: 'edit' }, 'turn_index' | 'edited'>> {
  const found =
    turn === undefined
      ? turns.findLast(({ replies }) => replies.length > 0)
      : turns.find(({ turn_index: index }) => index === turn);
  const message = found?.replies[0]?.message;
  if (found === undefined || message === undefined) return fail('there is no reply to edit in that turn.');
  const content = await readFile(file, 'utf8').catch((error: unknown) =>
    fail(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`),
  );
  return { turn_index: found.turn_index, edited: { ...message, content } };
}

function readStars(text: string | undefined): number {
  if (text === undefined || !/^[1-5]$/.test(text)) fail(`--stars wants 1 to 5, and ${JSON.stringify(text)} was given.`);
  return Number(text);
}

const asText = (value: string | boolean | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined;
