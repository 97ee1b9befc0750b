import { isCollection, isSameCollection } from './compare-collections.ts';
import { isSameRelation, readRelationAsSet } from './compare-relations.ts';
import { isSameValue } from './compare-values.ts';
import { expandPlusMinus } from './expand-plus-minus.ts';
import type { MathNode, Relation } from './math-node.ts';

export interface CompareNodesOptions {
  /** Places that count when one side was written as a decimal. */
  readonly decimals: number;
  /** Take `x > 2` where `(2, ∞)` is wanted. The other way round is always taken. */
  readonly acceptRelationForSet: boolean;
}

/** Whether an answer says what was expected. It is not symmetric: the expected side sets the form. */
export function isSameNode(expected: MathNode, answer: MathNode, options: CompareNodesOptions): boolean {
  const isSame = (left: MathNode, right: MathNode): boolean => isSameNode(left, right, options);
  let [left, right] = unwrapEquations(expandPlusMinus(expected), expandPlusMinus(answer));
  if (isCollection(right)) left = readRelationAsSet(left) ?? left;
  if (options.acceptRelationForSet && isCollection(left)) right = readRelationAsSet(right) ?? right;
  if (left.kind === 'relation' && right.kind === 'relation') return isSameRelation(left, right, isSame);
  if (left.kind === 'chain' || right.kind === 'chain') return isSameChain(left, right, isSame);
  if (isCollection(left) || isCollection(right)) return isSameCollection(left, right, isSame);
  const matrices = [readMatrix(left), readMatrix(right)];
  if (matrices.some((rows) => rows !== undefined)) return isSameMatrix(matrices[0], matrices[1], isSame);
  if (left.kind === 'symbol' || right.kind === 'symbol') return isSameName(left, right);
  return isSameValue(left, right, options.decimals);
}

/** `x = 5` is 5 where 5 is wanted, and 5 is taken where `x = 5` is; but `x = 5` is not `y = 5`. */
function unwrapEquations(expected: MathNode, answer: MathNode): [MathNode, MathNode] {
  const [left, right] = [shortenAssignment(expected), shortenAssignment(answer)];
  if (isEquation(right) && !isEquation(left)) return [left, lastRelation(right).right];
  if (isAssignment(left) && !isEquation(right)) return [lastRelation(left).right, right];
  return [left, right];
}

type Equation = Relation | Extract<MathNode, { kind: 'chain' }>;

const isEquation = (node: MathNode): node is Equation =>
  (node.kind === 'relation' && node.operator === '=') ||
  (node.kind === 'chain' && node.relations.every(({ operator }) => operator === '='));

const isAssignment = (node: MathNode): node is Equation => isEquation(node) && isNamed(firstRelation(node).left);

/** x, f(x), xy or x + y: what the answer is the value of. */
const isNamed = (node: MathNode): boolean =>
  node.kind === 'symbol' ||
  (node.kind === 'constant' && node.name !== 'infinity' && node.name !== 'pi') ||
  (node.kind === 'call' && node.name.startsWith('function ')) ||
  (node.kind === 'product' && node.factors.every(isNamed)) ||
  (node.kind === 'sum' && node.terms.every(isNamed));

const firstRelation = (node: Equation): Relation => (node.kind === 'chain' ? (node.relations[0] as Relation) : node);

const lastRelation = (node: Equation): Relation => (node.kind === 'chain' ? (node.relations.at(-1) as Relation) : node);

/** x = 2 + 3 = 5 is x = 5. */
function shortenAssignment(node: MathNode): MathNode {
  if (!isAssignment(node)) return node;
  return { kind: 'relation', operator: '=', left: firstRelation(node).left, right: lastRelation(node).right };
}

function isSameChain(left: MathNode, right: MathNode, isSame: (a: MathNode, b: MathNode) => boolean): boolean {
  if (left.kind !== 'chain' || right.kind !== 'chain' || left.relations.length !== right.relations.length) return false;
  const reversed = right.relations.toReversed();
  return [right.relations, reversed].some((relations) =>
    left.relations.every((relation, index) => {
      const other = relations[index];
      return other !== undefined && isSame(relation, other);
    }),
  );
}

type Rows = readonly (readonly MathNode[])[];

function isSameMatrix(
  left: Rows | undefined,
  right: Rows | undefined,
  isSame: (a: MathNode, b: MathNode) => boolean,
): boolean {
  if (left === undefined || right === undefined) return false;
  const [a, b] = [left.flat(), right.flat()];
  return (
    left.length === right.length &&
    a.length === b.length &&
    a.every((item, index) => {
      const other = b[index];
      return other !== undefined && isSame(item, other);
    })
  );
}

/** The rows of a matrix, or of one with a number before it. */
function readMatrix(node: MathNode): Rows | undefined {
  if (node.kind === 'matrix') return node.rows;
  if (node.kind === 'negation')
    return readMatrix(node.of)?.map((row) => row.map((of): MathNode => ({ kind: 'negation', of })));
  if (node.kind !== 'product') return undefined;
  const matrices = node.factors.filter(({ kind }) => kind === 'matrix');
  const [matrix] = matrices;
  if (matrix?.kind !== 'matrix' || matrices.length !== 1) return undefined;
  const scalars = node.factors.filter(({ kind }) => kind !== 'matrix');
  return matrix.rows.map((row) => row.map((item): MathNode => ({ ...node, factors: [...scalars, item] })));
}

/** Letters side by side are the word they spell: somebody forgot \text. */
function isSameName(left: MathNode, right: MathNode): boolean {
  const [first, second] = [readName(left), readName(right)];
  return first !== undefined && first === second;
}

function readName(node: MathNode): string | undefined {
  if (node.kind === 'symbol') return node.name;
  if (node.kind === 'constant' && (node.name === 'e' || node.name === 'i')) return node.name;
  if (node.kind !== 'product' || node.isWritten) return undefined;
  const names = node.factors.map(readName);
  return names.includes(undefined) ? undefined : names.join('');
}
