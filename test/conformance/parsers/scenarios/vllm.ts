import type { Scenario } from '../../../scenarios/scenario.ts';
import { compareVllm } from '../compare-vllm.ts';
import { corpora } from '../corpus/corpora.ts';
import { disagreements } from '../disagreements.ts';
import { readVllmAnswers } from '../vllm-answers.ts';

export const vllmScenario: Scenario = {
  name: 'vllm',
  title: 'what the parsers of vLLM made of the same replies, recorded; where we differ on a good reply, it says why',
  async run(context) {
    const recorded = await readVllmAnswers();
    const seen = new Set<unknown>();
    for (const corpus of corpora) {
      const { sameGood, declared, sameBroken, readOn, refused, failures } = compareVllm(corpus, recorded);
      for (const reason of declared) seen.add(reason);
      for (const failure of failures.slice(0, 10)) context.log(failure);
      context.report({
        name: `${corpus.format} beside vLLM`,
        figure:
          `${sameGood} of ${corpus.good.length} good replies the same, ${declared.length} declared, ${failures.length} undeclared; ` +
          `of ${corpus.broken.length} broken ones ${sameBroken} the same, ${readOn} that vLLM gives up are read on, ${refused} that it runs are refused`,
        bar: '0 undeclared',
        ok: failures.length === 0,
      });
    }
    const unseen = disagreements.filter((reason) => !seen.has(reason));
    for (const { why } of unseen) context.log(`declared and not seen: ${why}`);
    context.report({
      name: 'declared disagreements',
      figure: `${unseen.length} of ${disagreements.length} not seen (vLLM at ${recorded.commit.slice(0, 10)})`,
      bar: '0 not seen',
      ok: unseen.length === 0,
    });
  },
};
