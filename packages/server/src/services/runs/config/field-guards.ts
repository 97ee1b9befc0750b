import { isSecretFile, judgeFieldKind } from '@lachesis/protocol';
import { followInside } from '@lachesis/sdk/config';
import { createEgressRule, isAddressLike } from '@lachesis/sdk/egress';
import { realpath } from 'node:fs/promises';
import { relative } from 'node:path';
import type { FieldGuards } from './field-rules.ts';
import { SHARED_FIELDS } from './shared-fields.ts';

export interface ControlFieldGuardsOptions {
  /** The recipe file as it was read. */
  recipeFile: Readonly<Record<string, unknown>>;
  /** The project: where the server was started, and where its runs work. */
  folder: string;
  env: Readonly<Record<string, string | undefined>>;
}

/** Data sets of the hub have an address of their own form. */
const HUB = /^hf:\/\/datasets\/([\w.-]+\/[\w.-]+)\//;

const OF_TRAINER: ReadonlySet<string> = new Set(
  SHARED_FIELDS.filter(({ place }) => place === 'tinker' || place === 'both').map(({ name }) => name),
);

/** What an agent may set, with the real parts: the recipe, the project's folder, and the egress rule. */
export function createControlFieldGuards({ recipeFile, folder, env }: ControlFieldGuardsOptions): FieldGuards {
  const { env: section, tinker, editable } = recipeFile;
  // Some stand in the section of the trainer and are edited like fields of the environment.
  const set = new Set([...namesOf(section), ...namesOf(tinker).filter((name) => OF_TRAINER.has(name))]);
  const listed = new Set(Array.isArray(editable) ? editable.map(String) : []);
  const rule = createEgressRule({ allow: env['LACHESIS_EGRESS_ALLOW'] });
  return {
    kindOf: judgeFieldKind,
    isLocked: (name) => set.has(name) && !listed.has(name),
    isEditable: (name) => listed.has(name),
    isAddress: isAddressLike,
    async followPath(given) {
      const real = await followInside(folder, given).catch(() => undefined);
      if (real === undefined) return undefined;
      const shown = relative(await realpath(folder), real);
      return isSecretFile(shown) || isSecretFile(given) ? undefined : shown || '.';
    },
    async checkAddress(address, { isAtStart }) {
      const plain = address.replace(HUB, 'https://huggingface.co/datasets/$1/');
      if (isAtStart) await rule.resolve(plain);
      else rule.read(plain);
    },
  };
}

/** What is set, even to nothing. */
const namesOf = (section: unknown): string[] =>
  typeof section === 'object' && section !== null ? Object.keys(section) : [];
