import { mean } from '@lachesis/protocol';
import type { Turn } from '../region/turn.ts';
import { findWords, listWords } from './find-words.ts';
import { type TurnFacts, readFacts, readNumbers } from './read-facts.ts';

export interface Survival {
  /** How many of them can still be read in the row. */
  readonly kept: number;
  readonly of: number;
  /** Some that cannot. */
  readonly missing: readonly string[];
}

export interface Fidelity {
  /** Mean of the shares of those kinds that there were any of, from 0 to 1. */
  readonly score: number;
  readonly tool_names: Survival;
  readonly arguments: Survival;
  readonly decisions: Survival;
  readonly numbers: Survival;
}

const SHOWN_MISSING = 5;
/** So much of its longer words a decision needs to count as told. */
const WORDS_NEEDED = 0.5;
/** What of the turns that were taken out can still be read in the row that is left. */
export function measureFidelity({ removed, left }: { removed: readonly Turn[]; left: readonly Turn[] }): Fidelity {
  const facts: TurnFacts = readFacts(removed);
  const text = left.map(({ value }) => value).join('\n');
  // In a row the texts of arguments stand inside JSON, with its escapes.
  const isThere = (fact: string): boolean =>
    text.includes(fact) || (/["\\]/.test(fact) && text.includes(JSON.stringify(fact).slice(1, -1)));
  const numbers = readNumbers(text);
  const wordsOf = new Map(facts.decisions.map((sentence) => [sentence, listWords(sentence)]));
  const words = findWords(text, new Set([...wordsOf.values()].flat()));
  const isTold = (sentence: string): boolean => {
    const wanted = wordsOf.get(sentence) ?? [];
    return wanted.length === 0 || wanted.filter((word) => words.has(word)).length >= wanted.length * WORDS_NEEDED;
  };
  const kinds = {
    tool_names: survive(facts.toolNames, isThere),
    arguments: survive(facts.toolArguments, isThere),
    decisions: survive(facts.decisions, isTold),
    numbers: survive(facts.numbers, (number) => numbers.has(number)),
  };
  const shares = Object.values(kinds).flatMap(({ kept, of }) => (of === 0 ? [] : [kept / of]));
  const score = shares.length === 0 ? 1 : mean(shares);
  return { score: Math.round(score * 10_000) / 10_000, ...kinds };
}

function survive(facts: readonly string[], isKept: (fact: string) => boolean): Survival {
  const missing = facts.filter((fact) => !isKept(fact));
  return { kept: facts.length - missing.length, of: facts.length, missing: missing.slice(0, SHOWN_MISSING) };
}
