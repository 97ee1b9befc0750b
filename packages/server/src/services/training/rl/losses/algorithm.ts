import type { findPolicyLoss, readAlgorithm } from '@lachesis/protocol';
import type { createPolicyLoss } from '@lachesis/tinker';

/** Every choice of an algorithm, as a run has it. */
export type Algorithm = ReturnType<typeof readAlgorithm>;

/** What a loss by name is made of. */
export type PolicyLoss = NonNullable<ReturnType<typeof findPolicyLoss>>;

export type PolicyLossOptions = NonNullable<Parameters<typeof createPolicyLoss>[0]>;
