import {
  type Complex,
  absolute,
  add,
  cosine,
  createComplex,
  divide,
  exponential,
  logarithm,
  multiply,
  negate,
  raise,
  sine,
  squareRoot,
} from './complex.ts';
import { evaluateExact } from './evaluate-exact.ts';
import { type MathNode, hasPart } from './math-node.ts';
import { toDouble } from './rational.ts';

/** Gives a symbol its value at the point where two expressions are compared. */
export type ReadSymbol = (name: string) => number;

const NOT_A_NUMBER = createComplex(NaN);
const ONE = createComplex(1);
const I = createComplex(0, 1);
const TRIGONOMETRIC = new Set(['sin', 'cos', 'tan', 'cot', 'sec', 'csc']);

/** The value at a point in double precision; NaN where there is none. */
export function evaluateNumeric(node: MathNode, readSymbol: ReadSymbol): Complex {
  const exact = evaluateExact(node);
  if (exact !== undefined) return createComplex(toDouble(exact));
  const evaluate = (part: MathNode): Complex => evaluateNumeric(part, readSymbol);
  switch (node.kind) {
    case 'constant':
      if (node.name === 'infinity') return createComplex(Infinity);
      return node.name === 'i' ? I : createComplex(node.name === 'pi' ? Math.PI : Math.E);
    case 'symbol':
      return createComplex(readSymbol(node.name));
    case 'sum':
      return node.terms.map(evaluate).reduce(add);
    case 'product':
      return node.factors.map(evaluate).reduce(multiply);
    case 'quotient':
      return divide(evaluate(node.top), evaluate(node.bottom));
    case 'negation':
      return negate(evaluate(node.of));
    case 'power':
      return raise(evaluate(node.base), evaluate(node.exponent));
    case 'percent':
      return divide(evaluate(node.of), createComplex(100));
    case 'degrees':
      return evaluate(node.of);
    case 'call':
      return call(node.name, node.inputs, readSymbol);
    default:
      return NOT_A_NUMBER;
  }
}

function call(name: string, inputs: readonly MathNode[], readSymbol: ReadSymbol): Complex {
  const values = inputs.map((input) => evaluateNumeric(input, readSymbol));
  const [first = NOT_A_NUMBER, second] = values;
  const isInDegrees =
    TRIGONOMETRIC.has(name) && inputs.some((input) => hasPart(input, ({ kind }) => kind === 'degrees'));
  const angle = isInDegrees ? multiply(first, createComplex(Math.PI / 180)) : first;
  // An unknown function has some value at each point, the same for both sides.
  if (name.startsWith('function '))
    return createComplex(readSymbol(`${name} ${first.re.toPrecision(9)} ${first.im.toPrecision(9)}`));
  switch (name) {
    case 'sqrt':
      return squareRoot(first);
    case 'root':
      return rootOf(first, second ?? NOT_A_NUMBER);
    case 'binom':
      return choose(first, second);
    case 'abs':
      return createComplex(absolute(first));
    case 'ln':
      return logarithm(first);
    case 'lg':
      return divide(logarithm(first), createComplex(Math.LN10));
    case 'log':
      return divide(logarithm(first), logarithm(second ?? createComplex(10)));
    case 'exp':
      return exponential(first);
    case 'sin':
      return sine(angle);
    case 'cos':
      return cosine(angle);
    case 'tan':
      return divide(sine(angle), cosine(angle));
    case 'cot':
      return divide(cosine(angle), sine(angle));
    case 'sec':
      return divide(ONE, cosine(angle));
    case 'csc':
      return divide(ONE, sine(angle));
    default:
      return callOnReal(name, values);
  }
}

/** An odd root of a negative number is meant to be real. */
function rootOf(value: Complex, degree: Complex): Complex {
  if (value.im === 0 && value.re < 0 && degree.im === 0 && degree.re % 2 === 1)
    return createComplex(-((-value.re) ** (1 / degree.re)));
  return raise(value, divide(ONE, degree));
}

/** The lower number must be whole and small; the upper may be anything. */
function choose(upper: Complex, lower: Complex | undefined): Complex {
  if (lower === undefined || lower.im !== 0 || !Number.isInteger(lower.re) || lower.re < 0 || lower.re > 50)
    return NOT_A_NUMBER;
  let value = ONE;
  for (let step = 0; step < lower.re; step += 1)
    value = divide(multiply(value, add(upper, createComplex(-step))), createComplex(step + 1));
  return value;
}

const REAL_FUNCTIONS: Readonly<Record<string, (...values: number[]) => number>> = {
  arcsin: Math.asin,
  arccos: Math.acos,
  arctan: Math.atan,
  arccot: (value) => Math.atan(1 / value),
  sinh: Math.sinh,
  cosh: Math.cosh,
  tanh: Math.tanh,
  arcsinh: Math.asinh,
  arccosh: Math.acosh,
  arctanh: Math.atanh,
  floor: Math.floor,
  ceil: Math.ceil,
  max: Math.max,
  min: Math.min,
};

function callOnReal(name: string, values: readonly Complex[]): Complex {
  const real = Object.hasOwn(REAL_FUNCTIONS, name) ? REAL_FUNCTIONS[name] : undefined;
  if (real === undefined || values.some(({ im }) => im !== 0)) return NOT_A_NUMBER;
  return createComplex(real(...values.map(({ re }) => re)));
}
