import type { FeedbackInput, TrajectoryDetail, TrajectorySummary } from '@lachesis/protocol';
import type { LibraryClient } from '@lachesis/sdk';
import { renderTranscript } from './render-transcript.ts';
import type { KeyReader } from '../terminal/key-reader.ts';
import { splitThinking } from '@lachesis/protocol/conversation';
import { cleanLine } from '../terminal/clean-text.ts';
import { cutText } from '../terminal/text-width.ts';
import type { Paint } from '../terminal/paint.ts';
import { RATE_KEYS, readRateAction, type RateAction } from './rate-action.ts';
import { readLine } from '../terminal/read-line.ts';

export interface RateLoopOptions {
  library: Pick<LibraryClient, 'readTrajectory' | 'writeFeedback'>;
  /** What there is to rate, in order. */
  trajectories: AsyncIterable<TrajectorySummary> | Iterable<TrajectorySummary>;
  /** How many there are; undefined while that is not known. */
  total?: () => number | undefined;
  keys: KeyReader;
  write: (text: string) => void;
  /** Lets the person change a text in an editor; undefined when it was not changed. */
  editText: (text: string) => Promise<string | undefined>;
  author: string;
  paint: Paint;
  columns: number;
  rows: number;
  /** Clear the screen between two; off where lines are to stay. */
  clears: boolean;
}

export interface RateSummary {
  rated: number;
  edited: number;
  commented: number;
  skipped: number;
}

