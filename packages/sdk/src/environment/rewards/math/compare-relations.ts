import { findRatio } from './compare-values.ts';
import type { MathNode, Relation, RelationOperator } from './math-node.ts';

const FLIPPED: Readonly<Record<RelationOperator, RelationOperator>> = {
  '=': '=',
  '!=': '!=',
  '<': '>',
  '>': '<',
  '<=': '>=',
  '>=': '<=',
};

/** Whether two relations say the same: 2x > 4 and 2 < x do. */
export function isSameRelation(
  expected: Relation,
  answer: Relation,
  isSame: (left: MathNode, right: MathNode) => boolean,
): boolean {
  if (
    expected.operator === answer.operator &&
    isSame(expected.left, answer.left) &&
    isSame(expected.right, answer.right)
  )
    return true;
  const ratio = findRatio(subtract(expected), subtract(answer));
  if (ratio === undefined) return false;
  return ratio > 0 ? expected.operator === answer.operator : FLIPPED[expected.operator] === answer.operator;
}

const subtract = ({ left, right }: Relation): MathNode => ({
  kind: 'sum',
  terms: [left, { kind: 'negation', of: right }],
});

const INFINITY: MathNode = { kind: 'constant', name: 'infinity' };
const MINUS_INFINITY: MathNode = { kind: 'negation', of: INFINITY };

/** The numbers for which a relation of one symbol to a value holds; undefined for any other. */
export function readRelationAsSet(node: MathNode): MathNode | undefined {
  if (node.kind === 'chain') {
    const parts = node.relations.map(readRelationAsSet).filter((part) => part !== undefined);
    const [first, second] = parts;
    if (parts.length !== 2 || first === undefined || second === undefined || node.relations.length !== 2)
      return undefined;
    return { kind: 'combined-set', operator: 'intersection', parts: [first, second] };
  }
  if (node.kind !== 'relation') return undefined;
  const isSymbolLeft = node.left.kind === 'symbol';
  if (!isSymbolLeft && node.right.kind !== 'symbol') return undefined;
  const operator = isSymbolLeft ? node.operator : FLIPPED[node.operator];
  return readBound(operator, isSymbolLeft ? node.right : node.left);
}

function readBound(operator: RelationOperator, bound: MathNode): MathNode {
  const below = (isOpenAtEnd: boolean): MathNode => ({
    kind: 'interval',
    start: MINUS_INFINITY,
    end: bound,
    isOpenAtStart: true,
    isOpenAtEnd,
  });
  const above = (isOpenAtStart: boolean): MathNode => ({
    kind: 'interval',
    start: bound,
    end: INFINITY,
    isOpenAtStart,
    isOpenAtEnd: true,
  });
  switch (operator) {
    case '<':
    case '<=':
      return below(operator === '<');
    case '>':
    case '>=':
      return above(operator === '>');
    case '!=':
      return { kind: 'combined-set', operator: 'union', parts: [below(true), above(true)] };
    case '=':
      return { kind: 'set', items: [bound] };
  }
}
