import { mountVirtualList, type VirtualList } from '../virtual/mount-virtual-list.ts';
import type { TranscriptEvent } from './read-events.ts';
import { renderEvent, type EventState } from './render-event.ts';

export interface TranscriptOptions {
  readonly events: readonly TranscriptEvent[];
  /** Whose conversation it is: more events of the same one come in behind those in view. */
  readonly source?: string | undefined;
  /** The turn that is looked at first. */
  readonly turn?: number | undefined;
  /** What stands beside the head of a turn, such as what somebody said of it. */
  readonly noteOf?: ((turn: number) => string | undefined) | undefined;
  readonly onTurn?: ((turn: number) => void) | undefined;
}

export interface Transcript {
  update(options: TranscriptOptions): void;
  /** To the turn before or behind, or to the next fork or error. */
  step(to: 'turn' | 'mark', by: 1 | -1): void;
  /** To the first row of a turn. */
  showTurn(turn: number): void;
  destroy(): void;
}

/** A row of text is about so wide; what it really takes is measured when it is seen. */
const COLUMNS = 110;
const ROW_GUESS = 20;

/** A conversation of any length, as text: what a model wrote is never read as HTML, and nothing is loaded for it. */
export function mountTranscript(element: HTMLElement, given: TranscriptOptions): Transcript {
  let options = given;
  let current = firstOfTurn(given.turn ?? -1) ?? 0;
  /** What the reader opened stays open when it goes out of view and comes back. */
  const states = new Map<number, EventState>();

  const guess = (index: number): number => {
    const event = options.events[index];
    if (event === undefined) return 0;
    if (event.kind !== 'message') return 32;
    const { content } = event.message;
    const length = typeof content === 'string' ? content.length : COLUMNS;
    return 44 + (Math.ceil(Math.min(length, 4_000) / COLUMNS) + 1) * ROW_GUESS;
  };

  const listOptions = () => ({
    count: options.events.length,
    height: guess,
    role: 'list',
    render(index: number): HTMLElement {
      const state = states.get(index) ?? { open: new Set<string>(), shown: 0 };
      states.set(index, state);
      const event = options.events[index] as TranscriptEvent;
      const row = renderEvent(event, state, event.isFirst ? options.noteOf?.(event.turn) : undefined);
      row.classList.toggle('is-current', index === current);
      row.addEventListener('pointerdown', () => select(index));
      return row;
    },
  });

  const list: VirtualList = mountVirtualList(element, listOptions());
  list.scroller.classList.add('transcript');
  list.scroller.setAttribute('role', 'group');
  list.scroller.setAttribute('aria-label', 'Conversation. [ and ] go from turn to turn, { and } to forks and errors.');
  if (current > 0) list.scrollTo(current, 'start');

  function firstOfTurn(turn: number): number | undefined {
    const found = options.events.findIndex((event) => event.turn === turn);
    return found === -1 ? undefined : found;
  }

  function select(index: number): void {
    list.rowAt(current)?.classList.remove('is-current');
    const before = options.events[current]?.turn;
    current = index;
    list.rowAt(current)?.classList.add('is-current');
    const turn = options.events[current]?.turn;
    if (turn !== undefined && turn !== before) options.onTurn?.(turn);
  }

  function goTo(index: number): void {
    list.scrollTo(index, 'start');
    select(index);
  }

  function step(to: 'turn' | 'mark', by: 1 | -1): void {
    const isStop = (event: TranscriptEvent): boolean =>
      to === 'turn' ? event.isFirst : event.isFork || event.kind === 'error';
    for (let index = current + by; index >= 0 && index < options.events.length; index += by) {
      const event = options.events[index];
      if (event !== undefined && isStop(event)) return goTo(index);
    }
  }

  const keys: Readonly<Record<string, () => void>> = {
    '[': () => step('turn', -1),
    ']': () => step('turn', 1),
    '{': () => step('mark', -1),
    '}': () => step('mark', 1),
  };

  list.scroller.addEventListener('keydown', (event) => {
    const act = keys[event.key];
    if (act === undefined || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  });

  return {
    update(next) {
      const isOther = next.events !== options.events;
      const isMore = next.source !== undefined && next.source === options.source;
      options = next;
      if (!isOther) return list.refresh();
      if (isMore) return list.grow(listOptions());
      states.clear();
      current = firstOfTurn(next.turn ?? -1) ?? 0;
      list.update(listOptions());
    },
    step,
    showTurn(turn) {
      const index = firstOfTurn(turn);
      if (index !== undefined && options.events[current]?.turn !== turn) goTo(index);
    },
    destroy: () => list.destroy(),
  };
}