/** One key rates and moves on. Each rating is kept before the next trajectory is shown, so quitting loses nothing. */
export async function runRateLoop(options: RateLoopOptions): Promise<RateSummary> {
  const { library, keys, write, paint } = options;
  const summary: RateSummary = { rated: 0, edited: 0, commented: 0, skipped: 0 };
  const source = toIterator(options.trajectories);
  const marks = new Map<string, string>();
  const slots: Promise<TrajectoryDetail | undefined>[] = [];
  /** Which one is shown, and how many lines above its end. */
  let at = 0;
  let offset = 0;

  async function loadNext(): Promise<TrajectoryDetail | undefined> {
    for (;;) {
      const { value, done } = await source.next();
      if (done === true) return undefined;
      const detail = await library.readTrajectory(value.trajectory_id);
      // Undefined: forgotten since it was listed.
      if (detail !== undefined) return detail;
    }
  }

  /** The next one is read while this one is looked at. */
  async function load(index: number): Promise<TrajectoryDetail | undefined> {
    const detail = await (slots[index] ??= loadNext());
    if (detail !== undefined && slots[index + 1] === undefined) {
      const next = loadNext();
      slots[index + 1] = next;
      // What goes wrong is told when it is its turn.
      next.catch(() => undefined);
    }
    return detail;
  }

  async function store(feedback: FeedbackInput, mark: string): Promise<boolean> {
    try {
      await library.writeFeedback(feedback);
      marks.set(feedback.trajectory_id, mark);
      return true;
    } catch (error) {
      write(paint.red(`not kept: ${error instanceof Error ? error.message : String(error)}\n`));
      return false;
    }
  }

  /** How far to go: 1 for the next, -1 for the one before, 0 to stay, undefined to end. */
  async function act(action: RateAction, detail: TrajectoryDetail): Promise<number | undefined> {
    const { trajectory_id: trajectoryId } = detail.summary;
    const about = { trajectory_id: trajectoryId, author: options.author, author_kind: 'person' as const };
    // One rating per person and trajectory: another key revises it.
    const rating = { ...about, key: `rate:${trajectoryId}` };
    switch (action.kind) {
      case 'thumb':
      case 'stars': {
        const isKept =
          action.kind === 'thumb'
            ? await store({ ...rating, kind: 'thumb', is_up: action.isUp }, action.isUp ? 'up' : 'down')
            : await store({ ...rating, kind: 'stars', stars: action.stars }, `${action.stars} stars`);
        if (!isKept) return 0;
        summary.rated += 1;
        return 1;
      }
      case 'comment': {
        const comment = (await readLine(keys, 'comment: ', write))?.trim();
        if (comment === undefined || comment === '') return 0;
        const key = `comment:${trajectoryId}`;
        if (await store({ ...about, key, kind: 'text', comment }, 'commented')) summary.commented += 1;
        return 0;
      }
      case 'edit': {
        const edit = await editReply(detail);
        if (edit === undefined) return 0;
        const key = `edit:${trajectoryId}`;
        if (await store({ ...about, key, kind: 'edit', ...edit }, 'edited')) {
          summary.edited += 1;
          slots[at] = Promise.resolve(withEdit(detail, edit));
        }
        return 0;
      }
      case 'skip':
        summary.skipped += 1;
        return 1;
      case 'back':
        return -1;
      case 'scroll':
        offset += action.lines + action.pages * Math.max(1, bodyRows() - 2);
        return 0;
      case 'whole':
        write(`${renderLines(detail).join('\n')}\n${paint.dim(RATE_KEYS)}\n`);
        return 0;
      case 'help':
        write(`${RATE_KEYS}\n`);
        return 0;
      case 'quit':
        return undefined;
    }
  }

  async function editReply({
    turns,
  }: TrajectoryDetail): Promise<Pick<FeedbackInput & { kind: 'edit' }, 'turn_index' | 'edited'> | undefined> {
    const turn = turns.findLast(({ replies }) => replies.length > 0);
    const message = turn?.replies[0]?.message;
    if (turn === undefined || message === undefined) {
      write('there is no reply to edit\n');
      return undefined;
    }
    const { text } = splitThinking(message);
    const changed = await keys.lend(() => options.editText(text));
    if (changed === undefined || changed === text) return undefined;
    return { turn_index: turn.turn_index, edited: { ...message, content: changed } };
  }

  const renderLines = (detail: TrajectoryDetail): string[] =>
    renderTranscript(detail, { paint, columns: options.columns, showThinking: false }).trimEnd().split('\n');

  /** What is left between the head with the task and the keys. */
  const bodyRows = (): number => Math.max(8, options.rows - 6);

  /** The end first: there the reply stands. The task stays on top whatever is scrolled. */
  function show(detail: TrajectoryDetail, index: number): void {
    if (options.clears) write('\u001B[2J\u001B[H');
    const total = options.total?.();
    const mark = marks.get(detail.summary.trajectory_id);
    const place = `${index + 1}${total === undefined ? '' : ` of ${Math.max(total, index + 1)}`}`;
    write(`${paint.bold(place)}${mark === undefined ? '' : paint.green(`  ${mark}`)}\n`);
    const lines = renderLines(detail);
    const rows = bodyRows();
    const last = Math.max(0, lines.length - rows);
    offset = Math.max(-last, Math.min(0, offset));
    const from = last + offset;
    if (last > 0) write(`${paint.green('task')} ${cutText(cleanLine(detail.summary.title), options.columns - 6)}\n`);
    if (from > 0) write(`${paint.dim(`… ${from} lines above`)}\n`);
    write(`${lines.slice(from, from + rows).join('\n')}\n`);
    if (from < last) write(`${paint.dim(`… ${last - from} lines below`)}\n`);
    write(`${paint.dim(RATE_KEYS)}\n`);
  }

  for (let index = 0; ;) {
    let detail = await load(index);
    if (detail === undefined) return summary;
    at = index;
    offset = 0;
    show(detail, index);
    let step: number | undefined = 0;
    while (step === 0) {
      const key = await keys.next();
      const action = key === undefined ? ({ kind: 'quit' } as const) : readRateAction(key);
      step = action === undefined ? 0 : await act(action, detail);
      if (step === 0 && action !== undefined && action.kind !== 'whole' && action.kind !== 'help') {
        // What was edited is shown as it is from now on.
        detail = (await load(index)) ?? detail;
        show(detail, index);
      }
    }
    if (step === undefined) return summary;
    index = Math.max(0, index + step);
  }
}

/** The trajectory as it reads with the reply that somebody wrote instead. */
function withEdit(
  detail: TrajectoryDetail,
  { turn_index: index, edited }: Pick<FeedbackInput & { kind: 'edit' }, 'turn_index' | 'edited'>,
): TrajectoryDetail {
  const turns = detail.turns.map((turn) =>
    turn.turn_index === index
      ? { ...turn, replies: turn.replies.map((reply, place) => (place === 0 ? { ...reply, message: edited } : reply)) }
      : turn,
  );
  return { ...detail, turns };
}

function toIterator<T>(source: AsyncIterable<T> | Iterable<T>): AsyncIterator<T> {
  return (async function* () {
    yield* source;
  })();
}
