import { splitThinking } from '@lachesis/protocol/conversation';
import { makeElement } from '../make-element.ts';
import { showControls, showText } from '../show-text.ts';
import type { TranscriptEvent } from './read-events.ts';

/** What a reader has opened of a row. */
export interface EventState {
  readonly open: Set<string>;
  /** How many pieces of a long text are shown beyond the first. */
  shown: number;
}

/** As much of a text as is shown at once: a megabyte in one row would hold the page up. */
const PIECE = 4_000;
const MORE = 40_000;
const LINE_CUT = 400;

/** One row. Everything in it is text. */
export function renderEvent(event: TranscriptEvent, state: EventState, note: string | undefined): HTMLElement {
  const row = makeElement('div', `event is-${event.kind}${event.isFirst ? ' is-first' : ''}`);
  const place = makeElement('span', 'event-turn', event.isFirst ? `turn ${event.turn + 1}` : '');
  const body = makeElement('div', 'event-body');
  row.append(place, body);
  if (event.isFork) body.append(makeElement('p', 'event-fork', `↳ fork: goes on from ${nameParent(event.parent)}`));
  switch (event.kind) {
    case 'message':
      body.append(...renderMessage(event, state));
      break;
    case 'tool':
      body.append(renderTool(event, state));
      break;
    case 'error':
      body.append(
        makeElement(
          'p',
          'event-error',
          `✕ failed${event.status === null ? '' : ` (${event.status})`}: ${showControls(event.message)}`,
        ),
      );
      break;
  }
  if (note !== undefined) body.append(makeElement('p', 'event-note', note));
  return row;
}

const nameParent = (parent: number | null): string => (parent === null ? 'the beginning' : `turn ${parent + 1}`);

function renderMessage(event: TranscriptEvent & { kind: 'message' }, state: EventState): HTMLElement[] {
  const { message, ended } = event;
  const { role } = message;
  const { text, thinking } = splitThinking(message);
  const head = makeElement(
    'p',
    `event-role role-${['system', 'user', 'assistant'].includes(role) ? role : 'other'}`,
    showText(role),
  );
  if (ended !== undefined) head.append(makeElement('span', 'event-ended', ` ended: ${showText(ended)}`));
  const parts: HTMLElement[] = [head];
  if (thinking !== '') {
    const label = `thinking · ${thinking.length.toLocaleString('en')} characters`;
    parts.push(renderFold('thinking', label, state, () => renderLong(thinking, state, 'event-thinking')));
  }
  if (text !== '') parts.push(renderLong(text, state, 'event-text'));
  return parts;
}

/** A call and its answer in a line; both whole when it is opened. */
function renderTool(event: TranscriptEvent & { kind: 'tool' }, state: EventState): HTMLElement {
  const { name, given, result } = event;
  const label = makeElement('span', 'tool-line');
  label.append(makeElement('span', 'tool-name', `→ ${showText(name)}`));
  label.append(makeElement('span', 'tool-given', `(${showText(given.slice(0, LINE_CUT))})`));
  label.append(
    result === undefined
      ? makeElement('span', 'tool-none', '○ no answer recorded')
      : makeElement('span', 'tool-result', `← ${showText(result.trim().slice(0, LINE_CUT))}`),
  );
  return renderFold('tool', label, state, () => {
    const whole = makeElement('div', 'tool-whole');
    if (given !== '') whole.append(makeElement('p', 'tool-what', 'given'), renderLong(given, state, 'event-code'));
    if (result !== undefined)
      whole.append(makeElement('p', 'tool-what', 'answered'), renderLong(result, state, 'event-code'));
    return whole;
  });
}

/** What is folded is made when it is opened, not before. */
function renderFold(
  name: string,
  label: string | HTMLElement,
  state: EventState,
  make: () => HTMLElement,
): HTMLElement {
  const fold = makeElement('details', `event-fold fold-${name}`);
  const summary = makeElement('summary', '', label);
  fold.append(summary);
  const open = (): void => {
    if (fold.childElementCount === 1) fold.append(make());
  };
  if (state.open.has(name)) {
    fold.open = true;
    open();
  }
  const keep = (): void => {
    if (fold.open) {
      state.open.add(name);
      open();
    } else state.open.delete(name);
  };
  // Kept before the browser tells of it: that is a task later, and when feedback comes in meanwhile the row is made again, as it was kept.
  summary.addEventListener('click', (event) => {
    event.preventDefault();
    fold.open = !fold.open;
    keep();
  });
  // A search in the page opens it without a click.
  fold.addEventListener('toggle', () => void (fold.isConnected && keep()));
  return fold;
}

/** The beginning of a text, and the rest of it piece by piece. */
function renderLong(text: string, state: EventState, className: string): HTMLElement {
  const holder = makeElement('div', className);
  const show = (): void => {
    const end = PIECE + state.shown * MORE;
    // A character outside the first plane is two halves: it is not cut between them.
    const code = text.charCodeAt(end - 1);
    const cut = code >= 0xd800 && code < 0xdc00 ? end + 1 : end;
    holder.replaceChildren(makeElement('p', 'event-long', showControls(text.slice(0, cut))));
    if (cut >= text.length) return;
    const rest = text.length - cut;
    const size = Math.min(rest, MORE).toLocaleString('en');
    const more = makeElement('button', 'event-more', `show ${size} more of ${rest.toLocaleString('en')} characters`);
    more.type = 'button';
    more.addEventListener('click', () => {
      state.shown += 1;
      show();
    });
    holder.append(more);
  };
  show();
  return holder;
}
