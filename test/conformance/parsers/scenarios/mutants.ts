import type { Scenario } from '../../../scenarios/scenario.ts';
import { checkCorpus } from '../../render/call-corpus/check-corpus.ts';
import type { CallCorpus } from '../../render/call-corpus/corpus.ts';
import { checkHalves } from '../check-halves.ts';
import { checkMutations } from '../check-mutations.ts';
import { checkRoundTrip } from '../check-round-trip.ts';
import { checkTime } from '../check-time.ts';
import { type CallWriter, callWriters } from '../corpus/call-writer.ts';
import { corpora } from '../corpus/corpora.ts';
import { type Mutant, mutants } from '../mutants.ts';

const COUNT = 60;
const SEED = 8;

export const mutantsScenario: Scenario = {
  name: 'mutants',
  title: 'parsers with one fault each are found by the check that is meant to find them, in every format',
  run(context) {
    for (const mutant of mutants) {
      // A time takes long to measure, and is measured in the same way for every format.
      const fitting = corpora.filter((corpus) => mutant.isOfJson !== true || !findWriter(corpus).hasPlainValues);
      const tried = mutant.caughtBy === 'time' ? fitting.slice(-1) : fitting;
      const found = tried.filter((corpus) => isCaught(mutant, corpus));
      context.report({
        name: mutant.name,
        figure: `found by ${mutant.caughtBy} in ${found.length} of ${tried.length} formats`,
        bar: `${tried.length}`,
        ok: found.length === tried.length,
      });
    }
    return Promise.resolve();
  },
};

const findWriter = (corpus: CallCorpus): CallWriter => callWriters.find(({ format }) => format === corpus.format)!;

function isCaught({ caughtBy, createParser }: Mutant, corpus: CallCorpus): boolean {
  const writer = findWriter(corpus);
  switch (caughtBy) {
    case 'corpus':
      return checkCorpus(corpus, createParser).failures.length > 0;
    case 'halves':
      return checkHalves(corpus, createParser).failures.length > 0;
    case 'round-trip':
      return checkRoundTrip({ writer, createParser, count: COUNT, seed: SEED }).length > 0;
    case 'mutations':
      return checkMutations({ corpus, createParser, count: COUNT, seed: SEED }).failures.length > 0;
    case 'time':
      return checkTime(writer, createParser).failures.length > 0;
  }
}
