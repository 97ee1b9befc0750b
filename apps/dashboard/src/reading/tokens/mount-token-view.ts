import { makeElement } from '../make-element.ts';
import { mountVirtualList, type VirtualList } from '../virtual/mount-virtual-list.ts';
import { breakLines, findLine } from './break-lines.ts';
import { colourTokens, TOKEN_COLOURS, type TokenColour, type TokenShades } from './colour-tokens.ts';
import { describeToken } from './describe-token.ts';
import { mountTokenMap } from './mount-token-map.ts';
import type { TokenColumns } from './token-columns.ts';

export interface TokenViewOptions {
  readonly tokens: TokenColumns;
  readonly colour?: TokenColour;
  /** The token that is looked at first, such as the one an address names. */
  readonly at?: number | undefined;
  readonly onColour?: (colour: TokenColour) => void;
  readonly onToken?: (index: number) => void;
}

export interface TokenView {
  update(options: TokenViewOptions): void;
  setColour(colour: TokenColour): void;
  destroy(): void;
}

const LINE_HEIGHT = 20;
/** Characters whose width is measured. */
const PROBED = 16;
const FEWEST_COLUMNS = 24;
/** A line that is longer is hard to read, and holds more spans than are seen. */
const MOST_COLUMNS = 96;

const COLOUR_NAMES: Readonly<Record<TokenColour, string>> = {
  logprob: 'log probability',
  drift: 'drift',
  advantage: 'advantage',
  mask: 'mask',
  version: 'policy version',
};

