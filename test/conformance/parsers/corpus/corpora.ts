import { type CallCorpus, type CorpusCase, expectCase } from '../../render/call-corpus/corpus.ts';
import { deepseekV3Corpus } from '../../render/call-corpus/deepseek-v3.ts';
import { llama3JsonCorpus } from '../../render/call-corpus/llama3-json.ts';
import { mistralCorpus } from '../../render/call-corpus/mistral.ts';
import { hermesCorpus, qwenCorpus } from '../../render/call-corpus/tagged.ts';
import { callWriters } from './call-writer.ts';
import { makeGood } from './make-good.ts';
import { deepseekV31Broken, deepseekV31Good, kimiBroken, kimiGood } from './sections.ts';
import { glm45Broken, glm45Good, glm47Broken, glm47Good, qwen3CoderBroken, qwen3CoderGood } from './tagged-values.ts';

/** Longcat is Hermes between other tags. */
const toLongcat = ({ text, expected }: CorpusCase): CorpusCase =>
  expectCase(renameTags(text), ...expected.map(renameTags));
const renameTags = (text: string): string =>
  text.replaceAll('tool_ca', 'longcat_tool_ca').replaceAll('<tool_', '<longcat_tool_');

/** What no writer makes: the ways of one format. The broken ones are written by hand for every format. */
const OWN: Readonly<Record<string, Pick<CallCorpus, 'good' | 'broken'>>> = {
  hermes: hermesCorpus,
  qwen: qwenCorpus,
  longcat: { good: hermesCorpus.good.map(toLongcat), broken: hermesCorpus.broken.map(toLongcat) },
  llama3_json: llama3JsonCorpus,
  mistral: mistralCorpus,
  deepseek_v3: deepseekV3Corpus,
  deepseek_v3_1: { good: deepseekV31Good, broken: deepseekV31Broken },
  kimi_k2: { good: kimiGood, broken: kimiBroken },
  qwen3_coder: { good: qwen3CoderGood, broken: qwen3CoderBroken },
  glm45: { good: glm45Good, broken: glm45Broken },
  glm47: { good: glm47Good, broken: glm47Broken },
};

export const corpora: readonly CallCorpus[] = callWriters.map((writer) => ({
  format: writer.format,
  good: [...makeGood(writer), ...(OWN[writer.format]?.good ?? [])],
  broken: OWN[writer.format]?.broken ?? [],
}));
