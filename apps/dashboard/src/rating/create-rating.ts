import type { FeedbackInput, TrajectoryDetail } from '@lachesis/protocol';
import { choiceKey, makeChoice } from './make-choice.ts';
import type { RateAction, RatingMode } from './rate-keys.ts';

/** What is rated at once: one trajectory, or two of the same task. */
export interface RateItem {
  readonly details: readonly [TrajectoryDetail] | readonly [TrajectoryDetail, TrajectoryDetail];
}

export interface RatingOptions {
  readonly mode: RatingMode;
  readonly author: string;
  /** What there is to rate, in order. */
  readonly items: AsyncIterator<RateItem>;
  readonly say: (key: string, feedback: FeedbackInput) => void;
  readonly takeBack: (key: string) => void;
  /** Gives back what was skipped, so that somebody else may have it. */
  readonly giveBack?: ((trajectoryId: string) => void) | undefined;
  readonly onChange: () => void;
}

export interface Rating {
  /** Undefined while it is on its way, or when there is nothing left. */
  readonly item: RateItem | undefined;
  readonly place: number;
  /** The turn that is judged, where steps are. */
  readonly turn: number | undefined;
  readonly isEnded: boolean;
  readonly error: unknown;
  /** What was said of the item in view. */
  readonly mark: string | undefined;
  readonly rated: number;
  act(action: RateAction): void;
  comment(text: string): void;
  edit(text: string): void;
  /** Items that are loaded beyond the one in view. */
  readonly ahead: number;
  /** What is in view and loaded ahead, by id: nobody else should get it meanwhile. */
  held(): string[];
  destroy(): void;
}

/** So many are loaded before they are asked for: nobody waits between two. */
const AHEAD = 3;

/** Somebody going through a queue. Every answer moves on at once; what was said is sent in the background. */
export function createRating(options: RatingOptions): Rating {
  const { mode, author } = options;
  const items: RateItem[] = [];
  const marks = new Map<number, string>();
  /** What was said, for undo: where, under which key. */
  const said: { place: number; key: string; turn: number | undefined }[] = [];
  let place = 0;
  let turnAt = 0;
  let isLoading = false;
  let isEnded = false;
  let error: unknown;
  let isClosed = false;

  async function load(): Promise<void> {
    if (isLoading || isEnded || isClosed) return;
    isLoading = true;
    try {
      while (items.length <= place + AHEAD) {
        const { value, done } = await options.items.next();
        if (isClosed) return;
        if (done === true) {
          isEnded = true;
          break;
        }
        items.push(value);
        options.onChange();
      }
    } catch (cause) {
      error = cause;
    } finally {
      isLoading = false;
    }
    if (!isClosed) options.onChange();
  }

  const stepTurns = (): number[] =>
    (items[place]?.details[0].turns ?? []).flatMap(({ replies, turn_index: index }) =>
      replies.length > 0 ? [index] : [],
    );

  function move(by: number): void {
    place = Math.max(0, Math.min(items.length, place + by));
    turnAt = 0;
    options.onChange();
    void load();
  }

  function say(key: string, feedback: FeedbackInput, mark: string): void {
    said.push({ place, key, turn: mode === 'steps' ? turnAt : undefined });
    marks.set(place, mark);
    options.say(key, feedback);
  }

  function rate(action: RateAction): void {
    const item = items[place];
    if (item === undefined) return;
    const id = item.details[0].summary.trajectory_id;
    const about = { trajectory_id: id, author, author_kind: 'person' as const };
    if (action.kind === 'choose') {
      const other = item.details[1];
      if (other === undefined) return;
      const sides = [{ trajectory: id }, { trajectory: other.summary.trajectory_id }] as const;
      const [better, worse] = action.side === 'left' ? sides : [sides[1], sides[0]];
      say(choiceKey(better, worse), makeChoice(better, worse, author), `${action.side} is better`);
      return move(1);
    }
    if (mode === 'steps') {
      if (action.kind !== 'thumb') return;
      const turn = stepTurns()[turnAt];
      if (turn === undefined) return move(1);
      const key = `step:${id}:${turn}`;
      say(
        key,
        { ...about, key, turn_index: turn, kind: 'step', is_right: action.isUp },
        `turn ${turn + 1} ${action.isUp ? 'right' : 'wrong'}`,
      );
      turnAt += 1;
      if (turnAt >= stepTurns().length) return move(1);
      return options.onChange();
    }
    // One rating per person and trajectory: another key revises it.
    const key = `rate:${id}`;
    if (action.kind === 'thumb')
      say(key, { ...about, key, kind: 'thumb', is_up: action.isUp }, action.isUp ? '▲ up' : '▼ down');
    else if (action.kind === 'stars')
      say(key, { ...about, key, kind: 'stars', stars: action.stars }, `★ ${action.stars} of 5`);
    else return;
    move(1);
  }

  function undo(): void {
    const last = said.pop();
    if (last === undefined) return;
    options.takeBack(last.key);
    marks.delete(last.place);
    place = last.place;
    turnAt = last.turn ?? 0;
    options.onChange();
  }

  void load();
  return {
    get item() {
      return items[place];
    },
    get place() {
      return place;
    },
    get turn() {
      return mode === 'steps' ? stepTurns()[turnAt] : undefined;
    },
    get isEnded() {
      return isEnded && place >= items.length;
    },
    get error() {
      return error;
    },
    get mark() {
      return marks.get(place);
    },
    get rated() {
      return said.length;
    },
    get ahead() {
      return items.length - place - 1;
    },
    act(action) {
      if (action.kind === 'skip') {
        for (const { summary } of items[place]?.details ?? []) options.giveBack?.(summary.trajectory_id);
        move(1);
      } else if (action.kind === 'back') move(-1);
      else if (action.kind === 'undo') undo();
      else rate(action);
    },
    held: () => items.slice(place).flatMap(({ details }) => details.map(({ summary }) => summary.trajectory_id)),
    comment(text) {
      const id = items[place]?.details[0].summary.trajectory_id;
      if (id === undefined || text.trim() === '') return;
      const turn = mode === 'steps' ? stepTurns()[turnAt] : undefined;
      const key = turn === undefined ? `comment:${id}` : `comment:${id}:${turn}`;
      const about = { trajectory_id: id, author, author_kind: 'person' as const, key };
      say(
        key,
        { ...about, kind: 'text', comment: text.trim(), ...(turn === undefined ? {} : { turn_index: turn }) },
        'commented',
      );
      options.onChange();
    },
    edit(text) {
      const detail = items[place]?.details[0];
      const turn = detail?.turns.findLast(({ replies }) => replies.length > 0);
      const message = turn?.replies[0]?.message;
      if (detail === undefined || turn === undefined || message === undefined) return;
      const id = detail.summary.trajectory_id;
      const key = `edit:${id}`;
      const about = { trajectory_id: id, author, author_kind: 'person' as const, key, turn_index: turn.turn_index };
      say(key, { ...about, kind: 'edit', edited: { ...message, content: text } }, 'edited');
      options.onChange();
    },
    destroy() {
      isClosed = true;
    },
  };
}
