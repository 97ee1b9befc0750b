import { PythonFloat } from '../python/python-float.ts';
import { isEqual } from './operators.ts';
import { type TextMark, withoutMark } from './text-mark.ts';
import { Callable, Tuple, Undefined, type Value, isInteger, isNumeric, nameType, templateFailure } from './values.ts';

type Test = (value: Value, argument: Value, mark: TextMark) => boolean;

const isOdd = (value: Value): boolean => {
  if (!isInteger(value)) throw templateFailure(`${nameType(value)} is neither odd nor even`);
  return BigInt(value) % 2n !== 0n;
};

const isIterable: Test = (value) =>
  typeof value === 'string' ||
  Array.isArray(value) ||
  value instanceof Map ||
  value instanceof Tuple ||
  value instanceof Undefined;

/** What may stand after `is`, and what `select`, `reject`, `selectattr` and `rejectattr` may be told. */
const TESTS = new Map<string, Test>([
  ['defined', (value) => !(value instanceof Undefined)],
  ['undefined', (value) => value instanceof Undefined],
  ['none', (value) => value === null],
  ['boolean', (value) => typeof value === 'boolean'],
  ['true', (value) => value === true],
  ['false', (value) => value === false],
  ['string', (value) => typeof value === 'string'],
  ['number', (value) => isNumeric(value)],
  ['integer', (value) => isInteger(value)],
  ['float', (value) => value instanceof PythonFloat],
  ['mapping', (value) => value instanceof Map],
  ['iterable', isIterable],
  ['sequence', isIterable],
  ['callable', (value) => value instanceof Callable],
  ['odd', (value) => isOdd(value)],
  ['even', (value) => !isOdd(value)],
  ['lower', (value, _argument, mark) => isCased(value, mark, (text) => text.toLowerCase())],
  ['upper', (value, _argument, mark) => isCased(value, mark, (text) => text.toUpperCase())],
  ['equalto', isEqual],
  ['eq', isEqual],
  ['==', isEqual],
  ['ne', (value, argument, mark) => !isEqual(value, argument, mark)],
  ['sameas', (value, argument) => value === argument],
]);

function isCased(value: Value, mark: TextMark, change: (text: string) => string): boolean {
  const text = typeof value === 'string' ? withoutMark(value, mark) : '';
  return text.toLowerCase() !== text.toUpperCase() && change(text) === text;
}

export function applyTest(name: string, value: Value, argument: Value, mark: TextMark): boolean {
  const test = TESTS.get(name);
  if (test === undefined) throw templateFailure(`the test ${name} is not known`);
  return test(value, argument, mark);
}
