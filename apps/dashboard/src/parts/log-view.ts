/** Lines of a log in an element, from the newest that fit; more can be added at any time. */
export interface LogView {
  add(lines: readonly string[]): void;
  destroy(): void;
}

const ROW = 20;
const MORE = 20;

/**
 * Draws the lines in view and no others: a log of a hundred thousand lines is as quick as one of fifty. Stays at the end
 * while somebody reads there, and stays where it is while somebody reads further up.
 */
export function mountLog(element: HTMLElement): LogView {
  const lines: string[] = [];
  const space = document.createElement('div');
  const drawn = document.createElement('pre');
  space.className = 'log-space';
  space.append(drawn);
  element.replaceChildren(space);

  const draw = (): void => {
    const first = Math.max(0, Math.floor(element.scrollTop / ROW) - MORE);
    const count = Math.ceil(element.clientHeight / ROW) + MORE * 2;
    drawn.style.transform = `translateY(${first * ROW}px)`;
    drawn.textContent = lines.slice(first, first + count).join('\n');
  };
  let isAtEnd = true;
  const onScroll = (): void => {
    isAtEnd = element.scrollTop + element.clientHeight >= space.clientHeight - ROW;
    draw();
  };
  // It may be filled before it is in view.
  const keep = (): void => {
    if (isAtEnd) element.scrollTop = space.clientHeight;
    draw();
  };
  element.addEventListener('scroll', onScroll, { passive: true });
  const resize = new ResizeObserver(keep);
  resize.observe(element);

  return {
    add(more) {
      for (const line of more) lines.push(line);
      space.style.height = `${lines.length * ROW}px`;
      keep();
    },
    destroy() {
      element.removeEventListener('scroll', onScroll);
      resize.disconnect();
      element.replaceChildren();
    },
  };
}
