import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { startEnginePeer } from '../../peers/engine/start-engine-peer.ts';
import type { Scenario } from '../../scenarios/scenario.ts';
import { runCli } from './run-cli.ts';
import { startInference } from './start-inference.ts';
import { watchReplies } from './watch-replies.ts';

/** Far enough that the toy has begun to learn, and no further. */
const STEPS = 5;
const SERVED_WITHIN_MS = 60_000;

interface Listed {
  name: string;
  version: number;
  modelVersionId: string;
  method: string;
  run: string;
  step: number;
  parent: string | null;
  config: { environment?: string };
}

/** What a run of GRPO ends with is a model like any other: it is compared, promoted, served, exported and begun with. */
export const grpoResult: Scenario = {
  name: 'grpo-result',
  title: 'a result of GRPO is compared with its start, promoted, served, exported and trained on from',
  async run(context) {
    const engine = await startEnginePeer({ onProgress: ({ message }) => context.log(message) });
    context.defer(() => engine.stop());
    const home = await context.scratch();
    const place = ['--tinker.base_url', engine.url];
    const train = async (run: string, ...words: string[]): Promise<void> => {
      const asked = ['train', '--config', 'cpu_tiny', '--any-port', '--run', run, ...place, ...words];
      context.log((await runCli(home, ...asked)).trimEnd());
    };
    const list = async (run: string): Promise<Listed[]> =>
      JSON.parse(await runCli(home, 'models', 'list', '--name', run, '--json')) as Listed[];

    await train('first', '--env.total_steps', '2', '--tinker.save_checkpoint_interval', '1');
    const first = await list('first');
    context.report({
      name: 'registered by its trainer',
      figure: first
        .map(({ version, method, step, config }) => `first@${version} ${method} step ${step} of ${config.environment}`)
        .join(', '),
      bar: 'each checkpoint, once',
      ok: first.map(({ step, version }) => `${version}:${step}`).join() === '2:2,1:1',
    });

    await train('second', '--from', 'first:2', '--with-optimizer', '--env.total_steps', String(STEPS));
    const [second] = await list('second');
    const start = first.find(({ step }) => step === 2);
    context.report({
      name: 'begun with first:2',
      figure:
        second === undefined
          ? 'nothing'
          : `second@${second.version}, parent ${second.parent === start?.modelVersionId ? 'first@2' : second.parent}`,
      bar: 'parent first@2',
      ok: second !== undefined && second.parent === start?.modelVersionId,
    });

    const engineFlag = ['--engine-url', engine.url];
    const compared = await runCli(
      ...[home, 'models', 'compare', 'first:2', 'second', '--environment', 'digits', ...engineFlag],
    );
    const difference = /difference .*95 % (\S+) to (\S+),/.exec(compared);
    context.report({
      name: 'compared with its start',
      figure: difference?.[0] ?? compared.trim(),
      bar: 'an interval',
      ok: difference !== null,
    });

    await runCli(home, 'models', 'promote', `second:${STEPS}`);
    const server = await startInference({
      ...{ home, engineUrl: engine.url, model: engine.modelDirectory, args: ['--model', 'second'] },
    });
    context.defer(async () => void (await server.process.stop({ graceMs: 20_000 })));
    const watch = watchReplies({ url: server.url, model: 'second', trajectory: 'grpo' });
    context.defer(() => watch.stop());
    const reply = await watch.waitFor({
      ...{ modelVersionId: second?.modelVersionId ?? '', since: 0, timeoutMs: SERVED_WITHIN_MS },
    });
    await watch.stop();
    context.report({
      name: 'promoted and served',
      figure:
        reply === undefined
          ? `no reply of it; the last: ${watch.replies.at(-1)?.text}`
          : `it replies ${JSON.stringify(reply.text)}`,
      bar: 'a reply of it',
      ok: reply !== undefined,
    });

    const out = join(home, 'export');
    await runCli(home, 'models', 'export', 'second', '--to', 'vllm', '--output', out, ...engineFlag);
    const files = ['adapter/adapter_model.safetensors', 'merged/model.safetensors', 'SERVE.txt'];
    const there = files.filter((file) => existsSync(join(out, file))).length;
    context.report({ name: 'exported', figure: `${there} of 3 files`, bar: '3 of 3', ok: there === 3 });

    const mismatch = await train('third', '--from', 'second@1', '--tinker.lora_rank', '4').then(
      () => 'it was trained',
      (error: unknown) => (error as { stdout?: string }).stdout ?? String(error),
    );
    const refusal = /lora_rank is 4, and the state \S+ has rank 8/.exec(mismatch)?.[0];
    context.report({
      name: 'another rank than that of its state',
      figure: refusal ?? mismatch.trim().slice(-200),
      bar: 'refused with both numbers',
      ok: refusal !== undefined,
    });
  },
};
