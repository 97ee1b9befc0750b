import type { TrajectoryFilter } from '@lachesis/protocol';

import { createRandom, FIRST_MS, MODELS, spell, TAGS, TOOLS, WORD_COUNT } from './cases.ts';
import type { CaseFacts } from './cases.ts';

/** A question and, for each case, whether it fits. */
export interface LibraryQuery {
  filter: TrajectoryFilter;
  fits: (facts: CaseFacts) => boolean;
}

/** A mix of what people ask: words from the commonest to the rarest, every filter, and both together. */
export function createQueries(options: { count: number; cases: number }): LibraryQuery[] {
  const random = createRandom(11);
  const whole = (below: number): number => Math.floor(random() * below);
  const word = (): LibraryQuery => {
    // Evenly over the orders of magnitude.
    const rank = Math.floor(WORD_COUNT ** random());
    return { filter: { text: spell(rank) }, fits: ({ words }) => words.includes(rank) };
  };
  const model = (): LibraryQuery => {
    const name = MODELS[whole(MODELS.length)]!;
    return { filter: { model: name }, fits: (facts) => facts.model === name };
  };
  const user = (): LibraryQuery => {
    const name = `user-${whole(2000)}`;
    return { filter: { user: name }, fits: (facts) => facts.user === name };
  };
  const tool = (): LibraryQuery => {
    const name = TOOLS[whole(TOOLS.length)]!;
    return { filter: { tool: name }, fits: ({ tools }) => tools.includes(name) };
  };
  const tag = (): LibraryQuery => {
    const name = TAGS[whole(TAGS.length)]!;
    return { filter: { tag: name }, fits: ({ tags }) => tags.includes(name) };
  };
  const reward = (): LibraryQuery => {
    const least = whole(1000) / 1000;
    return { filter: { min_reward: least }, fits: (facts) => facts.reward !== undefined && facts.reward >= least };
  };
  const tokens = (): LibraryQuery => {
    const least = whole(4150);
    return { filter: { min_tokens: least }, fits: (facts) => facts.tokens >= least };
  };
  const turns = (): LibraryQuery => {
    const least = 1 + whole(4);
    return { filter: { min_turns: least }, fits: (facts) => facts.turns >= least };
  };
  const error = (): LibraryQuery => ({ filter: { has_error: true }, fits: (facts) => facts.hasError });
  const time = (): LibraryQuery => {
    const until = FIRST_MS + whole(options.cases) * 1000;
    const since = until - 3_600_000;
    return { filter: { since, until }, fits: ({ updatedAt }) => updatedAt >= since && updatedAt < until };
  };
  const both = (left: LibraryQuery, right: LibraryQuery): LibraryQuery => ({
    filter:
      left.filter.text !== undefined && right.filter.text !== undefined
        ? { text: `${left.filter.text} ${right.filter.text}` }
        : { ...left.filter, ...right.filter },
    fits: (facts) => left.fits(facts) && right.fits(facts),
  });
  const makers: (() => LibraryQuery)[] = [
    word,
    word,
    word,
    () => both(word(), word()),
    () => both(word(), model()),
    () => both(word(), tag()),
    () => both(word(), reward()),
    () => both(word(), time()),
    model,
    user,
    tool,
    tag,
    reward,
    tokens,
    turns,
    error,
    time,
    () => both(model(), tag()),
    () => both(model(), reward()),
    () => both(tool(), tokens()),
    () => both(error(), model()),
    () => both(tokens(), reward()),
  ];
  return Array.from({ length: options.count }, (_, index) => makers[index % makers.length]!());
}
