import { execFile } from 'node:child_process';
import { copyFile, cp, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { findPeerHome } from '../../peers/engine/peer-home.ts';
import type { ScenarioContext } from '../../scenarios/scenario.ts';
import { exportFor } from './export-for.ts';
import { prepareTrl, type TrlPeer } from './prepare-trl.ts';

const run = promisify(execFile);

/** The model that the engine is tried with: Qwen3 with 0.3 million weights and the real tokenizer. */
const MODEL = join(findPeerHome(), 'engine', 'models', 'tiny-qwen3-real-tokenizer');
/** Importing torch alone takes a minute on a busy machine. */
const TRAINING_MS = 15 * 60_000;

/** What the guide trl-fine-tuning says is changed for one step on a CPU. */
const CHANGES: readonly (readonly [RegExp, string])[] = [
  [/^MODEL = .*$/m, 'MODEL = "model"'],
  [/^ {4}quantization_config=BitsAndBytesConfig\(\n[\s\S]*?^ {4}\),\n/m, ''],
  [/bf16=True/, 'bf16=False, use_cpu=True, max_steps=1'],
];

/** The folder that we write for TRL trains one step with TRL itself, on the CPU. */
export async function trainTrl(context: ScenarioContext): Promise<void> {
  const [name, bar] = ["one CPU step with TRL's folder", 'a loss above 0, an adapter'];
  if (!context.full) {
    context.reportNotRun({ name, why: 'torch is 6 GB: with --full', bar });
    return;
  }
  let peer: TrlPeer;
  try {
    peer = await prepareTrl({ log: (text) => context.log(text) });
  } catch (error) {
    const why = `torch, peft and TRL cannot be installed at the versions of the two locks: ${(error as Error).message.slice(0, 300)}`;
    context.reportNotRun({ name, why, bar });
    return;
  }
  const folder = await exportFor(context, 'trl-handoff');
  await cp(MODEL, join(folder, 'model'), { recursive: true });
  // Qwen3's own template, which TRL knows and marks; that of the toy is a shorter one.
  await copyFile(join(peer.packages, 'trl/chat_templates/qwen3.jinja'), join(folder, 'model/chat_template.jinja'));
  const script = await readFile(join(folder, 'train.py'), 'utf8');
  const missed = CHANGES.filter(([what]) => !what.test(script));
  if (missed.length > 0) throw new Error(`train.py has changed: nothing in it is like ${String(missed[0]?.[0])}`);
  const changed = CHANGES.reduce((text, [what, to]) => text.replace(what, to), script);
  const step = await train(context, peer, { folder, name: 'one-step.py', script: changed });
  const loss = Number(/'loss': '?([\d.]+)/.exec(step.output)?.[1] ?? 0);
  const bytes = await stat(join(folder, 'output/adapter_model.safetensors')).then(
    ({ size }) => size,
    () => 0,
  );
  context.report({
    name,
    figure: step.failed ?? `loss ${loss}, an adapter of ${bytes} bytes`,
    bar,
    ok: step.failed === undefined && loss > 0 && bytes > 0,
  });
  // A name that TRL had before.
  const old = changed.replace('max_length=', 'max_seq_length=');
  const seeded = await train(context, peer, { folder, name: 'old-name.py', script: old });
  context.report({
    name: 'seeded fault: an option that TRL does not have any more',
    figure: seeded.failed === undefined ? 'not caught' : `caught: ${seeded.failed}`,
    bar: 'caught',
    ok: seeded.failed?.includes('max_seq_length') === true,
  });
}

async function train(
  context: ScenarioContext,
  { python, packages }: TrlPeer,
  { folder, name, script }: { folder: string; name: string; script: string },
): Promise<{ output: string; failed: string | undefined }> {
  await writeFile(join(folder, name), script);
  const env = { PATH: process.env['PATH'], HOME: folder, HF_HUB_OFFLINE: '1', PYTHONPATH: packages };
  try {
    const { stdout, stderr } = await run(python, [name], { cwd: folder, env, timeout: TRAINING_MS });
    context.log(`${stdout}${stderr}`.slice(-2_000));
    return { output: `${stdout}\n${stderr}`, failed: undefined };
  } catch (error) {
    const { stderr = '', message } = error as { stderr?: string; message: string };
    context.log(stderr.slice(-2_000));
    return { output: stderr, failed: (stderr.trim().split('\n').at(-1) ?? message).slice(0, 300) };
  }
}
