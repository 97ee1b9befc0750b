const marker = Symbol.for('lachesis.sdk.python-float');

/**
 * A number that Python keeps as a float. JavaScript has one kind of number and prints `1.0` as `1`; a template then shows the
 * model another text, and the tokens differ.
 */
export class PythonFloat {
  static isInstance(value: unknown): value is PythonFloat {
    return typeof value === 'object' && value !== null && marker in value;
  }

  readonly [marker] = true;
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }

  /** So that arithmetic and comparison with numbers work. */
  valueOf(): number {
    return this.value;
  }

  /** `JSON.stringify` writes the plain number; Python's text comes from `formatPythonJson`. */
  toJSON(): number {
    return this.value;
  }

  toString(): string {
    return formatPythonFloat(this.value);
  }
}

/** `repr(float)`: the same shortest digits as JavaScript, with Python's rules for point and exponent. */
export function formatPythonFloat(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  const [mantissa = '0', exponentText = '0'] = Math.abs(value).toExponential().split('e');
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  const digits = mantissa.replace('.', '');
  const exponent = Number(exponentText);
  if (exponent < -4 || exponent >= 16) {
    const fraction = digits.length > 1 ? `.${digits.slice(1)}` : '';
    return `${sign}${digits[0]}${fraction}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
  }
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  return `${sign}${whole}.${digits.slice(exponent + 1) || '0'}`;
}
