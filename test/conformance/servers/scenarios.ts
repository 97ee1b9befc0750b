import { createTinyModel } from '../../../packages/sdk/src/render/testing/tiny-model.fixture.ts';
import { installPackages } from '../../kit/install-packages.ts';
import type { Scenario, ScenarioContext } from '../../scenarios/scenario.ts';
import { readClasses, SERVER_NAMES, type ServerName } from './check-request.ts';
import { startSchemaServer } from './start-schema-server.ts';
import { askForTokens } from './use-in-process.ts';
import { useLlamaCpp } from './use-llama-cpp.ts';
import { useServer } from './use-server.ts';

/** Two replies of three tokens. */
const TOKENS = 6;
/** Who has ids of tokens; of the others the reason is told. */
const WITH_IDS: ReadonlySet<ServerName> = new Set(['vllm', 'sglang']);

async function showTokens(context: ScenarioContext, name: ServerName): Promise<void> {
  await using server = await startSchemaServer({ name });
  const { tokens, reason } = await askForTokens({ server, type: name });
  const refused = server.calls.flatMap((call) => call.refused ?? []).filter(() => WITH_IDS.has(name));
  const hasIds = WITH_IDS.has(name);
  context.report({
    name: `${name}: tokens to train on`,
    figure: hasIds ? `${tokens}, ${refused.length} fields refused${reason}` : reason.slice(0, 160),
    bar: hasIds ? `${TOKENS}, none refused` : 'none, and the reason',
    ok: hasIds ? tokens === TOKENS && refused.length === 0 : /does not tell which tokens/.test(reason),
  });
}

export const scenarios: Scenario[] = [
  {
    name: 'ways',
    title:
      'Requests checked by the servers’ own classes, and by a real llama.cpp: capture, environments, judge, batch and rl_test_inference.',
    run: async (context) => {
      const lachesis = await installPackages(await context.scratch());
      // Two at once: each waits for processes to start, and more than two of those would wait for each other.
      const left = [...SERVER_NAMES];
      const work = async (): Promise<void> => {
        for (let name = left.shift(); name !== undefined; name = left.shift()) {
          const { source } = readClasses(name);
          const open = () => startSchemaServer({ name });
          await useServer(context, { name, type: name, lachesis, source, open });
        }
      };
      await Promise.all([work(), work()]);
      await useLlamaCpp(context, lachesis);
    },
  },
  {
    name: 'tokens',
    title: 'Tokens where a server has them, the reason where not.',
    run: async (context) => {
      for (const name of SERVER_NAMES) await showTokens(context, name);
      const model = await createTinyModel();
      context.defer(() => model.remove());
      await using old = await startSchemaServer({ name: 'sglang', hasChatIds: false });
      const { tokens, reason } = await askForTokens({ server: old, type: 'sglang', tokenizer: model.directory });
      const refused = old.calls.filter((call) => call.refused !== undefined).length;
      context.report({
        name: 'sglang: tokens through /generate',
        figure: `${tokens}, ${refused} fields refused${reason}`,
        bar: `${TOKENS}, none refused`,
        ok: tokens === TOKENS && refused === 0,
      });
    },
  },
  {
    name: 'mutants',
    title: 'A policy that sends a field of its own is caught.',
    run: async (context) => {
      let caught = 0;
      for (const name of ['vllm', 'sglang'] as const) {
        await using server = await startSchemaServer({ name });
        const { tokens } = await askForTokens({ server, type: name, extra: { surprise: true } });
        if (tokens === 0 && server.calls.some(({ refused }) => refused === 'surprise')) caught += 1;
      }
      context.report({
        name: 'a policy with an extra field',
        figure: `${caught} of 2 caught`,
        bar: '2',
        ok: caught === 2,
      });
    },
  },
];
