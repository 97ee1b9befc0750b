import type { Random } from '@lachesis/sdk/environment';

/** A problem with its working. Each step holds a calculation as `<<3*4=12>>`, and the last one gives the answer. */
export interface WorkedProblem {
  readonly question: string;
  readonly steps: readonly string[];
}

/** Makes a problem of its kind: other people, other things, other numbers, and now and then other words. */
export type ProblemTemplate = (random: Random) => WorkedProblem;

/** `48/2=24`, as the data set marks its calculations; written out for the reader before it. */
export const calculate = (expression: string, result: number): string =>
  `${expression}=<<${expression}=${result}>>${result}`;

const NAMES = [
  ['Amira', 'she', 'her'],
  ['Bo', 'he', 'his'],
  ['Chidi', 'he', 'his'],
  ['Dalia', 'she', 'her'],
  ['Emeka', 'he', 'his'],
  ['Farah', 'she', 'her'],
  ['Goran', 'he', 'his'],
  ['Hana', 'she', 'her'],
  ['Ines', 'she', 'her'],
  ['Jonas', 'he', 'his'],
  ['Kamala', 'she', 'her'],
  ['Liang', 'he', 'his'],
  ['Mirela', 'she', 'her'],
  ['Noor', 'she', 'her'],
  ['Oskar', 'he', 'his'],
  ['Priya', 'she', 'her'],
  ['Quentin', 'he', 'his'],
  ['Rosa', 'she', 'her'],
  ['Samir', 'he', 'his'],
  ['Tove', 'she', 'her'],
] as const;

export interface Person {
  readonly name: string;
  readonly they: string;
  readonly their: string;
}

export const drawPeople = (random: Random, count: number): Person[] =>
  random
    .shuffle(NAMES)
    .slice(0, count)
    .map(([name, they, their]) => ({ name, they, their }));

export function drawPerson(random: Random): Person {
  const [person] = drawPeople(random, 1);
  if (person === undefined) throw new RangeError('there are no names');
  return person;
}

/** `twice`, `three times`. */
export const sayTimes = (times: number): string =>
  ['twice', 'three times', 'four times'][times - 2] ?? `${times} times`;

export const capitalise = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
