import { makeElement } from '../make-element.ts';
import type { TokenShades } from './colour-tokens.ts';

export interface TokenMap {
  draw(tokens: number, lines: Uint32Array, shades: TokenShades): void;
  /** Which lines are in view. */
  showView(first: number, last: number, lines: number): void;
  destroy(): void;
}

/** The strongest of a stretch of tokens is drawn; beyond so many of a pixel the rest is passed over. */
const LOOKED_AT = 64;

/** The whole sequence beside its lines: where the colours are, and where the view is. A press goes there. */
export function mountTokenMap(element: HTMLElement, goTo: (share: number) => void): TokenMap {
  const root = makeElement('div', 'tokens-map');
  root.setAttribute('aria-hidden', 'true');
  const canvas = makeElement('canvas');
  const view = makeElement('div', 'tokens-map-view');
  root.append(canvas, view);
  element.append(root);

  root.addEventListener('pointerdown', (event) => {
    const box = root.getBoundingClientRect();
    goTo(Math.max(0, Math.min(1, (event.clientY - box.top) / box.height)));
  });

  return {
    draw(tokens, lines, shades) {
      const height = Math.max(1, Math.round(root.clientHeight));
      const width = 12;
      canvas.width = width;
      canvas.height = height;
      const context = canvas.getContext('2d');
      if (context === null) return;
      context.fillStyle = getComputedStyle(root).color;
      for (let y = 0; y < height; y += 1) {
        const first = lines[Math.floor((y / height) * lines.length)] ?? tokens;
        const end = lines[Math.floor(((y + 1) / height) * lines.length)] ?? tokens;
        const step = Math.max(1, Math.floor((end - first) / LOOKED_AT));
        let strongest = 0;
        for (let index = first; index < end && strongest < 1; index += step)
          strongest = Math.max(strongest, shades.weightOf(index));
        if (strongest === 0) continue;
        context.globalAlpha = strongest;
        context.fillRect(0, y, width, 1);
      }
    },
    showView(first, last, lines) {
      const height = root.clientHeight;
      const share = (line: number): number => (lines === 0 ? 0 : (line / lines) * height);
      view.style.top = `${share(first)}px`;
      view.style.height = `${Math.max(6, share(last + 1) - share(first))}px`;
    },
    destroy: () => root.remove(),
  };
}
