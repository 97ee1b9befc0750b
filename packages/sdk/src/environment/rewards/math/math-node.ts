import type { Rational } from './rational.ts';

/** What a written answer means, as far as it is compared. */
export type MathNode =
  | { readonly kind: 'number'; readonly value: Rational; readonly isDecimal: boolean }
  | { readonly kind: 'constant'; readonly name: 'pi' | 'e' | 'i' | 'infinity' }
  | { readonly kind: 'symbol'; readonly name: string }
  | { readonly kind: 'sum'; readonly terms: readonly MathNode[] }
  | { readonly kind: 'product'; readonly factors: readonly MathNode[]; readonly isWritten: boolean }
  | { readonly kind: 'quotient'; readonly top: MathNode; readonly bottom: MathNode }
  | { readonly kind: 'negation'; readonly of: MathNode }
  | { readonly kind: 'power'; readonly base: MathNode; readonly exponent: MathNode }
  | { readonly kind: 'call'; readonly name: string; readonly inputs: readonly MathNode[] }
  | { readonly kind: 'percent'; readonly of: MathNode }
  | { readonly kind: 'degrees'; readonly of: MathNode }
  | { readonly kind: 'plus-minus'; readonly left: MathNode | undefined; readonly right: MathNode }
  /** `1, 2`: nobody wrote brackets, so order may or may not have been meant. */
  | { readonly kind: 'list'; readonly items: readonly MathNode[] }
  | { readonly kind: 'tuple'; readonly items: readonly MathNode[] }
  | { readonly kind: 'set'; readonly items: readonly MathNode[] }
  /** `(1, 2)` is a pair too; both are tried. */
  | {
      readonly kind: 'interval';
      readonly start: MathNode;
      readonly end: MathNode;
      readonly isOpenAtStart: boolean;
      readonly isOpenAtEnd: boolean;
    }
  | { readonly kind: 'combined-set'; readonly operator: SetOperator; readonly parts: readonly MathNode[] }
  | { readonly kind: 'matrix'; readonly rows: readonly (readonly MathNode[])[] }
  | {
      readonly kind: 'relation';
      readonly operator: RelationOperator;
      readonly left: MathNode;
      readonly right: MathNode;
    }
  /** `1 < x < 2`. */
  | { readonly kind: 'chain'; readonly relations: readonly Relation[] };

export type SetOperator = 'union' | 'intersection' | 'difference';
export type RelationOperator = '=' | '<' | '>' | '<=' | '>=' | '!=';
export type Relation = Extract<MathNode, { kind: 'relation' }>;

/** Parts of a node in the order they were written. */
export function listParts(node: MathNode): readonly MathNode[] {
  switch (node.kind) {
    case 'number':
    case 'constant':
    case 'symbol':
      return [];
    case 'sum':
      return node.terms;
    case 'product':
      return node.factors;
    case 'quotient':
      return [node.top, node.bottom];
    case 'negation':
    case 'percent':
    case 'degrees':
      return [node.of];
    case 'power':
      return [node.base, node.exponent];
    case 'call':
      return node.inputs;
    case 'plus-minus':
      return node.left === undefined ? [node.right] : [node.left, node.right];
    case 'list':
    case 'tuple':
    case 'set':
      return node.items;
    case 'interval':
      return [node.start, node.end];
    case 'combined-set':
      return node.parts;
    case 'matrix':
      return node.rows.flat();
    case 'relation':
      return [node.left, node.right];
    case 'chain':
      return node.relations;
  }
}

export const hasPart = (node: MathNode, test: (part: MathNode) => boolean): boolean =>
  test(node) || listParts(node).some((part) => hasPart(part, test));
