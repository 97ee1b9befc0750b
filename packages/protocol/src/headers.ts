/** The names of the HTTP headers that are our own, on requests and on replies. */
export const HEADERS = Object.freeze({
  /** A token beside an `Authorization` that is for somebody else. */
  token: 'x-lachesis-token',
  /** The id of the rollout a completion belongs to: a UUID, or one per sample separated by commas. It comes back in the reply. */
  rolloutId: 'x-lachesis-rollout-id',
  /** The policy version a completion must come from; another one is refused with 409. */
  policy: 'x-lachesis-policy',
  /** Names the trajectory a call belongs to. Any text of the caller's own; calls with the same key are one trajectory. */
  trajectory: 'x-lachesis-trajectory',
  /** The person on whose behalf a call is made, so that their records can be found and forgotten. */
  user: 'x-lachesis-user',
  /** Tags of the trajectory, separated by commas. */
  tags: 'x-lachesis-tags',
  /** `none` leaves the call out of the records, the other values are `CONSENTS`. */
  consent: 'x-lachesis-consent',
  /** On a reply: the server records this call, so nobody else has to. */
  recorded: 'x-lachesis-recorded',
  /** Anything else to keep with the call: an object as JSON, in ASCII. */
  metadata: 'x-lachesis-metadata',
  /** On a recorded reply: an id under which the trajectory is found, once its record is in the store. */
  trajectoryId: 'x-lachesis-trajectory-id',
  /** On a recorded reply: the id of the turn it becomes; feedback may name it before the record is in the store. */
  turnId: 'x-lachesis-turn-id',
} as const);
