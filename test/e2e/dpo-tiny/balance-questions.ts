import { loadTokenizer, renderTraining } from '@lachesis/sdk/render';
import { createTinkerClient, type Datum } from '@lachesis/tinker';

import { otherStyle, toPrompt, toReply, wantedStyle, type Question, type Style } from './corpus.ts';

/** Sequences of a pass: as many as training takes, so that the engine compiles nothing more. */
const SEQUENCES = 32;

/**
 * So many questions, for half of which the start weights already find the wanted reply the likelier one. What they begin with
 * is then 0.5 by construction and not by luck; which questions those are depends on the weights alone.
 */
export async function balanceQuestions(options: {
  engineUrl: string;
  modelDirectory: string;
  /** `tinker://…/weights/…` of the start. */
  statePath: string;
  candidates: readonly Question[];
  count: number;
}): Promise<Question[]> {
  const { candidates, count } = options;
  const likes = await measureLikes(options);
  const half = count / 2;
  const chosen = [true, false].map((isLiked) => candidates.filter((_, index) => likes[index] === isLiked));
  const [liked = 0, disliked = 0] = chosen.map(({ length }) => length);
  if (Math.min(liked, disliked) < half) {
    throw new Error(
      `the start weights like the wanted reply of ${liked} questions and the other of ${disliked}: ${count} in balance need ${half} of each`,
    );
  }
  return chosen.flatMap((questions) => questions.slice(0, half));
}

/** Whether the wanted reply of each question is the likelier one. */
async function measureLikes(options: Parameters<typeof balanceQuestions>[0]): Promise<boolean[]> {
  const tokenizer = await loadTokenizer({ directory: options.modelDirectory });
  const toDatum = async (question: Question, style: Style): Promise<Datum> => {
    const messages = [toPrompt(question), toReply(style)];
    const { tokens, mask } = await renderTraining({ tokenizer, messages, trainOn: 'all-assistant' });
    return {
      tokens: tokens.slice(0, -1),
      inputs: { target_tokens: tokens.slice(1), weights: Float32Array.from(mask.subarray(1)) },
    };
  };
  const datums = await Promise.all(
    options.candidates.flatMap((question) => {
      const wanted = wantedStyle(question);
      return [toDatum(question, wanted), toDatum(question, otherStyle(wanted))];
    }),
  );
  await using service = await createTinkerClient({ baseUrl: options.engineUrl }).connect();
  const model = await service.createTrainingFromState(options.statePath, { optimizer: false });
  const scores: number[] = [];
  for (let start = 0; start < datums.length; start += SEQUENCES) {
    const part = datums.slice(start, start + SEQUENCES);
    const { logprobs } = await model.forward(part);
    scores.push(...part.map(({ inputs }, index) => weigh(inputs['weights'] as Float32Array, logprobs[index]!)));
  }
  await model.close();
  return options.candidates.map((_, index) => scores[2 * index]! > scores[2 * index + 1]!);
}

const weigh = (weights: Float32Array, logprobs: ArrayLike<number>): number =>
  weights.reduce((sum, weight, at) => sum + (weight === 0 ? 0 : weight * logprobs[at]!), 0);
