import { LachesisError, type createSlots } from '@lachesis/protocol';
import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Program } from './programs/program.ts';
import { runCommand } from './programs/run-command.ts';
import { writeWhole } from './programs/write-whole.ts';

/** Every call of the control API answers within 25 seconds. */
const CHECK_MS = 20_000;

/** `lachesis env check` of an environment with its settings, by a program that may only read. */
export async function checkWithoutWriting(options: {
  program: Program;
  name: string;
  /** The section env. */
  settings: Readonly<Record<string, unknown>>;
  variables: Readonly<Record<string, string>>;
  /** Where the settings are written for as long as the check takes. */
  folder: string;
  /** How many checks go on at once. */
  slots: ReturnType<typeof createSlots>;
}): Promise<unknown> {
  const { program, name, folder } = options;
  const limit = AbortSignal.timeout(CHECK_MS);
  const leave = await options.slots.take(limit).catch(() => {
    throw new LachesisError({
      code: 'unavailable',
      message: `the check of ${name} waited ${CHECK_MS / 1000} s for other checks to end`,
      hint: 'Ask again in a moment.',
    });
  });
  const config = join(folder, `check_${randomUUID()}.yaml`);
  const lines: string[] = [];
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeWhole(config, { env: options.settings });
    const { code, lastWords } = await runCommand({
      ...{ program, env: options.variables, workingDirectory: process.cwd(), signal: limit },
      arguments: ['env', 'check', name, '--config', config, '--json'],
      onLine: (line) => lines.push(line),
    });
    const last = lines.findLast((line) => line.startsWith('['));
    if (last !== undefined) return JSON.parse(last);
    throw new LachesisError({
      code: 'unavailable',
      message: limit.aborted
        ? `the check of ${name} took longer than ${CHECK_MS / 1000} s`
        : `the check of ${name} ended with code ${code}: ${lastWords || 'it said nothing'}`,
      hint: `\`lachesis env check ${name}\`, where the control server was started, tells all it says.`,
    });
  } finally {
    leave();
    await rm(config, { force: true });
  }
}
