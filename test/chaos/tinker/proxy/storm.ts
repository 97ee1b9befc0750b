import type { Random } from '../../simulation/random.ts';
import type { Fate } from './fate.ts';
import type { TinkerRequest } from './read-request.ts';

const before = (status: number, headers?: Record<string, string>): Fate => ({
  kind: 'status',
  when: 'before',
  status,
  ...(headers === undefined ? {} : { headers }),
});
const after = (status: number): Fate => ({ kind: 'status', when: 'after', status });

/**
 * Each as often as it is listed. A 429 and a 410 come before the server acted, as from a server that says so itself; the
 * others come on both sides, because a gateway gives up on either.
 */
const FAULTS: readonly Fate[] = [
  { kind: 'cut', when: 'before' },
  { kind: 'cut', when: 'after' },
  { kind: 'cut', when: 'after' },
  { kind: 'cut', when: 'after' },
  { kind: 'truncate' },
  { kind: 'truncate' },
  { kind: 'trickle', ms: 400 },
  { kind: 'stall' },
  { kind: 'silence', when: 'before' },
  { kind: 'silence', when: 'after' },
  before(500),
  before(502),
  before(503),
  after(500),
  after(502),
  after(504),
  before(408),
  after(408),
  before(429),
  before(429, { 'retry-after-ms': '80' }),
  before(429, { 'retry-after': '1' }),
  before(410),
];

/** One request in so many meets a fault. */
const CHANCE = 0.22;

/** Calm weather for everything but the operations and their polls: what sets the scene is not what is tested. */
const STRUCK = new Set([
  'asample',
  'forward',
  'forward_backward',
  'load_weights',
  'optim_step',
  'retrieve_future',
  'save_weights',
]);

/** The first request of each kind is lost after the server acted: the fault that matters most leaves none out. */
const FIRST: Fate = { kind: 'cut', when: 'after' };

export function createStorm(random: Random): (request: TinkerRequest) => Fate {
  const met = new Set<string>();
  return ({ path }) => {
    if (!STRUCK.has(path)) return { kind: 'pass' };
    if (!met.has(path)) {
      met.add(path);
      return FIRST;
    }
    return random.chance(CHANCE) ? random.pick(FAULTS) : { kind: 'pass' };
  };
}
