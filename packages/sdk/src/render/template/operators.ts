import { PythonFloat } from '../python/python-float.ts';
import { compareCodePoints } from '../python/format-python-json.ts';
import { formatPythonText } from '../python/python-text.ts';
import { type TextMark, findPlaces, withoutMark } from './text-mark.ts';
import { Tuple, Undefined, type Value, isInteger, isNumeric, nameType, templateFailure, toInteger } from './values.ts';

export function isEqual(left: Value, right: Value, mark: TextMark): boolean {
  if (typeof left === 'string' && typeof right === 'string')
    return withoutMark(left, mark) === withoutMark(right, mark);
  if (isNumeric(left) && isNumeric(right)) return compareNumbers(left, right) === 0;
  if (Array.isArray(left) && Array.isArray(right)) return areItemsEqual(left, right, mark);
  if (left instanceof Tuple && right instanceof Tuple) return areItemsEqual(left.items, right.items, mark);
  if (left instanceof Map && right instanceof Map) {
    if (left.size !== right.size) return false;
    for (const [key, value] of left) {
      const other = right.get(key);
      if (other === undefined || !isEqual(value, other, mark)) return false;
    }
    return true;
  }
  if (left instanceof Undefined && right instanceof Undefined) return true;
  return left === right;
}

function areItemsEqual(left: readonly Value[], right: readonly Value[], mark: TextMark): boolean {
  return left.length === right.length && left.every((item, index) => isEqual(item, right[index] ?? null, mark));
}

/** Negative, zero or positive; NaN when a NaN is among them, which makes every comparison false. */
function compareNumbers(left: Value, right: Value): number {
  if (isInteger(left) && isInteger(right)) return left < right ? -1 : Number(left > right);
  return Number(left) - Number(right);
}

/** The order of `<`, for values that have one. */
export function compareValues(left: Value, right: Value, mark: TextMark): number {
  if (isNumeric(left) && isNumeric(right)) return compareNumbers(left, right);
  if (typeof left === 'string' && typeof right === 'string') {
    return compareCodePoints(withoutMark(left, mark), withoutMark(right, mark));
  }
  const [leftItems, rightItems] = [readItems(left), readItems(right)];
  if (leftItems !== undefined && rightItems !== undefined && nameType(left) === nameType(right)) {
    for (let index = 0; index < Math.min(leftItems.length, rightItems.length); index += 1) {
      const [a, b] = [leftItems[index] ?? null, rightItems[index] ?? null];
      if (!isEqual(a, b, mark)) return compareValues(a, b, mark);
    }
    return leftItems.length - rightItems.length;
  }
  throw templateFailure(`${nameType(left)} and ${nameType(right)} have no order`);
}

function readItems(value: Value): readonly Value[] | undefined {
  if (Array.isArray(value)) return value;
  return value instanceof Tuple ? value.items : undefined;
}

export function isMember(needle: Value, container: Value, mark: TextMark): boolean {
  if (typeof container === 'string') {
    if (typeof needle !== 'string') throw templateFailure(`${nameType(needle)} cannot be in a string`);
    return needle === '' || findPlaces(container, needle, mark).length > 0;
  }
  if (container instanceof Map) {
    for (const key of container.keys()) if (isEqual(key, needle, mark)) return true;
    return false;
  }
  if (container instanceof Undefined) return false;
  const items = readItems(container);
  if (items === undefined) throw templateFailure(`nothing can be in ${nameType(container)}`);
  return items.some((item) => isEqual(item, needle, mark));
}

export function applyBinary(operator: string, left: Value, right: Value, mark: TextMark): Value {
  switch (operator) {
    case '==':
      return isEqual(left, right, mark);
    case '!=':
      return !isEqual(left, right, mark);
    case 'in':
      return isMember(left, right, mark);
    case 'not in':
      return !isMember(left, right, mark);
    case '<':
      return compareValues(left, right, mark) < 0;
    case '<=':
      return compareValues(left, right, mark) <= 0;
    case '>':
      return compareValues(left, right, mark) > 0;
    case '>=':
      return compareValues(left, right, mark) >= 0;
    case '~':
      return formatPythonText(left, mark) + formatPythonText(right, mark);
    default:
      return applyArithmetic(operator, left, right);
  }
}

function applyArithmetic(operator: string, left: Value, right: Value): Value {
  if (operator === '+') {
    if (typeof left === 'string' && typeof right === 'string') return left + right;
    if (Array.isArray(left) && Array.isArray(right)) return [...left, ...right];
    if (left instanceof Tuple && right instanceof Tuple) return new Tuple([...left.items, ...right.items]);
  }
  if (operator === '*') {
    if (typeof left === 'string' && isInteger(right)) return left.repeat(Math.max(0, Number(right)));
    if (isInteger(left) && typeof right === 'string') return right.repeat(Math.max(0, Number(left)));
  }
  if (!isNumeric(left) || !isNumeric(right)) {
    throw templateFailure(`${nameType(left)} ${operator} ${nameType(right)} has no meaning`);
  }
  if (left instanceof PythonFloat || right instanceof PythonFloat || operator === '/') {
    return new PythonFloat(calculateFloat(operator, Number(left), Number(right)));
  }
  return calculateInteger(operator, BigInt(left), BigInt(right));
}

function calculateFloat(operator: string, left: number, right: number): number {
  if (right === 0 && ['/', '//', '%'].includes(operator)) throw templateFailure('division by zero');
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return left / right;
    case '//':
      return Math.floor(left / right);
    case '%':
      return left - Math.floor(left / right) * right;
    case '**':
      return left ** right;
    default:
      throw templateFailure(`the operator ${operator} is not known`);
  }
}

function calculateInteger(operator: string, left: bigint, right: bigint): Value {
  if (right === 0n && ['//', '%'].includes(operator)) throw templateFailure('division by zero');
  switch (operator) {
    case '+':
      return toInteger(left + right);
    case '-':
      return toInteger(left - right);
    case '*':
      return toInteger(left * right);
    // Python rounds down and gives the remainder the sign of the divisor; JavaScript rounds towards zero.
    case '//':
      return toInteger((left - modulo(left, right)) / right);
    case '%':
      return toInteger(modulo(left, right));
    case '**':
      return right < 0n ? new PythonFloat(Number(left) ** Number(right)) : toInteger(left ** right);
    default:
      throw templateFailure(`the operator ${operator} is not known`);
  }
}

const modulo = (left: bigint, right: bigint): bigint => ((left % right) + right) % right;
