import { makeElement } from '../../reading/make-element.ts';
import type { Box, Graph } from './lay-out-lineage.ts';

export interface LineageGraphOptions {
  graph: Graph;
  /** The key of the box that is looked at. */
  at: string | undefined;
  onPick: (box: Box) => void;
}

const SVG = 'http://www.w3.org/2000/svg';
const WIDTH = 168;
const HEIGHT = 40;
const GAP_X = 48;
const GAP_Y = 8;

/** Boxes in columns and the arrows between them. What was there before is on the left. */
export function mountLineageGraph(element: HTMLElement, first: LineageGraphOptions) {
  let options = first;
  const draw = (): void => {
    const { graph, at, onPick } = options;
    const left = ({ column }: Box): number => column * (WIDTH + GAP_X);
    const top = ({ row }: Box): number => row * (HEIGHT + GAP_Y);
    const space = makeElement('div', 'graph-space');
    space.style.width = `${graph.columns * (WIDTH + GAP_X) - GAP_X}px`;
    space.style.height = `${graph.rows * (HEIGHT + GAP_Y) - GAP_Y}px`;
    const arrows = document.createElementNS(SVG, 'svg');
    arrows.setAttribute('aria-hidden', 'true');
    const boxes = new Map(graph.boxes.map((box) => [box.key, box]));
    for (const { from, to, relation } of graph.edges) {
      const [start, end] = [boxes.get(from), boxes.get(to)];
      if (start === undefined || end === undefined) continue;
      const path = document.createElementNS(SVG, 'path');
      path.setAttribute('d', writePath([left(start), top(start)], [left(end), top(end)]));
      path.setAttribute('class', from === at || to === at ? 'edge near' : 'edge');
      const title = document.createElementNS(SVG, 'title');
      title.append(relation);
      path.append(title);
      arrows.append(path);
    }
    space.append(arrows);
    for (const box of graph.boxes) {
      const button = makeElement(
        'button',
        `graph-box kind-${box.kind}${box.column === graph.middle && box.id !== undefined ? ' middle' : ''}`,
        makeElement('span', 'graph-kind', box.kind === 'dataset' ? 'data set' : box.kind),
        makeElement('span', 'graph-label', box.label),
      );
      button.type = 'button';
      button.style.transform = `translate(${left(box)}px, ${top(box)}px)`;
      button.setAttribute('aria-pressed', String(box.key === at));
      button.dataset['key'] = box.key;
      button.addEventListener('click', () => onPick(box));
      space.append(button);
    }
    const hadFocus = element.contains(document.activeElement);
    element.replaceChildren(space);
    const picked =
      at === undefined ? undefined : [...space.querySelectorAll('button')].find((each) => each.dataset['key'] === at);
    if (hadFocus) picked?.focus({ preventScroll: true });
    picked?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  };
  draw();
  return {
    update(next: LineageGraphOptions) {
      options = next;
      draw();
    },
    destroy: () => element.replaceChildren(),
  };
}

/** From the right side of one box to the left side of the other; within a column, around it. */
function writePath([startX, startY]: readonly [number, number], [endX, endY]: readonly [number, number]): string {
  const [fromX, fromY] = [startX + WIDTH, startY + HEIGHT / 2];
  const toY = endY + HEIGHT / 2;
  if (endX <= startX) {
    const out = fromX + GAP_X / 3;
    return `M${fromX} ${fromY}C${out} ${fromY} ${out} ${toY} ${endX + WIDTH} ${toY}`;
  }
  const half = (fromX + endX) / 2;
  return `M${fromX} ${fromY}C${half} ${fromY} ${half} ${toY} ${endX} ${toY}`;
}
