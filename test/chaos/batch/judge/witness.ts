/** One call of the model: which reply of which prompt, asked for by which life. */
export interface Call {
  readonly life: string;
  readonly index: number;
  readonly turn: number;
}

/** How many replies of a prompt are kept; all of them when the prompt is done. */
export type KeptReplies = ReadonlyMap<number, number>;

export interface WitnessVerdict {
  calls: number;
  /** Calls for a reply that was asked for before. */
  repeats: number;
  /** Calls that were in flight when their life was killed: what crashes may cost. */
  inFlight: number;
  /** Those of them that were answered, and not yet written down. */
  unwritten: number;
  /** Lives that had more in flight than a life works on at once: they wrote nothing down for a while. */
  crowded: string[];
  /** Calls that were not in flight, for a reply that was paid for before. */
  paidTwice: string[];
}

/** Sees every call at the model's server, and what is kept when a life has ended. It believes nobody who is under test. */
export interface Witness {
  /** Gives back what is to be called when the reply has left. */
  asked(call: Call): () => void;
  /** The moment of the blow: what is answered from here on is nobody's. Gives back the prompts that the life asked for. */
  killed(life: string): number[];
  /** What is kept of them, read before anybody can go on with them. */
  found(life: string, kept: KeptReplies): void;
  read(): WitnessVerdict;
}

interface SeenCall extends Call {
  /** Before its life was killed. */
  isAnswered: boolean;
}

const keyOf = ({ index, turn }: Call): string => `${index}/${turn}`;

/**
 * A call is in flight at a kill when it is the last of its prompt by that life, since a turn is written before the next is
 * asked for, and when it was not answered or its reply is not kept. `concurrency`: how many prompts a life works on at once.
 */
export function createWitness({ concurrency }: { concurrency: number }): Witness {
  const calls: SeenCall[] = [];
  /** By life and prompt. */
  const latest = new Map<string, Map<number, SeenCall>>();
  const dead = new Map<string, KeptReplies | undefined>();
  const isInFlight = (call: SeenCall): boolean => {
    if (!dead.has(call.life) || latest.get(call.life)?.get(call.index) !== call) return false;
    return !call.isAnswered || call.turn >= (dead.get(call.life)?.get(call.index) ?? 0);
  };
  return {
    asked(call) {
      const seen: SeenCall = { ...call, isAnswered: false };
      calls.push(seen);
      const own = latest.get(call.life) ?? new Map<number, SeenCall>();
      latest.set(call.life, own.set(call.index, seen));
      return () => {
        if (!dead.has(call.life)) seen.isAnswered = true;
      };
    },
    killed(life) {
      dead.set(life, undefined);
      return [...(latest.get(life)?.keys() ?? [])];
    },
    found(life, kept) {
      dead.set(life, kept);
    },
    read() {
      const lost = calls.filter(isInFlight);
      const perLife = Map.groupBy(lost, ({ life }) => life);
      const perReply = [...Map.groupBy(calls, keyOf)];
      return {
        calls: calls.length,
        repeats: calls.length - perReply.length,
        inFlight: lost.length,
        unwritten: lost.filter(({ isAnswered }) => isAnswered).length,
        crowded: [...perLife].flatMap(([life, { length }]) => (length > concurrency ? [`${life}: ${length}`] : [])),
        // One call of each reply is what it costs.
        paidTwice: perReply.flatMap(([key, all]) =>
          all
            .filter((call) => !isInFlight(call))
            .slice(1)
            .map(() => key),
        ),
      };
    },
  };
}
