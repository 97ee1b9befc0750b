import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readProcessTree } from '../../kit/read-process-tree.ts';
import { startEnginePeer } from '../../peers/engine/start-engine-peer.ts';
import type { Scenario } from '../../scenarios/scenario.ts';
import { grpoResult } from './grpo-result.ts';
import { measureLoad } from './measure-load.ts';
import { prepareModels } from './prepare-models.ts';
import { runCli } from './run-cli.ts';
import { startInference } from './start-inference.ts';
import { watchReplies, type Watch } from './watch-replies.ts';

/** To notice a promotion, load its weights and go over to it. */
const SERVED_WITHIN_MS = 2_000;
/** Until a process that was killed has its weights again. */
const BACK_WITHIN_MS = 60_000;

/** `pnpm e2e promote`: what is promoted is served at once, and every reply leads to what it was made from. */
export const scenarios: Scenario[] = [
  {
    name: 'promote',
    title:
      'a promoted model is served within two seconds without a lost request, survives a kill, and is traced both ways',
    async run(context) {
      const engine = await startEnginePeer({ onProgress: ({ message }) => context.log(message) });
      context.defer(() => engine.stop());
      const home = await context.scratch();
      const model = engine.modelDirectory;
      const { base, trained, feedbackId, trajectoryId } = await prepareModels({ url: engine.url, model, home });
      await runCli(home, 'models', 'promote', 'support@1');

      const common = { home, engineUrl: engine.url, model };
      const server = await startInference({ ...common, args: ['--model', 'support'] });
      context.defer(async () => void (await server.process.stop({ graceMs: 20_000 })));
      const watch = watchReplies({ url: server.url, model: 'support', trajectory: 'served' });
      context.defer(() => watch.stop());
      const isServed = async (id: string, timeoutMs: number, since: number): Promise<number> =>
        ((await watch.waitFor({ modelVersionId: id, since, timeoutMs }))?.at ?? Number.NaN) - since;
      await isServed(base.modelVersionId, BACK_WITHIN_MS, 0);

      const change = async (...words: string[]): Promise<number> => {
        const { at } = JSON.parse(await runCli(home, 'models', ...words, '--json')) as { at: number };
        return at;
      };
      const engineMs = await measureLoad({ url: engine.url, weightsPath: trained.weightsPath });
      const promotedAt = await change('promote', 'support@2');
      const first = await isServed(trained.modelVersionId, BACK_WITHIN_MS, promotedAt);
      report('served after promotion', first);
      const before = watch.replies.find(({ modelVersionId }) => modelVersionId === base.modelVersionId)?.text;
      const after = watch.replies.find(({ modelVersionId }) => modelVersionId === trained.modelVersionId)?.text;
      context.report({
        name: 'replies',
        figure: `${JSON.stringify(before)} before, ${JSON.stringify(after)} after`,
        bar: 'others',
        ok: before !== undefined && after !== undefined && before !== after,
      });
      const back = await isServed(base.modelVersionId, BACK_WITHIN_MS, await change('rollback', 'support'));
      report('served after rollback', back);
      reportFailures('requests during both changes', watch);

      await change('promote', 'support@2');
      await isServed(trained.modelVersionId, BACK_WITHIN_MS, Date.now());
      const child = readProcessTree(server.process.pid).pids.find((pid) => pid !== server.process.pid);
      if (child !== undefined) process.kill(child, 'SIGKILL');
      const killedAt = Date.now();
      const returned = await isServed(trained.modelVersionId, BACK_WITHIN_MS, killedAt + 1);
      const others = watch.replies.filter(
        ({ at, status, modelVersionId }) =>
          at > killedAt && status === 200 && modelVersionId !== trained.modelVersionId,
      );
      context.report({
        name: 'after kill -9',
        figure: `back in ${(returned / 1000).toFixed(1)} s, ${others.length} replies of another model`,
        bar: 'the promoted model, 0 of another',
        ok: child !== undefined && returned >= 0 && others.length === 0,
      });
      await watch.stop();

      // The drain brings records in within moments of the reply.
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      const forward = await trace(`feedback:${feedbackId}`, 'forward');
      const backward = await trace('reply:served', 'back');
      context.report({
        name: 'lineage',
        figure: `rating → ${forward.includes(trained.modelVersionId) ? 'model' : 'nothing'}, reply → ${
          backward.includes(feedbackId) ? 'rating' : 'nothing'
        }`,
        bar: 'rating → model, reply → rating',
        ok: forward.includes(trained.modelVersionId) && backward.includes(feedbackId),
      });
      const compared = JSON.parse(
        await runCli(
          home,
          ...[
            'models',
            'compare',
            'support@1',
            'support@2',
            '--dataset',
            'liked@1',
            '--engine-url',
            engine.url,
            '--json',
          ],
        ),
      ) as { difference: number; items: number };
      context.report({
        name: 'compared on the data set',
        figure: `${compared.difference.toFixed(2)} mean log probability on ${compared.items} items`,
        bar: '> 0 on what it was trained on',
        ok: compared.items === 1 && compared.difference > 0,
      });
      const out = join(home, 'export');
      await runCli(
        home,
        ...['models', 'export', 'support@2', '--to', 'vllm', '--output', out, '--engine-url', engine.url],
      );
      const forgotten = JSON.parse(
        await runCli(home, 'trajectories', 'forget', trajectoryId, '--yes', '--json', '--home', home),
      ) as { models: string[] };
      context.report({
        name: 'exported and forgotten',
        figure: `${['adapter/adapter_model.safetensors', 'merged/model.safetensors', 'SERVE.txt'].filter((file) => existsSync(join(out, file))).length} of 3 files; forget names ${forgotten.models.join(', ')}`,
        bar: '3 of 3; support@2',
        ok: existsSync(join(out, 'merged/model.safetensors')) && forgotten.models.join() === 'support@2',
      });

      const deaf = await startInference({ ...common, args: ['--run', 'deaf'] });
      context.defer(async () => void (await deaf.process.stop({ graceMs: 20_000 })));
      const deafWatch = watchReplies({ url: deaf.url, model: 'support', trajectory: 'deaf' });
      const missed = await deafWatch.waitFor({ modelVersionId: trained.modelVersionId, since: 0, timeoutMs: 6_000 });
      await deafWatch.stop();
      context.report({
        name: 'mutant that follows no name',
        figure: missed === undefined ? 'the promoted model is not seen' : 'seen',
        bar: 'not seen',
        ok: missed === undefined && deafWatch.replies.length > 0,
      });

      function report(name: string, ms: number): void {
        const figure = `${ms} ms until the first request that it answers; the engine alone takes ${engineMs} ms to load weights`;
        context.report({ name, figure, bar: `≤ ${SERVED_WITHIN_MS} ms`, ok: ms <= SERVED_WITHIN_MS });
      }

      function reportFailures(name: string, { replies }: Watch): void {
        const failed = replies.filter(({ status }) => status !== 200);
        for (const { status, text } of failed.slice(0, 3)) context.log(`${status}: ${text}`);
        const figure = `${failed.length} of ${replies.length} failed`;
        context.report({ name, figure, bar: '0 failed', ok: failed.length === 0 && replies.length > 5 });
      }

      async function trace(what: string, way: 'back' | 'forward'): Promise<string[]> {
        const found = JSON.parse(await runCli(home, 'lineage', what, '--json')) as Record<
          'back' | 'forward',
          { nodes: { id: string }[] }
        >;
        return found[way].nodes.map(({ id }) => id);
      }
    },
  },
  grpoResult,
];
