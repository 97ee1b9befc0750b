/**
 * The pages of the docs, in the order in which somebody reads them: each of a chain goes on where the one before it ended,
 * in one home. First what needs no engine.
 */
export const CHAINS = {
  library: [
    'get-started/record-your-agent.md',
    'guides/dashboard.md',
    'guides/rate-and-feedback.md',
    'guides/your-own-thumbs-button.md',
    'guides/data-sets.md',
    'guides/export.md',
  ],
  house: [
    'get-started/from-hermes.md',
    'get-started/from-openpipe-or-langfuse.md',
    'guides/keys.md',
    'guides/audit.md',
    'guides/tokens.md',
    'guides/home.md',
  ],
  bulk: ['guides/generate-in-bulk.md', 'guides/tools.md', 'guides/compress-trajectories.md'],
  environments: [
    'guides/write-an-environment.md',
    'guides/write-an-agent-environment.md',
    'guides/rewards.md',
    'guides/evaluate.md',
  ],
  agent: ['guides/agent.md', 'guides/cli.md'],
  feedback: ['guides/learn-from-feedback.md', 'guides/models.md'],
  runs: [
    'guides/train.md',
    'guides/read-a-run.md',
    'guides/compare-runs.md',
    'guides/sweep.md',
    'guides/choose-an-algorithm.md',
    'guides/write-your-own-loss.md',
    'guides/distil.md',
    'guides/why-it-does-not-learn.md',
    'guides/the-ten-tools.md',
  ],
  tinker: ['guides/train-with-tinker.md', 'guides/grpo-on-a-laptop.md', 'guides/grpo-on-your-own-gpu.md'],
} as const satisfies Record<string, readonly string[]>;

export type Chain = keyof typeof CHAINS;

/** What a commit has time for: one of these. The others take minutes and are typed by `--full`. */
export const SHORT_CHAINS: readonly Chain[] = ['house', 'bulk', 'environments'];
