import { cp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { downloadAdapter, mergeAdapter } from '@lachesis/tinker';
import { prepareEngine } from '@lachesis/tinker/engine';

import { findPeerHome } from '../../peers/engine/peer-home.ts';
import { startEnginePeer } from '../../peers/engine/start-engine-peer.ts';
import type { Scenario } from '../../scenarios/scenario.ts';
import { fetchWithModulesLeftOut } from './leave-modules-out.ts';
import { preparePeft } from './prepare-peft.ts';
import { runScript } from './run-script.ts';
import { ALPHA, RANK, trainAdapter } from './train-adapter.ts';

const NUMPY_TOLERANCE = 1e-4;
const PEFT_TOLERANCE = 1e-5;

interface TensorReport {
  tensors: number;
  faults: string[];
}

interface LogprobReport {
  tokens: number;
  largest: number;
}

/** `pnpm e2e peft-download`: what was trained comes home as a folder that PEFT loads. */
export const scenarios: Scenario[] = [
  {
    name: 'adapter',
    title: 'a downloaded adapter is the engine’s, tensor by tensor, and gives its log probabilities outside of it',
    async run(context) {
      const engine = await startEnginePeer({ onProgress: ({ message }) => context.log(message) });
      context.defer(() => engine.stop());
      const model = engine.modelDirectory;
      const scratch = await context.scratch();
      const trained = await trainAdapter({ url: engine.url, model, place: path.join(scratch, 'trained') });
      const { directory } = await downloadAdapter({
        path: trained.path,
        destination: path.join(scratch, 'adapter'),
        server: { baseUrl: engine.url, fetch: fetchWithModulesLeftOut },
      });
      const withoutModules = path.join(scratch, 'without-modules');
      await copyWithoutModules(directory, withoutModules);

      const { python } = await prepareEngine({ home: findPeerHome() });
      const checkTensors = (folder: string): Promise<TensorReport> =>
        runScript(python, 'adapter_tensors.py', [model, folder, trained.archive, String(RANK), String(ALPHA)]);
      const compare = (interpreter: string, script: string, folder: string): Promise<LogprobReport> =>
        runScript(interpreter, script, [model, folder, trained.probe]);
      const compareWhole = (interpreter: string, script: string, folder: string): Promise<LogprobReport> =>
        runScript(interpreter, script, [folder, 'none', trained.probe]);

      const { tensors, faults } = await checkTensors(directory);
      for (const fault of faults) context.log(fault);
      context.report({
        name: 'tensors and config',
        figure: `${faults.length} faults in ${tensors} tensors`,
        bar: '0 faults, some tensors',
        ok: faults.length === 0 && tensors > 0,
      });
      const applied = await compare(python, 'adapter_logprobs.py', directory);
      context.report({
        name: 'applied by numpy',
        figure: `${applied.largest.toExponential(1)} from the engine’s log probabilities, over ${applied.tokens} tokens`,
        bar: `≤ ${NUMPY_TOLERANCE}`,
        ok: applied.tokens > 0 && applied.largest <= NUMPY_TOLERANCE,
      });
      const mutant = await checkTensors(withoutModules);
      const mutantApplied = await compare(python, 'adapter_logprobs.py', withoutModules);
      context.report({
        name: 'mutant target_modules null',
        figure: `${mutant.faults.length} fault, ${mutantApplied.largest.toFixed(2)} from the engine’s log probabilities`,
        bar: `a fault, > ${NUMPY_TOLERANCE}`,
        ok: mutant.faults.length > 0 && mutantApplied.largest > NUMPY_TOLERANCE,
      });

      const merged = path.join(scratch, 'merged');
      await mergeAdapter({ adapter: directory, base: model, destination: merged });
      const whole = await compareWhole(python, 'adapter_logprobs.py', merged);
      context.report({
        name: 'merged into the base model',
        figure: `${whole.largest.toExponential(1)} from the engine’s log probabilities, over ${whole.tokens} tokens`,
        bar: `≤ ${NUMPY_TOLERANCE}`,
        ok: whole.tokens > 0 && whole.largest <= NUMPY_TOLERANCE,
      });
      const twice = path.join(scratch, 'merged-twice');
      await mergeAdapter({ adapter: directory, base: merged, destination: twice });
      const mutantWhole = await compareWhole(python, 'adapter_logprobs.py', twice);
      context.report({
        name: 'mutant merged twice',
        figure: `${mutantWhole.largest.toFixed(2)} from the engine’s log probabilities`,
        bar: `> ${NUMPY_TOLERANCE}`,
        ok: mutantWhole.largest > NUMPY_TOLERANCE,
      });
      if (!context.full) return;

      const peftPython = await preparePeft(context);
      const loaded = await compare(peftPython, 'peft_logprobs.py', directory);
      context.report({
        name: 'loaded by peft',
        figure: `${loaded.largest.toExponential(1)} from the engine’s log probabilities, over ${loaded.tokens} tokens`,
        bar: `≤ ${PEFT_TOLERANCE}`,
        ok: loaded.tokens > 0 && loaded.largest <= PEFT_TOLERANCE,
      });
      const loadedWhole = await compareWhole(peftPython, 'peft_logprobs.py', merged);
      context.report({
        name: 'merged, loaded by transformers',
        figure: `${loadedWhole.largest.toExponential(1)} from the engine’s log probabilities, over ${loadedWhole.tokens} tokens`,
        bar: `≤ ${PEFT_TOLERANCE}`,
        ok: loadedWhole.tokens > 0 && loadedWhole.largest <= PEFT_TOLERANCE,
      });
      const mutantLoaded = await compare(peftPython, 'peft_logprobs.py', withoutModules);
      context.report({
        name: 'mutant target_modules null in peft',
        figure: `${mutantLoaded.largest.toFixed(2)} from the engine’s log probabilities`,
        bar: `> ${PEFT_TOLERANCE}`,
        ok: mutantLoaded.largest > PEFT_TOLERANCE,
      });
    },
  },
];

/** The seeded fault: the folder as a client leaves it that does not fill in the modules. */
async function copyWithoutModules(from: string, to: string): Promise<void> {
  await cp(from, to, { recursive: true });
  const file = path.join(to, 'adapter_config.json');
  const config = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;
  await writeFile(file, JSON.stringify({ ...config, target_modules: null }));
}
