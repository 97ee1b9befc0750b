import {
  createRandom,
  createScriptedPolicy,
  defineEnvironment,
  type EnvironmentDefinition,
  type Policy,
} from '@lachesis/sdk/environment';

/** Which part of a rollout is killed, and how often. */
export interface Faults {
  /** Share of attempts that are killed, spread evenly over the three kinds. */
  readonly share: number;
  readonly seed: number;
  /** `mutant`: what is killed comes back as an empty reply, as a careless client does it, and is graded 0. */
  readonly style: 'failure' | 'zero';
}

interface Item {
  readonly left: number;
  readonly right: number;
}

/** Killing is decided by a counter and a seed of its own, so that it has nothing to do with what was sampled. */
export function createKiller(faults: Faults | undefined): () => 'infrastructure' | 'timeout' | 'verifier' | undefined {
  const random = createRandom(faults?.seed ?? 0, 'faults');
  const share = faults?.share ?? 0;
  return () => (random.next() < share ? random.pick(['infrastructure', 'timeout', 'verifier'] as const) : undefined);
}

/** Sums, graded by how near the answer is; a rollout marked for its verifier makes grading throw, once. */
export function createSums(kill: ReturnType<typeof createKiller>, faults: Faults | undefined) {
  const doomed = new Map<string, boolean>();
  const definition: EnvironmentDefinition = defineEnvironment({
    name: 'sums',
    items: {
      train: {
        generate: (_index, { random }): Item => ({ left: random.integer(0, 99), right: random.integer(0, 99) }),
      },
      evaluation: [{ left: 1, right: 2 }],
    },
    formatPrompt: ({ left, right }) => `${left} + ${right}`,
    computeReward: ({ left, right }, { finalResponse }, { rolloutId }) => {
      if (doomed.get(rolloutId) === true) {
        doomed.delete(rolloutId);
        if (faults?.style === 'zero') return 0;
        throw new Error('the verifier was killed');
      }
      if (finalResponse === '') return 0;
      return Math.max(0, 1 - Math.abs(Number(finalResponse) - left - right) / 4);
    },
  });
  const answer = createScriptedPolicy(({ messages, seed = 0 }) => {
    const [left = 0, right = 0] = (messages[0]!.content as string).split(' + ').map(Number);
    return String(left + right + createRandom(seed, 'answer').integer(-4, 4));
  });
  const policy: Policy = {
    complete: async (request) => {
      const kind = kill();
      if (kind === 'verifier') doomed.set(request.rolloutIds?.[0] ?? '', true);
      if (kind === 'infrastructure' || kind === 'timeout') {
        if (faults?.style === 'zero') return createScriptedPolicy(() => '').complete(request);
        const error = new Error(`the rollout was killed (${kind})`);
        if (kind === 'timeout') error.name = 'TimeoutError';
        throw error;
      }
      return answer.complete(request);
    },
  };
  return { definition, policy };
}
