import type { Scenario } from '../../../scenarios/scenario.ts';
import { checkCorpus, findTooMild } from '../call-corpus/check-corpus.ts';
import type { CallCorpus } from '../call-corpus/corpus.ts';
import { deepseekV3Corpus } from '../call-corpus/deepseek-v3.ts';
import { llama3JsonCorpus } from '../call-corpus/llama3-json.ts';
import { mistralCorpus } from '../call-corpus/mistral.ts';
import { hermesCorpus, qwenCorpus } from '../call-corpus/tagged.ts';

const BROKEN = 20;

const corpora: readonly CallCorpus[] = [hermesCorpus, qwenCorpus, llama3JsonCorpus, mistralCorpus, deepseekV3Corpus];

export const callsScenario: Scenario = {
  name: 'calls',
  title: 'tool calls, good and broken, at once and cut at every byte; every broken one is an event, nothing is dropped',
  run(context) {
    for (const corpus of corpora) {
      const { cases, cuts, failures } = checkCorpus(corpus);
      for (const failure of failures.slice(0, 10)) context.log(failure);
      const broken = corpus.broken.length - findTooMild(corpus.broken).length;
      context.report({
        name: corpus.format,
        figure: `${failures.length} failures in ${cases} replies, ${broken} of them broken, ${cuts} cuts`,
        bar: `0 failures, at least ${BROKEN} broken`,
        ok: failures.length === 0 && broken >= BROKEN,
      });
    }
    return Promise.resolve();
  },
};