/** Tokens as lines of which only those in view exist, coloured by what is known of each; a card says it in numbers. */
export function mountTokenView(element: HTMLElement, given: TokenViewOptions): TokenView {
  const root = makeElement('div', 'tokens');
  const bar = makeElement('div', 'tokens-bar');
  const legend = makeElement('ul', 'tokens-legend');
  legend.setAttribute('aria-label', 'What the colours mean');
  const body = makeElement('div', 'tokens-body');
  const card = makeElement('dl', 'tokens-card');
  const said = makeElement('p', 'visually-hidden');
  said.setAttribute('role', 'status');
  const probe = makeElement('span', 'tokens-probe', '0'.repeat(PROBED));
  probe.setAttribute('aria-hidden', 'true');
  root.append(bar, legend, body, card, said, probe);
  element.append(root);

  let options = given;
  let colour: TokenColour = given.colour ?? 'logprob';
  let shades: TokenShades = colourTokens(given.tokens, colour);
  let columns = 0;
  let lines: Uint32Array = new Uint32Array(0);
  let cursor = Math.max(0, Math.min(given.at ?? 0, given.tokens.length - 1));
  let isCursorShown = given.at !== undefined;

  const buttons = TOKEN_COLOURS.map((name, index) => {
    const button = makeElement(
      'button',
      'tokens-colour',
      COLOUR_NAMES[name],
      makeElement('kbd', '', String(index + 1)),
    );
    button.type = 'button';
    button.addEventListener('click', () => setColour(name));
    return button;
  });
  bar.append(...buttons);

  function countColumns(): number {
    const width = probe.getBoundingClientRect().width / PROBED;
    if (width === 0) return MOST_COLUMNS;
    return Math.max(FEWEST_COLUMNS, Math.min(MOST_COLUMNS, Math.floor((body.clientWidth - 40) / width)));
  }

  function renderLine(line: number): HTMLElement {
    const row = makeElement('div', 'tokens-line');
    const end = lines[line + 1] ?? options.tokens.length;
    for (let index = lines[line] ?? 0; index < end; index += 1) {
      const span = document.createElement('span');
      span.className = `token ${shades.shadeOf(index)}${isCursorShown && index === cursor ? ' is-current' : ''}`;
      span.textContent = options.tokens.pieces.text(index);
      row.append(span);
    }
    return row;
  }

  const listOptions = () => ({
    count: lines.length,
    height: LINE_HEIGHT,
    spare: 1,
    render: renderLine,
    onRange: (first: number, last: number) => map?.showView(first, last, lines.length),
  });

  columns = countColumns();
  lines = breakLines(given.tokens.pieces, given.tokens.length, columns);
  let map: ReturnType<typeof mountTokenMap> | undefined;
  const list: VirtualList = mountVirtualList(body, listOptions());
  list.scroller.setAttribute('role', 'group');
  list.scroller.setAttribute('aria-label', 'Tokens. Arrow keys move from token to token, 1 to 5 choose the colours.');
  map = mountTokenMap(body, (share) => list.scrollTo(Math.floor(share * lines.length), 'start'));

  function showLegend(): void {
    for (const [index, button] of buttons.entries()) {
      button.setAttribute('aria-pressed', String(TOKEN_COLOURS[index] === colour));
    }
    const entries = shades.legend.map(({ shade, label }) => {
      const swatch = makeElement('span', `token swatch ${shade}`, 'ab');
      swatch.setAttribute('aria-hidden', 'true');
      return makeElement('li', '', swatch, label);
    });
    legend.replaceChildren(...(shades.missing === undefined ? entries : [makeElement('li', 'soft', shades.missing)]));
  }

  function showCard(index: number, isSaid: boolean): void {
    const facts = options.tokens.length === 0 ? [] : describeToken(options.tokens, index);
    card.replaceChildren(
      ...facts.map(({ name, value, isText }) =>
        makeElement('div', isText === true ? 'is-text' : '', makeElement('dt', '', name), makeElement('dd', '', value)),
      ),
    );
    if (isSaid) said.textContent = facts.map(({ name, value }) => `${name} ${value}`).join(', ');
  }

  function draw(): void {
    list.update(listOptions());
    drawMap();
  }

  /** The map looks at every token; the reader need not wait for it. */
  let waitingMap = 0;
  function drawMap(): void {
    clearTimeout(waitingMap);
    waitingMap = window.setTimeout(() => map?.draw(options.tokens.length, lines, shades), 50);
  }

  function setColour(next: TokenColour): void {
    if (next === colour) return;
    colour = next;
    shades = colourTokens(options.tokens, colour);
    showLegend();
    list.refresh();
    drawMap();
    options.onColour?.(colour);
  }

  function moveCursor(next: number): void {
    const before = cursor;
    cursor = Math.max(0, Math.min(options.tokens.length - 1, next));
    isCursorShown = true;
    list.scrollTo(findLine(lines, cursor));
    spanOf(before)?.classList.remove('is-current');
    spanOf(cursor)?.classList.add('is-current');
    showCard(cursor, true);
    options.onToken?.(cursor);
  }

  function spanOf(index: number): Element | undefined {
    const line = findLine(lines, index);
    return list.rowAt(line)?.children[index - (lines[line] ?? 0)];
  }

  function tokenAt(target: EventTarget | null): number | undefined {
    if (!(target instanceof HTMLElement) || !target.classList.contains('token')) return undefined;
    const row = target.parentElement;
    const { first, last } = list.range();
    for (let line = first - 2; line <= last + 2; line += 1) {
      if (list.rowAt(line) === row && row !== null) return (lines[line] ?? 0) + [...row.children].indexOf(target);
    }
    return undefined;
  }

  function moveByLine(by: number): void {
    const line = findLine(lines, cursor);
    const next = Math.max(0, Math.min(lines.length - 1, line + by));
    const place = cursor - (lines[line] ?? 0);
    const end = (lines[next + 1] ?? options.tokens.length) - 1;
    moveCursor(Math.min((lines[next] ?? 0) + place, end));
  }

  const moves: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => moveCursor(cursor - 1),
    ArrowRight: () => moveCursor(cursor + 1),
    ArrowUp: () => moveByLine(-1),
    ArrowDown: () => moveByLine(1),
    PageUp: () => moveByLine(-Math.max(1, list.range().last - list.range().first)),
    PageDown: () => moveByLine(Math.max(1, list.range().last - list.range().first)),
    Home: () => moveCursor(0),
    End: () => moveCursor(options.tokens.length - 1),
  };

  function onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const chosen = TOKEN_COLOURS[Number(event.key) - 1];
    const move = moves[event.key];
    if (chosen === undefined && move === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    if (chosen !== undefined) setColour(chosen);
    else move?.();
  }

  let pointed: EventTarget | null = null;
  function onPointer(event: Event): void {
    if (event.target === pointed) return;
    pointed = event.target;
    const index = tokenAt(event.target);
    if (index !== undefined) showCard(index, false);
  }

  function onLeave(): void {
    pointed = null;
    showCard(cursor, false);
  }

  function onClick(event: Event): void {
    const index = tokenAt(event.target);
    if (index !== undefined) moveCursor(index);
  }

  root.addEventListener('keydown', onKey);
  // Not `pointerover`: lines that keys scroll under a pointer at rest would take the card from the token of the keys.
  list.scroller.addEventListener('pointermove', onPointer);
  list.scroller.addEventListener('pointerleave', onLeave);
  list.scroller.addEventListener('click', onClick);
  const observer = new ResizeObserver(() => {
    const next = countColumns();
    if (next === columns) return;
    columns = next;
    lines = breakLines(options.tokens.pieces, options.tokens.length, columns);
    draw();
  });
  observer.observe(body);

  showLegend();
  showCard(cursor, false);
  drawMap();
  if (isCursorShown) list.scrollTo(findLine(lines, cursor), 'start');

  return {
    update(next) {
      const isOther = next.tokens !== options.tokens;
      options = next;
      if (next.colour !== undefined) colour = next.colour;
      shades = colourTokens(next.tokens, colour);
      if (isOther) {
        lines = breakLines(next.tokens.pieces, next.tokens.length, columns);
        cursor = Math.max(0, Math.min(next.at ?? 0, next.tokens.length - 1));
        isCursorShown = next.at !== undefined;
      }
      showLegend();
      showCard(cursor, false);
      draw();
    },
    setColour,
    destroy() {
      clearTimeout(waitingMap);
      observer.disconnect();
      list.destroy();
      root.remove();
    },
  };
}
