/** What JSON may be made of, whoever sends it. Beyond it we would stand still for others while we read. */
export interface JsonLimits {
  /** Objects and lists inside each other; code that walks what was sent calls itself as deep. */
  depth: number;
  /** Objects and lists, in all or in each element of a list that is read piece by piece. */
  containers: number;
  /** Values, counted as the containers are. */
  values: number;
  /** Elements of a list that is read piece by piece. */
  elements: number;
}

/**
 * A conversation of 2,000 messages with tool calls has 10,000 objects; a prompt of a million tokens as ids is a million
 * values. Reading as much as this takes about a tenth of a second.
 */
export const JSON_LIMITS: JsonLimits = { depth: 128, containers: 50_000, values: 4_000_000, elements: 100_000 };
