import { readDecisions, readToolUses } from '../fidelity/read-facts.ts';
import type { Turn } from '../region/turn.ts';
import type { TokenCounter } from '../tokens/token-counter.ts';
import { SUMMARY_PREFIX, type Summarizer } from './summary.ts';

/** Changes with what is picked, so that a row says which one made it. */
const EXTRACT_VERSION = 1;
const LONGEST_LINE = 240;
/** More than this are never shown, so they need not be counted. */
const MOST_LINES = 400;

interface Line {
  readonly weight: number;
  readonly text: string;
}

/** A summary out of sentences that stand in the turns. It needs no model, costs nothing and invents nothing. */
export function createExtractiveSummarizer({ counter }: { counter: TokenCounter }): Summarizer {
  return {
    identity: { kind: 'extractive', version: EXTRACT_VERSION },
    isPaid: false,
    async summarize({ turns, firstTurn, targetTokens }) {
      const lines = turns.flatMap((turn, at) => listLines(turn, firstTurn + at));
      const ranked = lines
        .map((line, order) => ({ ...line, order }))
        .sort((left, right) => right.weight - left.weight || left.order - right.order)
        .slice(0, MOST_LINES);
      let left = targetTokens - (await counter.count(SUMMARY_PREFIX));
      const picked: typeof ranked = [];
      const seen = new Set<string>();
      for (const line of ranked) {
        // One more for the end of the line.
        const tokens = seen.has(line.text) ? Number.POSITIVE_INFINITY : (await counter.count(line.text)) + 1;
        if (tokens > left) continue;
        left -= tokens;
        seen.add(line.text);
        picked.push(line);
      }
      picked.sort((one, other) => one.order - other.order);
      const told = picked.map(({ text }) => text);
      const counted = `${turns.length} turns were left out.`;
      return {
        text: [`${SUMMARY_PREFIX} ${counted}`, ...told].join('\n'),
        ...{ calls: 0, errors: 0, isCut: false, promptTokens: 0, completionTokens: 0 },
      };
    },
  };
}

/** What of a turn is worth telling, the most telling with the most weight. */
function listLines({ from, value }: Turn, place: number): Line[] {
  const line = (weight: number, text: string): Line => ({ weight, text: shorten(`Turn ${place}: ${text}`) });
  if (from === 'gpt') {
    const calls = readToolUses(value).map(({ name, arguments: given }) =>
      line(5, `called ${name}(${given.map(([key, text]) => `${key}: ${text}`).join(', ')})`),
    );
    return [...calls, ...readDecisions(value).map((sentence) => line(/\d/.test(sentence) ? 4 : 3, sentence))];
  }
  if (from === 'tool') return listAnswers(value).map((text) => line(/error|fail/i.test(text) ? 5 : 2, `got ${text}`));
  return [line(4, `${from} said: ${value}`)];
}

function listAnswers(value: string): string[] {
  const blocks = Array.from(
    value.matchAll(/<tool_response>\s*([\s\S]*?)\s*<\/tool_response>/g),
    ([, text = '']) => text,
  );
  return (blocks.length === 0 ? [value] : blocks).map(readAnswer).filter((text) => text !== '');
}

function readAnswer(block: string): string {
  try {
    const answer = JSON.parse(block) as { content?: unknown };
    const { content } = answer;
    return typeof content === 'string' ? content : JSON.stringify(content ?? answer);
  } catch {
    // Tools answer in any form; then the text itself is the answer.
    return block;
  }
}

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  // The cut may fall into the middle of a character that takes two places.
  return line.length <= LONGEST_LINE ? line : `${line.slice(0, LONGEST_LINE - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
