import type { Scenario } from '../../scenarios/scenario.ts';
import { compareFacts, factsOf } from './facts.ts';
import { makeReplies, type ReplyCase } from './make-replies.ts';
import { mutants, readCase } from './mutants.ts';
import { openThreeWays, type Recorded } from './record-three-ways.ts';
import { startUpstream } from './start-upstream.ts';

const REPLIES = 640;
const FULL_REPLIES = 5_000;
const SEED = 46;
/** Enough to keep both cores busy. */
const AT_ONCE = 8;

interface Compared {
  readonly one: ReplyCase;
  readonly gateway: Recorded;
  readonly wrapper: Recorded;
  readonly middleware: Recorded;
}

/** `pnpm conformance replies`: the gateway, the wrapper of `openai` and the middleware of `ai`, on the same replies. */
export const scenarios: Scenario[] = [
  {
    name: 'three-ways',
    title:
      'one reply is one record, the same by the gateway, the wrapper and the middleware, and what OpenAI’s client makes of it',
    async run(context) {
      const cases = makeReplies(context.full ? FULL_REPLIES : REPLIES, SEED);
      await using upstream = await startUpstream(cases);
      await using ways = await openThreeWays({ upstreamUrl: upstream.url, home: await context.scratch() });
      const compared: Compared[] = [];
      const left = [...cases];
      const work = async (): Promise<void> => {
        for (let one = left.shift(); one !== undefined; one = left.shift()) {
          const [gateway, wrapper, middleware] = await Promise.all([
            ways.gateway(one),
            ways.wrapper(one),
            ways.middleware(one),
          ]);
          compared.push({ one, gateway, wrapper, middleware });
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));

      const single = compared.filter(({ gateway, wrapper, middleware }) =>
        [gateway, wrapper, middleware].every(({ records }) => records.length === 1),
      );
      for (const { one, gateway, wrapper, middleware } of compared
        .filter((each) => !single.includes(each))
        .slice(0, 5)) {
        const counts = [gateway, wrapper, middleware].map(({ records }) => records.length);
        context.log(`${one.name} (${one.endpoint}, ${one.status}, ${one.meant.state}): ${counts.join(', ')} records`);
      }
      const streams = cases.filter(({ isStream }) => isStream).length;
      context.report({
        name: 'records',
        figure: `${single.length} of ${cases.length} replies (${streams} streamed) are one record each way`,
        bar: `all, ≥ 600`,
        ok: single.length === cases.length && cases.length >= 600,
      });

      const differing = single.filter(({ one, gateway, wrapper }) => {
        const [ours, theirs] = [gateway.records[0]!, wrapper.records[0]!];
        // Who broke the connection is told in the words of the socket.
        const pick = ({ state, replies, usage, model, tools, error }: typeof ours) =>
          JSON.stringify({ state, replies, usage, model, tools, error: one.end === 'break' ? error !== null : error });
        if (pick(ours) === pick(theirs)) return false;
        context.log(`${one.name}\n  gateway ${pick(ours)}\n  wrapper ${pick(theirs)}`);
        return true;
      });
      context.report({
        name: 'gateway and wrapper',
        figure: `${differing.length} of ${single.length} records differ in any field of the reply`,
        bar: '0',
        ok: differing.length === 0,
      });

      const wrong = single.filter(({ one, gateway }) => {
        const fields = compareFacts(factsOf(gateway.records[0]!), one.meant);
        const isReasonTold = (one.meant.state === 'complete') === (gateway.records[0]!.error === null);
        if (fields.length === 0 && isReasonTold) return false;
        context.log(
          `${one.name} ${fields.join(', ')}\n  found ${JSON.stringify(gateway.records[0])}\n  meant ${JSON.stringify(one.meant)}`,
        );
        return true;
      });
      context.report({
        name: 'against what was meant',
        figure: `${wrong.length} of ${single.length} differ; what broke off or failed says why`,
        bar: '0',
        ok: wrong.length === 0,
      });

      // A reply that the SDK refuses never reaches a middleware whole; that it failed is then what there is to record.
      const read = single.filter(
        ({ one, middleware }) => middleware.refused === undefined || one.meant.state !== 'complete',
      );
      const refusedBySdk = single.length - read.length;
      const other = read.filter(({ one, middleware }) => {
        const record = middleware.records[0]!;
        const unseen = [
          ...(one.isUsageSeen && one.meant.state === 'complete' ? [] : (['usage'] as const)),
          // Calls are handed on when the stream is whole; the finish of one that is not is the SDK's own word.
          ...(one.meant.state === 'complete' ? [] : (['calls', 'finish'] as const)),
        ];
        const fields = compareFacts(factsOf(record), one.meant, unseen);
        if (fields.length === 0) return false;
        context.log(
          `${one.name} ${fields.join(', ')}\n  middleware ${JSON.stringify(record)}\n  meant ${JSON.stringify(one.meant)}`,
        );
        return true;
      });
      const untold = single.filter(
        ({ one, middleware: { refused, records } }) =>
          refused !== undefined && one.meant.state === 'complete' && records[0]!.error === null,
      );
      context.report({
        name: 'the middleware',
        figure: `${other.length} of ${read.length} differ; ${refusedBySdk} that the AI SDK refuses are recorded as that, ${untold.length} without the reason`,
        bar: '0, 0, ≥ 80 % read',
        ok: other.length === 0 && untold.length === 0 && read.length >= 0.8 * single.length,
      });

      const assembled = single.filter(({ wrapper }) => wrapper.assembled !== undefined);
      const unlike = assembled.filter(({ one, wrapper }) => {
        const fields = compareAssembled(wrapper);
        if (fields.length === 0) return false;
        context.log(
          `${one.name} ${fields.join(', ')}\n  client ${JSON.stringify(wrapper.assembled)}\n  record ${JSON.stringify(wrapper.records[0])}`,
        );
        return true;
      });
      context.report({
        name: 'OpenAI’s client',
        figure: `${unlike.length} of the ${assembled.length} replies it accepts differ from what it assembles`,
        bar: '0 of ≥ 200',
        ok: unlike.length === 0 && assembled.length >= 200,
      });
    },
  },
  {
    name: 'mutants',
    title: 'readers with one of the old faults are noticed',
    run(context) {
      const cases = makeReplies(REPLIES, SEED);
      const clean = cases.filter((one) => compareFacts(readCase(one), one.meant).length > 0).length;
      let caught = 0;
      for (const mutant of mutants) {
        const noticed = cases.filter((one) => compareFacts(readCase(one, mutant), one.meant).length > 0).length;
        context.log(`${mutant.fault}: ${noticed} of ${cases.length} replies differ`);
        if (noticed > clean) caught += 1;
      }
      context.report({
        name: 'readers with a fault',
        figure: `${caught} of ${mutants.length} noticed; ${clean} differences without a fault`,
        bar: 'all, 0',
        ok: caught === mutants.length && clean === 0,
      });
      return Promise.resolve();
    },
  },
];

/** The fields in which a record differs from what the client put together. */
function compareAssembled({ assembled, records }: Recorded): string[] {
  const { message, finish_reason: finish } = assembled!.choices[0]!;
  const facts = factsOf(records[0]!);
  const calls = (message.tool_calls ?? []).flatMap((call) => (call.type === 'function' ? [call] : []));
  const theirs = {
    ...facts,
    text: `${message.content ?? ''}${message.refusal ?? ''}`,
    calls: calls.map(({ id, function: { name, arguments: written } }) => ({
      id,
      name,
      // Whole replies are handed on as they came, whatever the types say.
      arguments: typeof written === 'string' ? written : JSON.stringify(written),
    })),
    finish,
  };
  return compareFacts(facts, theirs);
}
