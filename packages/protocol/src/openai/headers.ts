/** The id of the rollout a completion belongs to: a UUID, or one per sample separated by commas. It comes back in the reply. */
export const ROLLOUT_ID_HEADER = 'x-lachesis-rollout-id';

/** The policy version a completion must come from; another one is refused with 409. */
export const POLICY_HEADER = 'x-lachesis-policy';
