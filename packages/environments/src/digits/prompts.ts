/** Each is six tokens of the tiny model: an engine that compiles for each length compiles once. */
export const TRAIN_PROMPTS: readonly string[] = ['Write digits.', 'Give digits.', 'Say numbers.', 'More digits.'];

export const EVALUATION_PROMPTS: readonly string[] = ['Send digits.', 'Some digits.', 'Get numbers.', 'Give numbers.'];
