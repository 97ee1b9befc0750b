import type { ChatMessage } from '@lachesis/protocol';
import { messageText, type MessageDiff } from '@lachesis/protocol/conversation';
import { makeElement } from '../make-element.ts';
import { showControls, showText } from '../show-text.ts';
import { diffWords, type WordPart } from './diff-words.ts';

export type DiffRow =
  | { kind: 'same'; start: number; end: number }
  | Exclude<MessageDiff['steps'][number], { kind: 'same' }>;

interface Sides {
  readonly left: readonly ChatMessage[];
  readonly right: readonly ChatMessage[];
}

/** So much of what both have is shown around a difference. */
const AROUND = 200;
const LINE_CUT = 200;
/** Texts that are longer are compared when they are asked for. */
const LONG = 60_000;

/** One row of a comparison. Everything in it is text. */
export function renderDiffRow(row: DiffRow, sides: Sides): HTMLElement {
  switch (row.kind) {
    case 'same':
      return renderSame(row, sides);
    case 'left':
      return renderSides(sides.left[row.left], undefined, 'only here');
    case 'right':
      return renderSides(undefined, sides.right[row.right], 'only here');
    case 'changed':
      return renderSides(sides.left[row.left], sides.right[row.right], row.what);
  }
}

function renderSame({ start, end }: { start: number; end: number }, { left }: Sides): HTMLElement {
  const row = makeElement('div', 'diff-row is-same');
  const fold = makeElement('details');
  const count = end - start;
  fold.append(makeElement('summary', '', count === 1 ? '= 1 message is the same' : `= ${count} messages are the same`));
  fold.addEventListener('toggle', () => {
    if (!fold.open || fold.childElementCount > 1) return;
    for (const message of left.slice(start, end)) {
      fold.append(
        makeElement('p', 'diff-line', `${showText(message.role)}: ${showText(sayMessage(message).slice(0, LINE_CUT))}`),
      );
    }
  });
  row.append(fold);
  return row;
}

function renderSides(left: ChatMessage | undefined, right: ChatMessage | undefined, what: string): HTMLElement {
  const row = makeElement('div', 'diff-row');
  row.append(makeElement('p', 'diff-what', `≠ ${showText((left ?? right)?.role ?? '')}: ${what}`));
  const columns = makeElement('div', 'diff-columns');
  const [ofLeft, ofRight] = [makeElement('div', 'diff-side'), makeElement('div', 'diff-side')];
  columns.append(ofLeft, ofRight);
  row.append(columns);
  if (left === undefined || right === undefined) {
    const there = left ?? right;
    const [own, other] = left === undefined ? [ofRight, ofLeft] : [ofLeft, ofRight];
    own.append(
      ...renderParts(
        [{ kind: 'left', text: there === undefined ? '' : sayMessage(there) }],
        'left',
        left === undefined,
      ),
    );
    other.append(makeElement('p', 'diff-none', 'nothing in its place'));
    return row;
  }
  const [leftText, rightText] = [sayMessage(left), sayMessage(right)];
  const compare = (): void => {
    const { parts, isCutShort } = diffWords(leftText, rightText);
    ofLeft.replaceChildren(...renderParts(parts, 'left', false));
    ofRight.replaceChildren(...renderParts(parts, 'right', true));
    if (isCutShort)
      row.append(
        makeElement(
          'p',
          'diff-short',
          'They differ in too many places to tell them word by word; what lies between the shared ends is marked as a whole.',
        ),
      );
  };
  if (leftText.length + rightText.length <= LONG) compare();
  else {
    const button = makeElement('button', 'event-more', 'compare word by word');
    button.type = 'button';
    button.addEventListener('click', () => {
      button.remove();
      compare();
    });
    ofLeft.append(makeElement('p', 'event-long', showControls(leftText.slice(0, 2_000))));
    ofRight.append(makeElement('p', 'event-long', showControls(rightText.slice(0, 2_000))));
    row.append(button);
  }
  return row;
}

function renderParts(parts: readonly WordPart[], side: 'left' | 'right', isRight: boolean): Node[] {
  const holder = makeElement('p', 'event-long');
  for (const [index, { kind, text }] of parts.entries()) {
    if (kind === 'same') holder.append(showControls(shorten(text, index === 0, index === parts.length - 1)));
    else if (kind === side) holder.append(makeElement(isRight ? 'ins' : 'del', '', showControls(text)));
  }
  return [holder];
}

/** The middle of what both have says nothing about the difference. */
function shorten(text: string, isFirst: boolean, isLast: boolean): string {
  if (text.length <= AROUND * 3) return text;
  const count = (text.length - AROUND * (isFirst || isLast ? 1 : 2)).toLocaleString('en');
  const head = isFirst ? '' : text.slice(0, AROUND);
  const tail = isLast ? '' : text.slice(-AROUND);
  return `${head} … ${count} characters are the same … ${tail}`;
}

function sayMessage(message: ChatMessage): string {
  const calls = (message.tool_calls ?? []).map((call) => `→ ${call.function.name}(${call.function.arguments})`);
  const text = messageText(message).trim();
  return [...(text === '' ? [] : [text]), ...calls].join('\n');
}
