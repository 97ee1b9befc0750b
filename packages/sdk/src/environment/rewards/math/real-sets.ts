import { evaluateNumeric } from './evaluate-numeric.ts';
import { type MathNode, type SetOperator, hasPart } from './math-node.ts';
import { readPoint } from './points.ts';

/** A piece of the real line. A point is a piece that is closed and starts where it ends. */
interface Piece {
  readonly start: number;
  readonly end: number;
  readonly isOpenAtStart: boolean;
  readonly isOpenAtEnd: boolean;
}

const TOLERANCE = 1e-9;
const REAL_LINE: Piece = { start: -Infinity, end: Infinity, isOpenAtStart: true, isOpenAtEnd: true };

/** Whether two sets of real numbers are the same; undefined when either is no such set, or holds symbols. */
export function isSameRealSet(expected: MathNode, answer: MathNode): boolean | undefined {
  const [left, right] = [readPieces(expected), readPieces(answer)];
  if (left === undefined || right === undefined) return undefined;
  return (
    left.length === right.length &&
    left.every((piece, index) => {
      const other = right[index];
      return other !== undefined && isSamePiece(piece, other);
    })
  );
}

const isSamePiece = (a: Piece, b: Piece): boolean =>
  isNear(a.start, b.start) &&
  isNear(a.end, b.end) &&
  a.isOpenAtStart === b.isOpenAtStart &&
  a.isOpenAtEnd === b.isOpenAtEnd;

const isNear = (a: number, b: number): boolean => a === b || Math.abs(a - b) <= TOLERANCE * Math.max(1, Math.abs(a));

/** In order and merged where they touch. */
function readPieces(node: MathNode): Piece[] | undefined {
  if (node.kind === 'symbol') return node.name === 'mathbb r' ? [REAL_LINE] : undefined;
  if (node.kind === 'interval') {
    const [start, end] = [readReal(node.start), readReal(node.end)];
    if (start === undefined || end === undefined) return undefined;
    const { isOpenAtStart, isOpenAtEnd } = node;
    // Nothing is infinite, whatever bracket stands there.
    return merge([
      { start, end, isOpenAtStart: isOpenAtStart || start === -Infinity, isOpenAtEnd: isOpenAtEnd || end === Infinity },
    ]);
  }
  if (node.kind === 'set' || node.kind === 'list') {
    const values = node.items.map(readReal);
    const known = values.filter((value) => value !== undefined);
    return known.length === values.length ? merge(known.map(createPoint)) : undefined;
  }
  if (node.kind !== 'combined-set') return undefined;
  const parts = node.parts.map(readPieces);
  const [left, right] = parts;
  return left === undefined || right === undefined ? undefined : combine(node.operator, left, right);
}

const createPoint = (value: number): Piece => ({ start: value, end: value, isOpenAtStart: false, isOpenAtEnd: false });

function readReal(node: MathNode): number | undefined {
  if (hasPart(node, ({ kind }) => kind === 'symbol')) return undefined;
  const { re, im } = evaluateNumeric(node, readPoint(0));
  return Number.isNaN(re) || Math.abs(im) > TOLERANCE ? undefined : re;
}

function combine(operator: SetOperator, left: readonly Piece[], right: readonly Piece[]): Piece[] {
  if (operator === 'union') return merge([...left, ...right]);
  const other = operator === 'intersection' ? right : complement(right);
  return merge(left.flatMap((piece) => other.map((part) => intersect(piece, part))));
}

function intersect(a: Piece, b: Piece): Piece {
  const first = a.start > b.start || (a.start === b.start && a.isOpenAtStart) ? a : b;
  const last = a.end < b.end || (a.end === b.end && a.isOpenAtEnd) ? a : b;
  return { start: first.start, isOpenAtStart: first.isOpenAtStart, end: last.end, isOpenAtEnd: last.isOpenAtEnd };
}

function complement(pieces: readonly Piece[]): Piece[] {
  const gaps: Piece[] = [];
  let [start, isOpenAtStart] = [-Infinity, true];
  for (const piece of pieces) {
    gaps.push({ start, isOpenAtStart, end: piece.start, isOpenAtEnd: !piece.isOpenAtStart });
    [start, isOpenAtStart] = [piece.end, !piece.isOpenAtEnd];
  }
  gaps.push({ start, isOpenAtStart, end: Infinity, isOpenAtEnd: true });
  return merge(gaps);
}

const isEmpty = ({ start, end, isOpenAtStart, isOpenAtEnd }: Piece): boolean =>
  start > end || (start === end && (isOpenAtStart || isOpenAtEnd));

function merge(pieces: readonly Piece[]): Piece[] {
  const merged: Piece[] = [];
  const inOrder = pieces
    .filter((piece) => !isEmpty(piece))
    .sort((a, b) => a.start - b.start || Number(a.isOpenAtStart) - Number(b.isOpenAtStart));
  for (const piece of inOrder) {
    const last = merged.at(-1);
    const touches =
      last !== undefined &&
      (piece.start < last.end || (piece.start === last.end && !(piece.isOpenAtStart && last.isOpenAtEnd)));
    if (last === undefined || !touches) merged.push(piece);
    else if (piece.end > last.end || (piece.end === last.end && last.isOpenAtEnd))
      merged.splice(-1, 1, { ...last, end: piece.end, isOpenAtEnd: piece.isOpenAtEnd });
  }
  return merged;
}
