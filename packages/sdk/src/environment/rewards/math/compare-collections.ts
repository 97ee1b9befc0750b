import type { MathNode } from './math-node.ts';
import { isSameRealSet } from './real-sets.ts';

type IsSame = (expected: MathNode, answer: MathNode) => boolean;

/** Lists longer than this are no answer; every item is compared with every other. */
const MAX_ITEMS = 200;

export const isCollection = ({ kind }: MathNode): boolean =>
  kind === 'list' || kind === 'set' || kind === 'tuple' || kind === 'interval' || kind === 'combined-set';

/** Whether two sets, tuples, lists or intervals are the same. A value alone is the set that holds it. */
export function isSameCollection(expected: MathNode, answer: MathNode, isSame: IsSame): boolean {
  if (expected.kind === 'interval' && answer.kind === 'interval') {
    const hasSameEnds = isSame(expected.start, answer.start) && isSame(expected.end, answer.end);
    return (
      hasSameEnds && expected.isOpenAtStart === answer.isOpenAtStart && expected.isOpenAtEnd === answer.isOpenAtEnd
    );
  }
  if (expected.kind !== 'tuple' && answer.kind !== 'tuple' && isSameRealSet(wrap(expected), wrap(answer)) === true)
    return true;
  const [left, right] = [readItems(expected), readItems(answer)];
  if (left === undefined || right === undefined) return false;
  // Whoever asks for a tuple asks for its order; whoever asks for a set does not.
  return expected.kind === 'tuple' || expected.kind === 'interval'
    ? left.length === right.length && left.every((item, index) => isSameItem(item, right[index], isSame))
    : isSameUnordered(left, right, isSame);
}

const wrap = (node: MathNode): MathNode =>
  isCollection(node) || node.kind === 'symbol' ? node : { kind: 'set', items: [node] };

/** An open interval of two ends is a pair as well. */
function readItems(node: MathNode): readonly MathNode[] | undefined {
  if (node.kind === 'interval') return node.isOpenAtStart && node.isOpenAtEnd ? [node.start, node.end] : undefined;
  if (node.kind === 'combined-set') return undefined;
  if (node.kind === 'list' || node.kind === 'set' || node.kind === 'tuple') return node.items;
  return [node];
}

const isSameItem = (expected: MathNode, answer: MathNode | undefined, isSame: IsSame): boolean =>
  answer !== undefined && isSame(expected, answer);

function isSameUnordered(expected: readonly MathNode[], answer: readonly MathNode[], isSame: IsSame): boolean {
  if (expected.length > MAX_ITEMS || answer.length > MAX_ITEMS) return false;
  const [left, right] = [dropRepeated(expected, isSame), dropRepeated(answer, isSame)];
  if (left.length !== right.length) return false;
  const open = [...right];
  return left.every((item) => {
    const at = open.findIndex((other) => isSame(item, other));
    if (at >= 0) open.splice(at, 1);
    return at >= 0;
  });
}

function dropRepeated(items: readonly MathNode[], isSame: IsSame): MathNode[] {
  const kept: MathNode[] = [];
  for (const item of items) if (!kept.some((other) => isSame(other, item))) kept.push(item);
  return kept;
}
