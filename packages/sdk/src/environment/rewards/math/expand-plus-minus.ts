import { type MathNode, hasPart } from './math-node.ts';

/** `2 ± 1` is the list 3, 1. A sign inside a relation goes to its right side: x = ±2 is x = 2, -2. */
export function expandPlusMinus(node: MathNode): MathNode {
  if (!hasPart(node, ({ kind }) => kind === 'plus-minus')) return node;
  if (node.kind === 'list' || node.kind === 'set')
    return { ...node, items: node.items.flatMap((item) => listItems(expandPlusMinus(item))) };
  if (node.kind === 'relation') return { ...node, right: expandPlusMinus(node.right) };
  return { kind: 'list', items: [1, -1].map((sign) => choose(node, sign)) };
}

const listItems = (node: MathNode): readonly MathNode[] => (node.kind === 'list' ? node.items : [node]);

/** All signs of an expression go the same way. */
function choose(node: MathNode, sign: number): MathNode {
  const inside = (part: MathNode): MathNode => choose(part, sign);
  switch (node.kind) {
    case 'plus-minus': {
      const right: MathNode = sign > 0 ? inside(node.right) : { kind: 'negation', of: inside(node.right) };
      return node.left === undefined ? right : { kind: 'sum', terms: [inside(node.left), right] };
    }
    case 'sum':
      return { ...node, terms: node.terms.map(inside) };
    case 'product':
      return { ...node, factors: node.factors.map(inside) };
    case 'quotient':
      return { ...node, top: inside(node.top), bottom: inside(node.bottom) };
    case 'negation':
    case 'percent':
    case 'degrees':
      return { ...node, of: inside(node.of) };
    case 'power':
      return { ...node, base: inside(node.base), exponent: inside(node.exponent) };
    case 'call':
      return { ...node, inputs: node.inputs.map(inside) };
    case 'tuple':
      return { ...node, items: node.items.map(inside) };
    default:
      return node;
  }
}
