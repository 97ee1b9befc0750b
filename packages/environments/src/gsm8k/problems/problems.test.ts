import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

import { SHIPPED_PROBLEMS, readProblems } from '../read-problems.ts';
import { makeProblems, writeProblem } from './make-problems.ts';

const problems = makeProblems();

/** Adds, subtracts, multiplies and divides from left to right with brackets, apart from any code that made the problems. */
function compute(expression: string): number {
  let rest = expression;
  const next = (pattern: RegExp): string | undefined => {
    const found = pattern.exec(rest)?.[0];
    if (found !== undefined) rest = rest.slice(found.length);
    return found;
  };
  const atom = (): number => {
    if (next(/^\(/) === undefined) return Number(next(/^\d+/));
    const value = sum();
    next(/^\)/);
    return value;
  };
  const product = (): number => {
    let value = atom();
    for (let sign = next(/^[*/]/); sign !== undefined; sign = next(/^[*/]/))
      value = sign === '*' ? value * atom() : value / atom();
    return value;
  };
  const sum = (): number => {
    let value = product();
    for (let sign = next(/^[+-]/); sign !== undefined; sign = next(/^[+-]/))
      value = sign === '+' ? value + product() : value - product();
    return value;
  };
  const value = sum();
  return rest === '' ? value : NaN;
}

const calculations = (step: string): [string, number][] =>
  [...step.matchAll(/<<(?<expression>[^=]+)=(?<result>-?\d+)>>(?<written>-?\d+)/g)].map(({ groups }) => {
    expect(groups?.['written'], step).toBe(groups?.['result']);
    return [groups?.['expression'] ?? '', Number(groups?.['result'])];
  });

test('what ships is what the templates make', async () => {
  expect(await readFile(SHIPPED_PROBLEMS, 'utf8')).toBe(`${problems.map(writeProblem).join('\n')}\n`);
});

test('there are two hundred different questions of forty kinds', async () => {
  const questions = problems.map(({ question }) => question);
  expect(new Set(questions).size).toBe(200);
  const kinds = new Set(questions.map((question) => question.replaceAll(/[A-Z]\w*|\d+/g, '').slice(0, 25)));
  expect(kinds.size).toBeGreaterThan(40);
  expect(await readProblems(SHIPPED_PROBLEMS)).toHaveLength(200);
});

test('every calculation is right, and every result is a whole number above zero', () => {
  for (const { question, steps } of problems) {
    for (const step of steps) {
      const found = calculations(step);
      expect(found, `${question}: ${step}`).toHaveLength(1);
      for (const [expression, result] of found) {
        expect(compute(expression), `${question}: ${step}`).toBe(result);
        expect(Number.isInteger(result) && result > 0, `${question}: ${step}`).toBe(true);
      }
    }
  }
});

test('every number in the working comes from the question, from a step before it, or from the words', () => {
  const words: Readonly<Record<string, string>> = {
    half: '2',
    third: '3',
    quarter: '4',
    fifth: '5',
    twice: '2',
    two: '2',
    three: '3',
    four: '4',
    five: '5',
    six: '6',
    doubles: '2',
    hours: '60',
    together: '2',
    between: '1',
    rectangular: '2',
    '%': '100',
  };
  for (const { question, steps } of problems) {
    const lower = question.toLowerCase();
    const known = new Set(question.match(/\d+/g) ?? []);
    for (const [word, number] of Object.entries(words)) if (lower.includes(word)) known.add(number);
    for (const step of steps) {
      for (const [expression, result] of calculations(step)) {
        for (const number of expression.match(/\d+/g) ?? [])
          expect(known.has(number), `${number} in ${step} of ${question}`).toBe(true);
        known.add(String(result));
      }
    }
  }
});

test('every question ends as one and reads as a text', () => {
  for (const { question } of problems) {
    expect(question).toMatch(/\?$/);
    expect(question).toMatch(/^[A-Z]/);
    expect(question).not.toMatch(/undefined|NaN| {2}|\$-|\b1 (?:hours|weeks)/);
  }
});
