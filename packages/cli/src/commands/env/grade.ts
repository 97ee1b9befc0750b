import { readYamlFile } from '@lachesis/sdk/config';
import { abortOnSignals, gradeReplies } from '@lachesis/sdk/environment';
import { defineCommand } from 'citty';
import { text } from 'node:stream/consumers';
import { fail } from '../../terminal/fail.ts';
import {
  environmentArgument,
  environmentFlags,
  failWithEnvironmentError,
  loadDefinition,
  readEnvironmentArguments,
} from '../../flags/environment.ts';
import { placeRecipes } from './place-recipes.ts';

export const envGradeCommand = defineCommand({
  meta: {
    name: 'grade',
    description:
      'Score replies to prompts of an environment: a JSON list of {prompt, response, expected?} on standard input.',
  },
  args: { ...environmentArgument, ...environmentFlags },
  async run({ rawArgs }) {
    const { name, json, flags, config } = readEnvironmentArguments(await placeRecipes(rawArgs));
    const { signal } = abortOnSignals();
    const replies = readReplies(await text(process.stdin));
    try {
      const definition = await loadDefinition(name);
      const yaml = config === undefined ? undefined : await readYamlFile(config);
      const graded = await gradeReplies({ definition, replies, flags, yaml, signal });
      process.stdout.write(
        json
          ? `${JSON.stringify(graded)}\n`
          : graded.map(({ score, reason }) => `${score ?? '–'}${reason === null ? '' : `  ${reason}`}\n`).join(''),
      );
    } catch (error) {
      failWithEnvironmentError(error);
    }
  },
});

interface Reply {
  prompt: string;
  response: string;
  expected?: string;
}

function readReplies(input: string): Reply[] {
  const isReply = (value: unknown): value is Reply => {
    const { prompt, response, expected } = (value ?? {}) as Record<string, unknown>;
    const isText = typeof prompt === 'string' && typeof response === 'string';
    return isText && (expected === undefined || typeof expected === 'string');
  };
  let value: unknown;
  try {
    value = JSON.parse(input);
  } catch {
    return fail('standard input is not JSON: [{"prompt": "…", "response": "…"}]');
  }
  if (Array.isArray(value) && value.every(isReply)) return value;
  return fail('standard input must be a list of {"prompt": "…", "response": "…"}');
}
