import { createToolCallParser } from '@lachesis/sdk/render';

import type { Scenario } from '../../../scenarios/scenario.ts';
import { checkCorpus, findTooMild } from '../../render/call-corpus/check-corpus.ts';
import { checkHalves } from '../check-halves.ts';
import { corpora } from '../corpus/corpora.ts';

const GOOD = 40;
const BROKEN = 20;

export const corpusScenario: Scenario = {
  name: 'corpus',
  title:
    'good and broken replies in eleven formats, whole and cut at every byte; a reply that ends early calls nothing by halves',
  run(context) {
    for (const corpus of corpora) {
      const { cuts, failures } = checkCorpus(corpus);
      const { halves, failures: called } = checkHalves(corpus, createToolCallParser);
      for (const failure of [...failures, ...called].slice(0, 10)) context.log(failure);
      const broken = corpus.broken.length - findTooMild(corpus.broken).length;
      context.report({
        name: corpus.format,
        figure: `${failures.length} failures in ${corpus.good.length} good and ${broken} broken replies, ${cuts} cuts; ${called.length} half calls at ${halves} ends`,
        bar: `0 failures, 0 half calls, at least ${GOOD} good and ${BROKEN} broken`,
        ok: failures.length + called.length === 0 && corpus.good.length >= GOOD && broken >= BROKEN,
      });
    }
    return Promise.resolve();
  },
};
