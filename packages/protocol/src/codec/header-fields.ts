/** A header holds ids and tags: 1,024 rollout ids take 40 kB. More is not a header, and is not parsed. */
export const MAX_HEADER_BYTES = 262_144;

/** How a rollout can end; only `scored` carries a reward. */
export const OUTCOMES = Object.freeze(['scored', 'failed', 'abstained'] as const);

/** What a group may be used for. */
export const SPLITS = Object.freeze(['train', 'eval'] as const);

/** Longest environment name, digest and consent tag. */
export const MAX_TAG_LENGTH = 200;

/** Longest reason. */
export const MAX_REASON_LENGTH = 2000;
