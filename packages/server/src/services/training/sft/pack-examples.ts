import type { RecordExample } from '../records/method.ts';
import { toDatum, weightsOf, wholeOf } from '../records/to-datum.ts';

/**
 * Puts examples one behind the other into sequences of at most so many tokens, in their order. A later conversation then
 * sees those before it, which changes what is learnt: it saves time and is off unless asked for. Rows of different weight
 * are not put together.
 */
export function packExamples(examples: readonly RecordExample[], maxTokens: number): RecordExample[] {
  const packed: RecordExample[] = [];
  let open: RecordExample[] = [];
  let length = 0;
  const close = (): void => {
    if (open.length > 0) packed.push(joinExamples(open));
    open = [];
    length = 0;
  };
  for (const example of examples) {
    const tokens = example.datums[0]!.tokens.length + 1;
    const isOther = open.length > 0 && open[0]!.facts?.['weight'] !== example.facts?.['weight'];
    if (isOther || length + tokens > maxTokens) close();
    open.push(example);
    length += tokens;
  }
  close();
  return packed;
}

function joinExamples(examples: readonly RecordExample[]): RecordExample {
  const tokens: number[] = [];
  const mask: number[] = [];
  for (const { datums } of examples) {
    const [datum] = datums;
    tokens.push(...wholeOf(datum!));
    // The first token of a conversation is not foretold from the one before it.
    mask.push(0, ...weightsOf(datum!));
  }
  return {
    ...examples[0]!,
    id: examples.map(({ id }) => id).join('+'),
    datums: [toDatum({ tokens: Int32Array.from(tokens), mask })],
  };
}
